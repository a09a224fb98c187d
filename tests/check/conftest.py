"""Fixtures of several tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.check.locked import forget
from tests.repository import save


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
