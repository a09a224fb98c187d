"""JSON files of model repositories that are no model config: recognised, and named as what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc.errors import FileError

KINDS: dict[str, tuple[str, ...]] = {  # kind -> keys that only it has; the first match counts
    "a tokenizer config (tokenizer_config.json)": ("tokenizer_class", "added_tokens_decoder", "chat_template"),
    "a processor config (preprocessor_config.json)": (
        "image_processor_type",
        "feature_extractor_type",
        "video_processor_type",
        "processor_class",
    ),
    "an index of weight files (model.safetensors.index.json)": ("weight_map",),
    "a generation config (generation_config.json)": (
        "do_sample",
        "temperature",
        "top_p",
        "max_new_tokens",
        "num_beams",
    ),
    "a timm config": ("pretrained_cfg",),
    "a set of special tokens (special_tokens_map.json)": ("unk_token", "cls_token", "bos_token", "eos_token"),
}
SIZES = ("hidden_size", "n_embd", "d_model", "dim", "num_hidden_layers", "n_layer", "n_layers")


def refuse(raw: Mapping[str, Any], where: str) -> None:
    """Do nothing for what may be a model config.

    Raises:
        FileError: it is another file of a repository; the message says which.
    """
    if raw.get("model_type") or raw.get("architectures") or any(key in raw for key in SIZES):
        return
    if "peft_type" in raw:
        raise adapter(raw, where)
    if "_class_name" in raw:
        raise diffusers(raw, where)
    model = raw.get("model")
    if isinstance(model, Mapping) and "vocab" in model:
        raise _not("a tokenizer (tokenizer.json)", where)
    for kind, keys in KINDS.items():
        if any(key in raw for key in keys):
            raise _not(kind, where)
    if "bos_token_id" in raw and "vocab_size" not in raw:
        raise _not("a generation config (generation_config.json)", where)


def adapter(raw: Mapping[str, Any], where: str) -> FileError:
    """The error for a LoRA (PEFT) adapter, with its base model."""
    base = raw.get("base_model_name_or_path")
    hint = f"Its base model is {base}: give that." if isinstance(base, str) and base else "Give its base model."
    return FileError(f"{where}: this is a LoRA adapter (adapter_config.json), not a model", hint)


def diffusers(raw: Mapping[str, Any], where: str) -> FileError:
    """The error for a diffusers pipeline, or for a part of one that is no Transformer of transformers."""
    name = raw.get("_class_name")
    if isinstance(name, str) and not name.endswith("Pipeline"):
        return FileError(f"{where}: this is the config of a diffusers {name}, which is not described here")
    parts = [
        part
        for part, value in raw.items()
        if isinstance(value, list) and value[:1] == ["transformers"] and str(value[-1]).endswith("Model")
    ]
    hint = f"Give the config.json of one of its parts: {', '.join(parts)}." if parts else ""
    return FileError(f"{where}: this is a diffusers pipeline (model_index.json), not one model", hint)


def _not(kind: str, where: str) -> FileError:
    return FileError(f"{where}: this is {kind}, not a model config", "Give the config.json of the same repository.")
