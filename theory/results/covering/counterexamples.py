"""Three classes that active parameters do not cover, with exact packings in rational arithmetic.

A set of functions pairwise more than 2 delta apart is a packing: a closed ball of radius delta holds at most one of them,
so its size is a lower bound on the covering number.
"""

from __future__ import annotations

__all__ = [
    "IntervalRouter",
    "TwoTokens",
    "indicators",
    "interval_router_entropy",
    "log_cover_of_interval_router",
    "no_constant_repairs_the_statement",
    "ratio_to_the_statement",
    "spread_constants",
    "spread_constants_are_apart",
    "sup_distance",
    "two_tokens_break_active_parameters",
]

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.results.covering.as_stated import covering_as_stated
from theory.results.covering.fixed_pattern import midpoints
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import L_T, M, Pi_attn, Pi_exp, delta, ell, k

Number: TypeAlias = Any
"""An exact rational: a Fraction or an integer."""


def spread_constants(delta: Fraction) -> list[Fraction]:
    """ceil(1/delta) constants in [-1, 1], pairwise more than 2 delta apart: the interval's largest packing."""
    if not 0 < delta <= 1:
        raise MoelawsError(f"spread_constants(delta={delta}): expected 0 < delta <= 1")
    count = math.ceil(1 / delta)
    return [Fraction(0)] if count == 1 else [Fraction(2 * i, count - 1) - 1 for i in range(count)]


# Active parameters are too few: two tokens, two constant experts, one active


@dataclass(frozen=True)
class TwoTokens:
    """M = ell = 2, k = 1, token j served by constant expert j with values in [-1, 1], at radius ``delta``.

    The outputs are the square [-1, 1]^2 in sup-norm; other patterns give its diagonal or the square again.
    """

    delta: Fraction

    def packing(self) -> list[tuple[Fraction, ...]]:
        """Outputs (c_1, c_2), pairwise more than 2 delta apart."""
        return list(itertools.product(spread_constants(self.delta), repeat=2))

    def cover(self) -> list[tuple[Fraction, ...]]:
        """Outputs within delta of every output."""
        return list(itertools.product(midpoints(1, math.ceil(1 / self.delta)), repeat=2))

    def claimed(self) -> int:
        """What P = N_act = 1 gives, the union over the four patterns included."""
        return math.comb(2, 1) ** 2 * math.ceil(1 / self.delta)


# The routing pattern depends on the input: one top-1 router, M constant experts


@dataclass(frozen=True)
class IntervalRouter:
    """A top-1 MoE on [0, 1]: logits j x - (t_1 + ... + t_j), j = 0..M-1, sorted thresholds, constant experts.

    Logit j exceeds logit j - 1 where x > t_j, so x is served by the expert whose number is how many thresholds lie
    below x: the router realises every partition into M intervals. Ties go to the lower expert.
    """

    thresholds: tuple[Fraction, ...]
    constants: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.constants) != len(self.thresholds) + 1 or list(self.thresholds) != sorted(
            self.thresholds
        ):
            raise MoelawsError(f"{self!r}: expected M constants and M - 1 sorted thresholds")

    def logits(self, x: Number) -> list[Number]:
        """Router logits of the experts at x."""
        return [j * x - sum(self.thresholds[:j]) for j in range(len(self.constants))]

    def __call__(self, x: Number) -> Fraction:
        logits = self.logits(x)
        return self.constants[logits.index(max(logits))]

    @classmethod
    def packing(cls, experts: int, delta: Fraction) -> Iterator[IntervalRouter]:
        """ceil(1/delta)^M functions with one frozen router, equal intervals, pairwise more than 2 delta apart."""
        thresholds = tuple(Fraction(j, experts) for j in range(1, experts))
        for constants in itertools.product(spread_constants(delta), repeat=experts):
            yield cls(thresholds, constants)


def log_cover_of_interval_router(experts: int, delta: Fraction) -> mpmath.mpf:
    """M log ceil(1/delta), in nats: the log covering number with the router frozen, exact."""
    return experts * mpmath.log(math.ceil(1 / delta))


def ratio_to_the_statement(experts: int, delta: Fraction) -> mpmath.mpf:
    """The true entropy over log(1/delta) + log(e M), the statement with every other size one."""
    claimed = mpmath.log(mpmath.mpf(delta.denominator) / delta.numerator) + 1 + mpmath.log(experts)
    return log_cover_of_interval_router(experts, delta) / claimed


# The router is learned and hard: no finite cover at all


def indicators(size: int) -> list[Callable[[Number], int]]:
    """``size`` hard routers 1{x > t} on [0, 1]: pairwise at sup-distance 1, so no delta < 1/2 has a finite cover.

    1{x + c > 0} is the same family, so a frozen hard router after a trained shift c fares no better.
    """
    return [lambda x, t=t: int(x > t) for t in (Fraction(i, size) for i in range(size))]  # type: ignore[misc]


def sup_distance(
    f: Callable[[Number], Number], g: Callable[[Number], Number], points: Sequence[Number]
) -> Number:
    """The largest distance of f from g over the points, a lower bound on that in sup-norm."""
    return max(abs(f(x) - g(x)) for x in points)


_cells = sp.Symbol("cells", positive=True, integer=True)
_corners = eq(sp.log(_cells**M), M * sp.log(_cells))

interval_router_entropy = Statement(
    name="interval_router_entropy",
    words="M constant experts behind a frozen interval router have log covering number M log ceil(1/delta)",
    conclusion=_corners,
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(
        Hypothesis("constant experts", "expert j has the constant output c_j in [-1, 1]"),
        Hypothesis("cells", "ceil(1/delta) values of each constant", eq(_cells, sp.ceiling(1 / delta))),
    ),
    steps=(
        Step("midpoints cover, and as many spread constants pack", _corners),
        Step(
            "the statement's bound at sizes one is log(1/delta) + log(e M): no factor free of M closes the gap",
            eq(
                covering_as_stated.formula.subs({Pi_attn: 0, Pi_exp: 1, L_T: 1, ell: 1, k: 1}),
                sp.log(1 / delta) + sp.log(sp.E * M),
            ),
        ),
    ),
    tight_at="equality for every delta in (0, 1]",
    attained_at=(_corners,),
    proved_in="Frozen.interval_router_entropy",
    emitted=(("frozen_entropy", M * sp.log(_cells)),),
)

_more_cells = Relation(4 * _cells, "<=", _cells**2)
two_tokens_break_active_parameters = Statement(
    name="two_tokens_break_active_parameters",
    words="two tokens with two constant experts need ceil(1/delta)^2 functions; P = N_act with its union gives 4 ceil(1/delta)",
    conclusion=_more_cells,
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(Hypothesis("cells", "ceil(1/delta) is at least 4", Relation(_cells, ">=", 4)),),
    steps=(Step("what is claimed is at most the truth, and less from 5 cells on", _more_cells),),
    tight_at="4 cells",
    proved_in="Frozen.two_tokens_break_active_parameters",
)

_cut, _ratio, _log_M, _log_cells, _root = sp.symbols("cut ratio log_M log_cells root", positive=True)
_spacing = Relation(2 / (_ratio + 1), "<=", 2 / (_ratio + 1 - _cut))
spread_constants_are_apart = Statement(
    name="spread_constants_are_apart",
    words="ceil(1/delta) equally spread constants in [-1, 1] are at least 2 delta apart",
    conclusion=_spacing,
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(
        Hypothesis("rounding", "ceil(1/delta) - 1 is 1/delta less cut, cut > 0", Relation(_cut, ">=", 0)),
        Hypothesis(
            "gaps", "1/delta = ratio + 1, and there is more than one constant", Relation(_ratio, ">=", _cut)
        ),
    ),
    steps=(Step("2 over their number less one; strictly more as cut is positive", _spacing),),
    reading="strict for every delta < 1, so closed balls of radius delta hold one of them at most",
    proved_in="Frozen.spread_constants_are_apart",
)

_reach, _other = sp.symbols("reach other", positive=True)
_twice = Relation(_reach + _other, "<=", 2 * _other)
hard_routers_have_no_finite_cover = Statement(
    name="hard_routers_have_no_finite_cover",
    words="hard routers 1{x > t} are pairwise at sup-distance 1, so no finite number of balls of radius below 1/2 covers them",
    conclusion=_twice,
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(
        Hypothesis(
            "nearer", "distance of a centre from the nearer of two routers", Relation(_reach, ">=", 0)
        ),
        Hypothesis(
            "farther",
            "its distance from the other; by the triangle inequality both sum to at least 1, as at s < x <= t the routers are 1 and 0",
            Relation(_other, ">=", _reach),
        ),
    ),
    steps=(
        Step(
            "1 <= reach + other, and that is at most twice the farther: no ball below 1/2 holds two", _twice
        ),
    ),
    reading="infinitely many thresholds t in [0, 1], so infinitely many balls; indicators() packs any number of them",
    tight_at="the constant 1/2 is within 1/2 of every hard router, so one ball of radius 1/2 covers them all",
    proved_in="Routers.hard_routers_have_no_finite_cover",
)

_ahead, _behind = sp.symbols("ahead behind", positive=True)
_where = _ahead / (_ahead + _behind)
_on_the_way = Relation(_ahead, "<=", _ahead + _behind)
uniform_margin_forces_constant_routing = Statement(
    name="uniform_margin_forces_constant_routing",
    words="a margin that holds uniformly on a connected domain is no repair: the experts active at one input are active at all",
    conclusion=_on_the_way,
    kind=Kind.ARGUED,
    to_prove="a formal proof about connected domains and continuous leads",
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(
        Hypothesis(
            "ahead",
            "the lead of a set of k experts is its least logit less the largest of the others; at an input where the set "
            "is active it is ahead > 0",
            Relation(_ahead, ">=", 0),
        ),
        Hypothesis(
            "behind", "at an input where another set is active it is -behind < 0", Relation(_behind, ">=", 0)
        ),
    ),
    steps=(
        Step(
            "a lead that is linear along a segment is 0 at ahead/(ahead + behind) of the way",
            eq((1 - _where) * _ahead - _where * _behind, 0),
        ),
        Step(
            "that place lies between the two inputs: there the k-th and the (k+1)-st logit tie, so the margin is 0",
            _on_the_way,
        ),
    ),
    reading="two experts with linear logits on a convex domain; leads are continuous, so else by the intermediate value theorem",
    tight_at="in the limit behind = 0, where the second input has no margin",
)

_lower = Relation((2 + _log_M) * _log_cells, ">=", _log_cells + 1 + _log_M)
_slow = Relation(2 + 2 * sp.log(_root), "<=", 2 * _root)
no_constant_repairs_the_statement = Statement(
    name="no_constant_repairs_the_statement",
    words="M log ceil(1/delta) exceeds the bound as stated by at least M/(2 + log M), which is at least sqrt(M)/2",
    conclusion=_slow,
    kind=Kind.ARGUED,
    to_prove="a proof of interval_router_entropy and a limit; the inequality is proved",
    source=Source("derived here", "theory.results.covering.counterexamples"),
    hypotheses=(
        Hypothesis("experts", "root = sqrt(M) is at least 1", Relation(_root, ">=", 1)),
        Hypothesis("log experts", "log M is at least 0", Relation(_log_M, ">=", 0)),
        Hypothesis("cells", "log ceil(1/delta) is at least 1, delta < 1/2", Relation(_log_cells, ">=", 1)),
    ),
    uses=(interval_router_entropy,),
    steps=(
        Step("(2 + log M) log ceil(1/delta) is at least log ceil(1/delta) + log(e M)", _lower),
        Step("2 + log M is at most 2 sqrt(M)", _slow),
    ),
    reading="with every other size one; the ratio grows without bound in M, whatever constant the statement hides",
    tight_at="M = 1 and ceil(1/delta) = e, which no delta attains",
)
