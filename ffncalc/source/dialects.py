"""params.json, the config of Meta's and Mistral's own releases, in the words of the Hub.

Sources: github.com/meta-llama/llama-models (models/llama3/model.py, the FFN width),
github.com/mistralai/mistral-inference (args.py, moe.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ffncalc.errors import ConfigError, FileError, shown
from ffncalc.formula import Num, call

SIZES = {  # key of params.json -> key of the Hub
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "vocab_size": "vocab_size",
    "hidden_dim": "intermediate_size",
    "head_dim": "head_dim",
    "sliding_window": "sliding_window",
    "max_position_embeddings": "max_position_embeddings",
    "max_seq_len": "max_position_embeddings",
}
EXPERTS = {"num_experts": "num_local_experts", "num_experts_per_tok": "num_experts_per_tok"}
OPTIONAL = ("head_dim", "sliding_window", "max_position_embeddings", "max_seq_len")
FORMULA = ("multiple_of", "ffn_dim_multiplier")
FLAGS = {"tied_embeddings": "tie_word_embeddings"}
KEYS = (*SIZES, *FORMULA, *FLAGS, "moe")


def is_params(raw: Mapping[str, Any]) -> bool:
    """Whether a config is written as params.json is."""
    return "dim" in raw and "n_layers" in raw and not raw.get("model_type") and not raw.get("architectures")


def translate(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A params.json as a config of llama, mistral or mixtral; anything else as it is.

    The sizes keep their own keys as labels, and the FFN width its formula.

    Raises:
        ConfigError: sizes are missing or wrong.
        FileError: the model has parts that this form of config does not describe well enough to count them.
    """
    if not is_params(raw):
        return raw
    _refuse_parts(raw)
    problems: list[str] = []
    meta = "hidden_dim" not in raw
    sizes = {key: _size(raw, key, problems) for key in SIZES if _wanted(raw, key, meta)}
    moe = raw.get("moe") if isinstance(raw.get("moe"), dict) else {}
    experts = {key: _size(moe, key, problems, "moe.") for key in EXPERTS if moe}
    width = _width(raw, sizes.get("dim"), problems) if meta else None
    if problems:
        raise ConfigError("not a valid params.json: " + "; ".join(problems), _hint(raw))
    config: dict[str, Any] = {SIZES[key]: size for key, size in sizes.items()}
    config |= {EXPERTS[key]: size for key, size in experts.items()}
    config |= {new: raw[key] for key, new in FLAGS.items() if key in raw}
    if meta:
        return config | {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "intermediate_size": width}
    kind, name = ("mixtral", "MixtralForCausalLM") if moe else ("mistral", "MistralForCausalLM")
    config.setdefault("sliding_window", None)
    return config | {"model_type": kind, "architectures": [name]}


def _refuse_parts(raw: Mapping[str, Any]) -> None:
    """What is nested describes a part of its own (vision encoder, Llama 4's experts, latent attention)."""
    parts = [
        key for key, value in raw.items() if isinstance(value, dict) and key not in ("moe", "quantization", "yarn")
    ]
    parts += [key for key in ("q_lora_rank", "kv_lora_rank", "use_biases") if raw.get(key)]
    if parts:
        raise FileError(
            f"params.json: has {', '.join(parts)}, which are not described in this form",
            "Give the config.json of the same model.",
        )


def _wanted(raw: Mapping[str, Any], key: str, meta: bool) -> bool:
    if key == "hidden_dim":
        return not meta
    if key in OPTIONAL or (key == "n_kv_heads" and meta):
        return raw.get(key) is not None
    return True


def _size(raw: Mapping[str, Any], key: str, problems: list[str], prefix: str = "") -> Num | None:
    """The positive integer at `key`, labelled; otherwise a line in `problems`."""
    value = raw.get(key)
    if key not in raw:
        problems.append(f"{prefix}{key}: missing, and required")
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        problems.append(f"{prefix}{key}: must be a positive integer, got {shown(value)}")
    else:
        return Num(value, prefix + key)
    return None


def _width(raw: Mapping[str, Any], dim: Num | None, problems: list[str]) -> Num | None:
    """Meta's FFN width: 2/3 of 4 × dim, times ffn_dim_multiplier, rounded up to a multiple of multiple_of."""
    multiple = _size(raw, "multiple_of", problems)
    multiplier = raw.get("ffn_dim_multiplier")
    if multiplier is not None and not _is_factor(multiplier):
        problems.append(f"ffn_dim_multiplier: must be a positive number, got {shown(multiplier)}")
    elif dim is not None and multiple is not None:
        hidden = 8 * dim // 3
        if multiplier is not None:
            hidden = _scaled(hidden, multiplier)
        return multiple * ((hidden + (multiple - 1)) // multiple)
    return None


def _is_factor(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1000


def _scaled(hidden: Num, factor: float) -> Num:
    """int(factor × hidden) as Meta computes it, in floating point; shown as a fraction where that is the same."""
    value = int(factor * hidden)
    exact = Fraction(str(factor))
    fraction = exact.numerator * hidden // exact.denominator
    return fraction if fraction == value else call(f"int {factor} ×", value, hidden)


def _hint(raw: Mapping[str, Any]) -> str:
    if raw.get("vocab_size") == -1:
        return "-1 means the tokenizer's size, which is not in this file: Llama 1 and 2 have `--set vocab_size=32000`."
    return ""
