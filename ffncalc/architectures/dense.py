"""Dense decoders that differ from Llama by a choice: one row each.

Sources: transformers' models/<type>, and the paper or model card of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ffncalc.architectures._decoder import DecoderConfig, decoder
from ffncalc.architectures._decoder import norms as wide_norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.architectures.patterns import after, every, per_layer, repeated, spans
from ffncalc.components.attention import SEPARATE, Attention, Projections
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.record import record
from ffncalc.schema import Count, Repeats, Size


class Config(DecoderConfig):
    aliases = {"hidden_act": ("hidden_activation",)}
    intermediate_size: Size
    attention_bias: bool = False
    mlp_bias: bool = False
    use_sliding_window: bool = True
    max_window_layers: Count = 0
    sliding_window_pattern: Count | str | None = None
    use_bidirectional_attention: bool | None = None
    num_nextn_predict_layers: Repeats | None = 0  # `layer_types` may have entries for them


Choice = bool | str  # a string names the config field that decides


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs. `norms` name the norms of a layer, without any the final one has no weight either;
    `windows` says which layers have a window where the file has no `layer_types`: with "pattern" all but every
    `pattern`-th, with "leading" all but the first of every `pattern`. `answering` is the base name in the
    question-answering class."""

    qkv_bias: Choice = False
    out_bias: Choice = False
    mlp_bias: Choice = False
    gated: bool = True
    fused_ffn: str = ""
    ungated: tuple[str, str] = ("up_proj", "down_proj")
    qk_norm: Literal["", "head", "all", "each"] = ""
    norms: tuple[str, ...] = ("input_layernorm", "post_attention_layernorm")
    norm_bias: bool = False
    names: Projections = SEPARATE
    windows: Literal["", "all", "late", "even", "pattern", "leading"] = ""
    pattern: int = 0
    answering: str = "transformer"


SANDWICH = (
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)
POST = ("post_attention_layernorm", "post_feedforward_layernorm")

ROWS: dict[str, Row] = {
    "Emu3": Row(),
    "apertus": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        gated=False,
        qk_norm="head",
        norms=("attention_layernorm", "feedforward_layernorm"),
    ),
    "arcee": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", gated=False),
    "cohere2": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=("input_layernorm",),
        windows="pattern",
        pattern=4,
    ),
    "cwm": Row(mlp_bias="mlp_bias", windows="leading", pattern=4),
    "emu3_text_model": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "exaone4": Row(qk_norm="head", norms=POST, windows="pattern", pattern=4),
    "gemma": Row(qkv_bias="attention_bias", out_bias="attention_bias"),
    "gemma2": Row(qkv_bias="attention_bias", out_bias="attention_bias", norms=SANDWICH, windows="even"),
    "gemma3_text": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        norms=SANDWICH,
        windows="pattern",
        pattern=6,
    ),
    "glm": Row(qkv_bias="attention_bias", fused_ffn="gate_up_proj"),
    "glm4": Row(
        qkv_bias="attention_bias",
        fused_ffn="gate_up_proj",
        norms=("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"),
    ),
    "glm4v_text": Row(
        qkv_bias=True,
        fused_ffn="gate_up_proj",
        norms=("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"),
    ),
    "glm_ocr_text": Row(
        fused_ffn="gate_up_proj",
        norms=("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"),
    ),
    "granite": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "granite4_vision_text": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "helium": Row(qkv_bias="attention_bias", mlp_bias="mlp_bias"),
    "hunyuan_v1_dense": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        names=Projections(q_norm="query_layernorm", k_norm="key_layernorm"),
    ),
    "iquestcoder": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "jais2": Row(
        qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", gated=False, norm_bias=True
    ),
    "llama": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "ministral": Row(windows="all", answering="model"),
    "ministral3": Row(windows="all", answering="model"),
    "mistral": Row(windows="all", answering="model"),
    "nanochat": Row(
        qkv_bias="attention_bias", out_bias="attention_bias", gated=False, ungated=("fc1", "fc2"), norms=()
    ),
    "nemotron": Row(
        qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", gated=False, norm_bias=True
    ),
    "olmo": Row(qkv_bias="attention_bias", out_bias="attention_bias", norms=()),
    "olmo2": Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="all", norms=POST),
    "olmo3": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="all",
        norms=POST,
        windows="pattern",
        pattern=4,
    ),
    "orion": Row(norm_bias=True),
    "phi3": Row(names=Projections(fused="qkv_proj"), fused_ffn="gate_up_proj", windows="all"),
    "qwen2": Row(qkv_bias=True, windows="late"),
    "qwen2_5_omni_text": Row(qkv_bias=True, windows="late"),
    "qwen2_5_vl_text": Row(qkv_bias=True, windows="late"),
    "qwen2_vl_text": Row(qkv_bias=True, windows="late"),
    "qwen3": Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", windows="late"),
    "qwen3_vl_text": Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head"),
    "vaultgemma": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=("input_layernorm", "pre_feedforward_layernorm"),
        windows="even",
    ),
}

# Activations that have weights of their own: xIELU (arXiv:2411.13010), PReLU (arXiv:1502.01852).
LEARNED = {"xielu": ("act_fn.alpha_p", "act_fn.alpha_n"), "prelu": ("act_fn.weight",)}
# Early Gemma files say `gelu`, and the class computes the tanh form.
COMPUTED = {("gemma", "gelu"): "gelu_pytorch_tanh"}


def build(c: Config) -> Model:
    return model(c, ROWS[c.model_type])


def model(
    c: Config,
    row: Row,
    *,
    extra: Sequence[Component] = (),
    found: Sequence[Span] | None = None,
    final: str = "norm",
    head_bias: bool = False,
) -> Model:
    """The decoder of a row: `extra` parts in every layer, `found` the spans where the row's rule does not give them."""
    found = layer_spans(c, row.windows, row.pattern) if found is None else found
    rest = (feed_forward(c, row), *wide_norms(c, *row.norms, bias=row.norm_bias), *extra)
    parts: dict[Span, tuple[Component, ...]] = {span: (attention(c, row, span), *rest) for span in dict.fromkeys(found)}
    answers = task_of(c.architecture, Task.CAUSAL_LM) is Task.QUESTION_ANSWERING
    return decoder(
        c,
        lambda i: parts[found[i]],
        base=row.answering if answers else "model",
        after=(Norm(final, width=c.hidden_size, bias=row.norm_bias),) if row.norms else (),
        head_bias=head_bias,
        causal=not c.use_bidirectional_attention,
    )


def attention(c: Config, row: Row, span: Span) -> Attention:
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=chosen(c, row.qkv_bias),
        out_bias=chosen(c, row.out_bias),
        qk_norm=row.qk_norm,
        norm_bias=row.norm_bias,
        names=row.names,
    )


def feed_forward(c: Config, row: Row) -> GatedFFN | FFN:
    bias, learned = chosen(c, row.mlp_bias), LEARNED.get(c.hidden_act, ())
    activation = COMPUTED.get((c.model_type, c.hidden_act), c.hidden_act)
    if row.gated:
        return GatedFFN(
            "mlp",
            width=c.hidden_size,
            hidden=c.intermediate_size,
            activation=activation,
            bias=bias,
            fused=row.fused_ffn,
            learned=learned,
        )
    up, down = row.ungated
    return FFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=activation,
        bias=bias,
        up=up,
        down=down,
        learned=learned,
    )


def chosen(c: Config, choice: Choice) -> bool:
    return bool(getattr(c, choice)) if isinstance(choice, str) else choice


def layer_spans(c: Config, windows: str, pattern: int = 0) -> list[Span]:
    """One span per layer, from `layer_types` or the family's rule; a window that is switched off is none.

    `sliding_window_pattern` may give the period of the full layers, or letters for them: "LLLG", local and global.
    """
    count = c.num_hidden_layers
    window = c.window if c.use_sliding_window else None
    if window and c.use_bidirectional_attention:
        window = 2 * (window // 2) + 1  # half of it on each side
    if c.layer_types is not None:
        extra = c.num_nextn_predict_layers or 0
        return spans(per_layer(c.key("layer_types"), c.layer_types, count, extra=extra), window=window)
    sliding = Span("sliding", window) if window else FULL
    if windows == "all":
        return [sliding] * count
    if windows == "late":
        return after(count, c.max_window_layers, sliding, FULL)
    if windows == "even":
        return every(count, 2, sliding, FULL)
    if windows == "leading":
        return every(count, pattern, FULL, sliding)
    if windows == "pattern":
        found = c.sliding_window_pattern
        if isinstance(found, str):
            return repeated(c.key("sliding_window_pattern"), found, count, {"L": sliding, "G": FULL})
        return every(count, found or pattern, FULL, sliding, offset=1)
    return [FULL] * count
