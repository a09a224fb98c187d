"""Every rule does what its documentation says: the bad example is found, the good one is not.

The whole diagnostic of each bad example is kept in snapshots/; after a change of wording
`FFNCALC_WRITE_SNAPSHOTS=1 pytest tests/check/test_rules.py` writes them anew, to be read before they are committed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import ffncalc.checks
from ffncalc.checks import GROUPS, RULES, name_of, rule
from ffncalc.checks.doc import doc
from ffncalc.checks.examine import examine
from ffncalc.checks.runner import Checked
from ffncalc.report.findings import CheckFormat, writer
from tests.check.configs import example, settings_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
PACKAGE = Path(ffncalc.checks.__file__).parent / "rules"


def test_rules_are_sorted_and_named_once() -> None:
    assert list(RULES) == sorted(RULES)
    assert len({name_of(code) for code in RULES}) == len(RULES)
    assert {code[0] for code in RULES} == set(GROUPS)


def test_every_rule_file_is_listed_and_every_listed_rule_has_a_file() -> None:
    files = {f"{p.parent.name}.{p.stem}" for p in PACKAGE.glob("*/*.py") if re.match(r"[a-z]\d{3}_", p.stem)}
    assert set(RULES.values()) == files


@pytest.mark.parametrize("code", RULES)
def test_the_file_of_a_rule_starts_with_its_code(code: str) -> None:
    assert RULES[code].partition(".")[2].startswith(f"{code.lower()}_")
    assert rule(code).code == code


@pytest.mark.parametrize("code", RULES)
def test_documentation_is_complete(code: str) -> None:
    found = doc(code)
    assert all((found.summary, found.why, found.bad, found.good, found.source))
    assert found.summary.endswith(".")
    assert "\n" not in found.summary


@pytest.mark.parametrize("code", RULES)
def test_the_bad_example_is_found_as_the_snapshot_shows(code: str) -> None:
    found = doc(code)
    findings = examine(example(found.base, found.bad), "config.json", settings_of(code))
    own = tuple(f for f in findings if f.code == code)
    assert own
    text = writer(CheckFormat.TEXT, (code,)).file(Checked("config.json", own))
    snapshot = SNAPSHOTS / f"{code}.txt"
    if os.environ.get("FFNCALC_WRITE_SNAPSHOTS"):
        snapshot.write_text(text)
    assert text == snapshot.read_text()


@pytest.mark.parametrize("code", RULES)
def test_the_good_example_is_not_found(code: str) -> None:
    found = doc(code)
    findings = examine(example(found.base, found.good), "config.json", settings_of(code))
    assert [f.message for f in findings if f.code == code] == []


@pytest.mark.parametrize("code", RULES)
def test_a_rule_with_an_error_in_its_example_is_the_only_one(code: str) -> None:
    found = doc(code)
    findings = examine(example(found.base, found.bad), "config.json", settings_of(code))
    others = {f.code for f in findings if f.severity == "error"} - {code}
    assert not others or code in ("F003", "F011", "L003")


def test_no_snapshot_is_left_over() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == set(RULES)
