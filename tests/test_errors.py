"""How errors show what they found: short, whatever the value."""

from __future__ import annotations

import pytest

import ffncalc
from ffncalc.errors import ConfigError, UnsupportedModel, shown

HUGE = 10**5000  # more digits than Python writes


@pytest.mark.parametrize(
    "value",
    [HUGE, [HUGE], {"a": {"b": HUGE}}, "x" * 1000, list(range(1000))],
    ids=["huge", "list", "object", "text", "long list"],
)
def test_a_value_is_shown_on_one_short_line(value: object) -> None:
    assert len(shown(value)) <= 80
    assert "\n" not in shown(value)


def test_an_error_names_the_first_problems_and_counts_the_rest() -> None:
    with pytest.raises(ConfigError) as caught:
        ffncalc.load({"model_type": "llama", "architectures": [1] * 200})
    assert "architectures[0]" in caught.value.message
    assert len(caught.value.message) < 2500
    assert "more" in caught.value.message


@pytest.mark.parametrize("value", [HUGE, [HUGE], 3, {"a": 1}], ids=["huge", "list", "number", "object"])
def test_a_quantisation_method_that_is_no_text_is_an_error(value: object) -> None:
    model = ffncalc.load(
        {
            "model_type": "llama",
            "vocab_size": 100,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "quantization_config": {"quant_method": value},
        }
    )
    with pytest.raises(ConfigError, match="quant_method"):
        ffncalc.memory(model)


def test_a_billion_experts_are_listed_at_once() -> None:
    raw = {
        "model_type": "mixtral",
        "vocab_size": 100,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "num_local_experts": 10**9,
    }
    names = [tensor.name for tensor in ffncalc.tensors(ffncalc.load(raw))]
    assert "model.layers.0.block_sparse_moe.experts.[0-999999999].w1.weight" in names


def test_an_unknown_type_with_a_known_class_names_what_to_set() -> None:
    raw = {"model_type": "phi4", "architectures": ["Phi3ForCausalLM"]}
    with pytest.raises(UnsupportedModel) as caught:
        ffncalc.load(raw)
    assert "--set model_type=phi3" in caught.value.hint
    with pytest.raises(UnsupportedModel) as caught:
        ffncalc.load(raw | {"architectures": ["Phi4ForCausalLM"]})
    assert "Did you mean 'phi' or 'phi3'?" in caught.value.hint


@pytest.mark.parametrize("value", ["\ud800", ["\ud800"], {"\ud800": 1}, [[{"a": "x\udfff"}]]], ids=ascii)
def test_half_a_surrogate_pair_is_shown_escaped(value: object) -> None:
    shown(value).encode()
    with pytest.raises(ConfigError, match=r"hidden_size: must be an integer, got .*\\ud[8f]") as caught:
        ffncalc.load({"model_type": "llama", "hidden_size": value})
    caught.value.message.encode()
