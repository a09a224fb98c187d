"""Families that write sound, bytes or drafts, and what their configs trip over; values are worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from tests.test_tensors import tensors


def load(model_type: str, **fields: Any) -> Model:
    return ffncalc.load({"model_type": model_type, **fields})


def flops(model: Model, category: str, ctx: int = 1) -> int:
    return int(ffncalc.flops(model, ctx=ctx).points[0].by_category[category])


NLLB: dict[str, Any] = {
    "vocab_size": 10,
    "d_model": 4,
    "encoder_layers": 4,
    "decoder_layers": 4,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8,
    "num_experts": 3,
}


def test_nllb_has_experts_in_every_fourth_layer_and_none_where_the_step_is_zero() -> None:
    names = tensors(load("nllb-moe", **NLLB, encoder_sparse_step=0))
    assert [f"model.decoder.layers.{i}.ffn.router.classifier.weight" in names for i in range(4)] == [False] * 3 + [True]
    assert not [name for name in names if name.startswith("model.encoder") and "router" in name]


def test_a_token_of_nllb_uses_two_experts() -> None:
    found = ffncalc.moe(load("nllb-moe", **NLLB))
    assert found is not None
    assert (found.main.experts, found.main.top_k) == (3, 2)
    assert found.main.params_per_expert == 2 * 4 * 8 + 8 + 4


def test_mvp_has_prompts_on_both_sides_and_none_as_a_decoder_alone() -> None:
    sizes = {key: value for key, value in NLLB.items() if key != "num_experts"}
    asked = {**sizes, "use_prompt": True, "prompt_length": 5, "prompt_mid_dim": 3}
    names = tensors(load("mvp", architectures=["MvpForConditionalGeneration"], **asked))
    for side, count in (("encoder.self", 4), ("decoder.self", 4), ("decoder.cross", 4)):
        assert names[f"model.{side}_attn_prompt.prompt_embedding.weight"].shape == (5, 4)
        assert names[f"model.{side}_attn_prompt.prompt_trans.2.weight"].shape == (count * 2 * 4, 3)
    alone = tensors(load("mvp", architectures=["MvpForCausalLM"], **asked))
    assert not [name for name in alone if "prompt" in name]


XLSTM: dict[str, Any] = {"vocab_size": 10, "hidden_size": 16, "num_hidden_layers": 1, "num_heads": 2}


def test_an_mlstm_updates_its_memory_and_its_normaliser() -> None:
    """Two heads of keys 4 and values 8: 2 × 4 × 8 + 2 × 4 elements, three multiply-adds each."""
    model = load("xlstm", **XLSTM)
    weights = 16 * (8 + 8 + 16 + 16 + 2 + 2 + 16)
    assert flops(model, "mixer") == 2 * weights + 2 * 3 * (64 + 8)
    assert int(ffncalc.memory(model, ctx=7).cache.constant) == 64 + 8 + 2


def test_the_ffn_of_xlstm_is_rounded_up() -> None:
    """16 × 2.667 is 42.672, and 64 the next multiple of 64."""
    assert tensors(load("xlstm", **XLSTM))["backbone.blocks.0.ffn.proj_up.weight"].shape == (64, 16)


def test_heads_of_an_mlstm_must_divide_its_width() -> None:
    with pytest.raises(ConfigError, match="num_heads: 3 does not divide"):
        load("xlstm", **XLSTM | {"num_heads": 3})


DRAFT: dict[str, Any] = {
    "backbone_hidden_size": 6,
    "text_config": {
        "vocab_size": 12,
        "hidden_size": 4,
        "intermediate_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "head_dim": 4,
        "global_head_dim": 4,
        "hidden_size_per_layer_input": 0,
        "vocab_size_per_layer_input": 0,
    },
}


def test_a_gemma_assistant_has_no_keys_and_values_of_its_own() -> None:
    names = tensors(load("gemma4_assistant", **DRAFT))
    assert not [name for name in names if "k_proj" in name or "v_proj" in name]
    assert names["pre_projection.weight"].shape == (4, 12)


def test_ordered_embeddings_multiply_only_the_words_of_the_chosen_clusters() -> None:
    """12 words in 4 clusters, of which 2 are read: 6 rows and 4 centroids in place of 12 rows, 4 wide."""
    whole = load("gemma4_assistant", **DRAFT)
    some = load(
        "gemma4_assistant", **DRAFT, use_ordered_embeddings=True, num_centroids=4, centroid_intermediate_top_k=2
    )
    assert flops(whole, "head") == 2 * 12 * 4
    assert flops(some, "head") == 2 * (6 + 4) * 4
    assert tensors(some)["lm_head.weight"].shape == (12, 4)


def test_clusters_must_divide_the_words() -> None:
    with pytest.raises(ConfigError, match="num_centroids"):
        load("gemma4_assistant", **DRAFT, use_ordered_embeddings=True, num_centroids=5, centroid_intermediate_top_k=2)


def test_reformer_joins_two_tables_to_one_position() -> None:
    sizes = {"vocab_size": 10, "hidden_size": 8, "num_attention_heads": 2, "attention_head_size": 4}
    axes = {"axial_pos_shape": [3, 5], "axial_pos_embds_dim": [2, 6]}
    names = tensors(load("reformer", **sizes, **axes))
    assert names["reformer.embeddings.position_embeddings.weights.0"].shape == (3, 1, 2)
    assert names["reformer.embeddings.position_embeddings.weights.1"].shape == (1, 5, 6)
    assert "reformer.encoder.layers.1.attention.self_attention.query_key.weight" in names
    with pytest.raises(ConfigError, match="axial_pos_embds_dim"):
        load("reformer", **sizes, **axes | {"axial_pos_embds_dim": [2, 5]})


def test_a_frame_of_musicgen_has_a_table_and_a_head_for_each_codebook() -> None:
    sizes = {"vocab_size": 10, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "ffn_dim": 8}
    model = load("musicgen_decoder", **sizes, num_codebooks=3)
    names = tensors(model)
    assert names["model.decoder.embed_tokens.2.weight"].shape == (11, 4)
    assert flops(model, "head") == 2 * 3 * 10 * 4
    assert "model.decoder.layers.0.encoder_attn.q_proj.weight" in names
    melody = tensors(load("musicgen_melody_decoder", **sizes))
    assert "model.decoder.layers.0.encoder_attn.q_proj.weight" not in melody


def test_the_class_of_seamless_decides_what_it_hears_and_speaks_with() -> None:
    sizes = {key: value for key, value in NLLB.items() if key != "num_experts"} | {"speech_encoder_attention_heads": 2}
    sizes |= {"t2u_encoder_attention_heads": 2, "t2u_decoder_attention_heads": 2}
    parts = {"text_encoder", "speech_encoder", "t2u_model", "vocoder"}
    for ending, kept in {
        "ForTextToText": {"text_encoder"},
        "ForSpeechToText": {"speech_encoder"},
        "ForTextToSpeech": {"text_encoder", "t2u_model", "vocoder"},
        "ForSpeechToSpeech": {"speech_encoder", "t2u_model", "vocoder"},
        "Model": parts,
    }.items():
        names = tensors(load("seamless_m4t", architectures=[f"SeamlessM4T{ending}"], **sizes))
        assert {name.partition(".")[0] for name in names} & parts == kept


def test_blt_says_that_bytes_are_counted_as_patches() -> None:
    model = load("blt", encoder_config={"hidden_size": 8, "num_attention_heads": 2})
    assert "each byte is counted as a patch" in model.notes[0]
    assert tensors(model)["model.local_encoder.layers.0.mlp.up_proj.weight"].shape == (8 * 8 // 3, 8)


def test_granite_vision_reads_the_sides_of_its_windows() -> None:
    text = {"vocab_size": 10, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    asked: dict[str, Any] = {
        "text_config": text | {"num_attention_heads": 2},
        "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 64, "num_attention_heads": 2},
        "deepstack_layer_map": [[-1, 0]],
    }
    names = tensors(load("granite4_vision", downsample_rate="2/3", **asked))
    assert names["model.spatial_projectors.3.query"].shape == (1, 4, 64)
    assert names["model.layerwise_projectors.0.image_positions"].shape == (1, 9, 64)
    with pytest.raises(ConfigError, match="downsample_rate: expected two sides"):
        load("granite4_vision", downsample_rate="half", **asked)


@pytest.mark.parametrize(
    ("outer", "inner", "tied"), [(True, False, 1), (False, True, 0), (None, True, 1), (None, False, 0)]
)
def test_pix2struct_is_tied_as_the_outer_flag_says(outer: bool | None, inner: bool, tied: int) -> None:
    raw: dict[str, Any] = {"model_type": "pix2struct", "text_config": {"tie_word_embeddings": inner}}
    model = ffncalc.load(raw if outer is None else raw | {"tie_word_embeddings": outer})
    assert ffncalc.params(model).by_role["head"] == (1 - tied) * 50244 * 768
