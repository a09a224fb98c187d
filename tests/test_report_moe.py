"""`ffncalc moe`: the page, its JSON, and models without experts."""

from __future__ import annotations

import json

from tests.command import DEEPSEEK, LLAMA, Here
from tests.test_json_contract import check

DEEPSEEK_PAGE = """\
deepseek-ai/DeepSeek-V3
DeepseekV3ForCausalLM · config: bundled

one MoE layer of 58                      width      parameters
──────────────────────────────────────────────────────────────
one expert                               2,048      44,040,192
all 256 routed experts                          11,274,289,152
shared, used by every token              2,048      44,040,192
pool: routed and shared                         11,318,329,344
used by one token: 8 of 256 and shared  18,432     396,361,728
router                                               1,835,008

MoE layers        58 of 61, 3 with a dense FFN
expert            SwiGLU, 2,048 wide = 0.28571 × 7,168
dense layer       18,432 wide = 2.5714 × 7,168, 396,361,728 parameters
pool ratio        28.6 × a dense layer: all experts of a layer against it
sparsity          32 routed experts for each one chosen
total             671,026,404,352 (671 B)
active per token  37,552,282,624 (37.6 B), 5.6 % of all
"""


def test_page_of_deepseek(run: Here) -> None:
    assert run("moe", DEEPSEEK) == (0, DEEPSEEK_PAGE, "")


def test_json_of_deepseek(run: Here) -> None:
    (entry,) = json.loads(run("moe", DEEPSEEK, "--format", "json").out)["models"]
    moe = entry["moe"]
    check(moe, {"layers": int, "experts": int, "top_k": int, "expert_width": int, "shared_width": int, "active": int})
    assert (moe["layers"], moe["experts"], moe["top_k"], moe["expert_width"]) == (58, 256, 8, 2048)
    assert moe["params_per_expert"] == 3 * 7168 * 2048
    assert (moe["total"], moe["active"]) == (671_026_404_352, 37_552_282_624)
    assert round(moe["pool_ratio"], 1) == 28.6


def test_a_dense_model_has_none(run: Here) -> None:
    assert "none: the model is no mixture of experts" in run("moe", LLAMA).out
    (entry,) = json.loads(run("moe", LLAMA, "--format", "json").out)["models"]
    assert entry["moe"] is None


def test_a_change_is_shown_beside_what_it_was(run: Here) -> None:
    code, out, err = run("moe", DEEPSEEK, "--set", "num_experts_per_tok=16")
    assert (code, err) == (0, "")
    used = next(line.split() for line in out.splitlines() if line.startswith("used by one token: 16 of 256"))
    assert used[-2:] == [f"{17 * 44_040_192:,}", "396,361,728"]
    assert "37,552,282,624 of 671,026,404,352 active per token" in out


def test_derivations(run: Here) -> None:
    out = run("moe", DEEPSEEK, "--explain").out
    assert "one expert = 3 × hidden_size × moe_intermediate_size = 3 × 7168 × 2048 = 44,040,192" in out
