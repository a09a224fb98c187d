"""`ffncalc.check`, `lock`, `rules` and `rule`: the door to the library."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ffncalc.checks import RULES, discovery, name_of
from ffncalc.checks.doc import Doc, doc, docs
from ffncalc.checks.examine import examine
from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.locking import Update, bring_up_to_date, place
from ffncalc.checks.runner import check_all
from ffncalc.checks.settings import DEFAULT, KEYS, parse
from ffncalc.errors import FfncalcError, UsageError, nearest


@dataclass(frozen=True, kw_only=True)
class Report:
    """The findings of one call, and how many files it looked at."""

    findings: tuple[Finding, ...]
    files: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(f for f in self.findings if f.severity is Severity.ERROR)

    def to_dict(self) -> dict[str, object]:
        """The `findings` and a `summary` as in the JSON contract."""
        counts = {f"{each}s": sum(f.severity is each for f in self.findings) for each in Severity}
        return {"findings": [f.to_dict() for f in self.findings], "summary": {"files": self.files, **counts}}


def check(path: str | PathLike[str] | Mapping[str, Any], **settings: Any) -> Report:
    """Check a file, a folder, a pattern, a model on the Hub, or an already parsed config.

    `settings` are those of ffncalc.toml, with underscores: `check("configs", select=["S"], tp=8)`; for files they are
    put over the settings above them. Places are those of the file, or of a parsed config written with an indent of two.

    Raises:
        UsageError: for a setting that is unknown or wrong.
        FfncalcError: a file could not be had.
    """
    given = parse({name.replace("_", "-"): value for name, value in settings.items()}, "check")
    options = {name: getattr(given, name) for key in KEYS if (name := key.replace("-", "_")) in settings}
    if isinstance(path, Mapping):
        text = json.dumps(path, indent=2).encode()
        return Report(findings=examine(text, "dict", DEFAULT.with_options(**options)), files=1)
    failures: list[FfncalcError] = []
    named = discovery.included([fspath(path)], given.force_exclude)
    results = list(check_all(discovery.targets(named, lambda _, error: failures.append(error)), options, 1))
    for failure in (*failures, *(r.error for r in results if r.error)):
        raise failure
    return Report(findings=tuple(f for r in results for f in r.findings), files=len(results))


def lock(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    *,
    folder: str | PathLike[str] | None = None,
    check: bool = False,
) -> Update:
    """Write what is counted in files, folders or patterns to ffncalc.lock.json; `check` only compares.

    Without paths: the files that are locked. The lock file lies in `folder`, by default the nearest one above the
    current folder, else a new one here. A file that cannot be counted is in `failed`, and keeps the entry it has.

    Raises:
        NotFound: nothing is locked and nothing named, or no config is where one was named.
        UsageError: a file lies outside the folder, or the lock file cannot be read or written.
    """
    listed = [paths] if isinstance(paths, str | PathLike) else paths
    return bring_up_to_date([fspath(p) for p in listed], place(None if folder is None else Path(folder)), check=check)


def rules() -> tuple[Doc, ...]:
    """What each rule of `check` finds and why, by code."""
    return tuple(docs())


def rule(code: str) -> Doc:
    """The rule of a code (S002) or a name (kv-heads-do-not-divide).

    Raises:
        UsageError: there is none; the message names the nearest.
    """
    names = {name_of(each): each for each in RULES} | {each.casefold(): each for each in RULES}
    found = names.get(code.casefold())
    if found is None:
        near = nearest(code.upper(), RULES) or nearest(code, names)
        hint = f"Did you mean {near[0]}?" if near else "`ffncalc rules` lists them."
        raise UsageError(f"no rule is called {code!r}", hint)
    return doc(found)
