"""Keys whose values are sizes, wherever they stand in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffncalc.checks.document import child
from ffncalc.checks.subject import Subject
from ffncalc.schema import DEEPEST, LARGEST

# Never zero: a model without it is none.
POSITIVE = frozenset({
    "hidden_size", "vocab_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
    "intermediate_size", "moe_intermediate_size", "max_position_embeddings", "n_embd", "n_layer", "n_head",
    "n_positions", "d_model", "d_ff", "d_kv", "num_heads", "decoder_sparse_step", "interleave_moe_layer_step",
    "n_group", "topk_group",
})  # fmt: skip
# Zero says that there are none.
COUNTS = frozenset({
    "num_experts", "num_local_experts", "n_routed_experts", "num_experts_per_tok", "n_shared_experts",
    "num_shared_experts", "shared_expert_intermediate_size", "shared_intermediate_size", "first_k_dense_replace",
    "num_nextn_predict_layers", "type_vocab_size", "rotary_dim",
})  # fmt: skip
LAYERS = frozenset({"num_hidden_layers", "n_layer"})
PARTS = (
    "text_config", "llm_config", "language_config", "thinker_config", "vision_config", "audio_config", "encoder",
    "decoder",
)  # fmt: skip
SINGLE = frozenset({"vocab_size", "max_position_embeddings", "n_group", "topk_group", "num_nextn_predict_layers"})


def fields(subject: Subject) -> Iterator[tuple[str, object]]:
    """(field, value) of every size that is given, in the file and in the configs nested in it; null is not given."""
    for field, key, value in entries(subject):
        if value is not None and (key in POSITIVE or key in COUNTS):
            yield field, value


def entries(subject: Subject, tables: tuple[str, ...] = ()) -> Iterator[tuple[str, str, object]]:
    """(field, key, value) of every entry of the file, of the configs nested in it, and of those `tables` in them."""
    todo: list[tuple[str, object]] = [("", subject.raw)]
    while todo:
        prefix, table = todo.pop()
        if not isinstance(table, dict):
            continue
        for key, value in table.items():
            if key in PARTS or key in tables:
                todo.append((child(prefix, key), value))
            else:
                yield child(prefix, key), key, value


def last(field: str) -> str:
    """The key itself."""
    return field.rpartition(".")[2]


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; 64.0 is one, true is none."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def may_differ(field: str, value: object) -> bool:
    """Whether some family writes the field in another form: a value per layer or stage. Its own Config decides."""
    return isinstance(value, list) and last(field) not in SINGLE


def is_of_wrong_type(message: str) -> bool:
    """Whether what a family says of a value has to do with its type: it wants a whole number and got none."""
    return re.match(r"must be a positive integer, got (?!-?\d+$)", message) is not None


def limits(field: str) -> tuple[int, int]:
    """The smallest and the largest value of a size."""
    return (0 if last(field) in COUNTS else 1), (DEEPEST if last(field) in LAYERS else LARGEST)
