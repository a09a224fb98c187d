"""A rank or a head width of latent attention is zero or negative.

A latent of no width carries nothing, and loaders accept it. q_lora_rank may be null: queries are projected directly.

Base: deepseek-ai/DeepSeek-V3
Bad: {"kv_lora_rank": 0}
Good: {"kv_lora_rank": 512}
Source: https://arxiv.org/abs/2405.04434
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, shown, whole

SEVERITY = Severity.ERROR
FIELDS = ("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        if part.given("kv_lora_rank") is None:
            continue
        for field in FIELDS:
            value = part.given(field)
            if value is not None and whole(value, 1) is None and not (field == "qk_nope_head_dim" and value == 0):
                hint = "Write null for queries without a latent." if field == "q_lora_rank" else "Write its width."
                yield Fault(part.at(field), f"{part.at(field)} must be a positive integer, got {shown(value)}", hint)
