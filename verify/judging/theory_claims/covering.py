"""Lipschitz factors of whole layers: proved piece by piece, put together in words, so here searched for counterexamples.

The smallest layers have one feature, one head, two tokens; entries are in [-1, 1], tokens in the unit ball. A search
that finds nothing proves nothing, and the claims stay open. `tests/theory/covering` does the same on torch modules.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theory.relation import Relation
from theory.results.covering.attention import ATTENTION_FACTORS, ATTENTION_INPUT
from theory.results.covering.bounded_class import BoundedMoE
from theory.results.covering.experts import RELU, Gate, expert_factors
from verify.checks.falsifier import Falsifier
from verify.checks.integer_range import IntegerRange
from verify.judging.theory_claims.paper import theory
from verify.verdicts import Verdict

WHERE = "theory.results.covering"
ARGUED = (
    "The layer's bound is a chain of proved inequalities that is put together in words, for any number of features; "
    "one feature and two tokens can only be searched for a counterexample."
)
SMALLEST = BoundedMoE(d_model=1, d_ff=1, heads=1, kappa=1, radius=1)

_q, _k, _x, _y = sp.symbols("q k x y", real=True)
_w2, _w1 = sp.symbols("w2 w1", real=True)


def _attention(o: sp.Expr, v: sp.Expr, q: sp.Expr, k: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """The output at token x of one head with one feature, tokens x and y."""
    weight = 1 / (1 + sp.exp(q * k * x * (y - x)))
    return o * v * (weight * x + (1 - weight) * y)


def _claim(slug: str, words: str, slope: sp.Expr, bound: sp.Expr, symbols: list[sp.Symbol]) -> None:
    """``slope`` is at most ``bound`` in size where all symbols are in [-1, 1]; a third of the bound is too small."""
    limit = sp.nsimplify(bound)
    theory.claim(
        f"covering/{slug}",
        words,
        where=WHERE,
        reading="one feature, one head, one hidden unit, two tokens; entries and tokens in [-1, 1]",
        check=Falsifier(
            Relation(slope**2, "<=", limit**2), tuple((s, Fraction(-1), Fraction(1)) for s in symbols)
        ),
        expect=Verdict.INCONCLUSIVE,
        because=ARGUED,
        mutants={"a third of the bound": {"relation": Relation(slope**2, "<=", (limit / 3) ** 2)}},
    )


# The output is linear in o and v, so both stand at their largest value, 1.
_output = _attention(sp.Integer(1), sp.Integer(1), _q, _k, _x, _y)
_rest = [_q, _k, _x, _y]
_claim(
    "attention-query",
    "attention moves with its query weights, and with its key weights, by at most their factor",
    sp.diff(_output, _q),
    SMALLEST.at(ATTENTION_FACTORS["attention query"], SMALLEST.radius),
    _rest,
)
_claim(
    "attention-input",
    "attention moves with both tokens together by at most its input factor",
    sp.diff(_output, _x) + sp.diff(_output, _y),
    SMALLEST.at(ATTENTION_INPUT, SMALLEST.radius),
    _rest,
)
# At the token 1 weight and bias of the hidden unit only act together, as twice _w1.
_d_w2, _d_w1 = sp.symbols("d_w2 d_w1", real=True)
_step, _inner = sp.Rational(1, 10), sp.Rational(9, 10)
_before = _inner * _w2 * sp.Max(2 * _inner * _w1, 0)
_after = (_inner * _w2 + _step * _d_w2) * sp.Max(2 * (_inner * _w1 + _step * _d_w1), 0)
_claim(
    "expert-parameters",
    "an expert moves with its weights by at most its factors, over a tenth of the box; its last bias adds 1 to them",
    (_after - _before) / _step,
    SMALLEST.at(sp.Add(*expert_factors(RELU, Gate.FIXED).values()), SMALLEST.radius) - 1,
    [_w2, _w1, _d_w2, _d_w1],
)

# Sauer's sum as a whole, for few parameters

_m = sp.Symbol("m", positive=True, integer=True)
for _p in (1, 2, 3, 4):
    _sum = sp.expand_func(sum(sp.binomial(_m, i).expand(func=True) for i in range(_p + 1)))
    _limit = _p * (1 + sp.log(_m / _p))
    theory.claim(
        f"covering/sauer-sum-{_p}",
        f"C(m, 0) + ... + C(m, {_p}) is at most (e m/{_p})^{_p}",
        where=WHERE,
        check=IntegerRange(Relation(sp.log(_sum), "<=", _limit), ((_m, sp.Integer(_p), sp.Integer(400)),)),
        mutants={
            "without the factor e": {"relation": Relation(sp.log(_sum), "<=", _p * sp.log(_m / _p))},
        },
    )
