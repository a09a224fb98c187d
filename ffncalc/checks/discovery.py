"""Which files a command line means: files, folders, patterns, `-`, and models on the Hub."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ffncalc.checks import lock_file
from ffncalc.checks.settings import for_file, for_folder
from ffncalc.errors import FfncalcError, FileError, NotFound, UsageError
from ffncalc.source import reference

SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv"}  # and whatever starts with a dot
DEEPEST = 100  # levels of folders that are looked into; looking up to the settings takes time in each
MAIN = ("config.json", "params.json")
OTHERS = {  # JSON of model repositories that is no model config
    "adapter_config.json", "added_tokens.json", "chat_template.json", "generation_config.json", "model_index.json",
    "modules.json", "package.json", "preprocessor_config.json", "processor_config.json", "quantize_config.json",
    "sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "tsconfig.json",
    "video_preprocessor_config.json", "vocab.json", "config_sentence_transformers.json",
}  # fmt: skip


class Target(NamedTuple):
    """Something to check: as `shown` in findings, a file where it has a `path`. `sure`: checked whatever it is."""

    shown: str
    path: str | None = None
    sure: bool = True


Failed = Callable[[str, FfncalcError], None]


def targets(refs: Iterable[str], failed: Failed) -> Iterator[Target]:
    """The targets of a command line, in order, each file once; what cannot be found is handed to `failed`."""
    listed = list(refs)
    named = {_key(path) for ref in listed if os.path.isfile(path := os.path.expanduser(ref))}
    seen: set[str] = set()
    for ref in listed:
        try:
            for target in chain(_lock_above(ref), _of(ref, failed)):
                if target.path is None:
                    yield target
                elif (key := _key(target.path)) not in seen:
                    seen.add(key)
                    yield target._replace(sure=True) if key in named else target
        except FfncalcError as error:
            failed(reference.public(ref), error)


def included(refs: Iterable[str], force: bool = False) -> list[str]:
    """What is named, without files and folders that are excluded where `force` or the settings say that this counts."""
    return [ref for ref in refs if not _left_out(os.path.expanduser(ref), force)]


def _left_out(path: str, force: bool) -> bool:
    if not (os.path.isfile(path) or os.path.isdir(path)):
        return False
    return (force or for_file(Path(path)).force_exclude) and _is_excluded(path, {})


def _is_excluded(path: str, told: dict[str, bool]) -> bool:
    """Whether a file or folder, or one that it lies in, is excluded; `told` keeps what is known of each."""
    full = Path(os.path.abspath(path))
    above = False
    for each in (*reversed(full.parents), full):
        name = str(each)
        if name not in told:
            told[name] = above or for_folder(each.parent.resolve()).excludes(name)
        above = told[name]
    return above


def _key(path: str) -> str:
    return os.path.normcase(lock_file.absolute(path))


def _lock_above(ref: str) -> Iterator[Target]:
    """The lock file that holds for a file, a folder, or the files that a pattern means."""
    path = os.path.expanduser(ref)
    if glob.has_magic(path) and not os.path.exists(path):
        path = re.split(r"[*?[]", path, maxsplit=1)[0]
        path = path if os.path.isdir(path) else os.path.dirname(path) or "."
    if os.path.exists(path):
        found = lock_file.nearest(Path(path if os.path.isdir(path) else os.path.dirname(path)))
        if found is not None:
            yield Target(lock_file.shown(found), str(found))


def _of(ref: str, failed: Failed) -> Iterator[Target]:
    if reference.descriptor(ref) is not None:
        yield Target(ref)
    elif os.path.isdir(expanded := os.path.expanduser(ref)):
        yield from _in_folder(expanded, failed)
    elif os.path.lexists(expanded):
        yield Target(ref, expanded)
    elif reference.is_address(ref):
        yield Target(reference.parse(ref).shown)
    elif glob.has_magic(ref):
        yield from _matching(ref, failed)
    else:
        reference.parse(ref)  # raises for what can be no reference
        yield Target(ref)


def _matching(pattern: str, failed: Failed) -> Iterator[Target]:
    """Files that a pattern means, sorted folder by folder, and what folders among them hold."""
    empty, told = True, dict[str, bool]()
    try:
        found = sorted(glob.iglob(os.path.expanduser(pattern), recursive=True))
    except RecursionError:
        raise UsageError(f"{pattern}: folders are nested too deeply for a pattern", "Give the folder.") from None
    for path in found:
        empty = False
        if _is_excluded(path, told):
            continue
        if os.path.isdir(path):
            if not pattern.endswith("**"):
                yield from _in_folder(path, failed)
        elif path.endswith(".json") and not _is_special(path):
            yield Target(path, path, os.path.basename(path) in MAIN)
    if empty:
        raise NotFound(f"{pattern}: no file matches")


def _in_folder(folder: str, failed: Failed) -> Iterator[Target]:
    """Configs below a folder, sorted; links to folders are not followed."""
    under_way = [_entries(folder, failed)]
    while under_way:
        entry = next(under_way[-1], None)
        if entry is None:
            under_way.pop()
        elif entry.is_dir(follow_symlinks=False):
            if len(under_way) < DEEPEST:
                under_way.append(_entries(entry.path, failed))
            else:
                message = f"{entry.path}: lies {DEEPEST} folders below {folder}, and is not looked into"
                failed(entry.path, FileError(message, "Name it to check it."))
        elif entry.name == lock_file.NAME:
            yield Target(entry.path, entry.path)
        else:
            yield Target(entry.path, entry.path, entry.name in MAIN)


def _entries(folder: str, failed: Failed) -> Iterator[os.DirEntry[str]]:
    """What is looked at in a folder, sorted: folders and JSON files."""
    settings = for_folder(Path(folder).resolve())
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        failed(folder, FileError(f"{folder}: cannot be read ({error.strerror})"))
        return
    for entry in found:
        name = entry.name
        if name.startswith(".") or settings.excludes(entry.path):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if name not in SKIPPED if is_folder else _may_be_config(name) and not _is_special(entry.path):
            yield entry


def _may_be_config(name: str) -> bool:
    return name.endswith(".json") and name not in OTHERS and not name.endswith(".index.json")


def _is_special(path: str) -> bool:
    """Whether a path is a pipe, a device, a socket or a link to a folder: nobody may ever write to a pipe found."""
    return os.path.exists(path) and not os.path.isfile(path)
