"""The decoder of MusicGen: a token is a frame of sound, of which each codebook has a table and a head.

It has no biases but those of its norms; in the melody variant no cross attention, for the source stands before the
frames. Positions are sines.
Source: arXiv:2306.05284, transformers models/{musicgen,musicgen_melody}.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import BaseConfig, Depth, Few, Size

NAMES = Projections(o="out_proj")


class Config(BaseConfig):
    vocab_size: Size
    hidden_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    ffn_dim: Size
    num_codebooks: Few = 4
    activation_function: str = "gelu"
    max_position_embeddings: Size = 2048


def build(c: Config) -> Model:
    bare = task_of(c.architecture, Task.CAUSAL_LM) is Task.BASE
    root = "decoder" if bare else "model.decoder"
    width, books = c.hidden_size, range(c.num_codebooks)
    parts = layer(c)
    heads = tuple(Linear(f"lm_heads.{i}", width=width, out=c.vocab_size) for i in books)
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block(root, tuple(Embedding(f"embed_tokens.{i}", rows=c.vocab_size + 1, width=width) for i in books)),
            *layers(f"{root}.layers.{{}}", c.num_hidden_layers, lambda i: parts),
            Block(root, (Norm("layer_norm", width=width, bias=True),)),
            *(() if bare else (Block("", heads),)),
        ),
        max_context=c.max_position_embeddings,
    )


def layer(c: Config) -> tuple[Component, ...]:
    width, heads = c.hidden_size, c.num_attention_heads
    head_dim = divided(c, "hidden_size", "num_attention_heads")
    melody = c.model_type == "musicgen_melody_decoder"
    reading = (
        CrossAttention("encoder_attn", width=width, heads=heads, head_dim=head_dim, names=NAMES),
        Norm("encoder_attn_layer_norm", width=width, bias=True),
    )
    return (
        Attention("self_attn", width=width, heads=heads, kv_heads=heads, head_dim=head_dim, names=NAMES),
        Norm("self_attn_layer_norm", width=width, bias=True),
        *(() if melody else reading),
        FFN("", width=width, hidden=c.ffn_dim, activation=c.activation_function, up="fc1", down="fc2"),
        Norm("final_layer_norm", width=width, bias=True),
    )
