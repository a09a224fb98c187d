"""ESM-1b and ESM-2: BERT on proteins, with norms before each sublayer, learned or rotary positions.

Sources: https://doi.org/10.1073/pnas.2016239118 (ESM-1b), https://doi.org/10.1126/science.ade2574 (ESM-2);
transformers models/esm.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    Head,
    embeddings,
    feed_forward,
    language_model,
    self_attention,
)
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Linear, Vector
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    max_position_embeddings: Size = 1026
    position_embedding_type: str = "absolute"
    emb_layer_norm_before: bool | None = None
    is_folding_model: bool = False


ROW = bert.Row(base="esm")


def build(c: Config) -> Model:
    if c.is_folding_model:
        raise ConfigError("is_folding_model: true, and the folding trunk of ESMFold is not described")

    def norm(name: str) -> Norm:
        return Norm(name, width=c.hidden_size, bias=True)

    words, positions, _ = embeddings(c, types=False)
    learned = (positions,) if c.position_embedding_type == "absolute" else ()
    first = (norm("embeddings.layer_norm"),) if c.emb_layer_norm_before else ()
    parts = (
        self_attention(c, "attention", BERT_NAMES),
        norm("attention.LayerNorm"),
        *cross(c, norm("crossattention.LayerNorm")),
        feed_forward(c)[0],
        norm("LayerNorm"),
    )
    return bert.model(
        c,
        ROW,
        before=(words, *learned, *first),
        parts=parts,
        after=(norm("encoder.emb_layer_norm_after"), *contacts(c)),
        found=heads(c),
    )


def cross(c: Config, norm: Norm) -> tuple[Component, ...]:
    found = bert.cross_attention(c)
    return (found[0], norm) if found else ()


def contacts(c: Config) -> tuple[Component, ...]:
    """The head that reads attention maps for contacts; no language model runs it."""
    name = "contact_head.regression"
    maps = c.num_hidden_layers * c.num_attention_heads
    return Array(f"{name}.weight", shape=(1, maps)), Vector(f"{name}.bias", width=1, role=Role.OTHER)


def heads(c: Config) -> dict[Task, Head]:
    """RoBERTa's, but for a decoder without a bias of its own."""
    table = f"esm.{WORDS}.weight"
    bias, dense, norm, _ = language_model(c, "lm_head", table)
    tied = table if c.tie_word_embeddings else ""
    decoder = Linear("lm_head.decoder", width=c.hidden_size, out=c.vocab_size, tied=tied)
    return bert.heads(c, ROW) | {Task.MASKED_LM: Head(parts=(bias, dense, norm, decoder))}
