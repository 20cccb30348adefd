"""The proof of a rate, as data: a point that attains it, and weights that show nothing does better.

The proof is one sentence. Weights lambda that sum to 1 and multipliers mu make
the product free of sizes, so that at every admissible point

    max_j m_j  >=  prod m_j^lambda_j  prod g_i^mu_i  =  n^bound .

The first step is weighted AM-GM, and every constraint monomial g_i is at most 1.
One such sentence is needed for each alternative of the rate and each face of its
logs; with no lambda at all and a positive bound it says that a face is empty
(Farkas). The same weights are the dual variables of the geometric program.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from theory.rates.conditions import Condition
from theory.rates.field import Fraction
from theory.rates.growth import Growth, Monomial
from theory.rates.problem import RateProblem

Weighted = tuple[tuple[Monomial, Fraction], ...]


class RateOutcome(enum.Enum):
    """What minimising came to on one region."""

    ATTAINED = "the minimum is attained"
    UNBOUNDED = "the rate can be made smaller than every power of the scale"
    INFEASIBLE = "no choice of sizes meets the constraints"


@dataclass(frozen=True)
class WeightedBound:
    """Weights on monomials of the rate and multipliers on constraint monomials.

    Weights with the sum 0 are each 0 wherever they are non-negative; on a thin
    region they may still be written as functions that vanish there.
    """

    weights: Weighted
    multipliers: Weighted

    @property
    def total(self) -> Fraction | int:
        """The sum of the weights: 1 for a bound on the rate, 0 for a proof that no point is admissible."""
        return sum((weight for _, weight in self.weights), start=0)


@dataclass(frozen=True)
class Cell:
    """One critical region of the parameters with everything that is claimed there.

    ``value`` is the exponent of the minimum and ``point`` the exponents of the
    sizes that attain it; among all that do, the product of the sizes (of the
    inverses of small ones) is least, which ``least`` proves: its weights stand on
    monomials of the rate, each at most the minimum, its multipliers on constraints.
    Along ``ray`` an unbounded rate falls without end.
    """

    region: tuple[Condition, ...]
    outcome: RateOutcome
    value: Growth | None = None
    point: tuple[Growth, ...] | None = None
    ray: tuple[Fraction, ...] | None = None
    bounds: tuple[WeightedBound, ...] = ()
    least: WeightedBound = WeightedBound((), ())


@dataclass(frozen=True)
class Certificate:
    """The statement with its cells; ``complete`` claims that they cover all admissible parameters."""

    problem: RateProblem
    cells: tuple[Cell, ...]
    complete: bool
