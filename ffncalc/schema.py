"""The shared base of all configs: typed fields, aliases, class defaults, errors that name the key in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from ffncalc.errors import ConfigError, shown
from ffncalc.fields import (
    DEEPEST,
    LARGEST,
    ODD,
    AutoSize,
    Count,
    Depth,
    Few,
    Field,
    Ratio,
    Repeats,
    Size,
    fields_of,
    label_of,
)

if TYPE_CHECKING:
    from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError, ValidationInfo
    from pydantic_core import CoreSchema

__all__ = ["DEEPEST", "LARGEST", "AutoSize", "BaseConfig", "Count", "Depth", "Few", "Ratio", "Repeats", "Size"]

MUST = {  # of each type: what pydantic calls a valid string, a valid boolean, …
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "finite_number": "must be a number",
    "float_type": "must be a number",
    "int_type": "must be an integer",
    "list_type": "must be a list",
    "string_type": "must be text",
}
MEMBER = re.compile(r"(?:(?:function-|list|dict|literal|constrained|nullable)\S*[\[(]|(?:bool|float|int|none|str)$)")
MOST = 25  # the most problems that one error names


class BaseConfig:
    """A config of one family: what its file holds, checked. Unknown keys are ignored here and reported by `check`.

    A subclass annotates its fields; one without a default is required. `aliases` maps a field to the keys it may have
    in the file, the first one that is not null counts; the field's own name is always accepted, last.
    """

    aliases: ClassVar[dict[str, tuple[str, ...]]] = {}

    model_type: str = ""
    architectures: list[str] | None = None

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        """A config from values that are checked already; the defaults of the class for those that are absent."""
        self.__dict__.update(_taken={}, _keys={}, _prefix="", **(values or {}))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a config does not change: use replace({name}=…)")

    def replace(self, **changes: object) -> Self:
        """A copy with other values, which are not checked."""
        other = type(self)()
        other.__dict__.update(self.__dict__, **changes)
        return other

    @property
    def taken(self) -> dict[str, object]:
        """Fields absent from the file, with the class default that was used."""
        found: dict[str, object] = self.__dict__["_taken"]
        return found

    def key(self, field: str) -> str:
        """The key that `field` has in the file, with the place of a nested config before it."""
        keys: Mapping[str, str] = self.__dict__["_keys"]
        return f"{self.__dict__['_prefix']}{keys.get(field, field)}"

    @property
    def architecture(self) -> str:
        """The first class named in `architectures`, or ""."""
        return self.architectures[0] if self.architectures else ""

    @classmethod
    @cache
    def fields(cls) -> dict[str, Field]:
        """The fields by name, those of the base classes first."""
        return fields_of(cls)

    @classmethod
    def parse(
        cls, raw: Mapping[str, Any], defaults: Mapping[str, Any], *, prefix: str = "", nested: bool = False
    ) -> Self:
        """Validate a raw config.

        `defaults` are the class defaults of this model_type. They fill optional fields; required ones only when
        `nested`, since composite configs store their parts as differences from the class.

        Raises:
            ConfigError: naming every missing or wrong field at once.
        """
        fields = cls.fields()
        keys = {name: key for name in fields if (key := cls.key_of(name, raw)) is not None}
        data: dict[str, Any] = {name: raw[key] for name, key in keys.items()}
        taken: dict[str, object] = {}
        for name, field in fields.items():
            if name not in data and name in defaults and (nested or not field.required):
                data[name] = taken[name] = defaults[name]
        data["model_type"] = raw.get("model_type", "")
        values = cls._plain(data, keys, prefix)
        if values is None:
            values = cls._validated(data, keys, prefix)
        for name, field in fields.items():
            # A default of ours, for a field that the class does not have, is no default of the class.
            if name not in data and not field.required and (field.default is None or not defaults):
                taken[name] = field.default
        config = cls(values)
        config.__dict__.update(_taken=taken, _keys=keys, _prefix=prefix)
        return config

    @classmethod
    def _plain(cls, data: Mapping[str, Any], keys: Mapping[str, str], prefix: str) -> dict[str, Any] | None:
        """All values, if each one has the type of its field as it stands, and none is missing."""
        values = {}
        for name, field in cls.fields().items():
            if name in data:
                values[name] = value = field.read(data[name], prefix + keys.get(name, name))
                if value is ODD:
                    return None
            elif field.required:
                return None
        return values

    @classmethod
    def plain(cls, value: Any, label: str) -> object:
        """A config inside another, if its values are of their types as they stand; ODD otherwise."""
        values = cls._plain(value, {}, f"{label}.") if type(value) is dict else None
        return ODD if values is None else cls(values)

    @classmethod
    def _validated(cls, data: Mapping[str, Any], keys: Mapping[str, str], prefix: str) -> dict[str, Any]:
        from pydantic import ValidationError

        try:
            return cls._by_pydantic(data, keys, prefix)
        except ValidationError as error:
            raise _config_error(str(data["model_type"]), error, cls, keys, prefix) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic import PlainValidator

        def config(value: object, info: ValidationInfo) -> BaseConfig:
            return cls(cls._by_pydantic(value, {}, f"{label_of(info)}."))

        return PlainValidator(config).__get_pydantic_core_schema__(Any, handler)

    @classmethod
    def _by_pydantic(cls, data: object, keys: Mapping[str, str], prefix: str) -> dict[str, Any]:
        model = cls._model().model_validate(data, context={"labels": (keys, prefix)})
        return {name: getattr(model, name) for name in model.model_fields_set}

    @classmethod
    @cache
    def _model(cls) -> type[BaseModel]:
        """What validates the values that are not plainly of their types."""
        from pydantic import ConfigDict, create_model

        options = ConfigDict(strict=True, protected_namespaces=(), arbitrary_types_allowed=True, allow_inf_nan=False)
        fields: dict[str, Any] = {
            name: (field.annotation, ... if field.required else field.default) for name, field in cls.fields().items()
        }
        return create_model(cls.__name__, __config__=options, **fields)

    @classmethod
    def key_of(cls, name: str, raw: Mapping[str, Any]) -> str | None:
        """The key that a field has in `raw`, None where it has none."""
        if name not in cls.aliases:
            return name if name in raw else None
        found = [key for key in (*cls.aliases[name], name) if key in raw]
        return next((key for key in found if raw[key] is not None), found[0] if found else None)


def _config_error(
    model_type: str, error: ValidationError, cls: type[BaseConfig], keys: Mapping[str, str], prefix: str
) -> ConfigError:
    found: dict[str, tuple[int, str]] = {}
    for problem in error.errors(include_url=False, include_context=False, include_input=True):
        head, *rest = problem["loc"] or ("",)
        known = cls.aliases.get(str(head), ())
        key = prefix + keys.get(str(head), known[0] if known else str(head))
        members = [i for i, part in enumerate(rest) if isinstance(part, str) and MEMBER.match(part)]
        inside = [part for i, part in enumerate(rest) if i not in members]
        path = key + _path(inside)
        if problem["type"] == "missing":
            others = " or ".join(name for name in (*known, str(head)) if prefix + name != key) if not rest else ""
            line = f"{path}: missing, and required{f' (or {others})' if others else ''}"
        elif problem["type"] == "size":
            line = f"{path}: {problem['msg']}"
        else:
            line = f"{path}: {MUST.get(problem['type'], problem['msg'].lower())}, got {shown(problem['input'])}"
        # A union refuses a value once for each of its members: the one that comes furthest is meant.
        place = key + _path(rest[: members[0]]) if members else path
        if len(inside) > found.get(place, (-1, ""))[0]:
            found[place] = (len(inside), line)
    lines = [line for _, line in found.values()]
    more = f"; and {len(lines) - MOST} more" if len(lines) > MOST else ""
    return ConfigError(f"not a valid {model_type} config: " + "; ".join(lines[:MOST]) + more)


def _path(parts: Sequence[int | str]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
