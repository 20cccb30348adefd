"""What a trainable Transformer is made of: an architecture that `theory` counts, and what its counts leave open."""

from __future__ import annotations

__all__ = ["ModelConfig"]

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from theory.models.architecture import Convention, Embedding, Expert, MoETransformer, Norm, Router

Positions: TypeAlias = Literal["learned", "rotary", "none"]
Activation: TypeAlias = Literal["relu", "gelu", "swiglu"]
GateName: TypeAlias = Literal["softmax", "sigmoid"]
NonFiniteName: TypeAlias = Literal["raise", "clean"]
ProductName: TypeAlias = Literal["auto", "grouped", "loop"]

GPT2_LIKE = Convention(
    router=Router.WEIGHTS, norm=Norm.SCALE_AND_SHIFT, embedding=Embedding.TOKEN_AND_POSITION
)
"""What a model has by default: biased experts, unbiased attention, LayerNorm, learned positions, a head that is the embedding."""


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """A model whose stored parameters are those of ``architecture`` under ``parts``, one by one.

    ``parts`` says what the model *has*: ``Norm.NONE`` is a model without normalisation, ``Embedding.NONE`` one that
    reads real vectors instead of tokens. Only a router is never left out where there is something to route:
    ``Router.NONE`` is refused for M > 1. ``MoETransformer.total_parameters`` under ``parts`` is what the model stores; a
    convention that leaves something out, such as that of arXiv 2604.09175, counts fewer.

    ``parallel`` adds attention and experts of the same input; otherwise the experts read what attention wrote.
    ``causal`` hides later positions. ``positions`` is "learned" exactly where ``parts`` counts position embeddings;
    else "rotary" (Su et al. 2021, no parameters) or "none". ``gate``, ``renormalise`` and ``nonfinite`` are those of
    `route`. ``balancing_bias`` gives each router the selection bias that
    `empirics.model.objectives.LossFreeBalancing` moves; it is no parameter. ``activation`` must be "swiglu" for gated experts
    and only for them.
    ``product`` is how experts multiply; it changes rounding and speed, nothing else.

    Raises ValueError for sizes that are not numbers and for combinations that no model can have.

    >>> from empirics import ModelConfig
    >>> from theory import MoETransformer
    >>> paper = MoETransformer(layers=2, d_model=64, d_ff=64, heads=4, experts=8, active=2, vocabulary=256, context=128)
    >>> ModelConfig(architecture=paper).stored_parameters()
    192128
    """

    architecture: MoETransformer
    parts: Convention = GPT2_LIKE
    activation: Activation = "gelu"
    parallel: bool = False
    causal: bool = True
    positions: Positions = "learned"
    gate: GateName = "softmax"
    renormalise: bool = True
    balancing_bias: bool = False
    nonfinite: NonFiniteName = "raise"
    product: ProductName = "auto"

    def __post_init__(self) -> None:
        for name, known in (
            ("activation", Activation),
            ("positions", Positions),
            ("gate", GateName),
            ("nonfinite", NonFiniteName),
            ("product", ProductName),
        ):
            value = getattr(self, name)
            if value not in get_args(known):
                raise self._refused(name, value, f"expected one of {', '.join(map(repr, get_args(known)))}")
        for name in ("parallel", "causal", "renormalise", "balancing_bias"):
            if not isinstance(getattr(self, name), bool):
                raise self._refused(name, getattr(self, name), "expected True or False")
        for name, size in vars(self.architecture).items():
            if size is not None and not isinstance(size, int):
                raise self._refused(f"architecture.{name}", size, "a model needs numbers, not symbols")
        if self.architecture.attention is not None:
            raise self._refused(
                "architecture.attention",
                self.architecture.attention,
                "a model needs the four projections it stands for",
            )
        self.architecture.attention_parameters()  # refuses heads that do not divide the width
        self._check_parts()

    def _check_parts(self) -> None:
        if self.architecture.experts > 1 and self.parts.router is Router.NONE:
            raise self._refused(
                "parts.router", "Router.NONE", "M > 1 experts need a router; give Router.WEIGHTS"
            )
        gated = self.parts.expert is Expert.GATED
        if gated != (self.activation == "swiglu"):
            expected = (
                "'swiglu' for gated experts" if gated else "'relu' or 'gelu' for experts of two matrices"
            )
            raise self._refused("activation", self.activation, f"expected {expected} (parts.expert)")
        learned = self.parts.embedding is Embedding.TOKEN_AND_POSITION
        if learned != (self.positions == "learned"):
            expected = "'learned'" if learned else "'rotary' or 'none'"
            raise self._refused(
                "positions", self.positions, f"expected {expected} with {self.parts.embedding}"
            )
        if learned and not self.architecture.context:
            raise self._refused("architecture.context", 0, "learned positions need the longest sequence")
        if self.positions == "rotary" and self.head_dim % 2:
            raise self._refused("head_dim", self.head_dim, "rotary positions need an even one")
        if self.architecture.heads % self.kv_heads:
            raise self._refused("architecture.kv_heads", self.kv_heads, "expected a divisor of heads")

    def _refused(self, name: str, value: object, why: str) -> ValueError:
        return ValueError(f"ModelConfig({name}={value!r}): {why}")

    @property
    def head_dim(self) -> int:
        """Width of one attention head."""
        given = self.architecture.head_dim
        return int(given if given is not None else self.architecture.d_model // self.architecture.heads)

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values."""
        given = self.architecture.kv_heads
        return int(self.architecture.heads if given is None else given)

    def has_experts(self, layer: int) -> bool:
        """Whether a block (counted from 0) has experts rather than one dense feed-forward layer."""
        after_dense = layer - self.architecture.dense_layers
        return after_dense >= 0 and bool((after_dense + 1) % self.architecture.moe_every == 0)

    def schedule(self) -> list[int]:
        """The blocks in the order in which they run, looped ones once a round."""
        a = self.architecture
        blocks = list(range(a.layers))
        end = a.loop_start + a.loop_layers
        rounds = int(a.recurrence)
        return blocks[: a.loop_start] + blocks[a.loop_start : end] * rounds + blocks[end:]

    def stored_parameters(self) -> int:
        """All parameters of a language model of this configuration."""
        return int(self.architecture.total_parameters(self.parts))
