"""MiMo-7B: Qwen2, and layers that predict further tokens.

Source: https://arxiv.org/abs/2505.07608, modeling_mimo.py of https://huggingface.co/XiaomiMiMo/MiMo-7B-Base.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import norms
from ffncalc.components.embedding import Linear
from ffncalc.ir import FULL, Block, Model, Role
from ffncalc.schema import Repeats


class Config(dense.Config):
    num_nextn_predict_layers: Repeats | None = 0
    use_sliding_window: bool = False


ROW = dense.ROWS["qwen2"]


def build(c: Config) -> Model:
    model = dense.model(c, ROW)
    if not c.num_nextn_predict_layers:
        return model
    layer = (
        dense.attention(c, ROW, FULL),
        dense.feed_forward(c, ROW),
        *norms(
            c, "input_layernorm", "post_attention_layernorm", "token_layernorm", "hidden_layernorm", "final_layernorm"
        ),
        Linear("input_proj", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER),
    )
    indexes = tuple(range(c.num_nextn_predict_layers))
    return replace(model, mtp=(Block("model.mtp_layers.{}", layer, indexes=indexes),))
