"""Two tools of local approximation: mixing costs nothing in sup-norm, and what a Taylor polynomial leaves.

**Mixing.** Weights w_i >= 0 with sum 1, and experts p_i with |f - p_i| <= eps wherever w_i > 0, give
|f - sum w_i p_i| = |sum w_i (f - p_i)| <= eps: a partition of unity with any overlap s_0 costs no factor s_0.

**Taylor.** f has derivatives of order m = ceil(beta) - 1 on a convex set, and for every multi-index with |alpha| = m

    |D^alpha f(x) - D^alpha f(y)| <= H_beta |x - y|^(beta - m),

all distances in sup-norm. Its Taylor polynomial of degree m at x, at distance at most h, leaves

    |sum over |alpha| = m of (m/alpha!) y^alpha int_0^1 (1 - t)^(m-1) (D^alpha f(x + t y) - D^alpha f(x)) dt|
        <= H_beta h^beta (sum over |alpha| = m of 1/alpha!) (m int_0^1 (1 - t)^(m-1) t^gamma dt),   gamma = beta - m.

The sum is d^m/m!, the integral m!/((gamma + 1) ... (gamma + m)) <= 1. For m = 0 the remainder is f(x + y) - f(x) itself.
The seminorm bounds each derivative D^alpha by itself. With a Euclidean radius d^(m/2) replaces d^m, whichever norm the
seminorm has, as (sum over |alpha| = m of m!/alpha! |y^alpha|) = |y|_1^m <= (sqrt(d) |y|_2)^m. A radius in sup-norm with a
Euclidean seminorm is false: the target H_beta |x|_2^beta, beta <= 1, changes by d^(beta/2) H_beta h^beta over (h, ..., h).
"""

from __future__ import annotations

__all__ = ["mixture_error_le_worst", "taylor_bound", "taylor_constant", "taylor_remainder_bound"]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.covering.norms import sum_le_root_n_norm
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import H_beta, beta, d, h, m

DERIVED = Source("textbook; constants derived here", "docstring of theory.results.approximation.taylor")

DEGREE = Hypothesis("degree", "m is the largest integer below beta", eq(m, sp.ceiling(beta) - 1))
HOLDER = Hypothesis(
    "Hölder target",
    "derivatives of order m = ceil(beta) - 1 differ by at most H_beta |x - y|^(beta - m), in sup-norm",
)

_weight, _worst, _slack_1, _slack_2 = sp.symbols("weight worst slack_1 slack_2", positive=True)
_mixture = (_worst - _slack_1) + _weight * (_worst - _slack_2)
_weights = 1 + _weight

mixture_error_le_worst = Statement(
    name="mixture_error_le_worst",
    words="a mixture with non-negative weights errs by no more than the worst of its active experts",
    conclusion=Relation(_mixture, "<=", _weights * _worst),
    source=Source("textbook"),
    hypotheses=tuple(
        Hypothesis(name, words, Relation(symbol, ">=", 0))
        for name, words, symbol in (
            ("weight", "weight of one more expert, relative to those mixed so far", _weight),
            ("worst", "the largest error of an active expert", _worst),
            ("first slack", "by how much the error of the mixture so far is below the worst", _slack_1),
            ("second slack", "by how much the error of the added expert is below the worst", _slack_2),
        )
    ),
    steps=(
        Step(
            "a mean of two errors that are at most the worst; one expert more at a time, and -f for the other sign",
            Relation(_mixture, "<=", _weights * _worst),
        ),
    ),
    reading="errors with their sign, at one input; any number of experts, so the overlap s_0 does not enter",
    tight_at="all active experts err by the same amount in the same direction",
    proved_in="Laws.mixture_error_le_worst",
)

taylor_constant = d**m / sp.factorial(m)
"""d^m/m!, the sum of 1/alpha! over all multi-indices of order m."""
taylor_bound = taylor_constant * H_beta * h**beta
"""d^m/m! H_beta h^beta: the error of a Taylor polynomial of degree m within sup-norm distance h."""

taylor_remainder = sp.Symbol("taylor_remainder", positive=True)
_gamma, _t = sp.symbols("gamma t", positive=True)
_by_parts = (1 - _t) ** m * _t ** (_gamma + 1)

taylor_remainder_bound = Statement(
    name="taylor_remainder_bound",
    words="a Taylor polynomial of degree m = ceil(beta) - 1 errs by at most d^m/m! H_beta h^beta within sup-norm distance h",
    conclusion=Relation(taylor_remainder, "<=", taylor_bound),
    kind=Kind.ARGUED,
    to_prove="a formal proof of Taylor's theorem for Hölder functions",
    source=DERIVED,
    hypotheses=(
        HOLDER,
        Hypothesis("order", "m >= 1; for m = 0 the bound is the definition of H_beta", Relation(m, ">=", 1)),
        Hypothesis("rest of the order", "gamma = beta - m is in (0, 1]", Relation(_gamma, ">=", 0)),
    ),
    steps=(
        Step(
            "sum of (m+1)/alpha! over |alpha| = m + 1, taken apart as (alpha_1 + ... + alpha_d)/alpha!, is d times that for m",
            eq((m + 1) * (d ** (m + 1) / ((m + 1) * sp.factorial(m))), d * taylor_constant),
        ),
        Step(
            "by parts (gamma + 1) int (1-t)^m t^gamma = m int (1-t)^(m-1) t^(gamma+1)",
            eq(
                sp.Derivative(_by_parts, _t),
                (_gamma + 1) * (1 - _t) ** m * _t**_gamma - m * (1 - _t) ** (m - 1) * _t ** (_gamma + 1),
            ),
        ),
        Step(
            "so m int (1-t)^(m-1) t^gamma is m!/((gamma+1)...(gamma+m)), whose factors m/(gamma + m) are at most 1",
            Relation(m / (_gamma + m), "<=", 1),
        ),
        Step(
            "h^m from the monomials, h^(beta - m) from the seminorm",
            eq(taylor_constant * H_beta * h**m * h ** (beta - m), taylor_bound),
        ),
    ),
    reading="radius and seminorm both in sup-norm; the seminorm bounds every derivative of order m by itself",
    tight_at="m = 0; for m >= 1 up to the factor m!/((gamma+1)...(gamma+m)), which (y_1 + ... + y_d)^beta attains at y = (h, ..., h)",
)

euclidean_taylor_bound = d ** (m / 2) / sp.factorial(m) * H_beta * h**beta
"""d^(m/2)/m! H_beta h^beta: the error of a Taylor polynomial of degree m within Euclidean distance h."""

euclidean_taylor_remainder = Statement(
    name="euclidean_taylor_remainder",
    words="within Euclidean distance h a Taylor polynomial of degree m errs by at most d^(m/2)/m! H_beta h^beta",
    conclusion=Relation(taylor_remainder, "<=", euclidean_taylor_bound),
    kind=Kind.ARGUED,
    to_prove="proofs of taylor_remainder_bound and sum_le_root_n_norm, chained",
    source=DERIVED,
    hypotheses=(
        Hypothesis(
            "Hölder target, any norm",
            "derivatives of order m = ceil(beta) - 1 differ by at most H_beta |x - y|^(beta - m), Euclidean or in sup-norm",
        ),
    ),
    uses=(taylor_remainder_bound, sum_le_root_n_norm),
    steps=(
        Step(
            "|y|_1^m/m! from the monomials with |y|_1 <= sqrt(d) h, h^(beta - m) from the seminorm",
            eq((sp.sqrt(d) * h) ** m / sp.factorial(m) * H_beta * h ** (beta - m), euclidean_taylor_bound),
        ),
    ),
    reading="radius Euclidean; the integral of the remainder is that of taylor_remainder_bound, at most 1",
    tight_at="m = 0, |x|^beta at the origin",
)

_mixed = Relation(beta * sp.log(d) / 2, ">=", 0)
mixed_norms_break_taylor = Statement(
    name="mixed_norms_break_taylor",
    words="with a radius in sup-norm and a Euclidean seminorm the remainder can exceed H_beta h^beta, by the factor d^(beta/2)",
    conclusion=_mixed,
    kind=Kind.ARGUED,
    to_prove="a formal proof about the function and the vector that attain it",
    source=DERIVED,
    hypotheses=(
        Hypothesis(
            "target",
            "H_beta |x|_2^beta with beta in (0, 1], so m = 0, at the origin",
            Relation(beta, ">=", 0),
        ),
        Hypothesis("dimension", "there is a coordinate", Relation(d, ">=", 1)),
    ),
    steps=(
        Step(
            "at (h, ..., h), sqrt(d) h from the origin, the target has moved by this many times H_beta h^beta",
            eq(H_beta * sp.sqrt(d * h**2) ** beta / (H_beta * h**beta), d ** (beta / 2)),
        ),
        Step("a factor whose logarithm is positive from two coordinates on", _mixed),
    ),
    reading="the other mixture, a Euclidean radius with a seminorm in sup-norm, is euclidean_taylor_remainder",
    tight_at="d = 1",
)
