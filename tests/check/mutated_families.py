"""Good configs of more families with one thing broken each, as in mutated.py."""

from __future__ import annotations

from tests.check.configs import ABSENT, LLAMA
from tests.check.mutated import BERT, GEMMA_VL, GPT2, QWEN_VL, Mutation

CODE = {"auto_map": {"AutoConfig": "configuration_own.OwnConfig"}}
CLASSES = (
    "LlamaModl", "LLamaForCausalLM", "llamaForCausalLM", "LlamaforCausalLM", "LlamaForCausalLM ", "LLAmaForCasualLM",
)  # fmt: skip

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
)
