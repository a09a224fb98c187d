"""`record`: a dataclass that the type checker holds frozen; `lazy`: a property that is worked out once.

Parts of models are made by the hundred for each one. A dataclass that is frozen at run time as well takes four times as
long to make, and `functools.cached_property` takes a lock in Python 3.11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as record
    from functools import cached_property as lazy
else:
    from dataclasses import dataclass

    T = TypeVar("T")

    def record(*, frozen: bool, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
        """`dataclass`, with the hash of a frozen one."""
        assert frozen
        return dataclass(kw_only=kw_only, unsafe_hash=True)

    class lazy:
        """`functools.cached_property`, without its lock."""

        def __init__(self, work: Callable[[Any], Any]) -> None:
            self.work, self.name, self.__doc__ = work, work.__name__, work.__doc__

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            found = instance.__dict__[self.name] = self.work(instance)
            return found


__all__ = ["lazy", "record"]
