"""Keys whose values are no sizes: what each can be, wherever it stands in the file."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from ffncalc.checks.rules.file import sizes
from ffncalc.checks.subject import Subject, shown

FLAGS = frozenset({
    "add_cross_attention", "attention_bias", "is_decoder", "is_encoder_decoder", "mlp_bias", "multi_query",
    "new_decoder_architecture", "norm_topk_prob", "parallel_attn", "qkv_bias", "scale_embedding",
    "tie_word_embeddings", "use_bias", "use_cache", "use_sliding_window",
})  # fmt: skip
TEXT = frozenset({"dtype", "torch_dtype"})
SHARE, POSITIVE = "between 0 and 1", "above 0"
NUMBERS = {
    **dict.fromkeys(("rope_theta", "rope_local_base_freq", "rotary_emb_base"), POSITIVE),
    **dict.fromkeys(("global_rope_theta", "local_rope_theta"), POSITIVE),
    **dict.fromkeys(("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon"), SHARE),
    **dict.fromkeys(("partial_rotary_factor", "rotary_pct"), SHARE),
    **dict.fromkeys(("attention_dropout", "hidden_dropout", "hidden_dropout_prob", "resid_pdrop", "embd_pdrop"), SHARE),
    **dict.fromkeys(("attention_probs_dropout_prob", "attn_pdrop", "dropout"), SHARE),
    **dict.fromkeys(("factor", "original_max_position_embeddings"), POSITIVE),
}
ROPE = ("rope_scaling", "rope_parameters", "full_attention", "sliding_attention")


class Wrong(NamedTuple):
    """A field, what is wrong, and whether the type is, rather than the number."""

    field: str
    message: str
    is_type: bool


def wrong(subject: Subject) -> Iterator[Wrong]:
    """Every impossible value; null is not given."""
    for field, key, value in sizes.entries(subject, ROPE):
        rule, is_type = ("", True) if value is None else _broken(key, value)
        if rule:
            yield Wrong(field, f"{field} must be {rule}, got {shown(value)}", is_type)


def _broken(key: str, value: object) -> tuple[str, bool]:
    """The rule that a value breaks ("": none), and whether by its type."""
    if key in FLAGS:
        return ("" if isinstance(value, bool) else "true or false"), True
    if key in TEXT:
        return ("" if isinstance(value, str | dict) else "text"), True  # some name one for each part
    if key.endswith("_token_id"):
        each = value if isinstance(value, list) else [value]
        return ("" if all(sizes.is_whole(one) for one in each) else "an integer or a list of integers"), True
    if key in NUMBERS and not isinstance(value, list | dict):  # some families have a value for each layer
        return _number(key, value)
    return "", True


def _number(key: str, value: object) -> tuple[str, bool]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "a number", True
    rule = NUMBERS[key]
    fits = 0 <= value <= 1 if rule == SHARE else 0 < value < inf
    return ("" if fits else rule), False
