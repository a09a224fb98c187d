"""--set KEY=VALUE, and the numbers that a person types."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ffncalc
from ffncalc import quantity, source, what_if
from ffncalc.errors import ConfigError, UsageError
from tests.command import LLAMA, Here
from tests.fake_hub import CONFIG, TOTAL

NUMBERS = [
    ("0", 0),
    ("128000", 128_000),
    ("128_000", 128_000),
    ("128,000", 128_000),
    ("128k", 128_000),
    ("128K", 128_000),
    ("128Ki", 131_072),
    ("1Mi", 1_048_576),
    ("1.5M", 1_500_000),
    ("0.5Ki", 512),
    ("8B", 8_000_000_000),
    ("8 B", 8_000_000_000),
    ("671.026404352B", 671_026_404_352),
    ("1T", 10**12),
    ("-1", -1),
    (" 64 ", 64),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_a_typed_number_is_read_exactly(text: str, value: int) -> None:
    assert quantity.parse(text) == value


@pytest.mark.parametrize(
    "text", ["", "k", "1.5", "0.0001k", "1e3", "12_", "1,2", "0x10", "128kib", "bi", "1Bi", "٣", "nan"]
)
def test_what_is_no_whole_number_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is not a whole number"):
        quantity.parse(text)


def test_a_number_of_many_digits_is_refused_and_shown_briefly() -> None:
    with pytest.raises(UsageError, match=r"^'9{56}\.\.\. is too large a number$"):
        quantity.parse("9" * 500)


def test_a_field_is_changed_and_the_config_itself_is_not() -> None:
    before = dict(CONFIG)
    raw, changes = what_if.apply(CONFIG, ["intermediate_size=1k", "tie_word_embeddings=true"])
    assert before == CONFIG
    assert (raw["intermediate_size"], raw["tie_word_embeddings"]) == (1000, True)
    assert [str(change) for change in changes] == ["intermediate_size: 176 → 1000", "tie_word_embeddings: false → true"]
    per_layer = 3 * 64 * (1000 - 176)
    assert ffncalc.params(ffncalc.load(raw)).total == TOTAL + 2 * per_layer - 64 * 1000


def test_a_field_that_the_file_lacks_is_added() -> None:
    raw, changes = what_if.apply(CONFIG, ["attention_bias=true"])
    assert str(changes[0]) == "attention_bias: unset → true"
    assert ffncalc.params(ffncalc.load(raw)).total == TOTAL + 2 * (64 + 32 + 32 + 64)


GPT2 = source.load("gpt2").raw


@pytest.mark.parametrize("key", ["n_embd", "hidden_size"])
def test_the_key_that_counts_in_the_file_is_set_whatever_it_is_called(key: str) -> None:
    raw, changes = what_if.apply(GPT2, [f"{key}=1024"])
    assert raw["n_embd"] == 1024
    assert "hidden_size" not in raw
    assert changes[0].key == "n_embd"


VALUES: list[tuple[str, str, object]] = [
    ("num_key_value_heads", "null", None),
    ("num_key_value_heads", "4", 4),
    ("head_dim", "1Ki", 1024),
    ("hidden_act", "gelu", "gelu"),
    ("hidden_act", '"gelu"', "gelu"),
    ("mlp_bias", "True", True),
    ("layer_types", '["full_attention", "sliding_attention"]', ["full_attention", "sliding_attention"]),
    ("rope_theta", "1M", 1_000_000),
    ("rope_theta", "0.5", 0.5),
    ("pad_token_id", "-1", -1),
    ("torch_dtype", "float16", "float16"),
    ("rope_scaling", "null", None),
    ("rope_scaling.factor", "8", 8),
    ("quant.bits", "4", 4),
]
WITH_MORE: dict[str, Any] = CONFIG | {
    "rope_theta": 10000,
    "pad_token_id": None,
    "torch_dtype": "bfloat16",
    "rope_scaling": {"factor": 2.0},
    "quant": {"bits": 8},
}


@pytest.mark.parametrize(("key", "text", "value"), VALUES)
def test_a_value_has_the_type_of_its_field(key: str, text: str, value: object) -> None:
    raw: Any = what_if.apply(WITH_MORE, [f"{key}={text}"])[0]
    for part in key.split("."):
        raw = raw[part]
    assert raw == value
    assert type(raw) is type(value)


WRONG = [
    ("hidden_size=wide", r"hidden_size: expected an integer, got 'wide'"),
    ("hidden_size=64.5", r"hidden_size: expected an integer, got '64\.5'"),
    ("hidden_size=null", r"hidden_size: expected an integer, got 'null'"),
    ("hidden_size=", r"hidden_size: expected an integer, got ''"),
    ("num_key_value_heads=two", r"num_key_value_heads: expected null or an integer"),
    ("tie_word_embeddings=yes", r"tie_word_embeddings: expected true or false, got 'yes'"),
    ("layer_types=[1", r"layer_types: expected null or a JSON list"),
    ("rope_theta=hot", r"rope_theta: expected null or an integer or a number"),
    ("intermedate_size=4", r"intermedate_size: this config has no such field\nDid you mean intermediate_size\?"),
    ("rope_scaling.facter=4", r"no such field\nDid you mean rope_scaling\.factor\?"),
    ("text_config.hidden_size=4", r"no such field"),
    ("hidden_size", r"expected KEY=VALUE"),
    ("=4", r"expected KEY=VALUE"),
]


@pytest.mark.parametrize(("assignment", "message"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_assignment_is_a_usage_error_that_names_the_key(assignment: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        what_if.apply(WITH_MORE, [assignment])


def test_a_size_out_of_bounds_is_an_error_of_the_config() -> None:
    raw, _ = what_if.apply(CONFIG, ["num_hidden_layers=-2"])
    with pytest.raises(ConfigError, match="num_hidden_layers: must be a positive integer, got -2"):
        ffncalc.load(raw)


COMPOSITE: dict[str, Any] = {
    "model_type": "llava",
    "architectures": ["LlavaForConditionalGeneration"],
    "text_config": {key: value for key, value in CONFIG.items() if key != "architectures"},
    "vision_config": {"model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 64},
}


def test_a_bare_key_reaches_the_language_model_of_a_composite() -> None:
    raw, changes = what_if.apply(COMPOSITE, ["intermediate_size=256", "mlp_bias=true"])
    assert [change.key for change in changes] == ["text_config.intermediate_size", "text_config.mlp_bias"]
    assert raw["text_config"]["intermediate_size"] == 256
    assert raw["vision_config"] is COMPOSITE["vision_config"]


def test_a_dotted_key_reaches_any_part_of_a_composite() -> None:
    raw, _ = what_if.apply(COMPOSITE, ["vision_config.hidden_size=48", "text_config.hidden_size=128"])
    assert (raw["vision_config"]["hidden_size"], raw["text_config"]["hidden_size"]) == (48, 128)
    with pytest.raises(UsageError, match=r"Did you mean vision_config\.hidden_size\?"):
        what_if.apply(COMPOSITE, ["vision_config.hiden_size=48"])


LLAMA2: dict[str, Any] = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "vocab_size": -1}


def test_a_params_json_is_changed_by_its_own_keys() -> None:
    raw, _ = what_if.apply(LLAMA2, ["vocab_size=32000"])
    assert ffncalc.params(ffncalc.load(raw)).total == 6_738_415_616
    wider, _ = what_if.apply(raw, ["ffn_dim_multiplier=1.3"])
    assert ffncalc.params(ffncalc.load(wider)).expansion[0].hidden == 14336
    with pytest.raises(UsageError, match=r"Did you mean n_layers\?"):
        what_if.apply(LLAMA2, ["n_layer=4"])


IDLE = [
    (["rope_theta=5"], ["rope_theta changes no number: nothing that is counted for model type llama reads it"]),
    (["quant.bits=4"], ["quant.bits changes no number: nothing that is counted for model type llama reads it"]),
    (["head_dim=16"], ["head_dim changes no number of this config"]),  # 64 / 4 heads, as it is without
    (["rope_theta=10000"], ["rope_theta is 10000 already"]),
    (["intermediate_size=200"], []),
    (["torch_dtype=float16"], []),  # parameters stay, bytes do not
    (["max_position_embeddings=4096"], []),
    (["num_hidden_layers=4", "pad_token_id=1"], ["pad_token_id changes no number"]),
    (["rope_theta=5", "rope_theta=6"], ["rope_theta changes no number"]),
    (["num_attention_heads=8", "head_dim=16"], []),  # each matters to the other
]


@pytest.mark.parametrize(("assignments", "notes"), IDLE, ids=[str(row[0]) for row in IDLE])
def test_a_change_that_changes_no_number_is_noted(assignments: list[str], notes: list[str]) -> None:
    model = ffncalc.load(what_if.apply(WITH_MORE, assignments)[0])
    found = list(what_if.idle(WITH_MORE, assignments, model))
    assert len(found) == len(notes)
    assert all(note.startswith(text) for note, text in zip(found, notes, strict=True))


@pytest.mark.parametrize(
    "command", ["params", "compare", "flops", "crossover", "memory", "moe", "ffn", "lora", "parallel", "width"]
)
def test_every_command_says_so_in_every_format(run: Here, command: str) -> None:
    note = "rope_theta changes no number: nothing that is counted for model type llama reads it"
    given = [command, LLAMA, "--set", "rope_theta=5", "-f"]
    assert note in json.loads(run(*given, "json").out)["models"][0]["notes"][0]
    for format in ("table", "markdown", "jsonl", "csv"):
        code, out, err = run(*given, format)
        assert (code, err) == (0, "")
        assert note in out.replace("\\_", "_")
