"""The commands, and the lines that need no parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

COUNT, COST, FFN = "Count", "Cost", "The FFN"  # the panels of --help
CHECK, REFERENCE = "Check", "Reference"


class Command(NamedTuple):
    """A command: the function of its own name in the module of its own name.

    `refs`: it takes a list of references first, at least so many; None: it takes something else.
    """

    panel: str
    example: str
    refs: int | None = None


COMMANDS = {
    "params": Command(COUNT, "ffncalc params mistralai/Mixtral-8x7B-v0.1 --layers", refs=0),
    "compare": Command(COUNT, "ffncalc compare google/gemma-2-9b meta-llama/Llama-3.1-8B", refs=1),
    "flops": Command(COST, "ffncalc flops --ctx 128000"),
    "crossover": Command(COST, "ffncalc crossover deepseek-ai/DeepSeek-V3", refs=0),
    "memory": Command(COST, "ffncalc memory openai/gpt-oss-20b --ctx 32Ki --batch 8"),
    "ffn": Command(FFN, "ffncalc ffn google/gemma-2-9b --worked", refs=0),
    "width": Command(FFN, "ffncalc width 4096 --multiplier 1.3 --multiple-of 1024"),
    "lora": Command(FFN, "ffncalc lora --rank 16 --target ffn"),
    "moe": Command(FFN, "ffncalc moe deepseek-ai/DeepSeek-V3", refs=0),
    "lock": Command(CHECK, "ffncalc lock configs"),
    "diff": Command(CHECK, "ffncalc diff HEAD:config.json config.json --format markdown"),
    "check": Command(CHECK, "ffncalc check google/gemma-2-9b"),
    "parallel": Command(CHECK, "ffncalc parallel deepseek-ai/DeepSeek-V3"),
    "rules": Command(CHECK, "ffncalc rules kv"),
    "rule": Command(CHECK, "ffncalc rule S002"),
    "models": Command(REFERENCE, "ffncalc models llama"),
    "archs": Command(REFERENCE, "ffncalc archs --format markdown"),
}


def plain(args: Sequence[str]) -> Callable[[list[str] | None], None] | None:
    """The command of a line that holds nothing but its name and references; None for any other line.

    There is nothing to parse in it, and a parser costs more start-up time than reading and counting together.
    """
    name, *refs = args
    if name not in COMMANDS or any(ref.startswith("-") and ref != "-" for ref in refs):
        return None
    least = COMMANDS[name].refs
    return function(name) if least is not None and len(refs) >= least else None


def function(name: str) -> Callable[..., None]:
    """What runs a command."""
    found: Callable[..., None] = getattr(import_module(f"ffncalc.cli.{name}"), name)
    return found
