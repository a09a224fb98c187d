"""How the FFNs of a model look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ffncalc.activations import Activation
from ffncalc.analysis.derivation import Chapter, step
from ffncalc.analysis.explain import Explanation, explained
from ffncalc.analysis.ffn import Card, Kind, Matrix, Network
from ffncalc.analysis.worked import Worked, X
from ffncalc.components.ffn import Clamp
from ffncalc.formula import symbols, values
from ffncalc.ir import Model, Stream
from ffncalc.report.document import Column, Facts, Lines, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import decimal, grouped, ratio, runs, short
from ffncalc.report.parts import explanation
from ffncalc.report.titles import notes, subtitle, title


@dataclass(frozen=True, kw_only=True)
class Found:
    """The FFNs of a model; `worked` examples are shown in place of the cards, `explain` asks for derivations."""

    card: Card
    worked: tuple[Worked, ...] | None = None
    explain: bool = False


def payload(entry: Entry[Found]) -> dict[str, Any]:
    """The `ffn` object of the JSON contract."""
    model, found = entry.ok()
    data: dict[str, Any] = {"ffn": found.card.to_dict()}
    if found.worked is not None:
        data["worked"] = [each.to_dict() for each in found.worked]
    if entry.base is not None:
        before, after = entry.base.card, found.card
        data["base"] = {"ffn": before.to_dict()}
        changed = {name: int(getattr(after, name)) - int(getattr(before, name)) for name in TOTALS}
        data["changes"] = {"set": list(entry.changes), **changed}
    if found.explain:
        data["explain"] = derived(model, found.card).to_dict()
    return data | {"notes": list(model.notes)}


TOTALS = ("params", "active", "flops", "slots")


def rows(entry: Entry[Found]) -> list[dict[str, Any]]:
    """One row per network of each kind of layer; one without a network for a model that has none."""
    _, found = entry.ok()
    made: list[dict[str, Any]] = []
    for kind in found.card.having:
        layers = {"indexes": runs(kind.indexes), "layers": kind.layers, "stack": kind.stack, "calls": kind.calls}
        made += [{**layers, **_flat(network)} for network in kind.networks]
    return made or [{"layers": 0}]


def _flat(network: Network) -> dict[str, Any]:
    """A network as columns; `name` is the model's there, so the network's is `form`."""
    return {"form" if key == "name" else key: value for key, value in flat_row(network.to_dict()).items()}


def document(entries: Sequence[Entry[Found]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Found]) -> Iterator[Part]:
    model, found = entry.ok()
    if found.worked is None:
        yield from _cards(entry)
    elif not found.worked:
        yield Facts((("FFN", NONE),))
    else:
        for each in found.worked:
            yield from worked(each)
    if found.explain:
        yield from explanation(derived(model, found.card))


def _cards(entry: Entry[Found]) -> Iterator[Part]:
    """The kinds of layers side by side, each by itself, and their totals."""
    _, found = entry.ok()
    if len(found.card.kinds) > 1:
        yield _differences(found.card)
    seen: set[tuple[str, Clamp | None]] = set()
    for kind in found.card.having:
        yield from _kind(kind, found.card, seen)
    yield Facts(tuple(_totals(found.card, entry.base.card if entry.base else None)))
    yield from notes(entry)


NONE = "none: no layer of this model has one"
COLUMNS = (Column("part"), Column("tensor"), Column("shape", number=True), Column("parameters", number=True))
KINDS = {"dense": "FFN", "routed_expert": "routed expert", "shared_expert": "shared experts"}


def _differences(card: Card) -> Table:
    """One row per kind of layer, for models whose layers differ."""
    stacks = {kind.stack for kind in card.kinds}
    columns = (
        Column("layers"),
        Column("stack"),
        Column("count", number=True),
        Column("FFN"),
        Column("per layer", number=True),
        Column("per token", number=True),
    )

    def row(kind: Kind, number: Callable[[int], str]) -> Row:
        return Row(
            (
                runs(kind.indexes),
                kind.stack if len(stacks) > 1 else "",
                str(kind.layers),
                _summary(kind) if kind.networks else "none",
                number(kind.params),
                number(kind.active) if card.active != card.params else "",
            )
        )

    ordered = sorted(card.kinds, key=lambda kind: (kind.stream is Stream.TOKEN, kind.indexes))
    return Table(columns, tuple(row(k, grouped) for k in ordered), tuple(row(k, short) for k in ordered))


def _kind(kind: Kind, card: Card, seen: set[tuple[str, Clamp | None]]) -> Iterator[Part]:
    """The card of one kind of layer: its layers, then each of its networks; each activation is shown once."""
    yield Lines(f"{_where(kind, card)}: {_summary(kind)}", ())
    for network in kind.networks:
        form = network.form
        new = (form.activation, form.clamp) not in seen
        seen.add((form.activation, form.clamp))
        yield Facts(tuple(_facts(network, new)))
        yield Table((Column(KINDS[network.kind]), *COLUMNS[1:]), tuple(_row(matrix) for matrix in network.matrices))
        yield Facts(tuple(_sizes(network, kind)))
    if kind.besides:
        yield Table((Column("besides"), *COLUMNS[1:]), tuple(_row(matrix) for matrix in kind.besides))
    if len(kind.networks) > 1 or kind.besides or kind.router:
        yield Facts(tuple(_layer_totals(kind)))


def _where(kind: Kind, card: Card) -> str:
    stacks = {each.stack.partition("{}")[0] for each in card.kinds}
    place = f" of {kind.stack.partition('.{}')[0]}" if len(stacks) > 1 else ""
    alone = kind.layers == card.layers
    name = f"All {kind.layers} layers" if alone and kind.layers > 1 else f"Layers {runs(kind.indexes)}{place}"
    if kind.layers == 1:
        name = f"Layer {kind.indexes[0]}{place}"
    again = f", counted once and run {kind.calls} times" if kind.calls != 1 else ""
    return name + (f" ({kind.layers} of {card.layers}{again})" if not alone else again and f" ({again[2:]})")


def _summary(kind: Kind) -> str:
    return " + ".join(f"{_copies(each)}{each.name} {grouped(each.hidden)}" for each in kind.networks)


def _copies(network: Network) -> str:
    if network.kind == "routed_expert":
        return f"{network.used} of {network.copies} experts, "
    return "shared, " if network.kind == "shared_expert" else ""


def _facts(network: Network, new: bool) -> Iterator[tuple[str, str]]:
    form = network.form
    gated = "gated, three matrices" if form.gated else "not gated, two matrices"
    if form.bias:
        gated += ", each with a bias"
    yield "form", f"{network.name}: {form.formula}"
    yield "", gated
    for remark in form.remarks:
        yield "", remark
    if new:
        yield "activation", activation(form.called("x"), form.function)


def activation(called: str, function: Activation | None) -> str:
    """An activation in one line: its formula, three values, and its lowest point."""
    if function is None:
        return f"{called}, whose values are not known here"
    at, low = function.minimum
    if low == -float("inf"):
        least = "no minimum"
    elif at is not None:
        least = f"minimum {decimal(low)} at {decimal(at)}"
    else:
        least = f"minimum {decimal(low)}" if function.reached else f"always above {decimal(low)}"
    points = ", ".join(f"{decimal(function(x))} at {decimal(x)}" for x in (-1.0, 0.0, 1.0))
    return f"{called} = {function.formula}; {points}; {least}"


def _row(matrix: Matrix) -> Row:
    shape = " × ".join(str(int(n)) for n in matrix.shape)
    times = f"{grouped(matrix.count)} of " if matrix.count > 1 else ""
    return Row((matrix.part, matrix.name.replace("{}", "{expert}"), times + shape, grouped(matrix.params)))


def _sizes(network: Network, kind: Kind) -> Iterator[tuple[str, str]]:
    experts = network.kind == "routed_expert"
    width = f"{grouped(network.hidden)} = {ratio(network.ratio)} × {grouped(network.width)}"
    yield "width", f"{width}; {ratio(network.equivalent)} × the parameters of a two-matrix 4× FFN"
    yield "parameters", f"{_working(network.one)} per {'expert' if experts else 'layer'}"
    if experts:
        used = f"{network.used} of {network.copies} for each token"
        yield "experts", f"{used}; {grouped(network.params)} parameters in all of a layer"
    yield "FLOPs", f"{_working(network.flops)} per token and layer"
    yield "slots", f"{_working(kind.layers * network.copies * network.hidden)} keys and values in these layers"
    each = f"{grouped(network.width)} numbers{' each' if len(network.key) > 1 else ''}"
    yield "key i", f"{' and '.join(map(str, network.key))}: {each}".replace("{}", "{expert}")
    yield "value i", f"{network.value}: {grouped(network.width)} numbers".replace("{}", "{expert}")


def _working(number: int) -> str:
    """A number with its derivation, as far as it has one."""
    if values(number) == str(int(number)):
        return grouped(number)
    return " = ".join(dict.fromkeys((symbols(number), values(number), grouped(number))))


def _layer_totals(kind: Kind) -> Iterator[tuple[str, str]]:
    yield "one layer", f"{grouped(kind.params)} FFN parameters ({short(kind.params)})"
    if kind.active != kind.params:
        yield "one token", f"{grouped(kind.active)} of them ({short(kind.active)})"
    if kind.router:
        yield "router", f"{grouped(kind.router)} parameters, not in the FFN's"
    yield "FLOPs", f"{grouped(kind.flops)} per token and layer"


def _totals(card: Card, base: Card | None) -> Iterator[tuple[str, str]]:
    if not card.having:
        yield "FFN", NONE
        return
    without = [kind for kind in card.kinds if not kind.networks]
    if without:
        yield "no FFN", "; ".join(f"layers {runs(kind.indexes)}" for kind in without)
    yield "all FFNs", f"{grouped(card.params)} parameters ({short(card.params)})" + _change(card, base, "params")
    if card.active != card.params:
        yield "one token", f"{grouped(card.active)} parameters ({short(card.active)})" + _change(card, base, "active")
    stream = " of the decoder" if any(kind.stream is Stream.SOURCE for kind in card.kinds) else ""
    yield "FLOPs", f"{grouped(card.flops)} per token{stream} ({short(card.flops)})" + _change(card, base, "flops")
    yield "slots", f"{grouped(card.slots)} keys and values" + _change(card, base, "slots")


def _change(card: Card, base: Card | None, name: str) -> str:
    if base is None:
        return ""
    before, after = int(getattr(base, name)), int(getattr(card, name))
    return f"; unchanged {grouped(before)}, so {grouped(after - before, sign=True) if after != before else 'no change'}"


def derived(model: Model, card: Card) -> Explanation:
    """The derivation of every number of the FFNs."""
    found = list(_numbers(card))
    steps = tuple(step(name, number) for name, number in found)
    return explained(model, (number for _, number in found), (Chapter(title="FFN", steps=steps),))


def _numbers(card: Card) -> Iterator[tuple[str, int]]:
    for kind in card.having:
        layers = f"layers {runs(kind.indexes)}"
        for network in kind.networks:
            name = f"{layers}, {KINDS[network.kind]}"
            yield f"{name}: width", network.hidden
            yield f"{name}: parameters of one", network.one
            yield f"{name}: parameters of a layer", network.params
            yield f"{name}: FLOPs per token", network.flops
        yield f"{layers}: FFN parameters of one layer", kind.params
        yield f"{layers}: FFN parameters that one token uses", kind.active
    yield "all FFN parameters", card.params
    yield "FFN parameters that one token uses", card.active
    yield "FFN FLOPs per token", card.flops
    yield "key–value slots", card.slots


def worked(found: Worked) -> Iterator[Part]:
    """A worked example: the toy weights, then every step."""
    weights = [f"  x = {vector(X)}"]
    weights += [f"  {name} = [{', '.join(map(vector, rows))}]" for name, rows in found.matrices.items()]
    yield Lines(found.title, tuple(weights + [f"  {remark}" for remark in found.form.remarks]))
    rows = tuple(Row((stage.name, stage.formula, vector(stage.numbers))) for stage in found.stages)
    yield Table((Column("step"), Column("formula"), Column("numbers")), rows)


def vector(numbers: Sequence[float]) -> str:
    """Numbers in brackets, with at most three decimals."""
    return f"[{', '.join(map(decimal, numbers))}]"


REPORT: Report[Found] = Report(payload=payload, document=document, rows=rows)
