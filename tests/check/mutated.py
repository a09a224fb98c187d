"""Good configs with one thing broken each: what must be found, and where."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.check.configs import ABSENT, DEEPSEEK, GEMMA, LLAMA, QWEN_MOE

MIXTRAL = "mistralai/Mixtral-8x7B-v0.1"
MISTRAL = "mistralai/Mistral-7B-v0.1"
QWEN_VL = "Qwen/Qwen3-VL-2B-Instruct"
BERT = "google-bert/bert-base-uncased"
GPT2 = "openai-community/gpt2"
DEEPSEEK_MOE = "deepseek-ai/deepseek-moe-16b-base"
DEEPSEEK_LITE = "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct"
GEMMA_VL = "google/gemma-3-4b-it"
LAYERS = ["full_attention"] * 32


GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128}
# Changes to it, with the rule and the field.
QUANTISATIONS: tuple[tuple[dict[str, Any], str, str], ...] = tuple(
    (change, code, f"quantization_config.{field}")
    for change, code, field in (
        ({"group_size": 0}, "F004", "group_size"),
        ({"group_size": -2}, "F004", "group_size"),
        ({"group_size": 64.5}, "F003", "group_size"),
        ({"group_size": "128"}, "F003", "group_size"),
        ({"bits": 0}, "F004", "bits"),
        ({"bits": 128}, "F004", "bits"),
        ({"bits": True}, "F003", "bits"),
        ({"quant_method": 7}, "F003", "quant_method"),
        ({"desc_act": "no"}, "F003", "desc_act"),
        ({"weight_block_size": [128]}, "F003", "weight_block_size"),
        ({"weight_block_size": [0, 128]}, "F004", "weight_block_size"),
        ({"modules_to_not_convert": "lm_head"}, "F003", "modules_to_not_convert"),
        ({"ignore": ["lm_head", 3]}, "F003", "ignore"),
        ({"lm_head": "yes"}, "F003", "lm_head"),
        ({"kv_cache_scheme": 8}, "F003", "kv_cache_scheme"),
        ({"modules_in_block_to_quantize": [["q_proj", 1]]}, "F003", "modules_in_block_to_quantize"),
        ({"config_groups": {"a": {"input_activations": 8}}}, "F003", "config_groups.a.input_activations"),
        ({"config_groups": [1]}, "F003", "config_groups"),
        ({"config_groups": {"a": 1}}, "F003", "config_groups"),
        ({"config_groups": {"a": {"weights": {"group_size": 0}}}}, "F004", "config_groups.a.weights.group_size"),
        ({"config_groups": {"a": {"targets": "Linear"}}}, "F003", "config_groups.a.targets"),
    )
)


# Values that fields cannot have, with the rule and the field.
VALUES: tuple[tuple[Any, str, str], ...] = (
    ("false", "F003", "tie_word_embeddings"),
    (0, "F003", "attention_bias"),
    ("500000", "F003", "rope_theta"),
    ("1e-5", "F003", "rms_norm_eps"),
    (False, "F003", "attention_dropout"),
    (16, "F003", "torch_dtype"),
    ("128001", "F003", "eos_token_id"),
    ([[128001]], "F003", "eos_token_id"),
    (1.5, "F003", "bos_token_id"),
    ({"factor": "8"}, "F003", "rope_scaling.factor"),
    ({"factor": -8}, "F004", "rope_scaling.factor"),
    ({"original_max_position_embeddings": 0}, "F004", "rope_scaling.original_max_position_embeddings"),
    ({"full_attention": {"rope_theta": -1}}, "F004", "rope_parameters.full_attention.rope_theta"),
    (0, "F004", "rope_theta"),
    (-1e-5, "F004", "rms_norm_eps"),
    (1e5, "F004", "rms_norm_eps"),
    (1.5, "F004", "attention_dropout"),
    (-0.5, "F004", "partial_rotary_factor"),
    (2, "F004", "partial_rotary_factor"),
    (float("inf"), "F004", "rope_theta"),
)


class Mutation(NamedTuple):
    """A change to a bundled config, the rule that must find it, the field it must name, and how bad it is."""

    base: str
    change: dict[str, Any]
    code: str
    field: str
    severity: str = "error"
    options: dict[str, int] = {}  # never changed

    def __str__(self) -> str:
        return f"{self.code} {self.field} of {self.base.rpartition('/')[2]}"


MUTATIONS = (
    # what loaders of transformers 5.24 accept
    Mutation(LLAMA, {"num_key_value_heads": 7}, "S002", "num_key_value_heads"),
    Mutation(LLAMA, {"num_key_value_heads": 64}, "S002", "num_key_value_heads"),
    Mutation(LLAMA, {"intermediate_size": 0}, "F004", "intermediate_size"),
    Mutation(LLAMA, {"intermediate_size": -1}, "F004", "intermediate_size"),
    Mutation(LLAMA, {"num_hidden_layers": 0}, "F004", "num_hidden_layers"),
    Mutation(LLAMA, {"eos_token_id": 128256}, "E003", "eos_token_id"),
    Mutation(LLAMA, {"intermediate_size": ABSENT, "intermedate_size": 14336}, "F008", "intermedate_size", "warning"),
    Mutation(QWEN_MOE, {"num_experts_per_tok": 200}, "M001", "num_experts_per_tok"),
    Mutation(QWEN_MOE, {"mlp_only_layers": [99]}, "M003", "mlp_only_layers[0]"),
    Mutation(DEEPSEEK, {"moe_layer_freq": 0}, "M003", "moe_layer_freq"),
    Mutation(QWEN_MOE, {"decoder_sparse_step": 0}, "M003", "decoder_sparse_step"),
    Mutation(DEEPSEEK, {"n_group": 7}, "M004", "n_group"),
    Mutation(DEEPSEEK, {"kv_lora_rank": 0}, "M006", "kv_lora_rank"),
    Mutation(GEMMA, {"sliding_window": 0}, "S007", "sliding_window"),
    Mutation(GEMMA, {"sliding_window": None}, "S007", "sliding_window"),
    # the file
    Mutation(LLAMA, {"hidden_size": "4096"}, "F003", "hidden_size"),
    Mutation(LLAMA, {"intermediate_size": True}, "F003", "intermediate_size"),
    Mutation(LLAMA, {"intermediate_size": [14336]}, "F003", "intermediate_size"),
    Mutation(LLAMA, {"num_hidden_layers": 10**30}, "F004", "num_hidden_layers"),
    Mutation(LLAMA, {"hidden_size": ABSENT}, "F005", "hidden_size"),
    Mutation(LLAMA, {"model_type": "lama"}, "F006", "model_type"),
    Mutation(LLAMA, {"model_type": ABSENT, "architectures": ABSENT}, "F006", "model_type"),
    Mutation(LLAMA, {"num_key_value_heads": ABSENT, "num_key_value_head": 8}, "F008", "num_key_value_head", "warning"),
    Mutation(
        QWEN_MOE, {"num_expert_per_tok": 8, "num_experts_per_tok": ABSENT}, "F008", "num_expert_per_tok", "warning"
    ),
    Mutation(LLAMA, {"num_hidden_layer": 32}, "F008", "num_hidden_layer", "warning"),
    Mutation(LLAMA, {"intermediate_sizes": 14336}, "F008", "intermediate_sizes", "warning"),
    Mutation(QWEN_VL, {"text_config": {"hiden_size": 2048}}, "F008", "text_config.hiden_size", "warning"),
    *(Mutation(LLAMA, {"quantization_config": GPTQ | change}, code, field) for change, code, field in QUANTISATIONS),
    Mutation(
        "Qwen/Qwen3-Omni-30B-A3B-Instruct",
        {"thinker_config": {"text_config": {"quantization_config": GPTQ | {"group_size": 0}}}},
        "F004",
        "thinker_config.text_config.quantization_config.group_size",
    ),
    Mutation(LLAMA, {"quantization_config": "fp8"}, "F003", "quantization_config"),
    Mutation(QWEN_VL, {"text_config": [1]}, "F003", "text_config"),
    Mutation(QWEN_VL, {"vision_config": "large"}, "F003", "vision_config"),
    Mutation(QWEN_VL, {"text_config": {"rope_scaling": 4}}, "F003", "text_config.rope_scaling"),
    Mutation(GEMMA_VL, {"vision_config": {"hiden_size": 1152}}, "F008", "vision_config.hiden_size", "warning"),
    *(Mutation(LLAMA, {field.partition(".")[0]: value}, code, field) for value, code, field in VALUES),
    Mutation(GEMMA_VL, {"vision_config": {"patch_size": 0}}, "F004", "vision_config.patch_size"),
    Mutation(GEMMA_VL, {"vision_config": {"patch_size": [14, "x"]}}, "F003", "vision_config.patch_size[1]"),
    Mutation(DEEPSEEK, {"n_group": "8"}, "F003", "n_group"),
    Mutation(DEEPSEEK, {"topk_group": [4]}, "F003", "topk_group"),
    Mutation("google/t5gemma-2b-2b-prefixlm", {"decoder": {"rope_theta": -1}}, "F004", "decoder.rope_theta"),
    Mutation(DEEPSEEK, {"n_group": 0}, "F004", "n_group"),
    Mutation(DEEPSEEK, {"kv_lora_rank": None}, "F005", "kv_lora_rank"),
    Mutation(GEMMA_VL, {"text_config": ABSENT}, "F005", "text_config"),
    Mutation(LLAMA, {"model_type": ABSENT}, "F006", "model_type", "warning"),
    Mutation(GEMMA_VL, {"text_config": {"model_type": "gema3_text"}}, "F006", "text_config.model_type", "warning"),
    Mutation(LLAMA, {"num_kv_heads": 4}, "F011", "num_kv_heads", "warning"),
    Mutation(LLAMA, {"ffn_dim": 4096}, "F011", "ffn_dim", "warning"),
    Mutation(DEEPSEEK, {"num_experts": 8}, "F011", "num_experts"),
    Mutation(QWEN_MOE, {"num_selected_experts": 4}, "F011", "num_selected_experts"),
    Mutation(QWEN_VL, {"head_dim": 64}, "F011", "text_config.head_dim"),
    Mutation(QWEN_VL, {"vocab_size": 32000}, "F011", "text_config.vocab_size", "warning"),
    Mutation(LLAMA, {"architectures": ["Qwen2ForCausalLM"]}, "F009", "architectures", "warning"),
    Mutation(LLAMA, {"architectures": ABSENT}, "F010", "architectures", "info"),
    Mutation(LLAMA, {"architectures": ["LlamaForcausalLM"]}, "F014", "architectures", "warning"),
    Mutation(LLAMA, {"architectures": ["LamaForCausalLM"]}, "F014", "architectures", "warning"),
    Mutation(MIXTRAL, {"architectures": ["MixtralForCausualLM"]}, "F014", "architectures", "warning"),
    Mutation(GEMMA_VL, {"vision_config": {"model_type": ["siglip"]}}, "F006", "vision_config.model_type"),
    Mutation(
        GEMMA_VL, {"vision_config": {"model_type": "siglip_vison_model"}}, "F006", "vision_config.model_type", "warning"
    ),
    Mutation(LLAMA, {"n_embd": 2048}, "F011", "n_embd"),
    Mutation(QWEN_VL, {"hidden_size": 4096}, "F011", "text_config.hidden_size"),
    # structure
    Mutation(GPT2, {"n_head": 11}, "S001", "n_head"),
    Mutation(LLAMA, {"num_attention_heads": 40, "head_dim": None}, "S001", "num_attention_heads"),
    Mutation(GEMMA_VL, {"vision_config": {"num_attention_heads": 7}}, "S001", "vision_config.num_attention_heads"),
    Mutation(LLAMA, {"head_dim": 127}, "S003", "head_dim"),
    Mutation(DEEPSEEK, {"qk_rope_head_dim": 63}, "S003", "qk_rope_head_dim"),
    Mutation(LLAMA, {"hidden_act": "swiglu2"}, "S004", "hidden_act"),
    Mutation(GEMMA_VL, {"vision_config": {"hidden_act": "gelu_tahn"}}, "S004", "vision_config.hidden_act"),
    Mutation(BERT, {"hidden_act": "gleu"}, "S004", "hidden_act"),
    Mutation(LLAMA, {"layer_types": LAYERS[:31]}, "S005", "layer_types"),
    Mutation(LLAMA, {"layer_types": [*LAYERS[:31], "full_atention"]}, "S006", "layer_types[31]"),
    Mutation(MISTRAL, {"sliding_window": 65536}, "S008", "sliding_window", "info"),
    Mutation("Qwen/Qwen2.5-7B", {"sliding_window": -5}, "S007", "sliding_window"),
    # experts and latent attention
    Mutation(MIXTRAL, {"num_experts_per_tok": 9}, "M001", "num_experts_per_tok"),
    Mutation(MIXTRAL, {"num_experts_per_tok": 0}, "M001", "num_experts_per_tok"),
    Mutation(DEEPSEEK, {"num_experts_per_tok": None}, "M001", "num_experts_per_tok"),
    Mutation(DEEPSEEK_LITE, {"num_experts_per_tok": ABSENT}, "M001", "num_experts_per_tok"),
    Mutation(QWEN_MOE, {"moe_intermediate_size": None}, "M002", "moe_intermediate_size"),
    Mutation(QWEN_MOE, {"moe_intermediate_size": ABSENT}, "M002", "moe_intermediate_size", "warning"),
    Mutation(DEEPSEEK, {"moe_intermediate_size": ABSENT}, "M002", "moe_intermediate_size", "warning"),
    Mutation(DEEPSEEK_MOE, {"moe_intermediate_size": ABSENT}, "M002", "moe_intermediate_size"),
    Mutation("moonshotai/Kimi-K2-Instruct", {"moe_intermediate_size": ABSENT}, "M002", "moe_intermediate_size"),
    Mutation("LiquidAI/LFM2-24B-A2B", {"moe_intermediate_size": ABSENT}, "M002", "moe_intermediate_size"),
    Mutation("meituan-longcat/LongCat-Flash-Chat", {"expert_ffn_hidden_size": None}, "M002", "expert_ffn_hidden_size"),
    Mutation(DEEPSEEK, {"first_k_dense_replace": 100}, "M003", "first_k_dense_replace"),
    Mutation(DEEPSEEK, {"topk_group": 9}, "M004", "topk_group"),
    Mutation(DEEPSEEK, {"n_group": 64, "topk_group": 1}, "M005", "num_experts_per_tok"),
    Mutation(DEEPSEEK, {"q_lora_rank": -1}, "M006", "q_lora_rank"),
    Mutation(DEEPSEEK, {"v_head_dim": 0}, "M006", "v_head_dim"),
    # embedding and tokens
    Mutation(LLAMA, {"tie_word_embeddings": ABSENT}, "E001", "tie_word_embeddings", "info"),
    Mutation(
        QWEN_VL,
        {"tie_word_embeddings": True, "text_config": {"tie_word_embeddings": False}},
        "E002",
        "text_config.tie_word_embeddings",
    ),
    Mutation(LLAMA, {"pad_token_id": 128256}, "E003", "pad_token_id"),
    Mutation(LLAMA, {"pad_token_id": -1}, "E003", "pad_token_id", "warning"),
    Mutation(LLAMA, {"eos_token_id": [128001, 200000]}, "E003", "eos_token_id[1]"),
    Mutation(LLAMA, {"vocab_size": 128257}, "E004", "vocab_size", "warning"),
    # deployment
    Mutation(LLAMA, {"num_attention_heads": 40, "head_dim": 128}, "D001", "num_attention_heads", "error", {"tp": 16}),
    Mutation(LLAMA, {}, "D002", "num_key_value_heads", "warning", {"tp": 16}),
    Mutation(LLAMA, {"num_key_value_heads": 16}, "D002", "num_key_value_heads", "error", {"tp": 24}),
    Mutation(LLAMA, {"intermediate_size": 14337}, "D003", "intermediate_size", "error", {"tp": 2}),
    Mutation(LLAMA, {"vocab_size": 128257}, "D004", "vocab_size", "warning", {"tp": 2}),
    Mutation(
        QWEN_MOE,
        {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}},
        "D005",
        "moe_intermediate_size",
        "error",
        {"tp": 4},
    ),
    Mutation(QWEN_MOE, {}, "D006", "num_experts", "error", {"ep": 96}),
    Mutation(DEEPSEEK, {}, "D007", "num_hidden_layers", "warning", {"pp": 8}),
    # efficiency and claims
    Mutation(LLAMA, {"intermediate_size": 14300}, "P001", "intermediate_size", "warning"),
    Mutation(LLAMA, {"intermediate_size": 2048}, "P002", "intermediate_size", "info"),
    Mutation(LLAMA, {"_name_or_path": "meta-llama/Llama-3.1-70B"}, "C001", "_name_or_path", "warning"),
    Mutation(DEEPSEEK, {"rope_scaling": {"factor": 4}}, "C002", "rope_scaling", "warning"),
    Mutation(LLAMA, {"torch_dtype": ABSENT}, "C003", "torch_dtype", "warning"),
    Mutation(LLAMA, {"dtype": "float16"}, "C004", "torch_dtype", "warning"),
    Mutation(LLAMA, {"torch_dtype": "float32"}, "C005", "torch_dtype", "warning"),
    Mutation(LLAMA, {"rope_scaling": {"rope_type": "lama3"}}, "C006", "rope_scaling.rope_type", "warning"),
    Mutation(
        LLAMA,
        {"quantization_config": {"quant_method": "gtpq", "bits": 4}},
        "C007",
        "quantization_config.quant_method",
        "warning",
    ),
)
