"""`dtype` and `torch_dtype` say different things, or something that is no dtype of torch.

The new name and the old one are read by different versions. Loaders take the names of torch only: `bfloat16`, not
`bf16` or `torch.bfloat16`.

Bad: {"dtype": "float16", "torch_dtype": "bfloat16"}
Good: {"torch_dtype": "bfloat16"}, without dtype
Source: transformers 4.56 renamed torch_dtype to dtype; PreTrainedConfig looks the name up in torch
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.formats import dtype
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, shown
from ffncalc.errors import UsageError

SEVERITY = Severity.WARNING
NAMES = frozenset(
    {
        "auto",
        "bfloat16",
        "double",
        "float",
        "float16",
        "float32",
        "float4_e2m1fn_x2",
        "float64",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "half",
        "int8",
        "uint8",
    }
)  # what torch calls the dtypes of weights
USUAL = 'Write what the weights are stored in, such as "bfloat16"; how they are quantised is for quantization_config.'


def check(subject: Subject) -> Iterator[Fault]:
    for prefix, raw in (("", subject.raw), *((part.prefix, part.raw) for part in subject.text if part.prefix)):
        new, old = raw.get("dtype"), raw.get("torch_dtype")
        if isinstance(new, str) and isinstance(old, str) and _plain(new) != _plain(old):
            at = f"{prefix}torch_dtype"
            yield Fault(
                at, f"{at} is {shown(old)}, but dtype is {shown(new)}", "Keep dtype only.", also=(f"{prefix}dtype",)
            )
        for key, value in (("dtype", new), ("torch_dtype", old)):
            if isinstance(value, str) and value not in NAMES:
                meant = _plain(value)
                hint = f'Write "{meant}".' if meant in NAMES else USUAL
                yield Fault(prefix + key, f"{prefix}{key} {shown(value)} is no dtype that torch has for weights", hint)


def _plain(name: str) -> str:
    """The full name of a dtype that has several, in small letters."""
    try:
        return dtype(name)
    except UsageError:
        return name.lower()
