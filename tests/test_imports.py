"""Imports point one way: formula ← schema, ir ← components ← architectures ← analysis, checks ← report ← cli."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ffncalc

ROOT = Path(ffncalc.__file__).parent
LEAVES = {"errors", "origin", "quantity", "record", "storage"}  # anyone may import these, and they import nobody
RANKS = {
    **dict.fromkeys(LEAVES, 0),
    "source": 0,
    "activations": 1,
    "formula": 1,
    "fields": 2,
    "schema": 2,
    "ir": 2,
    "components": 3,
    "architectures": 4,
    "analysis": 5,
    "checks": 5,
    "api": 5,
    "what_if": 5,
    "inverse": 5,
    "arguments": 6,
    "report": 6,
    "cli": 7,
    "__main__": 8,
}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def names(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(path: Path) -> Iterator[str]:
    """The full name of each module that a file imports, at the top or later."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(module: str) -> str:
    """The part of the package a module belongs to: `analysis` for `ffncalc.analysis.params`."""
    return module.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=names)
def test_a_module_imports_only_what_stands_before_it(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    others = {part(m) for m in imported(path) if m.startswith("ffncalc.")} - {own, "__version__"}
    assert own in RANKS, f"{own} has no place in the order"
    if own == "source":
        assert others <= LEAVES | {"formula"}  # a dialect computes sizes, and they keep their derivation
    else:
        assert {other for other in others if other in RANKS and RANKS[other] > RANKS[own]} == set()


@pytest.mark.parametrize("path", [*FILES, ROOT / "__init__.py"], ids=names)
def test_no_module_imports_click_torch_or_transformers(path: Path) -> None:
    assert {module.split(".")[0] for module in imported(path)} & {"click", "torch", "transformers"} == set()


def test_counting_imports_no_hub_client_console_validator_or_parser() -> None:
    code = (
        "import sys; sys.argv = ['ffncalc', 'params', 'meta-llama/Llama-3.1-8B']\n"
        "from ffncalc.__main__ import main; main()\n"
        "slow = {'huggingface_hub', 'pydantic', 'typer', 'rich.console', 'httpx', 'torch'}\n"
        "print(*slow & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "8,030,261,248" in done.stdout
    assert done.stderr.split() == []
