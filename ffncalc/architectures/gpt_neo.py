"""GPT-Neo: GPT-2 with plain linear maps, no bias on queries, keys and values, and local attention in some layers.

Source: transformers models/gpt_neo; Black et al. 2021, doi:10.5281/zenodo.5297715.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import FFN
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Role, Span
from ffncalc.schema import DEEPEST, Count, Size

PATTERN = (["global", "local"], 12)  # what the class assumes where the file has no attention_types


def _pairs(value: object) -> object:
    """`[[kinds, times], …]`, as pairs."""
    return [tuple(entry) if isinstance(entry, list) else entry for entry in value] if isinstance(value, list) else value


class Config(DecoderConfig):
    aliases = {
        "num_hidden_layers": ("num_layers",),
        "num_attention_heads": ("num_heads",),
        "hidden_act": ("activation_function",),
    }
    max_position_embeddings: Size = 2048
    intermediate_size: Size | None = None
    attention_types: Annotated[list[tuple[list[str], Count]] | None, BeforeValidator(_pairs)] = None
    attention_layers: list[str] | None = None
    window_size: Size = 256
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size if c.intermediate_size is None else c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="c_fc",
        down="c_proj",
    )
    around = norms(c, "ln_1", "ln_2", bias=True)
    parts: dict[str, tuple[Component, ...]] = {
        "global": (attention(c, FULL), ffn, *around),
        "local": (attention(c, Span("sliding", c.window_size)), ffn, *around),
    }
    kinds = layer_kinds(c, parts)
    return decoder(
        c,
        lambda i: parts[kinds[i]],
        base="transformer",
        embed="wte",
        before=(Embedding("wpe", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION),),
        stack="h",
        after=norms(c, "ln_f", bias=True),
        classifier="classifier",
    )


def attention(c: Config, span: Span) -> Attention:
    return Attention(
        "attn.attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        span=span,
        out_bias=True,
        names=Projections(o="out_proj"),
    )


def layer_kinds(c: Config, known: dict[str, Any]) -> list[str]:
    """`global` or `local` per layer, from `attention_layers` or from the pattern in `attention_types`.

    Raises:
        ConfigError: the pattern does not give one kind per layer, or gives an unknown one.
    """
    kinds, field = c.attention_layers, "attention_layers"
    if kinds is None:
        field, kinds = "attention_types", []
        for run, times in c.attention_types or [PATTERN]:
            kinds += run * min(times, DEEPEST)
    if len(kinds) != c.num_hidden_layers:
        raise ConfigError(
            f"{field}: gives {len(kinds)} layers, but {c.key('num_hidden_layers')} is {c.num_hidden_layers}"
        )
    if unknown := set(kinds) - set(known):
        raise ConfigError(f"{field}: unknown entry {shown(sorted(unknown)[0])}, expected global or local")
    return kinds
