"""SeamlessM4T: text and speech encoders, one decoder of text, and from that to units of speech and to sound.

The class decides which parts there are. What hears and speaks counts as multimodal. The second version makes all units
at once, from characters and their durations, where the first decodes them.
Sources: arXiv:2308.11596, arXiv:2312.05187; transformers models/{seamless_m4t,seamless_m4t_v2}.
"""

from __future__ import annotations

from ffncalc.architectures import bart
from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder_decoder import Side, blocks
from ffncalc.architectures.seamless_m4t_speech import SpeechConfig, hearing, predictor, vocoder
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.ffn import FFN, fc1_fc2
from ffncalc.components.media import Convolution
from ffncalc.ir import Block, Component, Model, Role, Stream
from ffncalc.schema import Depth, Size

KERNEL = 7  # of the convolutions between units


class Config(bart.Config, SpeechConfig):
    t2u_vocab_size: Size = 10082
    char_vocab_size: Size = 10943
    t2u_encoder_layers: Depth = 6
    t2u_encoder_ffn_dim: Size = 8192
    t2u_encoder_attention_heads: Size = 16
    t2u_decoder_layers: Depth = 6
    t2u_decoder_ffn_dim: Size = 8192
    t2u_decoder_attention_heads: Size = 16
    t2u_variance_predictor_embed_dim: Size = 1024
    t2u_variance_predictor_hidden_dim: Size = 256
    t2u_variance_predictor_kernel_size: Size = 3


def build(c: Config) -> Model:
    width = c.hidden_size
    reads = not c.architecture.endswith(("ForSpeechToText", "ForSpeechToSpeech"))
    hears = c.architecture.endswith(("ForSpeechToText", "ForSpeechToSpeech", "Model"))
    speaks = c.architecture.endswith(("ToSpeech", "Model"))
    tied = "shared.weight" if c.tie_word_embeddings else ""
    embed = (Embedding("embed_tokens", rows=c.vocab_size, width=width, tied=tied),)
    head = Linear("lm_head", width=width, out=c.vocab_size, tied=tied)
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block("", (Embedding("shared", rows=c.vocab_size, width=width),)),
            *(blocks(encoder(c, "text_encoder", embed), "", Stream.SOURCE, causal=False) if reads else ()),
            *(hearing(c, "speech_encoder") if hears else ()),
            *blocks(decoder(c, "text_decoder", embed), "", Stream.TOKEN, causal=True),
            Block("", (head,)),
            *((*units(c), *vocoder(c, "vocoder")) if speaks else ()),
        ),
        max_context=c.max_position_embeddings,
    )


def encoder(c: Config, name: str, before: tuple[Component, ...]) -> Side:
    parts = (
        bart.self_attention(c, "encoder_attention_heads"),
        feed_forward(c, c.encoder_ffn_dim),
        *norms(c, "self_attn_layer_norm", "ffn_layer_norm"),
    )
    return Side(name=name, count=c.encoder_layers, layer=lambda i: parts, before=before, after=norms(c, "layer_norm"))


def decoder(c: Config, name: str, before: tuple[Component, ...]) -> Side:
    cross = CrossAttention(
        "cross_attention",
        width=c.hidden_size,
        heads=c.decoder_attention_heads,
        head_dim=divided(c, "hidden_size", "decoder_attention_heads"),
        bias=True,
        names=bart.NAMES,
    )
    parts = (
        bart.self_attention(c, "decoder_attention_heads"),
        cross,
        feed_forward(c, c.decoder_ffn_dim),
        *norms(c, "self_attn_layer_norm", "cross_attention_layer_norm", "ffn_layer_norm"),
    )
    return Side(name=name, count=c.decoder_layers, layer=lambda i: parts, before=before, after=norms(c, "layer_norm"))


def units(c: Config) -> tuple[Block, ...]:
    """Text to units: an encoder of the decoder's states, and a decoder with a table and a head of its own."""
    own = c.replace(
        encoder_layers=c.t2u_encoder_layers,
        encoder_ffn_dim=c.t2u_encoder_ffn_dim,
        encoder_attention_heads=c.t2u_encoder_attention_heads,
        decoder_layers=c.t2u_decoder_layers,
        decoder_ffn_dim=c.t2u_decoder_ffn_dim,
        decoder_attention_heads=c.t2u_decoder_attention_heads,
    )
    root = "t2u_model.model."
    table = (Embedding("embed_tokens", rows=c.t2u_vocab_size, width=c.hidden_size),)
    writes = at_once(own, table) if c.model_type == "seamless_m4t_v2" else decoder(own, "decoder", table)
    tied = f"{root}decoder.embed_tokens.weight" if c.tie_word_embeddings else ""
    head = Linear("t2u_model.lm_head", width=c.hidden_size, out=c.t2u_vocab_size, tied=tied)
    return (
        *blocks(encoder(own, "encoder", ()), root, Stream.MEDIA, causal=False),
        *blocks(writes, root, Stream.MEDIA, causal=True),
        Block("", (head,), stream=Stream.MEDIA),
    )


def at_once(c: Config, table: tuple[Component, ...]) -> Side:
    """All units at once: characters, how long each lasts, then attention and convolutions."""
    width = c.hidden_size
    parts = (
        bart.self_attention(c, "decoder_attention_heads"),
        *(Convolution(f"conv{i}", channels=width, out=width, kernel=(KERNEL,), bias=True) for i in (1, 2)),
        *norms(c, "self_attn_layer_norm", "conv_layer_norm"),
    )
    durations = predictor(
        "duration_predictor",
        c.t2u_variance_predictor_embed_dim,
        c.t2u_variance_predictor_hidden_dim,
        c.t2u_variance_predictor_kernel_size,
    )
    before = (
        *table,
        Embedding("embed_char", rows=c.char_vocab_size, width=width),
        *(Vector(name, width=1, role=Role.OTHER) for name in ("pos_emb_alpha_char", "pos_emb_alpha")),
        *durations,
    )
    after = norms(c, "layer_norm")
    return Side(name="decoder", count=c.decoder_layers, layer=lambda i: parts, before=before, after=after)


def feed_forward(c: Config, hidden: int) -> FFN:
    return fc1_fc2("ffn", c.hidden_size, hidden, c.hidden_act)


def norms(c: Config, *names: str) -> tuple[Component, ...]:
    return tuple(bart.norm(c, name) for name in names)
