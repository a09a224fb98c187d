"""The category of a tensor from its checkpoint name alone: a second reading, independent of the program's roles.

The first pattern that is found in the name decides. DESIGN of the table: norms before everything they sit in.
"""

from __future__ import annotations

import re

PATTERNS = [
    (r"vision|visual|audio|projector|image_newline|multi_modal", "multimodal"),
    (r"norm|(^|\.)ln_\w+\.|layernorm|LayerNorm", "norm"),
    (r"(^|\.)(embed_tokens|wte|wpe|word_embeddings|position_embeddings|token_type_embeddings)\.weight$", "embedding"),
    (r"embed_tokens_per_layer|per_layer_model_projection", "embedding"),
    (r"(^|\.)(altup\w*|laurel|per_layer_input_gate|per_layer_projection)\.", "other"),
    (r"(^|\.)(lm_head|score|classifier|qa_outputs)\.", "head"),
    (r"(gate|router)\.(weight|bias)$|router\.(proj|scale|per_expert_scale)|shared_expert_gate", "router"),
    (r"mixer|mamba|linear_attn|conv1d|A_log|dt_bias", "mixer"),
    (r"self_attn|attention|attn", "attention"),
    (r"mlp|feed_forward|ffn|block_sparse_moe|experts", "ffn"),
]


def category(name: str) -> str:
    return next((label for pattern, label in PATTERNS if re.search(pattern, name)), "other")
