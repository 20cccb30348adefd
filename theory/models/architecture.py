"""Parameter and FLOP counts of dense and MoE Transformers, symbolic or numeric.

Papers disagree on what "N" counts, so nothing is counted without a
`Convention`: biases, gated experts, router, norms, embeddings are each a
choice. Every size may be an integer or a sympy expression; a dense Transformer
is the case of one expert.

    >>> from theory import MoETransformer
    >>> MoETransformer(layers=4, d_model=512, d_ff=512, experts=8, active=2).active_parameters()
    8396800
"""

from __future__ import annotations

__all__ = ["Convention", "Embedding", "Expert", "MoETransformer", "Norm", "Router"]

import dataclasses
import enum
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, get_type_hints

import sympy as sp

from theory.errors import MoelawsError

Size: TypeAlias = Any
"""A size of an architecture: a positive integer, or a sympy expression standing for one."""


class Expert(enum.Enum):
    """What one expert (or one dense feed-forward layer) is made of."""

    TWO_MATRICES = "two matrices (d_model x d_ff and back)"
    GATED = "three matrices (gated: GLU, SwiGLU)"


class Router(enum.Enum):
    """Which router parameters are counted."""

    NONE = "not counted"
    WEIGHTS = "weights (d_model x experts)"
    WEIGHTS_AND_BIAS = "weights and bias"


class Norm(enum.Enum):
    """Which normalisation parameters are counted; two norms a block and a final one."""

    NONE = "not counted"
    SCALE = "scale only (RMSNorm)"
    SCALE_AND_SHIFT = "scale and shift (LayerNorm)"


class Embedding(enum.Enum):
    """Which embedding parameters are counted."""

    NONE = "not counted"
    TOKEN = "token embedding, shared with the head"
    TOKEN_AND_POSITION = "token and position embeddings, head shared"
    UNTIED = "token embedding and a separate head"


@dataclass(frozen=True, kw_only=True)
class Convention:
    """What a parameter count includes.

    The default is the count that Tables 3 and 4 of arXiv 2604.09175 follow:
    four attention matrices without biases, two biased expert matrices, and
    neither router, nor norms, nor embeddings.
    """

    attention_bias: bool = False
    expert: Expert = Expert.TWO_MATRICES
    expert_bias: bool = True
    router: Router = Router.NONE
    norm: Norm = Norm.NONE
    embedding: Embedding = Embedding.NONE

    @classmethod
    def every(cls) -> Iterator[Convention]:
        """Every combination of choices: the family a convention search runs over."""
        choices = {
            name: (False, True) if hint is bool else tuple(hint) for name, hint in get_type_hints(cls).items()
        }
        for values in itertools.product(*choices.values()):
            yield cls(**dict(zip(choices, values, strict=True)))

    def __str__(self) -> str:
        parts = []
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            text = value.value if isinstance(value, enum.Enum) else "yes" if value else "no"
            parts.append(f"{f.name.replace('_', ' ')}: {text}")
        return "; ".join(parts)


PAPER_CONVENTION = Convention()
GPT2_CONVENTION = Convention(
    attention_bias=True, norm=Norm.SCALE_AND_SHIFT, embedding=Embedding.TOKEN_AND_POSITION
)
LLAMA_CONVENTION = Convention(
    expert=Expert.GATED,
    expert_bias=False,
    router=Router.WEIGHTS,
    norm=Norm.SCALE,
    embedding=Embedding.UNTIED,
)


@dataclass(frozen=True, kw_only=True)
class MoETransformer:
    """A decoder-only Transformer whose feed-forward layers are mixtures of experts.

    ``experts`` is M, ``active`` is k, ``d_ff`` the hidden width of one expert.
    ``shared_experts`` are always active and come on top of M and k.
    ``heads * head_dim`` defaults to ``d_model``; ``kv_heads`` (grouped-query
    attention) to ``heads``. ``attention`` gives one block's attention parameters outright where they are no four
    projections (latent attention, low-rank queries, learned sinks); it then holds under every convention.
    ``context`` is the longest sequence (learned positions).
    The first ``dense_layers`` blocks, and of the others all but every ``moe_every``-th, have one feed-forward layer of
    width ``dense_d_ff`` (``d_ff`` where not given) in place of experts.
    A looped model runs the ``loop_layers`` blocks after the first ``loop_start`` ``recurrence`` times, with the same
    weights each time: parameters are counted once, FLOPs each time.
    """

    layers: Size
    d_model: Size
    d_ff: Size
    experts: Size = 1
    active: Size = 1
    shared_experts: Size = 0
    heads: Size = 1
    kv_heads: Size | None = None
    head_dim: Size | None = None
    attention: Size | None = None
    dense_layers: Size = 0
    dense_d_ff: Size | None = None
    vocabulary: Size = 0
    context: Size = 0
    moe_every: Size = 1
    loop_start: Size = 0
    loop_layers: Size = 0
    recurrence: Size = 1

    def __post_init__(self) -> None:
        may_be_zero = {"vocabulary", "context", "shared_experts", "dense_layers", "loop_start", "loop_layers"}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if value is None or isinstance(value, sp.Expr):
                continue
            least = 0 if f.name in may_be_zero else 1
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise MoelawsError(
                    f"MoETransformer({f.name}={value!r}): expected an integer >= {least} "
                    "or a sympy expression"
                )
        if sp.sympify(self.active - self.experts).is_positive:
            raise MoelawsError(
                f"MoETransformer(active={self.active}, experts={self.experts}): "
                "k active experts cannot exceed the M available; lower active or raise experts"
            )
        if sp.sympify(self.dense_layers - self.layers).is_positive:
            raise MoelawsError(
                f"MoETransformer(dense_layers={self.dense_layers}, layers={self.layers}): "
                "dense layers are some of all layers; lower dense_layers or raise layers"
            )
        if sp.sympify(self.loop_start + self.loop_layers - self.layers).is_positive:
            raise MoelawsError(
                f"MoETransformer(loop_start={self.loop_start}, loop_layers={self.loop_layers}): the loop ends after "
                f"the last of layers={self.layers}; shorten it or start it earlier"
            )
        if self.loop_layers == 0 and self.recurrence != 1:
            raise MoelawsError(
                f"MoETransformer(recurrence={self.recurrence}): no block is looped; give loop_layers"
            )

    # One block's parts, in parameters

    def attention_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """Pi_attn: query, key, value and output projections of one block, or ``attention`` where it is given."""
        if self.attention is not None:
            return self.attention
        head_dim, kv_heads = self._head_dim(), self._kv_heads()
        wide, narrow = self.heads * head_dim, kv_heads * head_dim
        weights = 2 * self.d_model * wide + 2 * self.d_model * narrow
        biases = wide + 2 * narrow + self.d_model if convention.attention_bias else 0
        return weights + biases

    def expert_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """Pi_exp: one expert's matrices (and biases)."""
        return self._feed_forward(self.d_ff, convention)

    def dense_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """The feed-forward layer of a block without experts, where there is any."""
        return self._feed_forward(self.d_ff if self.dense_d_ff is None else self.dense_d_ff, convention)

    def router_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """One block's router; a dense layer (M = 1) has none."""
        if convention.router is Router.NONE or self.experts == 1:
            return 0
        bias = self.experts if convention.router is Router.WEIGHTS_AND_BIAS else 0
        return self.d_model * self.experts + bias

    def norm_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """All norms of the model: two a block and a final one."""
        return self._per_norm(convention) * (2 * self.layers + 1)

    def embedding_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """Embeddings and head of the model, as the convention counts them."""
        token = self.vocabulary * self.d_model
        return {
            Embedding.NONE: 0,
            Embedding.TOKEN: token,
            Embedding.TOKEN_AND_POSITION: token + self.context * self.d_model,
            Embedding.UNTIED: 2 * token,
        }[convention.embedding]

    # The whole model

    def moe_layers(self) -> Size:
        """Blocks that have experts."""
        return self._every_nth(self.layers - self.dense_layers)

    def active_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """N_act: parameters one token passes through."""
        return self._count(self.active, convention)

    def total_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """N_tot: parameters the model stores."""
        return self._count(self.experts, convention)

    def loop_parameters(self, convention: Convention = PAPER_CONVENTION) -> Size:
        """N_loop: parameters of the looped blocks that one token passes through in one round, counted in N_act too."""
        ends = self.loop_start + self.loop_layers
        with_experts = self._moe_layers_among_first(ends) - self._moe_layers_among_first(self.loop_start)
        norms = 2 * self._per_norm(convention) * self.loop_layers
        return _plain(self._blocks(self.loop_layers, with_experts, self.active, convention) + norms)

    def flops_per_token(
        self,
        convention: Convention = PAPER_CONVENTION,
        *,
        training: bool = True,
        scores_over: Size = 0,
    ) -> Size:
        """FLOPs per token: 2 per active parameter forward, three times that in training.

        Looped blocks count once a round: F = 6 (N_act + (R - 1) N_loop).
        ``scores_over`` adds the attention scores over that many tokens,
        4 L (heads * head_dim) * tokens forward (Chowdhery et al. 2022, PaLM,
        appendix B); leave 0 for the plain "6 N" rule. A causal mask halves the
        average, so pass half the sequence length to count it that way.
        """
        again = self.recurrence - 1
        forward = 2 * (self.active_parameters(convention) + again * self.loop_parameters(convention)) + (
            4 * (self.layers + again * self.loop_layers) * self.heads * self._head_dim() * scores_over
        )
        return _plain(3 * forward if training else forward)

    def _count(self, experts: Size, convention: Convention) -> Size:
        blocks = self._blocks(self.layers, self.moe_layers(), experts, convention)
        return _plain(blocks + self.norm_parameters(convention) + self.embedding_parameters(convention))

    def _blocks(self, layers: Size, with_experts: Size, experts: Size, convention: Convention) -> Size:
        """That many blocks, of which some have experts, without norms."""
        mixture = (experts + self.shared_experts) * self.expert_parameters(convention)
        return (
            layers * self.attention_parameters(convention)
            + with_experts * (mixture + self.router_parameters(convention))
            + (layers - with_experts) * self.dense_parameters(convention)
        )

    def _every_nth(self, layers: Size) -> Size:
        return layers if self.moe_every == 1 else layers // self.moe_every

    def _moe_layers_among_first(self, layers: Size) -> Size:
        after = layers - self.dense_layers
        return self._every_nth(max(after, 0) if isinstance(after, int) else sp.Max(after, 0))

    def _per_norm(self, convention: Convention) -> Size:
        return {Norm.NONE: 0, Norm.SCALE: 1, Norm.SCALE_AND_SHIFT: 2}[convention.norm] * self.d_model

    def _feed_forward(self, width: Size, convention: Convention) -> Size:
        inner = 1 if convention.expert is Expert.TWO_MATRICES else 2
        weights = (inner + 1) * self.d_model * width
        biases = inner * width + self.d_model if convention.expert_bias else 0
        return weights + biases

    def _head_dim(self) -> Any:
        if self.head_dim is not None:
            return self.head_dim
        if isinstance(self.d_model, int) and isinstance(self.heads, int):
            if self.d_model % self.heads:
                raise MoelawsError(
                    f"MoETransformer(d_model={self.d_model}, heads={self.heads}): d_model is not "
                    "a multiple of heads; give head_dim explicitly"
                )
            return self.d_model // self.heads
        return sp.sympify(self.d_model) / self.heads

    def _kv_heads(self) -> Size:
        return self.heads if self.kv_heads is None else self.kv_heads


def _plain(count: Size) -> Size:
    """A Python integer where the count is one, else the expanded expression."""
    if isinstance(count, int):
        return count
    expanded = sp.expand(count)
    return int(expanded) if expanded.is_Integer else expanded
