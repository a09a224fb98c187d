"""A quantisation in one form: which weights it packs, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ffncalc.analysis.formats import Format
from ffncalc.analysis.module_names import Names, bare
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Role, Stream, Tensor, Use

Raw = Mapping[str, Any]
NOBODY = Names(())


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A format and the modules that have it (None: all that no other rule names)."""

    format: Format
    targets: Names | None = None


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A quantisation: single modules by name, then rules in order, the first that fits counts; and what is left alone.

    `where`: all linear maps, those in the layers of the language model (`layers`), or routed experts alone. `head` and
    `tables`: the output head and the embeddings are packed too. `experts`: how routed experts are stored, if otherwise.
    """

    method: str
    rules: tuple[Rule, ...] = ()
    named: Mapping[str, Format] = field(default_factory=dict)
    skipped: Names = NOBODY
    where: Literal["linear", "layers", "experts"] = "linear"
    head: bool = False
    tables: bool = False
    experts: Format | None = None
    cache: str = ""  # the number format that the config asks for in the key–value cache
    notes: tuple[str, ...] = ()
    memo: dict[str, Format | None] = field(default_factory=dict, compare=False, repr=False)

    def covers(self, block: Block, tensor: Tensor) -> bool:
        """Whether the method applies to such a weight at all, whatever its name."""
        role = tensor.role
        if tensor.use is Use.LOOKUP:
            return self.tables and role is Role.TOKEN
        if tensor.use not in (Use.MATMUL, Use.SEQUENCE) or len(tensor.shape) != 2 or role in (Role.ROUTER, Role.NORM):
            return False
        if role is Role.HEAD:
            return self.head
        if self.where == "experts":
            return role is Role.ROUTED
        return self.where == "linear" or (bool(block.indexes) and block.stream is not Stream.MEDIA)

    @property
    def by_layer(self) -> bool:
        """Whether equal layers may be stored differently."""
        targets = (rule.targets for rule in self.rules if rule.targets is not None)
        return bool(self.named) or self.skipped.numbered or any(names.numbered for names in targets)

    def format_of(self, module: str, role: Role) -> Format | None:
        """The format of a weight that is covered, by the name of its module; None: as the model's dtype says."""
        key = f"{module} {role}"
        if key not in self.memo:
            self.memo[key] = self._format_of(module, role)
        return self.memo[key]

    def _format_of(self, module: str, role: Role) -> Format | None:
        if module in self.skipped:
            return None
        if self.experts is not None and role is Role.ROUTED:
            return self.experts
        if (own := self.named.get(bare(module))) is not None:
            return own
        for rule in self.rules:
            if rule.targets is None or rule.targets.linear or module in rule.targets:
                return rule.format
        return None


def integer(raw: Raw, key: str, default: int | None = None) -> int:
    """A number of a quantisation config whose fields were checked; a group of -1 means all inputs, and is 0 here.

    Raises:
        ConfigError: it is absent, without a default.
    """
    value = raw.get(key)
    if value is None:
        value = default
    if value is None:
        raise ConfigError(f"quantization: {key} is missing, and required")
    return max(int(value), 0)


def several(raw: Raw, key: str) -> int:
    """The size of a group in a layout that has no single group for all inputs.

    Raises:
        ConfigError: it is absent, or -1.
    """
    size = integer(raw, key)
    if size < 1:
        raise ConfigError(f"quantization: {key} must be a positive integer here, got {shown(raw.get(key))}")
    return size


def pair(raw: Raw, key: str) -> tuple[int, int]:
    """Rows and columns of a block.

    Raises:
        ConfigError: they are absent.
    """
    value = raw.get(key)
    if value is None:
        raise ConfigError(f"quantization: {key} is missing, and required")
    return value[0], value[1]


def listed(raw: Raw, *keys: str) -> list[object]:
    """The entries of all these lists; what is no list has none."""
    return [entry for key in keys if isinstance(found := raw.get(key), list) for entry in found]


def names(raw: Raw, *keys: str) -> Names:
    """The modules that any of these lists leaves alone."""
    return Names(listed(raw, *keys))
