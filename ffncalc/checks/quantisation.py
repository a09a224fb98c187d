"""What a config says about the quantisation of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ffncalc.analysis.blocks import block_in
from ffncalc.analysis.quantization_fields import wrong
from ffncalc.storage import PARTS

KEYS = ("quantization_config", "compression_config", "quantization")
METHODS = frozenset({
    "aqlm", "auto-round", "autoround", "awq", "bitnet", "bitsandbytes", "compressed-tensors", "deepspeedfp", "eetq",
    "exl2", "exl3", "experts_int8", "fbgemm_fp8", "finegrained_fp8", "fp8", "fp_quant", "fpquant", "four_over_six",
    "gguf", "gptq", "gptq_marlin", "higgs", "hqq", "inc", "ipex", "marlin", "metal", "mlx", "modelopt", "modelopt_fp4",
    "modelopt_mixed", "moe_wna16", "mxfp4", "mxfp8", "petit_nvfp4", "ptpc_fp8", "qqq", "quanto", "quark", "quip",
    "rtn", "sinq", "spqr", "squeezellm", "tensorizer", "torchao", "tpu_int8", "vptq", "w8a8_int8", "w8a8_fp8",
})  # fmt: skip


class Quantisation(NamedTuple):
    """The field that says it, its table, its method ("" where none is named), and its group or block."""

    field: str
    table: Mapping[str, Any]
    method: str
    block: int | None
    block_field: str


def quantisations(raw: Mapping[str, Any], prefix: str = "") -> Iterator[Quantisation]:
    """Every quantisation that a config declares, outside and in its language model."""
    for key in KEYS:
        table = raw.get(key)
        if isinstance(table, Mapping):
            yield _read(table, prefix + key)
    for key in PARTS:
        inner = raw.get(key)
        if isinstance(inner, Mapping):
            yield from quantisations(inner, f"{prefix}{key}.")


def wrong_fields(raw: Mapping[str, Any], *, types: bool) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) of every impossible value: those of a wrong type, or numbers out of range."""
    for each in quantisations(raw):
        for field, message, is_type in wrong(each.table):
            if is_type is types:
                yield f"{each.field}.{field}", message


def block_of(raw: Mapping[str, Any]) -> int | None:
    """The group or block of the weights; None where they have none."""
    return next((q.block for q in quantisations(raw) if q.block), None)


def _read(table: Mapping[str, Any], field: str) -> Quantisation:
    named = table.get("quant_method", table.get("quant_algo"))
    found = block_in(table)
    block, path = found if found else (None, "")
    return Quantisation(
        field,
        table,
        named.lower() if isinstance(named, str) else "",
        block,
        f"{field}.{path}" if path else field,
    )
