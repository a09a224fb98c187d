"""The README is true: its commands print what it shows, and its lists are those of the program.

python -m tests.test_readme     writes the output of the commands and the list of types into it
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ffncalc
from ffncalc.architectures import MODULES
from ffncalc.cli.commands import COMMANDS
from ffncalc.ir import CATEGORIES
from tests.command import DEEPSEEK, Here

README = Path(__file__).parent.parent / "README.md"
CONSOLE = re.compile(r"```console\n\$ (ffncalc [^\n]*)\n(.*?)```", re.DOTALL)
TYPES = re.compile(r"(<!-- types -->\n)(.*?)(<!-- /types -->)", re.DOTALL)


def shown() -> list[tuple[str, str]]:
    """(command, output) of every console block."""
    return CONSOLE.findall(README.read_text(encoding="utf-8"))


def printed(command: str) -> str:
    """What a command line of the README prints."""
    program = f"{shlex.quote(sys.executable)} -m ffncalc "
    clean = {k: v for k, v in os.environ.items() if k not in ("FFNCALC_MODEL", "COLUMNS", "FFNCALC_DEBUG")}
    line = program + command.removeprefix("ffncalc ")
    env = clean | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(line, shell=True, capture_output=True, env=env, timeout=60, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def types() -> str:
    """The list of supported types."""
    return f"{len(MODULES)} model types: " + ", ".join(f"`{name}`" for name in MODULES) + ".\n"


def test_there_is_something_to_check() -> None:
    assert len(shown()) >= 5


@pytest.mark.parametrize(("command", "output"), shown(), ids=[command for command, _ in shown()])
def test_commands_print_what_is_shown(command: str, output: str) -> None:
    assert printed(command) == output


def test_the_list_of_types_is_that_of_the_program() -> None:
    match = TYPES.search(README.read_text(encoding="utf-8"))
    assert match is not None
    assert match[2] == types()


def test_the_list_of_commands_is_that_of_the_program() -> None:
    rows = re.findall(r"^\| `ffncalc (\w+) ", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


def keys(value: object) -> set[str]:
    """Every key of an object and of what it holds, but for the categories inside."""
    if isinstance(value, list):
        return {key for each in value for key in keys(each)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {key for each in value.values() for key in keys(each)} - set(CATEGORIES)


def described(command: str) -> set[str]:
    """The names in the row of the JSON table that is about a command."""
    text = README.read_text(encoding="utf-8").partition("\n## JSON\n")[2].partition("\n## ")[0]
    (row,) = re.findall(rf"^\| `{command}` \| (.*) \|$", text, re.MULTILINE)
    return {quoted or key for quoted, key in re.findall(r'`(\w+)`|"(\w+)":', row)} - {"jsonl"}


@pytest.mark.parametrize("command", ["params", "flops", "crossover", "memory", "parallel"])
def test_the_json_table_has_the_keys_of_the_program(command: str, run: Here) -> None:
    entries = json.loads(run(command, DEEPSEEK, "google-t5/t5-small", "--format", "json").out)["models"]
    found = {key for entry in entries for key in keys({command: entry[command]})}
    inner = keys(entries[0]["crossover"]) - {"ctx"} if command == "flops" else set()  # they have their own row
    assert described(command) - set(CATEGORIES) == found - inner - set(CATEGORIES)


def test_the_json_table_has_the_keys_of_archs(run: Here) -> None:
    found = keys(json.loads(run("archs", "--format", "json").out))
    assert described("archs") == found


def test_library_examples_give_what_their_comments_say() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    checked = 0
    for line in block.splitlines():
        code, _, comment = line.partition("  #")
        try:
            value = eval(code, names)
        except SyntaxError:
            exec(code, names)
            continue
        assert value == eval(comment), line
        checked += 1
    assert checked >= 5


def test_public_functions_are_named() -> None:
    text = README.read_text(encoding="utf-8")
    library = text.partition("\n## Library\n")[2].partition("\n## ")[0]
    for name in set(ffncalc.__all__) - {"__version__"}:
        assert f"ffncalc.{name}(" in library or re.search(rf"`{name}[`(]", library), name


def write() -> None:
    """Bring the README up to date."""
    text = README.read_text(encoding="utf-8")
    text = CONSOLE.sub(lambda m: f"```console\n$ {m[1]}\n{printed(m[1])}```", text)
    README.write_text(TYPES.sub(lambda m: m[1] + types() + m[3], text), encoding="utf-8")


if __name__ == "__main__":
    write()


def test_the_changelog_names_every_command_and_function() -> None:
    text = (README.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    names = {*COMMANDS, *ffncalc.__all__} - {"__version__"}
    assert {name for name in names if f"`{name}`" not in text and f"`ffncalc {name}`" not in text} == set()
