"""FSMT (FairSeq's WMT19 models): BART's layers, a vocabulary for each side, and the head inside the decoder.

Source: arXiv:1907.06616, transformers models/fsmt.
"""

from __future__ import annotations

from ffncalc.architectures import bart
from ffncalc.architectures._encoder_decoder import Side, encoder_decoder
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Model
from ffncalc.schema import Count, Size


class Config(bart.Config):
    vocab_size: Size | None = None  # type: ignore[assignment]  # one for each side instead
    src_vocab_size: Size
    tgt_vocab_size: Size
    pad_token_id: Count = 1
    tie_word_embeddings: bool = False


def build(c: Config) -> Model:
    base = "" if c.architecture == "FSMTModel" else "model"
    table = f"{base}.decoder.embed_tokens.weight" if base else "decoder.embed_tokens.weight"
    tied = table if c.tie_word_embeddings else ""
    rows = c.max_position_embeddings + c.pad_token_id + 1
    positions = bart.positions(c, rows)
    layer = (
        bart.self_attention(c, "encoder_attention_heads"),
        bart.norm(c, "self_attn_layer_norm"),
        bart.feed_forward(c, c.encoder_ffn_dim),
        bart.norm(c, "final_layer_norm"),
    )
    source = Embedding("embed_tokens", rows=c.src_vocab_size, width=c.hidden_size, tied=tied)
    target = Embedding("embed_tokens", rows=c.tgt_vocab_size, width=c.hidden_size)
    inner = bart.decoder_layer(c)
    head = Linear("output_projection", width=c.hidden_size, out=c.tgt_vocab_size, tied=tied)
    return encoder_decoder(
        c,
        base=base,
        encoder=Side(name="encoder", count=c.encoder_layers, layer=lambda i: layer, before=(source, positions)),
        decoder=Side(
            name="decoder",
            count=c.decoder_layers,
            layer=lambda i: inner,
            before=(target, positions),
            after=(head,),
        ),
        max_context=c.max_position_embeddings,
    )
