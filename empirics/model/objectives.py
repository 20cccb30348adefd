"""What training minimises: a data term, auxiliary terms of the router, and updates that follow no gradient.

A term is a class derived from `ObjectiveTerm`; defining one registers it under its name. An `Objective` adds terms up.

Shapes: B sequences, S positions, V vocabulary, Q output coordinates, E experts.
"""

from __future__ import annotations

__all__ = [
    "BalanceLoss",
    "Batch",
    "CrossEntropy",
    "LossFreeBalancing",
    "Objective",
    "ObjectiveTerm",
    "SquaredError",
    "ZLoss",
    "objective_terms",
]

import abc
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from empirics.model.block import Block, Blocks, Routed
from empirics.model.output import Output, check_real
from theory.errors import MoelawsError

IGNORED = -100
_TERMS: dict[str, type[ObjectiveTerm]] = {}


class Batch(NamedTuple):
    """Model inputs, what they should give, and which positions are real (all where None).

    Targets of a language model are the next tokens, already shifted; a negative one is not scored.
    """

    inputs: Tensor
    targets: Tensor
    real: Tensor | None = None


@dataclass(frozen=True)
class ObjectiveTerm(abc.ABC):
    """One part of an objective: a value to minimise, an update after each optimiser step, or both.

    A subclass gives a ``name`` that no other has. `value` is differentiable, a scalar, or None for a term that only
    updates. `after_step` may change buffers of the model, never parameters; it is not part of any gradient. A term that
    re-weights the data term (distributionally robust training, say) takes it as a field and uses ``DataTerm.each``.
    """

    name: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            return  # a family of terms, such as DataTerm
        other = _TERMS.setdefault(cls.name, cls)
        if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise MoelawsError(
                f"two terms are named {cls.name!r}: {other.__qualname__} and {cls.__qualname__}"
            )
        _TERMS[cls.name] = cls

    @abc.abstractmethod
    def value(self, output: Output, batch: Batch) -> Tensor | None:
        """This term's share of the training loss."""

    def after_step(self, model: nn.Module, routed: Iterable[Routed]) -> None:
        """What changes once the optimiser has stepped: nothing, or by the routing of all batches since the last step."""
        return


def objective_terms() -> dict[str, type[ObjectiveTerm]]:
    """Every defined term by name."""
    return dict(_TERMS)


class Loss(NamedTuple):
    """The training loss, and each term's share of it, detached."""

    total: Tensor
    shares: dict[str, Tensor]


@dataclass(frozen=True)
class Objective:
    """A sum of terms.

    >>> from empirics.model.objectives import BalanceLoss, CrossEntropy, Objective, ZLoss
    >>> Objective(CrossEntropy(), BalanceLoss(0.01), ZLoss(0.001)).names()
    ['cross-entropy', 'balance', 'z']
    """

    terms: tuple[ObjectiveTerm, ...]

    def __init__(self, *terms: ObjectiveTerm) -> None:
        if not terms:
            raise MoelawsError("Objective(): expected at least one term, such as CrossEntropy()")
        for term in terms:
            if not isinstance(term, ObjectiveTerm):
                raise MoelawsError(
                    f"Objective({term!r}): expected terms, such as CrossEntropy() or ZLoss(0.001)"
                )
        object.__setattr__(self, "terms", terms)

    def names(self) -> list[str]:
        """The terms' names in order."""
        return [term.name for term in self.terms]

    def __call__(self, output: Output, batch: Batch) -> Loss:
        """The loss of a batch. Raises ValueError where no term has a value."""
        values = {term.name: term.value(output, batch) for term in self.terms}
        present = {name: value for name, value in values.items() if value is not None}
        if not present:
            raise MoelawsError(
                f"Objective of {', '.join(self.names())}: none of these has a value to minimise"
            )
        total = torch.stack([value.float() for value in present.values()]).sum()
        return Loss(total, {name: value.detach() for name, value in present.items()})

    def after_step(self, model: nn.Module, routed: Iterable[Routed]) -> None:
        """Every term's update, once per optimiser step, from the routing of all batches since the last one."""
        passes = tuple(routed)
        for term in self.terms:
            term.after_step(model, passes)


# Data terms


class DataTerm(ObjectiveTerm):
    """A mean loss over scored positions (or samples)."""

    @abc.abstractmethod
    def each(self, output: Output, batch: Batch) -> tuple[Tensor, Tensor]:
        """The loss of every position or sample, 0 where it is not scored, and booleans of the same shape: scored?"""

    def value(self, output: Output, batch: Batch) -> Tensor:
        losses, scored = self.each(output, batch)
        return losses.sum() / scored.sum().clamp_min(1)


@dataclass(frozen=True)
class CrossEntropy(DataTerm):
    """-log p(target) in nats per token, in float32: (B, S, V) logits, (B, S) targets. Neither padding nor negative targets count."""

    name = "cross-entropy"

    def each(self, output: Output, batch: Batch) -> tuple[Tensor, Tensor]:
        places = output.values.shape[:-1]
        _check_targets(batch.targets, places, output)
        check_real(batch.real, places)
        if batch.targets.is_floating_point():
            raise MoelawsError(f"targets of dtype {batch.targets.dtype}: expected token ids, whole numbers")
        scored_BS = batch.targets >= 0 if batch.real is None else (batch.targets >= 0) & batch.real
        targets_BS = batch.targets.where(scored_BS, IGNORED)
        losses = cross_entropy(
            output.values.flatten(0, -2).float(), targets_BS.flatten(), ignore_index=IGNORED, reduction="none"
        )
        return losses.view(targets_BS.shape), scored_BS


@dataclass(frozen=True)
class SquaredError(DataTerm):
    """``|prediction - target|^2``, summed over the Q coordinates: samples (B, Q), or positions (B, S, Q), where padding does not count."""

    name = "squared-error"

    def each(self, output: Output, batch: Batch) -> tuple[Tensor, Tensor]:
        _check_targets(batch.targets, output.values.shape, output)
        error = output.values - batch.targets
        scored = torch.ones_like(error[..., 0], dtype=torch.bool)
        if batch.real is not None and error.ndim == 3:  # one prediction per position
            check_real(batch.real, scored.shape)
            scored = batch.real
        # Masked before it is squared: of a NaN that is masked afterwards the slope is NaN.
        return error.where(scored[..., None], 0.0).square().sum(-1), scored


def _check_targets(targets: Tensor, shape: torch.Size, output: Output) -> None:
    if targets.shape != shape:
        raise MoelawsError(
            f"targets of shape {tuple(targets.shape)}: expected {tuple(shape)}, as the model gave values of shape "
            f"{tuple(output.values.shape)}"
        )


# Router terms


@dataclass(frozen=True)
class BalanceLoss(ObjectiveTerm):
    """``coefficient`` times the load-balancing loss (Fedus et al. 2021, eq. 4), added up over all passes through a router.

    With even loads it is ``coefficient`` per pass, and at most M/k times that.
    """

    name = "balance"
    coefficient: float

    def __post_init__(self) -> None:
        _check_size(self, "coefficient")

    def value(self, output: Output, batch: Batch) -> Tensor | None:
        return _sum_over_passes(self.coefficient, [p.routing.balance_loss for p in output.routed])


@dataclass(frozen=True)
class ZLoss(ObjectiveTerm):
    """``coefficient`` times the router z-loss (Zoph et al. 2022, eq. 5), in nats squared, added up over all passes."""

    name = "z"
    coefficient: float

    def __post_init__(self) -> None:
        _check_size(self, "coefficient")

    def value(self, output: Output, batch: Batch) -> Tensor | None:
        return _sum_over_passes(self.coefficient, [p.routing.z_loss for p in output.routed])


@dataclass(frozen=True)
class LossFreeBalancing(ObjectiveTerm):
    """Moves each expert's selection bias by ``rate`` towards an even load: up if it got less than the mean, else down.

    No loss and no gradient (Wang et al. 2024, algorithm 1, the sign rule). Loads are those of the last optimiser step, of
    all rounds of a looped block, and of all processes where torch.distributed runs. Needs ``balancing_bias=True`` in the
    model's configuration; raises ValueError without.
    """

    name = "loss-free-balancing"
    rate: float = 0.001

    def __post_init__(self) -> None:
        _check_size(self, "rate")

    def value(self, output: Output, batch: Batch) -> None:
        return None

    @torch.no_grad()
    def after_step(self, model: nn.Module, routed: Iterable[Routed]) -> None:
        loads: dict[int, Tensor] = defaultdict(lambda: torch.zeros((), dtype=torch.int64))
        for layer, routing in routed:
            loads[layer] = loads[layer].to(routing.counts_E.device) + routing.counts_E
        (blocks,) = (module for module in model.modules() if isinstance(module, Blocks))
        for layer, counts_E in sorted(loads.items()):
            block = blocks.layers[layer]
            assert isinstance(block, Block)
            bias_E = block.feed_forward.selection_bias_E
            if bias_E is None:
                raise MoelawsError(
                    "LossFreeBalancing: the model's routers have no selection bias; build it with balancing_bias=True"
                )
            if torch.distributed.is_available() and torch.distributed.is_initialized():
                torch.distributed.all_reduce(counts_E)
            # sum - E counts has the sign of mean - counts, in integers
            bias_E += self.rate * (counts_E.sum() - len(counts_E) * counts_E).sign()


def _check_size(term: ObjectiveTerm, name: str) -> None:
    """Refuse what is no size of a step or of a penalty."""
    value = getattr(term, name)
    if not (isinstance(value, (int, float)) and 0 <= value < math.inf):
        raise MoelawsError(f"{type(term).__name__}({name}={value!r}): expected a finite number of at least 0")


def _sum_over_passes(coefficient: float, losses: list[Tensor]) -> Tensor | None:
    return coefficient * torch.stack(losses).sum() if losses else None
