"""SmolLM3: Llama with layers without rotary positions, which may have a window.

Source: https://huggingface.co/blog/smollm3, transformers models/smollm3.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures.patterns import every, per_layer
from ffncalc.ir import FULL, Model, Span
from ffncalc.schema import Size


class Config(dense.Config):
    no_rope_layers: list[int] | None = None  # 0: the layer has no rotary positions
    no_rope_layer_interval: Size = 4


ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias")


def build(c: Config) -> Model:
    return dense.model(c, ROW, found=layer_spans(c))


def layer_spans(c: Config) -> list[Span]:
    """A window, where it is switched on, in the layers without rotary positions."""
    if c.layer_types is not None or not (c.window and c.use_sliding_window):
        return dense.layer_spans(c, "")
    count = c.num_hidden_layers
    default = every(count, c.no_rope_layer_interval, 0, 1, offset=1)
    rotary = per_layer(c.key("no_rope_layers"), default if c.no_rope_layers is None else c.no_rope_layers, count)
    sliding = Span("sliding", c.window)
    return [FULL if flag else sliding for flag in rotary]
