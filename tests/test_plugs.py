"""The GitHub action, the pre-commit hooks, and the snippets of the README that use them.

GitHub itself is played: the steps of the action run in bash as a runner runs them, with its variables. The installing
parts (a hook in an environment of its own, the action's first step) need a package index and are left out without one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from ffncalc.cli.app import program
from ffncalc.cli.commands import COMMANDS
from ffncalc.report.findings import CheckFormat
from tests.repository import TINY, commit, git, save

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")

needs_bash = pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@cache
def options(command: str) -> set[str]:
    """The options of a command."""
    (info,) = (i for i in program().registered_commands if i.name == command)
    done = subprocess.run(
        [sys.executable, "-m", "ffncalc", info.name or "", "--help"],
        capture_output=True,
        env=os.environ | {"COLUMNS": "400", "PYTHONIOENCODING": "utf-8"},
        check=True,
    )
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", done.stdout.decode()))


def assert_known(line: str) -> None:
    """That a command line names a command and options that exist."""
    name, command, *words = shlex.split(line)
    assert name == "ffncalc"
    assert command in COMMANDS, line
    given = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert given <= options(command), line
    if "--format" in words and command == "check":
        assert words[words.index("--format") + 1] in list(CheckFormat)


class Ran(NamedTuple):
    code: int
    out: str
    err: str
    output: dict[str, str]
    summary: str


class Runner:
    """A job of GitHub in a folder: what a step prints, puts out, and adds to the summary of the job."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temp = folder.parent / "runner-temp"
        self.temp.mkdir()
        self.known = {"github.action_path": str(ROOT), "steps.python.outputs.python-path": sys.executable}
        program = self.temp / "here"  # as the first step would install it
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ffncalc "$@"\n')
        program.chmod(0o755)
        self.known["steps.install.outputs.program"] = str(program)

    def __call__(self, step: str, **inputs: str) -> Ran:
        defaults = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
        given = defaults | {name.replace("_", "-"): value for name, value in inputs.items()}
        known = self.known | {f"inputs.{name}": value for name, value in given.items()}
        env = {name: EXPRESSION.sub(lambda m: known[m[1]], str(value)) for name, value in STEPS[step]["env"].items()}
        files = {name: self.temp / f"{step}-{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        script = self.temp / f"{step}.sh"
        script.write_text(STEPS[step]["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],  # what `shell: bash` stands for
            cwd=self.folder,
            env=os.environ | {k: str(v) for k, v in files.items()} | {"RUNNER_TEMP": str(self.temp)} | env,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        output = dict(line.split("=", 1) for line in lines)
        return Ran(done.returncode, done.stdout, done.stderr, output, files["GITHUB_STEP_SUMMARY"].read_text())


@pytest.fixture
def job(tmp_path: Path) -> Runner:
    folder = tmp_path / "workspace"
    save(folder / "models/good/config.json")
    save(folder / "models/bad one/config.json", num_attention_heads=3)
    return Runner(folder)


class TestAction:
    def test_has_what_github_asks_for(self) -> None:
        assert {"name", "description", "inputs", "runs"} <= set(ACTION)
        assert ACTION["runs"]["using"] == "composite"
        for each in ACTION["inputs"].values():
            assert set(each) == {"description", "default"}
            assert isinstance(each["default"], str)
        for step in ACTION["runs"]["steps"]:
            assert "uses" in step or step["shell"] == "bash"

    def test_names_only_inputs_and_steps_that_exist_and_all_of_them(self) -> None:
        named = EXPRESSION.findall((ROOT / "action.yml").read_text())
        assert {n.removeprefix("inputs.") for n in named if n.startswith("inputs.")} == set(ACTION["inputs"])
        assert {n.split(".")[1] for n in named if n.startswith("steps.")} <= set(STEPS)
        assert set(named) <= {n for n in named if n.startswith(("inputs.", "steps."))} | {"github.action_path"}

    def test_no_script_holds_an_expression_that_a_pull_request_could_fill(self) -> None:
        assert not any("${{" in step.get("run", "") for step in ACTION["runs"]["steps"])

    @needs_bash
    def test_annotates_and_fails(self, job: Runner) -> None:
        ran = job("check", paths="models")
        assert (ran.code, ran.output) == (1, {"exit-code": "1"})
        assert re.search(r"^::error file=models/bad one/config\.json,line=\d+,.*S00", ran.out, re.MULTILINE)
        assert "bad one" in ran.summary

    @needs_bash
    def test_passes_without_findings(self, job: Runner) -> None:
        ran = job("check", paths="models/good", args="--ignore E,P,C")
        assert (ran.code, ran.output, ran.err) == (0, {"exit-code": "0"}, "")
        assert "::error" not in ran.out

    @needs_bash
    def test_paths_stand_on_lines_of_their_own_and_options_anywhere(self, job: Runner) -> None:
        paths = "models/good/config.json\r\n\nmodels/bad one/config.json\n"
        ran = job("check", paths=paths, args="--select S\n--fail-on error", format="json", summary="false")
        data = json.loads(ran.out)
        assert data["summary"]["files"] == 2
        assert {each["rule"][0] for each in data["findings"]} == {"S"}
        assert ran.summary == ""

    @needs_bash
    def test_patterns_are_matched_by_ffncalc(self, job: Runner) -> None:
        ran = job("check", paths="models/*/config.json", format="json")
        assert json.loads(ran.out)["summary"]["files"] == 2

    @needs_bash
    def test_writes_sarif_beside_the_annotations(self, job: Runner) -> None:
        for _ in range(2):  # the second run replaces the file
            ran = job("check", paths="models", sarif_file="out/ffncalc.sarif")
            log = json.loads((job.folder / "out/ffncalc.sarif").read_text())
            assert ran.code == 1
            assert log["version"] == "2.1.0"
            assert any(result["level"] == "error" for result in log["runs"][0]["results"])

    @needs_bash
    def test_a_summary_beyond_what_github_takes_is_cut_at_a_row(self, job: Runner) -> None:
        text = json.dumps(TINY, indent=1).removesuffix("\n}")
        twice = "".join(f',\n "{"ü" * 20}{i}": 1,\n "{"ü" * 20}{i}": 2' for i in range(8_000))
        (job.folder / "models/good/config.json").write_text(f"{text}{twice}\n}}", encoding="utf-8")
        ran = job("check", paths="models/good", args="--select F002")
        *rows, blank, last, end = ran.summary.split("\n")
        assert 900_000 < len(ran.summary.encode()) < 2**20
        assert all(re.fullmatch(r"\| .* \|", row) for row in rows[2:])
        assert (blank, last, end) == ("", "The log holds the rest.", "")
        assert (ran.code, ran.output) == (1, {"exit-code": "1"})
        assert ran.out.endswith("8,000 errors in 1 file\n")

    @needs_bash
    def test_names_in_the_log_and_the_summary_what_could_not_be_checked(self, job: Runner) -> None:
        ran = job("check", paths="models/good\nmodels/gone.json")
        assert (ran.code, ran.output) == (2, {"exit-code": "2"})
        assert "::error file=models/gone.json,title=not checked::models/gone.json: no such file" in ran.out
        assert "| models/gone.json |  | not checked |" in ran.summary

    @needs_bash
    @pytest.mark.parametrize(
        ("inputs", "words"),
        [
            ({"paths": "./nowhere"}, "nowhere"),
            ({"paths": "--help"}, "--help"),
            ({"args": "--nope"}, "--nope"),
            ({"format": "xml"}, "xml"),
            ({"paths": "$(touch evil)\n`touch evil`\n; touch evil"}, "evil"),
            ({"args": "$(touch evil)"}, "evil"),
        ],
    )
    def test_what_cannot_be_done_is_2_and_nothing_in_an_input_is_run(
        self, job: Runner, inputs: dict[str, str], words: str
    ) -> None:
        ran = job("check", **inputs)
        assert (ran.code, ran.output) == (2, {"exit-code": "2"})
        assert words in ran.err
        assert not (job.folder / "evil").exists()

    @needs_bash
    def test_a_sarif_file_that_cannot_be_written_fails(self, job: Runner) -> None:
        assert job("check", paths="models/good", sarif_file="models/good/config.json/x.sarif").code != 0

    @needs_bash
    @pytest.mark.registry
    @pytest.mark.usefixtures("index")
    def test_installs_the_code_it_comes_with(self, job: Runner, copy: Path) -> None:
        job.known["github.action_path"] = str(copy)
        installed = job("install")
        assert installed.code == 0, installed.err
        job.known["steps.install.outputs.program"] = installed.output["program"]
        ran = job("check", paths="models/good", args="--ignore E,P,C")
        assert ran.code == 0, ran.err


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the project as it stands, not as it was committed."""
    folder = tmp_path_factory.mktemp("clone") / "ffncalc"
    folder.mkdir()
    for name in ("ffncalc", "configs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "action.yml", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, folder / name)
    commit(folder)
    return folder


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A package index that answers."""
    there = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "hatchling"]
    done = subprocess.run(there, cwd=tmp_path_factory.mktemp("index"), capture_output=True, timeout=60, check=False)
    if done.returncode:
        pytest.skip("needs a package index")
    return


class TestHooks:
    def test_are_what_pre_commit_takes(self) -> None:
        pre_commit = pytest.importorskip("pre_commit.clientlib")
        assert {each["id"] for each in pre_commit.load_manifest(ROOT / ".pre-commit-hooks.yaml")} == set(HOOKS)

    @pytest.mark.parametrize("name", HOOKS)
    def test_run_commands_that_exist(self, name: str) -> None:
        assert_known(HOOKS[name]["entry"])

    @pytest.mark.parametrize("name", HOOKS)
    def test_look_at_configs_alone(self, name: str) -> None:
        pattern = re.compile(HOOKS[name]["files"])
        assert all(pattern.search(path) for path in ("config.json", "a/b/config.json", "a/params.json"))
        others = ("tokenizer_config.json", "config.json.bak", "my-config.json", "config.toml", "config.json/x.json")
        assert not any(pattern.search(path) for path in others)

    @needs_git
    @pytest.mark.registry
    @pytest.mark.usefixtures("index")
    def test_run_under_pre_commit(self, copy: Path, tmp_path: Path) -> None:
        pytest.importorskip("pre_commit")
        folder = tmp_path / "user"
        save(folder / "models/good/config.json")
        save(folder / "models/bad/config.json", num_attention_heads=3)
        (folder / "models/bad/tokenizer_config.json").write_text("{")
        hooks = [{"id": name} for name in HOOKS]
        used = {"repo": str(copy), "rev": git(copy, "rev-parse", "HEAD"), "hooks": hooks}
        (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [used]}))
        commit(folder)

        def hook(name: str, *args: str) -> tuple[int, str]:
            clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
            done = subprocess.run(
                [sys.executable, "-m", "pre_commit", "run", name, "--verbose", *args],
                cwd=folder,
                env=clean | {"PRE_COMMIT_HOME": str(tmp_path / "home")},
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout + done.stderr

        code, out = hook("ffncalc-check", "--all-files")
        assert code == 1, out
        assert "models/bad/config.json:" in out
        assert "S00" in out
        assert "2 files" in out
        code, out = hook("ffncalc-check", "--files", "models/good/config.json")
        assert code == 0, out
        subprocess.run([sys.executable, "-m", "ffncalc", "lock", "models/good"], cwd=folder, check=True)
        git(folder, "add", "--all")
        code, out = hook("ffncalc-lock", "--files", "models/good/config.json")
        assert code == 0, out
        save(folder / "models/good/config.json", intermediate_size=32)
        git(folder, "add", "--all")
        code, out = hook("ffncalc-lock", "--files", "models/good/config.json")
        assert code == 1, out
        assert "models/good/config.json: not as locked: parameters 824 → 1,208 (+384)" in out


SECTION = "## In CI"


def snippets() -> list[Any]:
    """The YAML blocks of the README's section on CI."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index(f"{SECTION}\n") :].partition("\n## ")[0]
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)]


def steps_of(snippet: Any) -> Iterator[dict[str, Any]]:
    for job in snippet.get("jobs", {}).values():
        yield from job["steps"]


class TestReadme:
    def test_shows_every_place(self) -> None:
        found = snippets()
        assert any("jobs" in each for each in found)
        assert any("repos" in each for each in found)
        assert any("script" in job for each in found for job in each.values() if isinstance(job, dict))

    def test_workflows_use_the_action_as_it_is(self) -> None:
        uses = [step for snippet in snippets() for step in steps_of(snippet) if "/ffncalc@" in step.get("uses", "")]
        assert uses
        for step in uses:
            assert set(step.get("with", {})) <= set(ACTION["inputs"])
            assert_known(f"ffncalc check {step.get('with', {}).get('args', '')}")

    def test_hooks_exist(self) -> None:
        named = [h for s in snippets() for repo in s.get("repos", ()) for h in repo["hooks"]]
        assert {hook["id"] for hook in named} == set(HOOKS)
        for hook in named:
            assert_known(f"{HOOKS[hook['id']]['entry']} {shlex.join(hook.get('args', []))}")
            re.compile(hook.get("files", ""))

    def test_commands_and_options_exist(self) -> None:
        scripts = [step.get("run", "") for snippet in snippets() for step in steps_of(snippet)]
        for snippet in snippets():
            for job in snippet.values():
                scripts += job.get("script", []) if isinstance(job, dict) else []
        lines = [
            line for script in scripts for line in re.findall(r"^\s*(ffncalc .*?)(?: >> .*| > .*)?$", script, re.M)
        ]
        assert len(lines) >= 3
        for line in lines:
            assert_known(line)


def test_tiny_is_a_model_that_check_has_no_error_about() -> None:
    from ffncalc.checks.examine import examine

    assert [f for f in examine(json.dumps(TINY).encode(), "x") if f.severity == "error"] == []
