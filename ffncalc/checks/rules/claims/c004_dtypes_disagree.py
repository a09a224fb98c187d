"""`dtype` and `torch_dtype` say different things.

The new name and the old one are read by different versions.

Bad: {"dtype": "float16", "torch_dtype": "bfloat16"}
Good: {"torch_dtype": "bfloat16"}, without dtype
Source: transformers 4.56 renamed torch_dtype to dtype
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.WARNING
KNOWN = frozenset({
    "auto", "bfloat16", "bf16", "float", "float16", "fp16", "float32", "fp32", "float64", "half", "int8", "uint8",
    "float8_e4m3fn", "float8_e5m2", "fp8", "fp4", "nvfp4",
})  # fmt: skip


def check(subject: Subject) -> Iterator[Fault]:
    for prefix, raw in (("", subject.raw), *((part.prefix, part.raw) for part in subject.text if part.prefix)):
        new, old = raw.get("dtype"), raw.get("torch_dtype")
        if isinstance(new, str) and isinstance(old, str) and _plain(new) != _plain(old):
            at = f"{prefix}torch_dtype"
            yield Fault(
                at, f"{at} is {shown(old)}, but dtype is {shown(new)}", "Keep dtype only.", also=(f"{prefix}dtype",)
            )
        for key, value in (("dtype", new), ("torch_dtype", old)):
            if isinstance(value, str) and _plain(value) not in KNOWN and not subject.raw.get("auto_map"):
                yield Fault(
                    prefix + key, f"{prefix}{key} {shown(value)} is no known type", 'Write "bfloat16" or another.'
                )


def _plain(name: str) -> str:
    return name.lower().removeprefix("torch.")
