"""Per-layer embeddings (Gemma 3n, Gemma 4): each layer gets a narrow input of its own, from a table and the token.

Source: https://ai.google.dev/gemma/docs/gemma-3n, transformers models/gemma3n and models/gemma4.
"""

from __future__ import annotations

from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Role


def tables(*, rows: int, layers: int, width: int, narrow: int) -> tuple[Component, ...]:
    """Before the layers: the table [rows, layers·narrow], and the projection of the embedding to the same size."""
    return (
        Embedding("embed_tokens_per_layer", rows=rows, width=layers * narrow, role=Role.PER_LAYER),
        Linear("per_layer_model_projection", width=width, out=layers * narrow, role=Role.PER_LAYER),
        Norm("per_layer_projection_norm", width=narrow),
    )


def inputs(*, width: int, narrow: int) -> tuple[Component, ...]:
    """In each layer: down to `narrow`, times the layer's input, and up again."""
    return (
        Linear("per_layer_input_gate", width=width, out=narrow, role=Role.OTHER),
        Linear("per_layer_projection", width=narrow, out=width, role=Role.OTHER),
        Norm("post_per_layer_input_norm", width=width),
    )
