"""Kosmos-2 and 2.5: a tower, learned queries that attend it, a decoder, whose own tie flag decides.

Source: arXiv:2306.14824, arXiv:2309.11419; transformers models/{kosmos2,kosmos2_5}.
"""

from __future__ import annotations

from ffncalc.architectures import kosmos_2_5_text
from ffncalc.architectures._composite import CompositeConfig, Names, composite, part, projector, text_model, tower
from ffncalc.architectures._tower import attention
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role
from ffncalc.schema import Size

PARTS = {  # the types of text model and tower
    "kosmos-2": ("kosmos_2_text_model", "kosmos_2_vision_model"),
    "kosmos-2.5": ("kosmos_2_5_text_model", "kosmos_2_5_vision_model"),
}
NAMES = Names(head={"": "text_model."}, bare="text_model.model.")


class Config(CompositeConfig):
    latent_query_num: Size = 2048


def build(c: Config) -> Model:
    reads, sees = PARTS[c.model_type]
    text = text_model(c.replace(tie_word_embeddings=None), NAMES, default=reads, fixed=True)
    vision = tower(c.vision_config, "vision_model.", default=sees, fixed=True)
    own = {**c.text_config, "model_type": reads}
    heads = part(kosmos_2_5_text.Config, own, reads, key="text_config.").num_attention_heads
    return composite(
        c,
        text,
        [vision],
        projector(
            "image_to_text_projection",
            Array("latent_query", shape=(c.latent_query_num, text.width)),
            Linear("dense", width=vision.width, out=text.width, role=Role.OTHER, bias=True),
            attention("x_attn", text.width, heads, Projections(o="out_proj")),
        ),
    )
