"""Which model types have rotary positions, and how much of a head is rotated where the file does not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ffncalc.checks.subject import Part

# The share of a head that the class rotates by default, where it is not the whole head.
SHARES = {
    "bamba": 0.5, "fuyu": 0.5, "glm": 0.5, "glm4": 0.5, "glm4_moe": 0.5, "glm4v_moe_text": 0.5, "gpt_neox": 0.25,
    "mimo_v2_flash": 0.334, "nemotron": 0.5, "persimmon": 0.5, "phi": 0.5, "qwen3_5_moe_text": 0.25,
    "qwen3_5_text": 0.25, "qwen3_next": 0.25, "recurrent_gemma": 0.5, "stablelm": 0.25,
}  # fmt: skip
# The class has rotary positions, whatever the file says.
ALWAYS = SHARES.keys() | frozenset({
    "Emu3", "afmoe", "apertus", "arcee", "aria_text", "bitnet", "chameleon", "cohere", "cohere2", "cwm",
    "dbrx", "deepseek", "diffllama", "doge", "dots1", "emu3_text_model", "ernie4_5", "ernie4_5_moe", "esmc",
    "eurobert", "exaone", "exaone4", "exaone_moe", "falcon_h1", "flex_olmo", "gemma", "gemma2", "gemma3_text",
    "gemma3n_text", "gemma4_text", "glm4v_text", "glm_ocr_text", "gpt_neox_japanese", "gpt_oss", "granite",
    "granite4_vision_text", "granite_swa", "granitemoe", "granitemoeshared", "gte", "helium", "hunyuan_v1_dense",
    "hunyuan_v1_moe", "hy_v3", "hyperclovax", "internlm", "internlm2", "internlm3", "iquestcoder", "jais2",
    "jetmoe", "jina_embeddings_v3", "laguna", "lfm2", "lfm2_moe", "llama", "llama4_text", "mimo", "minicpm",
    "minimax", "minimax_m1", "minimax_m2", "ministral", "ministral3", "mistral", "mixtral", "mllama_text_model",
    "modernbert", "modernbert-decoder", "nanochat", "nomic_bert", "olmo", "olmo2", "olmo3", "olmoe", "openelm",
    "orion", "paddleocr_vl_text", "phi3", "phi4_multimodal", "phimoe", "qwen", "qwen2", "qwen2_5_omni_text",
    "qwen2_5_vl_text", "qwen2_moe", "qwen2_vl_text", "qwen3", "qwen3_moe", "qwen3_omni_moe_text", "qwen3_vl_moe_text",
    "qwen3_vl_text", "roformer", "sarvam_moe", "seed_oss", "smollm3", "solar_open", "starcoder2", "step3p5",
    "telechat", "vaultgemma", "voxtral_realtime_text", "xverse",
})  # fmt: skip
# A field of the file decides, and rotates with this value.
CHOSEN = {
    "esm": ("position_embedding_type", "rotary"),
    "falcon": ("alibi", False),
    "RefinedWeb": ("alibi", False),
    "RefinedWebModel": ("alibi", False),
    "granitemoehybrid": ("position_embedding_type", "rope"),
}
KEYS = ("rope_theta", "rope_scaling", "rope_parameters", "rotary_pct")
NEVER = frozenset({"jamba", "nemotron_h", "zamba", "zamba2", "olmo_hybrid", "kimi_linear"})  # some keep the keys
FACTORS = ("partial_rotary_factor", "rotary_pct", "rotary_emb_fraction")


class Share(NamedTuple):
    """A share of a head, and the field that gives it: "" for the class default."""

    value: float
    at: str = ""


def rotates(part: Part) -> bool:
    """Whether heads are rotated: always, never, or as the file says."""
    kind = part.model_type
    if kind in CHOSEN:
        field, value = CHOSEN[kind]
        return (part.given(field) or False) == value
    if kind in ALWAYS:
        return True
    return kind not in NEVER and any(part.get(key) is not None for key in KEYS)


def shares(part: Part) -> Iterator[Share]:
    """The shares of a head that are rotated: one, or one for each kind of layer."""
    default = Share(SHARES.get(part.model_type, 1.0))
    outer = next((share for key in FACTORS if (share := _share(part.raw.get(key), part.prefix + key))), default)
    nested = next((key for key in ("rope_parameters", "rope_scaling") if isinstance(part.given(key), Mapping)), "")
    table = part.given(nested) if nested else {}
    kinds = [key for key, value in table.items() if isinstance(value, Mapping)]
    for key in kinds or [""]:
        place = f"{part.prefix}{nested}.{key}.".replace("..", ".")
        entry = table[key] if key else table
        if entry.get("rope_type") == "proportional":  # rotates a whole number of pairs of any share
            yield Share(1.0)
        else:
            yield _share(entry.get("partial_rotary_factor"), f"{place}partial_rotary_factor") or outer


def _share(value: object, at: str) -> Share | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1
    return Share(float(value), at) if fits and isinstance(value, int | float) else None
