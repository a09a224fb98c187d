"""The supported model types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ffncalc.architectures import MODULES, model_type_of
from ffncalc.source import bundled


@dataclass(frozen=True, kw_only=True)
class Arch:
    """A model type, the module that describes it, and the bundled configs that hold it."""

    model_type: str
    module: str
    configs: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """The type in JSON."""
        return {"model_type": self.model_type, "module": self.module, "configs": list(self.configs)}


def archs() -> tuple[Arch, ...]:
    """All supported types, sorted; parts of composite models (towers, text models) have types of their own."""
    configs: dict[str, list[str]] = {}
    for name, path in bundled.entries():
        for model_type in dict.fromkeys(_types(json.loads(path.read_bytes()))):
            configs.setdefault(model_type, []).append(name)
    return tuple(
        Arch(model_type=name, module=module, configs=tuple(configs.get(name, ())))
        for name, module in sorted(MODULES.items())
    )


def _types(raw: Mapping[str, Any]) -> Iterator[str]:
    """The model type of a config, and those of the configs inside it."""
    yield model_type_of(raw)
    for part in raw.values():
        if isinstance(part, Mapping) and isinstance(part.get("model_type"), str):
            yield from _types(part)
