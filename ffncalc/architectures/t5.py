"""T5 kin: norms before each sublayer, no biases, heads of a width of their own, learned biases by distance.

The biases [buckets, heads] are added to the scores: attention, not an embedding. They stand in the first layer of
each side, in UMT5 in every one. One table serves encoder, decoder and head, unless the file says
`tie_word_embeddings: false`: then the head is its own, as in the checkpoints of T5 1.1, whatever newer versions of
transformers do.
Sources: arXiv:1910.10683 (T5), arXiv:2002.05202 (gated FFN), arXiv:2010.11934 (mT5), arXiv:2304.09151 (umT5),
arXiv:2112.07916 (LongT5); transformers models/<type>.
"""

from __future__ import annotations

from collections.abc import Callable

from ffncalc.architectures._encoder_decoder import EncoderDecoderConfig, Side, classification_head, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.global_tokens import GlobalTokens
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Role, Span
from ffncalc.schema import Depth, Size

NAMES = Projections(q="q", k="k", v="v", o="o")
FeedForward = Callable[[str, int], tuple[Component, ...]]  # (name of the sublayer, layer number)


class Config(EncoderDecoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "intermediate_size": ("d_ff",),
        "num_hidden_layers": ("num_layers",),
        "num_attention_heads": ("num_heads",),
        "head_dim": ("d_kv",),
    }
    head_dim: Size = 64
    intermediate_size: Size
    num_hidden_layers: Depth
    num_decoder_layers: Depth | None = None
    num_attention_heads: Size
    relative_attention_num_buckets: Size = 32
    feed_forward_proj: str = "relu"
    encoder_attention_type: str = "local"
    local_radius: Size = 127
    global_block_size: Size = 16


def build(c: Config) -> Model:
    ffn = feed_forward(c)
    return assemble(c, encoder_attention(c), lambda name, i: (ffn[name],), tied_sides=True)


def feed_forward(c: Config) -> dict[str, Component]:
    """The FFN under the names it has in encoder and decoder, gated where `feed_forward_proj` starts so.

    Raises:
        ConfigError: another word stands before the activation.
    """
    kind, _, activation = c.feed_forward_proj.rpartition("-")
    if kind not in ("", "gated"):
        raise ConfigError(
            f"feed_forward_proj: {shown(c.feed_forward_proj)} is neither an activation nor 'gated-' and an activation"
        )
    width, hidden = c.hidden_size, c.intermediate_size
    found: dict[str, Component] = {}
    for name in ("layer.1", "layer.2"):
        module = f"{name}.DenseReluDense"
        if kind:
            gelu = "gelu_new" if activation == "gelu" else activation
            found[name] = GatedFFN(
                module, width=width, hidden=hidden, activation=gelu, gate="wi_0", up="wi_1", down="wo"
            )
        else:
            found[name] = FFN(module, width=width, hidden=hidden, activation=activation, up="wi", down="wo")
    return found


def encoder_attention(c: Config) -> Callable[[bool], tuple[Component, ...]]:
    """The parts of the encoder's attention in a layer with or without biases by distance.

    Raises:
        ConfigError: LongT5's `encoder_attention_type` is unknown.
    """
    if c.model_type != "longt5":
        return lambda biased: attention(c, "SelfAttention", FULL, biased)
    local = Span("sliding", 2 * c.local_radius + 1)
    if c.encoder_attention_type == "local":
        return lambda biased: attention(c, "LocalSelfAttention", local, biased)
    if c.encoder_attention_type != "transient-global":
        raise ConfigError(
            f"encoder_attention_type: expected 'local' or 'transient-global', got {shown(c.encoder_attention_type)}"
        )
    name = "TransientGlobalSelfAttention"
    return lambda biased: (*attention(c, name, local, biased), global_tokens(c, name, biased))


def attention(c: Config, name: str, span: Span, biased: bool) -> tuple[Component, ...]:
    module = f"layer.0.{name}"
    inner = Attention(
        module,
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_dim,
        span=span,
        names=NAMES,
    )
    biases = Embedding(
        f"{module}.relative_attention_bias",
        rows=c.relative_attention_num_buckets,
        width=c.num_attention_heads,
        role=Role.ATTENTION,
    )
    return (inner, *((biases,) if biased else ()))


def global_tokens(c: Config, name: str, biased: bool) -> GlobalTokens:
    return GlobalTokens(
        f"layer.0.{name}",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_dim,
        block=c.global_block_size,
        buckets=c.relative_attention_num_buckets if biased else 0,
    )


def assemble(c: Config, own: Callable[[bool], tuple[Component, ...]], ffn: FeedForward, *, tied_sides: bool) -> Model:
    """A T5 of the given attention and FFNs; `tied_sides`: both sides use the shared table whatever the tie flag."""
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    wrapped = task in (Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION)
    base = "transformer" if wrapped else ""
    shared = Embedding("shared", rows=c.vocab_size, width=c.hidden_size)
    tied = tied_sides or c.tie_word_embeddings is not False
    table = f"{base}.shared.weight" if base else "shared.weight"
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=table if tied else "")
    alone = task in (Task.ENCODER, Task.TOKEN_CLASSIFICATION)
    return encoder_decoder(
        c,
        base=base,
        shared=(shared,),
        encoder=encoder(c, embed, own, ffn),
        decoder=None if alone else decoder(c, embed, ffn),
        head=head(c, task),
    )


def encoder(c: Config, embed: Embedding, own: Callable[[bool], tuple[Component, ...]], ffn: FeedForward) -> Side:
    first, others = own(True), own(c.model_type == "umt5")
    norms = norm(c, "layer.0.layer_norm"), norm(c, "layer.1.layer_norm")
    return Side(
        name="encoder",
        layers="block",
        count=c.num_hidden_layers,
        layer=lambda i: (*(others if i else first), norms[0], *ffn("layer.1", i), norms[1]),
        before=(embed,),
        after=(norm(c, "final_layer_norm"),),
    )


def decoder(c: Config, embed: Embedding, ffn: FeedForward) -> Side:
    first = attention(c, "SelfAttention", FULL, True)
    others = attention(c, "SelfAttention", FULL, c.model_type == "umt5")
    norms = tuple(norm(c, f"layer.{i}.layer_norm") for i in range(3))
    cross = CrossAttention(
        "layer.1.EncDecAttention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_dim,
        names=NAMES,
    )
    return Side(
        name="decoder",
        layers="block",
        count=c.num_decoder_layers or c.num_hidden_layers,
        layer=lambda i: (*(others if i else first), norms[0], cross, norms[1], *ffn("layer.2", i), norms[2]),
        before=(embed,),
        after=(norm(c, "final_layer_norm"),),
    )


def norm(c: Config, name: str) -> Norm:
    return Norm(name, width=c.hidden_size)


def head(c: Config, task: Task) -> tuple[Component, ...]:
    if task in (Task.BASE, Task.ENCODER):
        return ()
    if task is Task.SEQUENCE_CLASSIFICATION:
        return classification_head(c, c.labels)
    if task is Task.TOKEN_CLASSIFICATION:
        return (Linear("classifier", width=c.hidden_size, out=c.labels, bias=True),)
    if task is Task.QUESTION_ANSWERING:
        return (Linear("qa_outputs", width=c.hidden_size, out=c.labels, bias=True),)
    tied = "" if c.tie_word_embeddings is False else "shared.weight"
    return (Linear("lm_head", width=c.hidden_size, out=c.vocab_size, tied=tied),)
