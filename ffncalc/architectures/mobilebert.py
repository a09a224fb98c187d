"""MobileBERT: BERT's layers squeezed to a quarter of the width, with several FFNs in each.

Source: arXiv:2004.02984, transformers models/mobilebert.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings, language_model
from ffncalc.architectures._task import Task
from ffncalc.components.bottleneck_attention import BottleneckAttention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import Few, Size


class Config(bert.Config):
    embedding_size: Size = 128
    intra_bottleneck_size: Size = 128
    num_feedforward_networks: Few = 4
    trigram_input: bool = True
    use_bottleneck: bool = True
    use_bottleneck_attention: bool = False
    key_query_shared_bottleneck: bool = True
    classifier_activation: bool = True


ROW = bert.Row(base="mobilebert", roberta_heads=False)
WORDS = "mobilebert.embeddings.word_embeddings.weight"


def build(c: Config) -> Model:
    if not c.use_bottleneck:
        raise ConfigError("use_bottleneck: false, which no published model has, is not described")
    _, positions, types, norm = embeddings(c)
    reads = 3 * c.embedding_size if c.trigram_input else c.embedding_size
    widen = Linear("embeddings.embedding_transformation", width=reads, out=c.hidden_size, role=Role.OTHER, bias=True)
    narrow = embeddings(c, width=c.embedding_size)[0]
    return bert.model(c, ROW, before=(narrow, positions, types, widen, norm), parts=layer(c), found=heads(c))


def layer(c: Config) -> tuple[Component, ...]:
    """A bottleneck in, attention, several FFNs, a bottleneck out; all but the last in the narrow width."""
    width, narrow = c.hidden_size, c.intra_bottleneck_size

    def squeeze(name: str, role: Role) -> tuple[Component, ...]:
        return (
            Linear(f"{name}.dense", width=width, out=narrow, role=role, bias=True),
            Norm(f"{name}.LayerNorm", width=narrow, bias=True),
        )

    def ffn(name: str) -> tuple[Component, ...]:
        dot = f"{name}." if name else ""
        found = FFN(
            name,
            width=narrow,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            bias=True,
            up="intermediate.dense",
            down="output.dense",
        )
        return found, Norm(f"{dot}output.LayerNorm", width=narrow, bias=True)

    return (
        *squeeze("bottleneck.input", Role.OTHER),
        *(squeeze("bottleneck.attention", Role.ATTENTION) if c.key_query_shared_bottleneck else ()),
        BottleneckAttention(
            "attention",
            width=narrow,
            heads=c.num_attention_heads,
            value_width=narrow if c.use_bottleneck_attention else width,
        ),
        Norm("attention.output.LayerNorm", width=narrow, bias=True),
        *(part for i in range(c.num_feedforward_networks - 1) for part in ffn(f"ffn.{i}")),
        *ffn(""),
        Linear("output.bottleneck.dense", width=narrow, out=width, role=Role.OTHER, bias=True),
        Norm("output.bottleneck.LayerNorm", width=width, bias=True),
    )


def heads(c: Config) -> dict[Task, Head]:
    """BERT's, but for a decoder in two parts: the narrow table, and the rest of the width."""
    base = "cls.predictions"
    bias, dense, norm, _ = language_model(c, base, WORDS, dense="transform.dense", norm="transform.LayerNorm")
    tied = c.tie_word_embeddings
    rest = Array(
        f"{base}.dense.weight", shape=(c.hidden_size - c.embedding_size, c.vocab_size), role=Role.HEAD, use=Use.MATMUL
    )
    decoder = Linear(
        f"{base}.decoder",
        width=c.embedding_size,
        out=c.vocab_size,
        bias=True,
        tied=WORDS if tied else "",
        tied_bias=f"{base}.bias" if tied else "",
    )
    words = (bias, dense, norm, rest, decoder)
    found = bert.heads(c, ROW)
    sentences = found[Task.NEXT_SENTENCE].parts
    return found | {
        Task.MASKED_LM: Head(parts=words),
        Task.PRETRAINING: Head(parts=(*words, *sentences), pooler=True),
    }
