"""Exact parameters and FLOPs of Transformer models from their config.json.

>>> import ffncalc
>>> model = ffncalc.load("meta-llama/Llama-3.1-8B")
>>> ffncalc.params(model).total
8030261248
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would take longer than the rest of this file

if TYPE_CHECKING:
    from typing import Any

    from ffncalc.analysis.archs import archs as archs
    from ffncalc.analysis.compare import compare as compare
    from ffncalc.analysis.compare import summary as summary
    from ffncalc.analysis.crossover import crossover as crossover
    from ffncalc.analysis.diff import diff as diff
    from ffncalc.analysis.explain import explain as explain
    from ffncalc.analysis.ffn import ffn as ffn
    from ffncalc.analysis.flops import flops as flops
    from ffncalc.analysis.layers import layers as layers
    from ffncalc.analysis.lora import lora as lora
    from ffncalc.analysis.memory import memory as memory
    from ffncalc.analysis.moe import moe as moe
    from ffncalc.analysis.parallel import parallel as parallel
    from ffncalc.analysis.params import params as params
    from ffncalc.analysis.tensors import tensors as tensors
    from ffncalc.analysis.width import origins as origins
    from ffncalc.analysis.width import recipes as recipes
    from ffncalc.analysis.width import width as width
    from ffncalc.analysis.worked import worked as worked
    from ffncalc.api import load as load
    from ffncalc.api import models as models
    from ffncalc.checks.library import check as check
    from ffncalc.checks.library import lock as lock
    from ffncalc.checks.library import rule as rule
    from ffncalc.checks.library import rules as rules
    from ffncalc.inverse import solve as solve
    from ffncalc.inverse import target as target

__version__ = "0.1.0"

_HOMES = {
    "archs": "ffncalc.analysis.archs",
    "check": "ffncalc.checks.library",
    "compare": "ffncalc.analysis.compare",
    "crossover": "ffncalc.analysis.crossover",
    "diff": "ffncalc.analysis.diff",
    "explain": "ffncalc.analysis.explain",
    "ffn": "ffncalc.analysis.ffn",
    "flops": "ffncalc.analysis.flops",
    "layers": "ffncalc.analysis.layers",
    "load": "ffncalc.api",
    "lock": "ffncalc.checks.library",
    "lora": "ffncalc.analysis.lora",
    "memory": "ffncalc.analysis.memory",
    "models": "ffncalc.api",
    "moe": "ffncalc.analysis.moe",
    "origins": "ffncalc.analysis.width",
    "parallel": "ffncalc.analysis.parallel",
    "params": "ffncalc.analysis.params",
    "recipes": "ffncalc.analysis.width",
    "rule": "ffncalc.checks.library",
    "rules": "ffncalc.checks.library",
    "solve": "ffncalc.inverse",
    "summary": "ffncalc.analysis.compare",
    "target": "ffncalc.inverse",
    "tensors": "ffncalc.analysis.tensors",
    "width": "ffncalc.analysis.width",
    "worked": "ffncalc.analysis.worked",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public function when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from ffncalc.arguments import checked

    found = globals()[name] = checked(getattr(import_module(_HOMES[name]), name))
    return found
