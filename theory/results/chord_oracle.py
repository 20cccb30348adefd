"""The oracle inequality for a finite class by the chord of the exponential: a smaller constant, the same hypotheses.

Setting and notation are those of `theory.results.oracle`. Its step 3 bounds exp(-x) by the parabola 1 - x + x^2/2. A variable Z in
[0, W^2] lies under a chord: exp(-lambda z) is convex, so exp(-lambda z) <= 1 - z (1 - exp(-lambda W^2))/W^2 there, and with
1 - y <= exp(-y)

    E exp(-lambda Z) <= exp(-phi R),      phi = (1 - exp(-lambda W^2))/W^2,      R = E Z.

A variable with values 0 and W^2 lies on the chord, so of all Z with this mean it has the largest E exp(-lambda Z). Step 4 then has
phi E R_j in place of lambda (1 - lambda W^2/2) E R_j. With s = sigma b and lambda = (1 - sigma^2 b) b/2 the term E r_j cancels as
before, and what is left is (2 phi/b) E R_j <= A + 2 L/(b n). With tau = sigma^2 b this is

    E ||f - f0||^2 <= W^2 (A tau/(2 sigma^2) + L/n)/(1 - exp(-W^2 tau (1 - tau)/(2 sigma^2)))      for every tau in (0, 1).

Where A = 0 the best tau is 1/2, and the risk is at most W^2/(1 - exp(-W^2/(8 sigma^2))) L/n: 10.2 L/n at sigma = 1 and W = 2 where the
parabola gives 16, and W^2 L/n for little noise where it gives 2 W^2. For each b the chord is no worse, as the parabola lies above
the exponential: phi >= lambda (1 - lambda W^2/2).
"""

from __future__ import annotations

__all__ = [
    "chord_lower_tail",
    "chord_oracle",
    "chord_oracle_without_approximation",
    "chord_price_le",
    "exponential_inequality_by_chord",
]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.oracle import (
    BASIC_INEQUALITY,
    BOUNDED,
    ERM,
    IID,
    NOISE,
    SPLIT,
    approximation,
    log_functions,
    noise_term,
    risk,
    risk_on_sample,
)
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import W, n, sigma, tau

_DOCSTRING = Source("derived here", "docstring of theory.results.chord_oracle")
_b, _q, _z, _u, _w = sp.symbols("b q z u w", positive=True)

_chord = 1 - _z * (1 - sp.exp(-_u))
_grows = Relation(sp.log(1 + _w), ">=", _w / (1 + _w))
chord_lower_tail = Statement(
    name="chord_lower_tail",
    words="a variable in [0, W^2] of mean R has E exp(-lambda Z) <= exp(-R (1 - exp(-lambda W^2))/W^2)",
    conclusion=_grows,
    kind=Kind.ARGUED,
    to_prove="convexity of the exponential, and a formal proof about expectations",
    source=_DOCSTRING,
    hypotheses=(Hypothesis("odds", "y = w/(1 + w) is in [0, 1)", Relation(_w, ">=", 0)),),
    steps=(
        Step("the chord of exp(-u z) meets it at z = 0", eq(_chord.subs(_z, 0), sp.Integer(1))),
        Step("and at z = 1", eq(_chord.subs(_z, 1), sp.exp(-_u))),
        Step("1 - y <= exp(-y) at the chord's mean", _grows),
    ),
    reading="z = Z/W^2 and u = lambda W^2; the conclusion is y <= -log(1 - y)",
    tight_at="Z has values 0 and W^2, in the limit of mean 0",
)


def phi(slope: sp.Expr) -> sp.Expr:
    """(1 - exp(-lambda W^2))/W^2 at lambda = slope."""
    return (1 - sp.exp(-slope * W**2)) / W**2


_paid = (
    2 * log_functions / (_b * n) + (_b * sigma**2 + _q) * risk_on_sample - 2 / _b * phi(_q * _b / 2) * risk
)
exponential_inequality_by_chord = Statement(
    name="exponential_inequality_by_chord",
    words="twice the noise's correlation with the estimator is paid by log N and the risk on the sample, less the risk",
    conclusion=Relation(noise_term, "<=", _paid),
    source=Source("Jensen's inequality for the exponential; textbook", "step 4 in theory.results.oracle"),
    kind=Kind.ASSUMPTION,
    hypotheses=(IID, NOISE, BOUNDED),
    uses=(chord_lower_tail,),
    reading="s = sigma b and lambda = q b/2 for any b, q > 0, divided by n b/2; noise_term is 2 sigma G",
)

_slope = tau * (1 - tau) / (2 * sigma**2)
_bound = (approximation * tau / (2 * sigma**2) + log_functions / n) / phi(_slope)
chord_oracle = Statement(
    name="chord_oracle",
    words="least squares over N functions: W^2 (A tau/(2 sigma^2) + log N/n)/(1 - exp(-W^2 tau (1 - tau)/(2 sigma^2)))",
    conclusion=Relation(risk, "<=", _bound),
    kind=Kind.ARGUED,
    to_prove="the basic inequality as an assumption, chained with exponential_inequality_by_chord",
    source=_DOCSTRING,
    hypotheses=(IID, NOISE, BOUNDED, ERM, SPLIT),
    uses=(exponential_inequality_by_chord,),
    steps=(
        Step(
            "a squared residual, opened: the basic inequality risk_n <= A + noise_term",
            BASIC_INEQUALITY,
        ),
        Step(
            "at b = tau/sigma^2, q = 1 - tau the risk on the sample cancels: the slack of both inequalities is left",
            eq(
                2 * sigma**2 / tau * phi(_slope) * (_bound - risk),
                approximation
                + noise_term
                - risk_on_sample
                + sp.Subs(_paid - noise_term, (_b, _q), (tau / sigma**2, 1 - tau)),
            ),
        ),
    ),
    reading="an upper bound on E ||f - f0||^2 for every tau in (0, 1); exact minimiser; any noise level and range",
)

_at_best = log_functions / n / phi(1 / (8 * sigma**2))
chord_oracle_without_approximation = Statement(
    name="chord_oracle_without_approximation",
    words="with the target in the class the risk is at most W^2 log N/(n (1 - exp(-W^2/(8 sigma^2))))",
    conclusion=Relation(risk, "<=", _at_best),
    kind=Kind.ARGUED,
    to_prove="a proof of chord_oracle, and that tau (1 - tau) is largest at 1/2",
    source=_DOCSTRING,
    hypotheses=(
        IID,
        NOISE,
        BOUNDED,
        ERM,
        Hypothesis("target", "the target is a function of the class, so A = 0"),
    ),
    uses=(chord_oracle,),
    steps=(
        Step(
            "chord_oracle at A = 0 and tau = 1/2",
            eq(sp.Subs(_bound, (approximation, tau), (0, sp.Rational(1, 2))), _at_best),
        ),
        Step(
            "what any other tau gives up is a square",
            eq(sp.Rational(1, 4) - tau * (1 - tau), (tau - sp.Rational(1, 2)) ** 2),
        ),
    ),
    reading="no split is left to choose",
)

_smaller = Relation(sp.log(1 + _u), "<=", _u)
chord_price_le = Statement(
    name="chord_price_le",
    words="W^2/(1 - exp(-W^2/(8 sigma^2))) is at most 8 sigma^2 + W^2; the parabola's price is 8 sigma^2 + 2 W^2",
    conclusion=_smaller,
    kind=Kind.ARGUED,
    to_prove="the same inequality with the exponential in the denominator; in logarithms it is proved",
    source=_DOCSTRING,
    hypotheses=(Hypothesis("ratio", "u = W^2/(8 sigma^2)", Relation(_u, ">=", 0)),),
    steps=(
        Step("(1 + u) exp(-u) <= 1, that is u/(1 - exp(-u)) <= 1 + u", _smaller),
        Step(
            "times 8 sigma^2",
            eq((8 * sigma**2 * (1 + _u)).subs(_u, W**2 / (8 * sigma**2)), 8 * sigma**2 + W**2),
        ),
    ),
    reading="the conclusion is log(1 + u) <= u",
    tight_at="u -> 0",
)
