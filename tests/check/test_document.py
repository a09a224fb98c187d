"""Places of fields in a JSON text: exact, whatever stands in it."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest

from ffncalc.checks.document import TOP, Document, child, parents, spots
from ffncalc.errors import FileError
from ffncalc.source import bundled


def walk(value: Any, name: str) -> list[tuple[str, Any]]:
    """Every field with its value, in order, by recursion."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [(child(name, key), inner), *walk(inner, child(name, key))]
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            found += [(f"{name}[{i}]", inner), *walk(inner, f"{name}[{i}]")]
    return found


def check(text: str) -> None:
    """The fields are those of the standard parser, and each plain one's text is its value."""
    value = json.loads(text)
    found = list(spots(text))
    expected = walk(value, "")
    assert [spot.field for spot in found] == [name for name, _ in expected]
    for spot, (_, inner) in zip(found, expected, strict=True):
        if not isinstance(inner, dict | list):
            shown = text[spot.start : spot.end]
            got = json.loads(shown) if spot.key is None else next(iter(json.loads(f"{{{shown}}}").values()))
            assert got == inner or got != got


@pytest.mark.parametrize("name", [name for name, _ in bundled.entries()])
def test_fields_of_bundled_configs_are_found(name: str) -> None:
    path = bundled.find(name)
    assert path is not None
    check(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        '{"a":[]}',
        '{"a":[[],{}],"b":{"c":{}}}',
        '{"a":[[1,[2]],3],"b":"x,{}:[]\\""}',
        '{"":{"":[""]}}',
        '{"a\\"b\\\\":1,"\\u00e9":-1.5e+10,"c":[true,false,null,NaN,-Infinity]}',
        '\n{ "a" \t:\r\n 1 , "b":\n[ 1 ,\n2 ]\n}\n',
    ],
)
def test_fields_of_odd_texts_are_found(text: str) -> None:
    check(text)


def test_fields_of_random_values_are_found() -> None:
    draw = random.Random(7)

    def value(depth: int) -> Any:
        kind = draw.randrange(8 if depth else 5)
        if kind > 5:
            return [value(depth - 1) for _ in range(draw.randrange(4))]
        if kind == 5:
            return {draw.choice('abc\\"\n{},:[]é') * (i + 1): value(depth - 1) for i in range(draw.randrange(4))}
        return draw.choice([None, True, -1, 0.5, 1e30, "", '"', "\\", "},{", "\u2028"])

    for _ in range(500):
        check(json.dumps(value(5), indent=draw.choice([None, 0, 3]), ensure_ascii=draw.random() < 0.5))


def test_lines_and_columns_count_from_one_in_characters() -> None:
    text = '{\n  "é": {"a": 1},\r\n\t"b": [10,\n    20]\n}'
    document = Document.read(text.encode(), "x")
    places = document.places({"é", "é.a", "b", "b[1]", "b[9]", "é.z", "z", ""})
    assert places["é"][:2] == (2, 3)
    assert places["é.a"] == (2, 9, 2, 15)
    assert places["b"] == (3, 2, 3, 5)
    assert places["b[1]"] == (4, 5, 4, 7)
    assert places["b[9]"] == places["b"]
    assert places["é.z"] == places["é"]
    assert places["z"] == places[""] == TOP


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_mark_and_the_encoding_do_not_move_places(encoding: str) -> None:
    text = '{"ü": 1, "a": 2}'
    assert Document.read(text.encode(encoding), "x").places({"a"})["a"][:2] == (1, 10)


def test_a_repeated_key_is_found_at_its_second_place() -> None:
    text = '{"a": 1,\n "b": {"a": 1, "a": 2},\n "a": 3, "c": [{"a": 1}, {"a": 1}]}'
    found = [(field, place[:2]) for field, place in Document.read(text.encode(), "x").duplicates()]
    assert found == [("b.a", (2, 16)), ("a", (3, 2))]


def test_keys_that_look_like_paths_are_no_repetitions() -> None:
    text = '{"a.b": 1, "a": {"b": 1}, "c[0]": 1, "c": [1], "d": 1, "d": 2}'
    assert [field for field, _ in Document.read(text.encode(), "x").duplicates()] == ["d"]


def test_parents_of_a_field() -> None:
    assert list(parents("a.b[2].c")) == ["a.b[2]", "a.b", "a"]


def test_nesting_is_bounded_where_files_are_read_and_harmless_in_the_pass() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    with pytest.raises(FileError, match="levels deep"):
        Document.read(deep.encode(), "x")
    shallow = '{"a":' * 90 + "1" + "}" * 90
    assert Document.read(shallow.encode(), "x").places({".".join("a" * 90)})[".".join("a" * 90)].column == 5 * 89 + 2


def test_a_megabyte_takes_a_moment() -> None:
    text = json.dumps({"id2label": {str(i): f"label {i}" for i in range(40_000)}, "vocab_size": 1})
    document = Document.read(text.encode(), "x")
    start = time.process_time()
    place = document.places({"vocab_size"})["vocab_size"]
    assert time.process_time() - start < 2
    assert text[place.column - 1 :].startswith('"vocab_size"')
