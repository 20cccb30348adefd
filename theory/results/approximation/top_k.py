"""Constant experts with several active at once: a bound in M/K, and when all M count.

`copies_of_constant_experts` is the bound of arXiv 2609.03501: the unit cube is cut into g^d cells, g = floor((M/K)^(1/d)),
and each cell is served by K experts with the value of a Lipschitz target at its centre, so a mixture of them has that
value too. The furthest point of a cell is its corner, at Euclidean distance sqrt(d)/(2 g). K g^d <= M experts suffice.

M/K is what this construction uses, not what top-K needs. On [0, 1] any K consecutive of M experts can be active, which
makes M - K + 1 cells, more than M/K: routers with logits 2 a_j x - a_j^2, linear in x, choose the K nearest of the
points a_j, and with equal weights the value in cell i is the mean of c_i, ..., c_{i+K-1}. Any values v_i of the cells can be had:
c_{i+K} = c_i + K (v_{i+1} - v_i). So for d = 1 and fixed K it is M that governs (`windows_of_constant_experts`).
"""

from __future__ import annotations

__all__ = ["copies_error", "copies_of_constant_experts", "windows_error", "windows_of_constant_experts"]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.approximation.cells import constant_experts_on_cells, sup_error
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import H_beta, L_f, M, beta, d, g, k

STATISTICAL_MOE = "He, Yang, Hu, Gao, Yang, arXiv 2609.03501"

LIPSCHITZ = Hypothesis("Lipschitz target", "|f(x) - f(y)| <= L_f |x - y| in the Euclidean norm")
CONSTANTS = Hypothesis("constant experts", "every expert is a constant; active experts have equal weights")

copies_error = L_f * sp.sqrt(d) / (2 * g)
"""The sup-norm error with g = floor((M/k)^(1/d)) cells along each axis, k experts in each."""
windows_error = L_f / (2 * (M - k + 1))
"""The sup-norm error on [0, 1] with M - k + 1 windows of k consecutive experts."""

_half = 1 / (2 * g)

copies_of_constant_experts = Statement(
    name="copies_of_constant_experts",
    words="top-k constant experts err by at most L_f sqrt(d)/(2 floor((M/k)^(1/d))) on the unit cube",
    conclusion=Relation(sup_error, "<=", copies_error),
    kind=Kind.ARGUED,
    to_prove="a formal proof that copies of experts on (M/k) cells err as one expert a cell does",
    source=Source(STATISTICAL_MOE, "approximation theorem, as relayed; construction and proof derived here"),
    hypotheses=(
        LIPSCHITZ,
        CONSTANTS,
        Hypothesis("cells", "the unit cube is cut into g^d equal cells", eq(g, sp.floor((M / k) ** (1 / d)))),
        Hypothesis("copies", "each cell has k experts of its own, with equal values"),
    ),
    steps=(
        Step(
            "the corner is half a side away along each axis", eq(sp.sqrt(d * _half**2), sp.sqrt(d) / (2 * g))
        ),
        Step("the target moves by at most L_f times that", eq(L_f * sp.sqrt(d * _half**2), copies_error)),
        Step(
            "f = L_f (x_1 + ... + x_d)/sqrt(d) oscillates by twice as much on every cell",
            eq(L_f * d * (1 / g) / sp.sqrt(d), 2 * copies_error),
        ),
    ),
    reading="k experts for each of (M/k) cells; an upper bound for top-k, not the least error that top-k can reach",
    tight_at="f(x) = L_f (x_1 + ... + x_d)/sqrt(d), whatever the constants of the cells",
)

_more_windows = Relation(M / k, "<=", M - k + 1)

windows_of_constant_experts = Statement(
    name="windows_of_constant_experts",
    words="for d = 1, top-k constant experts err by at most L_f/(2 (M - k + 1)): M counts, not M/k",
    conclusion=Relation(sup_error, "<=", windows_error),
    kind=Kind.ARGUED,
    to_prove="a formal proof that the windows partition the interval",
    source=Source("derived here", "docstring of theory.results.approximation.top_k"),
    hypotheses=(
        LIPSCHITZ,
        CONSTANTS,
        Hypothesis("one dimension", "the domain is [0, 1], d = 1"),
        Hypothesis("some active", "at least one expert is active", Relation(k, ">=", 1)),
        Hypothesis("enough experts", "no more are active than there are", Relation(M, ">=", k)),
    ),
    uses=(constant_experts_on_cells,),
    steps=(
        Step(
            "a cell for each window of k consecutive experts, and its middle value",
            eq(
                sp.Subs(constant_experts_on_cells.formula, (H_beta, beta, g), (L_f, 1, M - k + 1)),
                windows_error,
            ),
        ),
        Step("there are at least as many windows as M/k", _more_windows),
    ),
    reading="the values of the cells are free, those of the experts follow; they need not lie between those of f",
    tight_at="f(x) = L_f x, for every M and k",
)
