"""Settings of `ffncalc check`: `[tool.ffncalc]` in pyproject.toml, or ffncalc.toml, nearest above the file.

Each key has a row in KEYS that says how its value is read; a new setting is a row there and a field of Settings. Keys
may be written with underscores.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from ffncalc.checks import budgets
from ffncalc.checks.budgets import Budgets, Limits, Share
from ffncalc.checks.finding import Severity
from ffncalc.checks.lock_file import Lock, absolute
from ffncalc.errors import UsageError, nearest, shown

UNREADABLE = "F001"  # nothing else is known of a file that cannot be read
FILES = ("ffncalc.toml", "pyproject.toml")  # the first one in a folder counts


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to check, and for which deployment.

    `select` and `ignore` hold codes or the start of codes; of two that match, the longer counts. `tp`, `ep` and `pp`
    are the numbers of parts that tensors, experts and layers are split into (None: not asked). `exclude` holds for what
    is found, with `force_exclude` also for what is named. `root` is the folder that patterns are relative to; `lock`
    counts in place of the nearest lock file.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    fail_on: Severity = Severity.ERROR
    tp: int | None = None
    ep: int | None = None
    pp: int | None = None
    budgets: Budgets = ()
    lock: Lock | None = None
    root: Path | None = None

    def wants(self, code: str, path: str) -> bool:
        """Whether a rule is on for a file."""
        return code in self.chosen(path)

    def chosen(self, path: str) -> tuple[str, ...]:
        """The rules that are on for a file; UNREADABLE unless it is ignored in full."""
        select, ignored = (*self.select, UNREADABLE), self.ignore
        for pattern, codes in self.per_file_ignores:
            if self.matches(path, pattern):
                ignored += codes
        return _chosen(select, ignored)

    def matches(self, path: str, pattern: str) -> bool:
        """Whether a pattern, relative to the settings file, means a file: by its path, its end, or its name."""
        shown = path.replace("\\", "/")
        if self.root is not None:
            full = Path(os.path.realpath(path))
            if full.is_relative_to(self.root):
                shown = full.relative_to(self.root).as_posix()
        return (
            fnmatchcase(shown, pattern) or fnmatchcase(shown, f"*/{pattern}") or fnmatchcase(Path(shown).name, pattern)
        )

    def excludes(self, path: str) -> bool:
        """Whether a file or folder is excluded; what lies in an excluded folder is for the caller to know."""
        return any(self.matches(path, pattern) for pattern in self.exclude)

    def limits(self, path: str) -> Limits:
        """The budgets of a file."""
        found: dict[str, int | Share] = {}
        for pattern, limits in self.budgets:
            if pattern == "*" or self.matches(path, pattern):
                found |= limits
        return found

    def with_options(self, **given: Any) -> Settings:
        """The same, with what the command line says in place of it; None says nothing. Budgets are added."""
        said = {name: value for name, value in given.items() if value is not None}
        return replace(self, **said | {"budgets": (*self.budgets, *said.get("budgets", ()))})


@lru_cache(256)
def _chosen(select: tuple[str, ...], ignored: tuple[str, ...]) -> tuple[str, ...]:
    from ffncalc.checks import RULES

    return tuple(code for code in RULES if _strength(select, code) > _strength(ignored, code))


def _strength(codes: tuple[str, ...], code: str) -> int:
    """How exactly some codes name one: the length of the longest that it starts with; ALL is 0, none is -1."""
    return max((0 if c == "ALL" else len(c) for c in codes if c == "ALL" or code.startswith(c)), default=-1)


def for_file(path: Path) -> Settings:
    """The settings that hold for a file.

    Raises:
        UsageError: a settings file is wrong; the message names the file and the key.
    """
    return for_folder(Path(os.path.realpath(absolute(path))).parent)


@lru_cache(512)
def for_folder(folder: Path) -> Settings:
    """The settings that hold for the files of a folder."""
    for above in (folder, *folder.parents):
        for name in FILES:
            file = above / name
            if os.path.isfile(file):  # Path.is_file fails in a folder that may not be read
                table = _table(file)
                if table is not None:
                    return parse(table, str(file), root=above)
    return DEFAULT


def _table(file: Path) -> Mapping[str, Any] | None:
    """The settings in a file; None where a pyproject.toml has none."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{file}: cannot be read: {error}") from None
    if file.name == "ffncalc.toml":
        return data
    tools = data.get("tool")
    table = tools.get("ffncalc") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{file}: tool.ffncalc must be a table")
    return table


def parse(table: Mapping[str, Any], where: str, *, root: Path | None = None) -> Settings:
    """The settings of a table.

    Raises:
        UsageError: for an unknown key, with the nearest known one, or a wrong value.
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        if name not in KEYS:
            raise UsageError(f"{where}: unknown setting {key!r}", _known(name))
        field = name.replace("-", "_")
        if field in values:
            raise UsageError(f"{where}: {key!r} is given twice", f"Keep {name!r} only.")
        values[field] = KEYS[name](value, f"{where}: {key}")
    return Settings(**values, root=root)


def _known(key: str) -> str:
    """What to write in place of a key that is unknown."""
    if key == "tool":
        return "Headings in ffncalc.toml have no `tool.ffncalc`, which is for pyproject.toml: leave it out."
    near = nearest(key, KEYS)
    return f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(sorted(KEYS))}."


def codes(value: object, where: str) -> tuple[str, ...]:
    """Codes of rules, groups (`S`), or ALL."""
    from ffncalc.checks import RULES

    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{where}: must be a list of rule codes, got {shown(value)}")
    known = ("ALL", *RULES)
    for each in value:
        if not each or not any(code.startswith(each) for code in known):
            near = nearest(each, known)
            raise UsageError(
                f"{where}: no rule is called {each!r}",
                f"Did you mean {near[0]!r}?" if near else "`ffncalc rules` lists them.",
            )
    return tuple(value)


def patterns(value: object, where: str) -> tuple[str, ...]:
    """File patterns."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each for each in value):
        raise UsageError(f"{where}: must be a list of file patterns, got {shown(value)}")
    return tuple(value)


def _ignores(value: object, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: must be a table of pattern = [codes], got {shown(value)}")
    return tuple((pattern, codes(listed, f"{where}.{pattern!r}")) for pattern, listed in value.items())


def severity(value: object, where: str) -> Severity:
    """A severity."""
    if value not in [each.value for each in Severity]:
        raise UsageError(f"{where}: must be one of {', '.join(Severity)}, got {shown(value)}")
    return Severity(str(value))


def switch(value: object, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{where}: must be true or false, got {shown(value)}")
    return value


def parts(value: object, where: str) -> int:
    """A number of parts."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 65536:
        raise UsageError(f"{where}: must be an integer from 1 to 65536, got {shown(value)}")
    return value


KEYS: dict[str, Callable[[object, str], Any]] = {
    "budgets": budgets.parse,
    "ep": parts,
    "exclude": patterns,
    "fail-on": severity,
    "force-exclude": switch,
    "ignore": codes,
    "per-file-ignores": _ignores,
    "pp": parts,
    "select": codes,
    "tp": parts,
}

DEFAULT = Settings()
