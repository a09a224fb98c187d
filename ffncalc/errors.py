"""Every failure a user can meet.

FfncalcError
├── UsageError            a flag or value that cannot be used
├── SourceError           the config could not be had
│   ├── NotFound          no such file, folder, repository, revision or entry
│   ├── AccessDenied      gated or private
│   └── NetworkError      no network, or a server that misbehaves
├── FileError             a file was read, but is no model config
├── ConfigError           a model config, but fields are missing, wrong or in conflict
├── UnsupportedModel      a model_type that is not described here
└── InternalError         a fault of ffncalc itself
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class FfncalcError(Exception):
    """Base of all errors: `kind` for machines, `message` (what and where), `hint` (what next, may be empty)."""

    kind = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(FfncalcError):
    """A flag, key or value that cannot be used."""

    kind = "usage"


class SourceError(FfncalcError):
    """The config could not be had."""

    kind = "source"


class NotFound(SourceError):
    """No such file, folder, repository, revision or entry."""

    kind = "not_found"


class AccessDenied(SourceError):
    """A gated or private repository."""

    kind = "access_denied"


class NetworkError(SourceError):
    """No network, or a server that does not answer as the Hub does."""

    kind = "network"


class FileError(FfncalcError):
    """What was read is not a model config."""

    kind = "file"


class ConfigError(FfncalcError):
    """A model config whose fields are missing, wrong or in conflict."""

    kind = "config"


class UnsupportedModel(FfncalcError):
    """No architecture is registered for this model_type; `like` is the type that its class is named after."""

    kind = "unsupported"

    def __init__(self, model_type: str, known: Iterable[str], like: str | None = None) -> None:
        near = () if like else nearest(model_type, known)
        hint = f"Did you mean {' or '.join(repr(name) for name in near)}? " if near else ""
        if like:
            hint = f"Its class is that of {like}: --set model_type={like} reads it so. "
        super().__init__(
            f"model_type {shown(model_type)} is not supported.",
            f"{hint}`ffncalc archs` lists the supported types.",
        )


class InternalError(FfncalcError):
    """A fault of ffncalc itself: an exception that is none of the above."""

    kind = "internal"

    def __init__(self, where: str, error: Exception) -> None:
        super().__init__(
            f"{where}: this is a bug in ffncalc: {type(error).__name__}: {error}",
            "Run it again with FFNCALC_DEBUG=1 for the traceback, and please report it.",
        )


def nearest(word: str, known: Iterable[str], count: int = 2) -> list[str]:
    """The known words closest to `word`, best first; may be empty."""
    return get_close_matches(word, list(known), n=count, cutoff=0.75)


def shown(value: object) -> str:
    """A value of a config as an error shows it: short, on one line, with the words of JSON."""
    if type(value) is int and abs(value) >= 10**20:
        return "an integer of more than 20 digits"
    try:
        text = _written(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply"
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return f"a {type(value).__name__} with an integer of thousands of digits"
    text = text.encode(errors="backslashreplace").decode()  # half a pair of UTF-16, as JSON may escape it, is no text
    return text if len(text) <= 60 else text[:57] + "..."


def _written(value: object) -> str:
    if value is None or isinstance(value, bool | list | dict):
        import json

        return json.dumps(value, ensure_ascii=False, default=repr)
    return str(value) if isinstance(value, int) else repr(value)
