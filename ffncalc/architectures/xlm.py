"""XLM and FlauBERT: post-norm encoders with tables of positions and languages; the parts of a layer in separate lists.

Sources: arXiv:1901.07291 (XLM), arXiv:1912.05372 (FlauBERT); transformers models/xlm and models/flaubert.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import EncoderConfig, Head, encoder, linear_head, self_attention, token_heads
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Size


class Config(EncoderConfig):
    aliases = {
        "vocab_size": ("n_words", "vocab_size"),
        "hidden_size": ("emb_dim",),
        "num_hidden_layers": ("n_layers",),
        "num_attention_heads": ("n_heads",),
    }
    intermediate_size: Size | None = None  # type: ignore[assignment]  # always four times the width
    gelu_activation: bool = True
    causal: bool = False
    asm: bool = False
    n_langs: Size = 1
    use_lang_emb: bool = True
    summary_use_proj: bool = True
    summary_proj_to_labels: bool = True


def build(c: Config) -> Model:
    if c.asm:
        raise ConfigError("asm: true, and a head with adaptive softmax is not described")
    ffn = FFN(
        "ffns.{layer}",
        width=c.hidden_size,
        hidden=4 * c.hidden_size,
        activation="gelu" if c.gelu_activation else "relu",
        bias=True,
        up="lin1",
        down="lin2",
    )
    names = Projections(q="q_lin", k="k_lin", v="v_lin", o="out_lin")
    parts: tuple[Component, ...] = (
        self_attention(c, "attentions.{layer}", names),
        Norm("layer_norm1.{layer}", width=c.hidden_size, bias=True),
        ffn,
        Norm("layer_norm2.{layer}", width=c.hidden_size, bias=True),
    )

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(dot.removesuffix("."), c.num_hidden_layers, lambda i: parts, causal=c.causal)

    return encoder(c, stack, base="transformer", before=tables(c), heads=heads(c))


def tables(c: Config) -> tuple[Component, ...]:
    languages = Embedding("lang_embeddings", rows=c.n_langs, width=c.hidden_size, role=Role.TYPE)
    return (
        Embedding("position_embeddings", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION),
        *((languages,) if c.n_langs > 1 and c.use_lang_emb else ()),
        Embedding("embeddings", rows=c.vocab_size, width=c.hidden_size),
        Norm("layer_norm_emb", width=c.hidden_size, bias=True),
    )


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; the question-answering class scores starts, then ends given the start."""
    table = "transformer.embeddings.weight" if c.tie_word_embeddings else ""
    words = Linear("pred_layer.proj", width=c.hidden_size, out=c.vocab_size, bias=True, tied=table)
    out = c.labels if c.summary_proj_to_labels else c.hidden_size
    summary = (linear_head(c, "sequence_summary.summary", out),) if c.summary_use_proj else ()
    choice = Linear("logits_proj", width=c.labels, out=1, bias=True)
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=(words,)),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=summary),
        Task.MULTIPLE_CHOICE: Head(parts=(*summary, choice)),
        Task.QUESTION_ANSWERING: Head(parts=answering(c)),
        Task.SIMPLE_ANSWERING: Head(parts=(linear_head(c, "qa_outputs", c.labels),)),
    }


def answering(c: Config) -> tuple[Component, ...]:
    width = c.hidden_size
    ends, answer = "qa_outputs.end_logits", "qa_outputs.answer_class"
    return (
        linear_head(c, "qa_outputs.start_logits.dense", 1),
        Linear(f"{ends}.dense_0", width=2 * width, out=width, bias=True),
        Norm(f"{ends}.LayerNorm", width=width, bias=True),
        linear_head(c, f"{ends}.dense_1", 1),
        Linear(f"{answer}.dense_0", width=2 * width, out=width, bias=True, once=True),
        Linear(f"{answer}.dense_1", width=width, out=1, once=True),
    )
