"""Write ffncalc/checks/known.json: the model types and classes of transformers, and every key its config classes know.

python tests/oracle/known.py     (needs torch and transformers)
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from inspect import signature
from pathlib import Path

TARGET = Path(__file__).parents[2] / "ffncalc" / "checks" / "known.json"


def keys_of(config_class: type) -> set[str]:
    """Names that a config class takes or renames."""
    names = {f.name for f in fields(config_class)} if is_dataclass(config_class) else set()
    for owner in config_class.__mro__:
        names |= set(vars(owner).get("attribute_map", {})) | set(vars(owner).get("__annotations__", {}))
    return names | set(signature(config_class).parameters)


def classes() -> set[str]:
    """Names of the classes that its Auto classes load."""
    from transformers.models.auto import modeling_auto

    tables = [table for name, table in vars(modeling_auto).items() if re.fullmatch(r"MODEL\w*_MAPPING_NAMES", name)]
    found = [name for table in tables for name in table.values()]
    return {each for name in found for each in ([name] if isinstance(name, str) else name)}


def main() -> None:
    """Collect and write."""
    from transformers import CONFIG_MAPPING, PretrainedConfig  # here, since pytest imports every module of tests/

    keys = keys_of(PretrainedConfig)
    for name in CONFIG_MAPPING:
        keys |= keys_of(CONFIG_MAPPING[name])
    plain = sorted(key for key in keys if key.isidentifier() and not key.startswith("_"))
    types = sorted(CONFIG_MAPPING)
    found = {"types": types, "keys": plain, "classes": sorted(classes())}
    TARGET.write_text(json.dumps(found, separators=(",\n", ": ")) + "\n")
    print(f"{len(types)} types, {len(plain)} keys, {len(found['classes'])} classes")


if __name__ == "__main__":
    main()
