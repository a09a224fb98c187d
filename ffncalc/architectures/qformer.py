"""The Q-Former of BLIP-2, InstructBLIP and Granite Speech: learned queries that attend what a tower saw or heard.

A BERT whose every `cross_attention_frequency`-th layer also attends the tower. The queries have an FFN of their own;
where text goes in as well (InstructBLIP), it has BERT's embeddings and another FFN.

Source: arXiv:2301.12597, arXiv:2305.06500; transformers models/blip_2 and models/instructblip.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    vocab_size: Size
    hidden_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    intermediate_size: Size
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 512
    cross_attention_frequency: Size = 2
    encoder_hidden_size: Size = 1408
    use_qformer_text_input: bool = False

    @property
    def reads(self) -> bool:
        """Whether text goes in besides the queries."""
        return self.use_qformer_text_input or self.model_type == "instructblip_qformer"


def build(c: Config) -> Model:
    width = c.hidden_size
    own = Projections(q="attention.query", k="attention.key", v="attention.value", o="output.dense")
    both = (
        attention(c, "attention", own),
        *norms(width, "attention.output.LayerNorm"),
        *(feed_forward(c, "") if c.reads else ()),
        *feed_forward(c, "_query"),
    )
    crossed = (*both, *cross_attention(c, own))
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: both if i % c.cross_attention_frequency else crossed,
        before=embeddings(c),
        stack="encoder.layer",
    )


def embeddings(c: Config) -> tuple[Component, ...]:
    """BERT's tables where text goes in, and the norm."""
    if c.model_type != "instructblip_qformer":
        return norms(c.hidden_size, "layernorm")
    rows, width = c.max_position_embeddings, c.hidden_size
    return (
        Embedding("embeddings.word_embeddings", rows=c.vocab_size, width=width),
        Embedding("embeddings.position_embeddings", rows=rows, width=width, role=Role.POSITION),
        *norms(width, "embeddings.layernorm"),
    )


def attention(c: Config, name: str, names: Projections, *, crossed: bool = False) -> Attention:
    """Attention with biases everywhere; without keys and values where it is `crossed`."""
    return Attention(
        name,
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=True,
        out_bias=True,
        shared_kv=crossed,
        names=names,
    )


def cross_attention(c: Config, names: Projections) -> tuple[Component, ...]:
    """Keys and values come from the tower, in its width."""
    kept = [
        Linear(
            f"crossattention.{name}",
            width=c.encoder_hidden_size,
            out=c.hidden_size,
            role=Role.CROSS_ATTENTION,
            bias=True,
        )
        for name in (names.k, names.v)
    ]
    norm = norms(c.hidden_size, "crossattention.output.LayerNorm")
    return (attention(c, "crossattention", names, crossed=True), *kept, *norm)


def feed_forward(c: Config, suffix: str) -> tuple[Component, ...]:
    """BERT's FFN and the norm after it, for text ("") or for queries."""
    ffn = FFN(
        "",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up=f"intermediate{suffix}.dense",
        down=f"output{suffix}.dense",
    )
    return (ffn, *norms(c.hidden_size, f"output{suffix}.LayerNorm"))
