"""A list with a value per layer is shorter or longer than the model.

Code that walks both drops the rest without a word. Longer by exactly the layers of multi-token prediction is a
warning: these follow after the last layer.

Base: Qwen/Qwen3-Next-80B-A3B-Instruct
Bad: {"layer_types": ["full_attention", "full_attention"]}
Good: {"num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"]}
Source: transformers compares the length of layer_types with num_hidden_layers
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.ERROR
PER_LAYER = (
    "layer_types",
    "mlp_layer_types",
    "layers_block_type",
    "hybrid_override_pattern",
    "no_rope_layers",
    "block_configs",
    "hybrid_layer_pattern",
    "moe_layer_freq",
    "attn_type_list",
    "activation_sparsity_pattern",
    "intermediate_size",
    "intermediate_sizes",
    "indexer_types",
)


def check(subject: Subject) -> Iterator[Fault]:
    refused = {trouble.field for trouble in subject.troubles if "integer" in trouble.message}
    for part in subject.text:
        layers = part.size("num_hidden_layers")
        if layers is None:
            continue
        for field in {part.at(name): name for name in reversed(PER_LAYER)}.values():  # two names may be one list
            value = part.given(field)
            if part.at(field).endswith("hybrid_override_pattern") and isinstance(value, str):
                value = list(value.replace("|", ""))
            if part.at(field) in refused:  # the family has one value for all layers
                continue
            if isinstance(value, list) and value and len(value) != layers and not _own(part, field):
                yield _fault(part, field, len(value), layers)


def _own(part: Part, field: str) -> bool:
    """Types that have no stack of so many layers, or that take the field for something else."""
    return field == "no_rope_layers" and any(isinstance(v, int) and v > 1 for v in part.given(field))


def _fault(part: Part, field: str, entries: int, layers: int) -> Fault:
    at, other = part.at(field), part.at("num_hidden_layers")
    extra = part.count("num_nextn_predict_layers") or part.count("mtp_num_hidden_layers") or 0
    message = f"{at} has {entries} entries, but {other} is {layers}"
    if extra and entries == layers + extra:
        return Fault(
            at,
            f"{message}: the rest is for the {extra} layers of multi-token prediction",
            f"Some loaders want {layers} entries.",
            severity=Severity.WARNING,
            also=(other,),
        )
    return Fault(at, message, f"Write one entry per layer: {layers}.", also=(other,))
