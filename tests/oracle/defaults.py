"""Write ffncalc/architectures/defaults.json: what transformers' config classes assume for absent keys.

    python tests/oracle/defaults.py             every supported type that transformers knows
    python tests/oracle/defaults.py qwen3 …     these
    python tests/oracle/defaults.py --check     compare instead of writing; exit 1 on a difference

Only the fields that the family's own Config reads, as the class declares them (not as an instance resolves them).
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "ffncalc" / "architectures" / "defaults.json"


def declared(config_class: Any) -> dict[str, Any]:
    """Defaults as written in the class: dataclass fields first, else the signature."""
    if dataclasses.is_dataclass(config_class):
        return {f.name: f.default for f in dataclasses.fields(config_class) if f.default is not dataclasses.MISSING} | {
            f.name: f.default_factory()
            for f in dataclasses.fields(config_class)
            if f.default_factory is not dataclasses.MISSING
        }
    parameters = inspect.signature(config_class.__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def defaults(model_type: str) -> dict[str, Any]:
    import transformers

    from ffncalc import architectures

    if model_type not in transformers.CONFIG_MAPPING:
        return {}
    theirs, ours = transformers.CONFIG_MAPPING[model_type], architectures.module(model_type).Config
    values, aliases = declared(theirs), dict(getattr(theirs, "attribute_map", {}))
    found = {}
    for field in ours.fields():
        names = (field, *ours.aliases.get(field, ()))
        key = next((k for name in names for k in (name, aliases.get(name, "")) if k in values), None)
        if key is not None and field not in ("architectures", "model_type"):
            value = list(values[key]) if isinstance(values[key], tuple) else values[key]
            if isinstance(value, bool | int | float | str | list | None) or key.endswith("_config"):
                found[field] = value
    return {field: value for field, value in sorted(found.items()) if value is not None or field in REQUIRED_NULLS}


REQUIRED_NULLS: set[str] = {"q_lora_rank"}  # fields without a default in our schema, for which null is a value


def render(table: dict[str, dict[str, Any]]) -> str:
    rows = [f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table)]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main(args: list[str]) -> int:
    from ffncalc import architectures

    names = [name for name in args if not name.startswith("--")] or list(architectures.MODULES)
    found = {name: defaults(name) for name in names}
    table: dict[str, dict[str, Any]] = json.loads(TARGET.read_bytes())  # late: others may have written meanwhile
    for name in names:
        table.pop(name, None)
        if found[name]:
            table[name] = found[name]
    text = render(table)
    if "--check" in args:
        return int(TARGET.read_text() != text)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
