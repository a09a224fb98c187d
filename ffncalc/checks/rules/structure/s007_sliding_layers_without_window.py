"""Layers are called sliding, but no window says how far they see.

They see everything then, or nothing works: a null window is accepted by loaders. In a family that windows every layer
null is legal and means no window; a window of 0 masks every token in all families.

Base: google/gemma-2-9b
Bad: {"sliding_window": null}
Good: {"sliding_window": 4096}
Source: transformers, masking_utils.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, shown, whole

SEVERITY = Severity.ERROR
NEEDED = {"gemma2", "gemma3_text", "cohere2", "gpt_oss", "olmo3", "exaone4", "gemma3n_text", "gemma4_text"}
# The class gives the window to all layers, with no word on which.
EVERY = {
    "minimax", "ministral", "ministral3", "mistral", "mixtral", "phi3", "phi4_multimodal", "phimoe", "starcoder2",
    "voxtral_realtime_text",
}  # fmt: skip
SWITCHED = {"qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "qwen2_vl_text", "qwen2_5_vl_text", "smollm3"}


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        window = part.get("sliding_window")
        at = part.at("sliding_window")
        if window is not None and whole(window, 0) is None:
            yield Fault(
                at, f"{at} must be a positive integer or null, got {shown(window)}"[:120], "Write the window in tokens."
            )
        elif (window is None or window == 0) and _slides(part):
            yield Fault(
                at,
                f"layers slide, but {at} is {'null' if window is None else window}",
                "Write the window in tokens, or make the layers full_attention.",
                also=(part.at("layer_types"),),
            )
        elif window == 0 and _windows(part):
            yield Fault(at, f"{at} is 0: no token sees any", "Write the window in tokens, or null for none.")


def _windows(part: Part) -> bool:
    """Whether the class gives layers the window that is in the file, without being told which."""
    if part.key("sliding_window") is None or isinstance(part.given("layer_types"), list):
        return False
    if part.model_type in EVERY:
        return True
    first, layers = part.count("max_window_layers"), part.size("num_hidden_layers")
    some = first is None or layers is None or first < layers
    return part.model_type in SWITCHED and part.get("use_sliding_window") is True and some


def _slides(part: Part) -> bool:
    if part.raw.get("local_attention"):  # ModernBERT calls its window so
        return False
    if part.get("use_sliding_window") is False and part.key("use_sliding_window"):
        return False
    types = part.given("layer_types")
    if isinstance(types, list):
        return "sliding_attention" in types
    return part.model_type in NEEDED and part.key("sliding_window") is not None
