"""The documentation of a rule, read from its module's docstring."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module

from ffncalc.checks import GROUPS, RULES, name_of, rule
from ffncalc.checks.finding import Severity

FIELDS = re.compile(r"^(Base|Settings|Bad|Good|Source): (.*(?:\n .*)*)$", re.MULTILINE)
BASE = "meta-llama/Llama-3.1-8B"


@dataclass(frozen=True, kw_only=True)
class Doc:
    """What a rule finds, why that is bad, and an example of each kind.

    `bad` and `good` are changes to the config `base`, or whole files where there is none ("none"); `settings` are
    those that the examples need, as in ffncalc.toml.
    """

    code: str
    name: str
    severity: Severity
    group: str
    summary: str
    why: str
    base: str
    settings: str
    bad: str
    good: str
    source: str

    def to_dict(self) -> dict[str, object]:
        """An element of `rules` of the JSON contract."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity.value,
            "group": self.group,
            "summary": self.summary,
            "why": self.why,
            "bad": self.bad,
            "good": self.good,
            "source": self.source,
        }


def doc(code: str) -> Doc:
    """The documentation of a rule in RULES."""
    text = import_module(f"ffncalc.checks.rules.{RULES[code]}").__doc__ or ""
    found = {name: " ".join(value.split()) for name, value in FIELDS.findall(text)}
    prose = FIELDS.sub("", text).strip().split("\n\n")
    return Doc(
        code=code,
        name=name_of(code),
        severity=rule(code).severity,
        group=GROUPS[code[0]],
        summary=" ".join(prose[0].split()),
        why=" ".join(" ".join(prose[1:]).split()),
        base=found.get("Base", BASE),
        settings=found.get("Settings", ""),
        bad=found["Bad"],
        good=found["Good"],
        source=found["Source"],
    )


def docs() -> list[Doc]:
    """All rules, by code."""
    return [doc(code) for code in RULES]
