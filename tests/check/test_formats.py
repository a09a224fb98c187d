"""Findings in the formats of machines: the JSON contract, GitHub's commands, SARIF, JUnit, Markdown.

test_schemas.py holds whole outputs to the published schemas.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
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


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def command(line: str) -> Command:
    """A workflow command taken apart: `::name key=value,key=value::message`.

    In a value `:` and `,` are written %3A and %2C, in both parts CR, LF and % are %0D, %0A and %25.
    """
    match = re.fullmatch(r"::([a-z-]+) (.*?)::(.*)", line, re.DOTALL)
    assert match, line
    pairs = [pair.partition("=") for pair in match[2].split(",")]
    assert all(name and equals for name, equals, _ in pairs), line
    assert len({name for name, *_ in pairs}) == len(pairs), line
    properties = {name: unescaped(value, "%25", "%0D", "%0A", "%3A", "%2C") for name, _, value in pairs}
    return Command(match[1], properties, unescaped(match[3], "%25", "%0D", "%0A"))


def unescaped(text: str, *codes: str) -> str:
    """A text with its codes replaced; no other percent sign, and no bare end of a line, may stand in it."""
    assert set(re.findall("%.{0,2}", text)) <= set(codes), text
    assert not re.search("[\r\n]", text), text
    return re.sub("%(..)", lambda m: chr(int(m[1], 16)), text)


class TestGithub:
    """Syntax: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands."""

    def test_every_line_but_the_summary_is_a_command(self) -> None:
        *lines, summary, rest = written(CheckFormat.GITHUB, *example()).split("\n")
        assert (summary.partition(" in ")[2], rest) == ("3 files, 1 not checked", "")
        commands = [command(line) for line in lines]
        assert {each.name for each in commands} == {"error", "warning", "notice"}
        places = {"file", "line", "endLine", "col", "endColumn", "title"}
        for each in commands:
            assert set(each.properties) == places or each.properties["title"] == "not checked"
            assert all(each.properties[name].isdecimal() for name in places - {"file", "title"} & set(each.properties))

    @pytest.mark.parametrize(
        "text",
        [
            "a%b",
            "a%0Ab",
            "a%25",
            "a::b",
            ":",
            "a,b=c",
            ",",
            "=a",
            "a\nb",
            "a\r\n",
            "::error::x",
            "\x1b[31m",
            "ü \u2028",
        ],
    )
    def test_hostile_texts_come_out_as_they_went_in(self, text: str) -> None:
        odd = finding(path=f"d/{text}", message=text, hint=text, name=text)
        line, summary, rest = written(CheckFormat.GITHUB, Checked("x", (odd,))).split("\n")
        got = command(line)
        assert (got.name, got.message) == ("error", f"{text}\n{text}")
        assert got.properties == {
            "file": f"d/{text}",
            "line": "3",
            "endLine": "3",
            "col": "5",
            "endColumn": "20",
            "title": f"S002 {text}",
        }
        assert (summary, rest) == ("1 error in 1 file", "")

    def test_is_escaped_as_documented(self) -> None:
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
        text = written(CheckFormat.GITHUB, Checked("a", (finding(end_line=4),)))
        assert set(command(text.split("\n")[0]).properties) == {"file", "line", "endLine", "title"}

    def test_files_are_named_as_git_names_them(self) -> None:
        text = written(CheckFormat.GITHUB, Checked("./a/b.json", (finding(path="./a/b.json"),)))
        assert command(text.split("\n")[0]).properties["file"] == "a/b.json"

    def test_what_could_not_be_checked_is_an_error(self) -> None:
        text = written(CheckFormat.GITHUB, Checked("a,b", error=NotFound("a,b: no such file", "Look again.")))
        assert command(text.split("\n")[0]) == Command(
            "error", {"file": "a,b", "title": "not checked"}, "a,b: no such file\nLook again."
        )


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
        (notification,) = invocation["toolExecutionNotifications"]
        assert notification["message"]["text"] == "models/c/config.json: no such file"
        place = notification["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": "models/c/config.json"}}

    def test_bytes_of_a_name_that_are_no_text_stay_what_they_are(self) -> None:
        odd = finding(path="a/\udcff.json", field="\ud800")
        result = json.loads(written(CheckFormat.SARIF, Checked(odd.path, (odd,))))["runs"][0]["results"][0]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a/%FF.json"

    def test_fingerprints_do_not_move_with_the_lines(self) -> None:
        def fingerprint(**change: Any) -> str:
            result = json.loads(written(CheckFormat.SARIF, Checked("a", (finding(**change),))))["runs"][0]["results"][0]
            return str(result["partialFingerprints"]["ffncalc/v1"])

        assert fingerprint() == fingerprint(line=9, end_line=9) != fingerprint(field="hidden_size")


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

    def test_markdown_has_a_row_for_what_could_not_be_checked(self) -> None:
        text = written(CheckFormat.MARKDOWN, Checked("a", error=NotFound("a: no such file", "Look again.")))
        assert "| a |  | not checked | a: no such file | Look again. |\n" in text

    def test_nothing_found_is_said(self) -> None:
        assert written(CheckFormat.TEXT, Checked("a.json")) == "No findings in 1 file\n"
        assert written(CheckFormat.MARKDOWN, Checked("a.json")) == "### ffncalc check\n\nNo findings in 1 file.\n"
