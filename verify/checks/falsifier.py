"""A search for counterexamples that can refute an inequality and never establish one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import sympy as sp
from scipy.optimize import minimize

from verify.checks.ball_inequality import Side, check_box, gap_of
from verify.checks.base import Budget, OneRelation
from verify.counterexamples import first_failure
from verify.verdicts import Evidence, Grade, Verdict

_STARTS = 8
_DENOMINATOR = 10**9


@dataclass(frozen=True)
class Falsifier(OneRelation):
    """Looks for a point of ``box`` at which the inequality fails: random points, then descent from the best.

    REFUTED: the point found is made rational, and Arb and mpmath both see the
    inequality fail there. Otherwise INCONCLUSIVE, however long it searched.
    """

    only_refutes: ClassVar[bool] = True
    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    box: tuple[Side, ...]
    seed: int = 20260409

    def __post_init__(self) -> None:
        check_box("Falsifier", self.relation, self.box)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        found = first_failure(self.relation, self._candidates(budget.samples))
        yield found or Evidence(
            Verdict.INCONCLUSIVE,
            Grade.SAMPLED,
            f"no counterexample to {self.relation} among {budget.samples} random points and {_STARTS} descents",
            {"seed": self.seed, "samples": budget.samples, "starts": _STARTS},
        )

    def _candidates(self, samples: int) -> Iterator[dict[sp.Symbol, sp.Expr]]:
        symbols = [symbol for symbol, _, _ in self.box]
        compiled = sp.lambdify(symbols, gap_of(self.relation), ["scipy", "numpy"])

        def gap(point: Sequence[float]) -> float:
            with np.errstate(all="ignore"):
                value = complex(compiled(*point))
            return value.real if value.imag == 0 and np.isfinite(value.real) else 1e300

        rng = random.Random(self.seed)
        points = [[rng.uniform(float(low), float(high)) for _, low, high in self.box] for _ in range(samples)]
        points.sort(key=gap)
        yield from (self._exact(point) for point in points[:_STARTS])
        bounds = [(float(low), float(high)) for _, low, high in self.box]
        for point in points[:_STARTS]:
            best = minimize(
                gap, point, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-12, "fatol": 1e-14}
            )
            yield self._exact(best.x)

    def _exact(self, point: Sequence[float]) -> dict[sp.Symbol, sp.Expr]:
        """A rational point of the box close to a float one."""
        exact = {}
        for (symbol, low, high), x in zip(self.box, point, strict=True):
            near = Fraction(float(x)).limit_denominator(1 if symbol.is_integer else _DENOMINATOR)
            exact[symbol] = sp.Rational(min(max(near, Fraction(low)), Fraction(high)))
        return exact
