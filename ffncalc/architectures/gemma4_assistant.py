"""Gemma 4's assistants: a small Gemma 4 that drafts tokens for a large one from the states of both.

Its layers read keys and values of the large model's cache and have none of their own. With ordered embeddings the head
multiplies only the words of the clusters whose centroids fit best.
Source: https://ai.google.dev/gemma/docs/core, transformers models/gemma4_assistant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures._composite import CompositeConfig, Names, text_model
from ffncalc.components.embedding import Linear
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role, Tensor
from ffncalc.record import record
from ffncalc.schema import Size

LAYERS = 30  # of the text class, where the file does not say


class Config(CompositeConfig):
    backbone_hidden_size: Size = 1536
    use_ordered_embeddings: bool = False
    num_centroids: Size = 2048
    centroid_intermediate_top_k: Size = 32


@record(frozen=True, kw_only=True)
class ClusteredHead(Component):
    """A head whose rows stand in `clusters` of equal size, of which a token multiplies `top_k`."""

    width: int
    rows: int
    clusters: int
    top_k: int
    tied: str

    def tensors(self) -> tuple[Tensor, ...]:
        shape = (self.rows // self.clusters, self.width)
        return (Tensor("weight", shape, Role.HEAD, copies=self.clusters, used=self.top_k, joined=True, tied=self.tied),)


def build(c: Config) -> Model:
    text = text_model(c.replace(text_config=sharing(c.text_config)), Names(), default="gemma4_text", fixed=True)
    width, outer = text.width, c.backbone_hidden_size
    linears: tuple[Component, ...] = (
        Linear("pre_projection", width=2 * outer, out=width, role=Role.OTHER),
        Linear("post_projection", width=width, out=outer, role=Role.OTHER),
    )
    blocks = text.blocks
    if c.use_ordered_embeddings:
        blocks = tuple(clustered(c, block) for block in blocks)
        linears = (*linears, Linear("masked_embedding.centroids", width=width, out=c.num_centroids))
    return replace(text, model_type=c.model_type, architecture=c.architecture, blocks=(*blocks, Block("", linears)))


def sharing(raw: dict[str, Any]) -> dict[str, Any]:
    """The text config as the class completes it: all layers share; a table for each layer, of no rows, is none."""
    shared = raw.get("num_kv_shared_layers") or raw.get("num_hidden_layers", LAYERS)
    own = {key: value for key, value in raw.items() if key != "vocab_size_per_layer_input" or value}
    return {**own, "num_kv_shared_layers": shared}


def clustered(c: Config, block: Block) -> Block:
    """The same block with its head, if it is that, in clusters.

    Raises:
        ConfigError: the clusters do not divide the words, or more are asked for than there are.
    """
    head = block.parts[0]
    if not (isinstance(head, Linear) and head.name == "lm_head"):
        return block
    if head.out % c.num_centroids or c.centroid_intermediate_top_k > c.num_centroids:
        raise ConfigError(
            f"{c.key('num_centroids')}: {c.num_centroids} clusters do not divide {head.out} words, "
            f"or are fewer than {c.key('centroid_intermediate_top_k')} {c.centroid_intermediate_top_k}"
        )
    new = ClusteredHead(
        "lm_head",
        width=head.width,
        rows=head.out,
        clusters=c.num_centroids,
        top_k=c.centroid_intermediate_top_k,
        tied=head.tied,
    )
    return replace(block, parts=(new,))
