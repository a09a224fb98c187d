"""How the parameter count of a model looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ffncalc.analysis.layers import Kind, to_dicts
from ffncalc.analysis.names import ffn_kind
from ffncalc.analysis.params import Expansion, Params
from ffncalc.ir import Model, Role
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import grouped, percent, ratio, short
from ffncalc.report.titles import notes, subtitle, title

if TYPE_CHECKING:
    from ffncalc.analysis.explain import Explanation
    from ffncalc.analysis.tensors import Stored


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A count, and the details that were asked for."""

    params: Params
    layers: tuple[Kind, ...] | None = None
    tensors: tuple[Stored, ...] | None = None
    explanation: Explanation | None = None


def payload(entry: Entry[Counted]) -> dict[str, Any]:
    """The objects of the JSON contract beside `model`."""
    model, found = entry.ok()
    data: dict[str, Any] = {"params": found.params.to_dict()}
    if entry.base is not None:
        data |= changes(entry, entry.base.params, found.params)
    if found.layers is not None:
        data["layers"] = to_dicts(found.layers)
    if found.tensors is not None:
        data["tensors"] = [t.to_dict() for t in found.tensors if not t.extra]
        data["extra_tensors"] = [t.to_dict() | {"kind": t.extra} for t in found.tensors if t.extra]
    if found.explanation is not None:
        data["explain"] = found.explanation.to_dict()
    return data | {"notes": list(model.notes)}


def changes(entry: Entry[Any], before: Params, after: Params) -> dict[str, Any]:
    """What --set changed: the count without it, and the differences."""
    return {
        "base": {"params": before.to_dict()},
        "changes": {
            "set": list(entry.changes),
            "total": int(after.total) - int(before.total),
            "active": int(after.active) - int(before.active),
            "by_category": {name: int(n) - int(before.by_category[name]) for name, n in after.by_category.items()},
        },
    }


def rows(entry: Entry[Counted]) -> list[dict[str, Any]]:
    """One row per model; with layers or tensors, one for each of those."""
    _, found = entry.ok()
    if found.tensors is not None:
        return [
            {
                "tensor": t.name,
                "shape": "x".join(str(int(n)) for n in t.shape),
                "role": t.role.value,
                "count": int(t.count),
                "params": int(t.params),
                "tied": t.tied or None,
                "extra": t.extra or None,
            }
            for t in found.tensors
        ]
    if found.layers is not None:
        return [flat_row(layer) for layer in to_dicts(found.layers)]
    widths = {
        k: [e for e in found.params.expansion if e.kind == k] for k in ("dense", "routed_expert", "shared_expert")
    }
    row = flat_row(found.params.to_dict())
    for name, each in widths.items():
        row[f"{name}_width"] = " ".join(str(int(e.hidden)) for e in each) or None
        row[f"{name}_expansion"] = " ".join(str(e.ratio) for e in each) or None
    if entry.base is not None:
        row |= {"set": " ".join(entry.changes), "base_total": int(entry.base.params.total)}
    return [row]


def document(entries: Sequence[Entry[Counted]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Counted]) -> Iterator[Part]:
    model, found = entry.ok()
    yield categories(found.params, entry.base.params if entry.base else None)
    yield Facts(tuple(facts(model, found.params)))
    yield from notes(entry)
    if found.layers is None and found.tensors is None and found.explanation is None:
        return
    from ffncalc.report import parts

    if found.layers is not None:
        yield parts.layers(found.layers)
    if found.tensors is not None:
        yield parts.tensors(found.tensors)
    if found.explanation is not None:
        yield from parts.explanation(found.explanation)


COLUMNS = (
    Column(""),
    Column("parameters", number=True),
    Column("share", number=True),
    Column("active", number=True),
    Column("unchanged", number=True),
    Column("change", number=True),
)


def categories(found: Params, base: Params | None) -> Table:
    """The count by category, parts below their sums; active parameters and changes where they differ."""
    rows = []
    for name, key, level in lines(found, base):
        number, before = _number(found, key), _number(base, key) if base else 0
        active = _active(found, key) if found.active != found.total else None
        rows.append(
            Row(
                (
                    name,
                    grouped(number),
                    percent(number / found.total) if found.total else "",
                    "" if active is None else grouped(active),
                    grouped(before) if base else "",
                    ("0" if number == before else grouped(number - before, sign=True)) if base else "",
                ),
                level,
                total=key == "total",
            )
        )
    return Table(COLUMNS, tuple(rows))


def lines(found: Params, base: Params | None) -> Iterator[tuple[str, str, int]]:
    """(label, key, level) of the rows, largest category first; empty ones are left out."""

    def there(key: str) -> bool:
        return bool(_number(found, key) or (base and _number(base, key)))

    tops = ["ffn", "attention", "mixer", "embedding+head", "router", "norm", "multimodal", "other"]
    for key in sorted(filter(there, tops), key=lambda key: -_number(found, key)):
        kids = [(label, kid) for label, kid in PARTS.get(key, ()) if there(kid)]
        yield LABELS.get(key, key) if len(kids) != 1 or key == "ffn" else kids[0][0], key, 0
        if len(kids) > 1 or any(kid == Role.ROUTED for _, kid in kids):
            for label, kid in kids:
                yield label, kid, 1
    yield "total", "total", 0


LABELS = {"ffn": "FFN", "embedding+head": "embedding + head"}
PARTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "ffn": (("dense", Role.DENSE), ("routed experts", Role.ROUTED), ("shared experts", Role.SHARED)),
    "embedding+head": (("embedding", "embedding"), ("head", "head")),
}


def _number(found: Params, key: str) -> int:
    if key == "total":
        return int(found.total)
    if key == "embedding+head":
        return int(found.by_category["embedding"]) + int(found.by_category["head"])
    return int(found.by_category[key] if key in found.by_category else found.by_role[key])


def _active(found: Params, key: str) -> int:
    if key == "total":
        return int(found.active)
    if key == "embedding+head":
        return int(found.active_by_category["embedding"]) + int(found.active_by_category["head"])
    if key in found.active_by_category:
        return int(found.active_by_category[key])
    if key == Role.ROUTED:
        return int(found.active_by_category["ffn"]) - int(found.by_role[Role.DENSE]) - int(found.by_role[Role.SHARED])
    return int(found.by_role[key])


def facts(model: Model, found: Params) -> Iterator[tuple[str, str]]:
    """What else the count says, in words."""
    yield "total", f"{grouped(found.total)} ({short(found.total)})"
    every = ", every parameter" if found.active == found.total else ""
    yield "active per token", f"{grouped(found.active)} ({short(found.active)}){every}"
    yield (
        "that multiply",
        f"{grouped(found.active_matmul)} ({short(found.active_matmul)}), without lookups, norms and biases",
    )
    for each in found.expansion:
        yield KINDS[each.kind], width(each)
    if not found.expansion:
        yield "FFN", "none"
    else:
        yield "key–value slots", f"{grouped(found.slots)} FFN hidden units in all layers"
    if found.by_category["head"] or found.tied_embeddings:
        yield "output head", "tied to the token embedding, counted once" if found.tied_embeddings else "its own weights"
    extra = [
        f"{grouped(found.buffers)} in learned buffers" if found.buffers else "",
        f"{grouped(found.mtp)} ({short(found.mtp)}) in multi-token-prediction layers" if found.mtp else "",
    ]
    if any(extra):
        yield "stored besides", " and ".join(filter(None, extra))


KINDS = {"dense": "FFN", "routed_expert": "routed expert", "shared_expert": "shared experts"}


def width(each: Expansion) -> str:
    """A width with its ratios: `SwiGLU, 14,336 wide = 3.5 × 4,096, in 32 layers; 1.3125 × a two-matrix 4× FFN`."""
    where = f"in {each.layers} layer{'s' if each.layers != 1 else ''}"
    if each.runs != each.layers:
        where += f", run {each.runs} times"
    name = ffn_kind(each.activation, gated=each.gated)
    return (
        f"{name}, {grouped(each.hidden)} wide = {ratio(each.ratio)} × {grouped(each.width)}, {where}; "
        f"{ratio(each.equivalent)} × the parameters of a two-matrix 4× FFN"
    )


REPORT: Report[Counted] = Report(payload=payload, document=document, rows=rows)
