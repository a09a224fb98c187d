"""Names and shapes as a published checkpoint has them, from a model that transformers holds in memory.

`revert_weight_conversion` undoes what loading does, with two exceptions for models built from a config, as it
cannot know what the file had: prefixes that loading drops are not put back, and experts that may be stored either way
round are left as they are. What the published files have is written down here.
"""

from __future__ import annotations

import re
from typing import Any

# Prefixes that transformers drops while loading, and that every published checkpoint of their classes has.
STORED_PREFIXES = {"text_model", "vision_model"}  # CLIP and SigLIP towers

# Kimi Linear's conversion moves `block_sparse_moe` to `mlp`; its reverse also moves the dense layers, which are `mlp`.
DENSE = re.compile(r"block_sparse_moe\.((?:gate|up|down)_proj)")

# Where transformers' own way back does not lead to the published names: patterns by model type, in this order.
ONCE = [(r"^(text|vision)_model\.\1_model\.", r"\1_model.")]  # both towers in one model
CORRECTIONS: dict[str, list[tuple[str, str]]] = {
    "clip": ONCE,
    "clip_text_model": ONCE,
    "deepseek_v4": [
        (r"^model\.", ""),
        (r"^embed_tokens\.", "embed."),
        (r"^hc_head\.hc_", "hc_head_"),
        (r"\.attn\.norm\.", ".attn.kv_norm."),
    ],
    "esm": [(r"LayerNorm\.gamma$", "LayerNorm.weight"), (r"LayerNorm\.beta$", "LayerNorm.bias")],
    "kimi_k25": [
        (r"^language_model\.model\.blocks\.", "language_model.model.layers."),
        (r"^model\.mm_projector\.", "mm_projector."),
        (r"^vision_tower\.encoder\.patch_embed\.", "vision_tower.patch_embed."),
        (r"\.self_wqkv\.", ".self_attn.q_proj."),
    ],
    "qwen3_asr": [  # as the first files have it, one level down
        (r"^lm_head\.", "thinker.lm_head."),
        (r"^model\.language_model\.", "thinker.model."),
        (r"^model\.multi_modal_projector\.linear_(\d)\.", r"thinker.audio_tower.proj\1."),
        (r"^model\.audio_tower\.", "thinker.audio_tower."),
    ],
    "siglip": ONCE,
}


def conversions(model: Any) -> list[Any]:
    """The weight conversions of a model, without the changes of prefix that its published checkpoint does not need."""
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.core_model_loading import PrefixChange

    found = get_model_conversion_mapping(model, add_legacy=False)
    kept = [c for c in found if not isinstance(c, PrefixChange) or c.prefix_to_remove in STORED_PREFIXES]
    for conversion in kept:
        for operation in getattr(conversion, "operations", None) or ():
            if hasattr(operation, "check_dims"):
                operation.check_dims = False  # Qwen3-VL-MoE publishes [experts, in, out]
    return kept


def stored(model: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The tensors of `state` under their checkpoint names, in their checkpoint shapes."""
    from transformers.core_model_loading import revert_weight_conversion

    model._weight_conversions = conversions(model) or None
    found = revert_weight_conversion(model, state)
    if model.config.model_type == "olmo_hybrid":
        found = olmo_hybrid(found)
    return {corrected(model.config.model_type, name): tensor for name, tensor in found.items()}


def olmo_hybrid(found: dict[str, Any]) -> dict[str, Any]:
    """The way back cuts the convolution into equal parts, and renames a norm of the attention layers too."""
    repaired = {}
    for name, tensor in found.items():
        layer, _, leaf = name.rpartition("feedforward_layer_norm.")
        if layer and f"{layer}self_attn.q_proj.weight" in found:
            name = f"{layer}post_attention_layernorm.{leaf}"
        if "_conv1d." in name:
            tensor = tensor.new_empty(found[name.replace("_conv1d.", "_proj.")].shape[0], *tensor.shape[1:])
        repaired[name] = tensor
    return repaired


def corrected(model_type: str, name: str) -> str:
    """The published name where the reverted one is not it."""
    for pattern, replacement in CORRECTIONS.get(model_type, ()):
        name = re.sub(pattern, replacement, name)
    return DENSE.sub(r"mlp.\1", name)


def ties(model: Any) -> dict[str, str]:
    """What is tied to what, both by checkpoint name."""
    state = model.state_dict()

    def renamed(name: str) -> str:
        return next(iter(stored(model, {name: state[name]})), name) if name in state else name

    found: dict[str, str] = dict(getattr(model, "all_tied_weights_keys", None) or {})
    return {renamed(name): renamed(target) for name, target in found.items()}
