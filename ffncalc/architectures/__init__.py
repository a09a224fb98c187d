"""Supported model types: which module describes each, and how a raw config becomes a model.

A module has `Config` (its fields) and `build(config) -> Model`; it is imported when its type is first met.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ffncalc.architectures.registry import MODULES as MODULES
from ffncalc.errors import ConfigError, UnsupportedModel, shown
from ffncalc.ir import Model
from ffncalc.schema import BaseConfig

TABLES = ("dense", "moe")  # modules that hold many families, one row each
DRAFTS = re.compile("draft|eagle|medusa", re.IGNORECASE)


@cache
def module(model_type: str) -> ModuleType:
    """The module that describes a model type.

    Raises:
        UnsupportedModel: with the nearest known types.
    """
    try:
        name = MODULES[model_type]
    except KeyError:
        raise UnsupportedModel(model_type, MODULES) from None
    return import_module(f"{__name__}.{name}")


@cache
def defaults() -> dict[str, dict[str, Any]]:
    """What a config class of transformers assumes for absent keys, by model type.

    Written by tests/oracle/defaults.py; types that transformers lacks have their defaults in their own Config.
    """
    found: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("defaults.json").read_bytes())
    return found


def parse(raw: Mapping[str, Any], *, prefix: str = "", nested: bool = False) -> BaseConfig:
    """The typed config of a raw one; `nested` parts of a composite may lack any field (see `BaseConfig.parse`)."""
    model_type = model_type_of(raw, prefix)
    if model_type not in MODULES and (like := _type_of_first_class(raw)):
        raise UnsupportedModel(model_type, MODULES, like)
    config_class: type[BaseConfig] = module(model_type).Config
    own = dict(raw) | {"model_type": model_type}
    return config_class.parse(own, defaults().get(model_type, {}), prefix=prefix, nested=nested)


def build(raw: Mapping[str, Any], *, prefix: str = "", nested: bool = False) -> Model:
    """Describe the model of a raw config.

    Raises:
        UnsupportedModel: the model_type is not known.
        ConfigError: fields are missing, wrong or in conflict.
    """
    config = parse(raw, prefix=prefix, nested=nested)
    try:
        model: Model = module(config.model_type).build(config)
    except ConfigError as error:
        raise _about(error, config, prefix) from None
    named = tuple(
        (prefix + key, value) for key, value in config.taken.items() if key not in ("architectures", "model_type")
    )
    unnamed = () if raw.get("model_type") else (f"model_type is missing: read as {config.model_type}, by its class",)
    notes = (*unnamed, *model.notes, *drafting(config), *contradicting(config))
    return replace(model, defaults=(*named, *model.defaults), notes=notes)


def _about(error: ConfigError, config: BaseConfig, prefix: str) -> ConfigError:
    """The error, with a note for each field that it names whose value is a class default and not in the file."""
    taken = {
        field: config.taken.get(field.removeprefix(prefix)) for field in error.message.partition(":")[0].split(", ")
    }
    notes = (f"{k} is not in the file: {v} is the default of the class" for k, v in taken.items() if type(v) is int)
    return ConfigError("; ".join((error.message, *notes)), error.hint)


def drafting(config: BaseConfig) -> tuple[str, ...]:
    """A note where the class is a draft head of speculative decoding that borrows the model_type of its target."""
    if not DRAFTS.search(config.architecture):
        return ()
    return (
        f"{config.architecture} is a draft head for speculative decoding: counted as a plain {config.model_type}, "
        "without the tensors that it adds or leaves out",
    )


def contradicting(config: BaseConfig) -> tuple[str, ...]:
    """A note where the class is that of another type; names that contain each other are one family (`mt5`, `t5`)."""
    other = type_of_class(config.architecture)
    own = config.model_type
    if other is None or other in own or own in other or MODULES[other] == MODULES[own] not in TABLES:
        return ()
    return (f"architectures names {config.architecture}, a class of {other}: counted as model_type says, {own}",)


@cache
def type_of_class(architecture: str) -> str | None:
    """The known model type that a class is named after, or None."""
    known = {name.replace("_", "").replace("-", ""): name for name in MODULES}
    for end in ("ForCausalLM", "ForMaskedLM", "ForConditionalGeneration", "LMHeadModel", "Model"):
        if architecture.endswith(end) and (name := known.get(architecture.removesuffix(end).lower())):
            return name
    return None


def model_type_of(raw: Mapping[str, Any], prefix: str = "") -> str:
    """The model type a config names, or the one whose class it names in `architectures`.

    Raises:
        ConfigError: it names neither.
    """
    model_type = raw.get("model_type")
    if isinstance(model_type, str) and model_type:
        return model_type
    if model_type is not None:
        raise ConfigError(f"{prefix}model_type: must be a non-empty string, got {shown(model_type)}")
    if name := _type_of_first_class(raw):
        return name
    raise ConfigError(f"{prefix}model_type: missing, and `architectures` does not tell which it is")


def _type_of_first_class(raw: Mapping[str, Any]) -> str | None:
    classes = raw.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes else None
    return type_of_class(first) if isinstance(first, str) else None
