"""The supported types: each is listed, described, exemplified and checked."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.archs import archs
from ffncalc.architectures import MODULES, dense, moe
from ffncalc.schema import BaseConfig
from ffncalc.source import bundled
from tests.oracle import lists


def test_types_are_sorted() -> None:
    assert list(MODULES) == sorted(MODULES)


@pytest.mark.parametrize("module", sorted(set(MODULES.values())))
def test_every_module_has_a_config_and_builds(module: str) -> None:
    found = import_module(f"ffncalc.architectures.{module}")
    assert issubclass(found.Config, BaseConfig)
    assert callable(found.build)


@pytest.fixture(scope="module")
def exemplified() -> set[str]:
    """The types that the bundled configs hold, parts of composite models included."""
    met: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        parse = BaseConfig.parse.__func__  # type: ignore[attr-defined]

        def recorded(cls: type[BaseConfig], raw: dict[str, Any], *args: Any, **options: Any) -> BaseConfig:
            met.add(raw.get("model_type", ""))
            config: BaseConfig = parse(cls, raw, *args, **options)
            return config

        patch.setattr(BaseConfig, "parse", classmethod(recorded))
        for name, _ in bundled.entries():
            ffncalc.load(name)
    return met


# Types that files of early checkpoints name; the same repositories name the later type today.
EARLY = {"BaiChuan", "Baichuan", "RefinedWeb", "RefinedWebModel"}


@pytest.mark.parametrize("model_type", [name for name in MODULES if name not in EARLY])
def test_every_type_stands_in_a_bundled_config(model_type: str, exemplified: set[str]) -> None:
    assert model_type in exemplified


def test_types_are_listed_with_the_configs_that_name_them() -> None:
    found = {arch.model_type: arch for arch in archs()}
    assert list(found) == list(MODULES)
    assert "meta-llama/Llama-3.1-8B" in found["llama"].configs


@pytest.mark.parametrize(("module", "rows"), [("dense", dense.ROWS), ("moe", moe.ROWS)], ids=["dense", "moe"])
def test_every_row_is_listed_and_every_listed_type_has_a_row(module: str, rows: dict[str, object]) -> None:
    assert set(rows) == {name for name, home in MODULES.items() if home == module}


@pytest.mark.parametrize("name", [name for name, _ in bundled.entries()])
def test_every_bundled_config_has_a_tensor_list_and_says_where_it_comes_from(name: str) -> None:
    assert lists.path_of(name).is_file()
    path = bundled.find(name)
    assert path is not None
    assert json.loads(path.read_bytes())["_source"].startswith(("https://", "paper: arXiv:"))
