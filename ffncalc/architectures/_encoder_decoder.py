"""The frame of an encoder–decoder: an encoder that runs on the source, a decoder that also reads its output.

The encoder's blocks are the stream SOURCE and not causal. A class may keep the encoder alone, or the decoder alone,
whose cross attention stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ffncalc.architectures._encoder import labels
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Component, Model, Stream, layers
from ffncalc.record import record
from ffncalc.schema import BaseConfig, Size


class EncoderDecoderConfig(BaseConfig):
    """Fields that all encoder–decoders have. Defaults that differ by family are in defaults.json."""

    vocab_size: Size
    hidden_size: Size
    tie_word_embeddings: bool | None = True
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None

    @property
    def labels(self) -> int:
        """Classes of a classification head."""
        return labels(self.num_labels, self.id2label, 2)


@record(frozen=True, kw_only=True)
class Side:
    """An encoder or a decoder: its layers `count` × `layer(i)`, the parts before and after them.

    `layers` names the list of layers; `twice` are parts that run twice for each position (a convolution before one
    that halves the length).
    """

    name: str
    count: int
    layer: Callable[[int], tuple[Component, ...]]
    layers: str = "layers"
    twice: tuple[Component, ...] = ()
    before: tuple[Component, ...] = ()
    after: tuple[Component, ...] = ()


def encoder_decoder(
    c: EncoderDecoderConfig,
    *,
    base: str,
    shared: tuple[Component, ...] = (),
    encoder: Side | None = None,
    decoder: Side | None = None,
    head: tuple[Component, ...] = (),
    max_context: int | None = None,
) -> Model:
    """A model of the sides that its class keeps; names are under `base`, those of the head are not.

    An encoder without a decoder runs on the model's own tokens.
    """
    dot = f"{base}." if base else ""
    stream = Stream.SOURCE if decoder else Stream.TOKEN
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            *((Block(base, shared),) if shared else ()),
            *(blocks(encoder, dot, stream, causal=False) if encoder else ()),
            *(blocks(decoder, dot, Stream.TOKEN, causal=True) if decoder else ()),
            *((Block("", head),) if head else ()),
        ),
        max_context=max_context,
    )


def blocks(side: Side, dot: str, stream: Stream, *, causal: bool) -> tuple[Block, ...]:
    """The blocks of one side in the order they run."""
    root = f"{dot}{side.name}"
    inner = layers(f"{root}.{side.layers}.{{}}", side.count, side.layer, stream=stream, causal=causal)
    return (
        *((Block(root, side.twice, calls=2, stream=stream, causal=causal),) if side.twice else ()),
        *((Block(root, side.before, stream=stream, causal=causal),) if side.before else ()),
        *inner,
        *((Block(root, side.after, stream=stream, causal=causal),) if side.after else ()),
    )


def classification_head(c: EncoderDecoderConfig, out: int) -> tuple[Component, ...]:
    """A square map, then the labels, of the last token alone."""
    return (
        Linear("classification_head.dense", width=c.hidden_size, out=c.hidden_size, bias=True, once=True),
        Linear("classification_head.out_proj", width=c.hidden_size, out=out, bias=True, once=True),
    )
