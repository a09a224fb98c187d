"""ffncalc lock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ffncalc.cli.output import Ended, complain, write
from ffncalc.errors import NotFound
from ffncalc.report.document import clean

if TYPE_CHECKING:
    from ffncalc.checks.locking import Update

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH", help="File, folder or pattern; without any, the files that are locked.", show_default=False
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where the lock file lies; the nearest one above the current folder, else a new one here.",
        show_default=False,
    ),
]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if the lock file is out of date.")]

ForceExclude = Annotated[
    bool,
    typer.Option("--force-exclude", help="Leave out named files that the settings exclude, too.", show_default=False),
]


def lock(paths: Paths = None, folder: Folder = None, check: Check = False, force_exclude: ForceExclude = False) -> None:
    """Write down what is counted, in ffncalc.lock.json, for `check` to hold files to."""
    from ffncalc.checks import lock_file, locking

    if folder is not None and not folder.is_dir():
        raise NotFound(f"--folder {folder}: no such folder")
    place = locking.place(folder)
    update = locking.bring_up_to_date(paths or [], place, check=check, force_exclude=force_exclude)
    lines = (_differences if check else _changes)(update, lock_file.shown(update.path))
    write("".join(f"{clean(line)}\n" for line in lines))
    for name, error in update.failed.items():
        complain(error.message if name in error.message else f"{name}: {error.message}", error.hint)
    if update.failed or (check and update.differs):
        raise Ended(2 if update.failed else 1)


def _changes(update: Update, shown: str) -> Iterator[str]:
    """What was written."""
    yield from (f"added {name}: {update.files[name].total:,} parameters" for name in update.added)
    yield from (f"changed {name}: {what}" for name, what in update.changed.items())
    yield from (f"removed {name}" for name in update.removed)
    files = "1 file" if len(update.files) == 1 else f"{len(update.files):,} files"
    yield f"{shown}: {files} locked{'' if update.differs else ', nothing changed'}"


def _differences(update: Update, shown: str) -> Iterator[str]:
    """What is out of date."""
    yield from (f"{name}: not in the lock file" for name in update.added)
    yield from (f"{name}: not as locked: {what}" for name, what in update.changed.items())
    yield from (f"{name}: locked, but not there" for name in update.removed)
    if update.differs:
        yield f"{shown} is out of date; if the changes are meant, run `ffncalc lock` on these files"
    elif update.failed:
        yield f"{shown} is up to date but for what could not be counted"
    else:
        yield f"{shown} is up to date"
