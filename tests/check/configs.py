"""Configs for tests of `check`: bundled ones with something changed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ffncalc.api import load
from ffncalc.checks.doc import doc
from ffncalc.checks.examine import examine
from ffncalc.checks.finding import Finding
from ffncalc.checks.lock import entry
from ffncalc.checks.lock_file import Lock
from ffncalc.checks.settings import DEFAULT, Settings, parse
from ffncalc.source import bundled

LLAMA = "meta-llama/Llama-3.1-8B"
QWEN_MOE = "Qwen/Qwen3-30B-A3B"
DEEPSEEK = "deepseek-ai/DeepSeek-V3"
GEMMA = "google/gemma-2-9b"
ABSENT = object()


def config(name: str) -> dict[str, Any]:
    """A bundled config."""
    path = bundled.find(name)
    assert path is not None, name
    raw: dict[str, Any] = json.loads(path.read_bytes())
    return raw


def changed(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A config with some keys set, nested ones one by one, and those that are ABSENT taken out."""
    new = dict(raw)
    for key, value in changes.items():
        if value is ABSENT:
            new.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(new.get(key), Mapping):
            new[key] = changed(new[key], value)
        else:
            new[key] = value
    return new


def example(base: str, text: str) -> bytes:
    """The file of an example in a rule's documentation: `{"a": 1}, without b, c`, or a whole file for "none".

    `as UTF-16` at the end is how it is written.
    """
    if text.endswith(" as UTF-16"):
        return example(base, text.removesuffix(" as UTF-16")).decode().encode("utf-16")
    if base == "none":
        return text.encode()
    found, _, without = re.sub(r"^without ", ", without ", text).partition(", without ")
    changes = json.loads(found) if found else {}
    changes |= dict.fromkeys((key.strip() for key in without.split(",") if key.strip()), ABSENT)
    return json.dumps(changed(config(base), changes), indent=2).encode()


def settings(text: str) -> Settings:
    """Settings as ffncalc.toml has them; several are separated by semicolons."""
    return parse(tomllib.loads(text.replace(";", "\n")), "test") if text else DEFAULT


def settings_of(code: str) -> Settings:
    """The settings of a rule's examples; those of the lock file's rules are words."""
    text = doc(code).settings
    if text == "a lock file of the unchanged config":
        return replace(DEFAULT, lock=Lock({"config.json": entry(load(doc(code).base))}))
    return replace(DEFAULT, lock=Lock()) if text == "an empty lock file" else settings(text)


def found(raw: Mapping[str, Any], **options: Any) -> tuple[Finding, ...]:
    """What is found in a config."""
    return examine(json.dumps(raw, indent=2).encode(), "config.json", DEFAULT.with_options(**options))


def errors(raw: Mapping[str, Any], **options: Any) -> list[str]:
    """Codes and fields of the errors in a config."""
    return [f"{f.code} {f.field}" for f in found(raw, **options) if f.severity == "error"]
