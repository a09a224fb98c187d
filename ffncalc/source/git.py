"""A config at a revision of the git repository that the current folder is in.

Git is asked for the stored bytes (`cat-file`): `git show` would run the text filters that a repository configures. The
name of the object goes to its standard input, so that nothing in it can be taken for an option.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from ffncalc.errors import FileError, NotFound, SourceError, UsageError
from ffncalc.source.reading import LIMIT

SECONDS = 30  # git answers from disk; only a partial clone asks a server
QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


@dataclass(frozen=True)
class Blob:
    """A file as git stores it; `commit` is None for the index. `path` is the one that was found."""

    data: bytes
    commit: str | None
    path: str


def fetch(revision: str, path: str) -> Blob:
    """The file at `path` of a revision, or the config.json of the folder at `path`; "" is the index.

    Paths start at the top of the repository, or at the current folder when they start with `./`. Links inside the
    repository are followed.

    Raises:
        NotFound: no such revision, or no such file in it.
        SourceError: there is no git, or no repository here.
        FileError: what is there is no file that could be a config.
    """
    shown = f"{revision}:{path}"
    commit = _commit(revision) if revision else None
    found = _read(f"{commit or ''}:{path}")
    if found is not None and found[0] == "tree":
        path = f"{path.rstrip('/')}/config.json"
        found = _read(f"{commit or ''}:{path}")
    if found is None:
        hint = "Paths start at the top of the repository; `./` before one starts at the current folder."
        raise NotFound(f"{shown}: no such file in {revision or 'the index'}", hint)
    kind, data = found
    if kind != "blob":
        raise FileError(f"{shown}: this is a {kind}, not a file")
    return Blob(data, commit, path)


def _commit(revision: str) -> str:
    """The full name of a revision's commit."""
    if revision.startswith("-"):
        raise UsageError(f"{revision!r} is not the name of a revision", "Give a branch, a tag or a commit.")
    done = _git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"])
    if done.returncode:
        _check_repository(done)
        raise NotFound(f"git knows no revision {revision!r} here", "`git log --oneline` and `git branch -a` list them.")
    return done.stdout.decode().strip()


def _read(name: str) -> tuple[str, bytes] | None:
    """Kind and content of an object, None where there is none."""
    done = _git(["cat-file", "--batch-check", "--follow-symlinks"], f"{name}\n")
    _check_repository(done)
    head = done.stdout.decode(errors="replace").split()
    if len(head) != 3 or head[1] not in ("blob", "tree"):
        # `NAME missing`; for links that lead nowhere or out of the repository: `dangling 5`, `symlink 9` and a path
        return ("link that leads nowhere in the repository", b"") if _is_link(head) else None
    if int(head[2]) > LIMIT:
        return head[1], b" " * (LIMIT + 1)  # refused by the reader like any file of that length, without reading it
    return head[1], _git(["cat-file", head[1], head[0]]).stdout if head[1] == "blob" else b""


def _is_link(head: Sequence[str]) -> bool:
    return bool(head) and head[0] in ("dangling", "loop", "notdir", "symlink")


def _git(args: list[str], text: str = "") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *args],
            input=text.encode(),
            capture_output=True,
            env=os.environ | QUIET,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise SourceError("git is not installed, and REV:PATH is read with it") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"git did not answer within {SECONDS} s") from None


def _check_repository(done: subprocess.CompletedProcess[bytes]) -> None:
    """Refuse what git itself refuses: no repository here, or one that belongs to somebody else."""
    if done.returncode == 0 or not done.stderr:
        return
    first = done.stderr.decode(errors="replace").strip().splitlines()[0].removeprefix("fatal: ")
    if "not a git repository" in first:
        raise SourceError(
            "the current folder is in no git repository, so REV:PATH means nothing here",
            "Change into the repository first.",
        )
    raise SourceError(f"git: {first}")
