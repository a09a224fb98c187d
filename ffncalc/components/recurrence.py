"""The FLOPs of a recurrent state update.

One convention for all recurrent mixers. Every product with or into the state counts as one multiply-add, 2 FLOPs,
per state element: the decay, what is read before writing (delta rule), what is written, and the readout. Gates,
exponentials, normalisers without a product, skip connections and the taps of depthwise convolutions are 0.
These are the FLOPs of the recurrence as the papers write it; chunked kernels do more work to be faster.
"""

from __future__ import annotations

from ffncalc.ir import Cache, Mixing


def recurrence(elements: int, products: int, source: str) -> Mixing:
    """`products` multiply-adds for each of `elements` state elements, whatever the context."""
    return Mixing(per_token=2 * products * elements, source=source)


def state(elements: int, channels: int = 0, kernel: int = 1) -> Cache:
    """A recurrent state and the last kernel - 1 inputs of a depthwise convolution over `channels`."""
    return Cache(constant=elements + channels * (kernel - 1) if channels else elements)
