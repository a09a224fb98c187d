"""Write ffncalc/checks/known.json: the model types that transformers has, and every key that its config classes know.

python tests/oracle/known.py     (needs torch and transformers)
"""

from __future__ import annotations

import json
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


def main() -> None:
    """Collect and write."""
    from transformers import CONFIG_MAPPING, PretrainedConfig  # here, since pytest imports every module of tests/

    keys = keys_of(PretrainedConfig)
    for name in CONFIG_MAPPING:
        keys |= keys_of(CONFIG_MAPPING[name])
    plain = sorted(key for key in keys if key.isidentifier() and not key.startswith("_"))
    types = sorted(CONFIG_MAPPING)
    TARGET.write_text(json.dumps({"types": types, "keys": plain}, separators=(",\n", ": ")) + "\n")
    print(f"{len(types)} types, {len(plain)} keys")


if __name__ == "__main__":
    main()
