"""Exact parameters and FLOPs of Transformer models from their config.json.

>>> import ffncalc
>>> model = ffncalc.load("meta-llama/Llama-3.1-8B")
>>> ffncalc.params(model).total
8030261248
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ffncalc.analysis.params import params as params
    from ffncalc.api import load as load

__version__ = "0.1.0"

_HOMES = {"load": "ffncalc.api", "params": "ffncalc.analysis.params"}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    """Import a public function when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
