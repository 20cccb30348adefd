"""Routing combinatorics: how many expert patterns there are, and bounds on their logarithm.

A token picks k of M experts in each of L_T layers, so a sequence of ell tokens
has C(M,k)^(L_T ell) patterns. Bounds on log C(M,k) are in nats. H is the natural
binary entropy, and x log x is 0 at x = 0, so that every bound has a value at k = M.
"""

from __future__ import annotations

__all__ = [
    "binary_entropy",
    "eighth_entropy_le_log_choose",
    "entropy_le_k_log",
    "entropy_sub_log_le_log_choose",
    "entropy_symmetric",
    "k_log_ratio_le_log_choose",
    "k_log_slack_grows",
    "k_log_slope",
    "log_choose_add_one_le_k_log",
    "log_choose_le_entropy",
    "log_choose_le_k_log",
    "log_choose_le_stirling",
    "log_patterns_le_k_log",
    "number_of_routings",
    "robbins",
    "routing_entropy",
    "routing_patterns",
    "stirling_remainder",
    "stirling_remainder_falls",
]

import math

import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import L_T, M, as_formula, ell, k

TEXTBOOK = Source("textbook")
DERIVED = Source("derived here")
ROBBINS = "H. Robbins, A Remark on Stirling's Formula, Amer. Math. Monthly 62 (1955)"

SOME_ACTIVE = Hypothesis("some active", "at least one expert is active", Relation(k, ">=", 1))
ENOUGH = Hypothesis("enough experts", "no more are active than there are", Relation(M, ">=", k))
SPARSE = Hypothesis("sparse", "not all experts are active", Relation(M, ">=", k + 1))

choices = sp.binomial(M, k)
"""Expert sets of one token in one layer: C(M, k)."""
k_log = k * sp.log(sp.E * M / k)
"""The usual bound k log(e M/k), in nats."""


def binary_entropy(p: sp.Expr) -> sp.Expr:
    """H(p) = -p log p - (1 - p) log(1 - p), in nats; 0 at p = 0 and p = 1."""
    p = as_formula(p, "binary_entropy: p")
    return -p * sp.log(p) - (1 - p) * sp.log(1 - p)


entropy = M * binary_entropy(k / M)
"""The entropy bound M H(k/M), in nats."""


def number_of_routings(M: int, k: int, *, layers: int = 1, tokens: int = 1) -> int:
    """C(M, k)^(layers tokens), exactly. Raises ValueError unless 1 <= k <= M and the rest are at least 1."""
    _check_counts(M, k, layers, tokens)
    return int(math.comb(M, k) ** (layers * tokens))


def routing_entropy(M: int, k: int, *, layers: int = 1, tokens: int = 1) -> float:
    """layers tokens log C(M, k) in nats, to a few units in the last place: the log of the exact integer."""
    _check_counts(M, k, layers, tokens)
    return layers * tokens * math.log(math.comb(M, k))


def _check_counts(M: int, k: int, layers: int, tokens: int) -> None:
    for name, value in {"M": M, "k": k, "layers": layers, "tokens": tokens}.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise MoelawsError(f"{name}={value!r}: expected a whole number of at least 1")
    if k > M:
        raise MoelawsError(f"k={k}: expected at most M={M} active experts")


patterns = sp.Symbol("patterns", positive=True)
routing_patterns = Statement(
    name="routing_patterns",
    words="a sequence of ell tokens has C(M,k)^(L_T ell) routing patterns",
    conclusion=eq(patterns, choices ** (L_T * ell)),
    source=TEXTBOOK,
    kind=Kind.DEFINITION,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    reading="each token chooses a set of k experts in each layer, independently",
)

# Upper bounds

_with_slack = Relation(sp.log(choices) + 1, "<=", k_log)
log_choose_add_one_le_k_log = Statement(
    name="log_choose_add_one_le_k_log",
    words="k log(eM/k) exceeds log C(M,k) by at least one nat",
    conclusion=_with_slack,
    source=DERIVED,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    steps=(
        Step("at k = 1 the slack is exactly 1", eq(sp.log(sp.binomial(M, 1)) + 1, k_log.subs(k, 1))),
        Step("the slack never shrinks as k grows, since k log(1 + 1/k) <= 1", _with_slack, on=k),
    ),
    tight_at="k = 1, for every M",
    attained_at=({k: 1},),
)

_usual = Relation(sp.log(choices), "<=", k_log)
log_choose_le_k_log = Statement(
    name="log_choose_le_k_log",
    words="log C(M,k) is at most k log(eM/k)",
    conclusion=_usual,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    uses=(log_choose_add_one_le_k_log,),
    steps=(Step("one nat is left over", _usual, given=(log_choose_add_one_le_k_log.at(),)),),
    tight_at="never: the slack is at least 1",
)

_sites = sp.Symbol("sites", positive=True, integer=True)
log_patterns_le_k_log = Statement(
    name="log_patterns_le_k_log",
    words="L_T ell log C(M,k), the log number of routing patterns of a sequence, is at most L_T ell k log(eM/k)",
    conclusion=Relation(L_T * ell * sp.log(choices), "<=", L_T * ell * k_log),
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    uses=(log_choose_le_k_log,),
    steps=(
        Step(
            "each site by itself: the log of a power", eq(sp.log(patterns**_sites), _sites * sp.log(patterns))
        ),
    ),
    tight_at="never: the slack is at least L_T ell",
)

_growth = Relation(sp.log(sp.binomial(M, k + 1)) - sp.log(choices), "<=", k_log.subs(k, k + 1) - k_log)
k_log_slack_grows = Statement(
    name="k_log_slack_grows",
    words="the slack of k log(eM/k) never shrinks as k grows to M, where the bound is M and the truth 0",
    conclusion=_growth,
    source=DERIVED,
    hypotheses=(SOME_ACTIVE, SPARSE),
    steps=(
        Step("from k to k + 1 the bound grows by no less than the truth", _growth),
        Step("at k = M the bound is M", eq(k_log.subs(k, M), M)),
        Step("at k = M there is one choice", eq(sp.log(sp.binomial(M, M)), 0)),
    ),
    tight_at="nowhere: the slack strictly grows",
)

_by_entropy = Relation(sp.log(choices), "<=", entropy)
log_choose_le_entropy = Statement(
    name="log_choose_le_entropy",
    words="log C(M,k) is at most M H(k/M)",
    conclusion=_by_entropy,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    steps=(
        Step("0 = 0 at M = k, and from M on x log(1 + 1/x) grows from x = M - k to M", _by_entropy, on=M),
    ),
    tight_at="k = M",
    attained_at=({M: k},),
)

_entropy_below = Relation(entropy, "<=", k_log)
entropy_le_k_log = Statement(
    name="entropy_le_k_log",
    words="M H(k/M) is at most k log(eM/k)",
    conclusion=_entropy_below,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    steps=(Step("(M - k) log(1 + k/(M - k)) <= k", _entropy_below),),
    tight_at="in the limit k/M -> 0, relative to k",
)

# Lower bounds

_ratio = Relation(sp.log(choices), ">=", k * sp.log(M / k))
k_log_ratio_le_log_choose = Statement(
    name="k_log_ratio_le_log_choose",
    words="log C(M,k) is at least k log(M/k)",
    conclusion=_ratio,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    steps=(Step("0 = 0 at M = k, and (1 + 1/M)^k (1 - k/(M + 1)) <= 1 after that", _ratio, on=M),),
    tight_at="k = 1 and k = M",
    attained_at=({k: 1}, {M: k}),
)

_eighth = Relation(sp.log(choices), ">=", sp.log(M / (8 * k * (M - k))) / 2 + entropy)
eighth_entropy_le_log_choose = Statement(
    name="eighth_entropy_le_log_choose",
    words="log C(M,k) is at least 1/2 log(M/(8 k (M-k))) + M H(k/M)",
    conclusion=_eighth,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, SPARSE),
    steps=(
        Step("both sides are log 2 at M = 2, k = 1", eq(_eighth.rhs.subs({M: 2, k: 1}), sp.log(2))),
        Step("(x + 1/2) log(1 + 1/x) falls, from x = 1 at M = k + 1 and from x = M - k to M", _eighth, on=M),
    ),
    tight_at="M = 2, k = 1",
    attained_at=({k: 1, M: 2},),
    stated=(("increasing", M),),
)

_less_log = Relation(sp.log(choices), ">=", entropy - sp.log(M + 1))
entropy_sub_log_le_log_choose = Statement(
    name="entropy_sub_log_le_log_choose",
    words="log C(M,k) is at least M H(k/M) - log(M + 1)",
    conclusion=_less_log,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, SPARSE),
    uses=(eighth_entropy_le_log_choose,),
    steps=(
        Step("8 k (M - k) <= M (M + 1)^2", _less_log, given=(eighth_entropy_le_log_choose.at(),)),
        Step("at M = k the bound is -log(k + 1)", Relation(-sp.log(k + 1), "<=", 0)),
    ),
    stated=(("increasing", M),),
)

# Stirling's formula

_n = sp.Symbol("m", positive=True, integer=True)


def stirling_remainder(m: sp.Expr) -> sp.Expr:
    """log m! less Stirling's formula for it: log m! - (m + 1/2) log m + m - 1/2 log(2 pi)."""
    m = as_formula(m, "stirling_remainder: m")
    half = sp.Rational(1, 2)
    return sp.log(sp.factorial(m)) - (m + half) * sp.log(m) + m - half * sp.log(2 * sp.pi)


robbins = Statement(
    name="robbins",
    words="Stirling's formula falls short of log m! by at least 1/(12 m + 1)",
    conclusion=Relation(stirling_remainder(_n), ">=", 1 / (12 * _n + 1)),
    source=Source(ROBBINS),
    kind=Kind.ASSUMPTION,
    hypotheses=(Hypothesis("positive", "m is at least 1", Relation(_n, ">=", 1)),),
)

_falls = Relation(stirling_remainder(M), "<=", stirling_remainder(k))
stirling_remainder_falls = Statement(
    name="stirling_remainder_falls",
    words="what Stirling's formula falls short of log m! never grows with m",
    conclusion=_falls,
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, ENOUGH),
    steps=(Step("(x + 1/2) log(1 + 1/x) >= 1", _falls, on=M),),
    tight_at="M = k",
    attained_at=({M: k},),
)

_stirling = Relation(sp.log(choices), "<=", sp.log(M / (2 * sp.pi * k * (M - k))) / 2 + entropy)
log_choose_le_stirling = Statement(
    name="log_choose_le_stirling",
    words="log C(M,k) is at most 1/2 log(M/(2 pi k (M-k))) + M H(k/M)",
    conclusion=_stirling,
    source=Source(ROBBINS, "consequence of its lower bound"),
    hypotheses=(SOME_ACTIVE, SPARSE),
    uses=(robbins, stirling_remainder_falls),
    steps=(
        Step(
            "the slack is r(k) + r(M - k) - r(M) for the remainders r",
            _stirling,
            given=(stirling_remainder_falls.at(), robbins.at({_n: M - k})),
        ),
    ),
    tight_at="in the limit of large k and M - k",
    stated=(("increasing", M),),
)

# Symmetry and slope

_mirrored = entropy.subs(k, M - k)
entropy_symmetric = Statement(
    name="entropy_symmetric",
    words="M H(k/M) does not change under k -> M - k",
    conclusion=eq(_mirrored, entropy),
    source=TEXTBOOK,
    hypotheses=(SOME_ACTIVE, SPARSE),
    steps=(Step("the two terms change places", eq(_mirrored, entropy)),),
)

_slope = sp.Derivative(k_log, k)
k_log_slope = Statement(
    name="k_log_slope",
    words="one more active expert adds log(M/k) to k log(eM/k), to first order",
    conclusion=eq(_slope, sp.log(M / k)),
    source=TEXTBOOK,
    steps=(Step("product rule", eq(_slope, sp.log(M / k))),),
)
