"""An activation that nobody has.

It decides on nothing but the function, yet loaders fail on the name, and whether an FFN is gated is read from it by
some. A warning where the model brings code of its own for a type that transformers has; code for a type of its own may
have any.

Bad: {"hidden_act": "swiglu2"}
Good: {"hidden_act": "silu"}
Source: transformers, activations.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc import activations
from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, shown
from ffncalc.errors import nearest

SEVERITY = Severity.ERROR
FIELDS = ("hidden_act", "mlp_hidden_act", "feed_forward_proj")
KNOWN = frozenset(activations.KNOWN) | frozenset(activations.ALIASES) | frozenset(activations.GATED) | frozenset({
    "celu", "elu", "fatrelu", "gated-gelu", "gated-gelu_new", "gated-relu", "gated-silu", "gated-swish", "gegelu",
    "gelu_10", "gelu_quick", "hardsigmoid", "hardswish", "hardtanh", "identity", "laplace", "linear", "none",
    "relu_squared", "selu", "serf", "situ", "softplus", "sqrelu", "squared_relu", "swiglu_oai", "swigluoai",
})  # fmt: skip


def check(subject: Subject) -> Iterator[Fault]:
    code = bool(subject.raw.get("auto_map"))
    if code and subject.model_type not in known.model_types():
        return
    mild = Severity.WARNING if code else None
    for part in (*subject.text, *subject.towers):
        for field in FIELDS:
            value = part.given(field)
            if value is None or (isinstance(value, str) and value.lower() in KNOWN):
                continue
            if isinstance(value, dict):  # MPT writes an object
                continue
            near = nearest(value, KNOWN) if isinstance(value, str) else []
            hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else 'Write the name of one, such as "silu".'
            yield Fault(part.at(field), f"{part.at(field)} {shown(value)} is no known activation", hint, severity=mild)
