"""With a fixed routing pattern, log N(delta) <= L_T (Pi_attn + min(M, k ell) Pi_exp) log ceil(kappa Lambda/delta).

Proof. Cut [-kappa, kappa] into m = ceil(kappa Lambda/delta) equal cells: their midpoints are within kappa/m <= delta/Lambda of
every parameter, so their m^P combinations give functions of the class within delta of every function of it. P counts
the parameters that the pattern touches: k experts for each of ell tokens are at most min(M, k ell) a block, not k. The
weights of the experts are fixed: rows of a trained softmax would be parameters too.
Taking the union over all patterns adds L_T ell log C(M, k). Balls are closed, logarithms natural.

P = N_act holds in two cases: for one token, and where all tokens of a block share their experts (then the union costs
L_T log C(M, k)). Elsewhere it can fail: `theory.results.covering.counterexamples` has two tokens and two experts.
"""

from __future__ import annotations

__all__ = [
    "all_patterns_cover",
    "cells_per_parameter",
    "fixed_pattern_cover",
    "lipschitz_cover",
    "log_cells_le",
    "log_patterns",
    "midpoints",
    "midpoints_cover",
    "one_token_cover",
    "touched_parameters",
]

import math
from fractions import Fraction

import mpmath
import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.results.covering.attention import BOX
from theory.results.covering.bounded_class import FIXED_PATTERN, FIXED_WEIGHTS, NETWORK, Size
from theory.results.routing import ENOUGH, SOME_ACTIVE
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import L_T, Lambda, M, N_act, Pi_attn, Pi_exp, delta, ell, k, kappa


def cells_per_parameter(kappa: Size, lipschitz: Size, delta: Size) -> int:
    """m = ceil(kappa Lambda/delta), exact."""
    exact = [sp.Rational(str(x)) if isinstance(x, str) else sp.sympify(x) for x in (kappa, lipschitz, delta)]
    if not all(x.is_positive and not x.has(sp.Float) for x in exact):
        raise MoelawsError(
            f"cells_per_parameter({kappa!r}, {lipschitz!r}, {delta!r}): expected exact positive numbers; "
            "write decimals as strings"
        )
    return int(sp.ceiling(exact[0] * exact[1] / exact[2]))


def midpoints(kappa: Fraction | int, cells: int) -> list[Fraction]:
    """Centres of the equal cells of [-kappa, kappa]: no point is further than kappa/cells from one of them."""
    return [Fraction(kappa) * (2 * i + 1 - cells) / cells for i in range(cells)]


def touched_parameters(
    *,
    layers: Size,
    attention: Size,
    expert: Size,
    experts: Size,
    active: Size,
    tokens: Size,
    shared: bool = False,
) -> Size:
    """P: parameters that one pattern touches; ``shared`` where all tokens of a block use the same k experts."""
    return layers * (attention + (active if shared else sp.Min(experts, active * tokens)) * expert)


def log_patterns(*, layers: int, experts: int, active: int, tokens: int, shared: bool = False) -> mpmath.mpf:
    """The price of the union over all patterns, L_T ell log C(M, k), in nats (L_T log C(M, k) where ``shared``)."""
    return layers * (1 if shared else tokens) * mpmath.log(math.comb(experts, active))


log_covering_number = sp.Symbol("log_N", positive=True)
cells = sp.Symbol("cells", positive=True, integer=True)
subsets = sp.Symbol("subsets", positive=True, integer=True)
touched = L_T * (Pi_attn + sp.Min(M, k * ell) * Pi_exp)

CELLS = Hypothesis(
    "cells",
    "each parameter's interval is cut into ceil(kappa Lambda/delta) cells",
    eq(cells, sp.ceiling(kappa * Lambda / delta)),
)
_DOCSTRING = Source("derived here", "docstring of theory.results.covering.fixed_pattern")
_more = sp.Symbol("more", positive=True)  # M - k
# M tokens, each served by a constant expert of its own: the outputs are a cube in sup-norm
_constant_experts = touched.subs({L_T: 1, Pi_attn: 0, Pi_exp: 1, k: 1, ell: M}) * sp.log(cells)

_ratio, _above, _below = sp.symbols("ratio above below", positive=True)

log_cells_le = Statement(
    name="log_cells_le",
    words="log ceil(x) is at most log(x + 1): a closed form of the price of a parameter, x = kappa Lambda/delta",
    conclusion=Relation(sp.log(_ratio + 1 - _below), "<=", sp.log(_ratio + 1)),
    source=Source("textbook"),
    hypotheses=(
        Hypothesis("rounding", "ceil(x) = x + 1 - below with 0 <= below <= 1", Relation(_below, ">=", 0)),
        Hypothesis("ratio", "x is at least below", Relation(_ratio, ">=", _below)),
    ),
    steps=(Step("the logarithm increases", Relation(sp.log(_ratio + 1 - _below), "<=", sp.log(_ratio + 1))),),
    tight_at="in the limit of x just above an integer",
)

_within = Relation(_ratio * delta, "<=", (_ratio + _above) * delta)
midpoints_cover = Statement(
    name="midpoints_cover",
    words="midpoints of ceil(kappa Lambda/delta) cells are within delta/Lambda of every parameter",
    conclusion=_within,
    source=_DOCSTRING,
    hypotheses=(
        Hypothesis("rounding", "the number of cells is ratio + above", Relation(_above, ">=", 0)),
        Hypothesis("ratio", "ratio = kappa Lambda/delta", Relation(_ratio, ">=", 0)),
        Hypothesis("radius", "delta is positive", Relation(delta, ">=", 0)),
    ),
    steps=(
        Step("with kappa in terms of the ratio", eq(kappa * Lambda, kappa * Lambda / delta * delta)),
        Step("half a cell is kappa over their number; times Lambda and their number", _within),
    ),
    tight_at="kappa Lambda/delta is an integer",
    proved_in="Covers.midpoints_cover",
)

_P, _change, _less, _slack = sp.symbols("P change less slack", positive=True)
_squares = Relation(_P * _change**2 - _slack + (_change - _less) ** 2, "<=", (_P + 1) * _change**2)
euclidean_lipschitz_constant = Statement(
    name="euclidean_lipschitz_constant",
    words="a map with Lipschitz constant Lambda from l2 on P parameters has Lambda sqrt(P) from their largest entry",
    conclusion=_squares,
    source=_DOCSTRING,
    hypotheses=(
        Hypothesis("so far", "P squared changes sum to P change^2 - slack", Relation(_slack, ">=", 0)),
        Hypothesis("less", "one more entry changes by change - less", Relation(_less, ">=", 0)),
        Hypothesis("largest", "change is the largest one", Relation(_change, ">=", _less)),
        Hypothesis("parameters", "there is one", Relation(_P, ">=", 1)),
    ),
    steps=(
        Step("one parameter more: P + 1 squared changes, each at most change^2", _squares),
        Step(
            "so in l2 they are at most sqrt(P) change apart",
            eq(sp.sqrt(_P * _change**2), sp.sqrt(_P) * _change),
        ),
    ),
    reading="where a Lipschitz constant is known from l2, put Lambda sqrt(P) for Lambda in the covers",
    tight_at="all parameters change by the same amount",
    proved_in="Covers.euclidean_lipschitz_constant",
    emitted=(("euclidean_constant", Lambda * sp.sqrt(_P)),),
)

_grid = eq(sp.log(cells**_P), _P * sp.log(cells))
lipschitz_cover = Statement(
    name="lipschitz_cover",
    words="a map with Lipschitz constant Lambda from the largest entry takes a box of P parameters into ceil(kappa Lambda/delta)^P "
    "balls of radius delta, centred at values of it",
    conclusion=_grid,
    source=_DOCSTRING,
    hypotheses=(BOX, CELLS),
    uses=(midpoints_cover,),
    steps=(Step("every combination of midpoints, counted in nats", _grid),),
    reading="distances between outputs need no property: the map moves by at most Lambda times the largest change of a parameter",
    tight_at="constant experts behind a frozen router (interval_router_entropy)",
    proved_in="Boxes.lipschitz_cover",
    emitted=(("grid_entropy", _P * sp.log(cells)),),
)

fixed_pattern_cover = Statement(
    name="fixed_pattern_cover",
    words="one routing pattern needs at most ceil(kappa Lambda/delta)^P functions, P = L_T (Pi_attn + min(M, k ell) Pi_exp)",
    conclusion=Relation(log_covering_number, "<=", touched * sp.log(cells)),
    kind=Kind.ARGUED,
    to_prove="proofs of attention_lipschitz and expert_lipschitz, chained with lipschitz_recursion and lipschitz_cover",
    source=_DOCSTRING,
    hypotheses=(BOX, FIXED_PATTERN, FIXED_WEIGHTS, CELLS),
    uses=(*NETWORK, lipschitz_cover, log_cells_le),
    steps=(
        Step(
            "every combination of midpoints, counted in nats",
            eq(sp.log(cells**touched), touched * sp.log(cells)),
        ),
        Step(
            "few tokens, k ell < M: k ell experts a block",
            eq(sp.Subs(touched, M, k * ell + _more).doit(), L_T * (Pi_attn + k * ell * Pi_exp)),
        ),
        Step(
            "many tokens, k ell > M: all experts of a block",
            eq(L_T * (Pi_attn + sp.Min(M, M + _more) * Pi_exp), L_T * (Pi_attn + M * Pi_exp)),
        ),
    ),
    reading="an upper bound on the covering number by closed balls centred in the class, in nats",
    tight_at="constant experts with values in [-1, 1]: a cube in sup-norm (theory.results.covering.counterexamples)",
    attained_at=(eq(sp.log(cells**M), _constant_experts),),
)

one_token_cover = Statement(
    name="one_token_cover",
    words="for one token the pattern touches N_act parameters",
    conclusion=eq(N_act, L_T * (Pi_attn + k * Pi_exp)),
    kind=Kind.ARGUED,
    to_prove="a proof of fixed_pattern_cover; N_act by definition",
    source=_DOCSTRING,
    hypotheses=(Hypothesis("one token", "ell = 1, or all tokens of a block share their k experts"),),
    uses=(fixed_pattern_cover,),
    steps=(
        Step(
            "min(M, k) = k, with M = k + more",
            eq(touched.subs({M: k + _more, ell: 1}), L_T * (Pi_attn + k * Pi_exp)),
        ),
    ),
)

all_patterns_cover = Statement(
    name="all_patterns_cover",
    words="the union over all patterns adds L_T ell log C(M, k)",
    conclusion=Relation(log_covering_number, "<=", touched * sp.log(cells) + L_T * ell * sp.log(subsets)),
    kind=Kind.ARGUED,
    to_prove="a proof of fixed_pattern_cover and a union over patterns in a proof assistant",
    source=_DOCSTRING,
    hypotheses=(
        BOX,
        CELLS,
        Hypothesis("subsets", "the number of k-subsets of M experts", eq(subsets, sp.binomial(M, k))),
        Hypothesis("any fixed pattern", "each function of the class follows one pattern, whatever its input"),
        FIXED_WEIGHTS,
        SOME_ACTIVE,
        ENOUGH,
    ),
    uses=(fixed_pattern_cover,),
    steps=(
        Step(
            "one cover for each of the C(M, k)^(L_T ell) patterns",
            eq(
                sp.log(subsets ** (L_T * ell)) + touched * sp.log(cells),
                touched * sp.log(cells) + L_T * ell * sp.log(subsets),
            ),
        ),
    ),
    reading="a class whose pattern depends on the input is not covered by this union: one function mixes many patterns",
)
