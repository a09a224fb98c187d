"""Names that people use for what a config spells otherwise."""

from __future__ import annotations

GATED = {"silu": "SwiGLU", "swish": "SwiGLU", "relu": "ReGLU", "sigmoid": "GLU", "linear": "bilinear"}
PLAIN = {"silu": "SiLU", "swish": "SiLU", "relu": "ReLU", "relu2": "ReLU²", "xielu": "xIELU"}


def ffn_kind(activation: str, *, gated: bool) -> str:
    """The name people use: SwiGLU, GeGLU, GELU, ReLU² …; the activation itself where there is none.

    >>> ffn_kind("silu", gated=True), ffn_kind("gelu_pytorch_tanh", gated=True), ffn_kind("gelu_new", gated=False)
    ('SwiGLU', 'GeGLU', 'GELU')
    """
    if "gelu" in activation:
        return "GeGLU" if gated else "GELU"
    plain = PLAIN.get(activation, activation)
    return GATED.get(activation, f"gated {plain}") if gated else plain
