"""Which file of a folder or repository is the config, and what to say where there is none."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePosixPath

from ffncalc.errors import FfncalcError, FileError, NotFound
from ffncalc.source import foreign, reading

MARKERS = ("params.json", "modules.json", "adapter_config.json", "model_index.json")
Read = Callable[[str], bytes]


def config_in(names: Collection[str], read: Read, where: str, base: str = "") -> str:
    """The name of the config among `names`, the files at `where`, of which `read` gives the bytes.

    `base` is the model that they were made from, where that is known.

    Raises:
        FileError: it is no folder of one model; the message says what it holds.
        NotFound: nothing says what it is.
    """
    for name in ("config.json", "params.json"):
        if name in names:
            return name
    if "modules.json" in names:
        return _transformer(read("modules.json"), names, where)
    raise nothing(names, read, where, base)


def nothing(names: Collection[str], read: Read, where: str, base: str) -> FfncalcError:
    """The error for files without a config."""
    if "adapter_config.json" in names:
        at = f"{where}/adapter_config.json"
        return foreign.adapter(reading.parse(read("adapter_config.json"), at), where)
    if "model_index.json" in names:
        at = f"{where}/model_index.json"
        return foreign.diffusers(reading.parse(read("model_index.json"), at), where)
    hint = f"Give the base model: {base}" if base else "Give the repository that it was made from."
    if weights := sorted(name for name in names if name.lower().endswith(".gguf")):
        more = f" and {len(weights) - 1} more" if len(weights) > 1 else ""
        return FileError(f"{where}: holds GGUF files ({weights[0]}{more}) and no config.json", hint)
    nested = sorted(name for name in names if PurePosixPath(name).name == "config.json")
    if nested:
        return NotFound(f"{where}: no config.json, but {', '.join(nested[:3])}", "Give the one you mean.")
    others = sorted(name for name in names if not name.startswith("."))
    holds = f"; it holds {', '.join(others[:4])}{' …' if len(others) > 4 else ''}" if others else ""
    return NotFound(f"{where}: no config.json{holds}")


def _transformer(modules: bytes, names: Collection[str], where: str) -> str:
    """The config of the Transformer among the modules of a sentence-transformers model."""
    listed = reading.parse_any(modules, f"{where}/modules.json")
    for module in listed if isinstance(listed, list) else []:
        kind, path = (module.get("type"), module.get("path")) if isinstance(module, dict) else (None, None)
        if isinstance(kind, str) and isinstance(path, str) and kind.endswith("Transformer") and ".." not in path:
            inside = f"{path.strip('/')}/config.json" if path.strip("/") else "config.json"
            if inside in names:
                return inside
            raise NotFound(f"{where}: modules.json leads to {inside}, which is not there")
    raise FileError(f"{where}: modules.json names no Transformer, so there is no model to count")
