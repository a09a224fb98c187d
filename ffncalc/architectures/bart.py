"""BART kin: biases everywhere, a plain FFN, encoder and decoder that may differ in depth, heads and FFN width.

Sinusoidal positions are parameters where the library stores them as a (frozen) table: Marian, Pegasus; M2M-100 works
them out. The bias of the logits is a buffer.
Sources: arXiv:1910.13461 (BART), arXiv:2001.08210 (mBART), arXiv:1804.00344 (Marian), arXiv:1912.08777 (Pegasus),
arXiv:2010.11125 (M2M-100), arXiv:2207.04672 (NLLB), arXiv:2004.13637 (Blenderbot), arXiv:2103.06333 (PLBART);
transformers models/<type>.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder import labels
from ffncalc.architectures._encoder_decoder import EncoderDecoderConfig, Side, classification_head, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear, StoredBias
from ffncalc.components.ffn import FFN, fc1_fc2
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.record import record
from ffncalc.schema import Depth, Size

NAMES = Projections(o="out_proj")


class Config(EncoderDecoderConfig):
    aliases = {"hidden_size": ("d_model",), "hidden_act": ("activation_function",)}
    encoder_layers: Depth
    encoder_attention_heads: Size
    encoder_ffn_dim: Size
    decoder_layers: Depth
    decoder_attention_heads: Size
    decoder_ffn_dim: Size
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 1024
    decoder_vocab_size: Size | None = None
    share_encoder_decoder_embeddings: bool = True


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs: rows of its position table beyond the positions (None: no table), and its norms.

    `first_norm` follows the embeddings, `last_norm` the layers. `causal`: a file that names no class means the
    decoder alone. `labels`: classes of a head where the file does not say.
    """

    offset: int | None = 0
    first_norm: bool = False
    last_norm: bool = False
    logits_bias: bool = True
    causal: bool = True
    labels: int = 2


ROWS: dict[str, Row] = {
    "bart": Row(offset=2, first_norm=True, labels=3),
    "blenderbot": Row(last_norm=True),
    "blenderbot-small": Row(first_norm=True),
    "m2m_100": Row(offset=None, last_norm=True, logits_bias=False, causal=False),
    "marian": Row(),
    "mbart": Row(offset=2, first_norm=True, last_norm=True),
    "mvp": Row(offset=2, first_norm=True, labels=3),
    "pegasus": Row(last_norm=True),
    "plbart": Row(offset=2, first_norm=True),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    task = task_of(c.architecture, Task.CAUSAL_LM if row.causal else Task.CONDITIONAL_GENERATION)
    base = "" if task is Task.BASE else "model"
    decoder_alone = task is Task.CAUSAL_LM
    shared = c.share_encoder_decoder_embeddings and not decoder_alone
    rows = (c.vocab_size, c.vocab_size if shared else c.decoder_vocab_size or c.vocab_size)
    table = f"{base}.shared.weight" if base else "shared.weight"
    tied = table if shared and c.tie_word_embeddings else ""
    embeds = tuple(Embedding("embed_tokens", rows=n, width=c.hidden_size, tied=tied) for n in rows)
    return encoder_decoder(
        c,
        base=base,
        shared=(Embedding("shared", rows=c.vocab_size, width=c.hidden_size),) if shared else (),
        encoder=None if decoder_alone else encoder(c, row, embeds[0]),
        decoder=decoder(c, row, embeds[1]),
        head=head(c, row, task, rows=rows[1], table=table if shared else "model.decoder.embed_tokens.weight"),
        max_context=c.max_position_embeddings,
    )


def encoder(c: Config, row: Row, embed: Embedding) -> Side:
    attention = self_attention(c, "encoder_attention_heads")
    ffn = feed_forward(c, c.encoder_ffn_dim)
    parts = (attention, norm(c, "self_attn_layer_norm"), ffn, norm(c, "final_layer_norm"))
    before, after = ends(c, row)
    return Side(name="encoder", count=c.encoder_layers, layer=lambda i: parts, before=(embed, *before), after=after)


def decoder(c: Config, row: Row, embed: Embedding) -> Side:
    parts = decoder_layer(c)
    before, after = ends(c, row)
    return Side(name="decoder", count=c.decoder_layers, layer=lambda i: parts, before=(embed, *before), after=after)


def decoder_layer(c: Config, *, k_bias: bool = True, bias: bool = True) -> tuple[Component, ...]:
    cross = CrossAttention(
        "encoder_attn",
        width=c.hidden_size,
        heads=c.decoder_attention_heads,
        head_dim=divided(c, "hidden_size", "decoder_attention_heads"),
        bias=bias,
        k_bias=k_bias and bias,
        names=NAMES,
    )
    return (
        self_attention(c, "decoder_attention_heads", k_bias=k_bias, bias=bias),
        norm(c, "self_attn_layer_norm"),
        cross,
        norm(c, "encoder_attn_layer_norm"),
        feed_forward(c, c.decoder_ffn_dim),
        norm(c, "final_layer_norm"),
    )


def ends(c: Config, row: Row) -> tuple[tuple[Component, ...], tuple[Component, ...]]:
    """What each side has before and after its layers."""
    before: tuple[Component, ...] = ()
    if row.offset is not None:
        before = (positions(c, c.max_position_embeddings + row.offset),)
    if row.first_norm:
        before = (*before, norm(c, "layernorm_embedding"))
    return before, (norm(c, "layer_norm"),) if row.last_norm else ()


def positions(c: Config, rows: int) -> Embedding:
    return Embedding("embed_positions", rows=rows, width=c.hidden_size, role=Role.POSITION)


def self_attention(
    c: Config, heads: str, *, k_bias: bool = True, bias: bool = True, names: Projections = NAMES
) -> Attention:
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=getattr(c, heads),
        kv_heads=getattr(c, heads),
        head_dim=divided(c, "hidden_size", heads),
        qkv_bias=bias,
        k_bias=k_bias and bias,
        out_bias=bias,
        names=names,
    )


def feed_forward(c: Config, hidden: int) -> FFN:
    return fc1_fc2("", c.hidden_size, hidden, c.hidden_act)


def norm(c: Config, name: str) -> Norm:
    return Norm(name, width=c.hidden_size, bias=True)


def head(c: Config, row: Row, task: Task, *, rows: int, table: str) -> tuple[Component, ...]:
    if task is Task.BASE:
        return ()
    if task is Task.SEQUENCE_CLASSIFICATION:
        return classification_head(c, labels(c.num_labels, c.id2label, row.labels))
    if task is Task.QUESTION_ANSWERING:
        return (Linear("qa_outputs", width=c.hidden_size, out=2, bias=True),)
    words = Linear("lm_head", width=c.hidden_size, out=rows, tied=table if c.tie_word_embeddings else "")
    if not row.logits_bias or task is Task.CAUSAL_LM:
        return (words,)
    return words, StoredBias("final_logits_bias", width=rows)
