"""The size in the name is not what the config counts.

`8B`, `30B-A3B`, `8x7B` in `_name_or_path`, in the file's name or its folder's are compared with the parameters; most
swapped configs show here. Names round, so a quarter more or less passes. 8x7B are 8 experts in what would have 7B with
one; the rest is shared, so the total is less than the product, but not half of it.

Bad: {"_name_or_path": "org/model-70B"}
Good: {"_name_or_path": "org/model-8B"}
Source: names on the Hub
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from ffncalc.analysis.parallel import axes
from ffncalc.analysis.params import Params, params
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject
from ffncalc.ir import Model, Role

SEVERITY = Severity.WARNING
SIZE = re.compile(
    r"(?<![a-z0-9.])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?:-?a(\d{1,3}(?:\.\d{1,3})?)b)?(?![a-z0-9])"
)
SLACK = 0.25
NO_SIZE = re.compile(r"draft|eagle|medusa|dflash|assistant|mtp|speculator|lora|adapter|prun|distill?ed-from|reward")


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model is None:
        return
    named = subject.raw.get("_name_or_path")
    claims = [("_name_or_path", named)] if isinstance(named, str) else []
    counted: Params | None = None
    for field, name in (*claims, ("", _path_name(subject.path))):
        match = SIZE.search(_spelt(name))
        if match is None or NO_SIZE.search(name.lower()):
            continue
        counted = counted or params(subject.model)
        fault = _compare(field, match, counted, subject.model)
        if fault is not None:
            yield fault
            return


def _spelt(name: str) -> str:
    """The last part of a name in small letters, 1_8b as 1.8b."""
    return re.sub(r"(?<![\d.])(\d)_(?=\d)", r"\1.", name.rpartition("/")[2].lower()).replace("_", "-")


def _path_name(path: str) -> str:
    """What a file is called: its own name, or its folder's for a config.json."""
    pure = PurePath(path)
    return pure.parent.name if pure.stem in ("config", "params") else pure.stem


def _compare(field: str, match: re.Match[str], counted: Params, model: Model) -> Fault | None:
    scale = 1e9 if match[3] == "b" else 1e6
    claim = float(match[2]) * scale
    total, active = int(counted.total), int(counted.active)
    if match[1]:
        product = claim * int(match[1])
        fits = product / 2 <= total <= product * (1 + SLACK)
        fits = fits and any(_near(claim, count) for count in _with_one_expert(counted, model))
    else:
        fits = any(_near(claim, count) for count in _counts(counted))
        fits = fits and (not match[4] or _near(float(match[4]) * 1e9, active, 0.35))
    if fits:
        return None
    shown = f"{_short(total)} parameters{_active(counted)}"
    return Fault(field, f"the name says {match[0].upper()}, the config has {shown}", _HINT)


def _counts(counted: Params) -> Iterator[int]:
    """What publishers name a model after: all of it, without the embedding, without its towers, or what is active."""
    total, embedding = int(counted.total), int(counted.by_category["embedding"])
    text = total - int(counted.by_category["multimodal"])
    yield from (total, total - embedding, text, text - embedding, int(counted.active))
    yield int(total / 1e9) * 10**9  # rounded down


def _with_one_expert(counted: Params, model: Model) -> tuple[int, int]:
    """The parameters of the model if it had one expert in each layer, and without the embedding."""
    experts = max((axis.value for axis in axes(model) if axis.kind == "experts"), default=1)
    one = int(counted.total) - int(counted.by_role[Role.ROUTED]) * (experts - 1) // experts
    return one, one - int(counted.by_category["embedding"])


_HINT = "Is this the config of another model?"


def _near(claim: float, count: int, slack: float = SLACK) -> bool:
    """Whether a rounded size means a count; small numbers are rounded coarsely."""
    unit = 1e9 if claim >= 1e9 else 1e6
    return abs(claim - count) <= max(slack * claim, 0.6 * unit if claim >= 1e9 else 6 * unit)


def _active(counted: Params) -> str:
    return f", {_short(int(counted.active))} active" if int(counted.active) != int(counted.total) else ""


def _short(number: int) -> str:
    return f"{number / 1e9:.2f}B" if number >= 10**9 else f"{number / 1e6:.1f}M"
