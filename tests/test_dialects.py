"""params.json of Meta's and Mistral's releases, against the totals of the same models in the Hub's form."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc import source
from ffncalc.errors import ConfigError, FileError
from ffncalc.formula import labels, symbols

LLAMA2_7B = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-05, "vocab_size": 32000}
LLAMA3_8B = {
    "dim": 4096,
    "n_layers": 32,
    "n_heads": 32,
    "n_kv_heads": 8,
    "vocab_size": 128256,
    "multiple_of": 1024,
    "ffn_dim_multiplier": 1.3,
    "norm_eps": 1e-05,
    "rope_theta": 500000.0,
}
MISTRAL_7B = {
    "dim": 4096,
    "n_layers": 32,
    "head_dim": 128,
    "hidden_dim": 14336,
    "n_heads": 32,
    "n_kv_heads": 8,
    "norm_eps": 1e-05,
    "sliding_window": 4096,
    "vocab_size": 32000,
}
PUBLISHED = [  # totals of the same weights in the Hub's form
    (LLAMA2_7B, "llama", 11008, 6_738_415_616),
    (LLAMA2_7B | {"dim": 5120, "n_layers": 40, "n_heads": 40}, "llama", 13824, 13_015_864_320),
    (
        LLAMA2_7B
        | {"dim": 8192, "n_layers": 80, "n_heads": 64, "n_kv_heads": 8}
        | {"multiple_of": 4096, "ffn_dim_multiplier": 1.3},
        "llama",
        28672,
        68_976_648_192,
    ),
    (LLAMA3_8B, "llama", 14336, 8_030_261_248),
    (MISTRAL_7B, "mistral", 14336, 7_241_732_096),
    (MISTRAL_7B | {"moe": {"num_experts": 8, "num_experts_per_tok": 2}}, "mixtral", 14336, 46_702_792_704),
]


@pytest.mark.parametrize(
    ("raw", "kind", "width", "total"), PUBLISHED, ids=[f"{row[1]} {row[3]:,}" for row in PUBLISHED]
)
def test_totals_are_those_of_the_published_models(raw: dict[str, Any], kind: str, width: int, total: int) -> None:
    model = ffncalc.load(raw)
    count = ffncalc.params(model)
    assert (model.model_type, count.expansion[0].hidden, count.total) == (kind, width, total)


def test_numbers_are_explained_in_the_words_of_the_file() -> None:
    ffn = ffncalc.params(ffncalc.load(MISTRAL_7B)).by_role["ffn.dense"]
    assert {"dim", "hidden_dim"} <= set(labels(ffn))


def test_the_width_of_meta_keeps_its_formula() -> None:
    width = ffncalc.params(ffncalc.load(LLAMA3_8B)).expansion[0].hidden
    assert set(labels(width)) == {"dim", "multiple_of"}
    assert "multiple_of" in symbols(width)


def test_a_missing_vocabulary_size_is_said_with_the_way_out() -> None:
    with pytest.raises(
        ConfigError, match=r"vocab_size: must be a positive integer, got -1[\s\S]*--set vocab_size=32000"
    ):
        ffncalc.load(LLAMA2_7B | {"vocab_size": -1})


def test_all_wrong_keys_are_named_as_in_the_file_at_once() -> None:
    wrong = LLAMA3_8B | {"dim": 4096.5, "n_heads": True, "multiple_of": 0, "ffn_dim_multiplier": "1.3"}
    del wrong["n_layers"]
    wrong["n_layers"] = None
    with pytest.raises(ConfigError) as caught:
        ffncalc.load(wrong)
    for key in ("dim", "n_layers", "n_heads", "multiple_of", "ffn_dim_multiplier"):
        assert f"{key}: must be a positive" in caught.value.message


@pytest.mark.parametrize(
    "part", [{"vision_encoder": {"hidden_size": 1024}}, {"moe_args": {"num_experts": 16}}, {"kv_lora_rank": 512}]
)
def test_parts_that_the_form_does_not_describe_are_refused(part: dict[str, Any]) -> None:
    with pytest.raises(FileError, match=next(iter(part))):
        ffncalc.load(MISTRAL_7B | part)


def test_a_window_that_is_absent_is_none() -> None:
    whole = {key: value for key, value in MISTRAL_7B.items() if key != "sliding_window"}
    spans = [
        {str(part.span) for b in ffncalc.load(raw).layers for part in b.parts if hasattr(part, "span")}
        for raw in (MISTRAL_7B, whole)
    ]
    assert spans == [{"sliding 4,096"}, {"full"}]


def test_tied_embeddings_are_read() -> None:
    untied, tied = (
        ffncalc.params(ffncalc.load(MISTRAL_7B | {"tied_embeddings": tied})).total for tied in (False, True)
    )
    assert untied - tied == 4096 * 32000


def test_distilbert_has_the_same_keys_and_is_not_taken_for_one() -> None:
    raw = {
        "dim": 768,
        "n_layers": 6,
        "n_heads": 12,
        "hidden_dim": 3072,
        "vocab_size": 30522,
        "model_type": "distilbert",
    }
    assert source.translate(raw) is raw
    assert source.translate(raw | {"model_type": None, "architectures": ["DistilBertModel"]})["dim"] == 768
