"""The category of a tensor from its checkpoint name alone: a second reading, independent of the program's roles.

The first pattern that is found in the name decides. DESIGN of the table: norms before everything they sit in.
"""

from __future__ import annotations

import re
from collections.abc import Container

PATTERNS = [
    (r"^(talker|token2wav|code2wav)\.|vision|visual|audio", "multimodal"),
    (
        r"(^|\.)(\w*aligner|merger|image_to_text_projection|mlp_AR|qformer|language_projection|vqmodel|generation_(embeddings|head))\.|^query_tokens$",
        "multimodal",
    ),
    (
        r"^encoder\.((input_linear|out|out_mid)\.|layers\.\d+\.(attn\.(?!Wqkv|out_proj)|(conv|ff1|ff2|post_norm)\.))",
        "multimodal",
    ),
    (r"^(speech_encoder|t2u_model|vocoder)\.", "multimodal"),
    (r"embed_tokens_extend\.", "multimodal"),
    (
        r"connector|(layerwise|spatial)_projectors|vision_projection\.|(?<!vocab_)projector|embed_vision|image_newline|multi_modal",
        "multimodal",
    ),
    (r"(^|\.)(vocab_transform|vocab_projector|generator_lm_head|proj_out)\.", "head"),
    (r"(^|\.)encoder_hash_tok_embedding\.", "embedding"),
    (r"^embedding_proj_layer\.", "head"),
    (r"(^|\.)embed_tokens\.\d\.weight$", "embedding"),
    (r"(^|\.)lm_heads\.", "head"),
    (r"(^|\.)(inner_attn|attn|mlp)_ln\.", "norm"),
    (r"^(itm_head|output)\.(weight|bias)$", "head"),
    (r"img_temporal_embedding\.", "multimodal"),
    (r"(row|column)_embedder\.", "embedding"),
    (r"(^|\.)moe\.(gate|up|down)_proj\.|(^|\.)share_expert\.", "ffn"),
    (r"^masked_embedding\.", "head"),
    (r"mlstm_layer\.(?!multihead_norm)", "mixer"),
    (r"ffn\.proj_up_gate", "ffn"),
    (
        r"(^|\.)(input_embedding|segment_embedding)\.weight$|position_embeddings\.(weights\.\d|embedding\.weight)$",
        "embedding",
    ),
    (r"norm_attn_norm\.attn\.|compressor\.(ape|w)", "attention"),
    (r"(^|\.)hc_(attn|ffn|head)_", "other"),
    (r"(input|post_attention)_residual$", "other"),
    (
        r"(^|\.)(lang_embeddings|entity_embeddings|(pronunciation|shape)_embed|\w+_(position|type)_embeddings(_\d)?)\.weight$",
        "embedding",
    ),
    (r"(^|\.)(transformer\.embeddings\.weight$|embeddings\.(map_inputs_layer|projection)\.)", "embedding"),
    (r"(^|\.)(embed_global|ngram_embeddings)\.weight$", "embedding"),
    (r"attention\.[qkv]_head\.", "attention"),
    (r"(^|\.)mask_emb$|(^|\.)word_embedding\.weight$|^(transformer\.)?w\.weight$", "embedding"),
    (r"(^|\.)ff\.layer_[12]\.|(^|\.)ffn\.[02]\.(weight|bias)$", "ffn"),
    (r"^(start_logits|end_logits|answer_class)\.dense|^lm_loss\.", "head"),
    (r"(^|\.)(output_projection|pred_layer|logits_proj|aggregation_classifier)\.|output_(weights|bias)$", "head"),
    (r"post_attention\.conv1d\.", "attention"),
    (r"(intermediate|output)\.conv1d\.|adapter_modules\.", "ffn"),
    (r"encoder\.layers\.\d+\.mixer\.(Wqkv|out_proj)\.", "attention"),
    (r"^head\.weight$", "head"),
    (r"^embed\.weight$", "embedding"),
    (r"(?<!prelayer)norm|(^|\.)ln(_\w+)?\.|LayerNorm|(^|\.)emb_ln\.", "norm"),
    (r"(^|\.)(shared|tok_embeddings|embed_positions|rel_embeddings)\.weight$", "embedding"),
    (r"(^|\.)(router\.(classifier|layer)|gate\.wg)\.", "router"),
    (r"(^|\.)encoder\.conv\.", "mixer"),
    (r"(^|\.)(\w*predictions|pre_classifier|classification_head|seq_relationship)\.", "head"),
    (r"(^|\.)(sequence_summary|qa_classifier)\.", "head"),
    (r"^((projection_)?head\.dense|dense|decoder)\.(weight|bias)$", "head"),
    (r"(^|\.)(embed_tokens|wte|wpe|word_embeddings|position_embeddings|token_type_embeddings)\.weight$", "embedding"),
    (
        r"(^|\.)(tokens_embed|positions_embed|embed_in|embed_positions|tok_embeddings|token_embeddings)\.weight$",
        "embedding",
    ),
    (r"(^|\.)(embed_out|output_layer|multiple_choice_head\.summary|v_head|classifier_head)\.|^output\.", "head"),
    (r"(^|\.)[qk]_ln\.", "norm"),
    (r"(^|\.)output_projection\.", "head"),
    (r"(^|\.)position_embeddings$", "embedding"),
    (r"(^|\.)(cls_|distillation_)classifier\.", "head"),
    (r"(^|\.)(segment_emb|(token|position)_embedding)\.weight$", "embedding"),
    (r"(^|\.)fc[12]\.", "ffn"),
    (r"embed_tokens_per_layer|per_layer_model_projection", "embedding"),
    (r"(^|\.)(altup\w*|laurel|per_layer_input_gate|per_layer_projection)\.", "other"),
    (r"(^|\.)(lm_head|score|classifier|qa_outputs)\.", "head"),
    (
        r"(gate|router)\.(weight|bias)$|router\.(proj|scale|per_expert_scale)|shared_expert_gate"
        r"|e_score_correction_bias|expert_bias",
        "router",
    ),
    (r"^((backbone|rwkv)\.)?embeddings\.weight$", "embedding"),
    (r"^head\.weight$", "head"),
    (r"(^|\.)blocks\.\d+\.(ln[12]|pre_ln)\.", "norm"),
    (r"(mixer|temporal_block)\.[qkvo]_proj\.", "attention"),
    (r"mixer\.(up_proj|down_proj|experts|shared_experts|fc[12]_latent_proj)\.", "ffn"),
    (r"(^|\.)blocks\.\d+\.attention\.(time_\w+|(key|value|receptance|output)\.weight)$", "mixer"),
    (r"mixer|mamba|linear_attn|conv1d|A_log|dt_bias|temporal_block|layers\.\d+\.conv\.", "mixer"),
    (r"self_attn|[aA]ttention|attn", "attention"),
    (r"(^|\.)(intermediate|output)\.dense\.|\.fc[12]\.|DenseReluDense", "ffn"),
    (r"mlp|feed_forward|ffn|block_sparse_moe|experts", "ffn"),
]


# Tensors of a module `self_attn` that show it to be recurrent: lightning attention (MiniMax), Kimi Delta Attention.
RECURRENT = ("output_gate.weight", "A_log")


def category(name: str, names: Container[str] = ()) -> str:
    """The category of `name`; `names` are all tensors of the model, where the module of one is told by another."""
    found = next((label for pattern, label in PATTERNS if re.search(pattern, name)), "other")
    head, module, _ = name.rpartition("self_attn.")
    recurrent = module and any(f"{head}{module}{leaf}" in names for leaf in RECURRENT)
    return "mixer" if recurrent and found != "norm" else found
