"""ffncalc ffn: the card of each kind of layer, and the worked example."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.archs import archs
from ffncalc.analysis.ffn import Kind, Network
from ffncalc.analysis.form import Form
from ffncalc.analysis.worked import other_form, work
from ffncalc.errors import UsageError
from ffncalc.source import bundled
from tests.command import DEEPSEEK, LLAMA, Here


def kinds(ref: str | dict[str, Any]) -> tuple[Kind, ...]:
    return ffncalc.ffn(ffncalc.load(ref)).having


def only(ref: str) -> tuple[Kind, Network]:
    (kind,) = kinds(ref)
    (network,) = kind.networks
    return kind, network


class TestCard:
    """One model for each form, with sizes and names of the published checkpoint."""

    def test_llama(self) -> None:
        kind, network = only(LLAMA)
        assert (kind.indexes, network.name, network.hidden) == (tuple(range(32)), "SwiGLU", 14336)
        assert network.form.formula == "down(silu(gate(x)) ⊙ up(x))"
        assert (network.ratio, network.equivalent) == (3.5, 1.3125)
        assert kind.params == 3 * 4096 * 14336
        assert kind.params.symbols == "3 × hidden_size × intermediate_size"  # type: ignore[attr-defined]
        assert kind.flops == 6 * 4096 * 14336
        assert kind.slots == 32 * 14336
        assert [(m.part, m.name, m.shape) for m in network.matrices] == [
            ("gate", "model.layers.{layer}.mlp.gate_proj.weight", (14336, 4096)),
            ("up", "model.layers.{layer}.mlp.up_proj.weight", (14336, 4096)),
            ("down", "model.layers.{layer}.mlp.down_proj.weight", (4096, 14336)),
        ]
        assert [str(key) for key in network.key] == ["row i of gate_proj.weight", "row i of up_proj.weight"]
        assert str(network.value) == "column i of down_proj.weight"

    def test_gemma_2_is_geglu_in_the_tanh_form(self) -> None:
        _, network = only("google/gemma-2-9b")
        assert (network.name, network.form.activation, network.hidden) == ("GeGLU", "gelu_pytorch_tanh", 14336)

    def test_an_early_gemma_file_that_says_gelu_means_the_tanh_form(self) -> None:
        raw = json.loads(bundled.find("google/gemma-7b").read_bytes())  # type: ignore[union-attr]
        (kind,) = kinds(raw | {"hidden_act": "gelu", "hidden_activation": None})
        assert kind.networks[0].form.activation == "gelu_pytorch_tanh"

    def test_gpt_2_stores_its_matrices_the_other_way_round(self) -> None:
        kind, network = only("openai-community/gpt2")
        assert (network.name, network.form.gated, network.form.bias) == ("GELU", False, True)
        assert [m.shape for m in network.matrices] == [(768, 3072), (3072,), (3072, 768), (768,)]
        assert (str(*network.key), str(network.value)) == ("column i of c_fc.weight", "row i of c_proj.weight")
        assert kind.params == 2 * 768 * 3072 + 3072 + 768

    def test_bert(self) -> None:
        kind, network = only("google-bert/bert-base-uncased")
        assert (network.form.formula, network.hidden) == ("down(gelu(up(x)))", 3072)
        assert [m.name.rpartition("{layer}.")[2] for m in network.matrices] == [
            *("intermediate.dense.weight", "intermediate.dense.bias", "output.dense.weight", "output.dense.bias")
        ]
        assert kind.params == 2 * 768 * 3072 + 3072 + 768

    def test_the_original_transformer(self) -> None:
        found = kinds("paper/transformer-base")
        assert {kind.stack.partition(".")[0] for kind in found} == {"encoder", "decoder"}
        for kind in found:
            (network,) = kind.networks
            assert (network.name, network.width, network.hidden) == ("ReLU", 512, 2048)
            assert kind.params == 2 * 512 * 2048 + 2048 + 512
            assert network.equivalent == 1

    def test_nemotron_squares_its_relu(self) -> None:
        _, network = only("mgoin/Nemotron-4-340B-Base-hf")
        assert (network.name, network.form.formula) == ("ReLU²", "down(relu2(up(x)))")
        assert [m.part for m in network.matrices] == ["up", "down"]

    def test_apertus_learns_its_activation(self) -> None:
        kind, network = only("swiss-ai/Apertus-8B-2509")
        assert (network.name, network.form.gated) == ("xIELU", False)
        assert [m.name.rpartition(".")[2] for m in network.matrices if m.part == "activation"] == ["alpha_p", "alpha_n"]
        assert kind.params == 2 * 4096 * 21504 + 2

    def test_gpt_oss_clamps_and_stacks_its_experts(self) -> None:
        kind, network = only("openai/gpt-oss-20b")
        assert network.name == "clamped SwiGLU"
        assert network.form.formula == "down(swish[1.702](min(gate(x), 7)) ⊙ (min(max(up(x), −7), 7) + 1))"
        assert (network.copies, network.used, network.hidden) == (32, 4, 2880)
        assert network.one == 3 * 2880 * 2880 + 3 * 2880
        assert {m.name.rpartition(".")[2]: m.shape for m in network.matrices} == {
            "gate_up_proj": (32, 2880, 5760),
            "gate_up_proj_bias": (32, 5760),
            "down_proj": (32, 2880, 2880),
            "down_proj_bias": (32, 2880),
        }
        assert [(k.axis, k.index) for k in network.key] == [("column", "2·i"), ("column", "2·i + 1")]
        assert network.value.axis == "row"
        assert kind.router == 32 * 2880 + 32

    def test_deepseek_v3_has_dense_layers_experts_and_a_shared_expert(self) -> None:
        dense, sparse = kinds(DEEPSEEK)
        assert (dense.indexes, dense.networks[0].hidden) == ((0, 1, 2), 18432)
        routed, shared = sparse.networks
        assert (routed.hidden, routed.copies, routed.used, shared.hidden) == (2048, 256, 8, 2048)
        assert sparse.active == 9 * 3 * 7168 * 2048
        assert sparse.params == 257 * 3 * 7168 * 2048
        assert sparse.flops == 2 * sparse.active
        assert str(routed.value) == "column i of experts.{}.down_proj.weight"

    def test_gemma_3n_cuts_gates_off_in_its_first_layers(self) -> None:
        first, rest = kinds("google/gemma-3n-E4B-it")
        assert (first.indexes, rest.indexes) == (tuple(range(10)), tuple(range(10, 35)))
        assert (first.networks[0].form.sparsity, rest.networks[0].form.sparsity) == (0.95, 0.0)

    def test_gemma_3n_may_have_a_width_per_layer(self) -> None:
        raw = json.loads(bundled.find("google/gemma-3n-E4B-it").read_bytes())["text_config"]  # type: ignore[union-attr]
        widths = [8192] * 10 + [16384] * 25
        found = kinds(raw | {"model_type": "gemma3n_text", "intermediate_size": widths})
        assert [(kind.indexes[0], kind.networks[0].hidden) for kind in found] == [(0, 8192), (10, 16384)]

    def test_nemotron_nas_has_layers_without_an_ffn(self) -> None:
        raw = json.loads(bundled.find("nvidia/Llama-3_3-Nemotron-Super-49B-v1").read_bytes())  # type: ignore[union-attr]
        blocks = [dict(block) for block in raw["block_configs"]]
        blocks[5] = blocks[5] | {"ffn": {"no_op": True, "replace_with_linear": False, "ffn_mult": None}}
        card = ffncalc.ffn(ffncalc.load(raw | {"block_configs": blocks}))
        assert [kind.indexes for kind in card.kinds if not kind.networks] == [(5,)]
        assert len(card.having) == 6

    def test_mamba_has_none_and_says_so(self, run: Here) -> None:
        assert kinds("state-spaces/mamba-130m-hf") == ()
        assert "none: no layer of this model has one" in run("ffn", "state-spaces/mamba-130m-hf").out

    def test_albert_is_counted_once_and_run_twelve_times(self, run: Here) -> None:
        kind, _ = only("albert/albert-base-v2")
        card = ffncalc.ffn(ffncalc.load("albert/albert-base-v2"))
        assert (kind.layers, kind.calls) == (1, 12)
        assert card.flops == 12 * kind.flops
        assert "counted once and run 12 times" in run("ffn", "albert/albert-base-v2").out

    def test_rwkv_gates_its_answer_again(self) -> None:
        (kind,) = kinds("RWKV/rwkv-4-169m-pile")
        assert kind.networks[0].form.formula == "σ(receptance(x)) ⊙ down(relu2(up(x)))"
        assert kind.params == 2 * 768 * 3072 + 768 * 768 + 2 * 768

    def test_bitnet_norms_its_hidden_units(self) -> None:
        _, network = only("microsoft/bitnet-b1.58-2B-4T")
        assert network.form.formula == "down(norm(relu2(gate(x)) ⊙ up(x)))"


@pytest.mark.parametrize("name", [arch.configs[0] for arch in archs() if arch.configs])
def test_cards_add_up_to_the_count(name: str) -> None:
    model = ffncalc.load(name)
    card, count = ffncalc.ffn(model), ffncalc.params(model)
    assert (card.params, card.active) == (count.by_category["ffn"], count.active_by_category["ffn"])
    assert card.slots == count.slots
    assert all(form.function is not None for form in card.forms)


# Worked by hand where the numbers are round, else with torch.nn.functional on the same matrices in double precision.
WORKED = {
    ("relu", False): (1, 2),
    ("relu2", False): (1, 4),
    ("gelu", False): (0.68268949, 2.11315499),
    ("gelu_tanh", False): (0.68238398, 2.11340577),
    ("silu", False): (0.46211716, 2.03053558),
    ("glu", None): (3.26894142, -0.63536711),
    ("reglu", None): (3, 1),
    ("geglu", None): (1.88941320, 1.61187085),
    ("swiglu", None): (1.11741008, 1.95656283),
    ("bilinear", None): (-1, 5),
}


class TestWorked:
    @pytest.mark.parametrize(("name", "gated"), WORKED)
    def test_outputs(self, name: str, gated: bool | None) -> None:
        assert work(other_form(None, name, gated)).output == pytest.approx(WORKED[name, gated], abs=1e-6)

    def test_every_step_of_swiglu_is_printed(self, run: Here) -> None:
        code, out, err = run("ffn", LLAMA, "--worked")
        assert (code, err) == (0, "")
        numbers = [line.split("[", 1)[1] for line in out.splitlines() if line.endswith("]") and " = " not in line]
        assert numbers == ["1, 2, −1]", "0.731, 1.762, −0.269]", "3, 0.5, 4]", "2.193, 0.881, −1.076]", "1.117, 1.957]"]

    def test_another_form_is_worked_on_the_same_numbers(self, run: Here) -> None:
        _, out, _ = run("ffn", LLAMA, "--act", "relu", "--ungated", "--format", "json")
        (found,) = json.loads(out)["models"][0]["worked"]
        assert found["form"]["formula"] == "down(relu(up(x)))"
        assert [step["values"] for step in found["steps"]] == [[1, 2, -1], [1, 2, 0], [1, 2]]

    def test_gpt_oss_clamps(self) -> None:
        (found,) = ffncalc.worked(ffncalc.load("openai/gpt-oss-20b"))
        # gate σ(1.702 gate) = 0.845796, 1.935661, −0.154204; up + 1 = 4, 1.5, 5
        assert found.output == pytest.approx((3.383183 - 0.771021, 2.903491 + 0.771021), abs=1e-5)

    def test_a_gated_form_cannot_be_ungated(self) -> None:
        with pytest.raises(UsageError, match="swiglu is a gated form"):
            other_form(None, "swiglu", False)

    def test_an_activation_without_known_values_is_an_error(self) -> None:
        with pytest.raises(UsageError, match="not known"):
            work(Form(activation="snake", gated=False))

    def test_the_hidden_units_of_bitnet_are_normed(self) -> None:
        (found,) = ffncalc.worked(ffncalc.load("microsoft/bitnet-b1.58-2B-4T"))
        # gate² = 1, 4, 0; times up 3, 0.5, 4: 3, 2, 0; root mean square √(13/3)
        root = (13 / 3) ** 0.5
        assert found.output == pytest.approx((3 / root, 2 / root))


def test_changes_are_shown_against_the_unchanged_model(run: Here) -> None:
    out = run("ffn", LLAMA, "--set", "intermediate_size=7168").out
    assert "unchanged 5,637,144,576, so -2,818,572,288" in out


@pytest.mark.parametrize("columns", ["80", "120"])
def test_no_line_is_wider_than_the_terminal(run: Here, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for ref in (LLAMA, DEEPSEEK, "openai/gpt-oss-20b"):
        for flags in ((), ("--worked",), ("--explain",)):
            assert max(map(len, run("ffn", ref, *flags).out.splitlines())) <= int(columns)
