"""The heads do not divide the width, and no head_dim says how wide they are.

Rounding down gives a plausible wrong size. An explicit head_dim is right whatever the width: most recent models have
heads × head_dim ≠ hidden_size.

Bad: {"num_attention_heads": 30, "num_key_value_heads": 10, "head_dim": null}
Good: {"num_attention_heads": 30, "num_key_value_heads": 10, "head_dim": 128}
Source: transformers computes head_dim as hidden_size // num_attention_heads
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.divisors import divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR
OTHERWISE = (
    "kv_lora_rank",
    "attention_head_size",
    "qk_rope_head_dim",
    "head_size",
    "kv_channels",
    "d_kv",
    "attn_config",
)


def check(subject: Subject) -> Iterator[Fault]:
    towers = (each for each in subject.towers if {"hidden_size", "num_attention_heads"} <= each.raw.keys())
    for part in (*subject.text, *towers):
        width, heads = part.size("hidden_size"), part.size("num_attention_heads")
        if width is None or heads is None or part.get("head_dim") is not None or width % heads == 0:
            continue
        if any(part.get(field) for field in OTHERWISE) or part.given("num_attention_heads") is None:
            continue
        at, other = part.at("hidden_size"), part.at("num_attention_heads")
        good = [n for n in divisors(width) if n < 4 * heads]
        near = min(good, key=lambda n: abs(n - heads))
        yield Fault(
            other,
            f"{at} {width} is not a multiple of {other} {heads}",
            f"Write {'' if part in subject.towers else 'the width of a head as head_dim, or '}{near} heads.",
            also=(at,),
        )
