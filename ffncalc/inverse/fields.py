"""Which fields of a config set the width of its FFNs, and how they are set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ffncalc import architectures, source, what_if
from ffncalc.analysis.params import networks
from ffncalc.errors import ConfigError, UsageError
from ffncalc.formula import labels
from ffncalc.ir import Model

MULTIPLE = 128  # widths are looked for among its multiples
# Fields that set the width of an FFN where the file leaves it to a rule such as 4 × the width of the model.
OPTIONAL = ("intermediate_size", "n_inner", "ffn_hidden_size", "mlp_hidden_size", "expansion_ratio", "d_inner")
ROUNDING = ("ffn_dim_divisor", "multiple_of", "block_multiple_of")  # they set the steps of a width, not the width


def build(raw: Mapping[str, Any]) -> Model:
    """The model of a parsed config."""
    return architectures.build(source.translate(raw))


def width_fields(raw: Mapping[str, Any], model: Model) -> tuple[str, ...]:
    """The fields that set the width of those FFNs of a model that hold most of its FFN parameters."""
    sizes: dict[tuple[str, ...], int] = {}
    narrow = set(labels(model.width))
    for count, _, ffn, copies in networks(model):
        names = tuple(name for name in labels(ffn.hidden) if name not in narrow and _settable(raw, name))
        sizes[names] = sizes.get(names, 0) + int(count * copies * ffn.hidden)
    if not sizes:
        return ()
    main = max(sizes, key=lambda names: sizes[names])
    if main:
        together = [names for names in sizes if len(names) == 1 and sizes[names] == sizes[main]]
        return tuple(dict.fromkeys(name for names in together for name in names)) or main[:1]
    before = widest(model)
    for name in OPTIONAL:
        try:
            model = build(changed(raw, (name,), before + 1 if name != "expansion_ratio" else 1))
        except (UsageError, ConfigError):
            continue
        if widest(model) != before:
            return (name,)
    return ()


def _settable(raw: Mapping[str, Any], name: str) -> bool:
    """Whether a label of a number is a key that can be set to an integer, and no step of a rounding."""
    if name.rpartition(".")[2] in ROUNDING:
        return False
    try:
        changed(raw, (name,), MULTIPLE)
    except UsageError:
        return False
    return True


def widest(model: Model) -> int:
    """The width of the FFNs that hold most parameters; 0 where there are none."""
    main = max(networks(model), key=lambda found: found[0] * found[3] * found[2].hidden, default=None)
    return main[2].hidden if main else 0


def changed(raw: Mapping[str, Any], fields: tuple[str, ...], value: int) -> Mapping[str, Any]:
    """The config with all `fields` set to one value."""
    return what_if.apply(raw, assignments(raw, fields, value))[0]


def assignments(raw: Mapping[str, Any], fields: tuple[str, ...], value: int) -> tuple[str, ...]:
    """`KEY=VALUE` for each field; a list of one number per layer becomes one of equal numbers."""
    made = []
    for name in fields:
        old = lookup(raw, name)
        text = json.dumps([value] * len(old)) if isinstance(old, list) else str(value)
        made.append(f"{name}={text}")
    return tuple(made)


def lookup(raw: Mapping[str, Any], name: str) -> object:
    """What stands under a dotted key; None where nothing does."""
    found: object = raw
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def now(raw: Mapping[str, Any], fields: tuple[str, ...], model: Model) -> int:
    """What the first field is now; the width itself where the file does not say."""
    _, (change,) = what_if.apply(raw, assignments(raw, fields[:1], 1))
    before = change.before[0] if isinstance(change.before, list) and change.before else change.before
    if isinstance(before, int) and not isinstance(before, bool):
        return before
    defaults = dict(model.defaults)
    taken = defaults.get(change.key, defaults.get(fields[0]))
    return taken if isinstance(taken, int) and not isinstance(taken, bool) else widest(model)
