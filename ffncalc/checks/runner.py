"""Many files under all rules: a stream of targets in, a stream of results out, in the same order.

Only a few chunks of files are under way at a time, so that memory does not grow with their number. Processes are
started when there is work for them: a file takes a millisecond or two, a process a tenth of a second.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ffncalc import source
from ffncalc.checks import lock_file
from ffncalc.checks.discovery import Target
from ffncalc.checks.elsewhere import explained
from ffncalc.checks.examine import MISSING, MOVED, examine, examine_lock
from ffncalc.checks.finding import Finding
from ffncalc.checks.settings import DEFAULT, Settings, for_file, for_folder
from ffncalc.errors import FfncalcError, FileError, NotFound
from ffncalc.source import foreign, reading
from ffncalc.source.reference import descriptor

CHUNK = 64
ALONE = 256  # files that one process does faster than two would start
SIGNS = re.compile(rb'"(?:model_type|architectures|hidden_size|n_embd|num_hidden_layers)"')


@dataclass(frozen=True)
class Checked:
    """The outcome for one file: findings, or why it could not be checked."""

    path: str
    findings: tuple[Finding, ...] = ()
    error: FfncalcError | None = None
    fails: bool = False  # whether a finding is as bad as the settings of the file tolerate no more


Options = Mapping[str, Any]  # fields of Settings that the command line sets


def check_all(
    targets: Iterable[Target],
    options: Options,
    jobs: int | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Iterator[Checked]:
    """Check every target; files of a folder that turn out to be something else are left out.

    `jobs` is the number of processes, as many as there are processors unless given. `done` is told how many more
    targets were looked at, those left out as well.

    Raises:
        UsageError: a settings file is wrong.
    """
    stream = iter(targets)
    first = list(islice(stream, ALONE))
    workers = jobs or os.cpu_count() or 1
    if workers > 1 and len(first) == ALONE:
        yield from _in_processes(chain(first, stream), options, workers, done)
        return
    for target in chain(first, stream):
        checked = check_one(target, options)
        done(1)
        yield from _kept(checked)


def _in_processes(
    targets: Iterator[Target], options: Options, workers: int, done: Callable[[int], None]
) -> Iterator[Checked]:
    from concurrent.futures import Future

    from ffncalc.checks import workers as processes

    def here(chunk: Sequence[Target]) -> Future[list[Checked]]:
        future: Future[list[Checked]] = Future()
        future.set_result(check_chunk(chunk, options))
        return future

    def finished() -> Iterator[Checked]:
        count, future = waiting.popleft()
        results = future.result()
        done(count)
        yield from results

    waiting: deque[tuple[int, Future[list[Checked]]]] = deque()
    with processes.pool(workers) as submit:
        while chunk := list(islice(targets, CHUNK)):
            alone = any(map(is_stream, chunk))
            waiting.append((len(chunk), here(chunk) if alone else submit(check_chunk, chunk, options)))
            if len(waiting) > 2 * workers:
                yield from finished()
        while waiting:
            yield from finished()


def is_stream(target: Target) -> bool:
    """Whether a target is an open stream, which other processes do not have."""
    return target.path is None and descriptor(target.shown) is not None


def check_chunk(targets: Sequence[Target], options: Options) -> list[Checked]:
    """What one process does at a time."""
    return [checked for target in targets for checked in _kept(check_one(target, options))]


def _kept(checked: Checked | None) -> tuple[Checked, ...]:
    return () if checked is None else (checked,)


def check_one(target: Target, options: Options) -> Checked | None:
    """Check one target; None for a file of a folder that is no model config.

    Raises:
        UsageError: a settings file is wrong.
    """
    path = None if target.path is None else Path(target.path)
    settings = (_of_current_folder() if path is None else for_file(path)).with_options(**options)
    is_lock = path is not None and path.name == lock_file.NAME
    if is_lock and not settings.wants(MISSING, target.shown):
        return None
    try:
        data = _read(target)
    except FfncalcError as error:
        if is_lock:  # no file below can be held to it
            raise lock_file.LockError(error.message, error.hint) from None
        return Checked(target.shown, error=explained(error, target.shown) if path is None else error)
    if path is not None and not target.sure and not is_config(data) and not _is_held(path, settings):
        return None
    findings = (examine_lock if is_lock else examine)(data, target.shown, settings)
    if is_lock and not findings:
        return None
    return Checked(target.shown, findings, fails=any(f.severity.rank >= settings.fail_on.rank for f in findings))


def _is_held(path: Path, settings: Settings) -> bool:
    return settings.wants(MOVED, str(path)) and lock_file.holds(path)


def _of_current_folder() -> Settings:
    try:
        return for_folder(Path.cwd())
    except FileNotFoundError:  # it was deleted
        return DEFAULT


def _read(target: Target) -> bytes:
    if target.path is None:
        return source.fetch(target.shown).data
    try:
        return reading.read_path(target.path, target.shown)
    except FileNotFoundError:
        raise NotFound(f"{target.shown}: no such file") from None
    except OSError as error:
        raise FileError(f"{target.shown}: cannot be read ({error.strerror})") from None


def is_config(data: bytes) -> bool:
    """Whether a JSON file of any name looks like a model config; a broken one does if it has a key of them."""
    if len(data) > reading.LIMIT:
        return False
    try:
        raw = reading.parse(data, "")
        foreign.refuse(raw, "")
    except FileError:
        return bool(SIGNS.search(data)) and not _readable(data)
    return any(isinstance(raw.get(key), str) for key in ("model_type",)) or (
        isinstance(raw.get("architectures"), list) or any(key in raw for key in ("hidden_size", "n_embd"))
    )


def _readable(data: bytes) -> bool:
    try:
        reading.parse(data, "")
    except FileError:
        return False
    return True
