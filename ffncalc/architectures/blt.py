"""BLT: bytes, gathered into patches by a small model's surprise, a large transformer over the patches, and back.

The local encoder and decoder see the last bytes; between them each patch is a few vectors that read its bytes, and that
its bytes read. How long patches are depends on the text.
Source: arXiv:2412.09871, transformers models/blt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._composite import nested, taken
from ffncalc.architectures._decoder import norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Block, Component, Model, Role, Span, layers
from ffncalc.schema import BaseConfig, Count, Depth, Few, Size

ROW = dense.Row()
NOTE = "each byte is counted as a patch of its own: the global transformer runs once for a patch, a few bytes"


class Config(BaseConfig):
    vocab_size: Size = 260
    max_position_embeddings: Size = 4096
    cross_attn_k: Few = 2
    encoder_hash_byte_group_size: list[Size] | None = [3, 4, 5, 6, 7, 8]
    encoder_hash_byte_group_vocab: Size = 500002
    encoder_hash_byte_group_nb_functions: Size = 1
    local_attention_window_len: Count | None = 512
    patch_in_forward: bool = True
    patcher_config: dict[str, Any] | None = None
    encoder_config: dict[str, Any] | None = None
    decoder_config: dict[str, Any] | None = None
    global_config: dict[str, Any] | None = None
    tie_word_embeddings: bool = False


class EncoderConfig(dense.Config):
    vocab_size: Size = 260
    hidden_size: Size = 1024
    intermediate_size: Size = 2816
    num_hidden_layers: Depth = 1
    num_attention_heads: Size = 16
    cross_attn_all_layers: bool = False
    cross_attn_k: Few = 2
    hidden_size_global: Size = 2048


class DecoderConfig(EncoderConfig):
    num_hidden_layers: Depth = 9
    cross_attn_all_layers: bool = True


class GlobalConfig(dense.Config):
    vocab_size: Size = 260  # of no use here
    hidden_size: Size = 2048
    intermediate_size: Size = 5632
    num_hidden_layers: Depth = 25
    num_attention_heads: Size = 16


class PatcherConfig(dense.Config):
    vocab_size: Size = 260
    hidden_size: Size = 768
    intermediate_size: Size = 2048
    num_hidden_layers: Depth = 14
    num_attention_heads: Size = 12
    sliding_window: Count | None = 512


def build(c: Config) -> Model:
    base = task_of(c.architecture, Task.CAUSAL_LM) is Task.BASE
    root = "" if base else "model."
    reads = nested(EncoderConfig, filled(c.encoder_config, 1024), "encoder_config.", "")
    writes = nested(DecoderConfig, c.decoder_config, "decoder_config.", "")
    large = nested(GlobalConfig, c.global_config, "global_config.", "")
    finds = nested(PatcherConfig, c.patcher_config, "patcher_config.", "")
    groups = c.encoder_hash_byte_group_nb_functions * len(c.encoder_hash_byte_group_size or [0] * 6)
    hashes = Embedding(
        "encoder_hash_tok_embedding", rows=c.encoder_hash_byte_group_vocab * groups, width=reads.hidden_size
    )
    window = Span("sliding", c.local_attention_window_len) if c.local_attention_window_len else FULL
    tied = "lm_head.weight" if c.tie_word_embeddings and not base else ""
    head = Linear("lm_head", width=writes.hidden_size, out=c.vocab_size)
    configs = {"patcher_config.": finds, "encoder_config.": reads, "global_config.": large, "decoder_config.": writes}
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=large.hidden_size,
        blocks=(
            *(patcher(finds, f"{root}patcher") if c.patch_in_forward else ()),
            Block(root.removesuffix("."), (hashes,)),
            *encoder(reads, f"{root}local_encoder", window, tied),
            *transformer(large, f"{root}global_transformer", reads.hidden_size * c.cross_attn_k),
            *decoder(writes, f"{root}local_decoder", window),
            *(() if base else (Block("", (head,)),)),
        ),
        max_context=c.max_position_embeddings,
        notes=(NOTE,),
        defaults=tuple(row for key, config in configs.items() for row in taken(config, key)),
    )


def filled(raw: Mapping[str, Any] | None, width: int) -> dict[str, Any]:
    """The encoder's config with the FFN width that its class derives where the file has none: 8/3 of the width."""
    own = dict(raw or {})
    size = own.get("hidden_size", width)
    if own.get("intermediate_size") is None and isinstance(size, int):
        own["intermediate_size"] = 8 * size // 3
    return own


def layer(c: dense.Config, span: Span) -> tuple[Component, ...]:
    return (dense.attention(c, ROW, span), dense.feed_forward(c, ROW), *norms(c, *ROW.norms))


def stack(c: dense.Config, root: str, span: Span) -> tuple[Block, ...]:
    parts = layer(c, span)
    return layers(f"{root}.layers.{{}}", c.num_hidden_layers, lambda i: parts)


def patcher(c: PatcherConfig, root: str) -> tuple[Block, ...]:
    """The language model of bytes whose entropy cuts the patches."""
    return (
        Block(root, (Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size),)),
        *stack(c, root, Span("sliding", c.window) if c.window else FULL),
        Block(root, (*norms(c, "norm"), Linear("lm_head", width=c.hidden_size, out=c.vocab_size))),
    )


def encoder(c: EncoderConfig, root: str, window: Span, tied: str) -> tuple[Block, ...]:
    return (
        Block(root, (Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=tied),)),
        *stack(c, root, window),
        *crossing(c, root, c.hidden_size),
    )


def decoder(c: DecoderConfig, root: str, window: Span) -> tuple[Block, ...]:
    return (
        *crossing(c, root, c.hidden_size_global),
        *stack(c, root, window),
        Block(root, (Norm("norm", width=c.hidden_size),)),
    )


def crossing(c: EncoderConfig, root: str, width: int) -> tuple[Block, ...]:
    """The map to the vectors of a patch, and attention between these and its bytes in every layer, or in one."""
    between = Linear("patch_embedding_projection", width=width, out=c.hidden_size * c.cross_attn_k, role=Role.OTHER)
    attention: tuple[Component, ...] = (
        Attention(
            "",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_size,
            span=Span("sliding", c.cross_attn_k),
        ),
        Norm("q_norm", width=c.hidden_size),
        Norm("k_norm", width=c.hidden_size),
    )
    count = c.num_hidden_layers if c.cross_attn_all_layers else 1
    indexes = tuple(range(count))
    return (Block(root, (between,)), Block(f"{root}.cross_attn_layers.{{}}", attention, indexes=indexes))


def transformer(c: GlobalConfig, root: str, width: int) -> tuple[Block, ...]:
    into = Linear("token_embedding_projection", width=width, out=c.hidden_size, role=Role.OTHER)
    before = (Block(root, (into,)),) if width != c.hidden_size else ()
    return (*before, *stack(c, root, FULL))
