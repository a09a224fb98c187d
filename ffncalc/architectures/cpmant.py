"""CPM-Ant: a decoder with one table of position buckets for all layers, and prompts in the rows after the vocabulary.

Source: https://huggingface.co/openbmb/cpm-ant-10b, transformers models/cpmant.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role
from ffncalc.schema import Count, Size

NAMES = Projections(q="project_q", k="project_k", v="project_v", o="attention_out")


class Config(StackConfig):
    num_attention_heads: Size
    dim_head: Size = 128
    dim_ff: Size = 10240
    position_bias_num_buckets: Size = 512
    prompt_types: Count = 32
    prompt_length: Count = 32
    segment_types: Size = 32


def build(c: Config) -> Model:
    buckets = c.segment_types * c.segment_types + c.position_bias_num_buckets
    parts = (
        Attention(
            "self_att.self_attention",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.dim_head,
            names=NAMES,
        ),
        GatedFFN(
            "ffn.ffn",
            width=c.hidden_size,
            hidden=c.dim_ff,
            activation="gelu",
            gate="w_in.w_0",
            up="w_in.w_1",
            down="w_out",
        ),
        *norms(c, "self_att.layernorm_before_attention", "ffn.layernorm_before_ffn"),
    )
    return decoder(
        c.replace(tie_word_embeddings=False),  # the head is stored, whatever the flag says
        lambda i: parts,
        base="cpmant",
        embed="input_embedding",
        embed_rows=c.vocab_size + c.prompt_types * c.prompt_length,
        before=(
            Embedding("segment_embedding", rows=c.segment_types, width=c.hidden_size, role=Role.TYPE),
            Array(
                "position_bias.relative_attention_bias",
                shape=(buckets, c.num_attention_heads),
                role=Role.ATTENTION,
            ),
        ),
        stack="encoder.layers",
        after=norms(c, "encoder.output_layernorm"),
    )
