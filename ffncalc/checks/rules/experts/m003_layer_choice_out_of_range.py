"""A rule that says which layers have experts names layers that are not there, or a step of zero.

Loaders accept it, and the model has dense or sparse layers where none were meant.

Base: Qwen/Qwen3-30B-A3B
Bad: {"mlp_only_layers": [99]}
Good: {"mlp_only_layers": [0]}
Source: transformers, models/qwen3_moe and models/deepseek_v3
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, shown, whole

SEVERITY = Severity.ERROR
LISTS = ("mlp_only_layers", "moe_layers")
STEPS = (
    "decoder_sparse_step", "interleave_moe_layer_step", "expert_layer_period", "attn_layer_period",
    "moe_layer_interval", "moe_layer_freq", "sliding_window_pattern", "full_attention_interval",
)  # fmt: skip
OFFSETS = {"expert_layer_offset": "expert_layer_period", "attn_layer_offset": "attn_layer_period"}


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        layers = part.size("num_hidden_layers")
        yield from _steps(part)
        if layers is None:
            continue
        first = whole(part.given("first_k_dense_replace"), -(10**9))
        if first is not None and not 0 <= first <= layers:
            at = part.at("first_k_dense_replace")
            yield Fault(at, f"{at} is {first}, but there are {layers} layers", f"Write 0 to {layers}.")
        for field in LISTS:
            for i, value in enumerate(part.items(field) or ()):
                if whole(value, 0) is None or value >= layers:
                    at = f"{part.at(field)}[{i}]"
                    yield Fault(
                        at, f"{at} is {shown(value)}, but layers are numbered 0 to {layers - 1}"[:160], "Take it out."
                    )
                    break


def _steps(part: Part) -> Iterator[Fault]:
    for field in STEPS:
        value = part.given(field)
        if isinstance(value, int) and not isinstance(value, bool) and value < 1 and not _off(part, field, value):
            yield Fault(part.at(field), f"{part.at(field)} must be at least 1, got {value}", "1 means every layer.")
    for field, period in OFFSETS.items():
        offset, length = whole(part.given(field), -(10**9)), part.size(period)
        if offset is not None and length is not None and not 0 <= offset < length:
            at = part.at(field)
            yield Fault(at, f"{at} is {offset}, outside {part.at(period)} {length}", f"Write 0 to {length - 1}.")


def _off(part: Part, field: str, value: int) -> bool:
    """Zero switches these off."""
    return value == 0 and field in ("sliding_window_pattern", "moe_layer_interval", "full_attention_interval")
