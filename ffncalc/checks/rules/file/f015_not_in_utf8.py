"""The file is not in UTF-8, or starts with a byte-order mark.

It is read here, but loaders open a config as plain UTF-8 and fail. Editors and shells on Windows write such files.

Bad: {} as UTF-16
Good: {}
Source: transformers, PreTrainedConfig._dict_from_json_file; https://www.rfc-editor.org/rfc/rfc8259#section-8.1
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    encoding = json.detect_encoding(subject.document.data)
    if encoding == "utf-8-sig":
        yield Fault("", "the file starts with a byte-order mark, which loaders refuse", "Save it as UTF-8 without one.")
    elif encoding != "utf-8":
        yield Fault("", f"the file is in {encoding.upper()}, and loaders read UTF-8 only", "Save it as UTF-8.")
