"""A value that is taken as it stands is the one that pydantic gives, and pydantic sees all others."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

import ffncalc
from ffncalc.architectures import MODULES, module
from ffncalc.errors import ConfigError
from ffncalc.fields import ODD, Field, reader
from ffncalc.formula import Num
from ffncalc.schema import AutoSize, BaseConfig, Count, Depth, Few, Ratio, Repeats, Size
from ffncalc.source import bundled


class Inner(BaseConfig):
    width: Size
    names: list[str] | None = None


class Outer(BaseConfig):
    aliases = {"hidden_size": ("n_embd", "d_model")}
    hidden_size: Size
    gated: bool = True
    inner: Inner | None = None


class Widths(BaseConfig):
    width: Size | list[Size]


class Either(Widths):
    share: float | list[float] | None = None
    parts: Widths | None = None


ANNOTATIONS: list[Any] = [
    *(Size, Count, Depth, Few, Repeats, Ratio, AutoSize, bool, int, str, float, Any, Inner, Annotated[int, "a note"]),
    *(Size | None, bool | str, float | None, Size | list[Size], Literal["a", "b"], Literal["a"] | None),
    *(list[Size], list[list[Size]], list[bool], list[Inner], dict[str, Any], dict[str, Size], dict[int, str]),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        7,
        1000,
        1001,
        10**6,
        10**9,
        10**9 + 1,
        10**400,
        -1,
        0.0,
        1.0,
        0.5,
        64.0,
        inf,
        nan,
        1e30,
    ),
    *(
        "",
        "a",
        "auto",
        "1",
        "true",
        [],
        [1],
        [1, 2.0],
        [1, "x"],
        [True],
        [None],
        [[1], [2]],
        [[1], 2],
        [0],
        {},
        {"a": 1},
    ),
    *({1: "a"}, {"1": "a"}, {"width": 3}, {"width": 3.0}, {"width": 3, "names": ["a"], "other": 1}, {"width": "3"}),
    *([{"width": 3}], [{"width": 0}], [{"width": 2}, 1], (1, 2)),
]


def outcome(annotation: Any, value: object) -> object:
    """What pydantic makes of a value; ODD where it refuses it."""
    options = ConfigDict(allow_inf_nan=False, arbitrary_types_allowed=True)
    model: type[BaseModel] = create_model("Model", __config__=options, field=(annotation, ...))
    try:
        return model.model_validate({"field": value}).__dict__["field"]
    except ValidationError:
        return ODD


def shape(value: object) -> object:
    """A value with the types and labels inside it, for comparison."""
    if isinstance(value, BaseConfig):
        return type(value), {name: shape(item) for name, item in vars(value).items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, Mapping):
        return {key: shape(item) for key, item in value.items()}
    return type(value), value, value.label if isinstance(value, Num) else ""


@pytest.mark.parametrize("annotation", ANNOTATIONS, ids=str)
def test_what_is_taken_as_it_stands_is_what_pydantic_gives(annotation: Any) -> None:
    taken = {index: found for index, v in enumerate(VALUES) if (found := reader(annotation)(v, "field")) is not ODD}
    assert {i: shape(found) for i, found in taken.items()} == {i: shape(outcome(annotation, VALUES[i])) for i in taken}
    assert taken or annotation in (dict[int, str], Annotated[int, "a note"])  # those are left to pydantic


def test_every_bundled_config_reads_the_same_by_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = BaseConfig._plain.__func__  # type: ignore[attr-defined]
    asked, odd = set(), set()

    def both(
        cls: type[BaseConfig], data: Mapping[str, Any], keys: Mapping[str, str], prefix: str
    ) -> dict[str, Any] | None:
        found: dict[str, Any] | None = plain(cls, data, keys, prefix)
        asked.add(cls)
        if found is None:
            odd.add(cls.__module__)
        else:
            assert shape(found) == shape(cls._by_pydantic(data, keys, prefix))
        return found

    monkeypatch.setattr(BaseConfig, "_plain", classmethod(both))
    for name, _ in bundled.entries():
        ffncalc.load(name)
    assert len(asked) > 100
    assert len(odd) < 5, odd  # a type that pydantic has to read in each file belongs into `reader`


def test_fields_are_those_of_the_bases_first() -> None:
    fields = Outer.fields()
    assert list(fields) == ["model_type", "architectures", "hidden_size", "gated", "inner"]
    assert (fields["hidden_size"].required, fields["hidden_size"].default) == (True, None)
    assert fields["gated"] == Field(bool, False, True, fields["gated"].read)
    for model_type in MODULES:
        assert list(module(model_type).Config.fields())[:2] == ["model_type", "architectures"]


def test_an_odd_value_reads_like_a_plain_one() -> None:
    plain = Outer.parse({"d_model": 64, "inner": {"width": 3}}, {})
    odd = Outer.parse({"d_model": 64.0, "inner": {"width": 3}, "gated": True}, {"gated": True})
    assert (plain.hidden_size, plain.gated) == (odd.hidden_size, odd.gated) == (64, True)
    for config in (plain, odd):
        assert isinstance(config.hidden_size, Num)
        assert config.hidden_size.label == config.key("hidden_size") == "d_model"
        assert config.inner is not None
        assert isinstance(config.inner.width, Num)
        assert config.inner.width.label == "inner.width"


def test_all_that_is_wrong_is_named_by_its_key() -> None:
    raw = {"d_model": 0, "gated": "perhaps", "inner": {"width": "3", "names": [1]}}
    with pytest.raises(ConfigError) as caught:
        Outer.parse(raw, {}, prefix="text_config.")
    for words in (
        "text_config.d_model: must be a positive integer, got 0",
        "text_config.gated: must be true or false",
        "text_config.inner.width: must be an integer, got '3'",
        "text_config.inner.names[0]: must be text, got 1",
    ):
        assert words in caught.value.message


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"width": "x"}, "width: must be an integer, got 'x'"),
        ({"width": 0, "share": 0.5}, "width: must be a positive integer, got 0"),
        ({"width": [1, 0]}, "width[1]: must be a positive integer, got 0"),
        (
            {"width": [], "share": [0.5, "half"]},
            "share[1]: must be a number, got 'half'",
        ),
        (
            {"width": {}, "share": "half", "parts": {"width": [True]}},
            "width: must be an integer, got {}; share: must be a number, got 'half'; "
            "parts.width[0]: must be an integer, got true",
        ),
    ],
    ids=str,
)
def test_a_value_that_no_member_of_a_union_takes_is_named_once(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Either.parse(raw, {})
    assert caught.value.message == f"not a valid  config: {said}"


@pytest.mark.parametrize("value", ["false", "no", "", 0, 1, 1.0, []])
def test_what_only_passes_for_a_truth_value_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match="gated: must be true or false"):
        Outer.parse({"hidden_size": 64, "gated": value}, {})


def test_a_config_does_not_change() -> None:
    config = Outer.parse({"hidden_size": 64}, {})
    with pytest.raises(AttributeError, match="replace"):
        config.hidden_size = 65
    other = config.replace(hidden_size=65)
    assert (config.hidden_size, other.hidden_size) == (64, 65)
    assert other.key("hidden_size") == "hidden_size"


def test_a_missing_field_is_named_by_each_key_it_may_have() -> None:
    with pytest.raises(ConfigError, match=r"n_embd: missing, and required \(or d_model or hidden_size\)"):
        Outer.parse({}, {})
