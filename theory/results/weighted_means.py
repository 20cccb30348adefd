"""Weighted means: the inequality behind every optimum of a falling and a rising term.

For weights w, 1 - w and positive x, y: x^w y^(1-w) <= w x + (1 - w) y. With ratio t = x/y this is t^w <= 1 + w (t - 1);
with w = 1/(1 + s) and logarithms, log t <= (1 + s) (log(s + t) - log(1 + s)).
"""

from __future__ import annotations

__all__ = ["weighted_am_gm"]

import sympy as sp

from theory.relation import Relation
from theory.statement import Hypothesis, Source, Statement, Step

_t, _s = sp.symbols("t s", positive=True)
_larger = Relation(sp.log(_t), "<=", (1 + _s) * (sp.log(_s + _t) - sp.log(1 + _s)))
_smaller = Relation(-sp.log(_t), "<=", (1 + _s) * (sp.log(1 + _s * _t) - sp.log(_t) - sp.log(1 + _s)))

weighted_am_gm = Statement(
    name="weighted_am_gm",
    words="a weighted geometric mean is at most the arithmetic one: t^w <= 1 + w (t - 1), w = 1/(1 + s), in logarithms over w",
    conclusion=_larger,
    source=Source("textbook"),
    hypotheses=(
        Hypothesis("weight", "w = 1/(1 + s) is in (0, 1]", Relation(_s, ">=", 0)),
        Hypothesis("ratio", "t >= 1; the second step is the case of 1/t", Relation(_t, ">=", 1)),
    ),
    steps=(
        Step("for a ratio of at least 1: 0 = 0 at t = 1, and the right side grows faster", _larger),
        Step("for the ratio 1/t", _smaller),
    ),
    tight_at="t = 1: the two numbers are equal",
)
