"""The proof of a posynomial's minimum, as data: the certificate of a rate with its constants put back.

Weights lambda that sum to 1 and multipliers mu on the terms of the constraints,
mu_i their sum over constraint i, make the product free of sizes, so that at
every admissible point

    sum_j c_j m_j  >=  prod (c_j/lambda_j m_j)^lambda_j  prod (c_ik mu_i/mu_ik g_ik)^mu_ik
                    =  prod (c_j/lambda_j)^lambda_j  prod (c_ik mu_i/mu_ik)^mu_ik .

Without constants this is the sentence of `theory.rates.certificate`, and the
same `WeightedBound` carries it. A point bounds the minimum from the other side.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import sympy as sp

from theory.rates.certificate import WeightedBound
from theory.rates.problem import RateProblem

NO_WEIGHTS = WeightedBound((), ())


class PosynomialOutcome(enum.Enum):
    """What minimising a posynomial came to."""

    CLOSED_FORM = "the minimum is attained and has a closed form"
    BRACKETED = "the minimum lies between the two ends"
    APPROACHED = "the infimum lies between the two ends; no point attains it, the objective falls along a ray"
    UNBOUNDED = "the objective falls to 0 along a ray"
    INFEASIBLE = "no point meets the constraints"


@dataclass(frozen=True)
class Certificate:
    """The statement and everything that is claimed about it.

    ``limits`` are the constraints, by number, in which the terms of the multipliers of ``bound`` stand; the
    constants are those of the statement. ``value`` and ``point`` are exact.
    ``lower`` and ``upper`` are what weights and point give, rounded outward; for constraints that
    no point meets, ``lower`` is above 1. Along ``ray``, exponents of the sizes, no term grows.
    """

    problem: RateProblem
    outcome: PosynomialOutcome
    bound: WeightedBound = NO_WEIGHTS
    limits: tuple[int, ...] = ()
    value: sp.Expr | None = None
    point: tuple[sp.Expr, ...] = ()
    lower: sp.Rational | None = None
    upper: sp.Rational | None = None
    ray: tuple[sp.Rational, ...] = ()
