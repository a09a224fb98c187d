"""Names that published configs use: model types and keys of transformers, and keys that engines and trainers write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from ffncalc import architectures
from ffncalc.architectures import MODULES
from ffncalc.schema import BaseConfig

COMPARED = 1_000  # unknown keys that are compared with known ones; a config has a handful

# What a field of one name is called elsewhere; the family's own aliases come first.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "hidden_size": ("n_embd", "d_model", "dim", "model_dim"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers", "num_transformer_layers"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads"),
    "num_key_value_heads": ("num_kv_heads", "n_kv_heads", "n_head_kv"),
    "intermediate_size": ("n_inner", "d_ff", "ffn_dim", "ffn_hidden_size"),
    "vocab_size": ("padded_vocab_size",),
    "head_dim": ("d_kv", "attention_head_dim", "kv_channels"),
    "num_experts": ("n_routed_experts", "num_local_experts", "moe_num_experts", "num_routed_experts"),
    "num_experts_per_tok": ("num_experts_per_token", "moe_topk", "moe_top_k", "moe_k", "num_selected_experts"),
    "n_group": ("num_expert_group", "n_groups_routed"),
    "hidden_act": ("hidden_activation", "activation_function", "activation", "ffn_act", "mlp_hidden_act"),
    "max_position_embeddings": ("n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx"),
    "dtype": ("torch_dtype",),
}

# Keys with sizes and layouts that a count depends on: a name close to one of these is worth a question.
BEARING = frozenset({
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size",
    "vocab_size", "head_dim", "num_experts", "num_local_experts", "n_routed_experts", "num_experts_per_tok",
    "moe_intermediate_size",
    "shared_expert_intermediate_size", "n_shared_experts", "first_k_dense_replace", "kv_lora_rank", "q_lora_rank",
    "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "layer_types", "sliding_window", "tie_word_embeddings",
    "max_position_embeddings", "hidden_act", "attention_bias", "mlp_bias", "decoder_sparse_step", "mlp_only_layers",
    "num_nextn_predict_layers", "n_group", "topk_group", "rope_scaling", "rope_theta", "partial_rotary_factor",
    "architectures", "model_type", "text_config", "vision_config", "quantization_config",
    "n_embd", "n_layer", "n_head", "n_inner", "n_positions", "d_model", "d_ff", "d_kv", "num_layers", "num_heads",
})  # fmt: skip

OTHER_KEYS = frozenset({
    "top_k", "top_p", "temperature", "do_sample", "max_new_tokens", "num_beams", "repetition_penalty",
    "unsloth_version", "unsloth_fixed", "quantization", "quantization_config", "compression_config", "auto_map",
    "custom_pipelines",
    "pretraining_tp", "use_cache", "task_specific_params", "transformers_version", "transformers.js_config",
    "torch_dtype", "dtype", "mm_hidden_size", "mm_vision_tower",
    "ep_size", "moe_layer_freq", "num_ctx", "seq_length", "onnx", "finetuning_task", "language_model_type",
})  # fmt: skip


@cache
def _names() -> dict[str, frozenset[str]]:
    found = json.loads(resources.files("ffncalc.checks").joinpath("known.json").read_bytes())
    return {name: frozenset(values) for name, values in found.items()}


def model_types() -> frozenset[str]:
    """Every model_type of transformers."""
    return _names()["types"]


@cache
def classes() -> dict[str, str]:
    """Every class that transformers loads, by its name in small letters."""
    return {name.lower(): name for name in sorted(_names()["classes"])}


@cache
def keys() -> frozenset[str]:
    """Every key that some config of transformers, an engine or a trainer has."""
    return _names()["keys"] | OTHER_KEYS | BEARING


@cache
def family(model_type: str) -> type[BaseConfig] | None:
    """The fields of a supported model type; None for any other."""
    if model_type not in MODULES:
        return None
    found: type[BaseConfig] = architectures.module(model_type).Config
    return found


@cache
def family_keys(model_type: str) -> frozenset[str]:
    """Keys that a supported model type reads, with all their spellings."""
    config = family(model_type)
    if config is None:
        return frozenset()
    return frozenset(config.fields()) | {key for names in config.aliases.values() for key in names}


def unknown(raw: Mapping[str, Any], model_type: str) -> list[str]:
    """The keys of a config that are in no config that is known."""
    return [key for key in raw if is_unknown(key, model_type)]


@lru_cache(4096)
def near(key: str, model_type: str) -> tuple[str, ...]:
    """Keys with a meaning that an unknown one is at most two letters away from, nearest first; () for a known one."""
    if not is_unknown(key, model_type):
        return ()
    limit = 1 if len(key) < 9 else 2
    word, letters = key.lower(), _letters(key.lower())
    found = sorted(
        (distance(word, name, limit), name)
        for length in range(len(key) - limit, len(key) + limit + 1)
        for name, others in _wanted(model_type).get(length, ())
        if (letters & ~others).bit_count() <= limit and (others & ~letters).bit_count() <= limit
    )
    return tuple(name for far, name in found if far <= limit and not _other_word(word, name))


def is_unknown(key: str, model_type: str) -> bool:
    """Whether a key is in no config that is known, and long enough to be told from another."""
    return len(key) >= 5 and not key.startswith("_") and key not in keys() and key not in family_keys(model_type)


@cache
def _wanted(model_type: str) -> dict[int, list[tuple[str, int]]]:
    """Keys that may be meant, by length, each with its letters."""
    found: dict[int, list[tuple[str, int]]] = {}
    for name in BEARING | {name for name in family_keys(model_type) if len(name) > 5}:
        found.setdefault(len(name), []).append((name, _letters(name)))
    return found


def _letters(word: str) -> int:
    """The set of characters of a word as bits; every character that one word lacks costs a letter of distance."""
    bits = 0
    for letter in word:
        bits |= 1 << ord(letter) % 128
    return bits


def _other_word(left: str, right: str) -> bool:
    """Whether two keys differ by a word rather than by letters: lora_rank and q_lora_rank, mlp_size and moe_size."""
    a, b = left.split("_"), right.split("_")
    if len(a) != len(b):
        return set(a) <= set(b) or set(b) <= set(a)
    return any(x != y and distance(x, y, 2) > max(1, min(len(x), len(y)) // 3) for x, y in zip(a, b, strict=True))


def distance(left: str, right: str, limit: int) -> int:
    """Letters to insert, drop, change or swap with the next one; anything above `limit` is `limit` + 1.

    >>> distance("intermedate_size", "intermediate_size", 2), distance("lama", "llama", 1), distance("gpt", "bert", 1)
    (1, 1, 2)
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
