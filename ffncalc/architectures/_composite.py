"""The frame of composite models: a language model, towers for images and sound, and projectors between them.

A composite's config nests one config per part, stored as differences from the class of the part. The language model
is described by its own family, a tower like any other encoder; here their tensors get the names that the composite's
checkpoint has, and whatever stands in a tower or projector becomes multimodal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Self, TypeVar

from ffncalc import architectures
from ffncalc.architectures._decoder import StackConfig
from ffncalc.architectures._task import Task, task_of
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Model, Stream
from ffncalc.record import record
from ffncalc.schema import BaseConfig

C = TypeVar("C", bound=BaseConfig)


class CompositeConfig(BaseConfig):
    """The parts of a composite and the tie flag, which may stand outside, inside the text config, or in both."""

    text_config: dict[str, Any]
    vision_config: dict[str, Any] | None = None
    tie_word_embeddings: bool | None = None


class FlatConfig(CompositeConfig):
    """A composite whose older files have the fields of the language model outside, without a `text_config`."""

    flat: bool = False  # whether this file does; set by `parse`

    @classmethod
    def parse(
        cls, raw: Mapping[str, Any], defaults: Mapping[str, Any], *, prefix: str = "", nested: bool = False
    ) -> Self:
        """As usual; a file with a tower and sizes but without `text_config` is its own text config."""
        flat = raw.get("text_config") is None and "vision_config" in raw and "hidden_size" in raw
        own = {**raw, "flat": flat, **({"text_config": dict(raw)} if flat else {})}
        return super().parse(own, defaults, prefix=prefix, nested=nested)

    @property
    def text_prefix(self) -> str:
        """What stands before the keys of the language model."""
        return "" if self.flat else "text_config."


@record(frozen=True, kw_only=True)
class Names:
    """Where a family keeps its language model.

    `head` replaces prefixes of the causal language model's names, `bare` is put before those of the bare one where
    the class has no head.
    """

    head: Mapping[str, str] = field(default_factory=dict)
    bare: str = ""


NESTED = Names(head={"": "language_model."}, bare="language_model.model.")  # a causal LM as it is, under a module
INSIDE = Names(head={"model.": "model.language_model."}, bare="language_model.")  # within the base model
FLAT = Names(bare="language_model.")  # as if the towers were not there


def bare(c: BaseConfig) -> bool:
    """Whether the class in `architectures` is the base model, without a head and without `model.` in its names."""
    return task_of(c.architecture, Task.CONDITIONAL_GENERATION) is Task.BASE


def base(c: BaseConfig) -> str:
    """The prefix of everything inside the base model, "" in a checkpoint of the base model itself."""
    return "" if bare(c) else "model."


def text_model(
    c: CompositeConfig,
    names: Names,
    *,
    default: str,
    fixed: bool = False,
    either: bool = False,
    otherwise: bool | None = None,
    ties: bool = True,
    prefix: str = "text_config.",
) -> Model:
    """The language model of `text_config` under the composite's names.

    `default` is its type where the config names none, or always (`fixed`). The word embeddings are tied as the
    outer flag says, else as the text config says or its class defaults (`otherwise`, where that is not the text
    class's own); with `either`, one true flag is enough; without `ties` never, whatever the flags say.
    With an empty `prefix` the file itself is the text config, and must have the sizes.
    """
    model_type = default if fixed else c.text_config.get("model_type") or default
    text = architectures.parse({**c.text_config, "model_type": model_type}, prefix=prefix, nested=bool(prefix))
    if not isinstance(text, StackConfig):
        raise ConfigError(f"{prefix}model_type: {model_type} is no decoder")
    outer = None if "tie_word_embeddings" in c.taken else c.tie_word_embeddings
    explicit = "tie_word_embeddings" not in text.taken
    inner = text.tie_word_embeddings if explicit or otherwise is None else otherwise
    tied = ties and (inner if outer is None else outer or (either and inner))
    update = {"tie_word_embeddings": tied, "architectures": ["Model"] if bare(c) else None}
    model: Model = architectures.module(model_type).build(text.replace(**update))
    prefixes = {"": names.bare} if bare(c) else names.head
    conflict = (
        f"tie_word_embeddings is {str(outer).lower()}, {prefix}tie_word_embeddings {str(inner).lower()}; "
        f"the embeddings count as {'tied' if tied else 'untied'}"
    )
    return replace(
        model,
        blocks=tuple(block.moved(prefixes) for block in model.blocks),
        mtp=tuple(block.moved(prefixes) for block in model.mtp),
        notes=(*model.notes, *((conflict,) if explicit and outer is not None and outer != inner else ())),
        defaults=(*taken(text, prefix), *model.defaults),
    )


def taken(c: BaseConfig, prefix: str) -> tuple[tuple[str, object], ...]:
    """The class defaults that a nested config used, under their keys in the file."""
    return tuple((prefix + key, value) for key, value in c.taken.items() if key not in ("architectures", "model_type"))


def tower(
    raw: Mapping[str, Any] | None,
    prefix: str,
    *,
    default: str,
    fixed: bool = False,
    absent: Mapping[str, Any] | None = None,
    key: str = "vision_config.",
) -> Model:
    """A tower under `prefix`; `default` is its type where the config names none, or always (`fixed`).

    `absent` are the fields it has where the file has no config for it at all.
    """
    own = (absent or {}) if raw is None else raw
    model_type = default if fixed else own.get("model_type") or default
    model = architectures.build({**own, "model_type": model_type, "architectures": None}, prefix=key, nested=True)
    blocks = tuple(block.moved({"": prefix}, stream=Stream.MEDIA) for block in model.blocks)
    return replace(model, blocks=blocks)


def part(kind: type[C], raw: Mapping[str, Any] | None, model_type: str, *, key: str = "vision_config.") -> C:
    """The config of a part, for what others need to know of it.

    Raises:
        ConfigError: its type is not one of those that fit here.
    """
    own = {**(raw or {}), "model_type": (raw or {}).get("model_type") or model_type}
    found = architectures.parse(own, prefix=key, nested=True)
    if not isinstance(found, kind):
        raise ConfigError(f"{key}model_type: {found.model_type} does not fit this family")
    return found


def nested(config: type[C], raw: Mapping[str, Any] | None, prefix: str, model_type: str) -> C:
    """The config of a part that has no model type of its own, stored as differences from its class.

    Raises:
        ConfigError: it is no object, or has wrong fields.
    """
    if raw is not None and not isinstance(raw, Mapping):
        raise ConfigError(f"{prefix.rstrip('.')}: must be an object, got {shown(raw)}")
    defaults = architectures.defaults().get(model_type, {})
    return config.parse({**(raw or {}), "model_type": model_type}, defaults, prefix=prefix, nested=True)


def projector(prefix: str, *parts: Component) -> Block:
    """What maps the output of a tower to the width of the language model."""
    return Block(prefix, parts, stream=Stream.MEDIA, causal=False)


def composite(c: BaseConfig, text: Model, towers: Sequence[Model], *projectors: Block) -> Model:
    """The whole: towers and projectors before the language model, as the input runs through them."""
    parts = (*towers, text)
    return replace(
        text,
        model_type=c.model_type,
        architecture=c.architecture,
        blocks=(*(b for t in towers for b in t.blocks), *projectors, *text.blocks),
        notes=tuple(note for part in parts for note in part.notes),
        defaults=tuple(row for part in parts for row in part.defaults),
    )
