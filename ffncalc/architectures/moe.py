"""Decoders whose FFN is a mixture of experts and that differ from Mixtral by a choice: one row each.

Sources: transformers' models/<type>, and the paper or model card of each.
"""

from __future__ import annotations

from collections.abc import Callable

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.errors import ConfigError
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.record import record
from ffncalc.schema import Count, Size


class Config(dense.Config):
    aliases = {"num_experts": ("num_local_experts",)}
    num_experts: Count = 8
    num_experts_per_tok: Size = 2
    moe_intermediate_size: Size | None = None
    shared_expert_intermediate_size: Count = 0
    decoder_sparse_step: Size = 1
    mlp_only_layers: list[int] | None = None
    qkv_bias: bool = True
    lm_head_bias: bool = False


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs: its attention as in dense.py, and the names and fields of its experts.

    `width` and `shared` name the fields with the width of one expert, and of the FFN that every token uses besides.
    `correction` names the balance bias of the router; `spans` replaces the rule of dense.py for windows; `stacked`
    experts lie in two tensors.
    """

    dense: dense.Row
    width: str = "moe_intermediate_size"
    module: str = "mlp"
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
    shared: str = ""
    correction: str = ""
    spans: Callable[[Config], list[Span]] | None = None
    stacked: bool = False


def early_even(c: Config) -> list[Span]:
    """A window in the even ones of the first `max_window_layers` layers (Qwen2-MoE)."""
    if c.layer_types is not None or not (c.window and c.use_sliding_window):
        return dense.layer_spans(c, "")
    sliding = Span("sliding", c.window)
    return [sliding if i % 2 == 0 and i < c.max_window_layers else FULL for i in range(c.num_hidden_layers)]


MIXTRAL = ("w1", "w3", "w2")

ROWS: dict[str, Row] = {
    "flex_olmo": Row(
        dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="all", norms=dense.POST),
        width="intermediate_size",
    ),
    "minimax_m2": Row(
        dense=dense.Row(qk_norm="all"),
        width="intermediate_size",
        module="block_sparse_moe",
        names=MIXTRAL,
        correction="e_score_correction_bias",
    ),
    "mixtral": Row(
        dense=dense.Row(windows="all", answering="model"),
        width="intermediate_size",
        module="block_sparse_moe",
        names=MIXTRAL,
    ),
    "olmoe": Row(
        dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="all"),
        width="intermediate_size",
    ),
    "phimoe": Row(
        dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", norm_bias=True, windows="all"),
        width="intermediate_size",
        module="block_sparse_moe",
        names=MIXTRAL,
    ),
    "qwen2_moe": Row(
        dense=dense.Row(qkv_bias="qkv_bias", answering="model"),
        shared="shared_expert_intermediate_size",
        spans=early_even,
    ),
    "qwen3_moe": Row(
        dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", windows="all")
    ),
    "qwen3_omni_moe_text": Row(dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head")),
    "qwen3_vl_moe_text": Row(
        dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head"), stacked=True
    ),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    spans = row.spans(c) if row.spans else dense.layer_spans(c, row.dense.windows)
    around = norms(c, *row.dense.norms, bias=row.dense.norm_bias)
    sparse = moe_layers(c)
    ffns: dict[bool, Component] = {}
    if not all(sparse):
        ffns[False] = dense.feed_forward(c, row.dense)
    if any(sparse):
        ffns[True] = experts(c, row)
    parts = {
        (span, moe): (dense.attention(c, row.dense, span), ffns[moe], *around)
        for span, moe in dict.fromkeys(zip(spans, sparse, strict=True))
    }
    answers = task_of(c.architecture, Task.CAUSAL_LM) is Task.QUESTION_ANSWERING
    return decoder(
        c,
        lambda i: parts[spans[i], sparse[i]],
        base=row.dense.answering if answers else "model",
        after=norms(c, "norm", bias=row.dense.norm_bias),
        head_bias=c.lm_head_bias,
    )


def moe_layers(c: Config) -> list[bool]:
    """Whether each layer is a mixture of experts: every `decoder_sparse_step`-th, but for `mlp_only_layers`."""
    only = set(c.mlp_only_layers or ())
    return [
        c.num_experts > 0 and i not in only and (i + 1) % c.decoder_sparse_step == 0 for i in range(c.num_hidden_layers)
    ]


def experts(c: Config, row: Row) -> MoE:
    gate, up, down = row.names
    width = expert_width(c, row)
    shared = getattr(c, row.shared) if row.shared else 0
    return MoE(
        row.module,
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=StackedExperts("experts", width=c.hidden_size, hidden=width, activation=c.hidden_act)
        if row.stacked
        else GatedFFN(
            "experts.{}",
            width=c.hidden_size,
            hidden=width,
            activation=c.hidden_act,
            gate=gate,
            up=up,
            down=down,
        ),
        shared=GatedFFN("shared_expert", width=c.hidden_size, hidden=shared, activation=c.hidden_act)
        if shared
        else None,
        shared_gate="shared_expert_gate" if shared else "",
        correction=row.correction,
    )


def expert_width(c: Config, row: Row) -> int:
    """The width of one expert.

    Raises:
        ConfigError: its field is null.
    """
    width: int | None = getattr(c, row.width)
    if width is None:
        raise ConfigError(f"{c.key(row.width)}: missing, and required where a layer has experts")
    return width
