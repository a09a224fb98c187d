"""Gemma 3n, the text model: AltUp, LAuReL, per-layer embeddings, keys and values shared by the last layers.

Source: https://ai.google.dev/gemma/docs/gemma-3n, arXiv:2301.13310 (AltUp), arXiv:2411.07501 (LAuReL),
transformers models/gemma3n.
"""

from __future__ import annotations

from ffncalc.architectures import _per_layer
from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.dense import SANDWICH
from ffncalc.architectures.patterns import after, every, per_layer, sharing, spans
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.linear import linear, vector
from ffncalc.components.norm import norm
from ffncalc.ir import Component, Mixing, Model, Role, Span, Tensor
from ffncalc.record import record
from ffncalc.schema import Count, Few, Size


class Config(DecoderConfig):
    aliases = {"hidden_act": ("hidden_activation",)}
    intermediate_size: Size | list[Size]
    attention_bias: bool = False
    num_kv_shared_layers: Count = 15
    vocab_size_per_layer_input: Size = 262144
    hidden_size_per_layer_input: Size = 256
    altup_num_inputs: Few = 4
    laurel_rank: Size = 64
    activation_sparsity_pattern: float | list[float] | None = None


@record(frozen=True, kw_only=True)
class AltUp(Component):
    """Alternating updates: the layer runs on one of `inputs` streams, the others are predicted and corrected.

    Both the prediction and the correction ask the router, and the prediction mixes the streams: a product
    [width, inputs] × [inputs, inputs] without weights of its own (arXiv:2301.13310).
    """

    width: int
    inputs: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            vector("correct_output_scale", self.width, Role.OTHER),
            *linear("correction_coefs", self.inputs, self.inputs, Role.OTHER),
            *linear("prediction_coefs", self.inputs, self.inputs * self.inputs, Role.OTHER),
            *linear("modality_router", self.width, self.inputs, Role.OTHER),
            *norm("router_norm", self.width),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        again = 2 * self.width * self.inputs
        mixed = 2 * self.width * self.inputs * self.inputs
        return (Mixing(per_token=again + mixed, role=Role.OTHER, source="arXiv:2301.13310"),)


@record(frozen=True, kw_only=True)
class Laurel(Component):
    """A residual of low rank beside the attention (arXiv:2411.07501): 2 × width × rank weights."""

    width: int
    rank: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *linear("linear_left", self.width, self.rank, Role.OTHER),
            *linear("linear_right", self.rank, self.width, Role.OTHER),
            *norm("post_laurel_norm", self.width),
        )


def build(c: Config) -> Model:
    found, hidden, sparse = layer_spans(c), widths(c), sparsities(c)
    shared = sharing(c.key("num_kv_shared_layers"), c.num_kv_shared_layers, found)
    rest = (
        *norms(c, *SANDWICH),
        AltUp("altup", width=c.hidden_size, inputs=c.altup_num_inputs),
        Laurel("laurel", width=c.hidden_size, rank=c.laurel_rank),
        *_per_layer.inputs(width=c.hidden_size, narrow=c.hidden_size_per_layer_input),
    )
    kinds = list(zip(found, shared, hidden, sparse, strict=True))
    parts = {kind: layer(c, *kind, rest) for kind in dict.fromkeys(kinds)}
    tables = _per_layer.tables(
        rows=c.vocab_size_per_layer_input,
        layers=c.num_hidden_layers,
        width=c.hidden_size,
        narrow=c.hidden_size_per_layer_input,
    )
    return decoder(c, lambda i: parts[kinds[i]], before=(*tables, *streams(c)))


def layer(
    c: Config, span: Span, shared: bool, hidden: int, sparsity: float, rest: tuple[Component, ...]
) -> tuple[Component, ...]:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
        shared_kv=shared,
    )
    ffn = GatedFFN("mlp", width=c.hidden_size, hidden=hidden, activation=c.hidden_act, sparsity=sparsity)
    return (attention, ffn, *rest)


def streams(c: Config) -> tuple[Component, ...]:
    """The projections that spread the embedding over the streams of AltUp, and those that gather them at the end."""
    return tuple(
        Linear(f"{name}.{i}", width=c.hidden_size, out=c.hidden_size, role=Role.OTHER)
        for name in ("altup_projections", "altup_unembed_projections")
        for i in range(c.altup_num_inputs - 1)
    )


def widths(c: Config) -> list[int]:
    """The FFN width of each layer: one for all, or a list."""
    if isinstance(c.intermediate_size, list):
        return list(per_layer(c.key("intermediate_size"), c.intermediate_size, c.num_hidden_layers))
    return [c.intermediate_size] * c.num_hidden_layers


def sparsities(c: Config) -> list[float]:
    """The share of FFN gates that each layer cuts off: 0.95 in the first ten of more than ten layers by default."""
    count, found = c.num_hidden_layers, c.activation_sparsity_pattern
    if isinstance(found, list):
        return list(per_layer(c.key("activation_sparsity_pattern"), found, count))
    return after(count, 10 if count > 10 else 0, 0.0, 0.95) if found is None else [found] * count


def layer_spans(c: Config) -> list[Span]:
    """Every fifth layer sees all keys, unless `layer_types` says otherwise."""
    default = every(c.num_hidden_layers, 5, "full_attention", "sliding_attention", offset=1)
    kinds = c.layer_types if c.layer_types is not None else default
    return spans(per_layer(c.key("layer_types"), kinds, c.num_hidden_layers), window=c.window)
