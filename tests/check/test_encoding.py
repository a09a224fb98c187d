"""Files in other encodings than loaders read."""

from __future__ import annotations

import json

import pytest

from ffncalc.checks.examine import examine
from tests.check.configs import LLAMA, config


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-8-sig", "the file starts with a byte-order mark, which loaders refuse"),
        ("utf-16", "the file is in UTF-16, and loaders read UTF-8 only"),
        ("utf-16-le", "the file is in UTF-16-LE, and loaders read UTF-8 only"),
        ("utf-16-be", "the file is in UTF-16-BE, and loaders read UTF-8 only"),
        ("utf-32", "the file is in UTF-32, and loaders read UTF-8 only"),
    ],
)
def test_a_file_that_loaders_cannot_read_is_found_once_and_checked_all_the_same(encoding: str, message: str) -> None:
    raw = config(LLAMA) | {"hidden_size": -1}
    findings = examine(json.dumps(raw, indent=2).encode(encoding), "config.json")
    assert [(f.severity, f.message) for f in findings if f.code == "F015"] == [("warning", message)]
    assert [(f.code, f.line) for f in findings if f.severity == "error"] == [("F004", 8)]


def test_plain_utf_8_is_not_found_whatever_it_holds() -> None:
    raw = config(LLAMA) | {"note": "Größe 模型 \N{LEFTWARDS ARROW}"}
    findings = examine(json.dumps(raw, ensure_ascii=False).encode(), "config.json")
    assert [f.message for f in findings if f.code == "F015"] == []
