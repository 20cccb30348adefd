"""Multi-head attention on a ball: how far its output moves with its parameters and with its input.

Head h has Q_h, K_h, V_h of shape e x d_model and O_h of shape d_model x e, e = d_model / n_heads. A token x_t
attends with weights p_s = softmax_s(<Q_h x_t, K_h x_s> / sqrt(e)) over any nonempty set of tokens (causal or not):

    Attn(X)_t = sum_h O_h V_h sum_s p_s x_s.

Entries lie in [-kappa, kappa], tokens in the ball of radius r, and a sequence has the norm of its largest token.
Write D = d_model and ||.|| for the spectral norm. Four facts carry every constant.

1. An m x n matrix with entries at most c has ||W|| <= c sqrt(m n), attained where all entries are c. So
   ||V_h||, ||Q_h||, ||K_h|| <= kappa sqrt(e D), ||O|| <= kappa D for the joined O, and a change of entries by eps
   changes the matrix by at most eps sqrt(m n) in norm.
2. A mean of tokens is in the same ball. Heads stack: if each head's vector is at most c, the joined one is at most
   c sqrt(n_heads). Hence |Attn| <= kappa D sqrt(n_heads) kappa sqrt(e D) r = kappa^2 D^2 r.
3. The derivative of the softmax mean sum_s p_s x_s along scores' changes c_s is the covariance Cov_p(c, x). By
   Cauchy-Schwarz |Cov_p(c, x)| <= sd_p(c) max_u sd_p(<u, x>), and what is at most b in size has standard
   deviation at most b. Two tokens at +-b with p = 1/2 attain it: this is the 1/2-Lipschitz softmax, and the bound
   is free of the sequence length.
4. The parameter box and the ball are convex, so a bound on the derivative is a Lipschitz bound.

Parameters, one matrix at a time, others anywhere in the box, entries changed by at most eps:

    output  ||dO|| |V x|                          <= eps D * kappa D r
    value   ||O|| sqrt(n_heads) ||dV_h|| r        <= kappa D * eps D r
    query   c_s = <K_h' dQ_h x_t, x_s>/sqrt(e), at most ||K_h|| ||dQ_h|| r^2/sqrt(e) = kappa eps sqrt(e) D r^2, so
            the output moves by ||O|| sqrt(n_heads) ||V_h|| times that times r: eps kappa^3 D^3 sqrt(e) r^3
    key     the same with the two matrices exchanged

Input, tokens changed by at most h (facts 2 and 3, with scores changed through the query and through the keys):

    value path  ||O|| sqrt(n_heads) ||V_h|| h                  = kappa^2 D^2 h
    query path  c_s = <K_h' Q_h dx_t, x_s>/sqrt(e)             adds kappa^2 D^2 h * kappa^2 sqrt(e) D r^2
    key path    c_s = <K_h' Q_h x_t, dx_s>/sqrt(e)             adds the same

Each single bound is attained (in the limit of small changes). Their sums need not be: weights that make the query
path steep keep the softmax away from p = 1/2.
"""

from __future__ import annotations

__all__ = ["ATTENTION_FACTORS", "ATTENTION_INPUT", "ATTENTION_MAGNITUDE", "attention_lipschitz"]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.covering.norms import (
    bounded_matrix_norm,
    covariance_bound,
    product_of_bounds,
    softmax_half_lipschitz,
    triangle_inequality,
)
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import d_model, kappa, n_heads, r

BOX = Hypothesis("bounded parameters", "every parameter is in [-kappa, kappa]")
BALL = Hypothesis("bounded tokens", "every token that enters the layer has Euclidean norm at most r")

_head = d_model / n_heads
_score = kappa**2 * d_model * sp.sqrt(_head) * r**2
"""The largest attention score, and its largest change per relative change of one factor."""

ATTENTION_MAGNITUDE = kappa**2 * d_model**2 * r
"""The largest norm of an output token at tokens of norm r."""
ATTENTION_FACTORS = {
    "attention output": kappa * d_model**2 * r,
    "attention value": kappa * d_model**2 * r,
    "attention query": kappa**3 * d_model**3 * sp.sqrt(_head) * r**3,
    "attention key": kappa**3 * d_model**3 * sp.sqrt(_head) * r**3,
}
"""Output change per parameter change of one layer type, at tokens of norm r."""
ATTENTION_INPUT = kappa**2 * d_model**2 * (1 + 2 * _score)
"""Output change per input change: value path, query path, key path."""

attention_factor = sp.Symbol("attention_factor", positive=True)
_aligned = r / sp.sqrt(d_model)  # each feature of a token of norm r along (1, ..., 1)
_wide = kappa * sp.sqrt(_head * d_model)  # the norm of one head's matrix
_total = 2 * kappa * d_model**2 * r * (1 + _score)

attention_lipschitz = Statement(
    name="attention_lipschitz",
    words="attention moves by at most 2 kappa d^2 r (1 + kappa^2 d sqrt(d/n_heads) r^2) per change of its parameters",
    conclusion=Relation(attention_factor, "<=", _total),
    kind=Kind.ARGUED,
    to_prove="a formal proof about matrices that joins the bounds of the factors",
    source=Source("derived here", "docstring of theory.results.covering.attention"),
    hypotheses=(BOX, BALL),
    uses=(
        bounded_matrix_norm,
        covariance_bound,
        product_of_bounds,
        softmax_half_lipschitz,
        triangle_inequality,
    ),
    steps=(
        Step(
            "with all weights kappa and all tokens along (1, ..., 1) the output has the largest norm",
            eq(sp.sqrt(d_model) * (kappa * d_model) ** 2 * _aligned, ATTENTION_MAGNITUDE),
        ),
        Step(
            "lowering the value and output weights of that network attains the sum of their factors",
            eq(
                sp.Derivative(ATTENTION_MAGNITUDE, kappa),
                ATTENTION_FACTORS["attention value"] + ATTENTION_FACTORS["attention output"],
            ),
        ),
        Step(
            "query: ||O|| sqrt(n_heads) ||V_h|| times a score's change ||K_h|| ||dQ_h|| r^2/sqrt(e) times r",
            eq(
                (kappa * d_model)
                * (sp.sqrt(n_heads) * _wide)
                * (_wide * (_wide / kappa) * r**2 / sp.sqrt(_head))
                * r,
                ATTENTION_FACTORS["attention query"],
            ),
        ),
        Step("all four factors together", eq(sp.Add(*ATTENTION_FACTORS.values()), _total)),
    ),
    reading="the inequalities are the statements used, put together in the docstring; the steps check constants and where they are attained",
    tight_at="each factor by itself, in the limit of small changes (query and key: two tokens of equal weight)",
)
