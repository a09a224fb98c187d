"""Encoders and encoder–decoders: what a class puts on top, what is shared, and what each token costs.

The FLOPs of whole passes were counted by torch.utils.flop_counter on transformers' own models (eager attention,
96 tokens on each side; Whisper 96 tokens on 1,500 positions).
"""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.flops import flops
from ffncalc.errors import ConfigError
from ffncalc.ir import Model, Span, Stream
from tests.test_tensors import tensors

BERT = {
    "model_type": "bert",
    "vocab_size": 100,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 16,
    "type_vocab_size": 2,
}
T5 = {
    "model_type": "t5",
    "vocab_size": 100,
    "d_model": 8,
    "d_kv": 3,
    "d_ff": 20,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "architectures": ["T5ForConditionalGeneration"],
}
MARIAN = {
    "model_type": "marian",
    "architectures": ["MarianMTModel"],
    "vocab_size": 100,
    "d_model": 8,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 16,
    "decoder_layers": 1,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 16,
    "max_position_embeddings": 10,
}


def total(raw: dict[str, Any], **changes: Any) -> int:
    return int(ffncalc.params(ffncalc.load(raw | changes)).total)


def by_category(model: Model) -> dict[str, int]:
    return {name: int(n) for name, n in ffncalc.params(model).by_category.items()}


def test_a_layer_of_bert_is_one_third_attention_and_two_thirds_ffn() -> None:
    found = by_category(ffncalc.load("google-bert/bert-base-uncased"))
    assert found["attention"] == 12 * 4 * (768 * 768 + 768)
    assert found["ffn"] == 12 * (2 * 768 * 3072 + 3072 + 768)


def test_the_bias_of_the_masked_lm_head_is_stored_twice_and_counts_once() -> None:
    model = ffncalc.load("google-bert/bert-base-uncased")
    found = tensors(model)
    assert found["cls.predictions.decoder.bias"].tied == "cls.predictions.bias"
    assert by_category(model)["head"] == 768 * 768 + 768 + 30522


@pytest.mark.parametrize(
    ("ending", "more"),
    [
        ("Model", 8 * 8 + 8),
        ("ForMaskedLM", 8 * 8 + 8 + 16 + 100),
        ("LMHeadModel", 8 * 8 + 8 + 16 + 100),
        ("ForPreTraining", 8 * 8 + 8 + 16 + 100 + (8 * 8 + 8) + 2 * 8 + 2),
        ("ForNextSentencePrediction", 8 * 8 + 8 + 2 * 8 + 2),
        ("ForSequenceClassification", 8 * 8 + 8 + 3 * 8 + 3),
        ("ForMultipleChoice", 8 * 8 + 8 + 8 + 1),
        ("ForTokenClassification", 3 * 8 + 3),
        ("ForQuestionAnswering", 3 * 8 + 3),
    ],
)
def test_the_class_of_a_bert_decides_on_pooler_and_head(ending: str, more: int) -> None:
    tables = (100 + 16 + 2) * 8 + 16
    layer = 4 * (8 * 8 + 8) + (2 * 8 * 32 + 32 + 8) + 2 * 16
    labels = {"0": "a", "1": "b", "2": "c"}
    assert total(BERT, architectures=[f"Bert{ending}"], id2label=labels) == tables + 2 * layer + more


def test_a_bert_without_a_class_is_its_language_model() -> None:
    assert total(BERT) == total(BERT, architectures=["BertForMaskedLM"])


def test_an_untied_masked_lm_head_has_a_matrix_and_two_biases() -> None:
    assert total(BERT, tie_word_embeddings=False) - total(BERT) == 100 * 8 + 100


def test_cross_attention_without_a_decoder_is_an_error_that_says_so() -> None:
    with pytest.raises(ConfigError, match="add_cross_attention: true, but is_decoder is not"):
        ffncalc.load(BERT | {"add_cross_attention": True})


def test_the_layer_of_albert_counts_once_and_runs_twelve_times() -> None:
    model = ffncalc.load("albert/albert-base-v2")
    assert by_category(model)["ffn"] == 2 * 768 * 3072 + 3072 + 768
    assert int(flops(model, ctx=1).points[0].by_category["ffn"]) == 12 * 2 * 2 * 768 * 3072
    assert model.layer_count == 12


def test_the_ffn_of_albert_is_one_that_runs_twelve_times() -> None:
    (ffn,) = ffncalc.params(ffncalc.load("albert/albert-base-v2")).expansion
    assert (ffn.layers, ffn.runs, ffn.hidden) == (1, 12, 3072)


def test_groups_of_albert_share_the_layers_between_them() -> None:
    albert = BERT | {"model_type": "albert", "embedding_size": 4, "num_hidden_layers": 7, "num_hidden_groups": 3}
    runs = {i: block.calls for block in ffncalc.load(albert).layers for i in block.indexes}
    assert runs == {0: 3, 1: 2, 2: 2}  # layers 0–2, 3–4, 5–6


def test_modernbert_starts_without_a_norm_and_sees_64_keys_on_each_side() -> None:
    model = ffncalc.load("answerdotai/ModernBERT-base")
    assert "model.layers.0.attn_norm.weight" not in tensors(model)
    assert "model.layers.1.attn_norm.weight" in tensors(model)
    spans = {i: part.mixing()[0].span for block in model.layers for i in block.indexes for part in block.parts[-3:-2]}
    assert [spans[i] for i in range(4)] == [Span("full"), *[Span("sliding", 129)] * 2, Span("full")]


def test_heads_of_t5_have_a_width_of_their_own() -> None:
    found = tensors(ffncalc.load(T5))
    assert found["encoder.block.0.layer.0.SelfAttention.q.weight"].shape == (4 * 3, 8)
    assert found["decoder.block.2.layer.1.EncDecAttention.o.weight"].shape == (8, 4 * 3)


@pytest.mark.parametrize(
    ("flag", "own"), [({}, 0), ({"tie_word_embeddings": None}, 0), ({"tie_word_embeddings": True}, 0)]
)
def test_the_head_of_t5_is_the_shared_table(flag: dict[str, Any], own: int) -> None:
    assert by_category(ffncalc.load(T5 | flag))["head"] == own


def test_the_head_of_t5_is_its_own_where_the_file_says_so() -> None:
    untied = ffncalc.load(T5 | {"tie_word_embeddings": False})
    assert by_category(untied)["head"] == 100 * 8
    assert tensors(untied)["decoder.embed_tokens.weight"].tied == "shared.weight"


@pytest.mark.parametrize(("kind", "tables"), [("t5", 2), ("umt5", 2 + 3)])
def test_biases_by_distance_stand_in_the_first_layer_or_in_umt5_in_each(kind: str, tables: int) -> None:
    names = [name for name in tensors(ffncalc.load(T5 | {"model_type": kind})) if "relative_attention_bias" in name]
    assert len(names) == tables


def test_an_ffn_of_t5_is_gated_where_the_file_says_so() -> None:
    gated = total(T5, feed_forward_proj="gated-gelu") - total(T5, feed_forward_proj="relu")
    assert gated == (2 + 3) * 8 * 20
    with pytest.raises(ConfigError, match="feed_forward_proj"):
        ffncalc.load(T5 | {"feed_forward_proj": "grated-gelu"})


def test_keys_and_values_of_cross_attention_are_computed_from_the_source() -> None:
    model = ffncalc.load(T5)
    found = flops(model, ctx=1)
    inner = 4 * 3 * 8
    assert int(found.points[0].by_category["attention_projections"]) == 2 * 3 * (4 + 2) * inner
    assert int(found.source[0].by_category["attention_projections"]) == 2 * (2 * 4 + 3 * 2) * inner
    caches = [(block.count, cache) for block in model.layers for part in block.parts for cache in part.cache()]
    assert sum(count * cache.per_token for count, cache in caches if cache.span.kind == "source") == 3 * 2 * 4 * 3


def test_an_encoder_alone_runs_on_the_tokens() -> None:
    model = ffncalc.load(T5 | {"architectures": ["T5EncoderModel"]})
    assert {block.stream for block in model.blocks} == {Stream.TOKEN}
    assert not any("decoder" in name for name in tensors(model))


def test_marian_may_have_a_vocabulary_for_each_side() -> None:
    apart = {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 70}
    assert total(MARIAN, **apart) - total(MARIAN) == 70 * 8
    assert tensors(ffncalc.load(MARIAN | apart))["lm_head.weight"].tied == "model.decoder.embed_tokens.weight"


def test_a_bart_kin_without_a_class_is_the_decoder_alone() -> None:
    raw = {key: value for key, value in MARIAN.items() if key != "architectures"}
    names = tensors(ffncalc.load(raw))
    assert not any(".encoder." in name for name in names)
    assert "model.decoder.layers.0.encoder_attn.k_proj.weight" in names


@pytest.mark.parametrize(
    ("step", "sparse"), [({}, [False, True, False, False]), ({"encoder_sparse_step": 1}, [True] * 4)]
)
def test_experts_of_switch_stand_where_the_step_puts_them(step: dict[str, int], sparse: list[bool]) -> None:
    switch = T5 | {"model_type": "switch_transformers", "num_layers": 4, "num_experts": 5}
    names = tensors(ffncalc.load(switch | {"num_sparse_encoder_layers": 1} | step))
    found = [f"encoder.block.{i}.layer.1.mlp.router.classifier.weight" in names for i in range(4)]
    assert found == sparse


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("google-bert/bert-base-uncased", 21_261_090_816),
        ("FacebookAI/roberta-base", 24_172_314_624),
        ("distilbert/distilbert-base-uncased", 12_937_494_528),
        ("albert/albert-base-v2", 17_422_221_312),
        ("google/electra-small-discriminator", 1_944_109_056),
        ("microsoft/mpnet-base", 21_261_828_096),
        ("answerdotai/ModernBERT-base", 29_340_205_056),
        ("google-t5/t5-small", 11_953_766_400),
        ("google/flan-t5-base", 43_807_408_128),
        ("google/mt5-small", 33_382_465_536),
        ("EleutherAI/pile-t5-xl", 539_907_588_096),
        ("facebook/bart-base", 19_534_970_880),
        ("Helsinki-NLP/opus-mt-en-de", 14_507_016_192),
        ("facebook/m2m100_418M", 94_192_533_504),
        ("openai/whisper-tiny", 46_827_380_736),
        ("openai/whisper-base", 108_013_977_600),
    ],
)
def test_a_whole_pass_costs_what_a_profiler_counts(name: str, counted: int) -> None:
    source = 1500 if "whisper" in name else 96
    found = flops(ffncalc.load(name), ctx=96, full=True, encoder_ctx=source)
    assert 96 * int(found.points[0].total) + source * sum(int(p.total) for p in found.source) == counted


def test_deberta_costs_what_a_profiler_counts_but_for_the_table_of_positions() -> None:
    """The table's projections, 2 terms × 512 rows in each of 12 layers, run once for a whole text."""
    found = flops(ffncalc.load("microsoft/deberta-v3-base"), ctx=96, full=True)
    assert 96 * int(found.points[0].total) + 12 * 2 * 2 * 512 * 768 * 768 == 51_957_006_336
