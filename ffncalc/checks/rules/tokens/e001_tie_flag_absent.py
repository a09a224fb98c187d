"""The file does not say whether the head shares the embedding.

The class decides: half of the causal language models tie by default, and tools that take the other half's default are
off by vocabulary × width.

Bad: without tie_word_embeddings
Good: {"tie_word_embeddings": false}
Source: transformers configuration classes: tied for Gemma, untied for Llama
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    model = subject.model
    if model is None or subject.translated is not subject.raw:
        return
    for key, value in model.defaults:
        if key.rpartition(".")[2] == "tie_word_embeddings" and isinstance(value, bool):
            if not any(part.given("tie_word_embeddings") is not None for part in subject.text):
                word = "tied" if value else "untied"
                kind = subject.main.model_type or subject.model_type
                yield Fault(
                    key,
                    f"tie_word_embeddings is absent: {kind} is {word} by default",
                    f'Write "tie_word_embeddings": {str(value).lower()}.',
                )
            return
