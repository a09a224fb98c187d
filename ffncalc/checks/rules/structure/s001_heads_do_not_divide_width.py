"""The heads do not divide the width, and no head_dim says how wide they are.

Rounding down gives a plausible wrong size. An explicit head_dim is right whatever the width: most recent models have
heads × head_dim ≠ hidden_size.

Bad: {"num_attention_heads": 30, "num_key_value_heads": 10, "head_dim": null}
Good: {"num_attention_heads": 30, "num_key_value_heads": 10, "head_dim": 128}
Source: transformers computes head_dim as hidden_size // num_attention_heads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.ERROR
TOWERS = ("vision_config.", "audio_config.")
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
    for part in (*subject.text, *_towers(subject)):
        width, heads = part.size("hidden_size"), part.size("num_attention_heads")
        if width is None or heads is None or part.get("head_dim") is not None or width % heads == 0:
            continue
        if any(part.get(field) for field in OTHERWISE) or part.given("num_attention_heads") is None:
            continue
        at, other = part.at("hidden_size"), part.at("num_attention_heads")
        good = [n for n in range(1, 4 * heads) if width % n == 0]
        near = min(good, key=lambda n: abs(n - heads))
        yield Fault(
            other,
            f"{at} {width} is not a multiple of {other} {heads}",
            f"Write {'' if part.prefix in TOWERS else 'the width of a head as head_dim, or '}{near} heads.",
            also=(at,),
        )


def _towers(subject: Subject) -> Iterator[Part]:
    """Configs of vision and audio, where they spell width and heads as language models do."""
    for prefix in TOWERS:
        raw = subject.raw.get(prefix.rstrip("."))
        if isinstance(raw, Mapping) and "hidden_size" in raw and "num_attention_heads" in raw:
            yield Part(raw, prefix, str(raw.get("model_type") or ""))
