"""A params.json is checked in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.check.configs import ABSENT, changed, found

PARAMS: dict[str, Any] = {
    "dim": 4096,
    "n_layers": 32,
    "head_dim": 128,
    "hidden_dim": 14336,
    "n_heads": 32,
    "n_kv_heads": 8,
    "norm_eps": 1e-05,
    "sliding_window": 4096,
    "vocab_size": 32000,
}


def bad(change: dict[str, Any]) -> list[str]:
    """Codes and fields of errors and warnings."""
    return [f"{f.code} {f.field}" for f in found(changed(PARAMS, change)) if f.severity != "info"]


def test_a_good_one_has_no_finding() -> None:
    assert bad({}) == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"dim": "64"}, "F003 dim"),
        ({"dim": True}, "F003 dim"),
        ({"n_heads": 32.5}, "F003 n_heads"),
        ({"vocab_size": "32000"}, "F003 vocab_size"),
        ({"n_layers": -1}, "F004 n_layers"),
        ({"sliding_window": 0}, "F004 sliding_window"),
        ({"head_dim": 127}, "S003 head_dim"),
        ({"n_kv_heads": 7}, "S002 n_kv_heads"),
        ({"n_layerz": 32}, "F008 n_layerz"),
        ({"multiple_off": 256}, "F008 multiple_off"),
        ({"moe": {"num_experts": 8, "num_experts_per_tok": 9}}, "M001 moe.num_experts_per_tok"),
    ],
)
def test_one_broken_field_is_found_once(change: dict[str, Any], finding: str) -> None:
    assert bad(change) == [finding]


@pytest.mark.parametrize("key", ["dim", "n_layers"])
def test_one_without_the_keys_that_tell_it_from_other_configs_is_told_which(key: str) -> None:
    findings = found(changed(PARAMS, {key: ABSENT}))
    assert [f.hint for f in findings if f.code == "F006"] == [f"Write {key}, if this is a params.json."]
