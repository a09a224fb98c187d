"""Composites: which flag ties the embeddings, what the parts are called, what one text token costs."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from tests.test_tensors import tensors

TEXT: dict[str, Any] = {
    "model_type": "mistral",
    "vocab_size": 100,
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 4,
}
VISION: dict[str, Any] = {
    "model_type": "pixtral",
    "hidden_size": 4,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "patch_size": 2,
}
HEAD = 100 * 8


def load(model_type: str, text: dict[str, Any] | None = None, **outer: Any) -> Model:
    return ffncalc.load(
        {"model_type": model_type, "text_config": TEXT | (text or {}), "vision_config": VISION, **outer}
    )


def head_of(model: Model) -> int:
    return int(ffncalc.params(model).by_category["head"])


@pytest.mark.parametrize(
    ("model_type", "outer", "inner", "head"),
    [
        ("mistral3", None, None, HEAD),
        ("mistral3", None, True, 0),
        ("mistral3", True, None, 0),
        ("mistral3", False, True, HEAD),
        ("llava", None, True, 0),
        ("llava", False, True, 0),
        ("llava", False, None, HEAD),
    ],
    ids=[
        "neither: the default of the text class",
        "the text config alone",
        "the outer flag alone",
        "the outer flag wins",
        "LLaVA: the text config alone",
        "LLaVA: one true flag is enough",
        "LLaVA: neither is true",
    ],
)
def test_embeddings_are_tied_as_the_checkpoint_has_them(
    model_type: str, outer: bool | None, inner: bool | None, head: int
) -> None:
    flags = {} if outer is None else {"tie_word_embeddings": outer}
    text = {} if inner is None else {"tie_word_embeddings": inner}
    assert head_of(load(model_type, text, **flags)) == head


def test_two_tie_flags_that_disagree_leave_a_note() -> None:
    (note,) = load("mistral3", {"tie_word_embeddings": True}, tie_word_embeddings=False).notes
    assert "text_config.tie_word_embeddings true" in note
    assert note.endswith("untied")
    assert load("mistral3", {"tie_word_embeddings": True}, tie_word_embeddings=True).notes == ()


def test_a_tie_names_the_embedding_under_the_module_of_the_language_model() -> None:
    found = tensors(load("mistral3", tie_word_embeddings=True))
    assert found["language_model.lm_head.weight"].tied == "language_model.model.embed_tokens.weight"


def test_one_text_token_multiplies_nothing_of_a_tower() -> None:
    composite, alone = load("mistral3"), ffncalc.load(TEXT)
    assert ffncalc.params(composite).active_matmul == ffncalc.params(alone).active_matmul
    assert composite.layer_count == 1


def test_multimodal_is_the_tower_and_the_projector_by_hand() -> None:
    patches = 4 * 3 * 2 * 2
    layer = 4 * 4 * 4 + 3 * 4 * 8 + 2 * 4  # attention, gated FFN, two norms
    projector = 4 + 4 * (4 * 4) + 4 * 8 + 8 * 8  # norm, merging of 2 × 2 patches, two layers
    expected = patches + layer + 4 + projector  # and the norm after the patches
    assert ffncalc.params(load("mistral3")).by_category["multimodal"] == expected


def test_sizes_that_a_nested_config_lacks_are_those_of_its_class() -> None:
    model = ffncalc.load({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 10}})
    assert model.width == 4096
    assert ("text_config.hidden_size", 4096) in model.defaults


def test_a_wrong_size_is_named_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"vision_config\.hidden_size: must be a positive integer"):
        ffncalc.load({"model_type": "mistral3", "text_config": TEXT, "vision_config": VISION | {"hidden_size": -4}})


def test_a_file_without_a_text_config_is_an_error_not_a_default_model() -> None:
    with pytest.raises(ConfigError, match="text_config: missing"):
        ffncalc.load({"model_type": "llava", "hidden_size": 4096, "num_hidden_layers": 32})


def test_flat_and_nested_files_of_one_model_count_alike() -> None:
    text = {key: value for key, value in TEXT.items() if key not in ("model_type", "head_dim")}
    vision = {"depth": 1, "embed_dim": 32, "hidden_size": 8, "num_heads": 2}
    flat = ffncalc.load({"model_type": "qwen2_vl", "vision_config": vision, **text})
    nested = ffncalc.load({"model_type": "qwen2_vl", "vision_config": vision, "text_config": text})
    assert tensors(flat) == tensors(nested)


def test_a_flat_file_needs_its_sizes() -> None:
    flat = {"model_type": "qwen2_vl", "vision_config": {}, "hidden_size": 8}
    with pytest.raises(ConfigError, match="num_hidden_layers: missing"):
        ffncalc.load(flat)


@pytest.mark.parametrize(
    ("architecture", "name"),
    [
        ("Mistral3ForConditionalGeneration", "language_model.model.layers.0.mlp.up_proj.weight"),
        ("Mistral3Model", "language_model.model.layers.0.mlp.up_proj.weight"),
    ],
)
def test_a_bare_composite_has_no_head(architecture: str, name: str) -> None:
    model = load("mistral3", architectures=[architecture])
    assert name in tensors(model)
    assert (head_of(model) == 0) == (architecture == "Mistral3Model")


def test_towers_that_a_gemma_4_config_leaves_out_do_not_count() -> None:
    text = {"num_hidden_layers": 6, "hidden_size": 8, "intermediate_size": 8, "vocab_size": 100}
    model = ffncalc.load({"model_type": "gemma4", "text_config": text, "audio_config": None})
    assert ffncalc.params(model).by_category["multimodal"] == 0


def test_a_network_that_is_only_named_must_be_known() -> None:
    text = {"num_hidden_layers": 1, "num_kv_shared_layers": 0}
    with pytest.raises(ConfigError, match=r"vision_config\.architecture: only mobilenetv5_300m_enc is known"):
        ffncalc.load({"model_type": "gemma3n", "text_config": text, "vision_config": {"architecture": "resnet50"}})
