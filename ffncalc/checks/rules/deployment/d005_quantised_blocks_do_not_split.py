"""A slice of a quantised width holds a part of a group or block.

Scales belong to whole groups, so the slice cannot be used: 29568 / 128 = 231 groups do not split over 2, 4 or 8 ranks.

Settings: tp = 2
Bad: {"intermediate_size": 29568, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
Good: {"intermediate_size": 29696, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
Source: https://arxiv.org/abs/2306.00978, https://arxiv.org/abs/2412.19437 (section 3.3)
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import whole_blocks
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import quantisations
from ffncalc.checks.rules.deployment.d003_width_does_not_split import widths
from ffncalc.checks.rules.deployment.hints import tp_hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    tp = subject.settings.tp
    if tp is None or subject.model is None:
        return
    found = next((q for q in quantisations(subject.raw) if q.block), None)
    if found is None or found.block is None:
        return
    for axis in widths(subject):
        if axis.value % tp or whole_blocks(axis.value, tp, found.block):
            continue
        at = axis.field or subject.main.at("intermediate_size")
        step = tp * found.block
        hint = tp_hint(subject)
        if axis.kind == "routed_expert":
            hint += " --ep keeps experts whole."
        yield Fault(
            at,
            f"{at} {axis.value} / {tp} = {axis.value // tp} is no multiple of the {found.block} of {found.block_field}",
            f"{hint} {-(-axis.value // step) * step} would split.",
            also=(found.block_field,),
        )
