"""What the public functions say to arguments that they cannot use."""

from __future__ import annotations

import inspect
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import ffncalc
from ffncalc.arguments import RULES
from ffncalc.errors import FfncalcError, UsageError
from tests.fake_hub import CONFIG

FUNCTIONS = [name for name in ffncalc.__all__ if name != "__version__"]
MODEL = ffncalc.load(CONFIG)
GOAL = ffncalc.target("params", "1M")
# What a call needs besides the argument that is wrong.
NEEDED: dict[str, dict[str, Any]] = {
    "check": {"path": CONFIG},
    "archs": {},
    "compare": {"models": [MODEL]},
    "diff": {"old": CONFIG, "new": CONFIG},
    "lock": {},
    "models": {},
    "rule": {"code": "S002"},
    "rules": {},
    "load": {"ref": CONFIG},
    "recipes": {"hidden_size": 64, "hidden": 176},
    "solve": {"ref": CONFIG, "goal": GOAL},
    "target": {"quantity_name": "params", "text": "1M"},
    "width": {"hidden_size": 64},
}
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    10**12,
    10**5000,
    0.0,
    1.5,
    float("nan"),
    float("inf"),
    1j,
    "",
    "8k",
    "no such thing",
    "\0",
    "\udc80",
    b"8k",
    bytearray(b"x"),
    [],
    [None],
    [1.5],
    [True],
    [[1]],
    ["8k"],
    (),
    {},
    {1: 2},
    {"a": object()},
    {1, 2},
    object(),
    int,
    len,
    Fraction(3, 2),
    Path("no such thing"),
    Path("\0"),
    range(0),
    range(3),
    MODEL,
    GOAL,
]


def parameters(name: str) -> list[str]:
    kinds = inspect.signature(getattr(ffncalc, name)).parameters.values()
    return [each.name for each in kinds if each.kind is not inspect.Parameter.VAR_KEYWORD]


def call(name: str, **wrong: object) -> object:
    needed = NEEDED.get(name, {"model": MODEL})
    return getattr(ffncalc, name)(**{"offline": True} if name == "load" else {}, **needed | wrong)


PAIRS = [(name, parameter) for name in FUNCTIONS for parameter in parameters(name)]


def test_every_argument_has_a_rule() -> None:
    assert {parameter for _, parameter in PAIRS} == set(RULES)


@pytest.mark.parametrize(("name", "parameter"), [p for p in PAIRS if p[1] != "offline"], ids=str)
def test_no_value_leads_to_an_error_of_another_kind(
    name: str, parameter: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ffncalc.source.hub._offline", lambda: True)
    monkeypatch.chdir(tmp_path)  # so that no file has one of the names
    refused = 0
    for value in VALUES:
        try:
            call(name, **{parameter: value})
        except FfncalcError:
            refused += 1
    assert refused > len(VALUES) / 3


SAID = [
    ("load", {"ref": None}, "ref must be a repository id, a path or a parsed config, got None"),
    ("load", {"ref": b"gpt2"}, "ref must be a repository id, a path or a parsed config, got b'gpt2'"),
    ("load", {"ref": {1: 2}}, r"ref must be .*, got \{1: 2\}"),
    ("load", {"revision": 3}, "revision must be a string, got 3"),
    ("load", {"refresh": "yes"}, "refresh must be True or False, got 'yes'"),
    ("params", {"model": "gpt2"}, "model must be a Model, as ffncalc.load gives it, got 'gpt2'"),
    ("compare", {"models": MODEL}, "models must be several Models"),
    ("compare", {"models": ["gpt2"]}, "each of models must be a Model"),
    ("flops", {"ctx": "8k"}, "ctx must be a whole number or a list of them, got '8k'"),
    ("flops", {"ctx": True}, "ctx must be a whole number or a list of them, got True"),
    ("flops", {"ctx": [1, 2.5]}, r"each ctx must be a whole number, at least 1 and at most 10\^18, got 2.5"),
    ("flops", {"ctx": []}, r"ctx must be at least one whole number, got \[\]"),
    ("flops", {"ctx": 0}, r"ctx must be a whole number, at least 1 and at most 10\^18, got 0"),
    ("flops", {"phase": 1}, "phase must be a string, got 1"),
    ("flops", {"phase": "late"}, "phase must be one of decode, prefill, train, got 'late'"),
    ("flops", {"full": 1}, "full must be True or False, got 1"),
    ("memory", {"batch": 1.5}, "batch must be a whole number, at least 1 and at most .*, got 1.5"),
    ("memory", {"batch": 10**5000}, "batch must be a whole .* got an integer of more than 20 digits"),
    ("memory", {"dtype": 16}, "dtype must be a string, got 16"),
    ("lora", {"rank": "16"}, "rank must be a whole number, at least 1 and at most .*, got '16'"),
    ("lora", {"target": 3}, "target must be a string or a list of strings, got 3"),
    ("width", {"hidden_size": 64.0}, "hidden_size must be a whole number, at least 1 and at most .*, got 64.0"),
    ("width", {"ratio": [2]}, r"ratio must be a positive number, got \[2\]"),
    ("solve", {"goal": "8B"}, "goal must be a Target, as ffncalc.target gives it, got '8B'"),
    ("target", {"text": 8}, "text must be a string, got 8"),
    ("diff", {"old": 5}, "old must be a repository id, a path or a parsed config, got 5"),
    ("diff", {"ctx": 0}, r"ctx must be a whole number, at least 1 and at most 10\^18, got 0"),
    ("parallel", {"block": 0}, r"block must be a whole number, at least 1 and at most 10\^18, got 0"),
    ("lock", {"paths": 5}, "paths must be a path or a list of paths, got 5"),
    ("lock", {"paths": ["a", 5]}, "each of paths must be a path, got 5"),
    ("lock", {"folder": 5}, "folder must be a path, got 5"),
    ("lock", {"check": 1}, "check must be True or False, got 1"),
    ("rule", {"code": 5}, "code must be a string, got 5"),
    ("check", {"path": 5}, "path must be a repository id, a path or a parsed config, got 5"),
]


@pytest.mark.parametrize(("name", "wrong", "message"), SAID, ids=[row[2][:40] for row in SAID])
def test_an_error_names_the_argument_and_what_it_must_be(name: str, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{message}"):
        call(name, **wrong)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_number_of_arguments_is_a_type_error_that_names_the_function(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\(\)"):
        getattr(ffncalc, name)(*[CONFIG] * 9)
    if NEEDED.get(name, {"model": MODEL}) != {}:
        with pytest.raises(TypeError, match=rf"^{name}\(\)"):
            getattr(ffncalc, name)()
    if name != "check":  # whose settings are its own
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword"):
            call(name, wrong=1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_can_be_sent_to_another_process(name: str) -> None:
    function = getattr(ffncalc, name)
    assert pickle.loads(pickle.dumps(function)) is function


class Whole:
    """An integer that is no int, as those of numpy."""

    def __index__(self) -> int:
        return 8192


def test_whole_numbers_of_any_kind_and_lists_of_any_kind_are_taken() -> None:
    wanted = ffncalc.flops(MODEL, ctx=[8192]).points
    for given in (8192, Whole(), (8192,), [Whole()], range(8192, 8193), {8192}):
        assert ffncalc.flops(MODEL, ctx=given).points == wanted  # type: ignore[arg-type]
    assert ffncalc.compare(each for each in (MODEL, MODEL)) == (ffncalc.summary(MODEL),) * 2
