"""Findings in the formats of machines: the JSON contract, GitHub's commands, SARIF, JUnit, Markdown.

The official schemas are not part of this project. Where they are at hand, the whole output is validated too:
`FFNCALC_SARIF_SCHEMA` names a sarif-schema-2.1.0.json (docs.oasis-open.org/sarif/sarif/v2.1.0, or the npm package
@microsoft/jest-sarif), `FFNCALC_JUNIT_XSD` the JUnit.xsd of github.com/windyroad/JUnit-Schema; jsonschema and
xmlschema must be installed.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ffncalc.checks import RULES
from ffncalc.checks.examine import examine
from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.errors import NotFound
from ffncalc.report.findings import CheckFormat, Summary, writer
from tests.check.configs import LLAMA, changed, config

ODD = "a b/100%, [x]: ü|<&\"'>\n\x1b.json"  # a path with everything that some format escapes


def finding(**change: Any) -> Finding:
    """An error at line 3, with everything that some format escapes in its message."""
    values: dict[str, Any] = {
        "path": ODD,
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 20,
        "code": "S002",
        "name": "kv-heads-do-not-divide",
        "severity": Severity.ERROR,
        "field": "text_config.num_key_value_heads",
        "message": "50% | 7: 8, <&> \u2028 \ud800 \x00 `x`\r\nnext",
        "hint": "Write 8.",
    }
    return Finding(**(values | change))


def written(format: CheckFormat, *results: Checked) -> str:
    """The whole output for some results."""
    out, summary = writer(format, tuple(RULES)), Summary()
    text = out.begin()
    for checked in results:
        summary.add(checked)
        text += out.file(checked)
    return text + out.end(summary)


def example() -> tuple[Checked, ...]:
    """A file with findings of all severities, one without, one that could not be read, and an odd one."""
    broken = changed(config(LLAMA), {"num_key_value_heads": 7, "vocab_size": 128257, "auto_map": {"AutoConfig": "c.C"}})
    findings = examine(json.dumps(broken, indent=1).encode(), "models/a/config.json")
    assert {f.severity for f in findings} == set(Severity)
    return (
        Checked("models/a/config.json", findings, fails=True),
        Checked("models/b/config.json"),
        Checked("models/c/config.json", error=NotFound("models/c/config.json: no such file")),
        Checked(ODD, (finding(),), fails=True),
    )


class TestJson:
    def test_holds_the_contract(self) -> None:
        data = json.loads(written(CheckFormat.JSON, *example()))
        assert set(data) == {"schema_version", "findings", "failures", "summary"}
        assert data["schema_version"] == 1
        keys = {"path", "line", "column", "rule", "name", "severity", "field", "message", "hint"}
        assert all(set(each) == keys for each in data["findings"])
        assert [each["path"] for each in data["failures"]] == ["models/c/config.json"]
        assert data["failures"][0]["kind"] == "not_found"

    def test_counts_in_the_summary(self) -> None:
        data = json.loads(written(CheckFormat.JSON, *example()))
        by = [f["severity"] for f in data["findings"]]
        assert data["summary"]["files"] == 3
        assert data["summary"]["not_checked"] == 1
        assert data["summary"]["errors"] == by.count("error") == 2
        assert data["summary"]["warnings"] == by.count("warning")
        assert data["summary"]["infos"] == by.count("info")
        assert sum(data["summary"]["rules"].values()) == len(by)

    @pytest.mark.parametrize("results", [(), (Checked("a.json"),)], ids=["no file", "no finding"])
    def test_is_json_without_findings(self, results: tuple[Checked, ...]) -> None:
        assert json.loads(written(CheckFormat.JSON, *results))["findings"] == []


class TestGithub:
    """The grammar: `::command name=value,name=value::message`, one command per line."""

    COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\r\n]*)(?:,\w+=[^:,\r\n]*)*)::([^\r\n]*)")

    def test_every_line_but_the_summary_is_a_command(self) -> None:
        *lines, summary, _ = written(CheckFormat.GITHUB, *example()).split("\n")
        assert summary.endswith("in 3 files")
        for line in lines:
            match = self.COMMAND.fullmatch(line)
            assert match, line
            assert [pair.partition("=")[0] for pair in match[2].split(",")] == [
                "file",
                "line",
                "endLine",
                "col",
                "endColumn",
                "title",
            ]

    def test_escapes_what_would_end_a_value_or_a_message(self) -> None:
        line = written(CheckFormat.GITHUB, Checked(ODD, (finding(),))).split("\n")[0]
        assert line.startswith(
            "::error file=a b/100%25%2C [x]%3A ü|<&\"'>%0A\x1b.json,line=3,endLine=3,col=5,endColumn=20,"
        )
        assert line.endswith("`x`%0D%0Anext%0AWrite 8.")
        assert "50%25 | 7: 8, <&>" in line

    def test_severities_are_levels_of_annotations(self) -> None:
        texts = [written(CheckFormat.GITHUB, Checked("a", (finding(severity=each),))) for each in Severity]
        assert [text.split(" ")[0] for text in texts] == ["::error", "::warning", "::notice"]

    def test_columns_are_left_out_over_several_lines(self) -> None:
        assert ",col=" not in written(CheckFormat.GITHUB, Checked("a", (finding(end_line=4),)))


class TestSarif:
    def test_results_point_at_their_rule_and_place(self) -> None:
        run = json.loads(written(CheckFormat.SARIF, *example()))["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        assert [r["id"] for r in rules] == list(RULES)
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            region = result["locations"][0]["physicalLocation"]["region"]
            assert all(region[name] >= 1 for name in ("startLine", "startColumn", "endLine", "endColumn"))

    def test_paths_are_uris(self) -> None:
        run = json.loads(written(CheckFormat.SARIF, *example()))["runs"][0]
        uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
        assert uris[0] == "models/a/config.json"
        assert uris[-1].startswith("a%20b/100%25%2C%20%5Bx%5D%3A%20%C3%BC%7C")

    def test_what_could_not_be_checked_is_a_notification(self) -> None:
        invocation = json.loads(written(CheckFormat.SARIF, *example()))["runs"][0]["invocations"][0]
        assert invocation["executionSuccessful"] is False
        assert "no such file" in invocation["toolExecutionNotifications"][0]["message"]["text"]

    def test_fingerprints_do_not_move_with_the_lines(self) -> None:
        def fingerprint(**change: Any) -> str:
            result = json.loads(written(CheckFormat.SARIF, Checked("a", (finding(**change),))))["runs"][0]["results"][0]
            return str(result["partialFingerprints"]["ffncalc/v1"])

        assert fingerprint() == fingerprint(line=9, end_line=9) != fingerprint(field="hidden_size")

    @pytest.mark.skipif("FFNCALC_SARIF_SCHEMA" not in os.environ, reason="FFNCALC_SARIF_SCHEMA names no schema")
    def test_validates_against_the_official_schema(self) -> None:
        jsonschema = pytest.importorskip("jsonschema")
        schema = json.loads(Path(os.environ["FFNCALC_SARIF_SCHEMA"]).read_bytes())
        for results in ((), example()):
            log = json.loads(written(CheckFormat.SARIF, *results))
            jsonschema.Draft4Validator(schema).validate(log)


class TestJunit:
    def test_one_suite_per_file_with_its_counts(self) -> None:
        root = ElementTree.fromstring(written(CheckFormat.JUNIT, *example()).encode("utf-8", "replace"))
        assert [suite.get("id") for suite in root] == ["0", "1", "2", "3"]
        for suite in root:
            cases = suite.findall("testcase")
            assert suite.get("tests") == str(len(cases))
            assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
            assert suite.get("errors") == str(len(suite.findall("testcase/error")))
        assert [suite.get("errors") for suite in root] == ["0", "0", "1", "0"]
        assert root[1].get("failures") == "0"

    def test_infos_fail_nothing(self) -> None:
        info = finding(severity=Severity.INFO, path="a", message="worth knowing")
        root = ElementTree.fromstring(written(CheckFormat.JUNIT, Checked("a", (info,))))
        assert root[0].get("failures") == "0"
        assert "worth knowing" in (root[0].findtext("system-out") or "")

    def test_characters_that_xml_cannot_hold_are_replaced(self) -> None:
        text = written(CheckFormat.JUNIT, Checked(ODD, (finding(),)))
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", text)
        failure = ElementTree.fromstring(text).find("testsuite/testcase/failure")
        assert failure is not None
        assert failure.get("message") == "50% | 7: 8, <&> \u2028 \ufffd \ufffd `x`\r\nnext"

    def test_has_what_the_schema_of_ant_requires(self) -> None:
        root = ElementTree.fromstring(written(CheckFormat.JUNIT, *example()))
        assert root.attrib == {}
        for suite in root:
            parts = [part.tag for part in suite]
            assert parts[0] == "properties"
            assert parts[-2:] == ["system-out", "system-err"]
            assert set(parts[1:-2]) == {"testcase"}
            assert set(suite.attrib) == {
                *("name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "time")
            }
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp") or "")

    @pytest.mark.skipif("FFNCALC_JUNIT_XSD" not in os.environ, reason="FFNCALC_JUNIT_XSD names no schema")
    def test_validates_against_the_schema_of_ant(self) -> None:
        xmlschema = pytest.importorskip("xmlschema")
        schema = xmlschema.XMLSchema(os.environ["FFNCALC_JUNIT_XSD"])
        for results in ((), example()):
            schema.validate(written(CheckFormat.JUNIT, *results))


class TestPeople:
    def test_text_is_one_line_per_finding_with_its_hint_below(self) -> None:
        text = written(CheckFormat.TEXT, Checked("a.json", (finding(path="a.json", message="7 of 8"),)))
        assert text == (
            "a.json:3:5: S002 error: 7 of 8 [kv-heads-do-not-divide]\n  hint: Write 8.\n1 error in 1 file\n"
        )

    def test_text_has_no_control_characters_of_the_file(self) -> None:
        text = written(CheckFormat.TEXT, Checked(ODD, (finding(),)))
        assert "\x1b" not in text
        assert len(text.splitlines()) == 3

    def test_markdown_is_a_table_whose_cells_hold(self) -> None:
        text = written(CheckFormat.MARKDOWN, Checked(ODD, (finding(),)))
        row = next(line for line in text.splitlines() if "S002" in line)
        assert len(re.findall(r"(?<!\\)\|", row)) == 6

    def test_nothing_found_is_said(self) -> None:
        assert written(CheckFormat.TEXT, Checked("a.json")) == "No findings in 1 file\n"
        assert written(CheckFormat.MARKDOWN, Checked("a.json")) == "### ffncalc check\n\nNo findings in 1 file.\n"
