"""`ffncalc check` on folders and files with another kind of model: an adapter, a pipeline, GGUF."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.check.test_check_cli import folder, lay
from tests.command import Here, apart

__all__ = ["folder"]  # a fixture

ADAPTER = '{"peft_type": "LORA", "base_model_name_or_path": "org/base", "r": 8}'
PIPELINE = '{"_class_name": "FluxPipeline", "text_encoder": ["transformers", "CLIPTextModel"]}'
OTHER_FILES = {  # name: its text, what is said of the folder, and the hint
    "adapter_config.json": (
        ADAPTER,
        "this is a LoRA adapter (adapter_config.json), not a model",
        "Its base model is org/base: give that.",
    ),
    "model_index.json": (
        PIPELINE,
        "this is a diffusers pipeline (model_index.json), not one model",
        "Give the config.json of one of its parts: text_encoder.",
    ),
    "weights-q4.gguf": (
        "GGUF",
        "holds GGUF files (weights-q4.gguf) and no config.json",
        "Give the repository that it was made from.",
    ),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_2_for_a_folder_with_another_kind_of_model_which_is_named(run: Here, folder: Path, name: str) -> None:
    text, said, hint = OTHER_FILES[name]
    lay(folder, {f"models/one/{name}": text, "models/notes.txt": "x"})
    for path in ("models", "models/one"):
        assert run("check", path) == (2, "", f"error: models/one: {said}\nhint: {hint}\n")


def test_what_is_named_instead_is_looked_for_in_every_folder_that_is_given(run: Here, folder: Path) -> None:
    lay(folder, {"a/adapter_config.json": ADAPTER, "b/x.gguf": "GGUF", "c/node_modules/y.gguf": "GGUF"})
    err = run("check", "a", "b", "c").err
    assert [line for line in err.splitlines() if line.startswith("error")] == [
        "error: a: this is a LoRA adapter (adapter_config.json), not a model",
        "error: b: holds GGUF files (x.gguf) and no config.json",
        "error: no model config in c",
    ]


def test_2_for_a_folder_with_a_pipe_by_the_name_of_an_adapter(folder: Path) -> None:
    (folder / "models").mkdir()
    os.mkfifo(folder / "models" / "adapter_config.json")
    code, _, err = apart("check", "models")
    assert (code, err) == (2, "error: models/adapter_config.json: is no file\n")


@pytest.mark.parametrize("name", OTHER_FILES)
def test_a_file_that_is_no_config_has_one_finding(run: Here, folder: Path, name: str) -> None:
    lay(folder, {name: OTHER_FILES[name][0]})
    findings = json.loads(run("check", name, "-f", "json").out)["findings"]
    assert [(f["rule"], f["severity"]) for f in findings] == [("F001", "error")]
    assert run("check", name, "--ignore", "F001").code == 0
