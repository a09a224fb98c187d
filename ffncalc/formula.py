"""Num: an integer that remembers how it was computed.

`3 * Num(4096, "hidden_size") * Num(14336, "intermediate_size")` is 176160768, and prints as
`3 × hidden_size × intermediate_size` and `3 × 4096 × 14336`. Arithmetic only records its operands; the
text is worked out when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable

Factor = tuple[str, str]  # (symbol, value) as they are printed
Terms = dict[tuple[Factor, ...], int]  # product of factors -> coefficient


class Num(int):
    """An int with a label (a config key) or with the operation and operands it came from.

    Sums and products are shown expanded with like terms merged; any other operation is shown as one factor. What is no
    int (a list repeated, a float) gets NotImplemented, so that Python tries the other operand.
    """

    label: str = ""
    op: str = ""
    args: tuple[int, ...] = ()

    def __new__(cls, value: int, label: str = "", op: str = "", args: tuple[int, ...] = ()) -> Num:
        """A labelled leaf, or the result of `op` on `args`."""
        self = int.__new__(cls, value)
        if label:
            self.label = label
        else:
            self.op, self.args = op, args
        return self

    def __add__(self, other: int) -> Num:
        value = int.__add__(self, other)
        return value if value is NotImplemented else _new(value, "+", (self, other))

    def __radd__(self, other: int) -> Num:
        value = int.__add__(self, other)
        return value if value is NotImplemented else _new(value, "+", (other, self))

    def __sub__(self, other: int) -> Num:
        value = int.__sub__(self, other)
        return value if value is NotImplemented else _new(value, "-", (self, other))

    def __rsub__(self, other: int) -> Num:
        value = int.__rsub__(self, other)
        return value if value is NotImplemented else _new(value, "-", (other, self))

    def __mul__(self, other: int) -> Num:
        value = int.__mul__(self, other)
        return value if value is NotImplemented else _new(value, "*", (self, other))

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> Num:
        value = int.__floordiv__(self, other)
        return value if value is NotImplemented else _new(value, "/", (self, other))

    def __rfloordiv__(self, other: int) -> Num:
        value = int.__rfloordiv__(self, other)
        return value if value is NotImplemented else _new(value, "/", (other, self))

    def __reduce__(self) -> tuple[type[Num], tuple[int, str, str, tuple[int, ...]]]:
        return Num, (int(self), self.label, self.op, self.args)

    @property
    def symbols(self) -> str:
        """The derivation with names: `3 × hidden_size × intermediate_size`."""
        return _render(_terms(self), 0)

    @property
    def values(self) -> str:
        """The derivation with numbers: `3 × 4096 × 14336`."""
        return _render(_terms(self), 1)


def _new(value: int, op: str, args: tuple[int, ...]) -> Num:
    """`Num(value, "", op, args)`, without the call of a class: thousands are made for each model."""
    self = int.__new__(Num, value)
    self.op, self.args = op, args
    return self


ZERO = _new(0, "+", ())


def call(name: str, value: int, *args: int) -> Num:
    """`value` as the result of a named function of `args`: `call("max", 5, a, b)` shows `max(a, b)`."""
    return Num(value, op=name, args=args)


def total(numbers: Iterable[int]) -> Num:
    """The sum of `numbers`, shown as one flat sum."""
    args = tuple([number for number in numbers if number])
    if len(args) < 2 and isinstance(only := args[0] if args else ZERO, Num):
        return only
    value = 0
    for number in args:
        value = int.__add__(number, value)
    return _new(value, "+", args)


def product(numbers: Iterable[int]) -> Num:
    """The product of `numbers`, shown as one flat product."""
    args, value = tuple(numbers), 1
    for number in args:
        value = int.__mul__(number, value)
    return _new(value, "*", args)


def symbols(number: int) -> str:
    """The derivation of any integer with names; a plain int is its own."""
    return number.symbols if isinstance(number, Num) else str(number)


def values(number: int) -> str:
    """The derivation of any integer with numbers; a plain int is its own."""
    return number.values if isinstance(number, Num) else str(number)


def labels(number: int) -> list[str]:
    """The config keys a number was computed from, in order of appearance, each once."""
    found: dict[str, None] = {}
    stack: list[int] = [number]
    while stack:
        node = stack.pop()
        if isinstance(node, Num):
            if node.label:
                found[node.label] = None
            stack.extend(reversed(node.args))
    return list(found)


def _terms(number: int) -> Terms:
    """`number` as a polynomial over its factors."""
    if not isinstance(number, Num) or not (number.label or number.op):
        return {(): int(number)}
    if number.label:
        return {((number.label, str(int(number))),): 1}
    if number.op == "+":
        return _added((_terms(arg), 1) for arg in number.args)
    if number.op == "-":
        left, right = number.args
        return _added(((_terms(left), 1), (_terms(right), -1)))
    if number.op == "*":
        return _multiplied(_terms(arg) for arg in number.args)
    return {(_opaque(number),): 1}


def _added(parts: Iterable[tuple[Terms, int]]) -> Terms:
    merged: Terms = {}
    for terms, sign in parts:
        for factors, coefficient in terms.items():
            merged[factors] = merged.get(factors, 0) + sign * coefficient
    return {factors: coefficient for factors, coefficient in merged.items() if coefficient}


def _multiplied(parts: Iterable[Terms]) -> Terms:
    out: Terms = {(): 1}
    for terms in parts:
        step: Terms = {}
        for left, a in out.items():
            for right, b in terms.items():
                key = tuple(sorted(left + right))
                step[key] = step.get(key, 0) + a * b
        out = step
    return out


def _opaque(number: Num) -> Factor:
    """An operation that is neither sum nor product, as one factor: `(hidden_size / heads)`, `⌊a / b⌋`, `max(a, b)`."""
    if number.op == "/":
        (top, top_value), (bottom, bottom_value) = map(_operand, number.args)
        left, right = "⌊⌋" if int(number.args[0]) % int(number.args[1]) else "()"
        return f"{left}{top} / {bottom}{right}", f"{left}{top_value} / {bottom_value}{right}"
    shown = [(symbols(arg), values(arg)) for arg in number.args]
    joined = (", ".join(texts) for texts in zip(*shown, strict=True))
    symbol, value = (f"{number.op}({text})" for text in joined)
    return symbol, value


def _operand(number: int) -> Factor:
    """One side of a quotient; in brackets unless it is a single factor or a literal."""
    terms = _terms(number)
    shown = _render(terms, 0), _render(terms, 1)
    single = len(terms) == 1 and all(len(factors) + (coefficient != 1) <= 1 for factors, coefficient in terms.items())
    return shown if single or not terms else (f"({shown[0]})", f"({shown[1]})")


def _render(terms: Terms, column: int) -> str:
    text = ""
    for factors, coefficient in terms.items():
        names = [factor[column] for factor in factors]
        if abs(coefficient) != 1 or not names:
            names.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += (f" {sign} " if text else "-" if sign == "-" else "") + " × ".join(names)
    return text or "0"
