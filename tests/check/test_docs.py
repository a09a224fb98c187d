"""What the README says about `check` is what the program has.

python -m tests.check.test_docs     writes the table of rules into it
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import ffncalc.checks
from ffncalc.checks import RULES
from ffncalc.checks.doc import doc, docs
from ffncalc.checks.settings import KEYS, parse
from ffncalc.report.findings import CheckFormat

README = Path(__file__).parents[2] / "README.md"
RULES_FOLDER = Path(ffncalc.checks.__file__).parent / "rules"
TABLE = re.compile(r"(<!-- rules -->\n)(.*?)(<!-- /rules -->)", re.DOTALL)


def rows() -> str:
    """The table of rules."""
    lines = [f"| {d.code} | {d.name} | {d.severity} | {d.summary} |" for d in docs()]
    return "\n".join(("| code | name | severity | finds |", "| --- | --- | --- | --- |", *lines)) + "\n"


def test_the_table_of_rules_is_that_of_the_program() -> None:
    match = TABLE.search(README.read_text(encoding="utf-8"))
    assert match is not None
    assert match[2] == rows()


@pytest.mark.parametrize("code", RULES)
def test_every_severity_of_a_rule_is_in_its_documentation(code: str) -> None:
    source = (RULES_FOLDER / f"{RULES[code].replace('.', '/')}.py").read_text(encoding="utf-8")
    named = {word.lower() for word in re.findall(r"\bSeverity\.([A-Z]+)\b", source)}
    words = set(re.findall(r"\w+", f"{doc(code).summary} {doc(code).why} {doc(code).severity}".lower()))
    assert named <= words


def test_the_example_of_settings_is_valid_and_shows_every_key() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    table = next(tomllib.loads(block)["tool"]["ffncalc"] for block in blocks if "[tool.ffncalc]" in block)
    parse(table, "README.md")
    assert set(table) == set(KEYS)


def test_the_example_of_ffncalc_toml_is_valid() -> None:
    text = README.read_text(encoding="utf-8")
    (block,) = re.findall(r"In `ffncalc.toml`[^`]*`tool.ffncalc`[^`]*```toml\n(.*?)```", text, re.DOTALL)
    found = parse(tomllib.loads(block), "ffncalc.toml")
    assert found.exclude == ("archive",)
    assert found.budgets == (("*", {"max_params": 70 * 10**9}),)


def test_every_format_is_named() -> None:
    text = README.read_text(encoding="utf-8")
    assert all(f"`{each}`" in text for each in CheckFormat)


def write() -> None:
    """Bring the table up to date."""
    text = README.read_text(encoding="utf-8")
    README.write_text(TABLE.sub(lambda m: m[1] + rows() + m[3], text), encoding="utf-8")


if __name__ == "__main__":
    write()
