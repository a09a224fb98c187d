"""Every bundled config against its oracle list: names, shapes, categories, ties, total."""

from __future__ import annotations

import pytest

import ffncalc
from ffncalc.ir import Block, Component, Model, Tensor
from ffncalc.source import bundled
from tests.oracle import lists

NAMES = [name for name, _ in bundled.entries()]


@pytest.mark.parametrize("name", NAMES)
def test_tensors_are_those_of_the_checkpoint(name: str) -> None:
    ours, theirs = tensors(ffncalc.load(name)), lists.read(lists.path_of(name))
    assert ours.keys() == theirs.keys()
    assert ours == theirs


@pytest.mark.parametrize("name", NAMES)
def test_total_is_that_of_the_oracle(name: str) -> None:
    assert ffncalc.params(ffncalc.load(name)).total == lists.total(lists.path_of(name))


def test_no_list_is_left_without_a_config() -> None:
    kept = {str(path.relative_to(lists.ROOT).with_suffix("")) for path in lists.ROOT.rglob("*.txt")}
    assert kept == set(NAMES)


def tensors(model: Model) -> dict[str, lists.Entry]:
    """Every tensor of a model by its full name, layers and experts spelt out."""
    found: dict[str, lists.Entry] = {}
    for block, part, tensor in model.tensors():
        entry = lists.Entry(tuple(map(int, tensor.stored_shape)), block.role(tensor).category, tensor.tied)
        for name in names(block, part, tensor):
            assert name not in found, f"{name} stands twice"
            found[name] = entry
    return found


def names(block: Block, part: Component, tensor: Tensor) -> list[str]:
    template = block.named(part, tensor)
    layers = [template.replace("{layer}", str(i)) for i in block.indexes] or [template]
    if tensor.count == 1:
        return layers
    return [name.replace("{}", str(expert)) for name in layers for expert in range(tensor.count)]
