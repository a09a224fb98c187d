"""ffncalc lora: counts as PEFT's get_nb_trainable_parameters gives them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.lora import Lora
from ffncalc.errors import UsageError
from tests.command import DEEPSEEK, LLAMA, Here

SMALL = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
}
GPT2 = {"model_type": "gpt2", "vocab_size": 256, "n_embd": 64, "n_layer": 3, "n_head": 4, "n_positions": 128}
T5 = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    "vocab_size": 256,
    "d_model": 64,
    "d_kv": 16,
    "d_ff": 160,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
}
MAMBA = {"model_type": "mamba", "vocab_size": 256, "hidden_size": 64, "num_hidden_layers": 3, "state_size": 8}
BERT = {"model_type": "bert", "architectures": ["BertForMaskedLM"], **SMALL}
ALBERT = {"model_type": "albert", "architectures": ["AlbertForMaskedLM"], **SMALL, "embedding_size": 32}
FALCON = {
    "model_type": "falcon",
    **SMALL,
    "new_decoder_architecture": False,
    "multi_query": True,
    "ffn_hidden_size": 256,
}
DEEPSEEK_SMALL = {
    "model_type": "deepseek_v3",
    **SMALL,
    "num_key_value_heads": 4,
    "moe_intermediate_size": 32,
    "n_routed_experts": 8,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
}
GPT_OSS = {
    "model_type": "gpt_oss",
    **SMALL,
    "head_dim": 16,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
}
PHI3 = {"model_type": "phi3", **SMALL, "pad_token_id": 0}

Case = tuple[str, dict[str, Any], int, str, bool, int]

# (name, config, rank, target, experts, get_nb_trainable_parameters()[0] of PEFT 0.21 on transformers 5.24)
CASES: list[Case] = [
    ("llama", {"model_type": "llama", **SMALL}, 8, "all", False, 26_880),
    ("llama names", {"model_type": "llama", **SMALL}, 4, "q_proj,v_proj", False, 2_688),
    ("llama head", {"model_type": "llama", **SMALL}, 4, "ffn,lm_head,embed_tokens", False, 10_624),
    ("gemma2", {"model_type": "gemma2", **SMALL, "head_dim": 16}, 8, "ffn", False, 16_128),
    ("qwen2", {"model_type": "qwen2", **SMALL}, 8, "attention", False, 10_752),
    ("phi3", PHI3, 16, "all", False, 44_544),
    ("gpt2", GPT2, 8, "all", False, 24_576),
    ("bert ffn", BERT, 8, "ffn", False, 10_752),
    ("bert attention", BERT, 8, "attention", False, 12_288),
    ("albert", ALBERT, 8, "all", False, 7_680),
    ("t5", T5, 8, "all", False, 50_688),
    ("mamba", MAMBA, 8, "all", False, 14_400),
    ("falcon", FALCON, 8, "all", False, 22_272),
    ("deepseek_v3", DEEPSEEK_SMALL, 8, "attention", False, 13_632),
    ("gpt_oss experts", GPT_OSS, 4, "ffn", True, 29_184),
    ("gpt_oss", GPT_OSS, 4, "all", True, 34_560),
]


def adapters(case: Case) -> Lora:
    _, config, rank, target, experts, _ = case
    return ffncalc.lora(ffncalc.load(config), rank=rank, target=target, experts=experts)


def peft_count(case: Case) -> int:
    """What PEFT counts for the names that ffncalc gives, on a model without storage."""
    import torch
    import transformers
    from peft import LoraConfig, get_peft_model

    own = adapters(case)
    config = transformers.AutoConfig.for_model(**case[1])
    classes = case[1].get("architectures") or []
    with torch.device("meta"):
        model = (
            getattr(transformers, classes[0])(config)
            if classes
            else transformers.AutoModelForCausalLM.from_config(config)
        )
    modules = own.target_modules if isinstance(own.target_modules, str) else list(own.target_modules)
    options = {"target_parameters": list(own.target_parameters)} if own.target_parameters else {}
    wrapped = get_peft_model(
        model,
        LoraConfig(r=own.rank, target_modules=modules or None, **options),
        low_cpu_mem_usage=True,
    )
    return int(wrapped.get_nb_trainable_parameters()[0])


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_counts_are_those_of_peft(case: Case) -> None:
    own = adapters(case)
    assert own.trainable == case[-1]
    assert sum(own.by_category.values()) == own.trainable


@pytest.mark.oracle
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
@pytest.mark.filterwarnings("ignore")
def test_peft_still_counts_so_with_the_names_given(case: Case) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("peft")
    assert peft_count(case) == case[-1]


def test_llama_by_hand() -> None:
    own = ffncalc.lora(ffncalc.load(LLAMA), rank=16, target="all")
    attention = 16 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    ffn = 16 * 3 * (4096 + 14336)
    assert own.trainable == 32 * (attention + ffn) == 41_943_040
    assert own.by_category["ffn"] == 32 * ffn
    assert [(each.indexes, each.params) for each in own.layers] == [(tuple(range(32)), attention + ffn)]
    assert own.target_modules == ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    assert own.to_dict()["bytes"] == {"bf16": 2 * 41_943_040, "fp32": 4 * 41_943_040}


class TestExperts:
    def test_they_are_left_out_unless_asked_for(self, run: Here) -> None:
        own = ffncalc.lora(ffncalc.load("mistralai/Mixtral-8x7B-v0.1"), rank=16, target="ffn")
        assert (own.trainable, own.left_out) == (0, 32 * 8)
        out = run("lora", "mistralai/Mixtral-8x7B-v0.1", "--target", "ffn").out
        assert "256 routed experts; --experts adapts them too" in out

    @pytest.mark.parametrize(
        ("ref", "target", "noted"),
        [
            (LLAMA, "all", True),
            ("mistralai/Mixtral-8x7B-v0.1", "attention", True),
            ("mistralai/Mixtral-8x7B-v0.1", "ffn", False),
        ],
    )
    def test_asking_for_them_in_vain_is_noted(self, run: Here, ref: str, target: str, noted: bool) -> None:
        out = run("lora", ref, "--target", target, "--experts").out
        assert ("experts change no number: no routed expert is among the targets" in out) == noted

    def test_each_has_its_own_adapters(self) -> None:
        own = ffncalc.lora(ffncalc.load("mistralai/Mixtral-8x7B-v0.1"), rank=16, target="ffn", experts=True)
        assert own.trainable == 32 * 8 * 16 * 3 * (4096 + 14336)
        assert own.target_modules == ("w1", "w3", "w2")

    def test_stacked_ones_are_named_as_parameters(self) -> None:
        own = ffncalc.lora(ffncalc.load("openai/gpt-oss-20b"), rank=8, target="ffn", experts=True)
        assert own.target_modules == ()
        assert own.target_parameters == ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")
        assert own.trainable == 24 * 32 * 8 * ((2880 + 5760) + (2880 + 2880))

    def test_shared_experts_are_no_routed_ones(self) -> None:
        own = ffncalc.lora(ffncalc.load(DEEPSEEK), rank=16, target="ffn")
        assert own.trainable == 16 * 3 * (3 * (7168 + 18432) + 58 * (7168 + 2048))


class TestNames:
    def test_a_regular_expression_stands_where_endings_are_ambiguous(self) -> None:
        own = ffncalc.lora(ffncalc.load("google-bert/bert-base-uncased"), target="ffn")
        assert isinstance(own.target_modules, str)
        pattern = re.compile(own.target_modules)
        assert pattern.fullmatch("bert.encoder.layer.11.output.dense")
        assert pattern.fullmatch("bert.encoder.layer.0.intermediate.dense")
        assert not pattern.fullmatch("bert.encoder.layer.0.attention.output.dense")
        assert not pattern.fullmatch("cls.predictions.transform.dense")

    def test_shared_layers_are_adapted_once(self) -> None:
        own = ffncalc.lora(ffncalc.load("albert/albert-base-v2"), rank=8, target="ffn")
        assert own.trainable == 8 * 2 * (768 + 3072)

    def test_an_unknown_name_is_an_error_with_the_nearest(self, run: Here) -> None:
        code, out, err = run("lora", LLAMA, "--target", "q_prj")
        assert (code, out) == (2, "")
        assert "no matrix of this model is called 'q_prj'" in err
        assert "q_proj" in err

    @pytest.mark.parametrize("options", [{"rank": 0}, {"rank": 10**12}, {"target": " , "}])
    def test_what_makes_no_sense_is_an_error(self, options: dict[str, Any]) -> None:
        with pytest.raises(UsageError):
            ffncalc.lora(ffncalc.load(LLAMA), **options)


class TestRank:
    def test_one_above_the_smaller_side_is_noted(self, run: Here) -> None:
        # k and v are 1,024 × 4,096; at 1,024 nothing is above
        assert ffncalc.lora(ffncalc.load(LLAMA), rank=1024).notes == ()
        code, out, err = run("lora", LLAMA, "--rank", "2Ki")
        note = "rank 2,048 is above the smaller side of 2 of 7 kinds of matrices, the smallest 1,024"
        assert (code, err) == (0, "")
        assert note in out
        assert note in run("lora", LLAMA, "--rank", "2048", "-f", "csv").out
        assert note in json.loads(run("lora", LLAMA, "--rank", "2048", "-f", "json").out)["models"][0]["notes"][0]

    @pytest.mark.parametrize(
        ("rank", "message"),
        [
            ("0", "--rank must be at least 1, got 0"),
            ("1T", "--rank must be at most 1,000,000,000, got 1T"),
            ("x", "--rank: 'x' is not a whole number"),
            ("1.5", "--rank: '1.5' is not a whole number"),
        ],
    )
    def test_what_is_no_rank_is_one_error_that_names_the_option(self, run: Here, rank: str, message: str) -> None:
        code, out, err = run("lora", LLAMA, LLAMA, "--rank", rank)
        assert (code, out) == (2, "")
        assert err.splitlines()[0] == f"error: {message}"
        assert err.count("error:") == 1


def test_a_target_that_a_model_has_not_is_an_error_that_names_those_it_has(run: Here) -> None:
    code, out, err = run("lora", "state-spaces/mamba-130m-hf", "--target", "ffn")
    assert (code, out) == (2, "")
    assert err == (
        "error: state-spaces/mamba-130m-hf: no matrix of this model belongs to ffn\n"
        "hint: There are all, embeddings, in_proj, x_proj, dt_proj, out_proj, lm_head.\n"
    )


def test_changes_are_shown_against_the_unchanged_model(run: Here) -> None:
    args = ("lora", LLAMA, "--target", "ffn", "--set", "intermediate_size=7168", "--format", "json")
    entry = json.loads(run(*args).out)["models"][0]
    assert entry["base"]["lora"]["trainable"] == 32 * 16 * 3 * (4096 + 14336)
    assert entry["changes"]["trainable"] == -32 * 16 * 3 * 7168


@pytest.mark.parametrize("columns", ["80", "120"])
def test_no_line_is_wider_than_the_terminal(run: Here, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for ref in (LLAMA, DEEPSEEK, "google-bert/bert-base-uncased"):
        for flags in ((), ("--explain",), ("--experts",)):
            assert max(map(len, run("lora", ref, *flags).out.splitlines())) <= int(columns)


def test_in_and_out_are_those_of_the_layer_however_it_is_stored() -> None:
    found = ffncalc.lora(ffncalc.load("openai-community/gpt2"), rank=1, target="attention")
    assert {(m.name, int(m.width), int(m.out)) for m in found.modules} == {
        ("transformer.h.{layer}.attn.c_attn", 768, 3 * 768),
        ("transformer.h.{layer}.attn.c_proj", 768, 768),
    }
