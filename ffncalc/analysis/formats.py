"""How many bytes a weight takes in a number format, with the scales that belong to it."""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.errors import UsageError, nearest
from ffncalc.formula import call, total

BITS = {
    "float64": 64,
    "float32": 32,
    "bfloat16": 16,
    "float16": 16,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
    "int8": 8,
    "uint8": 8,
    "int4": 4,
    "float4": 4,
}
ALIASES = {
    "double": "float64",
    "fp64": "float64",
    "float": "float32",
    "fp32": "float32",
    "f32": "float32",
    "half": "float16",
    "fp16": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
    "fp8": "float8_e4m3fn",
    "float8": "float8_e4m3fn",
    "f8": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e5m2": "float8_e5m2",
    "fp4": "float4",
    "nf4": "float4",
}


def dtype(text: str) -> str:
    """The name of a number format: `bf16`, `torch.bfloat16` and `bfloat16` are one.

    Raises:
        UsageError: it is not known.
    """
    name = text.strip().lower().removeprefix("torch.")
    name = ALIASES.get(name, name)
    if name in BITS:
        return name
    near = nearest(name, (*BITS, *ALIASES), 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UsageError(f"{text!r} is no number format that is known", f"{hint}Known: {', '.join(BITS)}.")


@dataclass(frozen=True, kw_only=True)
class Scales:
    """Numbers that a weight shares in blocks of `rows` × `columns` (0: all of them); `bits` for each block."""

    rows: int
    columns: int
    bits: int


@dataclass(frozen=True, kw_only=True)
class Format:
    """A weight [out, in] as `bits` per element, `scales` per block, `per_input` bits and `constant` bytes more.

    `flat`: the matrix is stored as one run of elements, and blocks are counted along that.
    """

    label: str
    bits: int
    scales: tuple[Scales, ...] = ()
    per_input: int = 0
    constant: int = 0
    flat: bool = False

    def size(self, out: int, inputs: int) -> int:
        """Bytes of one weight [out, inputs]."""
        rows, columns = (1, out * inputs) if self.flat else (out, inputs)
        return total(
            (
                octets(out * inputs, self.bits),
                *(octets(blocks(rows, s.rows) * blocks(columns, s.columns), s.bits) for s in self.scales),
                octets(inputs, self.per_input) if self.per_input else 0,
                self.constant,
            )
        )


def octets(count: int, bits: int) -> int:
    """Bytes of `count` numbers of `bits`."""
    if bits % 8 == 0:
        return count if bits == 8 else bits // 8 * count
    if 8 % bits == 0:
        return blocks(count, 8 // bits)
    return blocks(bits * count, 8)


def blocks(length: int, size: int) -> int:
    """How many blocks of `size` (0: one block) cover a length."""
    if size == 0:
        return 1
    if size == 1:
        return length
    return length // size if length % size == 0 else call("ceil", -(-length // size), length // size)
