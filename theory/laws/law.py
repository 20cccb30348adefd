"""What every scaling law answers: a loss on named inputs, its gradient, and the best use of a compute budget.

A law is a frozen dataclass derived from `Law`, in a file of this package: its fields are the coefficients, `coefficient`
says what each is, and ``inputs`` names what the loss depends on, (N, D), (N, D, E) or others. A module-level
`PublishedLaw` gives the coefficients that a source prints. Both are found by being defined.
"""

from __future__ import annotations

__all__ = ["Allocation"]

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import sympy as sp

from theory.defined import Defined, modules_of
from theory.errors import MoelawsError
from theory.laws.elementwise import Number
from theory.statement import Source

Sign = Literal["positive", "negative", "any"]


@dataclass(frozen=True)
class Quantity:
    """A named number of a law, in its ``unit`` ("1" for none); an input is at least ``least``, where that is not None."""

    name: str
    words: str
    unit: str
    sign: Sign = "positive"
    least: int | None = None

    @property
    def symbol(self) -> sp.Symbol:
        """A sympy symbol with the sign that is known."""
        known = {"positive": {"positive": True}, "negative": {"negative": True}, "any": {"real": True}}
        return sp.Symbol(self.name, **known[self.sign])


def coefficient(words: str, unit: str = "1", sign: Sign = "any", *, default: Number = MISSING) -> Any:
    """The field of a law that holds a coefficient."""
    return field(default=default, metadata={"words": words, "unit": unit, "sign": sign})


class Allocation(NamedTuple):
    """Parameters and tokens to spend a compute budget on, and the loss (nats per token) predicted there."""

    parameters: Number
    tokens: Number
    loss: Number

    def _repr_latex_(self) -> str:
        rounded = (sp.N(value, 4) if isinstance(value, float) else value for value in self)
        parts = (f"{name} = {as_latex(x)}" for name, x in zip(("N^{*}", "D^{*}", "L"), rounded, strict=True))
        return "$" + r",\quad ".join(parts) + "$"


def as_latex(value: Number) -> str:
    """A coefficient or a result in LaTeX."""
    return str(sp.latex(sp.sympify(value)))


class Law(ABC):
    """A scaling law with its coefficients.

    ``inputs`` are the arguments of `loss` in their order. A budget is spent on the first two, parameters and tokens;
    the others are given. A law fitted at one number of tokens has no input in tokens and allocates nothing.
    Losses are in nats per token, logarithms natural.
    """

    inputs: ClassVar[tuple[Quantity, ...]]

    @classmethod
    def allocates(cls) -> bool:
        """Whether a budget can be divided: the first two inputs are parameters and tokens."""
        return [quantity.unit for quantity in cls.inputs[:2]] == ["parameters", "tokens"]

    @classmethod
    def coefficients(cls) -> tuple[Quantity, ...]:
        """What each field of the law is."""
        return tuple(Quantity(f.name, **f.metadata) for f in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def symbolic(cls) -> Self:
        """The law with a sympy symbol for each coefficient, for derivations."""
        return cls(**{quantity.name: quantity.symbol for quantity in cls.coefficients()})

    @abstractmethod
    def loss(self, *inputs: Number, **named: Number) -> Number:
        """The loss in nats per token, on numbers, arrays (element by element) and sympy expressions.

        Raises ValueError, naming the input, for one that is out of its range.
        """

    def compute_optimal(self, flops: Number, *given: Number, **named: Number) -> Allocation:
        """Parameters and tokens that minimise the loss at so many FLOPs, the other inputs ``given``.

        MoelawsError for a law that does not say how.
        """
        raise MoelawsError(
            f"{type(self).__name__} allocates no compute: its loss is in {', '.join(q.name for q in self.inputs)}"
        )

    def flops(self, *inputs: Number, **named: Number) -> Number:
        """What training at these inputs costs: 6 FLOPs for each parameter and token, where a law says nothing else."""
        parameters, tokens, *_ = self._named(*inputs, **named).values()
        return 6 * parameters * tokens

    def gradient(self, *inputs: Number, **named: Number) -> dict[str, Number]:
        """The derivative of the loss in every coefficient and every input, by name; as `loss`, on numbers, arrays and sympy.

        The formulas are derived once for each kind of law, from its `loss` on symbols.
        """
        at = self._named(*inputs, **named)
        self.loss(**at)  # refuses what is out of range
        values = [getattr(self, quantity.name) for quantity in self.coefficients()] + list(at.values())
        names = [quantity.name for quantity in (*self.coefficients(), *self.inputs)]
        if any(isinstance(value, sp.Basic) for value in values):
            symbols, formulas = _derivatives(type(self))
            known = dict(zip(symbols, map(sp.sympify, values), strict=True))
            return {name: f.xreplace(known) for name, f in zip(names, formulas, strict=True)}
        found = _compiled(type(self))(*(float(v) if isinstance(v, Real) else v for v in values))
        shape = getattr(sum(value * 0 for value in at.values()), "shape", None)
        if shape is None:
            return dict(zip(names, map(float, found), strict=True))
        import numpy as np

        return {name: np.broadcast_to(value, shape) for name, value in zip(names, found, strict=True)}

    def _named(self, *inputs: Number, **named: Number) -> dict[str, Number]:
        bound = inspect.signature(self.loss).bind(*inputs, **named).arguments
        return {quantity.name: bound[quantity.name] for quantity in self.inputs}


@dataclass(frozen=True)
class PublishedLaw:
    """A law with the coefficients that ``source`` prints, and their standard errors where it prints them.

    The logarithms there have base ``log_base``; the coefficients here are for natural ones.
    """

    name: str
    law: Law
    source: Source
    log_base: Literal["e", "2", "10"] = "e"
    standard_errors: Mapping[str, float] = field(default_factory=dict, hash=False)


LAWS: Mapping[str, PublishedLaw] = Defined(PublishedLaw, "theory.laws")
"""Every published set of coefficients by name."""


def law_kinds() -> dict[str, type[Law]]:
    """Every kind of law that a file of this package defines, by the name of its class."""
    found = [value for module in modules_of("theory.laws") for value in vars(module).values()]
    kinds = [v for v in found if isinstance(v, type) and issubclass(v, Law) and not inspect.isabstract(v)]
    return {kind.__name__: kind for kind in kinds}


@cache
def _derivatives(kind: type[Law]) -> tuple[list[sp.Symbol], list[sp.Expr]]:
    inputs = {quantity.name: quantity.symbol for quantity in kind.inputs}
    symbols = [*(quantity.symbol for quantity in kind.coefficients()), *inputs.values()]
    loss = kind.symbolic().loss(**inputs)
    return symbols, [sp.diff(loss, symbol) for symbol in symbols]


@cache
def _compiled(kind: type[Law]) -> Callable[..., list[Number]]:
    symbols, formulas = _derivatives(kind)
    made: Callable[..., list[Number]] = sp.lambdify(symbols, formulas, modules="numpy", cse=True)
    return made
