"""The cache of huggingface_hub: reading it, and adding what was fetched.

Layout (huggingface_hub, "Understand caching"): refs/<revision>, blobs/<etag> and snapshots/<commit>/<file> under
models--org--name.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}")
ETAG = re.compile(r"[0-9A-Za-z_-]{1,128}")


def find(repo_id: str, file: str, revision: str | None) -> tuple[bytes, str] | None:
    """The cached bytes of a file and the commit they belong to."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(repo_id, file, revision=revision)
    if not isinstance(path, str):
        return None
    commit = Path(path).parents[file.count("/")].name
    try:
        return Path(path).read_bytes(), commit
    except OSError:  # a dangling link: as good as not cached
        return None


def keep(repo_id: str, file: str, revision: str | None, commit: str, etag: str, data: bytes) -> None:
    """Store a fetched file as huggingface_hub does, so that both find it later; a cache that refuses is no error."""
    from huggingface_hub import constants

    if not COMMIT.fullmatch(commit) or not ETAG.fullmatch(etag):
        return
    root = Path(constants.HF_HUB_CACHE) / "--".join(("models", *repo_id.split("/")))
    blob, pointer = root / "blobs" / etag, root / "snapshots" / commit / file
    with suppress(OSError):  # read-only or full: the next run fetches again
        _write(blob, data)
        _link(pointer, blob)
        if revision != commit:
            _write(root / "refs" / (revision or "main"), commit.encode())


def _write(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.incomplete")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _link(pointer: Path, blob: Path) -> None:
    """A relative link to the blob, or a copy where the file system has no links."""
    pointer.parent.mkdir(parents=True, exist_ok=True)
    if pointer.exists():
        return
    pointer.unlink(missing_ok=True)
    try:
        pointer.symlink_to(os.path.relpath(blob, pointer.parent))
    except OSError:
        _write(pointer, blob.read_bytes())
