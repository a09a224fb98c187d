"""Changing a config without copying it: `--set KEY=VALUE`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from ffncalc import api, architectures, quantity
from ffncalc.errors import FfncalcError, UsageError, nearest, shown
from ffncalc.ir import Model
from ffncalc.origin import PARSED
from ffncalc.schema import BaseConfig
from ffncalc.source import Loaded, dialects

TEXT_PARTS = ("text_config", "llm_config", "language_config")  # where composites keep the language model
ABSENT = object()
ANY = frozenset({NoneType, bool, int, float, list, dict, str})
WORDS = {
    NoneType: "null",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    list: "a JSON list",
    dict: "a JSON object",
    str: "a word",
}

Kinds = frozenset[type]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One field that was set: its dotted key in the file, and its value before (ABSENT: none) and after.

    `read`: the family has such a field; without, it is a key that only the file has.
    """

    key: str
    before: object
    after: object
    read: bool = True

    def __str__(self) -> str:
        before = "unset" if self.before is ABSENT else shown(self.before)
        return f"{self.key}: {before} → {shown(self.after)}"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """One object of a config: the keys it may have, and those it has. `path` leads to it from the top."""

    path: tuple[str, ...]
    raw: Mapping[str, Any]
    classes: tuple[type[BaseConfig], ...] = ()
    known: Mapping[str, Kinds] = field(default_factory=dict)

    def names(self) -> list[str]:
        """All keys that can be set here."""
        own = (name for c in self.classes for name in (*c.fields(), *(a for row in c.aliases.values() for a in row)))
        return list(dict.fromkeys((*self.raw, *self.known, *own)))

    def target(self, key: str) -> tuple[str, Kinds, bool] | None:
        """The key of the file that `key` means, its types, and whether the family reads it; None for an unknown one."""
        if key in self.known:
            return key, self.known[key], True
        for config_class in self.classes:
            for name, info in config_class.fields().items():
                if key in (name, *config_class.aliases.get(name, ())):
                    return config_class.key_of(name, self.raw) or key, kinds(info.annotation), True
        return (key, _kinds_like(self.raw[key]), False) if key in self.raw else None


def apply(raw: Mapping[str, Any], assignments: Iterable[str]) -> tuple[Mapping[str, Any], tuple[Change, ...]]:
    """A config with `KEY=VALUE` assignments applied in turn, and what they changed; `raw` itself stays as it is.

    A key may be a field of the family, an alias of one, or any key of the file; dots lead into nested objects, and a
    key that only the language model of a composite has is found there. Values are typed like the field.

    Raises:
        UsageError: an unknown key (with the nearest), or a value that the field cannot have.
        FfncalcError: the family of the config is not known.
    """
    changes = []
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set {assignment}: expected KEY=VALUE", "For example --set intermediate_size=16384")
        scope, name, allowed, read = _find(raw, key.strip())
        dotted_key = ".".join((*scope.path, name))
        value = convert(text.strip(), allowed, dotted_key)
        change = Change(key=dotted_key, before=scope.raw.get(name, ABSENT), after=value, read=read)
        raw = _with(raw, (*scope.path, name), value)
        changes.append(change)
    return raw, tuple(changes)


def idle(raw: Mapping[str, Any], assignments: Sequence[str], model: Model) -> Iterator[str]:
    """A note on each assignment without which `model`, that of the changed config, would be the same."""
    _, changes = apply(raw, assignments)
    for i, change in enumerate(changes):
        if change.key in (later.key for later in changes[i + 1 :]):
            continue
        if change.after == change.before:
            yield f"{change.key} is {shown(change.after)} already"
            continue
        try:
            rest, _ = apply(raw, [*assignments[:i], *assignments[i + 1 :]])
            same = _counted(api.describe(Loaded(rest, PARSED))) == _counted(model)
        except FfncalcError:  # it is needed
            continue
        if same:
            why = "" if change.read else f": nothing that is counted for model type {model.model_type} reads it"
            yield f"{change.key} changes no number{why or ' of this config'}"


def _counted(model: Model) -> Model:
    """What numbers come from: a model without what is only said about it."""
    return replace(model, notes=(), defaults=(), origin=PARSED, name="")


def convert(text: str, allowed: Kinds, key: str) -> object:
    """`text` as one of the `allowed` types.

    Raises:
        UsageError: it is none of them.
    """
    if NoneType in allowed and text.lower() in ("null", "none"):
        return None
    if bool in allowed and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        if number in allowed and (value := _number(text, number)) is not None:
            return value
    if allowed & {list, dict} and text[:1] in ("[", "{") and (parsed := _json(text, allowed)) is not None:
        return parsed
    if str in allowed:
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    expected = " or ".join(word for kind, word in WORDS.items() if kind in allowed)
    raise UsageError(f"--set {key}: expected {expected}, got {text!r}", quantity.FORMS if int in allowed else "")


def kinds(annotation: Any) -> Kinds:
    """The plain types behind the annotation of a field."""
    origin = get_origin(annotation)
    if annotation is Any:
        return ANY
    if origin is Annotated:
        return kinds(get_args(annotation)[0])
    if origin is Literal:
        return frozenset(type(value) for value in get_args(annotation))
    if origin in (list, tuple):
        return frozenset({list})
    if origin is dict:
        return frozenset({dict})
    if origin is not None:  # a union
        return frozenset[type]().union(*(kinds(part) for part in get_args(annotation)))
    return frozenset({annotation}) & ANY or ANY


def _kinds_like(value: object) -> Kinds:
    """The types that may replace a value whose field is not known; null always may."""
    if value is None:
        return ANY
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return frozenset({NoneType, int, float} if number else {NoneType, type(value)})


def _number(text: str, kind: type) -> int | float | None:
    try:
        return quantity.parse(text)
    except UsageError:
        if kind is int:
            return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _json(text: str, allowed: Kinds) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) in allowed else None


def _find(raw: Mapping[str, Any], dotted: str) -> tuple[Scope, str, Kinds, bool]:
    """The scope that a key belongs to, its name there, its types, and whether the family reads it."""
    *path, name = dotted.split(".")
    scopes = list(_scopes(raw))
    chosen = [s for s in scopes if s.path == tuple(path)] if path else [s for s in scopes if _is_text(s.path)]
    for scope in chosen:
        if (target := scope.target(name)) is not None:
            return scope, *target
    known = [".".join((*s.path, key)) for s in scopes for key in s.names()]
    bare = [key for s in scopes if _is_text(s.path) for key in s.names()]
    near = nearest(dotted, dict.fromkeys([*known, *bare]), 1)
    hint = f"Did you mean {near[0]}?" if near else "`ffncalc params --explain` shows the fields that count."
    raise UsageError(f"--set {dotted}: this config has no such field", hint)


def _scopes(raw: Mapping[str, Any]) -> Iterator[Scope]:
    """The top of a config and every object nested in it, the outer ones first."""
    if dialects.is_params(raw):
        yield from _params_scopes(raw)
        return
    model_type = architectures.model_type_of(raw)
    yield Scope(path=(), raw=raw, classes=_classes(model_type, *(() if _has_text(raw) else (f"{model_type}_text",))))
    yield from _nested(raw, (), model_type)


def _nested(raw: Mapping[str, Any], path: tuple[str, ...], model_type: str) -> Iterator[Scope]:
    for key, value in raw.items():
        if isinstance(value, Mapping) and len(path) < 3:
            part = key.removesuffix("_config")
            names = (str(value.get("model_type") or ""), f"{model_type}_{part}")
            found = next((classes for name in names if (classes := _classes(name))), ())
            if not found and key in TEXT_PARTS:
                found = _classes("llama")
            yield Scope(path=(*path, key), raw=value, classes=found)
            yield from _nested(value, (*path, key), names[0] or model_type)


def _params_scopes(raw: Mapping[str, Any]) -> Iterator[Scope]:
    integer = frozenset({int})
    known = dict.fromkeys((*dialects.SIZES, "multiple_of"), integer)
    flags = dict.fromkeys(dialects.FLAGS, frozenset({bool}))
    yield Scope(path=(), raw=raw, known={**known, **flags, "ffn_dim_multiplier": frozenset({NoneType, float})})
    if isinstance(raw.get("moe"), Mapping):
        yield Scope(path=("moe",), raw=raw["moe"], known=dict.fromkeys(dialects.EXPERTS, integer))


def _classes(*model_types: str) -> tuple[type[BaseConfig], ...]:
    return tuple(architectures.module(name).Config for name in model_types if name in architectures.MODULES)


def _has_text(raw: Mapping[str, Any]) -> bool:
    return any(isinstance(raw.get(part), Mapping) for part in TEXT_PARTS)


def _is_text(path: tuple[str, ...]) -> bool:
    """Whether a bare key may mean one in this scope."""
    return not path or path[-1] in TEXT_PARTS


def _with(raw: Mapping[str, Any], path: tuple[str, ...], value: object) -> dict[str, Any]:
    """A copy of `raw` that has `value` at the end of `path`."""
    head, *rest = path
    return {**raw, head: _with(raw[head], tuple(rest), value) if rest else value}
