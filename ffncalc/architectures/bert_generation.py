"""BERT as the half of an encoder–decoder: no segments, no pooler, a head that is the decoder alone.

Source: arXiv:1907.12461, transformers models/bert_generation.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import WORDS, Head, language_model
from ffncalc.architectures._task import Task
from ffncalc.ir import Model


class Config(bert.Config):
    pass


ROW = bert.Row(base="bert", segments=False)


def build(c: Config) -> Model:
    bias, _, _, decoder = language_model(c, "lm_head", f"bert.{WORDS}.weight")
    return bert.model(c, ROW, found={Task.MASKED_LM: Head(parts=(bias, decoder)), Task.BASE: Head()})
