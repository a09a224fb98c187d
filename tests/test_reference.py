"""References: what a person types or pastes, and what it names."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import ffncalc
from ffncalc import source
from ffncalc.errors import FfncalcError, FileError, NotFound, UsageError
from ffncalc.source import reference
from tests.fake_hub import CONFIG, TOTAL

NAMED: list[tuple[str, str, str | None, str | None]] = [  # text -> repository, revision, file
    ("org/name", "org/name", None, None),
    ("org/name/", "org/name", None, None),
    (" org/name\n", "org/name", None, None),
    ("gpt2", "gpt2", None, None),
    ("org/name@abc123", "org/name", "abc123", None),
    ("org/name@refs/pr/3", "org/name", "refs/pr/3", None),
    ("hf://org/name", "org/name", None, None),
    ("hf://models/org/name@v1.0", "org/name", "v1.0", None),
    ("hf://org/name/sub/config.json", "org/name", None, "sub/config.json"),
    ("https://huggingface.co/org/name", "org/name", None, None),
    ("https://huggingface.co/org/name/", "org/name", None, None),
    ("huggingface.co/org/name", "org/name", None, None),
    ("HTTPS://HuggingFace.co/org/name", "org/name", None, None),
    ("https://huggingface.co/org/name?library=transformers#files", "org/name", None, None),
    ("https://huggingface.co/org/name/blob/main/config.json", "org/name", None, None),
    ("https://huggingface.co/org/name/resolve/refs%2Fpr%2F3/config.json", "org/name", "refs/pr/3", None),
    ("https://huggingface.co/org/name/raw/refs/pr/3/config.json", "org/name", "refs/pr/3", None),
    ("https://huggingface.co/org/name/resolve/main/config.json?download=true", "org/name", None, None),
    ("https://hf.co/org/name/tree/v1.0", "org/name", "v1.0", None),
    ("https://hf.co/org/name/tree/v1.0/text_encoder", "org/name", "v1.0", "text_encoder/config.json"),
    ("https://huggingface.co/org/name/blob/main/params.json", "org/name", None, "params.json"),
    ("https://huggingface.co/org/name/blob/main/model-00001-of-00002.safetensors", "org/name", None, None),
    ("https://huggingface.co/org/name/commit/0e9e39f", "org/name", "0e9e39f", None),
    ("https://huggingface.co/org/name/discussions/12", "org/name", None, None),
    ("https://huggingface.co/gpt2/blob/main/config.json", "gpt2", None, None),
    ("https://huggingface.co/gpt2", "gpt2", None, None),
    ("https://huggingface.co/api/models/org/name", "org/name", None, None),
]


@pytest.mark.parametrize(("text", "repo", "revision", "file"), NAMED, ids=[repr(row[0]) for row in NAMED])
def test_a_reference_names_a_repository(
    text: str, repo: str, revision: str | None, file: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = reference.parse(text)
    assert (found.path, found.repo_id, found.revision, found.file) == (None, repo, revision, file)


PATHS = [
    "./org/name",
    "../x",
    "~/nothing/here",
    "/no/where",
    "a\\b",
    "C:\\x\\config.json",
    "x.json",
    "org/name/config.json",
]


@pytest.mark.parametrize("text", PATHS)
def test_what_looks_like_a_path_is_never_looked_up_elsewhere(text: str) -> None:
    with pytest.raises(NotFound, match="no such file or folder"):
        source.load(text)


REFUSED = [
    ("", "empty reference"),
    ("a\x1bb/c", "is no reference"),
    ("org/name:Q4_K_M", r"'Q4_K_M' is the tag of a quantised file[\s\S]*base repository: org/name$"),
    ("org/name-GGUF:Q4_K_M", r"base repository: org/name$"),
    ("llama3:8b", r"'8b' is the tag"),
    ("org/name@", "not the name of a revision"),
    ("org/name@../../x", "not the name of a revision"),
    ("-org/name", "neither a path that exists nor a repository id"),
    ("org/na me", "neither a path that exists nor a repository id"),
    ("org/a--b", "neither a path that exists nor a repository id"),
    ("x" * 5000, "neither a path that exists nor a repository id"),
    ("s3://bucket/config.json", "s3:// addresses are not read"),
    ("https://example.com/config.json", r"addresses on example\.com are not read"),
    ("https://huggingface.co/datasets/org/name", "not the address of a model"),
    ("https://huggingface.co/", "not the address of a model"),
    ("hf://datasets/org/name", "not the address of a model"),
    ("https://huggingface.co/org/name/blob/..%2F..%2Fx/config.json", "not the name of a revision"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[repr(row[0][:40]) for row in REFUSED])
def test_what_is_no_reference_is_a_usage_error(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        source.load(text)


def test_a_password_and_a_token_in_an_address_are_not_kept() -> None:
    found = reference.parse("https://me:hf_secret@huggingface.co/org/name/blob/v1/config.json?token=hf_secret")
    assert "hf_secret" not in repr(found)
    assert found.shown == "https://huggingface.co/org/name/blob/v1/config.json"


def test_a_revision_option_goes_with_a_repository_only(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(UsageError, match="a revision is for repositories"):
        source.load(str(tmp_path), revision="main")
    with pytest.raises(UsageError, match="names revision v1, but v2"):
        source.load("org/name@v1", revision="v2")


def test_a_file_and_a_folder_are_read_and_their_path_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG))
    for ref in (str(file), str(tmp_path), f"{tmp_path}/"):
        loaded = source.load(ref)
        assert (loaded.raw, loaded.origin.source, str(loaded.origin)) == (CONFIG, "file", str(file))
    assert ffncalc.params(ffncalc.load(tmp_path)).total == TOTAL


def test_a_path_object_is_always_a_path() -> None:
    with pytest.raises(NotFound, match="no such file or folder"):
        ffncalc.load(Path("meta-llama/Llama-3.1-8B"))


def test_a_local_file_goes_before_a_repository_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").write_text(json.dumps(CONFIG))
    assert source.load("gpt2").origin.source == "file"


def test_a_folder_without_any_config_does_not_hide_a_bundled_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").mkdir()
    (tmp_path / "gpt2" / "train.py").write_text("")
    assert source.load("gpt2").origin.source == "bundled"
    with pytest.raises(NotFound, match=r"gpt2: no config\.json; it holds train\.py"):
        source.load("./gpt2")


def test_ids_without_an_organisation_are_known_by_the_one_they_moved_to() -> None:
    assert source.load("gpt2").raw == source.load("openai-community/gpt2").raw
    assert source.load("https://huggingface.co/gpt2").origin.source == "bundled"


def test_letter_case_does_not_matter_for_bundled_configs() -> None:
    assert source.load("meta-llama/llama-3.1-8b").origin.source == "bundled"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CONFIG).encode())))
    loaded = source.load("-")
    assert (loaded.raw, str(loaded.origin)) == (CONFIG, "stdin")
    with pytest.raises(FileError, match="stdin: the file is empty"):
        source.load("-")


FOLDERS: list[tuple[dict[str, object], str]] = [
    ({"adapter_config.json": {"peft_type": "LORA", "base_model_name_or_path": "org/base"}}, r"LoRA[\s\S]*org/base"),
    ({"model_index.json": {"_class_name": "FluxPipeline"}}, "diffusers pipeline"),
    ({"model.Q4.gguf": {}}, r"GGUF files \(model\.Q4\.gguf\)"),
    ({"sub/config.json": CONFIG}, r"no config\.json, but sub/config\.json"),
    ({"modules.json": [{"type": "x.WordEmbeddings", "path": "0"}]}, "names no Transformer"),
    ({"modules.json": [{"type": "x.Transformer", "path": "0_T"}]}, "leads to 0_T/config.json, which is not there"),
    ({"modules.json": [{"type": "x.Transformer", "path": "../../etc"}]}, "names no Transformer"),
    ({}, r"no config\.json$"),
]


@pytest.mark.parametrize(("files", "message"), FOLDERS, ids=["+".join(files) or "empty" for files, _ in FOLDERS])
def test_a_folder_of_something_else_says_what_it_is(files: dict[str, object], message: str, tmp_path: Path) -> None:
    write(tmp_path, files)
    with pytest.raises(FfncalcError, match=message) as caught:
        source.load(str(tmp_path))
    assert isinstance(caught.value, FileError | NotFound)


@pytest.mark.parametrize("sub", ["", "0_Transformer"])
def test_modules_json_leads_to_the_transformer(sub: str, tmp_path: Path) -> None:
    inside = f"{sub}/config.json".lstrip("/")
    modules = [{"type": "sentence_transformers.models.Transformer", "path": sub}]
    write(tmp_path, {"modules.json": modules, inside: CONFIG})
    assert source.load(str(tmp_path)).raw == CONFIG


def test_a_folder_that_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.listdir", refuse)
    with pytest.raises(FileError, match=r"cannot be read \(Permission denied\)"):
        source.load(str(tmp_path))


def write(folder: Path, files: dict[str, object]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
