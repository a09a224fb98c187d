"""Nomic BERT: rotary positions, fused q/k/v, a gated FFN or a plain one, norms after each sublayer; v2 has experts.

Configs come in two dialects: GPT-2's keys of the published code (`n_embd`, `n_inner` …) and those of transformers.
Names are the published checkpoints'. Layer i of a mixture is sparse where i mod `moe_every_n_layers` is 1; one bias
[width] is added after the chosen experts.
Source: arXiv:2402.01613, arXiv:2502.07972 (mixture), transformers models/nomic_bert, and the published code.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import (
    WORDS,
    EncoderConfig,
    Head,
    encoder,
    language_model,
    linear_head,
    pooler,
    token_heads,
)
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Vector
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.moe import JoinedExperts, MoE
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Count, Size

GATED = {"swiglu": "silu", "geglu": "gelu", "glu": "sigmoid"}


class Config(EncoderConfig):
    aliases = {
        "hidden_size": ("n_embd",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "intermediate_size": ("n_inner",),
        "max_position_embeddings": ("n_positions",),
    }
    max_position_embeddings: Size = 2048
    activation_function: str | None = None
    head_dim: Size | None = None
    qkv_proj_bias: bool = False
    mlp_fc1_bias: bool = False
    mlp_fc2_bias: bool = False
    num_experts: Count = 0
    moe_top_k: Size = 1
    moe_every_n_layers: Count = 0


def build(c: Config) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_dim or c.head_size,
        qkv_bias=c.qkv_proj_bias,
        out_bias=c.qkv_proj_bias,
        names=Projections(fused="Wqkv", o="out_proj"),
    )
    norms = (Norm("norm1", width=c.hidden_size, bias=True), Norm("norm2", width=c.hidden_size, bias=True))
    dense = (attention, feed_forward(c), *norms)
    sparse = (attention, *experts(c), *norms)
    step = c.moe_every_n_layers if c.num_experts else 0

    def stack(dot: str) -> tuple[Block, ...]:
        prefix = f"{dot}encoder.layers.{{}}"
        return layers(prefix, c.num_hidden_layers, lambda i: sparse if step and i % step == 1 else dense, causal=False)

    return encoder(
        c,
        stack,
        base="nomic_bert",
        before=before(c),
        pooler=(pooler(c),),
        heads=heads(c),
    )


def before(c: Config) -> tuple[Component, ...]:
    segments = Embedding(
        "embeddings.token_type_embeddings", rows=c.type_vocab_size, width=c.hidden_size, role=Role.TYPE
    )
    return (
        Embedding(WORDS, rows=c.vocab_size, width=c.hidden_size),
        *((segments,) if c.type_vocab_size else ()),
        Norm("emb_ln", width=c.hidden_size, bias=True),
    )


def feed_forward(c: Config) -> GatedFFN | FFN:
    """Gated unless the published code's `activation_function` is a plain one."""
    width, hidden = c.hidden_size, c.intermediate_size
    if c.activation_function is None or c.activation_function in GATED:
        return GatedFFN(
            "mlp",
            width=width,
            hidden=hidden,
            activation=GATED[c.activation_function] if c.activation_function else c.hidden_act,
            bias=c.mlp_fc1_bias,
            down_bias=c.mlp_fc2_bias,
            gate="fc12",
            up="fc11",
            down="fc2",
        )
    return FFN(
        "mlp",
        width=width,
        hidden=hidden,
        activation=c.activation_function,
        bias=c.mlp_fc1_bias,
        up="fc1",
        down="fc2",
    )


def experts(c: Config) -> tuple[Component, ...]:
    """Plain experts, joined in two tensors, and the bias that follows them."""
    if not c.num_experts:
        return ()
    expert = JoinedExperts(
        "experts.mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.activation_function or c.hidden_act,
        gate="",
        up="w1",
    )
    mixture = MoE(
        "mlp", width=c.hidden_size, experts=c.num_experts, top_k=c.moe_top_k, expert=expert, router="router.layer"
    )
    return mixture, Vector("mlp.experts.bias", width=c.hidden_size, role=Role.DENSE)


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; only the sentence classifier has a pooler."""
    words = language_model(
        c, "cls.predictions", f"nomic_bert.{WORDS}.weight", dense="transform.dense", norm="transform.layer_norm"
    )
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True),
    }
