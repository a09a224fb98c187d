"""The checkpoint holds layers for multi-token prediction besides the model.

They are not part of the total; sizes quoted for a model sometimes have them in (671 B and 685 B for DeepSeek-V3).

Base: deepseek-ai/DeepSeek-V3
Bad: {"num_nextn_predict_layers": 1}
Good: {"num_nextn_predict_layers": 0}
Source: https://arxiv.org/abs/2412.19437 (section 2.2)
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.INFO
FIELDS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "mtp_num_layers", "num_mtp_layers")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        field = next((name for name in FIELDS if part.size(name) and part.given(name)), None)
        if field is not None:
            yield _fault(subject, part, field)


def _fault(subject: Subject, part: Part, field: str) -> Fault:
    at = part.at(field)
    count = f"{at} is {part.size(field)}: layers for multi-token prediction are not in the total"
    if subject.model is None or not subject.model.mtp:
        return Fault(at, count)
    from ffncalc.analysis.params import params

    return Fault(at, f"{count}; they add {int(params(subject.model).mtp):,} parameters to the checkpoint")
