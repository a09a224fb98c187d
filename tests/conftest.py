"""Fixtures of all tests."""

from __future__ import annotations

import pytest

from tests.command import Here


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(monkeypatch, capsys)
