"""The file ties the embeddings outside and not inside, or the other way round.

Loaders read one or the other; a merged checkpoint saved with the wrong one speaks gibberish. Untied outside and tied
inside is a warning: published files are so, with a head that repeats the embedding.

Base: Qwen/Qwen3-VL-2B-Instruct
Bad: {"tie_word_embeddings": true, "text_config": {"tie_word_embeddings": false}}
Good: {"tie_word_embeddings": true, "text_config": {"tie_word_embeddings": true}}
Source: transformers reads the outer flag of composite models
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import NESTED, Subject

SEVERITY = Severity.ERROR
FLAG = "tie_word_embeddings"


def check(subject: Subject) -> Iterator[Fault]:
    outer = subject.raw.get(FLAG)
    for key in NESTED:
        table = subject.raw.get(key)
        inner = table.get(FLAG) if isinstance(table, Mapping) else None
        if isinstance(outer, bool) and isinstance(inner, bool) and outer != inner:
            at = f"{key}.{FLAG}"
            severity = None if outer else Severity.WARNING
            yield Fault(
                at,
                f"{at} is {str(inner).lower()}, but {FLAG} outside is {str(outer).lower()}",
                "Write the same in both: what the weights of the head are.",
                severity=severity,
                also=(FLAG,),
            )
