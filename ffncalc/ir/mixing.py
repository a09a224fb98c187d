"""What a token mixer does besides its weights: the keys it attends, its FLOPs, what it keeps for the next token."""

from __future__ import annotations

from ffncalc.formula import call
from ffncalc.ir.tensor import Role
from ffncalc.record import record


def _ramp(n: int, limit: int) -> int:
    """min(1, limit) + min(2, limit) + … + min(n, limit)."""
    inside = min(n, limit)
    return inside * (inside + 1) // 2 + (n - inside) * limit


@record(frozen=True)
class Span:
    """Which keys a token attends: `full`, `sliding` or `chunked` by `size`, the best `size` (`top_k`), or `source`.

    A source is as long as the context, or `size` tokens where that is said.
    `stride`: one key stands for that many tokens, once all of them are there (compressed attention).
    """

    kind: str = "full"
    size: int = 0
    stride: int = 1

    def keys(self, context: int) -> int:
        """Keys that the token at position `context` (from 1, itself included) attends."""
        if self.stride > 1:
            context = self.dense(context)
        if self.kind in ("sliding", "top_k"):
            return call("min", min(context, self.size), context, self.size)
        if self.kind == "chunked":
            return (context - 1) % self.size + 1
        if self.kind == "source":
            return self.size or context
        return context

    def dense(self, context: int) -> int:
        """Keys that exist at position `context`: those a kernel works on that only masks what is not attended."""
        return context if self.stride == 1 else context // self.stride

    def total(self, context: int, *, causal: bool = True) -> int:
        """Keys attended by all positions 1 … `context` together, exactly; later ones too where not `causal`.

        A window of an encoder is centred: of its `size` keys, half lie on each side.
        """
        n, size = int(context), int(self.size)
        if self.stride > 1:  # the number of keys rises by one every `stride` positions
            keys, rest = divmod(n, int(self.stride))
            limit = size or keys
            return int(self.stride) * _ramp(max(keys - 1, 0), limit) + min(keys, limit) * (rest + 1)
        if not causal:
            side = (size - 1) // 2 if self.kind == "sliding" else n
            return n + 2 * _ramp(n - 1, side)
        if self.kind in ("sliding", "top_k"):
            return _ramp(n, size)
        if self.kind == "chunked":
            whole, rest = divmod(n, size)
            return whole * _ramp(size, size) + _ramp(rest, size)
        return _ramp(n, n)

    def __str__(self) -> str:
        text = f"{self.kind} {self.size:,}" if self.size else self.kind
        return text if self.stride == 1 else f"{text} of 1/{self.stride:,}"


FULL = Span("full")


@record(frozen=True, kw_only=True)
class Mixing:
    """FLOPs of a token mixer that no weight accounts for.

    `per_key` FLOPs for each key of `span`, and `per_token` FLOPs whatever the context (recurrent state updates),
    which are counted under `role`.
    `absorbed` is `per_key` of the latent form of MLA (None: the same). `source` cites the recurrence.
    """

    per_key: int = 0
    span: Span = FULL
    per_token: int = 0
    role: Role = Role.MIXER
    absorbed: int | None = None
    indexer: bool = False
    source: str = ""


@record(frozen=True, kw_only=True)
class Cache:
    """Elements kept for the next token: `per_token` for each key of `span`, and a `constant` state."""

    per_token: int = 0
    span: Span = FULL
    constant: int = 0
