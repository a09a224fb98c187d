"""TeleChat and TeleChat2: Llama's parts under BLOOM's names, biases on the two output maps, keys and values fused.

Source: https://arxiv.org/abs/2401.03804, modeling_telechat.py of https://huggingface.co/Tele-AI/TeleChat2-115B.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.paired_attention import PairedAttention
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("seq_length", "max_position_embeddings"),
    }
    ffn_hidden_size: Size
    embed_layernorm: bool = False
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    if c.embed_layernorm:
        raise ConfigError("embed_layernorm: true, which no published model has, is not described")
    parts = (
        PairedAttention(
            "self_attention",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_size,
        ),
        GatedFFN("mlp", width=c.hidden_size, hidden=c.ffn_hidden_size, activation=c.hidden_act, down_bias=True),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    return decoder(c, lambda i: parts, base="transformer", embed="word_embeddings", stack="h", after=norms(c, "ln_f"))
