"""ChatGLM: the remote-code models ChatGLM2-6B, ChatGLM3-6B, GLM-4-9B and GLM-4V-9B, and the first ChatGLM-6B.

The later ones share a few key/value heads, use RMSNorm and a gated FFN; the first one is a GLM with biases
everywhere, LayerNorm, a plain FFN and a tied head. Which one it is shows in `ffn_hidden_size` or `inner_hidden_size`.
Their configs name the inner class ChatGLMModel, while the checkpoint is that of ChatGLMForConditionalGeneration.
Source: arXiv:2210.02414, arXiv:2406.12793; modeling_chatglm.py of THUDM/chatglm-6b, THUDM/chatglm2-6b, THUDM/glm-4-9b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from ffncalc.architectures import chatglm_vision
from ffncalc.architectures._decoder import DecoderConfig, decoder, divided
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Model
from ffncalc.schema import Count, Size

NAMES = Projections(fused="query_key_value", o="dense")


class Config(DecoderConfig):
    aliases = {
        "vocab_size": ("padded_vocab_size",),
        "num_hidden_layers": ("num_layers",),
        "max_position_embeddings": ("seq_length", "max_sequence_length"),
    }
    ffn_hidden_size: Size | None = None
    inner_hidden_size: Size | None = None
    kv_channels: Size = 128
    multi_query_attention: bool = False
    multi_query_group_num: Size = 1
    add_bias_linear: bool = False
    add_qkv_bias: bool = False
    rmsnorm: bool = True
    post_layer_norm: bool = True
    pre_seq_len: Count | None = None
    vision_config: chatglm_vision.VisionConfig | None = None

    @classmethod
    def parse(
        cls, raw: Mapping[str, Any], defaults: Mapping[str, Any], *, prefix: str = "", nested: bool = False
    ) -> Self:
        """As for every family; the head of the first generation is tied unless the file says otherwise."""
        if "ffn_hidden_size" not in raw:
            defaults = {"tie_word_embeddings": True, **defaults}
        return super().parse(raw, defaults, prefix=prefix, nested=nested)


def build(c: Config) -> Model:
    if c.pre_seq_len:
        raise ConfigError("pre_seq_len: prefix tuning is not described", "Set it to null for the model underneath.")
    if c.ffn_hidden_size is not None:
        model = later(c, c.ffn_hidden_size)
    elif c.inner_hidden_size is not None:
        model = first(c, c.inner_hidden_size)
    else:
        raise ConfigError("ffn_hidden_size: missing, and required (inner_hidden_size in the first generation)")
    return replace(model, architecture=c.architecture)


def later(c: Config, hidden: int) -> Model:
    kv_heads = c.multi_query_group_num if c.multi_query_attention else c.num_attention_heads
    attention = Attention(
        "self_attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=kv_heads,
        head_dim=c.kv_channels,
        qkv_bias=c.add_bias_linear or c.add_qkv_bias,
        out_bias=c.add_bias_linear,
        names=NAMES,
    )
    ffn = GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=hidden,
        activation="silu",
        bias=c.add_bias_linear,
        fused="dense_h_to_4h",
        down="dense_4h_to_h",
    )
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm"))
    model = decoder(
        c.replace(architectures=None, tie_word_embeddings=False),
        lambda i: parts,
        base="transformer",
        embed="embedding.word_embeddings",
        stack="encoder.layers",
        after=norms(c, "encoder.final_layernorm") if c.post_layer_norm else (),
        head="transformer.output_layer",
    )
    if c.vision_config is not None:
        tower = chatglm_vision.blocks(c.vision_config, "transformer.vision", width=c.hidden_size, hidden=hidden)
        model = replace(model, blocks=(*model.blocks, *tower))
    if task_of(c.architecture, Task.CAUSAL_LM) is not Task.SEQUENCE_CLASSIFICATION:
        return model
    classifier = Linear("classifier_head", width=c.hidden_size, out=c.labels, bias=True)
    return replace(model, blocks=(*model.blocks, Block("", (classifier,))))


def norms(c: Config, *names: str) -> tuple[Norm, ...]:
    return tuple(Norm(name, width=c.hidden_size, bias=not c.rmsnorm) for name in names)


def first(c: Config, hidden: int) -> Model:
    attention = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=True,
        out_bias=True,
        names=NAMES,
    )
    ffn = FFN("mlp", width=c.hidden_size, hidden=hidden, bias=True, up="dense_h_to_4h", down="dense_4h_to_h")
    layernorms = ("input_layernorm", "post_attention_layernorm", "final_layernorm")
    around = tuple(Norm(name, width=c.hidden_size, bias=True) for name in layernorms)
    parts = (attention, ffn, *around[:2])
    return decoder(
        c.replace(architectures=None),
        lambda i: parts,
        base="transformer",
        embed="word_embeddings",
        after=around[2:],
    )
