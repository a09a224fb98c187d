"""What the arguments of the public functions must be: looked at once, at the door, before anything is computed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from os import PathLike, fspath
from reprlib import repr as briefly
from typing import Any, NoReturn, TypeVar, cast

from ffncalc.errors import UsageError, shown

F = TypeVar("F", bound=Callable[..., Any])
Rule = Callable[[str, Any], object]  # the name of an argument and its value → the value to go on with

MOST = 10**18  # the largest whole number that is worked with


def checked(function: F) -> F:
    """`function`, whose arguments are first held against `RULES`; the default of an argument is always right.

    Raises:
        UsageError: from the function that is returned, naming the argument and what it must be.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    positional = function.__defaults__ or ()
    first_default = code.co_argcount - len(positional)
    defaults = dict(zip(names[first_default:], positional, strict=False)) | (function.__kwdefaults__ or {})

    def held(name: str, value: object) -> object:
        return value if name in defaults and value is defaults[name] else RULES[name](name, value)

    @wraps(function)
    def call(*args: object, **options: object) -> object:
        if len(args) > code.co_argcount:
            return function(*args, **options)  # which is a TypeError
        first = map(held, names, args)
        return function(*first, **{name: held(name, v) if name in names else v for name, v in options.items()})

    call.__module__ = "ffncalc"  # where pickle, and so a pool of processes, finds it
    return cast(F, call)


def _refuse(name: str, must: str, value: object) -> NoReturn:
    found = shown(value) if isinstance(value, int) and not isinstance(value, bool) else briefly(value)
    raise UsageError(f"{name} must be {must}, got {found}")


def _model(name: str, value: object) -> object:
    from ffncalc.ir import Model

    return value if isinstance(value, Model) else _refuse(name, "a Model, as ffncalc.load gives it", value)


def _models(name: str, value: object) -> object:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        _refuse(name, "several Models", value)
    return tuple(_model(f"each of {name}", each) for each in value)


def _goal(name: str, value: object) -> object:
    from ffncalc.inverse.goals import Target

    return value if isinstance(value, Target) else _refuse(name, "a Target, as ffncalc.target gives it", value)


def _reference(name: str, value: object) -> object:
    path = fspath(value) if isinstance(value, PathLike) else value
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    if isinstance(path, str) and "\0" not in path:
        return value
    return _refuse(name, "a repository id, a path or a parsed config", value)


def _written(name: str, value: object) -> object:
    """A reference, where a parsed config can be written as JSON."""
    if isinstance(value, Mapping):
        import json

        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            _refuse(name, "a path or a parsed config, which holds what JSON can hold", value)
    return _reference(name, value)


def _flag(name: str, value: object) -> object:
    return value if isinstance(value, bool) else _refuse(name, "True or False", value)


def _text(name: str, value: object) -> object:
    return value if isinstance(value, str) else _refuse(name, "a string", value)


def _names(name: str, value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return value
    return _refuse(name, "a string or a list of strings", value)


def _whole(name: str, value: object) -> int:
    number = _index(value)
    if number is None or not 1 <= number <= MOST:
        _refuse(name, "a whole number, at least 1 and at most 10^18", value)
    return number


def _index(value: Any) -> int | None:
    """An integer of any kind (of numpy too); None for all else, truth values among it."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _contexts(name: str, value: Any) -> object:
    if _index(value) is not None:
        return _whole(name, value)
    if isinstance(value, str | bytes | bytearray | Mapping) or not hasattr(value, "__len__"):
        _refuse(name, "a whole number or a list of them", value)
    found = tuple(_whole(f"each {name}", number) for number in value)
    return found or _refuse(name, "at least one whole number", value)


def _ratio(name: str, value: object) -> object:
    from fractions import Fraction

    if isinstance(value, str | int | float | Fraction) and not isinstance(value, bool):
        return value
    return _refuse(name, "a positive number", value)


def _paths(name: str, value: object) -> object:
    if isinstance(value, list | tuple):
        return tuple(_path(f"each of {name}", each) for each in value)
    return _path(name, value, "a path or a list of paths")


def _path(name: str, value: object, must: str = "a path") -> object:
    path = fspath(value) if isinstance(value, PathLike) else value
    return value if isinstance(path, str) and path and "\0" not in path else _refuse(name, must, value)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("ref", "old", "new"), _reference),
    "paths": _paths,
    "folder": _path,
    "path": _written,
    "model": _model,
    "models": _models,
    "goal": _goal,
    "ctx": _contexts,
    "target": _names,
    **dict.fromkeys(("rank", "batch", "encoder_ctx", "hidden_size", "hidden", "multiple_of", "block"), _whole),
    **dict.fromkeys(("ratio", "multiplier"), _ratio),
    **dict.fromkeys(("refresh", "offline", "full", "experts", "gated", "check"), _flag),
    **dict.fromkeys(
        ("revision", "phase", "mla", "dtype", "kv_dtype", "activation", "vary", "quantity_name", "text", "code"), _text
    ),
}
