"""From bytes to a config: what is tolerated, and how each wrong file is named."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import ffncalc
from ffncalc.errors import ConfigError, FfncalcError, FileError
from ffncalc.source import reading
from tests.fake_hub import CONFIG, TOTAL

TEXT = json.dumps(CONFIG, indent=2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_unicode_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    assert total(tmp_path, TEXT.encode(encoding)) == TOTAL


@pytest.mark.parametrize(
    "extra",
    ['"limit": [0.0, Infinity]', '"x": NaN', '"x": -Infinity', '"hidden_size": 64', '"x": 1e400', '"x": {"y": [[]]}'],
)
def test_oddities_beside_the_sizes_are_tolerated(extra: str, tmp_path: Path) -> None:
    assert total(tmp_path, TEXT.replace("{", "{" + extra + ",", 1).encode()) == TOTAL


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "64.5", '"64"', "true", "null", "[64]", "-64", "0", "1" + "0" * 5000]
)
def test_a_size_that_is_none_is_an_error_that_names_it(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hidden_size"):
        total(tmp_path, TEXT.replace('"hidden_size": 64', f'"hidden_size": {value}').encode())


def test_whole_floats_are_integers(tmp_path: Path) -> None:
    assert total(tmp_path, TEXT.replace('"hidden_size": 64', '"hidden_size": 64.0').encode()) == TOTAL


MISTAKES = [
    ("// my model\n" + TEXT, "line 1, column 1: a comment"),
    (TEXT.replace('"hidden_size"', '# wide\n"hidden_size"'), r"line \d+, column 3: a comment"),
    (TEXT.replace("64,", "64, /* wide */"), r"line \d+, column \d+: a comment"),
    ('{\n  "a": 1,\n}', r"line 2, column 9: a comma before '}'"),
    ('{"a": [1, 2,]}', r"line 1, column 12: a comma before '\]'"),
    ('{\n "hidden_size": 64.\n "x": 1}', r"line 2, column 19: not valid JSON"),
    ('{"a": 1 "b": 2}', r"line 1, column 9: not valid JSON: expecting ',' delimiter"),
    (TEXT[:60], r"line \d+, column \d+: the file ends too early"),
    ('{"model_type": "lla', "the file ends too early"),
    ("{'a': 1}", "line 1, column 2: Python syntax"),
    ('{"a": None}', "line 1, column 7: Python syntax"),
    ("{}\n{}", "line 2, column 1: more text after"),
    ("model_type: llama", "line 1, column 1: not valid JSON"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[row[1][:50] for row in MISTAKES])
def test_a_mistake_is_shown_with_line_and_column(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=message) as caught:
        total(tmp_path, text.encode())
    assert str(tmp_path / "config.json") in caught.value.message


OTHER_FILES = [
    (b"", "empty"),
    (b" \n\t", "empty"),
    (b"\xef\xbb\xbf", "empty"),
    (b"\0" * 64, "nothing but zero bytes"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 726\n", r"Git LFS pointer[\s\S]*git lfs pull"),
    (b"GGUF\x03\0\0\0", "GGUF"),
    (b"PK\x03\x04\x00\x00", "zip archive"),
    (b"\x80\x02}q\x00.", "pickle"),
    (b"\x10\0\0\0\0\0\0\0" + b'{"a":{"dtype":"F32"}}', "safetensors"),
    (b"<!DOCTYPE html><html><body>Sign in</body></html>", "HTML"),
    (b"\n <html>", "HTML"),
    (b"<<<<<<< HEAD\n{}\n", "merge conflicts"),
    (b"\x7fELF\x02\x01\x01\0\0\0\0", "binary"),
    (b'{"a": "caf\xe9"}', "not a text in UTF-8"),
    (b"[1, 2]", "expected a JSON object, found an array"),
    (b'"llama"', "found a string"),
    (b"null", "found null"),
    (b"3", "found a number"),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested more than 100 levels"),
    (b'{"a":' * 500 + b"1" + b"}" * 500, "nested more than 100 levels"),
    (b"[" * 2_000_000, "nested more than 100 levels"),
    (b'{"a": "' + b"x" * (8 * 2**20) + b'"}', "longer than 8 MB"),
]


@pytest.mark.parametrize(
    ("data", "message"), OTHER_FILES, ids=[f"{row[1][:30]} {i}" for i, row in enumerate(OTHER_FILES)]
)
def test_what_is_no_config_is_named(data: bytes, message: str, tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(FileError, match=message):
        total(tmp_path, data)
    assert time.monotonic() - start < 2


OTHER_JSON = [
    ({"peft_type": "LORA", "base_model_name_or_path": "org/base-7b"}, r"LoRA adapter[\s\S]*org/base-7b"),
    ({"peft_type": "LORA"}, "LoRA adapter"),
    ({"_class_name": "StableDiffusionPipeline"}, "diffusers pipeline"),
    ({"_class_name": "UNet2DConditionModel"}, "diffusers UNet2DConditionModel"),
    ({"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>"}, "tokenizer_config.json"),
    ({"model": {"type": "BPE", "vocab": {}}}, "tokenizer.json"),
    ({"bos_token_id": 1, "eos_token_id": 2, "transformers_version": "5.0"}, "generation_config.json"),
    ({"temperature": 0.6, "top_p": 0.9}, "generation_config.json"),
    ({"image_processor_type": "CLIPImageProcessor"}, "preprocessor_config.json"),
    ({"metadata": {}, "weight_map": {}}, "index of weight files"),
    ({"bos_token": "<s>", "eos_token": "</s>"}, "special_tokens_map.json"),
]


@pytest.mark.parametrize(("raw", "message"), OTHER_JSON, ids=[row[1][:30] for row in OTHER_JSON])
def test_another_file_of_a_repository_is_named(raw: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=message):
        total(tmp_path, json.dumps(raw).encode())


def test_generation_settings_inside_a_model_config_are_no_generation_config(tmp_path: Path) -> None:
    raw = CONFIG | {"do_sample": True, "temperature": 0.6, "tokenizer_class": "LlamaTokenizer"}
    assert total(tmp_path, json.dumps(raw).encode()) == TOTAL


def test_a_stream_is_read_no_further_than_needed() -> None:
    with open("/dev/zero", "rb") as endless:
        assert len(reading.read(endless)) == reading.LIMIT + 1


@pytest.mark.parametrize("cut", range(1, len(TEXT), 7))
def test_a_file_cut_anywhere_is_never_counted(cut: int, tmp_path: Path) -> None:
    with pytest.raises(FfncalcError, match=r"config\.json"):
        total(tmp_path, TEXT[:cut].encode())


def total(folder: Path, data: bytes) -> int:
    path = folder / "config.json"
    path.write_bytes(data)
    return ffncalc.params(ffncalc.load(path)).total
