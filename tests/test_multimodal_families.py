"""What configs of further composites trip over: which flag ties, which key counts, what is there twice."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc import source
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from tests.test_tensors import tensors

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 100,
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
}
VIT: dict[str, Any] = {
    "hidden_size": 4,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "patch_size": 2,
    "image_size": 8,
}
HEAD = 100 * 8


def load(model_type: str, **fields: Any) -> Model:
    return ffncalc.load({"model_type": model_type, **fields})


def count(model: Model, category: str) -> int:
    return int(ffncalc.params(model).by_category[category])


def mllama(**text: Any) -> Model:
    own = {key: value for key, value in LLAMA.items() if key != "model_type"} | {"cross_attention_layers": [1]}
    return load("mllama", text_config=own | text, vision_config={"num_hidden_layers": 1, "num_global_layers": 1})


def test_a_layer_of_llama_vision_that_sees_the_image_has_no_self_attention() -> None:
    names = tensors(mllama())
    assert names["language_model.model.layers.1.cross_attn.k_norm.weight"].shape == (4,)
    assert "language_model.model.layers.1.self_attn.q_proj.weight" not in names
    assert "language_model.model.layers.0.cross_attn.q_proj.weight" not in names


def test_llama_vision_has_eight_words_that_its_head_lacks() -> None:
    names = tensors(mllama())
    assert names["language_model.model.embed_tokens.weight"].shape == (108, 8)
    assert names["language_model.lm_head.weight"].shape == (100, 8)


def test_llama_vision_is_never_tied() -> None:
    assert count(mllama(tie_word_embeddings=True), "head") == HEAD


def test_keys_and_values_of_the_image_are_kept_but_not_computed_by_a_text_token() -> None:
    mixing = next(block for block in mllama().layers if block.indexes == (1,)).parts[0]
    (cache,) = mixing.cache()
    assert (cache.per_token, cache.span.kind) == (2 * 4, "source")
    assert {tensor.name for tensor in mixing.tensors() if tensor.source} == {"k_proj.weight", "v_proj.weight"}


def test_a_cross_attention_layer_that_does_not_exist_leaves_a_note() -> None:
    (note,) = mllama(cross_attention_layers=[1, 7]).notes
    assert note == "text_config.cross_attention_layers names layer 7 of 2"


def test_video_llava_has_the_same_tower_twice() -> None:
    vision = {"model_type": "clip_vision_model", **VIT}
    one, two = (load(name, text_config=LLAMA, vision_config=vision) for name in ("llava", "video_llava"))
    projector = (4 * 8 + 8) + (8 * 8 + 8)
    assert count(two, "multimodal") - projector == 2 * (count(one, "multimodal") - projector)


@pytest.mark.parametrize("key", ["vision_feature_layer", "vision_feature_layers"])
def test_vip_llava_reads_as_many_layers_as_it_names(key: str) -> None:
    model = load(
        "vipllava", text_config=LLAMA, vision_config={**VIT, "model_type": "clip_vision_model"}, **{key: [1, 2]}
    )
    names = tensors(model)
    assert names["multi_modal_projector.linear_1.weight"].shape == (8, 2 * 4)
    assert names["multi_modal_projector.projector_layernorm.weight"].shape == (2 * 4,)


@pytest.mark.parametrize(("flag", "head"), [(False, HEAD), (True, 0), (None, 0)], ids=["false", "true", "absent"])
def test_paddleocr_ties_as_its_file_says(flag: bool | None, head: int) -> None:
    fields = {key: value for key, value in LLAMA.items() if key != "model_type"}
    ties = {} if flag is None else {"tie_word_embeddings": flag}
    assert count(load("paddleocr_vl", vision_config=VIT, **fields, **ties), "head") == head


def test_lfm2_vl_calls_its_tie_flag_otherwise() -> None:
    text = LLAMA | {"model_type": "lfm2", "layer_types": ["conv", "full_attention"]}
    tied = load("lfm2_vl", text_config=text, vision_config=VIT)
    own = load("lfm2_vl", text_config=text, vision_config=VIT, tie_embedding=False)
    assert (count(tied, "head"), count(own, "head")) == (0, HEAD)


@pytest.mark.parametrize("model_type", ["blip-2", "kosmos-2.5"])
@pytest.mark.parametrize("inner", [False, True])
def test_a_language_model_in_its_own_class_ties_as_its_own_flag_says(model_type: str, inner: bool) -> None:
    text = LLAMA | {"tie_word_embeddings": inner}
    model = load(model_type, text_config=text, vision_config={}, tie_word_embeddings=not inner)
    assert (count(model, "head") == 0) == inner


def test_patches_of_siglip_2_come_flat_and_its_positions_are_counted_in_patches() -> None:
    model = load("lfm2_vl", text_config={}, vision_config={**VIT, "num_patches": 7, "vision_use_head": False})
    names = tensors(model)
    prefix = "model.vision_tower.vision_model.embeddings."
    assert names[f"{prefix}patch_embedding.weight"].shape == (4, 3 * 2 * 2)
    assert names[f"{prefix}position_embedding.weight"].shape == (7, 4)


def test_the_first_and_the_later_files_of_qwen3_asr_count_alike() -> None:
    audio = {"d_model": 8, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16}
    text = {key: value for key, value in LLAMA.items() if key != "model_type"} | {"tie_word_embeddings": True}
    later = load("qwen3_asr", audio_config=audio, text_config=text)
    first = load("qwen3_asr", thinker_config={"audio_config": audio, "text_config": text})
    assert ffncalc.params(first).total == ffncalc.params(later).total
    assert "thinker.lm_head.weight" in tensors(first)


def test_fuyu_counts_alike_whether_its_fields_stand_outside_or_in_its_text_config() -> None:
    fields = {key: value for key, value in LLAMA.items() if key not in ("model_type", "num_key_value_heads")}
    outside = load("fuyu", text_config={"model_type": "persimmon"}, **fields)
    inside = load("fuyu", text_config={"model_type": "persimmon", **fields})
    assert tensors(outside) == tensors(inside)
    assert ffncalc.params(outside).by_category["multimodal"] == 30 * 30 * 3 * 8 + 8


def test_exaone_4_5_accepts_the_first_name_of_its_language_model() -> None:
    vision = {"depth": 1, "hidden_size": 16, "num_heads": 4, "num_key_value_heads": 2}
    text = LLAMA | {"model_type": "exaone4_5_text", "sliding_window": None, "sliding_window_pattern": "LLLG"}
    names = tensors(load("exaone4_5", text_config=text, vision_config=vision))
    assert names["model.visual.blocks.0.attn.qkv.weight"].shape == (16 + 2 * 2 * 4, 16)


def test_voxtral_fills_its_text_config_from_the_first_model() -> None:
    audio = {"num_hidden_layers": 1}
    assert load("voxtral", text_config={"num_hidden_layers": 1}, audio_config=audio).width == 3072


def test_only_the_network_of_fastvlm_is_known() -> None:
    with pytest.raises(ConfigError, match=r"vision_config\.architecture: only fastvit_mci3 is known"):
        load("fast_vlm", text_config=LLAMA, vision_config={"architecture": "resnet50"})


def test_a_stage_of_florence_that_lacks_a_size_is_named() -> None:
    with pytest.raises(ConfigError, match=r"depths: has 1 entries, but .*embed_dim has 4"):
        load("florence2", text_config={}, vision_config={"depths": [1]})


def test_clip_is_a_text_model_whose_image_tower_counts_as_multimodal() -> None:
    text = {key: LLAMA[key] for key in ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers")}
    own = text | {"num_attention_heads": 2, "max_position_embeddings": 5}
    model = load("clip", text_config=own, vision_config=VIT, projection_dim=6)
    assert model.layer_count == 2
    assert count(model, "embedding") == (100 + 5) * 8
    assert count(model, "other") == 6 * 8 + 1  # the map of the text and the temperature


@pytest.mark.parametrize(
    "name", ["google/paligemma-3b-pt-224", "google/paligemma2-3b-pt-224", "vidore/colpali-v1.3-hf"]
)
def test_paligemma_decodes_token_by_token_whatever_the_flag_says(name: str) -> None:
    raw = source.load(name).raw
    path = "vlm_config" if "vlm_config" in raw else ""
    outer = raw[path] if path else raw
    saved = {**outer, "text_config": {**outer["text_config"], "use_bidirectional_attention": True}}
    model = ffncalc.load({**raw, path: saved} if path else saved)
    plain = ffncalc.load(name)
    for analyse in (ffncalc.memory, ffncalc.crossover, ffncalc.flops):
        assert analyse(model).to_dict() == analyse(plain).to_dict()
    assert ffncalc.memory(model).to_dict()["kv_bytes_per_token"]


def test_qwen3_asr_without_its_parts_is_refused() -> None:
    with pytest.raises(ConfigError, match="text_config: missing, and required"):
        ffncalc.load({"model_type": "qwen3_asr", "architectures": ["Qwen3ASRForConditionalGeneration"]})
