"""A layer type that nobody has.

Which attention a layer runs is read from this list; an unknown word is an error in some loaders, full attention in
others.

Base: google/gemma-3-1b-it
Bad: {"num_hidden_layers": 2, "layer_types": ["sliding_atention", "full_attention"]}
Good: {"num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]}
Source: transformers, configuration_utils.py: ALLOWED_LAYER_TYPES
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, shown
from ffncalc.errors import nearest

SEVERITY = Severity.ERROR
KNOWN = {
    "layer_types": frozenset({
        "full_attention", "sliding_attention", "chunked_attention", "linear_attention", "conv", "mamba", "attention",
        "recurrent", "hybrid", "moe", "sparse", "dense", "compressed_sparse_attention", "heavily_compressed_attention",
        "global_attention", "local_attention", "minimax_m3_sparse", "mamba2", "mlp", "kda", "gated_delta", "rwkv",
        "hybrid_mamba", "hybrid_sliding", "no_attention", "deepseek_sparse_attention",
    }),
    "mlp_layer_types": frozenset({"dense", "sparse", "moe", "hash_moe"}),
}  # fmt: skip


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        for field, words in KNOWN.items():
            for i, value in enumerate(part.items(field) or ()):
                if not isinstance(value, str) or value not in words:
                    near = nearest(value, words) if isinstance(value, str) else []
                    hint = f"Did you mean {near[0]!r}?" if near else f"Write one of {', '.join(sorted(words))}."
                    yield Fault(f"{part.at(field)}[{i}]", f"{shown(value)} is no kind of layer", hint)
                    break
