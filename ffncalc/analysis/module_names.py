"""Which modules a list in a quantisation config means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cached_property

OUTER = ("model.", "language_model.")  # wrappers that the same module has in one release and lacks in another
PLAIN = re.compile(r"[\w.\-]+")


class Names:
    """Modules named in a list: whole names, the start or end of one at a dot, `*` patterns, `re:` expressions.

    Lists are long (each layer written out) and are asked for each module, so plain names are looked up, not tried.
    """

    def __init__(self, entries: Iterable[object]) -> None:
        texts = [entry for entry in entries if isinstance(entry, str) and entry]
        self.linear = "Linear" in texts  # the class: every linear map
        self.numbered = any(c.isdigit() for text in texts for c in text)  # it may tell one layer from another
        self.plain = {bare(text.strip(".")) for text in texts if PLAIN.fullmatch(text)} - {"", "Linear"}
        others = [text for text in texts if not PLAIN.fullmatch(text)]
        self.starts = {bare(text[:-1]) for text in others if text.endswith("*") and PLAIN.fullmatch(text[:-1])} - {""}
        self.patterns = [text for text in others if not (text.endswith("*") and PLAIN.fullmatch(text[:-1]))]

    @cached_property
    def expression(self) -> re.Pattern[str] | None:
        """All patterns as one; None where there are none. What cannot be compiled matches its own text."""
        found = [_expression(text) for text in self.patterns]
        return re.compile("|".join(f"(?:{each})" for each in found)) if found else None

    def __contains__(self, module: str) -> bool:
        name = bare(module)
        parts = name.split(".")
        if self.plain and any(
            ".".join(parts[a:b]) in self.plain for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)
        ):
            return True
        if self.starts and any(name[:end] in self.starts for end in range(1, len(name) + 1)):
            return True
        return self.expression is not None and bool(self.expression.match(module) or self.expression.match(name))


def bare(name: str) -> str:
    """A module's name without the wrappers around the language model."""
    while name.startswith(OUTER):
        name = name.partition(".")[2]
    return name


def _expression(text: str) -> str:
    """A regular expression for one entry, matched from the start of a name, up to a dot or the end."""
    if text.startswith("re:"):
        body = text[3:]
    else:
        body = translate(bare(text)).removeprefix("(?s:").removesuffix("\\Z").removesuffix("\\z").removesuffix(")")
        body = f"(?:{body})(?:$|\\.)"
    try:
        re.compile(body)
    except re.error:
        return re.escape(text)
    return body
