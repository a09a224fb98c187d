"""Good configs of more families with one thing broken each, as in mutated.py."""

from __future__ import annotations

from tests.check.configs import ABSENT, LLAMA
from tests.check.mutated import BERT, GEMMA_VL, GPT2, MISTRAL, QWEN_VL, Mutation

CODE = {"auto_map": {"AutoConfig": "configuration_own.OwnConfig"}}
CLASSES = (
    "LlamaModl", "LLamaForCausalLM", "llamaForCausalLM", "LlamaforCausalLM", "LlamaForCausalLM ", "LLAmaForCasualLM",
)  # fmt: skip

QWEN2 = "Qwen/Qwen2.5-7B"
ERNIE = "baidu/ERNIE-4.5-21B-A3B-PT"
WINDOWED = (
    MISTRAL,
    "mistralai/Ministral-8B-Instruct-2410",
    "microsoft/Phi-4-mini-instruct",
    "microsoft/Phi-3.5-MoE-instruct",
)
GROUPED = (
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "linear_num_key_heads"),
    ("nvidia/Nemotron-H-8B-Base-8K", "n_groups"),
    ("ibm-ai-platform/Bamba-9B-v1", "mamba_n_groups"),
    ("tiiuae/Falcon-H1-1.5B-Base", "mamba_n_groups"),
    ("ibm-granite/granite-4.0-h-small", "mamba_n_groups"),
    ("mistralai/Mamba-Codestral-7B-v0.1", "n_groups"),
    ("Zyphra/Zamba2-1.2B", "mamba_ngroups"),
    ("allenai/Olmo-Hybrid-7B", "linear_num_key_heads"),
)
COMPOSITES = (
    "mistralai/Mistral-Small-3.1-24B-Instruct-2503",
    QWEN_VL,
    "Qwen/Qwen3.5-9B",
    "zai-org/GLM-4.5V",
    "moonshotai/Kimi-K2.5",
    "google/gemma-4-E2B",
)

IN_FAMILIES: tuple[Mutation, ...] = (
    # sizes that a composite takes from the class of its language model
    Mutation(
        QWEN_VL,
        {"text_config": dict.fromkeys(("hidden_size", "num_hidden_layers", "intermediate_size"), ABSENT)},
        "F005",
        "text_config.hidden_size",
        "warning",
    ),
    Mutation(
        QWEN_VL, {"text_config": {"num_hidden_layers": ABSENT}}, "F005", "text_config.num_hidden_layers", "warning"
    ),
    Mutation(
        GEMMA_VL, {"text_config": {"intermediate_size": ABSENT}}, "F005", "text_config.intermediate_size", "warning"
    ),
    Mutation(QWEN_VL, {"text_config": {"vocab_size": ABSENT}}, "F005", "text_config.vocab_size", "info"),
    # a class default is right in published files that leave out every size
    Mutation(
        "google/gemma-3-12b-it",
        {"text_config": {"num_attention_heads": ABSENT}},
        "F005",
        "text_config.num_attention_heads",
        "info",
    ),
    # classes
    *(Mutation(LLAMA, {"architectures": [name]}, "F014", "architectures", "warning") for name in CLASSES),
    Mutation(BERT, {"architectures": ["BertModl"]}, "F014", "architectures", "warning"),
    Mutation(GPT2, {"architectures": ["GPT2LMHeadModl"]}, "F014", "architectures", "warning"),
    Mutation(LLAMA, {"architectures": ["Foo"]}, "F009", "architectures", "info"),
    # code of its own for a type that transformers has
    Mutation(LLAMA, CODE | {"hidden_act": "swiglu2"}, "S004", "hidden_act", "warning"),
    Mutation(LLAMA, CODE | {"architectures": ["MarianMTModel"]}, "F009", "architectures", "warning"),
    Mutation(LLAMA, CODE | {"architectures": ["LlamaForCausalM"]}, "F014", "architectures", "warning"),
    # tokens outside the config of the language model
    *(
        Mutation(base, {field: 99_999_999}, "E003", field, "warning" if field == "pad_token_id" else "error")
        for base in COMPOSITES
        for field in ("eos_token_id", "pad_token_id", "forced_eos_token_id")
    ),
    *(
        Mutation(LLAMA, {field: value}, "E003", at)
        for field, value, at in (
            ("forced_bos_token_id", 128256, "forced_bos_token_id"),
            ("decoder_start_token_id", 128256, "decoder_start_token_id"),
            ("suppress_tokens", [1, 128256], "suppress_tokens[1]"),
            ("begin_suppress_tokens", [220, 128256], "begin_suppress_tokens[1]"),
        )
    ),
    Mutation(
        "Qwen/Qwen3-Omni-30B-A3B-Instruct",
        {"thinker_config": {"eos_token_id": 99_999_999}},
        "E003",
        "thinker_config.eos_token_id",
    ),
    # a window of 0, and a step of 0 between windows
    *(Mutation(base, {"sliding_window": 0}, "S007", "sliding_window") for base in WINDOWED),
    Mutation(
        QWEN2, {"use_sliding_window": True, "max_window_layers": 27, "sliding_window": 0}, "S007", "sliding_window"
    ),
    Mutation("google/gemma-3-1b-it", {"sliding_window_pattern": 0}, "M003", "sliding_window_pattern"),
    Mutation("google/gemma-3-1b-it", {"_sliding_window_pattern": 0}, "M003", "_sliding_window_pattern"),
    Mutation("CohereLabs/c4ai-command-r7b-12-2024", {"sliding_window_pattern": 0}, "M003", "sliding_window_pattern"),
    Mutation(
        "google/gemma-4-E2B",
        {"text_config": {"sliding_window_pattern": 0}},
        "M003",
        "text_config.sliding_window_pattern",
        "warning",
    ),
    # layers with experts, of 28
    Mutation(ERNIE, {"moe_layer_start_index": 9999}, "M003", "moe_layer_start_index"),
    Mutation(ERNIE, {"moe_layer_end_index": 9999}, "M003", "moe_layer_end_index"),
    Mutation(ERNIE, {"moe_layer_start_index": 20, "moe_layer_end_index": 10}, "M003", "moe_layer_end_index"),
    # heads of linear attention, groups of state-space mixers
    *(Mutation(base, {field: 7}, "S002", field) for base, field in GROUPED),
    # one size under another name
    Mutation(LLAMA, {"num_layers": 16}, "F011", "num_layers", "warning"),
    Mutation(LLAMA, {"num_heads": 16}, "F011", "num_heads", "warning"),
    Mutation(LLAMA, {"n_layers": 16}, "F011", "n_layers", "error"),
    # a layer fewer than num_hidden_layers, in letters
    Mutation(
        "nvidia/Nemotron-H-8B-Base-8K", {"hybrid_override_pattern": "M-" * 25 + "*"}, "S005", "hybrid_override_pattern"
    ),
)
