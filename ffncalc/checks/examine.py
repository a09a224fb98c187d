"""One file under all rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ffncalc.checks import Rule, lock_file, rule
from ffncalc.checks.absent import noted
from ffncalc.checks.document import Document, Place
from ffncalc.checks.finding import Fault, Finding, Severity
from ffncalc.checks.settings import DEFAULT, Settings
from ffncalc.checks.subject import Subject
from ffncalc.errors import FileError
from ffncalc.source import foreign

MOVED, MISSING = "L001", "L003"
WITHOUT_CONFIG = ("F001", "B006", MOVED)  # rules that have to do with what holds no config
OUTCOMES = ("B", "L")  # groups that say what comes of a fault in a field, not what the fault is
VAGUE = "F012"  # gives way to any other error that has to do with the same field
LONGEST = 1_000  # characters of a message: names of the file may have any length
GENERAL = ("F003", "F004", "F005")  # give way to an error of another group about the same field


def examine(data: bytes, path: str, settings: Settings = DEFAULT) -> tuple[Finding, ...]:
    """What the rules find in the text of a config file, in the order of the file."""
    subject = _subject(data, path, settings)
    codes = [code for code in settings.chosen(path) if subject.unread is None or code in WITHOUT_CONFIG]
    faults = [(each, noted(fault, subject)) for each in map(rule, codes) for fault in each.check(subject)]
    return _placed(list(_without_echoes(faults)), subject.document, path)


def _subject(data: bytes, path: str, settings: Settings) -> Subject:
    try:
        document = Document.read(data, path)
        foreign.refuse(document.raw, path)
    except FileError as error:
        return Subject(path=path, document=Document(data, {}), settings=settings, unread=error)
    return Subject(path=path, document=document, settings=settings)


def examine_lock(data: bytes, path: str, settings: Settings) -> tuple[Finding, ...]:
    """What is found in a lock file itself: names of files that are not there.

    Raises:
        LockError: it cannot be read.
    """
    lock_file.parse(data, Path(path))
    document = Document.read(data, path)
    subject = Subject(path=path, document=document, settings=settings)
    return _placed([(rule(MISSING), fault) for fault in rule(MISSING).check(subject)], document, path)


def _without_echoes(faults: list[tuple[Rule, Fault]]) -> Iterator[tuple[Rule, Fault]]:
    """Without what the family says about a field that a rule has an error for."""
    causes = [(r, f) for r, f in faults if r.code != VAGUE and not r.code.startswith(OUTCOMES)]
    errors = [(r.code, f) for r, f in causes if (f.severity or r.severity) is Severity.ERROR]
    named = {_bare(field) for _, fault in errors for field in (fault.field, *fault.also)}
    known = {_bare(fault.field) for code, fault in errors if not code.startswith("F")}
    for each, fault in faults:
        others = named if each.code == VAGUE else known if each.code in GENERAL else ()
        if _bare(fault.field) not in others:
            yield each, fault


def _bare(field: str) -> str:
    return re.sub(r"\[\d+\]", "", field)


def _placed(faults: list[tuple[Rule, Fault]], document: Document, path: str) -> tuple[Finding, ...]:
    places = document.places({fault.field for _, fault in faults})
    found = (_finding(each, fault, places[fault.field], path) for each, fault in faults)
    return tuple(sorted(found, key=lambda f: (f.line, f.column, f.code)))


def _finding(each: Rule, fault: Fault, place: Place, path: str) -> Finding:
    if fault.place is not None:
        line, column = fault.place
        place = Place(line, column, line, column + 1)
    return Finding(
        path=path,
        line=place.line,
        column=place.column,
        end_line=place.end_line,
        end_column=place.end_column,
        code=each.code,
        name=each.name,
        severity=fault.severity or each.severity,
        field=fault.field,
        message=_cut(fault.message),
        hint=_cut(fault.hint),
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The worst severity of some findings; None where there are none."""
    return max((f.severity for f in findings), key=lambda s: s.rank, default=None)
