"""Switch Transformers: T5 whose FFN is a mixture of experts in some layers, of which a token takes one.

Layer i is sparse where i mod step is 1, or in every layer where the step is 1; the step is in the file, else the number
of layers over that of sparse layers, rounded down.
Source: arXiv:2101.03961, transformers models/switch_transformers.
"""

from __future__ import annotations

from ffncalc.architectures import t5
from ffncalc.components.ffn import FFN
from ffncalc.components.moe import MoE
from ffncalc.ir import FULL, Component, Model
from ffncalc.schema import Count, Size


class Config(t5.Config):
    num_experts: Size
    num_sparse_encoder_layers: Count = 3
    num_sparse_decoder_layers: Count = 3
    encoder_sparse_step: Count | None = None
    decoder_sparse_step: Count | None = None
    router_bias: bool = False
    dense_act_fn: str = "relu"


def build(c: Config) -> Model:
    both = (False, True)
    ffns = {(name, moe): feed_forward(c, name, moe) for name in ("layer.1", "layer.2") for moe in both}
    sparse = {
        "layer.1": pattern(c.num_hidden_layers, c.num_sparse_encoder_layers, c.encoder_sparse_step),
        "layer.2": pattern(
            c.num_decoder_layers or c.num_hidden_layers, c.num_sparse_decoder_layers, c.decoder_sparse_step
        ),
    }
    return t5.assemble(
        c,
        lambda biased: t5.attention(c, "SelfAttention", FULL, biased),
        lambda name, i: (ffns[name, sparse[name][i]],),
        tied_sides=False,
    )


def pattern(count: int, sparse: int, step: int | None) -> list[bool]:
    """Which of `count` layers are sparse; with none asked for the step is the number of layers, as in transformers."""
    if step is None:
        step = count // sparse if sparse else count
    return [step == 1 or (step > 0 and i % step == 1) for i in range(count)]


def feed_forward(c: Config, name: str, moe: bool) -> Component:
    width, hidden = c.hidden_size, c.intermediate_size
    module = "experts.expert_{}" if moe else f"{name}.mlp"
    ffn = FFN(module, width=width, hidden=hidden, activation=c.dense_act_fn, up="wi", down="wo")
    if not moe:
        return ffn
    return MoE(
        f"{name}.mlp",
        width=width,
        experts=c.num_experts,
        top_k=1,
        expert=ffn,
        router="router.classifier",
        router_bias=c.router_bias,
    )
