"""Lock files that are broken, and what a lock holds of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.fingerprint import fingerprint
from ffncalc.checks import lock_file
from ffncalc.checks.lock import entry, moved
from ffncalc.checks.lock_file import NAME, LockError
from ffncalc.source import bundled
from tests.check.locked import ENTRY, forget, held
from tests.command import Here
from tests.repository import TINY

BROKEN: dict[str, tuple[Any, str]] = {
    "not JSON": ("{", "the file ends too early"),
    "empty": ("", "the file is empty"),
    "a list": ("[]", "expected a JSON object"),
    "no version": ({"files": {}}, "schema_version: must be 1, got null"),
    "version a word": ({"schema_version": "1", "files": {}}, "schema_version: must be 1, got '1'"),
    "version true": ({"schema_version": True, "files": {}}, "schema_version: must be 1, got true"),
    "version 0": ({"schema_version": 0, "files": {}}, "schema_version: must be 1, got 0"),
    "newer": ({"schema_version": 2, "files": {}}, "schema_version 2 is newer than this ffncalc reads (1)"),
    "no files": ({"schema_version": 1}, "files: must be an object"),
    "files a list": ({"schema_version": 1, "files": []}, "files: must be an object"),
    "twice": ('{"schema_version": 1, "files": {\n"a.json": {},\n"a.json": {}}}', "line 3: a.json stands there twice"),
    "twice a number": (
        '{"schema_version": 1,\n"schema_version": 1, "files": {}}',
        "line 2: schema_version stands there",
    ),
}
NAMES = ["../a.json", "/etc/a.json", "a/../../b.json", "C:/a.json", "a\\b.json", "", "a//b.json", "./a.json"]
EDITS: list[tuple[str, Any, str]] = [
    ("total", "824", "a.json: total: must be a number, got '824'"),
    ("total", -1, "a.json: total: must be a number, got -1"),
    ("total", 8.5, "a.json: total: must be a number, got 8.5"),
    ("active", None, "a.json: active: must be a number, got null"),
    ("kv_elements_per_token", True, "a.json: kv_elements_per_token: must be a number, got true"),
    ("crossover", "never", "a.json: crossover: must be a number or null, got 'never'"),
    ("digest", "xyz", "a.json: digest: must be 32 hexadecimal digits, got 'xyz'"),
    ("by_category", {"fnn": 3}, "a.json: by_category: must be an object of numbers by category"),
    ("by_category", [], "a.json: by_category: must be an object of numbers by category"),
]
MARKED = b"""{
  "files": {
<<<<<<< HEAD
    "a.json": {"total": 1}
=======
    "a.json": {"total": 2}
>>>>>>> branch
  },
  "schema_version": 1
}
"""


class TestBrokenFiles:
    def refused(self, run: Here, here: Path, content: bytes) -> str:
        """What `check`, `lock` and `lock --check` say, which is the same."""
        (here / NAME).write_bytes(content)
        forget()
        said = set()
        for args in (("check", "models"), ("lock", "models"), ("lock", "--check")):
            code, _, err = run(*args)
            assert code == 2
            assert "hint: " in err
            said.add(err)
        assert (here / NAME).read_bytes() == content
        (message,) = said
        assert message.startswith("error: ")
        assert NAME in message
        return message

    @pytest.mark.parametrize("kind", BROKEN)
    def test_are_refused(self, run: Here, here: Path, kind: str) -> None:
        content, message = BROKEN[kind]
        text = content if isinstance(content, str) else json.dumps(content)
        assert message in self.refused(run, here, text.encode())

    @pytest.mark.parametrize("name", NAMES)
    def test_with_names_that_lead_out_of_the_folder_are_refused(self, run: Here, here: Path, name: str) -> None:
        data = {"schema_version": 1, "files": {name: ENTRY | {"digest": "0" * 32}}}
        assert f"{name!r} is not a path inside" in self.refused(run, here, json.dumps(data).encode())

    @pytest.mark.parametrize(("key", "value", "message"), EDITS)
    def test_edited_by_hand_are_refused(self, run: Here, here: Path, key: str, value: Any, message: str) -> None:
        data = {"schema_version": 1, "files": {"a.json": ENTRY | {"digest": "0" * 32} | {key: value}}}
        assert message in self.refused(run, here, json.dumps(data).encode())

    @pytest.mark.parametrize("key", [*ENTRY, "digest"])
    def test_with_a_number_missing_are_refused(self, run: Here, here: Path, key: str) -> None:
        raw = ENTRY | {"digest": "0" * 32}
        del raw[key]
        data = {"schema_version": 1, "files": {"a.json": raw}}
        assert f"a.json: {key}: must be" in self.refused(run, here, json.dumps(data).encode())

    @pytest.mark.parametrize("content", [MARKED, MARKED.replace(b"\n", b"\r\n")], ids=["LF", "CRLF"])
    def test_with_conflict_markers_say_what_to_do(self, run: Here, here: Path, content: bytes) -> None:
        message = self.refused(run, here, content)
        assert "line 3: an unresolved merge conflict" in message
        assert "Take one side of each conflict, whichever, and run `ffncalc lock`" in message

    def test_either_side_of_a_conflict_is_mended(self, run: Here, here: Path) -> None:
        run("lock", "models")
        right = (here / NAME).read_bytes()
        (here / NAME).write_bytes(right.replace(b'"total": 824', b'"total": 1'))
        assert run("lock").code == 0
        assert (here / NAME).read_bytes() == right

    def test_more_keys_than_are_known_are_left_unread(self, run: Here, here: Path) -> None:
        run("lock", "models")
        data = json.loads((here / NAME).read_text())
        data["files"]["models/b.json"]["later"] = 1
        (here / NAME).write_text(json.dumps(data))
        assert held(run, "models") == (0, [])

    def test_a_folder_of_that_name_is_no_lock_file(self, here: Path, run: Here) -> None:
        (here / NAME).mkdir()
        assert held(run, "models") == (0, [])
        assert "cannot be written" in run("lock", "models").err


class TestFingerprint:
    def test_gathering_layers_otherwise_does_not_matter(self) -> None:
        from dataclasses import replace

        model = ffncalc.load(TINY | {"num_hidden_layers": 3})
        apart = tuple(
            replace(block, indexes=(i,)) if block.indexes else block
            for block in reversed(model.blocks)
            for i in reversed(block.indexes or (0,))
        )
        assert len(apart) > len(model.blocks)
        assert fingerprint(replace(model, blocks=apart)) == fingerprint(model)

    @pytest.mark.parametrize(
        "change",
        [
            {"intermediate_size": 17},
            {"num_hidden_layers": 2},
            {"num_key_value_heads": 1},
            {"tie_word_embeddings": True},
            {"attention_bias": True},
            {"model_type": "mistral", "sliding_window": 4},
        ],
        ids=str,
    )
    def test_every_count_is_in_it(self, change: dict[str, Any]) -> None:
        assert fingerprint(ffncalc.load(TINY | change)) != fingerprint(ffncalc.load(TINY))

    def test_draft_layers_and_buffers_are_in_it(self) -> None:
        base = {"model_type": "deepseek_v3", "num_hidden_layers": 2}
        small: dict[str, Any] = TINY | base | {
            "architectures": ["DeepseekV3ForCausalLM"], "moe_intermediate_size": 4, "n_routed_experts": 4,
            "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "kv_lora_rank": 4, "q_lora_rank": None,
            "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 4, "first_k_dense_replace": 1,
        }  # fmt: skip
        one, two = (ffncalc.load(small | {"num_nextn_predict_layers": n}) for n in (0, 1))
        assert ffncalc.params(one).total == ffncalc.params(two).total
        assert fingerprint(one) != fingerprint(two)


def test_reading_names_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="cannot be read"):
        lock_file.read(tmp_path)


def test_every_bundled_config_can_be_locked_and_read_back() -> None:
    entries = {f"{name}.json": entry(ffncalc.load(path)) for name, path in bundled.entries()}
    path = Path("somewhere") / NAME
    back = lock_file.parse(lock_file.text(lock_file.Lock(entries, path)).encode(), path)
    assert len(back.files) == len(entries) > 300
    assert [name for name in entries if moved(back.files[name], entries[name])] == []
