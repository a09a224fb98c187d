"""What the class named in `architectures` puts on top of the layers."""

from __future__ import annotations

from enum import StrEnum


class Task(StrEnum):
    """The head of a model class."""

    BASE = "base"
    ENCODER = "encoder"
    CAUSAL_LM = "causal_lm"
    MASKED_LM = "masked_lm"
    PRETRAINING = "pretraining"
    CONDITIONAL_GENERATION = "conditional_generation"
    SEQUENCE_CLASSIFICATION = "sequence_classification"
    TOKEN_CLASSIFICATION = "token_classification"
    QUESTION_ANSWERING = "question_answering"
    SIMPLE_ANSWERING = "simple_answering"
    MULTIPLE_CHOICE = "multiple_choice"
    NEXT_SENTENCE = "next_sentence"
    AUDIO_CLASSIFICATION = "audio_classification"
    DOUBLE_HEADS = "double_heads"


ENDINGS = {
    "ForCausalLM": Task.CAUSAL_LM,
    "LMHeadModel": Task.CAUSAL_LM,
    "ForMaskedLM": Task.MASKED_LM,
    "ForPreTraining": Task.PRETRAINING,
    "ForConditionalGeneration": Task.CONDITIONAL_GENERATION,
    "ForSequenceClassification": Task.SEQUENCE_CLASSIFICATION,
    "ForTokenClassification": Task.TOKEN_CLASSIFICATION,
    "ForQuestionAnswering": Task.QUESTION_ANSWERING,
    "ForQuestionAnsweringSimple": Task.SIMPLE_ANSWERING,
    "ForMultipleChoice": Task.MULTIPLE_CHOICE,
    "DoubleHeadsModel": Task.DOUBLE_HEADS,
    "ForNextSentencePrediction": Task.NEXT_SENTENCE,
    "ForAudioClassification": Task.AUDIO_CLASSIFICATION,
    "MTModel": Task.CONDITIONAL_GENERATION,
    "EncoderModel": Task.ENCODER,
    "BertGenerationEncoder": Task.BASE,
    "Model": Task.BASE,
}


def task_of(architecture: str, otherwise: Task) -> Task:
    """The task of a class by the end of its name; `otherwise` where the name is missing or tells nothing."""
    for ending, task in ENDINGS.items():
        if architecture.endswith(ending):
            return task
    return otherwise
