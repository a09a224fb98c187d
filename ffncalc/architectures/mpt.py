"""MPT: ALiBi or learned positions, norms and linear maps without biases, options in a nested `attn_config`.

Sources: MosaicML 2023, "Introducing MPT-7B", and llm-foundry's MPTForCausalLM, whose options change the checkpoint;
transformers models/mpt, whose own class (MptForCausalLM) is fixed to four times the width, multi-head attention and
no biases, and leaves those options unread.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import BaseConfig, Size


class AttentionConfig(BaseConfig):
    attn_type: str = "multihead_attention"
    kv_n_heads: Size | None = None
    alibi: bool = True
    qk_ln: bool = False


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "num_hidden_layers": ("n_layers",),
        "num_attention_heads": ("n_heads",),
        "max_position_embeddings": ("max_seq_len",),
    }
    max_position_embeddings: Size = 2048
    hidden_act: str = "gelu"
    expansion_ratio: Size = 4
    no_bias: bool = True
    learned_pos_emb: bool = True
    attn_config: AttentionConfig | None = None
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    options = c.attn_config or AttentionConfig()
    if c.architecture.startswith("MPT"):
        return foundry(c, options)
    ignored = [
        name
        for name, differs in (
            ("expansion_ratio", c.expansion_ratio != 4),
            ("no_bias", not c.no_bias),
            ("attn_config.attn_type", options.attn_type != "multihead_attention"),
            ("attn_config.qk_ln", options.qk_ln),
            ("attn_config.alibi", not options.alibi),
        )
        if differs
    ]
    note = f"{', '.join(ignored)}: the class {c.architecture or 'MptForCausalLM'} does not read it; MPTForCausalLM does"
    model = described(c, AttentionConfig(), kv_heads=c.num_attention_heads, ratio=4, bias=False)
    return replace(model, notes=(*model.notes, note)) if ignored else model


def foundry(c: Config, options: AttentionConfig) -> Model:
    """The model of the class that trained it."""
    kv_heads = {
        "multihead_attention": c.num_attention_heads,
        "multiquery_attention": 1,
        "grouped_query_attention": options.kv_n_heads,
    }.get(options.attn_type)
    if kv_heads is None:
        raise ConfigError(
            f"attn_config.attn_type: {shown(options.attn_type)} needs kv_n_heads"
            if options.attn_type == "grouped_query_attention"
            else f"attn_config.attn_type: unknown entry {shown(options.attn_type)}"
        )
    positions: tuple[Component, ...] = ()
    if c.learned_pos_emb and not options.alibi:
        positions = (Embedding("wpe", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION),)
    return described(c, options, kv_heads=kv_heads, ratio=c.expansion_ratio, bias=not c.no_bias, positions=positions)


def described(
    c: Config,
    options: AttentionConfig,
    *,
    kv_heads: int,
    ratio: int,
    bias: bool,
    positions: tuple[Component, ...] = (),
) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=kv_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=bias,
        out_bias=bias,
        qk_norm="all" if options.qk_ln else "",
        norm_bias=bias,
        names=Projections(fused="Wqkv", o="out_proj", q_norm="q_ln", k_norm="k_ln"),
    )
    ffn = FFN("ffn", width=c.hidden_size, hidden=ratio * c.hidden_size, activation=c.hidden_act, bias=bias)
    norms = tuple(Norm(name, width=c.hidden_size, bias=bias) for name in ("norm_1", "norm_2", "norm_f"))
    parts = (attention, ffn, *norms[:2])
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        before=positions,
        stack="blocks",
        after=norms[2:],
        classifier="classifier",
    )
