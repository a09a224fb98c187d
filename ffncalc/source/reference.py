"""What a person writes to name a config, taken apart."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ffncalc.errors import FfncalcError, NotFound, UsageError

HOSTS = {"huggingface.co", "www.huggingface.co", "hf.co"}
VERBS = {"blob", "resolve", "tree", "raw", "blame", "edit", "commit", "commits", "discussions"}
OTHER_KINDS = {"datasets", "spaces", "kernels", "buckets", "collections", "papers", "docs", "blog"}
PATH_ENDINGS = (".json", ".gguf", ".safetensors", ".bin", ".pt", ".pth", ".yaml", ".yml", ".txt")

STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]{1,9})")  # what a shell puts for <(command)

REPO_ID = re.compile(r"(?=.{1,96}$)\w(?:[\w.-]*\w)?(?:/\w(?:[\w.-]*\w)?)?", re.ASCII)
REVISION = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*", re.ASCII)
GIT = re.compile(r"(?![A-Za-z]:[\\/])([^:]*):([^:]*(?:/[^:]*|\.json))", re.IGNORECASE)  # but no C:\file or C:/file
FORMS = "Write a path, `org/name`, `org/name@revision`, or the address of a model on the Hub."


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A reference: `path` is set for files and folders, `repo_id` for the Hub, `git` for a revision.

    `descriptor` is set for a stream that the caller opened, 0 for standard input. `file` is the config inside the
    repository, None for its main one. `git` is (revision, path), where an empty revision is the index. `shown` is the
    reference as it may be printed: addresses lose user names, tokens and query strings.
    """

    shown: str
    path: Path | None = None
    descriptor: int | None = None
    repo_id: str = ""
    revision: str | None = None
    file: str | None = None
    git: tuple[str, str] | None = None


def parse(text: str) -> Reference:
    """Take a reference apart: an open stream, an existing path, an address, REV:PATH in git, a repository id.

    This is the order in which they are tried.

    Raises:
        NotFound: it looks like a path, and nothing is there.
        UsageError: it is none of these.
    """
    ref = text.strip()
    if (number := descriptor(ref)) is not None:
        return Reference(shown=ref, descriptor=number)
    if (path := existing(ref)) is not None:
        return Reference(shown=ref, path=path)
    if not ref or any(ord(letter) < 32 for letter in ref):
        raise UsageError("an empty reference" if not ref else f"{ref!r} is no reference", FORMS)
    if ref.lower().startswith("hf://"):
        return _from_uri(ref)
    if re.match(r"https?://", ref, re.IGNORECASE) or ref.partition("/")[0].lower() in HOSTS:
        return _from_address(ref)
    if "://" in ref:
        raise UsageError(f"{ref.partition('://')[0]}:// addresses are not read", FORMS)
    if (in_git := GIT.fullmatch(ref)) is not None:
        return Reference(shown=ref, git=(in_git[1], in_git[2]))
    if looks_like_path(ref):
        raise NotFound(f"{ref}: no such file or folder", _path_hint(ref))
    return _from_id(ref.rstrip("/"), ref)


def descriptor(ref: str) -> int | None:
    """The number of the open stream that a reference names: `-`, /dev/stdin, /dev/fd/63; None for any other."""
    if ref in STDIN:
        return 0
    match = DESCRIPTOR.fullmatch(ref)
    return int(match[1]) if match and os.path.exists(ref) and not os.path.isdir(ref) else None


def existing(ref: str) -> Path | None:
    """The path of a reference, where something is there."""
    path = os.path.expanduser(ref)
    return Path(path) if os.path.exists(path) else None


def is_address(ref: str) -> bool:
    """Whether a reference is an address, with or without its https://."""
    return "://" in ref or ref.partition("/")[0].lower() in HOSTS


def public(ref: str) -> str:
    """A reference as it may be shown: an address loses its user name, token and query string."""
    if not is_address(ref):
        return ref
    return re.sub(r"(?<=://)[^/]*@", "", re.split(r"[?#]", ref, maxsplit=1)[0])


def located(error: FfncalcError, ref: str) -> FfncalcError:
    """The same error, with the reference in front where it does not start with it, and as it may be shown."""
    where = "stdin" if ref in STDIN else public(ref)
    if "://" in ref:
        error.message = error.message.replace(ref, where)
    if not error.message.startswith((where, repr(where))):
        error.message = f"{where}: {error.message}"
    return error


def looks_like_path(ref: str) -> bool:
    """Whether a reference can only mean a path: such are never looked up on the Hub."""
    nested = ref.partition("@")[0].rstrip("/").count("/") > 1
    starts = ref.startswith((".", "~", "/", "\\"))
    drive = re.match(r"[A-Za-z]:[\\/]", ref)
    return bool(starts or drive or "\\" in ref or ref.lower().endswith(PATH_ENDINGS) or nested)


def _path_hint(ref: str) -> str:
    org, _, rest = ref.partition("/")
    name, _, file = rest.partition("/")
    if file and REPO_ID.fullmatch(f"{org}/{name}"):
        return f"For a repository on the Hub write {org}/{name}, or the whole address of the file."
    return ""


def _from_id(ref: str, shown: str, file: str | None = None) -> Reference:
    name, at, revision = ref.partition("@")
    base, colon, tag = name.partition(":")
    if colon and REPO_ID.fullmatch(base):
        plain = re.sub(r"-gguf$", "", base, flags=re.IGNORECASE)
        raise UsageError(
            f"{shown}: {tag!r} is the tag of a quantised file (GGUF, Ollama), not of a config",
            f"Give the base repository: {plain}",
        )
    if not REPO_ID.fullmatch(name) or "--" in name or ".." in name:
        raise UsageError(f"{shown}: neither a path that exists nor a repository id", FORMS)
    if at:
        _check_revision(revision, shown)
    return Reference(shown=shown, repo_id=name, revision=revision or None, file=file)


def _check_revision(revision: str, shown: str) -> None:
    if not REVISION.fullmatch(revision) or ".." in revision or revision.startswith("-"):
        raise UsageError(f"{shown}: {revision!r} is not the name of a revision", "Give a branch, a tag or a commit.")


def with_revision(reference: Reference, revision: str) -> Reference:
    """The same reference at `revision` (the option).

    Raises:
        UsageError: it names another revision, is no repository, or the revision cannot be one.
    """
    if not reference.repo_id:
        raise UsageError(f"{reference.shown}: a revision is for repositories on the Hub; this is a file")
    _check_revision(revision, reference.shown)
    if reference.revision not in (None, revision):
        raise UsageError(f"{reference.shown}: names revision {reference.revision}, but {revision} was asked for")
    return Reference(shown=reference.shown, repo_id=reference.repo_id, revision=revision, file=reference.file)


def _from_uri(ref: str) -> Reference:
    """hf://org/name, hf://models/org/name@revision/file.json"""
    parts = [part for part in ref[5:].split("/") if part]
    if parts[:1] == ["models"]:
        parts = parts[1:]
    if not parts or parts[0] in OTHER_KINDS:
        raise UsageError(f"{ref}: not the address of a model", FORMS)
    repo, inside = parts[:2], parts[2:]
    return _from_id(unquote("/".join(repo)), ref, _config_in(inside))


def _from_address(ref: str) -> Reference:
    """A pasted address: https://huggingface.co/org/name/blob/main/config.json and its kin."""
    url = urlsplit(ref if "://" in ref else f"https://{ref}")
    host = (url.hostname or "").lower()
    if host not in HOSTS | {urlsplit(os.environ.get("HF_ENDPOINT", "")).hostname}:
        raise UsageError(f"addresses on {host or 'no host'} are not read", "Download the file and give its path.")
    raw = [part for part in url.path.split("/") if part]
    parts = [unquote(part) for part in raw[raw[:2] == ["api", "models"] and 2 :]]
    shown = f"https://{host}/{'/'.join(raw)}"
    if not parts or parts[0] in OTHER_KINDS:
        raise UsageError(f"{shown}: not the address of a model", FORMS)
    length = 1 if len(parts) > 1 and parts[1] in VERBS else 2
    repo, rest = "/".join(parts[:length]), parts[length:]
    revision, inside = _revision_in(rest)
    if revision is not None:
        _check_revision(revision, shown)
    found = _from_id(repo, shown, _config_in(inside))
    return Reference(shown=shown, repo_id=found.repo_id, revision=revision or found.revision, file=found.file)


def _revision_in(parts: list[str]) -> tuple[str | None, list[str]]:
    """The revision after `blob`, `tree` …, and the path after it; `main` is what one gets anyway."""
    if len(parts) < 2 or parts[0] not in VERBS or parts[0] == "discussions":
        return None, []
    length = 3 if parts[1] == "refs" and len(parts) > 3 else 1
    revision, inside = "/".join(parts[1 : 1 + length]), parts[1 + length :]
    return None if revision == "main" else revision, inside


def _config_in(inside: list[str]) -> str | None:
    """The JSON file that a path inside a repository names, or the config.json of the folder it names."""
    if not inside or ".." in inside:
        return None
    if inside[-1].endswith(".json"):
        path = "/".join(inside)
        return None if path == "config.json" else path
    folder = inside[:-1] if "." in inside[-1] else inside
    return "/".join([*folder, "config.json"]) if folder else None
