"""The shared base of all configs: typed fields, aliases, class defaults, errors that name the key in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, PrivateAttr, ValidationError, ValidationInfo
from pydantic_core import PydanticCustomError

from ffncalc.errors import ConfigError, shown
from ffncalc.formula import Num

LARGEST = 10**9  # the largest size a field may have; no published one comes near
MOST = 25  # the most problems that one error names
DEEPEST = 10_000  # the most layers a model may have
PARTS = 1_000  # the most parts of one kind inside a layer or module; each is looked at


def _whole(value: object, info: ValidationInfo, lowest: int, highest: int) -> Num:
    """An integer between the bounds, labelled with its key in the file; 64.0 is 64, True and "64" are not."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= highest:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise PydanticCustomError("size", "must be an integer, got {got}", {"got": shown(value)})
    if not lowest <= value <= highest:
        rule = (
            "must be a positive integer" if lowest == 1 and value < 1 else f"must be between {lowest} and {highest:,}"
        )
        raise PydanticCustomError("size", "{rule}, got {got}", {"rule": rule, "got": shown(value)})
    if isinstance(value, Num):
        return value
    context: Mapping[str, Any] = info.context or {}
    name = info.field_name or ""
    return Num(value, context.get("prefix", "") + context.get("keys", {}).get(name, name))


def _size(value: object, info: ValidationInfo) -> int:
    return _whole(value, info, 1, LARGEST)


def _count(value: object, info: ValidationInfo) -> int:
    return _whole(value, info, 0, LARGEST)


def _auto(value: object, info: ValidationInfo) -> int | str:
    return "auto" if value == "auto" else _size(value, info)


def _depth(value: object, info: ValidationInfo) -> int:
    return _whole(value, info, 1, DEEPEST)


def _repeats(value: object, info: ValidationInfo) -> int:
    return _whole(value, info, 0, PARTS)


def _few(value: object, info: ValidationInfo) -> int:
    return _whole(value, info, 1, PARTS)


Size = Annotated[int, PlainValidator(_size)]  # a dimension: positive
Count = Annotated[int, PlainValidator(_count)]  # a number of things: zero is allowed
AutoSize = Annotated[int | str, PlainValidator(_auto)]  # a dimension, or "auto": worked out from others
Few = Annotated[int, PlainValidator(_few)]  # a number of parts inside a layer or module: positive, bounded
Repeats = Annotated[int, PlainValidator(_repeats)]  # the same, and zero is allowed
Ratio = Annotated[float, Field(ge=0.001, le=1000)]  # one width over another
Depth = Annotated[int, PlainValidator(_depth)]  # a number of layers: positive, and bounded since each is looked at


class BaseConfig(BaseModel):
    """A config of one family. Unknown keys are ignored here and reported by `check`.

    A field without a default is required. `aliases` maps a field to the keys it may have in the file, the first
    one that is not null counts; the field's own name is always accepted, last.
    """

    # defer_build: only the class that a file needs is compiled, not those it inherits from
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        protected_namespaces=(),
        arbitrary_types_allowed=True,
        defer_build=True,
        allow_inf_nan=False,
    )

    aliases: ClassVar[dict[str, tuple[str, ...]]] = {}

    model_type: str = ""
    architectures: list[str] | None = None

    _taken: dict[str, object] = PrivateAttr(default_factory=dict)
    _keys: dict[str, str] = PrivateAttr(default_factory=dict)
    _prefix: str = PrivateAttr(default="")

    @property
    def taken(self) -> dict[str, object]:
        """Fields absent from the file, with the class default that was used."""
        return self._taken

    def key(self, field: str) -> str:
        """The key that `field` has in the file, with the place of a nested config before it."""
        return self._prefix + self._keys.get(field, field)

    @property
    def architecture(self) -> str:
        """The first class named in `architectures`, or ""."""
        return self.architectures[0] if self.architectures else ""

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
        keys = {name: key for name in cls.model_fields if (key := cls.key_of(name, raw)) is not None}
        data: dict[str, Any] = {name: raw[key] for name, key in keys.items()}
        taken: dict[str, object] = {}
        for name, info in cls.model_fields.items():
            if name not in data and name in defaults and (nested or not info.is_required()):
                data[name] = taken[name] = defaults[name]
        data["model_type"] = raw.get("model_type", "")
        try:
            config = cls.model_validate(data, context={"keys": keys, "prefix": prefix})
        except ValidationError as error:
            raise _config_error(str(raw.get("model_type", "")), error, cls, keys, prefix) from None
        for name, info in cls.model_fields.items():
            # A default of ours, for a field that the class does not have, is no default of the class.
            if name not in data and not info.is_required() and (info.default is None or not defaults):
                taken[name] = info.default
        config._taken, config._keys, config._prefix = taken, keys, prefix
        return config

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
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=True):
        head, *rest = problem["loc"] or ("",)
        known = cls.aliases.get(str(head), ())
        key = prefix + keys.get(str(head), known[0] if known else str(head))
        path = key + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
        if problem["type"] == "missing":
            lines.append(f"{path}: missing, and required")
        elif problem["type"] == "size":
            lines.append(f"{path}: {problem['msg']}")
        else:
            lines.append(f"{path}: {problem['msg'].lower()}, got {shown(problem['input'])}")
    more = f"; and {len(lines) - MOST} more" if len(lines) > MOST else ""
    return ConfigError(f"not a valid {model_type} config: " + "; ".join(lines[:MOST]) + more)
