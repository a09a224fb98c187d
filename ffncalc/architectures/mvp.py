"""MVP: BART, with prompts before the keys and values of every layer where the file asks for them.

A prompt is a table whose rows a small network turns into keys and values of all layers, once for a text. The decoder
alone (the causal class) has none.
Source: arXiv:2206.12131, transformers models/mvp.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bart
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Block, Component, Model, Role, Stream
from ffncalc.schema import Size


class Config(bart.Config):
    use_prompt: bool = False
    prompt_length: Size = 100
    prompt_mid_dim: Size = 800


def build(c: Config) -> Model:
    model = bart.build(c)
    if not c.use_prompt or task_of(c.architecture, Task.CAUSAL_LM) is Task.CAUSAL_LM:
        return model
    sides = {block.prefix: block.stream for block in model.blocks if block.prefix.endswith(("encoder", "decoder"))}
    return replace(model, blocks=(*model.blocks, *(prompts(c, side, stream) for side, stream in sides.items())))


def prompts(c: Config, side: str, stream: Stream) -> Block:
    """The prompts of one side; the decoder has one for its cross attention too."""
    decoder = side.endswith("decoder")
    names = ("self_attn_prompt", "cross_attn_prompt") if decoder else ("self_attn_prompt",)
    count = c.decoder_layers if decoder else c.encoder_layers
    parts: tuple[Component, ...] = tuple(part for name in names for part in prompt(c, name, count))
    return Block(side, parts, stream=stream, causal=decoder)


def prompt(c: Config, name: str, layers: int) -> tuple[Component, ...]:
    middle, width = c.prompt_mid_dim, c.hidden_size
    role = Role.ATTENTION
    return (
        Embedding(f"{name}.prompt_embedding", rows=c.prompt_length, width=width, role=role),
        Linear(f"{name}.prompt_trans.0", width=width, out=middle, role=role, bias=True, once=True),
        Linear(f"{name}.prompt_trans.2", width=middle, out=2 * layers * width, role=role, bias=True, once=True),
    )
