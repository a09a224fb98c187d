"""Rules over config files: which there are, and where each is.

A rule is one module: its docstring says what it finds and why, with a bad and a good example; `SEVERITY` is how bad
a finding is unless the fault says otherwise, `check(subject)` yields faults. Codes never change their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ffncalc.checks.finding import Fault, Severity
    from ffncalc.checks.subject import Subject

GROUPS = {
    "F": "file: the JSON, its keys and values",
    "S": "structure: heads, layers, windows",
    "M": "experts and latent attention",
    "E": "embedding and tokens",
    "D": "deployment, when asked for by --tp, --ep, --pp or settings",
    "P": "efficiency",
    "B": "budgets, where the settings or the command line set them",
    "L": "lock: what was counted before",
    "C": "claims: what names and fields say against what is counted",
}

RULES: dict[str, str] = {
    "B001": "budget.b001_too_many_parameters",
    "B002": "budget.b002_too_many_active_parameters",
    "B003": "budget.b003_ffn_share_outside_budget",
    "B004": "budget.b004_crossover_too_early",
    "B005": "budget.b005_cache_too_large",
    "B006": "budget.b006_budget_not_checked",
    "C001": "claims.c001_size_in_name",
    "C002": "claims.c002_rope_scaling_contradicts_context",
    "C003": "claims.c003_dtype_missing",
    "C004": "claims.c004_dtypes_disagree",
    "C005": "claims.c005_large_float32",
    "C006": "claims.c006_rope_incomplete",
    "C007": "claims.c007_quantisation_unclear",
    "C008": "claims.c008_exclusion_matches_nothing",
    "C009": "claims.c009_rope_values_do_not_fit",
    "C010": "claims.c010_group_does_not_divide_width",
    "D001": "deployment.d001_heads_do_not_split",
    "D002": "deployment.d002_kv_heads_do_not_split",
    "D003": "deployment.d003_width_does_not_split",
    "D004": "deployment.d004_vocabulary_does_not_split",
    "D005": "deployment.d005_quantised_blocks_do_not_split",
    "D006": "deployment.d006_experts_do_not_split",
    "D007": "deployment.d007_layers_do_not_split",
    "E001": "tokens.e001_tie_flag_absent",
    "E002": "tokens.e002_tie_flags_disagree",
    "E003": "tokens.e003_token_outside_vocabulary",
    "E004": "tokens.e004_vocabulary_not_tiled",
    "F001": "file.f001_not_a_config",
    "F002": "file.f002_duplicate_key",
    "F003": "file.f003_value_of_wrong_type",
    "F004": "file.f004_size_out_of_range",
    "F005": "file.f005_required_field_missing",
    "F006": "file.f006_unknown_model_type",
    "F007": "file.f007_model_type_not_described",
    "F008": "file.f008_misspelt_key",
    "F009": "file.f009_class_of_another_type",
    "F010": "file.f010_class_missing",
    "F011": "file.f011_values_in_conflict",
    "F012": "file.f012_not_countable",
    "F013": "file.f013_code_of_its_own",
    "F014": "file.f014_misspelt_class",
    "F015": "file.f015_not_in_utf8",
    "L001": "lock.l001_locked_count_moved",
    "L002": "lock.l002_file_not_locked",
    "L003": "lock.l003_locked_file_missing",
    "M001": "experts.m001_top_k_out_of_range",
    "M002": "experts.m002_expert_width_missing",
    "M003": "experts.m003_layer_choice_out_of_range",
    "M004": "experts.m004_groups_do_not_divide",
    "M005": "experts.m005_top_k_beyond_groups",
    "M006": "experts.m006_latent_size_not_positive",
    "M007": "experts.m007_extra_prediction_layers",
    "P001": "efficiency.p001_width_not_tiled",
    "P002": "efficiency.p002_unusual_expansion",
    "P003": "efficiency.p003_early_crossover",
    "S001": "structure.s001_heads_do_not_divide_width",
    "S002": "structure.s002_kv_heads_do_not_divide",
    "S003": "structure.s003_rotary_part_odd",
    "S004": "structure.s004_unknown_activation",
    "S005": "structure.s005_list_of_wrong_length",
    "S006": "structure.s006_unknown_layer_type",
    "S007": "structure.s007_sliding_layers_without_window",
    "S008": "structure.s008_window_beyond_context",
    "S009": "structure.s009_window_switched_off",
}


class Rule(NamedTuple):
    """A rule as it is run: its code, its name (`kv-heads-do-not-divide`), its severity and its function."""

    code: str
    name: str
    severity: Severity
    check: Callable[[Subject], Iterator[Fault]]


@cache
def rule(code: str) -> Rule:
    """The rule of a code in RULES."""
    path = RULES[code]
    module = import_module(f"{__name__}.rules.{path}")
    return Rule(code, name_of(code), module.SEVERITY, module.check)


def name_of(code: str) -> str:
    """The name of a rule, as findings show it: what its file is called after the code."""
    return RULES[code].partition(".")[2].partition("_")[2].replace("_", "-")
