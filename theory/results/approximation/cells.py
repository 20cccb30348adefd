"""One expert a cell of the unit cube: explicit constants for the branch M^(-2 beta/d).

The cube [0, 1]^d is cut into g^d equal cells, g = floor(M^(1/d)), so g^d <= M; a hard top-1 router sends an input to the
expert of its cell. From the centre of a cell all its points are within h = 1/(2 g) in sup-norm.

Experts that are polynomials of degree m = ceil(beta) - 1 err by at most d^m/m! H_beta (1/(2 g))^beta. Since
floor(x) >= x/2 for x >= 1, half a side is at most M^(-1/d), whatever M and d.

For beta <= 1 experts are constants, and the middle between the largest and the smallest value of f on the cell is the best
of them: its error is half the oscillation, at most H_beta (1/g)^beta / 2, which f(x) = H_beta x_1^beta attains.

What this does not say: the experts here are whole polynomials, with up to C(d + m, m) coefficients each, and a hard
router over given cells; how many parameters of a network that takes is another matter.
"""

from __future__ import annotations

__all__ = [
    "cells_per_axis",
    "constant_expert_error",
    "constant_experts_on_cells",
    "local_polynomial_error",
    "local_polynomial_rate",
    "local_polynomial_squared_error",
    "local_polynomials_on_cells",
    "polynomial_degree",
]

import sympy as sp

from theory.errors import MoelawsError
from theory.posynomials import log_slope
from theory.relation import Relation, eq
from theory.results.approximation.taylor import DEGREE, HOLDER, taylor_constant, taylor_remainder_bound
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import H_beta, M, beta, d, g, h

DERIVED = Source("derived here", "docstring of theory.results.approximation.cells")

EQUAL_CELLS = Hypothesis(
    "equal cells", "the unit cube is cut into g^d equal cells", eq(g, sp.floor(M ** (1 / d)))
)
ONE_EACH = Hypothesis("one expert a cell", "a hard top-1 router sends every input to the expert of its cell")

local_polynomial_error = taylor_constant * H_beta * (1 / (2 * g)) ** beta
"""The sup-norm error of one polynomial of degree m a cell, with g cells along each axis."""
constant_expert_error = H_beta / 2 * g**-beta
"""The sup-norm error of the best constant a cell, for beta <= 1, with g cells along each axis."""
local_polynomial_squared_error = (taylor_constant * H_beta) ** 2 * M ** (-2 * beta / d)
"""The squared sup-norm error of M experts, free of rounding."""


def cells_per_axis(experts: int, dimension: int) -> int:
    """g = floor(M^(1/d)), exactly: the largest g with g^d <= M. Raises ValueError unless both are at least 1."""
    for name, value in {"experts": experts, "dimension": dimension}.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise MoelawsError(f"{name}={value!r}: expected a whole number of at least 1")
    root, _exact = sp.integer_nthroot(experts, dimension)
    return int(root)


def polynomial_degree(smoothness: object) -> int:
    """m = ceil(beta) - 1, the largest integer below the smoothness (exact, or a decimal as a string)."""
    value = sp.Rational(str(smoothness))
    if value <= 0:
        raise MoelawsError(f"smoothness={smoothness!r}: expected a positive number")
    return int(sp.ceiling(value)) - 1


sup_error = sp.Symbol("sup_error", positive=True)
squared_sup_error = sp.Symbol("squared_sup_error", positive=True)

local_polynomials_on_cells = Statement(
    name="local_polynomials_on_cells",
    words="one polynomial of degree m a cell errs by at most d^m/m! H_beta (1/(2 g))^beta in sup-norm",
    conclusion=Relation(sup_error, "<=", local_polynomial_error),
    kind=Kind.ARGUED,
    to_prove="a proof of taylor_remainder_bound, taken on every cell",
    source=DERIVED,
    hypotheses=(HOLDER, DEGREE, EQUAL_CELLS, ONE_EACH),
    uses=(taylor_remainder_bound,),
    steps=(
        Step(
            "Taylor's polynomial at the centre of each cell, of radius 1/(2 g) in sup-norm",
            eq(sp.Subs(taylor_remainder_bound.formula, h, 1 / (2 * g)), local_polynomial_error),
        ),
    ),
    tight_at="beta = 1: f(x) = H_beta x_1, whatever the constants of the experts",
)

_cut_off = sp.Symbol("cut_off", positive=True)

local_polynomial_rate = Statement(
    name="local_polynomial_rate",
    words="M local polynomials have squared sup-norm error at most (d^m/m! H_beta)^2 M^(-2 beta/d)",
    conclusion=Relation(squared_sup_error, "<=", local_polynomial_squared_error),
    kind=Kind.ARGUED,
    to_prove="a proof of local_polynomials_on_cells, with M = g^d put in",
    source=DERIVED,
    hypotheses=(
        HOLDER,
        ONE_EACH,
        Hypothesis("cut off", "g = floor(x) = x - cut_off with x = M^(1/d)", Relation(_cut_off, ">=", 0)),
        Hypothesis("one cell", "cut_off <= 1 <= g, as there is an expert", Relation(g, ">=", _cut_off)),
    ),
    uses=(local_polynomials_on_cells,),
    steps=(
        Step(
            "x = g + cut_off is at most 2 g, so half a side is at most 1/x",
            Relation(g + _cut_off, "<=", 2 * g),
        ),
        Step(
            "with x = M^(1/d) for 2 g, squared",
            eq(
                sp.Subs(local_polynomial_error, g, M ** (1 / d) / 2) ** 2,
                local_polynomial_squared_error,
            ),
        ),
        Step("its exponent in M", eq(-log_slope(local_polynomial_squared_error, M), 2 * beta / d)),
    ),
    reading="top-1 over given cells of the unit cube; the constant is explicit, N_eff plays no part",
    tight_at="beta = 1, f(x) = H_beta x_1 and M = 2^d - 1, in the limit of large d",
)

_low, _value, _high = sp.symbols("low value high", positive=True)
_middle = (_low + _high) / 2
_BETWEEN = (
    Hypothesis("lowest", "the lowest value on the cell (f shifted to be positive)", Relation(_low, ">=", 0)),
    Hypothesis("value", "any value on the cell", Relation(_value, ">=", _low)),
    Hypothesis("highest", "the highest value on the cell", Relation(_high, ">=", _value)),
)

constant_experts_on_cells = Statement(
    name="constant_experts_on_cells",
    words="for beta <= 1 the best constant a cell errs by at most H_beta g^(-beta)/2 in sup-norm",
    conclusion=Relation(sup_error, "<=", constant_expert_error),
    kind=Kind.ARGUED,
    to_prove="a formal proof that a Hölder function moves by at most that on a cell",
    source=DERIVED,
    hypotheses=(
        Hypothesis("Hölder target", "|f(x) - f(y)| <= H_beta |x - y|^beta in sup-norm, beta <= 1"),
        Hypothesis("cells", "the unit cube is cut into g^d equal cells, g = floor(M^(1/d))"),
        ONE_EACH,
        *_BETWEEN,
    ),
    steps=(
        Step(
            "the middle value is below by at most half the oscillation",
            Relation(_value - _middle, "<=", (_high - _low) / 2),
        ),
        Step("and above by at most that", Relation(_middle - _value, "<=", (_high - _low) / 2)),
        Step(
            "the oscillation of H_beta x_1^beta on the first cell is the largest that H_beta allows on a side 1/g",
            eq((H_beta * (1 / g) ** beta) / 2, constant_expert_error),
        ),
    ),
    tight_at="f(x) = H_beta x_1^beta, for every g, whatever the constants of the experts",
)
