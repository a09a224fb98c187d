"""GOT-OCR 2: SAM's encoder, two convolutions that halve the image, one linear map, a Qwen 2.

Source: arXiv:2409.01704, transformers models/got_ocr2 and models/pp_chart2table.
"""

from __future__ import annotations

from ffncalc.architectures import sam_vision
from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, part, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Convolution
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="qwen2")
    own = {**(c.vision_config or {}), "model_type": "got_ocr2_vision"}
    vision = tower(own, "vision_tower.", default="got_ocr2_vision", fixed=True)
    seen = part(sam_vision.Config, own, "got_ocr2_vision").output_channels
    return composite(
        c,
        text,
        [vision],
        projector(
            "multi_modal_projector",
            Convolution("conv_upsampler1", channels=seen, out=2 * seen, kernel=(3, 3)),
            Convolution("conv_upsampler2", channels=2 * seen, out=text.width, kernel=(3, 3)),
            Linear("multimodal_projector", width=text.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
