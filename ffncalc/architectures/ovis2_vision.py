"""The vision tower of Ovis 2: AIMv2, and a head that gives each patch a probability for every visual word.

Sources: arXiv:2405.20797 (Ovis), arXiv:2411.14402 (AIMv2); transformers models/ovis2.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Model, Role
from ffncalc.schema import Count, Size


class Config(TowerConfig):
    qkv_bias: bool = False
    mlp_bias: bool = False
    vocab_size: Size = 16384
    hidden_stride: Size = 1
    num_visual_indicator_tokens: Count = 5


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        attention(
            "attention",
            width,
            c.num_attention_heads,
            Projections(o="out_proj"),
            bias=c.qkv_bias,
            out_bias=c.qkv_bias,
        ),
        GatedFFN("ffn", width=width, hidden=c.intermediate_size, activation=c.hidden_act, bias=c.mlp_bias),
        *norms(width, "rms_norm1", "rms_norm2", bias=False),
    )
    words = visual_words(c)
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution(
                "transformer.embeddings.patch_embedding",
                channels=c.num_channels,
                out=width,
                kernel=c.patch,
                bias=True,
            ),
            Embedding("transformer.embeddings.position_embedding", rows=c.patches, width=width, role=Role.POSITION),
            *norms(width, "transformer.embeddings.rms_norm", bias=False),
        ),
        stack="transformer.encoder.layers",
        after=(
            *norms(width, "transformer.rms_norm", bias=False),
            Linear("head_linear", width=width * c.hidden_stride * c.hidden_stride, out=words, role=Role.OTHER),
            *norms(words, "head_norm"),
        ),
    )


def visual_words(c: Config) -> int:
    """Visual words that a patch may be: the indicators, which mark where an image begins and ends, are none.

    Raises:
        ConfigError: there are no others.
    """
    if c.num_visual_indicator_tokens >= c.vocab_size:
        raise ConfigError(
            f"{c.key('num_visual_indicator_tokens')}: {c.num_visual_indicator_tokens} leaves nothing of "
            f"{c.key('vocab_size')} {c.vocab_size}"
        )
    return c.vocab_size - c.num_visual_indicator_tokens
