"""TrOCR's decoder: BART's, whose cross attention reads an encoder of another width.

Source: arXiv:2109.10282, transformers models/trocr.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder_decoder import EncoderDecoderConfig, Side, encoder_decoder
from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Depth, Size

NAMES = Projections(o="out_proj")
OFFSET = 2  # rows of the position table before the first position


class Config(EncoderDecoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "hidden_act": ("activation_function",),
        "decoder_layers": ("num_hidden_layers",),
        "decoder_attention_heads": ("num_attention_heads",),
    }
    decoder_layers: Depth
    decoder_attention_heads: Size
    decoder_ffn_dim: Size
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 512
    use_learned_position_embeddings: bool = True
    layernorm_embedding: bool = True
    cross_attention_hidden_size: Size | None = None  # none: the decoder's own width


def build(c: Config) -> Model:
    parts, width = layer(c), c.hidden_size
    rows = c.max_position_embeddings + OFFSET
    positions = Embedding("embed_positions", rows=rows, width=width, role=Role.POSITION)
    tied = "model.decoder.embed_tokens.weight" if c.tie_word_embeddings else ""
    return encoder_decoder(
        c,
        base="model",
        decoder=Side(
            name="decoder",
            count=c.decoder_layers,
            layer=lambda i: parts,
            before=(
                Embedding("embed_tokens", rows=c.vocab_size, width=width),
                *((positions,) if c.use_learned_position_embeddings else ()),
                *(norms(width, "layernorm_embedding") if c.layernorm_embedding else ()),
            ),
        ),
        head=(Linear("output_projection", width=width, out=c.vocab_size, tied=tied),),
        max_context=c.max_position_embeddings,
    )


def layer(c: Config) -> tuple[Component, ...]:
    width, heads = c.hidden_size, c.decoder_attention_heads
    cross = CrossAttention(
        "encoder_attn",
        width=width,
        source_width=c.cross_attention_hidden_size,
        heads=heads,
        head_dim=divided(c, "hidden_size", "decoder_attention_heads"),
        bias=True,
        names=NAMES,
    )
    return (
        attention("self_attn", width, heads, NAMES),
        cross,
        fc1_fc2("", width, c.decoder_ffn_dim, c.hidden_act),
        *norms(width, "self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
    )
