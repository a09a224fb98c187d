"""The types of config fields, and the reading of values that have them as they stand.

Nearly every value in a config has the type of its field, and is taken at once. Any other is for pydantic to convert or
to refuse; pydantic takes longer to load than a whole command, so it is loaded when the first such value is met.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import get_annotations
from math import isfinite
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ffncalc.errors import shown
from ffncalc.formula import Num

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, ValidationInfo
    from pydantic_core import CoreSchema

LARGEST = 10**9  # the largest size a field may have; no published one comes near
DEEPEST = 10_000  # the most layers a model may have
PARTS = 1_000  # the most parts of one kind inside a layer or module; each is looked at

Reader = Callable[[Any, str], object]  # a value and the label of its field → the value as it is kept, or ODD
ODD = object()  # what a reader gives for a value that is not plainly of its type


class Whole:
    """Marks a field as an integer between bounds, or one `word`: 64.0 is 64, True and "64" are none."""

    def __init__(self, lowest: int, highest: int, *, word: str | None = None) -> None:
        self.lowest, self.highest, self.word = lowest, highest, word

    def plain(self, value: Any, label: str) -> object:
        """The value with its label, or ODD."""
        if type(value) is int and self.lowest <= value <= self.highest:
            return Num(value, label)
        return value if type(value) is str and value == self.word else ODD

    def checked(self, value: object, label: str) -> Num | str:
        """The value with its label.

        Raises:
            ValueError: what it must be, and what it is.
        """
        if isinstance(value, str) and value == self.word:
            return value
        if isinstance(value, float) and value.is_integer() and abs(value) <= self.highest:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"must be an integer, got {shown(value)}")
        if not self.lowest <= value <= self.highest:
            rule = f"must be between {self.lowest} and {self.highest:,}"
            rule = "must be a positive integer" if self.lowest == 1 and value < 1 else rule
            raise ValueError(f"{rule}, got {shown(value)}")
        return value if isinstance(value, Num) else Num(value, label)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic import PlainValidator
        from pydantic_core import PydanticCustomError

        def check(value: object, info: ValidationInfo) -> Num | str:
            try:
                return self.checked(value, label_of(info))
            except ValueError as error:
                raise PydanticCustomError("size", "{problem}", {"problem": str(error)}) from None

        return PlainValidator(check).__get_pydantic_core_schema__(source, handler)


def label_of(info: ValidationInfo) -> str:
    """The label of the field that pydantic is at: its key in the file, with the place of its object before it."""
    keys, prefix = (info.context or {}).get("labels", ({}, ""))
    name = info.field_name or ""
    return f"{prefix}{keys.get(name, name)}"


class Between:
    """Marks a field as a number between bounds."""

    def __init__(self, lowest: float, highest: float) -> None:
        self.lowest, self.highest = lowest, highest

    def plain(self, value: Any, label: str) -> object:
        """The number, or ODD."""
        return float(value) if type(value) in (int, float) and self.lowest <= value <= self.highest else ODD

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.float_schema(ge=self.lowest, le=self.highest)


Size = Annotated[int, Whole(1, LARGEST)]  # a dimension: positive
Count = Annotated[int, Whole(0, LARGEST)]  # a number of things: zero is allowed
AutoSize = Annotated[int | str, Whole(1, LARGEST, word="auto")]  # a dimension, or "auto": worked out from others
Few = Annotated[int, Whole(1, PARTS)]  # a number of parts inside a layer or module: positive, bounded
Repeats = Annotated[int, Whole(0, PARTS)]  # the same, and zero is allowed
Ratio = Annotated[float, Between(0.001, 1000)]  # one width over another
Depth = Annotated[int, Whole(1, DEEPEST)]  # a number of layers: positive, and bounded since each is looked at


class Field(NamedTuple):
    """A field of a config class."""

    annotation: Any
    required: bool
    default: Any
    read: Reader


def fields_of(config: type) -> dict[str, Field]:
    """The fields that a class and its bases annotate, with their defaults, those of the bases first."""
    found = {}
    for name, annotation in get_type_hints(config, include_extras=True).items():
        if name.startswith("_") or get_origin(annotation) is ClassVar:
            continue
        owner = next(c for c in config.__mro__ if name in get_annotations(c))
        default = owner.__dict__.get(name, ODD)
        required = default is ODD
        found[name] = Field(annotation, required, None if required else default, reader(annotation))
    return found


def reader(annotation: Any) -> Reader:
    """What takes a value that plainly has the type, and gives ODD for all others."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return lambda value, label: value
    if annotation is float:
        return _float
    if annotation in (int, bool, str, NoneType):
        return lambda value, label: value if type(value) is annotation else ODD
    if origin is Annotated:
        return next((mark.plain for mark in args[1:] if isinstance(mark, (Whole, Between))), _odd)
    if origin is Literal:
        return lambda value, label: value if type(value) is str and value in args else ODD
    if origin in (Union, UnionType):
        return _either([reader(arg) for arg in args])
    if origin is list:
        return _list(reader(args[0]))
    if origin is dict and args[0] is str:
        return _dict(reader(args[1]))
    plain: Reader | None = getattr(annotation, "plain", None)  # a config inside a config
    return plain or _odd


def _float(value: Any, label: str) -> object:
    exact = type(value) is int and abs(value) < 2**53
    return float(value) if exact or (type(value) is float and isfinite(value)) else ODD


def _odd(value: Any, label: str) -> object:
    return ODD


def _either(readers: list[Reader]) -> Reader:
    def read(value: Any, label: str) -> object:
        return next((found for one in readers if (found := one(value, label)) is not ODD), ODD)

    return read


def _list(one: Reader) -> Reader:
    def read(value: Any, label: str) -> object:
        if type(value) is not list:
            return ODD
        found = [one(item, label) for item in value]
        return ODD if ODD in found else found

    return read


def _dict(one: Reader) -> Reader:
    def read(value: Any, label: str) -> object:
        if type(value) is not dict or not all(type(key) is str for key in value):
            return ODD
        found = {key: one(item, label) for key, item in value.items()}
        return ODD if ODD in found.values() else found

    return read
