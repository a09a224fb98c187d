"""The program as a user meets it: streams, exit codes, errors, help."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ffncalc import __version__, source
from ffncalc.__main__ import main
from ffncalc.cli.app import NARROW
from ffncalc.cli.commands import COMMANDS
from ffncalc.source import bundled
from tests.command import DEEPSEEK, LLAMA, Here, apart
from tests.repository import commit, save


def test_version(run: Here) -> None:
    assert run("--version") == (0, f"ffncalc {__version__}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_command_under_its_panel_with_an_example(run: Here, flag: str) -> None:
    code, out, err = run(flag)
    assert (code, err) == (0, "")
    for name, command in COMMANDS.items():
        assert re.search(rf"^[│|] {name} ", out, re.MULTILINE), name
        assert command.panel in out
        assert command.example in out


@pytest.mark.parametrize("columns", [30, 50, NARROW - 1, NARROW, 80])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_option_in_full_on_any_terminal(run: Here, name: str, columns: int) -> None:
    run.monkeypatch.setenv("COLUMNS", "200")
    options = set(re.findall(r"--[a-z][a-z-]+", run(name, "--help").out))
    run.monkeypatch.setenv("COLUMNS", str(columns))
    assert options - set(re.findall(r"--[a-z][a-z-]+", run(name, "--help").out)) == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_shows_its_example(run: Here, name: str) -> None:
    code, out, _ = run(name, "--help")
    assert code == 0
    assert COMMANDS[name].example in re.sub(r"\s+", " ", out)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder such as examples are run in: a repository with config.json and configs/."""
    save(tmp_path / "config.json")
    save(tmp_path / "configs" / "small.json")
    commit(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("workplace")
def test_each_example_runs(run: Here, name: str) -> None:
    code, out, _ = run(*COMMANDS[name].example.split()[1:])
    assert code == 0
    assert out


def test_the_second_name_of_the_program_is_its_own(run: Here) -> None:
    run.monkeypatch.setattr("sys.argv", ["/usr/local/bin/hf-ffn", "params", "--nope"])
    assert main() == 2
    assert "`hf-ffn params --help`" in run.capsys.readouterr().err


def test_no_arguments_show_the_help(run: Here) -> None:
    assert run() == run("--help")
    assert "Usage: ffncalc" in run().out


class TestWrongUse:
    def test_unknown_command_names_the_nearest(self, run: Here) -> None:
        code, out, err = run("parms")
        assert (code, out) == (2, "")
        assert err.startswith("error: No such command 'parms'")
        assert "params" in err

    def test_unknown_option_names_the_nearest(self, run: Here) -> None:
        code, out, err = run("params", "--layer")
        assert (code, out) == (2, "")
        assert err.startswith("error: No such option")
        assert "--layers" in err
        assert err.endswith("\nhint: `ffncalc params --help` shows what it takes.\n")

    def test_unknown_format_lists_them(self, run: Here) -> None:
        code, _, err = run("params", "--format", "xml")
        assert code == 2
        assert "'table', 'json', 'jsonl', 'csv', 'markdown'" in err

    def test_compare_needs_a_model(self, run: Here) -> None:
        assert run("compare").code == 2

    def test_unknown_sort_column_names_the_nearest(self, run: Here) -> None:
        code, out, err = run("compare", LLAMA, "--sort", "activ")
        assert (code, out) == (2, "")
        assert "no column 'activ'" in err
        assert "Did you mean 'active'?" in err

    def test_filters_that_match_nothing(self, run: Here) -> None:
        for command in ("models", "archs"):
            code, out, err = run(command, "xyzzy")
            assert (code, out) == (2, "")
            assert "xyzzy" in err


class TestErrors:
    def test_an_error_is_at_most_four_lines_on_stderr(self, run: Here, tmp_path: Path) -> None:
        (tmp_path / "bad.json").write_text('{"model_type": "llama", "hidden_size": -1}')
        for ref in ("./no/such.json", str(tmp_path / "bad.json"), str(tmp_path)):
            code, out, err = run("params", ref)
            assert (code, out) == (2, "")
            assert err.startswith("error: ")
            assert 1 <= err.count("\n") <= 4
            assert "Traceback" not in err

    def test_one_failure_does_not_lose_the_others(self, run: Here) -> None:
        code, out, err = run("params", LLAMA, "./no/such.json", DEEPSEEK)
        assert code == 2
        assert "8,030,261,248" in out
        assert "671,026,404,352" in out
        assert err == "error: ./no/such.json: no such file or folder\n"

    def test_debugging_shows_the_traceback(self) -> None:
        ran = apart("models", "xyzzy", env={"FFNCALC_DEBUG": "1"})
        assert ran.code == 1
        assert "Traceback" in ran.err
        assert "NotFound" in ran.err

    def test_a_bug_is_called_one_and_shows_no_traceback(self, run: Here) -> None:
        run.monkeypatch.setattr("ffncalc.source.load", lambda *_, **__: 1 / 0)
        code, out, err = run("params")
        assert (code, out) == (2, "")
        assert err == (
            "error: meta-llama/Llama-3.1-8B: this is a bug in ffncalc: ZeroDivisionError: division by zero\n"
            "hint: Run it again with FFNCALC_DEBUG=1 for the traceback, and please report it.\n"
        )

    def test_control_characters_of_a_reference_do_not_reach_the_terminal(self, run: Here) -> None:
        code, out, err = run("params", "./\x1b[2J\nevil.json")
        assert (code, out) == (2, "")
        assert "\x1b" not in err
        assert "\\x1b[2J\\nevil.json" in err


class TestDefaultModel:
    def test_is_named_and_said_to_be_the_default(self, run: Here) -> None:
        title, subtitle, *_ = run("params").out.splitlines()
        assert title == "meta-llama/Llama-3.1-8B"
        assert "the default model" in subtitle

    def test_comes_from_the_environment(self, run: Here) -> None:
        run.monkeypatch.setenv("FFNCALC_MODEL", "openai-community/gpt2")
        title, subtitle, *_ = run("params").out.splitlines()
        assert title == "openai-community/gpt2"
        assert "FFNCALC_MODEL" in subtitle

    def test_is_not_mentioned_when_a_model_is_named(self, run: Here) -> None:
        assert "default" not in run("params", LLAMA).out


class TestStreams:
    def test_a_reader_that_leaves_is_no_error(self) -> None:
        ran = apart("params", DEEPSEEK, "--tensors", "--format", "jsonl", shell="| true")
        assert (ran.code, ran.err) == (0, "")
        ran = apart("params", *[DEEPSEEK] * 40, "--tensors", shell="| head -1")
        assert (ran.out, ran.err) == (f"{DEEPSEEK}\n", "")

    def test_a_closed_stdout_is_an_error(self) -> None:
        ran = apart("params", shell=">&-")
        assert ran.code == 2
        assert ran.err == "error: cannot write the result: stdout is closed\n"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk_is_an_error(self) -> None:
        ran = apart("params", shell=">/dev/full")
        assert ran.code == 2
        assert ran.err == "error: cannot write the result: No space left on device\n"

    def test_a_closed_stderr_loses_only_the_message(self) -> None:
        assert apart("params", "./no.json", shell="2>&-").code == 2

    @pytest.mark.parametrize(
        "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
    )
    def test_a_terminal_without_unicode_gets_ascii(self, env: dict[str, str], tmp_path: Path) -> None:
        ran = apart("params", LLAMA, "--explain", "--layers", env=env)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.isascii()
        assert "FFN per layer = 3 x hidden_size x intermediate_size = 3 x 4096 x 14336 = 176,160,768" in ran.out
        named = tmp_path / "模型.json"
        named.write_text('{"model_type": "lama"}', encoding="utf-8")
        assert apart("params", str(named), env=env).err.isascii()

    def test_json_is_valid_where_there_is_no_unicode(self, tmp_path: Path) -> None:
        ran = apart("params", "--set", "x=é", "--format", "json", env={"PYTHONIOENCODING": "ascii"})
        assert ran.code == 2
        assert json.loads(ran.out)["models"][0]["error"]["kind"] == "usage"

    def test_stdin_is_read_for_a_dash(self) -> None:
        config = {
            "model_type": "llama",
            "vocab_size": 10,
            "hidden_size": 8,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
        }
        ran = apart("params", "-", "--format", "json", text=json.dumps(config))
        assert ran.code == 0
        # embedding and head 10 × 8 each, attention 4 × 8 × 8, FFN 3 × 8 × 16, three norms of 8
        assert json.loads(ran.out)["models"][0]["params"]["total"] == 2 * 80 + 256 + 384 + 24

    def test_nothing_is_coloured_in_a_pipe(self) -> None:
        assert "\x1b" not in apart("params", env={"TERM": "xterm-256color"}).out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
class TestTerminal:
    def test_colours_and_width(self) -> None:
        out = terminal({"TERM": "xterm"}, 100)
        assert "\x1b[1mtotal" in out

    @pytest.mark.parametrize("env", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
    def test_colours_can_be_refused(self, env: dict[str, str]) -> None:
        out = terminal(env, 100)
        assert "total" in out
        assert "\x1b" not in out

    def test_a_narrow_terminal_shows_every_digit(self) -> None:
        out = terminal({"TERM": "dumb"}, 30)
        assert all(len(line) <= 30 for line in out.splitlines())
        for number in ("5,637,144,576", "1,342,177,280", "1,050,673,152", "266,240", "8,030,261,248"):
            assert number in out


def terminal(env: dict[str, str], columns: int) -> str:
    """What `ffncalc params` prints on a terminal of that width."""
    import fcntl
    import os
    import pty
    import struct
    import termios

    near, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "TERM", "FFNCALC_MODEL")}
    child = subprocess.Popen([sys.executable, "-m", "ffncalc", "params"], stdout=side, stderr=side, env=clean | env)
    os.close(side)
    data = b""
    while True:
        try:
            piece = os.read(near, 65536)
        except OSError:  # Linux: the other side is closed
            break
        if not piece:
            break
        data += piece
    os.close(near)
    assert child.wait(timeout=60) == 0
    return data.decode().replace("\r\n", "\n")


def interruptible() -> None:
    """A shell starts background jobs with interrupts ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interrupt_is_quiet() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "ffncalc", "params", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=interruptible,
    )
    time.sleep(4)  # by then it waits for its input
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, b"", b"")


def test_an_interrupt_while_modules_are_imported_is_quiet() -> None:
    code = (
        "import sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "from ffncalc.__main__ import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


class TestCompare:
    def test_sorts_by_any_column(self, run: Here) -> None:
        refs = (LLAMA, DEEPSEEK, "openai-community/gpt2")
        for args, order in (
            ((), [0, 1, 2]),
            (("--reverse",), [2, 1, 0]),
            (("--sort", "total"), [2, 0, 1]),
            (("--sort", "total", "--reverse"), [1, 0, 2]),
            (("--sort", "FFN share"), [2, 0, 1]),
            (("--sort", "name"), [1, 0, 2]),
            (("--sort", "experts"), [1, 0, 2]),  # those without experts last
        ):
            _, out, _ = run("compare", *refs, *args, "--format", "jsonl")
            assert [json.loads(line)["model"]["ref"] for line in out.splitlines()] == [refs[i] for i in order], args

    def test_changed_and_unchanged_stand_together(self, run: Here) -> None:
        _, out, _ = run("compare", LLAMA, "--set", "num_hidden_layers=16")
        changed, unchanged = out.splitlines()[-2:]
        # half the layers: 8,030,261,248 - 16 × 218,112,000
        assert changed.startswith("meta-llama/Llama-3.1-8B with num_hidden_layers=16")
        assert "4,540,469,248" in changed
        assert "8,030,261,248" in unchanged


def test_models_can_be_filtered(run: Here) -> None:
    _, out, _ = run("models", "LLAMA", "3.1-8b", "--format", "jsonl")
    found = {entry["model"]["ref"]: entry["summary"]["total"] for entry in map(json.loads, out.splitlines())}
    assert found[LLAMA] == 8_030_261_248
    assert all("llama" in name.lower() and "3.1-8b" in name.lower() for name in found)


def test_archs_name_their_configs(run: Here) -> None:
    _, out, _ = run("archs", "deepseek_v3", "--format", "json")
    found = {arch["model_type"]: arch for arch in json.loads(out)["archs"]}
    assert DEEPSEEK in found["deepseek_v3"]["configs"]


@pytest.mark.parametrize("args", [(LLAMA,), (), (LLAMA, DEEPSEEK), ("./no.json", LLAMA)], ids=str)
@pytest.mark.parametrize("command", [name for name, command in COMMANDS.items() if command.refs is not None])
def test_a_line_of_references_alone_is_read_as_the_parser_reads_it(
    run: Here, command: str, args: tuple[str, ...]
) -> None:
    assert run(command, *args) == run(command, *args, "--format", "table")


@pytest.mark.parametrize(
    "ref",
    [
        "https://someone:hf_secret@huggingface.co/gpt2",
        "https://huggingface.co/gpt2?token=hf_secret",
        "huggingface.co/gpt2?token=hf_secret",
        "https://someone:hf_secret@elsewhere.org/gpt2",
        "https://huggingface.co/datasets/x?token=hf_secret",
        "ftp://someone:hf_secret@elsewhere.org/gpt2",
        "hf://datasets/x?token=hf_secret",
    ],
)
@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
def test_what_is_secret_in_an_address_is_not_shown(run: Here, ref: str, format: str) -> None:
    _, out, err = run("params", ref, "-f", format)
    assert "gpt2" in out + err or "datasets" in out + err
    assert "hf_secret" not in out + err


def test_standard_input_is_read_once(run: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    found = source.load_path(bundled.root() / f"{LLAMA}.json")
    monkeypatch.setattr("ffncalc.source.load", lambda ref, **_: found)
    code, out, err = run("params", "-", "/dev/stdin")
    assert (code, "8,030,261,248" in out) == (2, True)
    assert err == "error: stdin: it was read before, and can be read only once\n"


def test_an_error_in_a_config_names_its_file(run: Here, tmp_path: Path) -> None:
    for name, text in {"a.json": '{"model_type": "llama"}', "b.json": '{"model_type": "lama"}'}.items():
        (tmp_path / name).write_text(text)
    code, _, err = run("params", str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert code == 2
    assert "a.json: not a valid llama config" in err
    assert "b.json: model_type 'lama' is not supported" in err


def test_a_fault_in_one_reference_does_not_lose_the_others(run: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://[::1")
    code, out, err = run("params", "nobody/nothing", LLAMA, "--format", "json")
    first, second = json.loads(out)["models"]
    assert (code, second["params"]["total"]) == (2, 8_030_261_248)
    assert first["error"]["message"].startswith("nobody/nothing")
    assert "Traceback" not in err
