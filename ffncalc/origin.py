"""Where a config came from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The reference as given, `source` (bundled, hub, cache, file, git, stdin, dict), and what is known about it.

    `revision` is a commit where the Hub, its cache or git was read; `path` is the file that was read, on disk or in the
    repository.
    """

    ref: str
    source: str
    revision: str | None = None
    path: str | None = None

    def __str__(self) -> str:
        """As shown to a person: `bundled`, `hub @ 0e9e39f`, `cache @ 0e9e39f`, `stdin`, a path."""
        if self.source == "file":
            return self.path or self.ref
        return f"{self.source} @ {self.revision[:7]}" if self.revision else self.source


PARSED = Origin(ref="", source="dict")  # a config that was given as a dictionary
