"""What a rule looks at: the file, its raw config, the language model in it, and the described model if there is one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ffncalc import api, architectures, source
from ffncalc.architectures import MODULES
from ffncalc.checks import known
from ffncalc.checks.budgets import Limits, Share
from ffncalc.checks.document import Document
from ffncalc.checks.finding import Fault
from ffncalc.checks.lock import Entry
from ffncalc.checks.lock_file import Lock, lock_of
from ffncalc.checks.settings import Settings
from ffncalc.errors import ConfigError, FfncalcError, FileError, UnsupportedModel, shown
from ffncalc.formula import Num
from ffncalc.ir import Model
from ffncalc.origin import PARSED
from ffncalc.schema import BaseConfig
from ffncalc.source import dialects

NESTED = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "language_model_config",
    "text_model_config",
)
SPLIT = re.compile(r"; (?=[\w.\[\]]+(?:, [\w.]+)*: )")


class Trouble(NamedTuple):
    """One thing that keeps a config from being counted: the field ("" where none is named), and what is wrong."""

    field: str
    message: str
    hint: str = ""


class Part:
    """A config of one stack of layers: the file itself, or the language model nested in it.

    Fields are named as in transformers' Llama; `get` finds them under any spelling and falls back on the class
    default, `given` looks at the file only.
    """

    def __init__(self, raw: Mapping[str, Any], prefix: str, model_type: str) -> None:
        self.raw, self.prefix, self.model_type = raw, prefix, model_type
        self.family = known.family(model_type)
        self.defaults = architectures.defaults().get(model_type, {})
        self._keys: dict[str, str | None] = {}

    def key(self, field: str) -> str | None:
        """The key that a field has in this part of the file, without the prefix."""
        if field not in self._keys:
            self._keys[field] = self._key(field)
        return self._keys[field]

    def _key(self, field: str) -> str | None:
        names = (field, *known.SPELLINGS.get(field, ()))
        if self.family is not None:
            own = (self.family.key_of(name, self.raw) for name in names if name in self.family.fields())
            found = next((key for key in own if key is not None), None)
            if found is not None:
                return found
        present = [name for name in names if name in self.raw]
        return next((name for name in present if self.raw[name] is not None), present[0] if present else None)

    def at(self, field: str) -> str:
        """The field as the file spells it, with the prefix."""
        key = self.key(field)
        if key is None:
            return self.prefix + field
        value = self.raw[key]
        label = value.label if isinstance(value, Num) else ""
        return self.prefix + (label or key)

    def given(self, field: str) -> Any:
        """The value in the file; None where there is none."""
        key = self.key(field)
        return None if key is None else self.raw[key]

    def get(self, field: str) -> Any:
        """The value in the file, or the class default; None where there is neither."""
        key = self.key(field)
        if key is not None:
            return self.raw[key]
        return self.defaults.get(field)

    def size(self, field: str) -> int | None:
        """The value as a positive integer; None for anything else."""
        return whole(self.get(field), 1)

    def count(self, field: str) -> int | None:
        """The value as an integer of at least 0; None for anything else."""
        return whole(self.get(field), 0)

    def items(self, field: str) -> list[Any] | None:
        """The value where it is a list; None for anything else."""
        value = self.get(field)
        return value if isinstance(value, list) else None


def whole(value: object, lowest: int) -> int | None:
    """`value` where it is an integer from `lowest` to a billion; 64.0 is 64."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= 10**9:
        return None
    return value


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One config file under check.

    `text` are the configs of language models in it, innermost last; `model` is None where it cannot be described.
    `unread` says why the file holds no config; then `raw` is empty.
    """

    path: str
    document: Document
    settings: Settings
    unread: FileError | None = None

    @property
    def raw(self) -> Mapping[str, Any]:
        """The JSON object as it stands in the file."""
        return self.document.raw

    @cached_property
    def translated(self) -> Mapping[str, Any]:
        """The same in the Hub's words, for a params.json; what cannot be translated stays as it is."""
        try:
            return source.translate(self.raw)
        except FfncalcError:
            return self.raw

    @property
    def is_params(self) -> bool:
        """Whether the file is a params.json, whose keys are not those of the Hub."""
        return dialects.is_params(self.raw)

    @cached_property
    def model_type(self) -> str:
        """The model type, named or told by the class; "" where neither does."""
        return type_of(self.translated)

    @cached_property
    def text(self) -> tuple[Part, ...]:
        """Configs of language models: those nested, then the file itself where it has sizes or nests none."""
        nested = tuple(_nested(self.translated, "", self.model_type))
        if nested and not any(key in self.translated for key in ("hidden_size", "num_hidden_layers", "n_embd")):
            return nested
        return (*nested, Part(self.translated, "", self.model_type))

    @property
    def main(self) -> Part:
        """The config of the language model."""
        return self.text[0]

    @cached_property
    def towers(self) -> tuple[Part, ...]:
        """Configs of vision and audio beside the language model."""
        found = ((key, self.raw.get(key)) for key in ("vision_config", "audio_config"))
        return tuple(Part(raw, f"{key}.", type_of(raw)) for key, raw in found if isinstance(raw, Mapping))

    @cached_property
    def outcome(self) -> Model | FfncalcError:
        """The described model, or why there is none."""
        if self.unread is not None:
            return self.unread
        try:
            return api.describe(source.Loaded(self.raw, PARSED))
        except FfncalcError as error:
            return error

    @property
    def model(self) -> Model | None:
        """The described model."""
        return self.outcome if isinstance(self.outcome, Model) else None

    @cached_property
    def uncounted(self) -> Fault | None:
        """Why it cannot be counted, at the field that is in the way; None where it is counted."""
        if isinstance(self.outcome, Model):
            return None
        message = self.outcome.message.removeprefix(f"{self.path}: ").rstrip(".")
        named = isinstance(self.outcome, UnsupportedModel) and "model_type" in message
        return Fault("model_type" if named else "", message, self.outcome.hint)

    @cached_property
    def lock(self) -> Lock | None:
        """The lock that this file is held to; None where there is no lock file, and for what is no file itself."""
        if self.settings.lock is not None or not os.path.isfile(self.path):
            return self.settings.lock
        return lock_of(Path(self.path).parent)

    @cached_property
    def locked(self) -> Entry | None:
        """What is locked for this file."""
        name = None if self.lock is None else self.lock.name_of(self.path)
        return None if self.lock is None or name is None else self.lock.files.get(name)

    @cached_property
    def _limits(self) -> Limits:
        return self.settings.limits(self.path)

    def limit(self, name: str) -> int | None:
        """The budget of that name, a whole number; None where there is none."""
        found = self._limits.get(name)
        return found if isinstance(found, int) else None

    def limit_of_share(self, name: str) -> Share | None:
        """The budget of that name, a share of the FFN; None where there is none."""
        found = self._limits.get(name)
        return found if isinstance(found, Share) else None

    @cached_property
    def config(self) -> BaseConfig | None:
        """The typed config of the family."""
        try:
            return architectures.parse(self.translated)
        except FfncalcError:
            return None

    @cached_property
    def troubles(self) -> tuple[Trouble, ...]:
        """What keeps the config from being counted, field by field; () where it is counted or not supported."""
        error = self.outcome
        if not isinstance(error, ConfigError):
            return ()
        message = re.sub(r"^not a valid .*?(?:config|params\.json): ", "", error.message)
        found = [
            re.fullmatch(r"(?:([\w.\[\]]+)(?:, [\w.]+)*: )?(.*)", line, re.DOTALL) for line in SPLIT.split(message)
        ]
        return tuple(Trouble(self._placed(m[1] or "", m[2]), m[2], error.hint) for m in found if m)

    def _placed(self, field: str, message: str) -> str:
        """The field with the place of the nested config that has it, where the file itself does not."""
        if message.startswith("missing"):  # it is said where the family looks for it
            return field
        key = field.partition(".")[0].partition("[")[0]
        if key in self.translated:
            return field
        inner = [part for part in (*self.text, *self.towers) if part.prefix]
        found = next((part for part in inner if key in part.raw), None)
        if found is None and "." not in field and key not in known.family_keys(self.model_type):
            found = next((part for part in inner if key in known.family_keys(part.model_type)), None)
        return field if found is None else found.prefix + field


def type_of(raw: Mapping[str, Any]) -> str:
    """The model type of a config, "" where neither model_type nor class tell it."""
    try:
        return architectures.model_type_of(raw)
    except FfncalcError:
        return ""


def _nested(raw: Mapping[str, Any], prefix: str, model_type: str) -> Iterator[Part]:
    for key in NESTED:
        inner = raw.get(key)
        if isinstance(inner, Mapping):
            named = inner.get("model_type")
            guesses = (named, f"{model_type}_text", "llama" if model_type.startswith("llava") else "")
            own = next((guess for guess in guesses if isinstance(guess, str) and guess in MODULES), "")
            deeper = tuple(_nested(inner, f"{prefix}{key}.", own))
            yield from deeper
            if not deeper:
                yield Part(inner, f"{prefix}{key}.", own or (named if isinstance(named, str) else ""))


__all__ = ["Part", "Subject", "Trouble", "shown", "whole"]
