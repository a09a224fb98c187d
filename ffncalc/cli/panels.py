"""The groups of commands in --help."""

from __future__ import annotations

COUNT = "Count"
COST = "Cost"
FFN = "The FFN"
CHECK = "Check"
REFERENCE = "Reference"
