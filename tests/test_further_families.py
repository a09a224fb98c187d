"""What configs of less common families trip over: worked out by hand, or by transformers on the meta device."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError, UnsupportedModel

SMALL = {
    "vocab_size": 100,
    "hidden_size": 32,
    "intermediate_size": 24,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
LATENT = {
    "q_lora_rank": 10,
    "kv_lora_rank": 14,
    "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
}
POSITIONS = {"max_position_embeddings": 50, "type_vocab_size": 3}
EXPERTS = {"moe_intermediate_size": 12, "num_experts_per_tok": 2}
PAIR = {"vocab_size": 100, "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}


def total(model_type: str, **fields: Any) -> int:
    return int(ffncalc.params(ffncalc.load({"model_type": model_type} | fields)).total)


def core(model_type: str, ctx: int, **fields: Any) -> int:
    (point,) = ffncalc.flops(ffncalc.load({"model_type": model_type} | fields), ctx=ctx).points
    return int(point.by_category["attention_core"])


# Totals of transformers' own classes for these small configs.
@pytest.mark.parametrize(
    ("model_type", "fields", "parameters"),
    [
        ("mistral4", SMALL | LATENT | EXPERTS | {"n_routed_experts": 4}, 51_832),
        ("mistral4", SMALL | LATENT | EXPERTS | {"n_routed_experts": 4, "q_lora_rank": None}, 54_582),
        ("hunyuan_v1_moe", SMALL | {"head_dim": 8, "num_experts": 4, "moe_topk": [1, 2, 2, 1, 1]}, 80_432),
        ("doge", SMALL | {"is_moe": True, "num_experts": 16, "num_experts_per_tok": 2}, 40_602),
        ("luke", PAIR | {"entity_vocab_size": 20, "entity_emb_size": 16} | POSITIONS, 31_832),
    ],
    ids=["latent queries", "plain queries", "top-k per layer", "experts of one unit", "entities"],
)
def test_total_of(model_type: str, fields: dict[str, Any], parameters: int) -> None:
    assert total(model_type, **fields) == parameters


@pytest.mark.parametrize(("gating", "rows"), [(True, 4), ("per-head", 4), ("per-element", 32), (False, 32)], ids=str)
def test_laguna_gates_each_head_or_each_channel(gating: bool | str, rows: int) -> None:
    fields = SMALL | EXPERTS | {"num_experts": 4, "head_dim": 8, "num_hidden_layers": 2}
    without = total("laguna", **fields, gating=True) - 2 * 4 * 32
    assert total("laguna", **fields, gating=gating) - without == 2 * rows * 32


def test_heads_may_differ_by_layer() -> None:
    fields = SMALL | EXPERTS | {"num_experts": 4, "head_dim": 8, "num_hidden_layers": 2}
    more = total("laguna", **fields, num_attention_heads_per_layer=[4, 8])
    assert more - total("laguna", **fields) == 4 * (2 * 8 * 32 + 32)  # q, o and gate of four more heads


def test_experts_that_do_nothing_have_a_score_and_no_weights() -> None:
    fields = {
        "vocab_size": 100,
        "hidden_size": 32,
        "ffn_hidden_size": 24,
        "num_layers": 3,
        "num_attention_heads": 4,
        "expert_ffn_hidden_size": 12,
        "n_routed_experts": 4,
        "moe_topk": 2,
    }
    more = total("longcat_flash", **fields, **LATENT, zero_expert_num=2)
    assert more - total("longcat_flash", **fields, **LATENT, zero_expert_num=0) == 3 * 2 * 32


def test_a_learned_bias_is_a_parameter_where_the_checkpoint_stores_one() -> None:
    fields = SMALL | EXPERTS | {"head_dim": 8, "num_experts": 4}
    assert ffncalc.params(ffncalc.load({"model_type": "afmoe"} | fields)).buffers == 0
    assert ffncalc.params(ffncalc.load({"model_type": "exaone_moe"} | fields)).buffers == 4 * 4  # one layer is dense


def test_differential_attention_meets_values_twice_as_wide() -> None:
    fields = SMALL | {"num_key_value_heads": 4}
    assert core("diffllama", 10, **fields) == 5 * 10 * (2 * 4 * 8 + 2 * 4 * 16)


def test_every_second_layer_of_phi_3_small_skips_far_blocks() -> None:
    keys = 4096
    sparse = 1024 + (keys - 1024) // 8
    expected = 4 * 32 * 128 * 16 * (keys + sparse)
    assert core("phi3small", keys, **phi_3_small()) == expected


def phi_3_small() -> dict[str, Any]:
    return {
        "vocab_size": 100_352,
        "hidden_size": 4096,
        "ff_intermediate_size": 14_336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    }


def test_a_minimax_layer_of_kind_1_attends_and_one_of_kind_0_does_not() -> None:
    fields = SMALL | {"num_local_experts": 4, "num_hidden_layers": 3, "attn_type_list": [0, 1, 0]}
    assert core("minimax_m1", 10, **fields) == 4 * 4 * 8 * 10


@pytest.mark.parametrize(
    ("model_type", "fields", "problem"),
    [
        ("xverse", SMALL | {"num_experts": 64}, "num_experts"),
        ("esm", PAIR | {"is_folding_model": True}, "is_folding_model"),
        ("xlm", {"vocab_size": 100, "emb_dim": 32, "n_layers": 2, "n_heads": 4, "asm": True}, "asm"),
        ("mobilebert", PAIR | {"use_bottleneck": False}, "use_bottleneck"),
    ],
    ids=["experts", "folding trunk", "adaptive softmax", "no bottleneck"],
)
def test_what_is_not_described_is_an_error_that_names_its_field(
    model_type: str, fields: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        ffncalc.load({"model_type": model_type} | fields)


def test_a_text_uses_one_adapter_of_all_languages() -> None:
    fields = PAIR | {"languages": ["en_XX", "de_DE", "fr_XX"]}
    counted = ffncalc.params(ffncalc.load({"model_type": "xmod"} | fields))
    adapter = 2 * 16 * 32 + 16 + 32
    assert counted.total - counted.active == 2 * 2 * adapter


def test_the_halves_of_a_pair_are_the_classes_that_the_pair_makes_of_them() -> None:
    half = PAIR | {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}
    model = ffncalc.load(
        {
            "model_type": "encoder-decoder",
            "encoder": half,
            "decoder": half | {"is_decoder": True, "add_cross_attention": True},
        }
    )
    names = {block.named(part, tensor) for block, part, tensor in model.tensors()}
    assert "encoder.pooler.dense.weight" in names
    assert "decoder.cls.predictions.bias" in names
    assert "decoder.bert.encoder.layer.{layer}.crossattention.self.query.weight" in names
    assert not any(name.startswith("classifier") for name in names)


def test_halves_of_different_width_are_joined_by_a_map() -> None:
    half = PAIR | {"model_type": "bert"}
    decoder = half | {"hidden_size": 16, "is_decoder": True, "add_cross_attention": True}
    model = ffncalc.load({"model_type": "encoder-decoder", "encoder": half, "decoder": decoder})
    shapes = {tuple(t.shape) for block, part, t in model.tensors() if part.name == "enc_to_dec_proj"}
    assert shapes == {(16, 32), (16,)}


def test_a_half_of_unknown_type_is_named() -> None:
    half = PAIR | {"model_type": "bert"}
    with pytest.raises(UnsupportedModel, match="bret"):
        ffncalc.load({"model_type": "encoder-decoder", "encoder": half | {"model_type": "bret"}, "decoder": half})


def test_parts_of_an_xlm_layer_stand_in_separate_lists() -> None:
    model = ffncalc.load({"model_type": "xlm", "vocab_size": 100, "emb_dim": 32, "n_layers": 2, "n_heads": 4})
    names = {block.named(part, tensor) for block, part, tensor in model.tensors()}
    assert "transformer.attentions.{layer}.q_lin.weight" in names
    assert model.layer_count == 2


def test_a_funnel_block_that_repeats_counts_its_weights_once() -> None:
    fields = {"vocab_size": 100, "d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 24, "block_sizes": [1, 2]}
    assert total("funnel", **fields, block_repeats=[1, 2]) == total("funnel", **fields)
