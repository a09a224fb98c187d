"""The supported model types."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ffncalc.architectures import MODULES, model_type_of
from ffncalc.source import bundled


@dataclass(frozen=True, kw_only=True)
class Arch:
    """A model type, the module that describes it, and the bundled configs of that type."""

    model_type: str
    module: str
    configs: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """The type in JSON."""
        return {"model_type": self.model_type, "module": self.module, "configs": list(self.configs)}


def archs() -> tuple[Arch, ...]:
    """All supported types, sorted."""
    configs: dict[str, list[str]] = {}
    for name, path in bundled.entries():
        configs.setdefault(model_type_of(json.loads(path.read_bytes())), []).append(name)
    return tuple(
        Arch(model_type=name, module=module, configs=tuple(configs.get(name, ())))
        for name, module in sorted(MODULES.items())
    )
