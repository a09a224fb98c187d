"""What a `quantization_config` makes of each weight.

The byte layouts are those of the published formats; each reader below cites its own. Embeddings, norms, biases,
routers and convolutions stay as they are in all methods but MLX's, which also packs embeddings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ffncalc.analysis.formats import Format, Scales
from ffncalc.analysis.module_names import Names, bare
from ffncalc.analysis.quantization_fields import SKIPS, refuse
from ffncalc.analysis.scheme import Raw, Rule, Scheme, integer, listed, names, pair, several
from ffncalc.errors import ConfigError, shown
from ffncalc.storage import Storage


def scheme_of(storage: Storage, dtype_bits: int) -> Scheme | None:
    """The quantisation that a config describes, None where it has none; `dtype_bits`: what is not packed has.

    Raises:
        ConfigError: an impossible value, or a method or layout that is not known here.
    """
    raw = storage.quantization
    if not raw:
        return None
    refuse(storage)
    method = method_of(raw)
    reader = READERS.get(method)
    if reader is None:
        raise ConfigError(
            f"{storage.quantization_key}: how {shown(method)} stores weights is not known here",
            "--dtype bfloat16 (or int8, int4 …) counts the weights as if they were stored plainly in that format. "
            f"Known methods: {', '.join(sorted(READERS))}.",
        )
    return reader(raw, storage, dtype_bits)


def word(raw: Raw, key: str) -> str:
    """The text of a key, "" where there is none.

    Raises:
        ConfigError: it is no text.
    """
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{key}: must be text, got {shown(value)}")
    return value or ""


def method_of(raw: Raw) -> str:
    """The name of the method, also where the file leaves it out."""
    method = word(raw, "quant_method").lower()
    if method in ("", "modelopt", "modelopt_fp4") and (raw.get("quant_algo") or raw.get("producer")):
        return "modelopt"
    if not method:
        return "compressed-tensors" if "config_groups" in raw else "mlx" if "group_size" in raw else ""
    if method == "bitsandbytes" or method.startswith("load_in"):
        return "bitsandbytes"
    return method.replace("_", "-") if method == "compressed_tensors" else method


def fp8(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """One byte per weight, and a scale per block (float32, `weight_scale_inv`) or per tensor.

    `scale_fmt: ue8m0` together with `expert_dtype` (DeepSeek-V4) stores each scale in one byte; V3.1 and V3.2 name the
    same format and store float32. `expert_dtype: fp4`: two weights of an expert in a byte, one scale byte per 32.
    The projection into a multi-token-prediction layer (`eh_proj`) stays as it is.
    Source: transformers integrations/finegrained_fp8.py, and the model cards of DeepSeek-V3, -V3.1 and -V4.
    """
    size = raw.get("weight_block_size")
    expert_dtype = word(raw, "expert_dtype") or storage.expert_dtype
    scale_bits = 8 if raw.get("scale_fmt") == "ue8m0" and expert_dtype else 32
    static = 4 if raw.get("activation_scheme") == "static" else 0  # one float32 scale of the inputs
    if size is None:
        main = Format(label="fp8, one scale per tensor", bits=8, constant=4 + static)
    else:
        rows, columns = pair(raw, "weight_block_size")
        scales = Scales(rows=rows, columns=columns, bits=scale_bits)
        main = Format(label=f"fp8, scales per {rows} × {columns}", bits=8, scales=(scales,), constant=static)
    experts = MXFP4 if expert_dtype == "fp4" else None
    skipped = names({**raw, "always": ["eh_proj"]}, *SKIPS, "always")
    return Scheme(method="fp8", rules=(Rule(format=main),), skipped=skipped, experts=experts)


MXFP4 = Format(label="mxfp4, a scale byte per 32", bits=4, scales=(Scales(rows=1, columns=32, bits=8),))


def fbgemm_fp8(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """One byte per weight, one float32 scale per output row, one bound per tensor (`input_scale_ub`, float32).

    Source: transformers integrations/fbgemm_fp8.py.
    """
    rows = Scales(rows=1, columns=0, bits=32)
    main = Format(label="fp8, a scale per row", bits=8, scales=(rows,), constant=4)
    return Scheme(method="fbgemm_fp8", rules=(Rule(format=main),), skipped=names(raw, *SKIPS))


def mxfp4(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """Experts only: two weights in a byte (`_blocks`), one exponent byte per 32 weights (`_scales`).

    Source: OCP Microscaling Formats 1.0; https://huggingface.co/openai/gpt-oss-20b.
    """
    skipped = names(raw, *SKIPS)
    return Scheme(method="mxfp4", rules=(Rule(format=MXFP4),), skipped=skipped, where="experts")


def gptq(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """Packed integers (`qweight`), a 16-bit scale and a packed zero per group and output, an int32 group per input.

    `group_size` -1 is one group. Linear maps in the layers only, unless `lm_head`. `dynamic` rules that start with
    `-:` leave modules alone; others change bits, which is not described here.
    Source: GPTQ (arXiv:2210.17323) as AutoGPTQ and GPTQModel store it.
    """
    bits, group = integer(raw, "bits"), integer(raw, "group_size", 128)
    if raw.get("checkpoint_format") not in (None, "gptq", "gptq_v2"):
        raise ConfigError(f"quantization: checkpoint_format {shown(raw['checkpoint_format'])} is not known here")
    rules = raw.get("dynamic") or {}
    if not isinstance(rules, Mapping):
        raise ConfigError(f"quantization: dynamic must be an object, got {shown(rules)}")
    if any(not str(key).startswith("-:") for key in rules):
        raise ConfigError("quantization: `dynamic` rules that change single modules are not described here")
    off = [f"re:{str(key)[2:]}" for key in rules]
    scales = tuple(Scales(rows=1, columns=group, bits=n) for n in (16, bits))
    main = Format(label=f"GPTQ int{bits}, groups of {group or 'all'}", bits=bits, scales=scales, per_input=32)
    inside = listed(raw, "modules_in_block_to_quantize")
    targets = Names(n for row in inside for n in (row if isinstance(row, list) else [row])) if inside else None
    skipped = Names([*off, *listed(raw, *SKIPS)])
    return Scheme(
        method="gptq",
        rules=(Rule(format=main, targets=targets),),
        skipped=skipped,
        where="layers",
        head=raw.get("lm_head") is True,
    )


def awq(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """Packed integers (`qweight`), a 16-bit scale and a packed zero per group and output; layers only.

    Source: AWQ (arXiv:2306.00978) as AutoAWQ's `gemm` layout stores it.
    """
    version = word(raw, "version").lower() or "gemm"
    if version not in ("gemm", "exllama", "ipex"):
        raise ConfigError(f"quantization: the layout of AWQ version {shown(version)} is not known here")
    bits = integer(raw, "bits" if "bits" in raw else "w_bit")
    group = integer(raw, "group_size" if "group_size" in raw else "q_group_size", 128)
    zeros = (Scales(rows=1, columns=group, bits=bits),) if raw.get("zero_point", True) else ()
    scales = (Scales(rows=1, columns=group, bits=16), *zeros)
    main = Format(label=f"AWQ int{bits}, groups of {group or 'all'}", bits=bits, scales=scales)
    return Scheme(method="awq", rules=(Rule(format=main),), skipped=names(raw, *SKIPS), where="layers")


def bitsandbytes(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """4 bits: blocks of 64 with a float32 maximum, a table of 16 float32; 8 bits: a float32 per output row.

    Double quantisation stores each maximum in a byte, with a float32 for 256 of them and a table of 256 float32.
    The text that bitsandbytes keeps beside each 4-bit weight (its shape and type, about 100 bytes) is left out.
    Source: QLoRA (arXiv:2305.14314), LLM.int8() (arXiv:2208.07339); bitsandbytes functional.py.
    """
    skipped = names(raw, "llm_int8_skip_modules")
    if raw.get("load_in_8bit") or raw.get("_load_in_8bit"):
        main = Format(label="int8, a scale per row", bits=8, scales=(Scales(rows=1, columns=0, bits=32),), constant=1)
    elif not (raw.get("load_in_4bit") or raw.get("_load_in_4bit")):
        raise ConfigError("quantization: bitsandbytes with neither load_in_4bit nor load_in_8bit")
    elif raw.get("bnb_4bit_use_double_quant"):
        levels = (Scales(rows=1, columns=64, bits=8), Scales(rows=1, columns=64 * 256, bits=32))
        main = Format(label="4 bits, double", bits=4, scales=levels, constant=4 * (16 + 256), flat=True)
    else:
        scales = Scales(rows=1, columns=64, bits=32)
        main = Format(label="4 bits, blocks of 64", bits=4, scales=(scales,), constant=64, flat=True)
    return Scheme(method="bitsandbytes", rules=(Rule(format=main),), skipped=skipped)


def mlx(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """Packed integers, a scale and a bias per group in the model's dtype; embeddings and head too.

    `mode` mxfp4, nvfp4 and mxfp8 have one scale byte per group and no bias. A module's own entry overrides; false
    leaves it alone. Towers are left alone. MLX names no method: `quantization_config` without one, which may be
    another's, is said to be read so. Source: mlx.core.quantize.
    """
    key = storage.quantization_key
    named = not key.endswith("quantization_config") or raw.get("quant_method") or raw.get("mode")
    own = {name: _mlx_format({**raw, **v}, dtype_bits) for name, v in raw.items() if isinstance(v, Mapping)}
    return Scheme(
        method="mlx",
        rules=(Rule(format=_mlx_format(raw, dtype_bits)),),
        named={stored: form for name, form in own.items() for stored in _stored_names(name)},
        skipped=Names(s for name, v in raw.items() if v is False and "." in name for s in _stored_names(name)),
        where="layers",
        head=True,
        tables=True,
        notes=() if named else (f"{key} names no quant_method: read as MLX stores weights",),
    )


MLX_EXPERTS = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}  # the short names of some checkpoints


def _stored_names(name: str) -> tuple[str, ...]:
    """A module in MLX's words in those of checkpoints: it stacks experts, and calls them `switch_mlp`."""
    start, found, leaf = bare(name).partition("switch_mlp.")
    if not found:
        return (start,)
    return tuple(f"{start}experts.0.{each}" for each in (leaf, MLX_EXPERTS.get(leaf, leaf)))


def _mlx_format(raw: Raw, dtype_bits: int) -> Format:
    mode, bits, group = raw.get("mode") or "affine", integer(raw, "bits"), several(raw, "group_size")
    if mode in ("mxfp4", "nvfp4", "mxfp8"):
        return Format(label=f"{mode}, groups of {group}", bits=bits, scales=(Scales(rows=1, columns=group, bits=8),))
    if mode != "affine":
        raise ConfigError(f"quantization: mode {shown(mode)} is not known here")
    both = (Scales(rows=1, columns=group, bits=dtype_bits),) * 2
    return Format(label=f"int{bits}, groups of {group}", bits=bits, scales=both)


def bitnet(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """Four ternary weights in a byte, and a scale per tensor in the model's dtype; `online` stores plain weights.

    Source: BitNet b1.58 (arXiv:2402.17764); transformers integrations/bitnet.py.
    """
    if raw.get("quantization_mode") == "online":
        return Scheme(method="bitnet", notes=("bitnet: weights are stored plainly and made ternary while running",))
    main = Format(label="ternary, 4 in a byte", bits=2, constant=dtype_bits // 8)
    return Scheme(method="bitnet", rules=(Rule(format=main),), skipped=names(raw, *SKIPS))


def grouped(raw: Raw, storage: Storage, dtype_bits: int) -> Scheme:
    """`config_groups` of compressed-tensors and ModelOpt; see `ffncalc.analysis.config_groups`."""
    from ffncalc.analysis.config_groups import scheme

    return scheme(raw, dtype_bits)


READERS: dict[str, Callable[[Raw, Storage, int], Scheme]] = {
    "awq": awq,
    "bitnet": bitnet,
    "bitsandbytes": bitsandbytes,
    "compressed-tensors": grouped,
    "fbgemm_fp8": fbgemm_fp8,
    "fp8": fp8,
    "gptq": gptq,
    "mlx": mlx,
    "modelopt": grouped,
    "mxfp4": mxfp4,
}
