"""What `check` holds against a lock file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ffncalc.checks.lock_file import NAME
from tests.check.locked import WIDER, forget, held
from tests.command import Here
from tests.repository import save

DETR = "model_type 'detr' is not supported"


class TestCheck:
    def test_what_no_count_depends_on_may_move(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", rope_theta=1e6, hidden_act="gelu", dtype="float32", bos_token_id=3, x=1)
        assert held(run, "models") == (0, [])
        assert run("lock", "models", "--check").code == 0

    def test_a_count_that_moves_is_an_error(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", intermediate_size=32)
        found = [("models/a/config.json", "L001", f"not as locked: {WIDER}")]
        assert held(run, "models") == (1, found)
        code, out, _ = run("lock", "models", "--check")
        assert code == 1
        assert out.splitlines()[0] == f"models/a/config.json: not as locked: {WIDER}"

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"num_key_value_heads": 1}, "of them attention -64; cache elements per token 16 → 8 (-8)"),
            ({"tie_word_embeddings": True}, "parameters 824 → 744 (-80); of them head -80"),
            ({"model_type": "mamba", "state_size": 4}, "crossover 24 → never"),
        ],
    )
    def test_says_what_moved(self, run: Here, here: Path, change: dict[str, Any], message: str) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", **change)
        code, ((_, _, said),) = held(run, "models/a")
        assert code == 1
        assert message in said

    def test_finds_what_no_total_shows(self, run: Here, here: Path) -> None:
        kinds = ["sliding_attention", "full_attention"]
        fields: dict[str, Any] = {"model_type": "qwen2", "architectures": None, "num_hidden_layers": 2}
        fields |= {"use_sliding_window": True, "sliding_window": 4}
        save(here / "models/b.json", **fields, layer_types=kinds)
        run("lock", "models")
        save(here / "models/b.json", **fields, layer_types=kinds[::-1])
        _, ((_, rule, message),) = held(run, "models")
        assert (rule, message) == (
            "L001",
            "not as locked: layers changed though every total stayed: other shapes, names, spans or order",
        )

    def test_a_file_that_is_not_locked_is_named(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        assert held(run, "models") == (0, [("models/a/config.json", "L002", "not in the lock file")])
        code, out, _ = run("lock", "--check", "models")
        assert (code, out.splitlines()[0]) == (1, "models/a/config.json: not in the lock file")

    def test_a_file_that_is_gone_is_named_whatever_is_checked(self, run: Here, here: Path) -> None:
        run("lock", "models")
        (here / "models/b.json").unlink()
        gone = ("ffncalc.lock.json", "L003", "models/b.json is locked, but not there")
        for path in ("models", "models/a", "models/a/config.json", "models/*/*.json", "."):
            assert held(run, path) == (1, [gone])
        code, out, _ = run("lock", "--check")
        assert (code, out.splitlines()[0]) == (1, "models/b.json: locked, but not there")

    def test_the_finding_stands_where_the_entry_does(self, run: Here, here: Path) -> None:
        run("lock", "models")
        (here / "models/b.json").unlink()
        forget()
        line = (here / NAME).read_text().splitlines().index('    "models/b.json": {') + 1
        assert run("check", "models", "--select", "L").out.startswith(f"ffncalc.lock.json:{line}:5: L003 error:")

    def test_each_file_is_held_to_the_nearest_lock(self, run: Here, here: Path) -> None:
        run("lock", "models")
        assert run("lock", "models/a", "--folder", "models/a").code == 0
        save(here / "models/a/config.json", intermediate_size=32)
        run("lock", "models/a", "--folder", "models/a")
        assert held(run, "models") == (0, [])
        (here / "models/a/config.json").unlink()
        assert {(path, rule) for path, rule, _ in held(run, ".")[1]} == {
            ("ffncalc.lock.json", "L003"),
            ("./models/a/ffncalc.lock.json", "L003"),
        }

    def test_a_locked_model_that_is_no_longer_counted_is_an_error(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", model_type="detr", architectures=["DetrForObjectDetection"])
        assert held(run, "models/a") == (
            1,
            [("models/a/config.json", "L001", f"locked with 824 parameters, but no longer counted: {DETR}")],
        )

    @pytest.mark.parametrize("name", ["models/a/config.json", "models/b.json"])
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "the file is empty"),
            ("[1]", "expected a JSON object, found an array at the top level"),
            ('{"model_type": "llama",', "line 1, column 24: the file ends too early"),
            ('{"model_type": "gpt2", "n_embd": -1}', "not a valid gpt2 config: "),
            ("{}", "model_type: missing, and `architectures` does not tell which it is"),
        ],
    )
    def test_a_locked_file_that_breaks_is_an_error_whatever_its_name(
        self, run: Here, here: Path, name: str, text: str, reason: str
    ) -> None:
        run("lock", "models")
        (here / name).write_text(text)
        code, found = held(run, "models", "--ignore", "F001")
        assert (code, [(path, rule) for path, rule, _ in found]) == (1, [(name, "L001")])
        assert f"parameters, but no longer counted: {reason}" in found[0][2]
        for args in (("lock", "models", "--check"), ("lock", "--check"), ("lock", "models")):
            forget()
            code, out, err = run(*args)
            assert code == 2
            assert f"{name}: " in err.replace("\\", "/")
            assert "is up to date\n" not in out
        assert len(json.loads((here / NAME).read_text())["files"]) == 2

    def test_what_could_not_be_counted_is_not_called_up_to_date(self, run: Here, here: Path) -> None:
        run("lock", "models")
        (here / "models/b.json").write_text("{")
        assert run("lock", "--check").out == f"{NAME} is up to date but for what could not be counted\n"

    def test_a_config_that_cannot_be_locked_is_named(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/c.json", model_type="detr", architectures=["DetrForObjectDetection"])
        message = f"not in the lock file, and it cannot be counted: {DETR}"
        assert held(run, "models") == (0, [("models/c.json", "L002", message)])

    def test_without_a_lock_file_nothing_is_said(self, run: Here, here: Path) -> None:
        assert held(run, "models") == (0, [])

    def test_can_be_ignored(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        (here / NAME).write_text("broken")
        (here / "models/b.json").unlink()
        forget()
        assert run("check", "models", "--ignore", "L,E,P,C").code == 0
