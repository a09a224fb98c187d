"""Sizes of state-space mixers as configs spell them: the step rank, the head width, the groups of Mamba-2."""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig
from ffncalc.components.mamba import Mamba2
from ffncalc.errors import ConfigError
from ffncalc.formula import call
from ffncalc.schema import AutoSize, BaseConfig, Size


def step_rank(value: int | str, width: int) -> int:
    """The rank of Mamba's step projection: a sixteenth of the width, rounded up, where the config says "auto"."""
    if isinstance(value, int):
        return value
    return call("ceil", -(-int(width) // 16), width // 16)


def head_width(c: BaseConfig, inner: int, heads: int, dim: int | str, *, fields: tuple[str, str]) -> int:
    """Channels per Mamba-2 head; heads and head width, whose `fields` are named in errors, must give `inner`.

    Raises:
        ConfigError: they do not.
    """
    by, field = (c.key(name) for name in fields)
    if inner % heads:
        raise ConfigError(f"{by}: {heads} does not divide the {inner} channels of the mixer")
    if not isinstance(dim, int):
        return inner // heads
    if heads * dim != inner:
        raise ConfigError(
            f"{by}, {field}: {heads} heads of {dim} are {heads * dim} channels, but the mixer has {inner}"
        )
    return dim


class Mamba2Config(DecoderConfig):
    """The `mamba_…` fields that Bamba, Granite 4.0 and Falcon-H1 share."""

    mamba_n_heads: Size = 128
    mamba_d_head: AutoSize = "auto"
    mamba_n_groups: Size = 1
    mamba_d_state: Size = 256
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False


def mamba2(
    c: Mamba2Config, *, inner: int | None = None, out_bias: bool | None = None, gated_norm: bool = True
) -> Mamba2:
    """The mixer of a `Mamba2Config`; `inner` where it is not mamba_expand · hidden_size."""
    channels = c.mamba_expand * c.hidden_size if inner is None else inner
    return Mamba2(
        "mamba",
        width=c.hidden_size,
        heads=c.mamba_n_heads,
        head_dim=head_width(c, channels, c.mamba_n_heads, c.mamba_d_head, fields=("mamba_n_heads", "mamba_d_head")),
        size=c.mamba_d_state,
        groups=c.mamba_n_groups,
        kernel=c.mamba_d_conv,
        bias=c.mamba_proj_bias,
        out_bias=out_bias,
        conv_bias=c.mamba_conv_bias,
        gated_norm=gated_norm,
    )
