"""The two streams: results on stdout, everything else on stderr, whatever they are connected to."""

from __future__ import annotations

import codecs
import errno
import os
import shutil
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO, TypeVar

from ffncalc.errors import FfncalcError
from ffncalc.report import Entry, Format, Report, Screen, render
from ffncalc.report.document import clean

T = TypeVar("T")

PLAIN = str.maketrans(
    {
        "×": "x",
        "–": "-",
        "−": "-",
        "·": "*",  # between factors; between the words of a title it does no harm
        "…": "...",
        "²": "^2",
        "≥": ">=",
        "⊙": "*",
        "→": "->",
        "⌊": "[",
        "⌋": "]",
        "⌈": "[",
        "⌉": "]",
        "σ": "sigma",
        "Φ": "Phi",
        "√": "sqrt",
        "π": "pi",
        "³": "^3",
        "─": "-",
        "━": "-",
    }
)


class Ended(Exception):
    """A command has said all that it had to say, and ends with an exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class OutputError(FfncalcError):
    """What was written could not be delivered."""

    kind = "output"


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """A character that the terminal does not have, in plainer ones, or escaped as in JSON."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    plain = (c.translate(PLAIN) for c in text)
    return "".join(c if c.isascii() else _escaped(c) for c in plain), error.end


def _escaped(character: str) -> str:
    data = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[i] << 8 | data[i + 1]:04x}" for i in range(0, len(data), 2))


def prepare() -> None:
    """Make both streams take any text."""
    codecs.register_error("ffncalc", _replace)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="ffncalc")


def emit(report: Report[T], entries: Sequence[Entry[T]], format: Format) -> None:
    """Print results, then one error for each reference that failed; exit 2 if one did."""
    failed = [entry for entry in entries if entry.error is not None]
    if len(failed) < len(entries) or format in (Format.JSON, Format.JSONL, Format.CSV):
        write(render(report, entries, format, screen(sys.stdout)))
    for entry in failed:
        assert entry.error is not None
        if debugging():
            traceback.print_exception(entry.error)
        complain(entry.error.message, entry.error.hint)
    if failed:
        raise Ended(2)


def debugging() -> bool:
    """Whether tracebacks are wanted."""
    return os.environ.get("FFNCALC_DEBUG", "") not in ("", "0")


def write(text: str) -> None:
    """Text on stdout.

    Raises:
        BrokenPipeError: nobody reads it.
        OutputError: it cannot be written, as to a full disk.
    """
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:  # AttributeError: a closed stdout is None
        raise OutputError(
            f"cannot write the result: {getattr(error, 'strerror', None) or 'stdout is closed'}"
        ) from error


def flush() -> None:
    """Deliver what was written.

    Raises:
        BrokenPipeError, OutputError: as `write`.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise OutputError(f"cannot write the result: {error.strerror}") from error


def undelivered(error: OSError) -> OutputError | None:
    """What went wrong where the parser wrote its help or version; None for an error with a file of its own."""
    if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return None
    silence()
    return OutputError(f"cannot write the result: {error.strerror}")


def silence() -> None:
    """Let the interpreter's own last flush go nowhere, instead of failing once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str, hint: str = "") -> None:
    """An error of at most four lines on stderr."""
    if sys.stderr is None:
        return
    lines = [f"error: {clean(message)}"]
    if hint:
        lines.append(f"hint: {clean(hint)}")
    with suppress(OSError):
        print("\n".join(lines), file=sys.stderr)


def note(message: str) -> None:
    """A line on stderr that is no error."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(clean(message), file=sys.stderr)


def screen(stream: TextIO | Any) -> Screen:
    """What a stream can show. A pipe or file is as wide as it takes, unless COLUMNS says otherwise."""
    terminal = bool(stream) and stream.isatty()
    columns = os.environ.get("COLUMNS", "")
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    width = int(columns) if columns.isdecimal() and int(columns) else None
    return Screen(
        width=width or (shutil.get_terminal_size().columns if terminal else None),
        terminal=terminal,
        color=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown", ""),
        ascii=not encoding.startswith("utf"),
    )
