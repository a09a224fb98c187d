"""A rule that says which layers have experts names layers that are not there, or a step of zero.

Loaders accept it, and the model has dense or sparse layers where none were meant. So it is with the step from one
layer of full attention to the next: a warning where the file lists its layers and the step is not needed.

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
    "moe_layer_interval", "moe_layer_freq", "sliding_window_pattern", "_sliding_window_pattern",
    "full_attention_interval",
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
        yield from _range(part, layers)
        for field in LISTS:
            for i, value in enumerate(part.items(field) or ()):
                if whole(value, 0) is None or value >= layers:
                    at = f"{part.at(field)}[{i}]"
                    yield Fault(
                        at, f"{at} is {shown(value)}, but layers are numbered 0 to {layers - 1}"[:160], "Take it out."
                    )
                    break


def _range(part: Part, layers: int) -> Iterator[Fault]:
    """The first and the last layer with experts, where -1 is the last of all."""
    start, end = (whole(part.given(f"moe_layer_{which}_index"), -(10**9)) for which in ("start", "end"))
    last = layers - 1
    if start is not None and not 0 <= start <= last:
        at = part.at("moe_layer_start_index")
        yield Fault(at, f"{at} is {start}, but layers are numbered 0 to {last}", f"Write 0 to {last}.")
    if end is None or end == -1:
        return
    at = part.at("moe_layer_end_index")
    if not 0 <= end <= last:
        yield Fault(
            at, f"{at} is {end}, but layers are numbered 0 to {last}", f"Write 0 to {last}, or -1 for the last."
        )
    elif start is not None and end < start <= last:
        other = part.at("moe_layer_start_index")
        yield Fault(at, f"{at} is {end}, before {other} {start}: no layer has experts", also=(other,))


def _steps(part: Part) -> Iterator[Fault]:
    for field in STEPS:
        value = part.given(field)
        if isinstance(value, int) and not isinstance(value, bool) and value < 1 and not _off(part, field, value):
            unused = "sliding" in field and isinstance(part.given("layer_types"), list)
            message = f"{part.at(field)} must be at least 1, got {value}"
            severity = Severity.WARNING if unused else None
            yield Fault(part.at(field), message, "1 means every layer.", severity=severity)
    for field, period in OFFSETS.items():
        offset, length = whole(part.given(field), -(10**9)), part.size(period)
        if offset is not None and length is not None and not 0 <= offset < length:
            at = part.at(field)
            yield Fault(at, f"{at} is {offset}, outside {part.at(period)} {length}", f"Write 0 to {length - 1}.")


def _off(part: Part, field: str, value: int) -> bool:
    """Zero switches these off; EXAONE writes it beside a window that is null, and lists its layers."""
    if "sliding" in field:
        listed = isinstance(part.given("layer_types"), list)
        return value == 0 and listed and part.model_type.startswith("exaone") and part.get("sliding_window") is None
    return value == 0 and field in ("moe_layer_interval", "full_attention_interval")
