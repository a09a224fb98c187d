"""What differs between two configs, and what it does to the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ffncalc.analysis.diff import Diff, diff
from ffncalc.analysis.fields import ABSENT, differences, dotted, replaced
from tests.command import LLAMA, Here
from tests.repository import TINY, TOTAL, commit, save


def changed(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in (TINY | fields).items() if value is not ABSENT}


def compared(old: dict[str, Any] | None = None, **fields: Any) -> Diff:
    return diff(TINY if old is None else old, changed(**fields), ctx=(10,))


class TestFields:
    @pytest.mark.parametrize(
        ("old", "new", "paths"),
        [
            ({"a": 1}, {"a": 1}, []),
            ({"a": 1}, {"a": 2}, ["a"]),
            ({"a": 1}, {"b": 1}, ["b", "a"]),
            ({"a": None}, {}, ["a"]),
            ({"a": 64}, {"a": 64.0}, ["a"]),
            ({"a": 1}, {"a": True}, ["a"]),
            ({"a": float("nan")}, {"a": float("nan")}, []),
            ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3, "d": 2}}}, ["a.b.c"]),
            ({"a": None}, {"a": {"b": 1}}, ["a"]),
            ({"a": ["x", "y", "x"]}, {"a": ["x", "x", "x"]}, ["a[1]"]),
            ({"a": [1, 2, 3, 4]}, {"a": [5, 6, 7, 8]}, ["a"]),
            ({"a": [1, 2]}, {"a": [1, 2, 3]}, ["a"]),
            ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["a[0].b"]),
        ],
    )
    def test_are_named_with_their_path(self, old: dict[str, Any], new: dict[str, Any], paths: list[str]) -> None:
        found = list(differences(old, new))
        assert [dotted(each.path) for each in found] == paths
        for each in found:  # putting every new value into the old config gives the new one
            old = replaced(old, each.path, each.new)
        assert json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)

    def test_no_number_depends_on_what_is_never_read(self) -> None:
        found = compared(rope_theta=5.0, max_position_embeddings=128, hidden_act="gelu", id2label={"0": "a"})
        assert {field.name: field.counts for field in found.fields} == dict.fromkeys(
            ("rope_theta", "max_position_embeddings", "hidden_act", "id2label"), False
        )
        assert not found.moved

    def test_each_says_what_it_does_alone(self) -> None:
        found = compared(intermediate_size=32, num_hidden_layers=2, rope_theta=5.0)
        alone = {field.name: field.alone for field in found.fields}
        # 16 more hidden units are 3 × 8 × 16 weights; a layer is attention, FFN and two norms
        assert alone == {"intermediate_size": 384, "num_hidden_layers": 256 + 384 + 16, "rope_theta": 0}
        assert found.params()["total"].change == 384 + 656 + 384  # the second layer is wider, too

    def test_fields_that_only_count_together_count(self) -> None:
        old = changed(model_type="qwen2", use_sliding_window=False)
        new = changed(model_type="qwen2", use_sliding_window=True, sliding_window=4, max_window_layers=0)
        found = diff(old, new, ctx=(10,))
        counts = {field.name: field.counts for field in found.fields}
        assert counts["use_sliding_window"]
        assert counts["sliding_window"]

    def test_a_field_that_is_valid_only_with_another_has_no_effect_alone(self) -> None:
        found = compared(num_attention_heads=4, num_key_value_heads=3, head_dim=4)
        assert {field.name for field in found.fields} == {"num_attention_heads", "num_key_value_heads", "head_dim"}
        broken = diff(TINY, changed(hidden_size=12, num_attention_heads=3, num_key_value_heads=3), ctx=(10,))
        assert {field.name: field.counts for field in broken.fields}["hidden_size"]

    def test_storage_counts_though_no_parameter_moves(self) -> None:
        found = compared(dtype="float32")
        assert [(field.name, field.counts, field.alone) for field in found.fields] == [("dtype", True, 0)]
        assert found.weight_bytes() == (2 * TOTAL, 4 * TOTAL)
        # one layer keeps a key and a value of 2 heads × 4
        assert found.kv_bytes_per_token() == (2 * 8 * 2, 2 * 8 * 4)

    def test_thousands_of_idle_fields_are_quick(self) -> None:
        labels = {str(i): f"LABEL_{i}" for i in range(20_000)}
        found = diff(TINY | {"id2label": dict.fromkeys(labels, "x")}, TINY | {"id2label": labels}, ctx=(10,))
        assert len(found.fields) == 20_000
        assert not any(field.counts for field in found.fields)


class TestNumbers:
    def test_follow_from_the_wider_ffn(self) -> None:
        found = compared(intermediate_size=32)
        assert found.params()["total"] == (TOTAL, TOTAL + 384)
        assert found.by_category()["ffn"] == (384, 768)
        assert found.by_category()["attention"] == (256, 256)
        ((ctx, flops, share),) = found.points()
        # 2 FLOPs per weight that multiplies (head 80), and 2 × 2 × 8 per key
        before = 2 * (80 + 256 + 384) + 32 * 10
        assert (ctx, flops) == (10, (before, before + 2 * 384))
        assert share == (768 / before, 1536 / (before + 768))
        assert found.crossover() == (24, 48)  # 768 / 32 and 1536 / 32

    def test_layers_that_change_places_are_a_move_that_no_total_shows(self) -> None:
        kinds = ["sliding_attention", "full_attention"]
        base = changed(model_type="qwen2", num_hidden_layers=2, use_sliding_window=True, sliding_window=4)
        found = diff(base | {"layer_types": kinds}, base | {"layer_types": kinds[::-1]}, ctx=(10,))
        assert found.moved
        assert {field.name for field in found.fields} == {"layer_types[0]", "layer_types[1]"}
        assert {pair.change for pair in (*found.params().values(), found.crossover())} == {0}

    def test_other_heads_of_the_same_width_move_nothing(self) -> None:
        # 4 heads of 2 have the weights, the cost and the cache of 2 heads of 4
        found = compared(num_attention_heads=4, num_key_value_heads=4)
        assert not found.moved

    def test_bytes_are_unknown_where_the_dtype_is(self) -> None:
        found = compared(dtype="bfloat17")
        assert found.weight_bytes() == (2 * TOTAL, None)
        assert "bfloat17" in found.new.unknown


class TestCommand:
    def test_table(self, run: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        save(tmp_path / "a.json")
        save(tmp_path / "b.json", intermediate_size=32, rope_theta=5.0)
        code, out, err = run("diff", "a.json", "b.json")
        assert (code, err) == (0, "")
        lines = [line.split() for line in out.splitlines()]
        assert out.startswith("a.json → b.json\nLlamaForCausalLM · +384 parameters (+46.6 %)\n")
        assert ["intermediate_size", "16", "32", "+384"] in lines
        assert "No number depends on\nrope_theta: – → 5.0\n" in out
        assert ["parameters", "824", "1,208", "+384", "+46.6", "%"] in lines
        assert ["crossover", "24", "48", "+24", "+100.0", "%"] in lines

    def test_json(self, run: Here, tmp_path: Path) -> None:
        old, new = save(tmp_path / "a.json", x=float("inf")), save(tmp_path / "b.json", intermediate_size=32)
        code, out, _ = run("diff", str(old), str(new), "--format", "json", "--ctx", "10", "--ctx", "1k")
        data = json.loads(out)
        assert code == 0
        assert data["schema_version"] == 1
        assert (data["old"]["ref"], data["new"]["source"]) == (str(old), "file")
        assert data["diff"]["moved"] is True
        assert data["diff"]["fields"] == [
            {
                "field": "intermediate_size",
                "change": "changed",
                "old": 16,
                "new": 32,
                "counts": True,
                "params_alone": 384,
            },
            {"field": "x", "change": "removed", "old": "inf", "counts": False, "params_alone": 0},
        ]
        assert data["diff"]["params"]["total"] == {"old": 824, "new": 1208, "change": 384}
        assert data["diff"]["params"]["by_category"]["ffn"] == {"old": 384, "new": 768, "change": 384}
        assert [point["ctx"] for point in data["diff"]["flops"]] == [10, 1000]
        assert data["diff"]["crossover"] == {"old": 24, "new": 48, "change": 24}
        assert data["diff"]["memory"]["kv_bytes_per_token"] == {"old": 32, "new": 32, "change": 0}

    def test_markdown_is_a_comment_that_nothing_in_a_config_can_break(self, run: Here, tmp_path: Path) -> None:
        old = save(tmp_path / "a.json")
        new = save(tmp_path / "b.json", intermediate_size=32, _name_or_path="a|b\n```\n<img src=x>")
        _, out, _ = run("diff", str(old), str(new), "--format", "markdown")
        lines = out.splitlines()
        assert lines[0].startswith("### ")
        assert "| intermediate_size | 16 | 32 | +384 |" in lines
        assert "| **parameters** | 824 | 1,208 | +384 | +46.6 % |" in lines
        assert lines.count("```") == lines.count("```text") == 1
        fenced = lines[lines.index("```text") + 1 : lines.index("```")]
        assert fenced == ["_name_or_path: – → \"a|b\\n'''\\n<img src=x>\""]

    def test_a_revision_against_the_file(self, run: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        path = save(tmp_path / "config.json")
        name = commit(tmp_path)
        path.write_text(json.dumps(TINY | {"intermediate_size": 32}))
        _, out, _ = run("diff", "HEAD:config.json", "config.json", "--format", "json")
        data = json.loads(out)
        assert (data["old"]["source"], data["old"]["revision"]) == ("git", name)
        assert data["diff"]["params"]["total"]["change"] == 384

    def test_bundled_models(self, run: Here) -> None:
        code, out, _ = run("diff", LLAMA, "google/gemma-2-9b", "--format", "json", "--offline")
        assert code == 0
        # published totals: 8,030,261,248 and 9,241,705,984
        assert json.loads(out)["diff"]["params"]["total"]["change"] == 9_241_705_984 - 8_030_261_248

    @pytest.mark.parametrize(("field", "code"), [("intermediate_size", 1), ("rope_theta", 0)])
    def test_exit_code_tells_whether_a_number_moved(self, run: Here, tmp_path: Path, field: str, code: int) -> None:
        old, new = save(tmp_path / "a.json"), save(tmp_path / "b.json", **{field: 32})
        assert run("diff", str(old), str(new)).code == 0
        assert run("diff", str(old), str(new), "--exit-code").code == code

    def test_equal_configs(self, run: Here, tmp_path: Path) -> None:
        path = str(save(tmp_path / "a.json"))
        code, out, _ = run("diff", path, path, "--exit-code")
        assert code == 0
        assert out.splitlines()[1] == "LlamaForCausalLM · no field differs"

    def test_an_error_says_which_side_it_is_about(self, run: Here, tmp_path: Path) -> None:
        good, bad = save(tmp_path / "a.json"), save(tmp_path / "b.json", hidden_size=-1)
        for args in ((good, bad), (bad, good)):
            code, out, err = run("diff", *map(str, args))
            assert (code, out) == (2, "")
            assert err.startswith(f"error: {bad}: not a valid llama config: hidden_size")
        assert run("diff", "-", "-").err == "error: standard input can be only one of the two\n"
        assert run("diff", str(good)).code == 2
