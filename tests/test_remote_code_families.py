"""Families whose code lives beside the checkpoint: flags and traps. Expected values by hand."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError
from ffncalc.ir import FULL, Model, Span, Stream

QWEN = {
    "model_type": "qwen",
    "vocab_size": 100,
    "hidden_size": 256,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
GLM = {
    "model_type": "chatglm",
    "architectures": ["ChatGLMModel"],
    "padded_vocab_size": 100,
    "hidden_size": 64,
    "ffn_hidden_size": 48,
    "num_layers": 2,
    "num_attention_heads": 4,
    "kv_channels": 16,
    "multi_query_attention": True,
    "multi_query_group_num": 2,
}
FIRST_GLM = {
    "model_type": "chatglm",
    "architectures": ["ChatGLMModel"],
    "vocab_size": 100,
    "hidden_size": 64,
    "inner_hidden_size": 256,
    "num_layers": 2,
    "num_attention_heads": 4,
    "position_encoding_2d": True,
    "max_sequence_length": 2048,
}
LLAMA = {
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
ELM = {
    "model_type": "openelm",
    "vocab_size": 100,
    "model_dim": 1280,
    "num_transformer_layers": 16,
    "head_dim": 64,
    "num_gqa_groups": 4,
    "qkv_multipliers": [0.5, 1.0],
    "ffn_multipliers": [0.5, 4.0],
}


def total(raw: dict[str, Any]) -> int:
    return int(ffncalc.params(ffncalc.load(raw)).total)


def names(model: Model) -> set[str]:
    return {block.named(part, tensor) for block, part, tensor in model.tensors()}


def nas(attention: dict[str, Any], ffn: dict[str, Any]) -> dict[str, Any]:
    one = {"attention": attention, "ffn": ffn}
    return LLAMA | {"model_type": "nemotron-nas", "intermediate_size": None, "block_configs": [one, one]}


def test_qwen_halves_its_intermediate_size() -> None:
    assert int(ffncalc.params(ffncalc.load(QWEN)).by_category["ffn"]) == 2 * 3 * 256 * 32


def test_qwen_of_the_first_release_has_other_keys() -> None:
    old = {"model_type": "qwen", "vocab_size": 100, "n_embd": 256, "ffn_hidden_size": 64, "n_layer": 2, "n_head": 2}
    assert total(old) == total(QWEN)


def test_qwen_with_biases_has_them_on_all_but_the_head() -> None:
    assert total(QWEN | {"no_bias": False}) - total(QWEN) == 2 * (256 + 2 * 32 + 256)


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"kv_channels": 64}, "kv_channels"), ({"audio": {"n_layer": 32}}, "audio")],
    ids=["heads must fill the width", "audio tower"],
)
def test_qwen_that_is_not_described_is_an_error(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        ffncalc.load(QWEN | changes)


def test_chatglm_has_its_head_although_its_config_names_the_bare_class() -> None:
    model = ffncalc.load(GLM)
    layer = 64 * (64 + 2 * 32) + 64 * 64 + 3 * 64 * 48 + 2 * 64
    assert int(ffncalc.params(model).total) == 2 * 100 * 64 + 2 * layer + 64
    assert "transformer.output_layer.weight" in names(model)
    assert model.architecture == "ChatGLMModel"


@pytest.mark.parametrize(
    ("flags", "added"),
    [
        ({"add_qkv_bias": True}, 2 * 128),
        ({"add_bias_linear": True}, 2 * (128 + 64 + 96 + 64)),
        ({"rmsnorm": False}, 5 * 64),
        ({"post_layer_norm": False}, -64),
        ({"multi_query_attention": False}, 2 * 64 * 64),
        ({"tie_word_embeddings": True}, 0),
    ],
    ids=["bias of q, k, v", "bias of all", "layer norms", "no final norm", "multi-head", "never tied"],
)
def test_chatglm_flags_change_its_tensors(flags: dict[str, Any], added: int) -> None:
    assert total(GLM | flags) - total(GLM) == added


def test_first_chatglm_is_tied_unless_the_file_says_otherwise() -> None:
    layer = 4 * 64 * 64 + 4 * 64 + 2 * 64 * 256 + 256 + 64 + 4 * 64
    assert total(FIRST_GLM) == 100 * 64 + 2 * layer + 2 * 64
    assert total(FIRST_GLM | {"tie_word_embeddings": False}) == total(FIRST_GLM) + 100 * 64


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"vision_config": {"hidden_size": 8}}, "vision_config.num_heads"), ({"pre_seq_len": 128}, "pre_seq_len")],
    ids=["half a tower", "prefix tuning"],
)
def test_chatglm_that_is_not_described_is_an_error(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        ffncalc.load(GLM | changes)


def test_tower_of_qwen_vl_is_multimodal_and_no_layer_of_the_language_model() -> None:
    tower = {"width": 32, "layers": 2, "heads": 4, "mlp_ratio": 4.9231, "patch_size": 2, "output_dim": 256}
    seen, blind = (ffncalc.params(ffncalc.load(raw)) for raw in (QWEN | {"visual": tower}, QWEN))
    layer = 4 * 32 * 32 + 4 * 32 + 2 * 32 * 157 + 157 + 32 + 4 * 32  # 32 × 4.9231 = 157.5
    pool = 2 * 256 * 256 + 32 * 256 + 4 * 256 * 256 + 4 * 256 + 4 * 256
    ends = 3 * 2 * 2 * 32 + 256 * 32 + 2 * 32 + 2 * 256 + 256 * 256
    assert int(seen.by_category["multimodal"]) == int(seen.total) - int(blind.total) == 2 * layer + pool + ends
    assert ffncalc.load(QWEN | {"visual": tower}).layer_count == 2


def test_chatglm_without_an_ffn_width_is_an_error() -> None:
    with pytest.raises(ConfigError, match="ffn_hidden_size"):
        ffncalc.load({key: value for key, value in GLM.items() if key != "ffn_hidden_size"})


def test_internlm_biases_are_on_unless_switched_off() -> None:
    first, second = LLAMA | {"model_type": "internlm"}, LLAMA | {"model_type": "internlm2"}
    assert total(first) - total(first | {"bias": False}) == 2 * 4 * 64
    grouped = second | {"num_key_value_heads": 2}
    assert total(grouped) - total(grouped | {"bias": False}) == 2 * (64 + 2 * 32 + 64)


def test_internlm2_reward_model_has_a_score_for_a_head() -> None:
    raw = LLAMA | {"model_type": "internlm2"}
    assert total(raw | {"architectures": ["InternLM2ForRewardModel"]}) == total(raw) - 100 * 64 + 64


def test_minicpm_is_tied_by_default_and_may_have_experts() -> None:
    raw = LLAMA | {"model_type": "minicpm"}
    assert total(raw | {"tie_word_embeddings": False}) == total(raw) + 100 * 64
    sparse = ffncalc.params(ffncalc.load(raw | {"num_experts": 4, "num_experts_per_tok": 2}))
    assert int(sparse.total) == total(raw) + 2 * (3 * 3 * 64 * 48 + 4 * 64)
    assert int(sparse.total) - int(sparse.active) == 2 * 2 * 3 * 64 * 48


def test_openelm_widths_follow_from_its_multipliers() -> None:
    heads = [12] * 5 + [16] * 7 + [20] * 4
    widths = [768, 1024, 1280, 1536, 1792, 2048, 2560, 2816, 3072, 3328, 3584, 3840, 4352, 4608, 4864, 5120]
    attention = sum(1280 * 64 * (h + h // 2) + 1280 * 64 * h for h in heads)
    found = ffncalc.params(ffncalc.load(ELM)).by_category
    assert (int(found["attention"]), int(found["ffn"])) == (attention, 3 * 1280 * sum(widths))


def test_openelm_lists_in_the_file_come_first() -> None:
    lists = {"num_query_heads": [8] * 16, "num_kv_heads": [2] * 16}
    assert int(ffncalc.params(ffncalc.load(ELM | lists)).by_category["attention"]) == 16 * 1280 * 64 * (12 + 8)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"num_query_heads": [12] * 3}, "num_query_heads"),
        ({"num_query_heads": [12] * 16, "num_kv_heads": [5] * 16}, r"num_kv_heads\[0\]"),
        ({"ffn_multipliers": [0.5] * 3}, "ffn_multipliers"),
        ({"ffn_multipliers": [-1.0, 4.0]}, "ffn_multipliers"),
    ],
    ids=["too few heads", "heads that cannot share", "too few widths", "negative"],
)
def test_openelm_lists_that_do_not_fit_are_errors(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        ffncalc.load(ELM | changes)


def test_a_part_that_was_removed_takes_its_norm_along() -> None:
    dense = {"ffn_mult": 1.0}  # 2/3 × 64 = 42, up to 256
    gone = {"n_heads_in_group": None, "no_op": True}
    full = total(nas({"n_heads_in_group": 2}, dense))
    assert full == 2 * 100 * 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 256 + 2 * 64) + 64
    assert full - total(nas(gone, dense)) == 2 * (2 * 64 * 64 + 2 * 64 * 32 + 64)
    assert full - total(nas({"n_heads_in_group": 2}, {"ffn_mult": None, "no_op": True})) == 2 * (3 * 64 * 256 + 64)


def test_a_part_replaced_by_a_linear_map_keeps_its_norm_and_no_cache() -> None:
    linear = {"replace_with_linear": True}
    model = ffncalc.load(nas(linear, linear))
    assert int(ffncalc.params(model).total) == 2 * 100 * 64 + 2 * (2 * 64 * 64 + 2 * 64) + 64
    assert not [c for block in model.layers for part in block.parts for c in part.cache()]
    assert {"model.layers.{layer}.self_attn.linear_attn.weight", "model.layers.{layer}.mlp.linear_mlp.weight"} <= names(
        model
    )


@pytest.mark.parametrize(
    ("attention", "ffn", "key"),
    [
        ({"n_heads_in_group": None}, {"ffn_mult": 1.0}, r"block_configs\[0\].attention.n_heads_in_group"),
        ({"n_heads_in_group": 3}, {"ffn_mult": 1.0}, r"block_configs\[0\].attention.n_heads_in_group"),
        ({"n_heads_in_group": 2}, {"ffn_mult": None}, r"block_configs\[0\].ffn.ffn_mult"),
    ],
    ids=["no group", "a group that does not divide", "no width"],
)
def test_a_block_that_lacks_a_size_is_an_error(attention: dict[str, Any], ffn: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        ffncalc.load(nas(attention, ffn))


def test_original_transformer_attends_source_and_answer() -> None:
    model = ffncalc.load("paper/transformer-base")
    encoder, decoder = model.layers
    assert (encoder.stream, encoder.causal, decoder.stream, decoder.causal) == (
        Stream.SOURCE,
        False,
        Stream.TOKEN,
        True,
    )
    assert [m.span for part in decoder.parts for m in part.mixing()] == [FULL, Span("source")]
