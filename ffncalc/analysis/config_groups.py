"""Quantisation by groups of modules: compressed-tensors, and NVIDIA ModelOpt in the same form.

Scales are in the model's dtype unless the layout says otherwise.
Source: https://github.com/vllm-project/compressed-tensors (src/compressed_tensors/compressors),
https://github.com/NVIDIA/TensorRT-Model-Optimizer (export of unified checkpoints).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc.analysis.formats import Format, Scales
from ffncalc.analysis.quantization import MXFP4, method_of
from ffncalc.analysis.quantization_fields import SKIPS
from ffncalc.analysis.scheme import Raw, Rule, Scheme, integer, names, pair, several
from ffncalc.errors import ConfigError, shown

PACKED = ("pack-quantized",)
PLAIN = ("float-quantized", "naive-quantized", "int-quantized", "dense", "")


def scheme(raw: Raw, dtype_bits: int) -> Scheme:
    """The rules of all groups, those that name modules before those that mean every linear map.

    Raises:
        ConfigError: a layout that is not known here.
    """
    modelopt = method_of(raw) == "modelopt"
    groups = raw.get("config_groups")
    if isinstance(groups, Mapping) and groups:
        rules = [_rule(group, raw, dtype_bits, modelopt) for group in groups.values() if isinstance(group, Mapping)]
    else:
        rules = [Rule(format=_modelopt({"quant_algo": raw.get("quant_algo"), **raw}))]
    rules.sort(key=lambda rule: rule.targets is None or rule.targets.linear)
    return Scheme(
        method="modelopt" if modelopt else "compressed-tensors",
        rules=tuple(rules),
        skipped=names(raw, *SKIPS),
        head=True,
        cache=_cache(raw),
    )


def _rule(group: Mapping[str, Any], raw: Raw, dtype_bits: int, modelopt: bool) -> Rule:
    weights = group.get("weights")
    if not isinstance(weights, Mapping):
        raise ConfigError("quantization: a config group without `weights` is not described here")
    inputs = group.get("input_activations")
    static = isinstance(inputs, Mapping) and inputs.get("dynamic") is False
    targets = names(group, "targets") if isinstance(group.get("targets"), list) else None
    if modelopt:
        return Rule(format=_modelopt(weights), targets=targets)
    layout = str(group.get("format") or raw.get("format") or "")
    return Rule(format=_compressed(layout, weights, dtype_bits, static), targets=targets)


def _modelopt(weights: Raw) -> Format:
    """FP8: a float32 scale of the weight and one of the input. NVFP4: an fp8 scale per 16, and the same two."""
    algorithm, bits = str(weights.get("quant_algo") or ""), weights.get("num_bits")
    if bits == 4 or "NVFP4" in algorithm:
        return nvfp4(integer(weights, "group_size", 16))
    if bits == 8 or algorithm == "FP8":
        return Format(label="fp8, one scale per tensor", bits=8, constant=8)
    raise ConfigError(f"quantization: quant_algo {shown(algorithm or bits)} is not known here")


def nvfp4(group: int, constants: int = 8) -> Format:
    """Two weights in a byte, an fp8 scale per group, float32 scales of the weight and of the input."""
    scales = Scales(rows=1, columns=group, bits=8)
    return Format(label=f"nvfp4, an fp8 scale per {group}", bits=4, scales=(scales,), constant=constants)


def _compressed(layout: str, weights: Raw, dtype_bits: int, static: bool) -> Format:
    bits = integer(weights, "num_bits")
    if layout == "mxfp4-pack-quantized":
        return MXFP4
    if layout == "nvfp4-pack-quantized":
        return nvfp4(integer(weights, "group_size", 16), 8 if static else 4)
    if layout not in (*PACKED, *PLAIN):
        raise ConfigError(f"quantization: compressed-tensors layout {shown(layout)} is not known here")
    packed = layout in PACKED
    scales = [_scales(weights, dtype_bits)]
    if weights.get("symmetric") is False:  # a zero for each scale: packed as the weights are, else one byte
        scales.append(_scales(weights, bits if packed else 8))
    constant = (16 if packed else 0) + (dtype_bits // 8 if static else 0)  # weight_shape, two int64; input_scale
    kind = "int" if weights.get("type") == "int" else "fp"
    return Format(
        label=f"{kind}{bits}, a scale per {_share(weights)}",
        bits=bits if packed else 8,
        scales=tuple(scales),
        per_input=32 if weights.get("actorder") in ("group", True) else 0,
        constant=constant,
    )


def _share(weights: Raw) -> str:
    strategy = weights.get("strategy") or "tensor"
    return f"{strategy} of {weights['group_size']}" if strategy == "group" else str(strategy)


def _scales(weights: Raw, bits: int) -> Scales:
    """What shares a scale: the tensor, an output channel, a group of inputs, or a block."""
    strategy = weights.get("strategy") or ("group" if weights.get("group_size") else "tensor")
    if strategy == "tensor":
        return Scales(rows=0, columns=0, bits=bits)
    if strategy == "channel":
        return Scales(rows=1, columns=0, bits=bits)
    if strategy == "group":
        return Scales(rows=1, columns=several(weights, "group_size"), bits=bits)
    if strategy == "block":
        rows, columns = pair(weights, "block_structure")
        return Scales(rows=rows, columns=columns, bits=bits)
    raise ConfigError(f"quantization: strategy {shown(strategy)} is not known here")


def _cache(raw: Raw) -> str:
    """The number format of the key–value cache that the file asks for; "" where it does not."""
    asked = raw.get("kv_cache_scheme") or raw.get("kv_cache_quant_algo")
    if isinstance(asked, Mapping):
        return "float8_e4m3fn" if asked.get("num_bits") == 8 else ""
    return "float8_e4m3fn" if str(asked).upper() == "FP8" else ""
