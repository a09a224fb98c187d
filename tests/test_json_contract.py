"""The JSON contract: keys and types that programs rely on. Additions are fine, renames are not."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from ffncalc.ir import CATEGORIES
from tests.command import DEEPSEEK, LLAMA, Here

CATEGORY_NAMES = {"embedding", "head", "attention", "mixer", "ffn", "router", "norm", "multimodal", "other"}
COUNTS = dict.fromkeys(CATEGORY_NAMES, int)
TEXT = (str, type(None))

MODEL = {"ref": str, "source": str, "revision": TEXT, "model_type": str, "architecture": TEXT, "name": str}
EXPANSION = {
    "kind": str,
    "layers": int,
    "runs": int,
    "width": int,
    "hidden": int,
    "ratio": float,
    "gated": bool,
    "activation": str,
    "parameter_equivalent": float,
}
PARAMS = {
    "total": int,
    "active": int,
    "active_matmul": int,
    "by_category": COUNTS,
    "active_by_category": COUNTS,
    "ffn": {"dense": int, "routed_experts": int, "shared_experts": int, "slots": int},
    "tied_embeddings": bool,
    "checkpoint_extra": {"buffers": int, "mtp": int},
    "ffn_share": float,
    "expansion": [EXPANSION],
}
LAYER = {"index": int, "kinds": {"mixer": TEXT, "ffn": TEXT}, "by_category": COUNTS}
TENSOR = {"name": str, "shape": [int], "role": str, "count": int, "params": int}
STEP = {"name": str, "symbols": str, "values": str, "result": (int, float)}
EXPLAIN = {
    "keys": [{"key": str, "value": (int, float, str, bool, list, dict), "source": str}],
    "chapters": [{"title": str, "steps": [STEP]}],
}
SUMMARY = {
    "layers": int,
    "hidden": int,
    "ffn_width": (int, type(None)),
    "expansion": (float, type(None)),
    "ffn_kind": str,
    "experts": (int, type(None)),
    "top_k": (int, type(None)),
    "total": int,
    "active": int,
    "ffn_share": float,
}


NUMBER = (int, float)
SLICE = {"tensor": str, "axis": str, "index": str}
NETWORK = {
    "kind": str,
    "name": str,
    "formula": str,
    "activation": str,
    "activation_values": {"formula": str, "at_minus_1": float, "at_0": float, "at_1": float, "minimum": float},
    "gated": bool,
    "sparsity": float,
    "bias": bool,
    "width": int,
    "hidden": int,
    "ratio": float,
    "parameter_equivalent": float,
    "copies": int,
    "used": int,
    "params": int,
    "params_each": int,
    "flops": int,
    "key": [SLICE],
    "value": SLICE,
    "tensors": [{"part": str, "name": str, "shape": [int], "count": int, "params": int}],
}
FFN_KIND = {
    "stack": str,
    "indexes": [int],
    **dict.fromkeys(("layers", "calls", "params", "active", "router", "flops", "slots"), int),
    "networks": [NETWORK],
    "other_tensors": list,
}
CARD = {
    **dict.fromkeys(("layers", "layers_without", "width", "params", "active", "flops", "slots"), int),
    "kinds": [FFN_KIND],
}
WORKED = {
    "form": {"activation": str, "gated": bool, "formula": str},
    "x": [int],
    "matrices": dict,
    "steps": [{"name": str, "formula": str, "values": [NUMBER]}],
    "output": [NUMBER],
}
CANDIDATE = {"field_value": int, "ffn_width": int, "value": NUMBER}
LORA = {
    "rank": int,
    "targets": [str],
    "experts": bool,
    "trainable": int,
    "total": int,
    "share": float,
    "share_with_adapters": float,
    "bytes": {"bf16": int, "fp32": int},
    "by_category": COUNTS,
    "target_modules": [str],
    "target_parameters": [str],
    "experts_left_out": int,
    "layers": [{"stack": str, "indexes": [int], "params": int}],
    "modules": [{"name": str, "role": str, "in": int, "out": int, "count": int, "params": int}],
}


def check(value: Any, shape: Any, path: str = "$") -> None:
    """`value` has the shape: every key of an object, every entry of a list, the very type of a leaf."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), path
        assert not set(shape) - set(value), f"{path} lacks {set(shape) - set(value)}"
        for key, inner in shape.items():
            check(value[key], inner, f"{path}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), path
        for i, entry in enumerate(value):
            check(entry, shape[0], f"{path}[{i}]")
    else:
        kinds = shape if isinstance(shape, tuple) else (shape,)
        assert type(value) in kinds, f"{path} is {value!r}"


def models(run: Here, *args: str) -> list[dict[str, Any]]:
    code, out, err = run(*args, "--format", "json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert set(data) == {"schema_version", "models"}
    assert data["schema_version"] == 1
    found: list[dict[str, Any]] = data["models"]
    return found


def test_categories_are_those_of_the_contract() -> None:
    assert set(CATEGORIES) == CATEGORY_NAMES


@pytest.mark.parametrize("ref", [LLAMA, DEEPSEEK, "openai-community/gpt2", "google/gemma-2-9b"])
def test_params(run: Here, ref: str) -> None:
    (entry,) = models(run, "params", ref, "--layers", "--tensors", "--explain")
    check(
        entry,
        {
            "model": MODEL,
            "params": PARAMS,
            "layers": [LAYER],
            "tensors": [TENSOR],
            "extra_tensors": [TENSOR],
            "explain": EXPLAIN,
            "notes": [str],
        },
    )
    params = entry["params"]
    assert sum(params["by_category"].values()) == params["total"]
    assert sum(params["active_by_category"].values()) == params["active"]
    assert sum(tensor["params"] for tensor in entry["tensors"]) == params["total"]
    assert (
        sum(params["ffn"][name] for name in ("dense", "routed_experts", "shared_experts"))
        == params["by_category"]["ffn"]
    )
    assert 0 <= params["ffn_share"] <= 1


def test_params_of_llama(run: Here) -> None:
    (entry,) = models(run, "params", LLAMA)
    assert entry["model"] == {
        "ref": LLAMA,
        "source": "bundled",
        "revision": None,
        "model_type": "llama",
        "architecture": "LlamaForCausalLM",
        "name": LLAMA,
    }
    assert set(entry) == {"model", "params", "notes"}
    params = entry["params"]
    assert params["total"] == params["active"] == 8_030_261_248
    assert params["active_matmul"] == 8_030_261_248 - 525_336_576 - 266_240  # the lookup and the norms out
    assert params["by_category"] == {
        "embedding": 525_336_576,
        "head": 525_336_576,
        "attention": 1_342_177_280,
        "mixer": 0,
        "ffn": 5_637_144_576,
        "router": 0,
        "norm": 266_240,
        "multimodal": 0,
        "other": 0,
    }
    assert params["tied_embeddings"] is False
    assert round(params["ffn_share"], 3) == 0.702
    assert params["expansion"] == [
        {
            "kind": "dense",
            "layers": 32,
            "runs": 32,
            "width": 4096,
            "hidden": 14336,
            "ratio": 3.5,
            "gated": True,
            "activation": "silu",
            "parameter_equivalent": 1.3125,
        }
    ]


def test_params_of_deepseek(run: Here) -> None:
    (entry,) = models(run, "params", DEEPSEEK)
    params = entry["params"]
    assert (params["total"], params["active"]) == (671_026_404_352, 37_552_282_624)
    assert params["ffn"]["routed_experts"] == 58 * 256 * 44_040_192
    assert params["ffn"]["shared_experts"] == 58 * 44_040_192
    assert params["ffn"]["dense"] == 3 * 396_361_728
    assert params["checkpoint_extra"]["buffers"] == 58 * 256


def test_layers_are_listed_one_by_one(run: Here) -> None:
    (entry,) = models(run, "params", DEEPSEEK, "--layers")
    assert [layer["index"] for layer in entry["layers"]] == list(range(61))
    assert {layer["index"]: layer["kinds"]["ffn"] for layer in entry["layers"]} == {
        i: "dense" if i < 3 else "moe" for i in range(61)
    }
    assert entry["layers"][0]["by_category"]["ffn"] == 396_361_728
    assert entry["layers"][3]["by_category"]["ffn"] == 257 * 44_040_192


def test_tensors_are_gathered_and_counted(run: Here) -> None:
    (entry,) = models(run, "params", DEEPSEEK, "--tensors")
    found = {tensor["name"]: tensor for tensor in entry["tensors"]}
    assert found["model.layers.[3-60].mlp.experts.[0-255].down_proj.weight"] == {
        "name": "model.layers.[3-60].mlp.experts.[0-255].down_proj.weight",
        "shape": [7168, 2048],
        "role": "ffn.routed_expert",
        "count": 58 * 256,
        "params": 58 * 256 * 7168 * 2048,
        "tied": None,
    }
    extra = {tensor["name"]: tensor["kind"] for tensor in entry["extra_tensors"]}
    assert extra["model.layers.[3-60].mlp.gate.e_score_correction_bias"] == "buffer"
    assert extra["model.layers.61.eh_proj.weight"] == "mtp"


def test_tied_tensors_add_nothing(run: Here) -> None:
    (entry,) = models(run, "params", "openai-community/gpt2", "--tensors")
    head = next(tensor for tensor in entry["tensors"] if tensor["role"] == "head")
    assert (head["params"], head["tied"], head["shape"]) == (0, "transformer.wte.weight", [50257, 768])


def test_changes_stand_beside_the_changed_count(run: Here) -> None:
    (entry,) = models(run, "params", LLAMA, "--set", "intermediate_size=16384")
    check(entry, {"params": PARAMS, "base": {"params": PARAMS}, "changes": {"set": [str], "total": int}})
    assert entry["changes"]["total"] == 32 * 3 * 4096 * 2048
    assert entry["changes"]["by_category"]["ffn"] == 32 * 3 * 4096 * 2048
    assert entry["changes"]["by_category"]["attention"] == 0
    assert entry["base"]["params"]["total"] == 8_030_261_248
    assert entry["params"]["total"] == 8_835_567_616


@pytest.mark.parametrize("command", ["compare", "models"])
def test_summaries(run: Here, command: str) -> None:
    for entry in models(run, command, LLAMA if command == "compare" else "meta-llama"):
        check(entry, {"model": MODEL, "summary": SUMMARY})


@pytest.mark.parametrize("ref", [LLAMA, DEEPSEEK, "openai-community/gpt2", "openai/gpt-oss-20b"])
def test_ffn(run: Here, ref: str) -> None:
    (entry,) = models(run, "ffn", ref, "--worked", "--explain")
    check(entry, {"model": MODEL, "ffn": CARD, "worked": [WORKED], "explain": EXPLAIN, "notes": [str]})
    card = entry["ffn"]
    assert sum(kind["layers"] * kind["params"] for kind in card["kinds"]) == card["params"]
    assert sum(kind["slots"] for kind in card["kinds"]) == card["slots"]
    for kind in card["kinds"]:
        assert sum(network["params"] for network in kind["networks"]) == kind["params"]
        assert sum(t["params"] for network in kind["networks"] for t in network["tensors"]) == kind["params"]


def test_a_model_without_an_ffn_has_no_kinds(run: Here) -> None:
    (entry,) = models(run, "ffn", "state-spaces/mamba-130m-hf")
    assert entry["ffn"]["kinds"] == []
    assert entry["ffn"]["layers_without"] == entry["ffn"]["layers"] == 24


def test_recipes(run: Here) -> None:
    (entry,) = models(run, "width", "--explain", LLAMA)
    recipe = {"ratio": (float, type(None)), "multiplier": (float, type(None)), "multiple_of": [int], "steps": [int]}
    width = {"kind": str, "layers": int, "hidden_size": int, "hidden": int, "gated": bool, "recipes": [recipe]}
    check(entry, {"model": MODEL, "width": {"mode": str, "widths": [width]}})


def test_solutions(run: Here) -> None:
    (entry,) = models(run, "width", LLAMA, "--target-crossover", "32k")
    target = {"quantity": str, "value": int, "ctx": type(None)}
    solution = {"mode": str, "target": target, "fields": [str], "multiple_of": int, "rising": bool, "set": [str]}
    candidates = dict.fromkeys(("now", "answer", "below", "above"), CANDIDATE)
    check(entry, {"model": MODEL, "width": {**solution, **candidates, "continued": [str]}})


@pytest.mark.parametrize("ref", [LLAMA, DEEPSEEK])
def test_lora(run: Here, ref: str) -> None:
    (entry,) = models(run, "lora", ref, "--explain")
    check(entry, {"model": MODEL, "lora": LORA, "explain": EXPLAIN, "notes": [str]})
    found = entry["lora"]
    assert sum(found["by_category"].values()) == found["trainable"]
    assert sum(module["params"] for module in found["modules"]) == found["trainable"]
    assert sum(len(each["indexes"]) * each["params"] for each in found["layers"]) == found["trainable"]


@pytest.mark.parametrize("args", [("ffn", LLAMA), ("width", LLAMA), ("lora", LLAMA), ("width", "4096")])
@pytest.mark.parametrize("format", ["csv", "markdown", "jsonl"])
def test_the_other_formats_hold_something(run: Here, args: tuple[str, ...], format: str) -> None:
    code, out, err = run(*args, "--format", format)
    assert (code, err) == (0, "")
    assert "14336" in out.replace(",", "") or "16384" in out


def test_archs(run: Here) -> None:
    data = json.loads(run("archs", "--format", "json").out)
    check(data, {"schema_version": int, "archs": [{"model_type": str, "module": str, "configs": [str]}]})


def test_a_failed_entry_keeps_its_place_and_says_why(run: Here) -> None:
    code, out, _ = run("params", "./no.json", LLAMA, "--format", "json")
    assert code == 2
    failed, good = json.loads(out)["models"]
    assert failed == {
        "model": dict.fromkeys(("ref", "source", "revision", "model_type", "architecture", "name"))
        | {"ref": "./no.json"},
        "error": {"kind": "not_found", "message": "./no.json: no such file or folder", "hint": ""},
    }
    assert good["params"]["total"] == 8_030_261_248


def test_lines_hold_the_same_entries(run: Here) -> None:
    _, out, _ = run("params", LLAMA, DEEPSEEK, "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line.pop("schema_version") for line in lines] == [1, 1]
    assert lines == models(run, "params", LLAMA, DEEPSEEK)


class TestCsv:
    def test_one_row_per_model_with_stable_columns(self, run: Here) -> None:
        _, out, _ = run("params", LLAMA, DEEPSEEK, "--format", "csv")
        first, second = csv.DictReader(io.StringIO(out))
        assert list(first)[:9] == [
            *("ref", "source", "revision", "model_type", "architecture", "name", "error", "total", "active")
        ]
        assert {f"by_category_{name}" for name in CATEGORIES} <= set(first)
        assert (first["total"], first["by_category_ffn"], first["dense_width"]) == ("8030261248", "5637144576", "14336")
        assert (first["tied_embeddings"], first["revision"], first["error"]) == ("false", "", "")
        assert (second["routed_expert_width"], second["shared_expert_width"]) == ("2048", "2048")

    def test_a_failed_model_has_a_row_with_its_error(self, run: Here) -> None:
        code, out, _ = run("params", "./no.json", LLAMA, "--format", "csv")
        first, second = csv.DictReader(io.StringIO(out))
        assert code == 2
        assert (first["ref"], first["error"], first["total"]) == ("./no.json", "./no.json: no such file or folder", "")
        assert second["total"] == "8030261248"

    def test_layers_and_tensors_have_rows_of_their_own(self, run: Here) -> None:
        rows = list(csv.DictReader(io.StringIO(run("params", DEEPSEEK, "--layers", "--format", "csv").out)))
        assert [row["index"] for row in rows] == [str(i) for i in range(61)]
        rows = list(csv.DictReader(io.StringIO(run("params", LLAMA, "--tensors", "--format", "csv").out)))
        assert {row["tensor"]: row["shape"] for row in rows}["lm_head.weight"] == "128256x4096"
        assert sum(int(row["params"]) for row in rows) == 8_030_261_248
