"""What configs of mixture-of-experts families trip over.

FLOPs were counted by torch.utils.flop_counter on transformers' own models (eager attention, batched experts, an
explicit mask); checkpoint sizes are the element counts that the Hub shows for the published safetensors.
"""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.flops import flops
from ffncalc.errors import ConfigError
from ffncalc.ir import Model, Role, Span, walk

SMALL: dict[str, Any] = {
    "vocab_size": 100,
    "hidden_size": 32,
    "intermediate_size": 24,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
TWO_OF_FOUR: dict[str, Any] = {"num_experts_per_tok": 2, "num_local_experts": 4}
ROUTED: dict[str, Any] = {
    "moe_intermediate_size": 12,
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "first_k_dense_replace": 1,
}
LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "kv_lora_rank": 8,
    "q_lora_rank": 12,
    "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4,
    "v_head_dim": 5,
}
INDEXED: dict[str, Any] = {"index_topk": 8, "index_head_dim": 8, "index_n_heads": 2}
QWEN: dict[str, Any] = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 12}
HUNYUAN: dict[str, Any] = {**QWEN, "num_shared_experts": 1, "head_dim": 8}
MIMO: dict[str, Any] = {
    "moe_intermediate_size": 12,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "head_dim": 12,
    "v_head_dim": 8,
    "num_hidden_layers": 8,
}
ERNIE: dict[str, Any] = {"moe_intermediate_size": 12, "moe_num_experts": 4, "moe_k": 2}


def small(model_type: str, *parts: dict[str, Any], **own: Any) -> Model:
    raw: dict[str, Any] = {"model_type": model_type, **SMALL}
    for part in parts:
        raw |= part
    return ffncalc.load(raw | own)


def norms_and_more(model: Model, word: str) -> list[str]:
    return [block.named(part, t) for block, part, t in model.tensors() if word in block.named(part, t)]


def buffers(model: Model) -> int:
    return sum(block.count * t.stored for block, _, t in walk(model.blocks, buffers=True))


@pytest.mark.parametrize(
    ("model_type", "parts", "one", "many"),
    [
        ("mixtral", (TWO_OF_FOUR,), 69_376, 11_329_536),
        ("qwen2_moe", (QWEN, {"shared_expert_intermediate_size": 40}), 81_920, 12_533_760),
        ("qwen3_moe", (QWEN, {"head_dim": 16}), 76_032, 16_637_952),
        ("olmoe", ({"num_experts": 4, "num_experts_per_tok": 2},), 69_376, 11_329_536),
        ("phimoe", (TWO_OF_FOUR,), 69_376, 11_329_536),
        ("minimax_m2", (TWO_OF_FOUR, {"head_dim": 16}), 94_464, 18_407_424),
        ("granitemoe", (TWO_OF_FOUR,), 69_376, 11_329_536),
        ("gpt_oss", (TWO_OF_FOUR,), 244_992, 60_874_752),
        ("deepseek_v2", (ROUTED, LATENT), 50_912, 9_265_152),
        ("deepseek_v3", (ROUTED, LATENT), 50_912, 9_265_152),
        ("deepseek_v32", (ROUTED, LATENT, INDEXED), 55_152, 10_985_472),
        ("glm_moe_dsa", (ROUTED, LATENT, INDEXED, {"index_topk_freq": 2}), 54_092, 10_555_392),
        ("glm4_moe", (ROUTED,), 57_600, 10_199_040),
        ("dots1", (ROUTED,), 57_600, 10_199_040),
        ("hy_v3", (HUNYUAN,), 57_600, 10_199_040),
        ("ernie4_5_moe", (ERNIE,), 64_512, 10_862_592),
        ("mimo_v2_flash", (MIMO,), 123_136, 23_494_656),
    ],
)
def test_a_pass_costs_what_a_profiler_counts(
    model_type: str, parts: tuple[dict[str, Any], ...], one: int, many: int
) -> None:
    model = small(model_type, *parts)
    found = flops(model, ctx=[1, 96], full=True)
    assert [int(point.total) * point.ctx for point in found.points] == [one, many]


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("zai-org/GLM-4.5", 358_337_791_296),
        ("zai-org/GLM-4.5-Air", 110_468_824_832),
        ("zai-org/GLM-5", 753_864_139_008),
        ("zai-org/GLM-5.2", 753_329_940_480),
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", 480_154_875_392),
        ("allenai/OLMoE-1B-7B-0924", 6_919_161_856),
        ("microsoft/Phi-3.5-MoE-instruct", 41_873_153_344),
    ],
)
def test_parameters_buffers_and_further_layers_are_what_the_checkpoint_stores(name: str, published: int) -> None:
    found = ffncalc.params(ffncalc.load(name))
    assert found.total + found.buffers + found.mtp_stored == published


@pytest.mark.parametrize(
    ("name", "elements", "scales"),
    [
        (
            "deepseek-ai/DeepSeek-V3.2-Exp",
            685_396_921_376,
            # q_a, q_b, kv_a, kv_b, o and the indexer's wq_b, wk of 62 layers; three dense FFNs; 59 × 257 experts
            62 * (12 * 56 + 192 * 12 + 5 * 56 + 256 * 4 + 56 * 128 + 64 * 12 + 56)
            + 3 * 3 * 144 * 56
            + 59 * 257 * 3 * 16 * 56,
        ),
        # q, k, v, o and 256 experts of 62 layers
        ("MiniMaxAI/MiniMax-M2", 228_703_644_928, 62 * (2 * 48 * 24 + 2 * 8 * 24 + 256 * 3 * 12 * 24)),
    ],
)
def test_the_rest_of_an_fp8_checkpoint_is_a_scale_for_each_128_by_128(name: str, elements: int, scales: int) -> None:
    found = ffncalc.params(ffncalc.load(name))
    assert elements - (found.total + found.buffers + found.mtp_stored) == scales


def test_multi_token_prediction_is_counted_apart() -> None:
    found = ffncalc.params(ffncalc.load("deepseek-ai/DeepSeek-V3"))
    assert (found.total, found.buffers, found.mtp) == (671_026_404_352, 14_848, 11_610_068_224)


def test_null_query_rank_is_a_plain_projection_and_a_missing_one_the_class_default() -> None:
    parts = {key: value for key, value in LATENT.items() if key != "q_lora_rank"}
    plain = small("deepseek_v3", ROUTED, parts, q_lora_rank=None)
    assert norms_and_more(plain, "q_a_proj") == []
    assert (40, 32) in {t.shape for _, _, t in plain.tensors()}
    missing = small("deepseek_v3", ROUTED, parts)
    assert (1536, 32) in {t.shape for _, _, t in missing.tensors()}


@pytest.mark.parametrize(
    ("model_type", "parts"),
    [
        ("deepseek_v3", (ROUTED, LATENT)),
        ("glm4_moe", (ROUTED,)),
        ("dots1", (ROUTED,)),
        ("hy_v3", (HUNYUAN,)),
    ],
)
def test_the_balance_bias_is_a_buffer(model_type: str, parts: tuple[dict[str, Any], ...]) -> None:
    assert buffers(small(model_type, *parts)) == 3 * 4


def test_ernie_stores_the_balance_bias_as_a_parameter_of_the_router() -> None:
    model = small("ernie4_5_moe", ERNIE)
    (bias,) = [t for _, _, t in model.tensors() if t.name.endswith("e_score_correction_bias")]
    assert (bias.shape, bias.role) == ((1, 4), Role.ROUTER)
    assert buffers(model) == 0


def test_deepseek_v2_has_no_balance_bias() -> None:
    assert buffers(small("deepseek_v2", ROUTED, LATENT)) == 0


def test_glm_5_2_has_an_indexer_in_21_of_78_layers() -> None:
    model = ffncalc.load("zai-org/GLM-5.2")
    indexed = [block.count for block, _, t in model.tensors() if t.role is Role.INDEXER and t.name == "wk.weight"]
    assert sum(indexed) == 21


def test_the_core_sees_the_chosen_keys_and_the_indexer_all() -> None:
    model = small("deepseek_v32", ROUTED, LATENT, INDEXED)
    block = model.layers[0]
    found = [mixing for part in block.parts for mixing in part.mixing()]
    assert [(m.span, m.indexer) for m in found] == [(Span("top_k", 8), False), (Span("full"), True)]
    assert [m.per_key for m in found] == [2 * 4 * (6 + 4 + 5), 2 * 2 * (8 + 1)]


@pytest.mark.parametrize(
    ("own", "sparse"),
    [
        ({}, 4),
        ({"mlp_only_layers": [0, 3]}, 2),
        ({"decoder_sparse_step": 2}, 2),
        ({"decoder_sparse_step": 2, "mlp_only_layers": [1]}, 1),
        ({"num_experts": 0}, 0),
    ],
)
def test_which_qwen_layers_have_experts(own: dict[str, Any], sparse: int) -> None:
    model = small("qwen3_moe", QWEN, **own)
    assert sum(block.count for block in model.layers if block.kind("ffn") == "moe") == sparse


def test_gpt_oss_has_a_window_in_every_second_layer_unless_told_otherwise() -> None:
    model = small("gpt_oss", TWO_OF_FOUR)
    assert [(b.indexes, b.kind("mixer")) for b in model.layers] == [
        ((0, 2), "sliding 128 attention"),
        ((1, 3), "full attention"),
    ]


def test_llama_4_reads_its_layers_from_three_spellings() -> None:
    base: dict[str, Any] = {**TWO_OF_FOUR, "intermediate_size_mlp": 40, "head_dim": 8, "attention_chunk_size": 16}
    step = small("llama4_text", base, interleave_moe_layer_step=2)
    named = small("llama4_text", base, moe_layers=[1, 3])
    assert step.blocks == named.blocks
    full = [b.indexes for b in step.layers if b.kind("mixer") == "full attention"]
    assert full == [(3,)]  # every fourth layer has no rotary positions
    rotary = small("llama4_text", base, no_rope_layers=[1, 0, 1, 0])
    assert [b.kind("mixer") for b in rotary.layers] == ["chunked 16 attention", "full attention"]


def test_mimo_has_twice_the_key_value_heads_in_windowed_layers() -> None:
    model = small("mimo_v2_flash", MIMO)
    shapes = {b.kind("mixer"): t.shape for b, _, t in model.tensors() if t.name == "k_proj.weight"}
    assert shapes == {"full attention": (2 * 12, 32), "sliding 129 attention": (4 * 12, 32)}
    own = small("mimo_v2_flash", MIMO, swa_num_key_value_heads=3, sliding_window_size=7)
    shapes = {b.kind("mixer"): t.shape for b, _, t in own.tensors() if t.name == "k_proj.weight"}
    assert shapes["sliding 8 attention"] == (3 * 12, 32)


def test_lightning_attention_keeps_a_state_and_costs_the_same_at_any_context() -> None:
    model = small("minimax", TWO_OF_FOUR, layer_types=["linear_attention"] * 4)
    (block,) = model.layers
    (mixing,) = block.parts[0].mixing()
    (state,) = block.parts[0].cache()
    assert mixing.per_token == 2 * 3 * 4 * 8 * 8  # decay, write and readout of four 8 × 8 states
    assert (state.constant, state.per_token) == (4 * 8 * 8, 0)


def test_dbrx_reads_its_nested_configs_and_names_their_keys_in_errors() -> None:
    raw = {
        "model_type": "dbrx",
        "vocab_size": 10,
        "d_model": 8,
        "n_heads": 2,
        "n_layers": 1,
        "attn_config": {"kv_n_heads": 1},
        "ffn_config": {"ffn_hidden_size": 6, "moe_num_experts": 4, "moe_top_k": 2},
    }
    stored = {t.name: t.stored_shape for _, _, t in ffncalc.load(raw).tensors()}
    assert stored["experts.mlp.w2"] == (4 * 6, 8)
    assert stored["Wqkv.weight"] == (8 + 2 * 4, 8)
    with pytest.raises(ConfigError, match=r"ffn_config\.moe_top_k"):
        ffncalc.load(raw | {"ffn_config": {"moe_top_k": 0}})


def test_without_a_number_of_chosen_experts_all_count_and_the_model_says_so() -> None:
    parts = {key: value for key, value in ROUTED.items() if key != "num_experts_per_tok"}
    model = small("deepseek_v2", parts, LATENT)
    found = ffncalc.params(model)
    assert found.active == found.total
    assert "num_experts_per_tok" in model.notes[0]


def test_a_family_without_class_defaults_names_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="n_routed_experts: missing"):
        small("dots1", {"moe_intermediate_size": 12})


def test_a_class_of_another_family_is_noted() -> None:
    model = small("mixtral", TWO_OF_FOUR, architectures=["MiniMaxM2ForCausalLM"])
    assert model.notes == (
        "architectures names MiniMaxM2ForCausalLM, a class of minimax_m2: counted as model_type says, mixtral",
    )


@pytest.mark.parametrize(
    ("model_type", "architecture", "parts"),
    [
        ("mixtral", "MixtralForCausalLM", (TWO_OF_FOUR,)),
        ("kimi_k2", "DeepseekV3ForCausalLM", (ROUTED, LATENT)),
        ("phimoe", "PhiMoEForCausalLM", (TWO_OF_FOUR,)),
    ],
)
def test_a_class_of_the_same_family_is_not(
    model_type: str, architecture: str, parts: tuple[dict[str, Any], ...]
) -> None:
    assert small(model_type, *parts, architectures=[architecture]).notes == ()
