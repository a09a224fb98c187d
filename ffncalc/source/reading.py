"""From bytes to a JSON object, and a name for everything that is none."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

from ffncalc.errors import FileError

LIMIT = 8 * 2**20  # bytes; the longest published configs (with thousands of labels) have less than 1 MB
DEEPEST = 100  # levels of nesting; published configs have four
DIGITS = 4000  # Python refuses to read longer integers
HUGE = int("1" + DIGITS * "0")

MAGIC = {
    b"GGUF": "a GGUF weight file",
    b"ggjt": "an old GGML weight file",
    b"PK\x03\x04": "a zip archive (a PyTorch checkpoint is one)",
    b"\x89HDF": "an HDF5 weight file",
    b"\x1f\x8b": "a gzip archive",
    b"\x80\x02": "a pickle (an old PyTorch checkpoint is one)",
    b"\x80\x04": "a pickle (an old PyTorch checkpoint is one)",
    b"<<<<<<<": "a file with unresolved merge conflicts",
}
USE_CONFIG = "Give the config.json that belongs to it."

SPECIAL = (  # on which a reader may wait for ever
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read(stream: BinaryIO) -> bytes:
    """The bytes of a stream, no more than are needed to say that it is too long."""
    return stream.read(LIMIT + 1)


def read_path(path: str | os.PathLike[str], shown: str = "") -> bytes:
    """The bytes of a regular file, as `read`; `shown` names it in errors.

    Raises:
        FileError: it is a pipe, a socket or a device.
        OSError: it cannot be read.
    """
    mode = os.stat(path).st_mode
    for is_kind, kind in SPECIAL:
        if is_kind(mode):
            raise FileError(f"{shown or path}: is no regular file but {kind}", "`-` reads standard input.")
    with open(path, "rb") as stream:
        return read(stream)


def read_descriptor(number: int, shown: str) -> bytes:
    """The bytes of a stream that the caller opened, as `read`: 0 is standard input.

    Raises:
        FileError: it is closed, or cannot be read.
    """
    if number == 0 and sys.stdin is None:
        raise FileError(f"{shown}: is closed")
    try:
        if number == 0:
            return read(sys.stdin.buffer)
        with open(number, "rb", closefd=False) as stream:
            return read(stream)
    except OSError as error:
        raise FileError(f"{shown}: cannot be read ({error.strerror})") from None


def parse(data: bytes, where: str) -> dict[str, Any]:
    """The JSON object in `data`; `where` names the file in errors.

    UTF-8 with or without a byte-order mark, UTF-16, UTF-32, and bare NaN and Infinity are read.

    Raises:
        FileError: it holds no JSON object; the message says what it is, or where the mistake stands.
    """
    value = parse_any(data, where)
    if not isinstance(value, dict):
        kind = {list: "an array", str: "a string", type(None): "null"}.get(type(value), "a number or a truth value")
        raise FileError(f"{where}: expected a JSON object, found {kind} at the top level")
    return value


def parse_any(data: bytes, where: str) -> Any:
    """The JSON value in `data`, whatever it is.

    Raises:
        FileError: as `parse`.
    """
    _refuse_foreign(data, where)
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(error.encoding, "replace")
        message = f"{_place(before, len(before))}: not a text in UTF-8 or UTF-16 (byte {error.start})"
        raise FileError(f"{where}: {message}", USE_CONFIG) from None
    if not text.strip(" \t\r\n\0\ufeff"):
        nothing = "holds nothing but zero bytes" if "\0" in text else "is empty"
        raise FileError(f"{where}: the file {nothing}", "An interrupted download leaves such files: fetch it again.")
    try:
        value = json.loads(text, parse_int=_integer)
        _refuse_depth(value)
    except json.JSONDecodeError as error:
        raise _mistake(text, error, where) from None
    except RecursionError:
        raise FileError(f"{where}: nested more than {DEEPEST} levels deep, which no model config is") from None
    return value


def _integer(digits: str) -> int:
    """An integer of any length; beyond DIGITS only its size is kept, which is out of every field's bounds."""
    if len(digits) <= DIGITS:
        return int(digits)
    return -HUGE if digits.startswith("-") else HUGE


def _refuse_foreign(data: bytes, where: str) -> None:
    start = data[:400].lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            raise FileError(f"{where}: this is {kind}, not a config", USE_CONFIG)
    if data[8:9] == b"{" and 0 < int.from_bytes(data[:8], "little") < 2**32:
        raise FileError(f"{where}: this is a safetensors weight file, not a config", USE_CONFIG)
    if start.startswith(b"version https://git-lfs"):
        raise FileError(
            f"{where}: this is a Git LFS pointer; the file itself was not downloaded", "Run `git lfs pull` beside it."
        )
    if start[:1] == b"<":
        raise FileError(
            f"{where}: this is an HTML or XML page, not JSON",
            "It may be the web page about the file, or a log-in page: fetch the raw file.",
        )
    if len(data) > LIMIT:
        raise FileError(f"{where}: longer than {LIMIT // 2**20} MB, which no model config is", USE_CONFIG)
    if b"\0" in start and json.detect_encoding(data) == "utf-8":
        raise FileError(f"{where}: this is a binary file, not JSON", USE_CONFIG)


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise RecursionError


def _children(node: Any) -> Iterable[Any]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return (child for child in children if isinstance(child, dict | list))


def _mistake(text: str, error: json.JSONDecodeError, where: str) -> FileError:
    """What is wrong with the JSON, with line and column."""
    at = error.pos
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    before = text[:at].rstrip()
    rest = text[at:]
    if rest.startswith(("//", "/*", "#")):
        return FileError(f"{where}: {_place(text, at)}: a comment, which JSON does not have", "Take the comment out.")
    if before.endswith(",") and rest[:1] in ("}", "]"):
        return FileError(f"{where}: {_place(text, len(before) - 1)}: a comma before {rest[0]!r}", "Take it out.")
    if "trailing comma" in error.msg:  # Python 3.13 points at the comma itself
        return FileError(f"{where}: {_place(text, at)}: a comma before a closing bracket", "Take it out.")
    if not rest or error.msg.startswith("Unterminated string"):
        return FileError(
            f"{where}: {_place(text, len(text))}: the file ends too early",
            "An interrupted download leaves such files: fetch it again.",
        )
    if rest.startswith(("'", "True", "False", "None")):
        return FileError(f"{where}: {_place(text, at)}: Python syntax; JSON has double quotes, true, false and null")
    if error.msg == "Extra data":
        return FileError(f"{where}: {_place(text, at)}: more text after the JSON value (JSON Lines?)")
    found = re.split(r"[\s,\]}]", rest[:20], maxsplit=1)[0] or rest[0]
    reason = error.msg[0].lower() + error.msg[1:]
    return FileError(f"{where}: {_place(text, at)}: not valid JSON: {reason}, found {found!r}")


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - text.rfind(chr(10), 0, at)}"
