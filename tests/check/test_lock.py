"""ffncalc lock: what it writes, what `check` holds against it, and lock files that are broken."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.fingerprint import fingerprint
from ffncalc.checks import lock_file
from ffncalc.checks.lock import entry, moved
from ffncalc.checks.lock_file import NAME, LockError
from ffncalc.checks.settings import for_folder
from ffncalc.source import bundled
from tests.command import Here
from tests.repository import TINY, TOTAL, commit, git, save

ENTRY: dict[str, Any] = {  # of TINY, by hand: see tests/repository.py; one key and one value of 8 are kept per token
    "active": TOTAL,
    "by_category": {"attention": 256, "embedding": 80, "ffn": 384, "head": 80, "norm": 24},
    "crossover": 24,  # 2 × 384 FLOPs in the FFN, 32 per key
    "kv_elements_per_token": 16,
    "total": TOTAL,
}
WIDER = "parameters 824 → 1,208 (+384); of them ffn +384; crossover 24 → 48 (+24)"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two configs, of which nothing is remembered."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "models/a/config.json")
    save(tmp_path / "models/b.json", num_hidden_layers=2)
    (tmp_path / "models/a/tokenizer_config.json").write_text("{}")
    (tmp_path / "models/notes.json").write_text('{"about": "no model"}')
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    for_folder.cache_clear()
    lock_file._nearest.cache_clear()


def held(run: Here, *args: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Exit code and (file, code, message) of the findings about locks."""
    forget()
    code, out, err = run("check", *args, "--select", "L", "--format", "json")
    assert err == ""
    found = json.loads(out)["findings"]
    return code, [(each["path"].replace("\\", "/"), each["rule"], each["message"]) for each in found]


class TestWriting:
    def test_one_block_per_file_sorted(self, run: Here, here: Path) -> None:
        code, out, err = run("lock", "models")
        assert (code, err) == (0, "")
        assert out == (
            f"added models/a/config.json: {TOTAL} parameters\nadded models/b.json: 1,480 parameters\n"
            "ffncalc.lock.json: 2 files locked\n"
        )
        text = (here / NAME).read_text()
        data = json.loads(text)
        assert data["schema_version"] == 1
        assert list(data["files"]) == ["models/a/config.json", "models/b.json"]
        digest = data["files"]["models/a/config.json"].pop("digest")
        assert data["files"]["models/a/config.json"] == ENTRY
        assert len(digest) == 32
        assert text.endswith("}\n")
        assert text.count("\n") == 2 * 14 + 5  # a number per line

    def test_the_order_of_the_arguments_does_not_matter(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json", "models/a")
        first = (here / NAME).read_bytes()
        (here / NAME).unlink()
        run("lock", "models/a/config.json")
        run("lock", "models/*.json")
        assert (here / NAME).read_bytes() == first

    def test_a_file_that_is_up_to_date_is_not_touched(self, run: Here, here: Path) -> None:
        run("lock", "models")
        os.utime(here / NAME, ns=(1, 1))
        assert run("lock", "models").out == "ffncalc.lock.json: 2 files locked, nothing changed\n"
        assert (here / NAME).stat().st_mtime_ns == 1

    def test_changes_are_shown_and_other_files_stay(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", intermediate_size=32)
        (here / "models/b.json").unlink()
        save(here / "models/c.json")
        assert run("lock", "models/c.json").out == (
            "added models/c.json: 824 parameters\nremoved models/b.json\nffncalc.lock.json: 2 files locked\n"
        )
        assert run("lock").out == f"changed models/a/config.json: {WIDER}\nffncalc.lock.json: 2 files locked\n"

    def test_a_file_that_cannot_be_counted_is_named_and_keeps_its_entry(self, run: Here, here: Path) -> None:
        run("lock", "models")
        before = (here / NAME).read_bytes()
        save(here / "models/b.json", hidden_size=-1)
        save(here / "models/c.json", model_type="lama", architectures=None)
        code, _, err = run("lock", "models", "gone.json")
        assert code == 2
        assert "models/b.json: not a valid llama config: hidden_size" in err.replace("\\", "/")
        assert "models/c.json: model_type 'lama' is not supported" in err.replace("\\", "/")
        assert "gone.json: no such file" in err
        assert (here / NAME).read_bytes() == before

    def test_line_endings_stay(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        (here / NAME).write_bytes((here / NAME).read_bytes().replace(b"\n", b"\r\n"))
        assert run("lock", "models/b.json").out.endswith("nothing changed\n")
        run("lock", "models")
        data = (here / NAME).read_bytes()
        assert b"models/a/config.json" in data
        assert data.count(b"\r\n") == data.count(b"\n") > 30
        assert held(run, "models") == (0, [])

    def test_branches_that_lock_different_files_merge(self, run: Here, here: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("needs git")
        for name in ("a", "m", "z"):
            save(here / f"models/{name}.json")
        run("lock", "models/a.json", "models/m.json", "models/z.json")
        commit(here)
        for branch, name in (("one", "c"), ("two", "p")):
            git(here, "checkout", "-q", "-b", branch, "main")
            save(here / f"models/{name}.json")
            run("lock", f"models/{name}.json")
            commit(here)
        git(here, "merge", "-q", "-m", "both", "one")
        assert run("lock", "--check").out == "ffncalc.lock.json is up to date\n"
        assert len(json.loads((here / NAME).read_text())["files"]) == 5

    def test_the_nearest_lock_file_above_is_used(self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run("lock", "models")
        monkeypatch.chdir(here / "models/a")
        save(here / "models/a/config.json", intermediate_size=32)
        out = run("lock", "config.json").out.replace("\\", "/")
        assert out == f"changed models/a/config.json: {WIDER}\n../../ffncalc.lock.json: 2 files locked\n"
        assert not (here / "models/a" / NAME).exists()

    def test_folder_says_where(self, run: Here, here: Path) -> None:
        assert run("lock", "models", "--folder", "models").code == 0
        assert list(json.loads((here / "models" / NAME).read_text())["files"]) == ["a/config.json", "b.json"]
        assert run("lock", "models", "--folder", "none").err == "error: --folder none: no such folder\n"

    def test_files_outside_its_folder_are_refused(self, run: Here, here: Path) -> None:
        code, _, err = run("lock", "models", "--folder", "models/a")
        assert code == 2
        assert "lies outside" in err
        assert "--folder" in err
        assert not (here / "models/a" / NAME).exists()

    @pytest.mark.parametrize("ref", ["-", "meta-llama/Llama-3.1-8B"])
    def test_only_files_can_be_locked(self, run: Here, here: Path, ref: str) -> None:
        assert run("lock", ref).err.startswith(f"error: {ref}: only files can be locked")

    def test_nothing_to_lock(self, run: Here, here: Path) -> None:
        assert "locks nothing yet, and no file was named" in run("lock").err
        (here / "empty").mkdir()
        assert run("lock", "empty").err == "error: no model config in empty\n"
        Path("empty/adapter_config.json").write_text('{"peft_type": "LORA", "base_model_name_or_path": "org/base"}')
        assert "adapter" in run("lock", "empty").err
        assert not (here / NAME).exists()


@contextlib.contextmanager
def powerless() -> Iterator[None]:
    """Without the rights of root, which no folder can refuse."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions and links")
class TestFileSystem:
    def test_a_read_only_folder_is_named_and_nothing_is_left(self, run: Here, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = Path(tempfile.mkdtemp())
        try:
            save(folder / "config.json")
            folder.chmod(0o555)
            monkeypatch.chdir(folder)
            forget()
            with powerless():
                code, _, err = run("lock", "config.json")
            assert code == 2
            assert err == f"error: {NAME}: cannot be written (Permission denied)\n"
            assert os.listdir(folder) == ["config.json"]
        finally:
            folder.chmod(0o755)
            shutil.rmtree(folder)

    def test_a_failure_leaves_the_old_file(self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run("lock", "models/b.json")
        before = (here / NAME).read_bytes()

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fail)
        code, _, err = run("lock", "models")
        assert (code, "No space left on device" in err) == (2, True)
        assert (here / NAME).read_bytes() == before
        assert sorted(os.listdir(here)) == [NAME, "models"]

    def test_permissions_stay(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        mask = os.umask(0)
        os.umask(mask)
        assert stat.S_IMODE((here / NAME).stat().st_mode) == 0o666 & ~mask
        (here / NAME).chmod(0o640)
        run("lock", "models")
        assert stat.S_IMODE((here / NAME).stat().st_mode) == 0o640

    def test_a_lock_file_that_is_a_link_stays_one(self, run: Here, here: Path) -> None:
        (here / "real.json").write_text('{"files": {}, "schema_version": 1}')
        (here / NAME).symlink_to("real.json")
        run("lock", "models")
        assert (here / NAME).is_symlink()
        assert len(json.loads((here / "real.json").read_text())["files"]) == 2

    def test_a_linked_config_is_locked_under_its_own_name(self, run: Here, here: Path) -> None:
        (here / "current.json").symlink_to("models/b.json")
        run("lock", "current.json")
        assert list(json.loads((here / NAME).read_text())["files"]) == ["current.json"]
        assert held(run, "current.json") == (0, [])
        save(here / "models/c.json", num_hidden_layers=3)
        (here / "current.json").unlink()
        (here / "current.json").symlink_to("models/c.json")
        code, ((path, rule, message),) = held(run, "current.json")
        assert (code, path, rule) == (1, "current.json", "L001")
        assert message.startswith("not as locked: parameters 1,480 → 2,136 (+656)")

    def test_a_folder_may_be_reached_through_a_link(
        self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        run("lock", "models")
        other = tmp_path_factory.mktemp("other")
        (other / "way").symlink_to(here)
        monkeypatch.chdir(other)
        assert held(run, "way/models") == (0, [])
        assert run("lock", "way/models", "--folder", str(here)).out.endswith("nothing changed\n")


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
            [("models/a/config.json", "L001", "locked with 824 parameters, but no longer counted")],
        )

    def test_without_a_lock_file_nothing_is_said(self, run: Here, here: Path) -> None:
        assert held(run, "models") == (0, [])

    def test_can_be_ignored(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        (here / NAME).write_text("broken")
        (here / "models/b.json").unlink()
        forget()
        assert run("check", "models", "--ignore", "L,E,P,C").code == 0


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
