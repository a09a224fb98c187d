"""StableLM: LayerNorms with bias, optionally attention and FFN in parallel, and a norm for each head.

Source: https://arxiv.org/abs/2402.17834, transformers models/stablelm.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import divided
from ffncalc.ir import Component, Model, Role, Tensor, Use
from ffncalc.record import record


class Config(dense.Config):
    use_qkv_bias: bool = False
    qk_layernorm: bool = False
    use_parallel_residual: bool = False

    @property
    def head_size(self) -> int:
        """hidden_size / num_attention_heads; the family has no `head_dim`."""
        return divided(self, "hidden_size", "num_attention_heads")


@record(frozen=True, kw_only=True)
class HeadNorms(Component):
    """A norm [head_dim] of its own for each of `heads`."""

    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        norm = Tensor("{}.weight", (self.head_dim,), Role.NORM, use=Use.ELEMENTWISE)
        return (replace(norm, copies=self.heads, used=self.heads),)


ROW = dense.Row(qkv_bias="use_qkv_bias", norm_bias=True)


def build(c: Config) -> Model:
    row = replace(ROW, norms=("input_layernorm",)) if c.use_parallel_residual else ROW
    return dense.model(c, row, extra=head_norms(c) if c.qk_layernorm else ())


def head_norms(c: Config) -> tuple[Component, ...]:
    return (
        HeadNorms("self_attn.q_layernorm.norms", heads=c.num_attention_heads, head_dim=c.head_size),
        HeadNorms("self_attn.k_layernorm.norms", heads=c.kv_heads, head_dim=c.head_size),
    )
