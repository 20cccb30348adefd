"""What must be inferred and what must stay unknown, formula by formula."""

from __future__ import annotations

import pytest
import sympy as sp

from theory.relation import Relation
from theory.shapes.infer import infer_shape, infer_shapes, summary
from theory.shapes.signs import NEGATIVE, NONNEGATIVE, POSITIVE, UNKNOWN, ZERO, Domain
from theory.vocabulary import M, e, k

x, y, p = sp.symbols("x y p", positive=True)
w, z, q = sp.symbols("w z q", real=True)
log, Max, Min = sp.log, sp.Max, sp.Min


def at_least(symbol, bound):
    return Relation(symbol, ">=", bound)


ONE = (at_least(x, 1),)
CHOICE = (at_least(k, 1), at_least(M, k))
SHARE = (Relation(p, "<", 1),)

TABLE = [
    # formula, variable, domain, sign, direction, curvature
    (x, x, (), "positive", "increasing", "affine"),
    (x + y**2, x, (), "positive", "increasing", "affine"),
    (3 - x, x, (), "of unknown sign", "decreasing", "affine"),
    (x**2, x, (), "positive", "increasing", "convex"),
    (x**2, x, (at_least(x, 0),), "nonnegative", "increasing", "convex"),
    (w**2, w, (), "nonnegative", "unknown", "convex"),
    (w**3, w, (), "of unknown sign", "increasing", "unknown"),
    (w**2, w, (Relation(w, "<", 0),), "positive", "decreasing", "convex"),
    (1 / w, w, (Relation(w, "<", 0),), "negative", "decreasing", "concave"),
    (x - x**2, x, (), "of unknown sign", "unknown", "concave"),
    (x - x**2, x, ONE, "nonpositive", "decreasing", "concave"),
    (x**p, x, (), "positive", "increasing", "unknown"),
    (x**p, x, SHARE, "positive", "increasing", "concave"),
    (x ** (p / (1 + p)), x, (), "positive", "increasing", "concave"),
    (x ** (1 + p), x, (), "positive", "increasing", "convex"),
    (x**-p, x, (), "positive", "decreasing", "convex"),
    (x**q, x, (), "positive", "unknown", "unknown"),
    (x**q, q, (), "positive", "unknown", "convex"),
    (x**q, q, ONE, "positive", "increasing", "convex"),
    (x**x, x, ONE, "positive", "increasing", "convex"),
    (log(x), x, (), "of unknown sign", "increasing", "concave"),
    (log(x), x, ONE, "nonnegative", "increasing", "concave"),
    (log(1 + 1 / x), x, (), "positive", "decreasing", "convex"),
    (1 / log(x), x, (), "of unknown sign", "unknown", "unknown"),  # below x = 1 it is negative
    (1 / log(x), x, (Relation(x, ">", 1),), "positive", "decreasing", "convex"),
    (log(x) ** 2, x, (), "nonnegative", "unknown", "unknown"),
    (log(x) ** 2, x, ONE, "nonnegative", "increasing", "unknown"),
    (log(x - 5), x, (), "of unknown sign", "unknown", "unknown"),  # no value up to x = 5
    (1 / (x - 1), x, (), "of unknown sign", "unknown", "unknown"),  # a pole at x = 1
    (1 / (x - 1), x, ONE, "of unknown sign", "unknown", "unknown"),
    (1 / (x - 1), x, (Relation(x, ">", 1),), "positive", "decreasing", "convex"),
    (y + 1 / (x - 1), y, (), "of unknown sign", "unknown", "unknown"),  # no value for some x
    (x / (x - 1), x, (Relation(x, ">", 1),), "positive", "decreasing", "convex"),
    (sp.sqrt(x - 1), x, (), "of unknown sign", "unknown", "unknown"),
    (sp.sqrt(x - 1), x, ONE, "nonnegative", "increasing", "concave"),
    (x / (x + y), x, (), "positive", "increasing", "concave"),
    (x / (x + y), y, (), "positive", "decreasing", "convex"),
    (x * y, x, (), "positive", "increasing", "affine"),
    (w * z, w, (), "of unknown sign", "unknown", "affine"),
    (w * z, w, (Relation(z, "<", 0),), "of unknown sign", "decreasing", "affine"),
    (x * w**2, x, (), "nonnegative", "increasing", "affine"),
    (x * (x - 3) ** 2, x, (), "nonnegative", "unknown", "unknown"),
    (x * sp.exp(-x), x, (), "positive", "unknown", "unknown"),
    (x * sp.exp(x), x, (), "positive", "increasing", "convex"),
    (x * log(x), x, (at_least(x, 0),), "of unknown sign", "unknown", "convex"),
    (x * log(x), x, ONE, "nonnegative", "increasing", "convex"),
    (x * log(y / x), x, (at_least(y, x),), "nonnegative", "unknown", "concave"),
    (k * log(e * M / k), k, CHOICE, "positive", "increasing", "concave"),
    (k * log(e * M / k), k, (at_least(k, 1),), "of unknown sign", "unknown", "concave"),  # k may exceed M
    (k * log(M / k), k, CHOICE, "nonnegative", "unknown", "concave"),
    (log(sp.binomial(M, k)), k, CHOICE, "nonnegative", "unknown", "concave"),
    (log(sp.binomial(M, k)), M, CHOICE, "nonnegative", "increasing", "concave"),
    (log(sp.binomial(M, k)), M, (), "of unknown sign", "unknown", "unknown"),  # k may exceed M
    (log(sp.binomial(2 * x, x)), x, (), "nonnegative", "unknown", "unknown"),
    (sp.factorial(x), x, (), "positive", "unknown", "convex"),  # least at x = 0.46
    (sp.factorial(x), x, ONE, "positive", "increasing", "convex"),
    (log(sp.factorial(k)), k, (), "nonnegative", "increasing", "convex"),
    (sp.ceiling(x), x, (), "positive", "increasing", "unknown"),
    (x * sp.floor(x), x, (), "nonnegative", "increasing", "unknown"),
    (Max(x, 2), x, (), "positive", "increasing", "convex"),
    (Max(x, 1 / x), x, (), "positive", "unknown", "convex"),
    (Min(x, 1 / x), x, (), "positive", "unknown", "unknown"),
    (Min(x, sp.sqrt(x)), x, (), "positive", "increasing", "concave"),
    (Min(x, x**2), x, (), "positive", "increasing", "unknown"),
    (Max(x, sp.sqrt(x)), x, (), "positive", "increasing", "unknown"),
    (Max(x, 2) - Min(x, 3), x, (), "of unknown sign", "unknown", "convex"),
    (Min(x, 2) * Max(y, 1), x, (), "positive", "increasing", "concave"),
    (1 / Min(x, 3), x, (), "positive", "decreasing", "convex"),
    (sp.Abs(w), w, (), "nonnegative", "unknown", "convex"),
    (sp.Abs(w - x), w, (), "nonnegative", "unknown", "convex"),
    (sp.erf(x), x, (), "positive", "increasing", "concave"),
    (sp.erf(w), w, (), "of unknown sign", "increasing", "unknown"),
    (1 / (p * (1 - p)), p, (), "of unknown sign", "unknown", "unknown"),
    (1 / (p * (1 - p)), p, SHARE, "positive", "unknown", "convex"),
    (p - 1, p, SHARE, "negative", "increasing", "affine"),
    (sp.sin(x) + 2 * x, x, (), "of unknown sign", "unknown", "unknown"),  # no rule for sines
    (y**2, x, (), "positive", "constant", "affine"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "variable", "domain", "sign", "direction", "curvature"), TABLE, ids=str)
def test_what_the_rules_say(formula, variable, domain, sign, direction, curvature):
    found = infer_shape(formula, variable, domain)
    assert (found.sign, found.direction, found.curvature) == (sign, direction, curvature)


INTEGER = sp.Symbol("i", positive=True, integer=True)


@pytest.mark.parametrize(
    ("formula", "domain"),
    [
        ((INTEGER - sp.Rational(3, 4)) ** 2, (at_least(INTEGER, 0),)),
        ((x - sp.Rational(1, 2)) * INTEGER, (at_least(x, 0),)),
        (x**2, (at_least(x, -1),)),
        (x**2, (at_least(w, -5), at_least(x, w))),
    ],
)
def test_what_sympy_knows_of_a_symbol_is_not_used_beyond_its_bounds(formula, domain):
    """Between integers a shape is about real values, and a domain may reach below what a symbol is declared to be."""
    shapes = infer_shapes(formula, domain)
    assert any(shape.direction == "unknown" for shape in shapes.values())


def test_a_bound_that_turns_leaves_no_interval_and_so_no_shape():
    """Where y is at least x (3 - x), the values of x for a given y fall in two pieces."""
    domain = (at_least(y, x * (3 - x)),)
    assert infer_shape(sp.Max(x, 1) * y, x, domain).direction == "unknown"
    assert infer_shape(sp.Max(x, 1) * y, x, (at_least(y, x / (1 + x)),)).direction == "increasing"


def test_signs_add_and_multiply():
    assert POSITIVE + NONNEGATIVE == POSITIVE
    assert NONNEGATIVE * NEGATIVE == -NONNEGATIVE
    assert POSITIVE + NEGATIVE == UNKNOWN == UNKNOWN * UNKNOWN
    assert UNKNOWN * ZERO == ZERO
    assert UNKNOWN.power(2) == NONNEGATIVE
    assert NEGATIVE.power(-3) == NEGATIVE


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ((Relation(x, "<=", 1),), "expected 'symbol >= bound', '>' or '<'"),
        ((Relation(x, ">=", 1), Relation(x, ">", 0)), "one of each side"),
        ((Relation(2 * x, ">=", 1),), "expected 'symbol >= bound'"),
        ((Relation(x, ">=", y), Relation(y, ">=", x)), "go in a circle"),
    ],
)
def test_a_domain_of_another_form_is_refused(conditions, said):
    with pytest.raises(ValueError, match=said):
        Domain(conditions)


def test_an_explanation_names_the_rules_that_decided():
    said = infer_shape(k * log(e * M / k), k, CHOICE).explain()
    assert said.startswith("k*log(e*M/k) in k: positive, increasing, concave, by sign of the derivative\n")
    assert "k*log(e*M/k) in k: positive, increasing, concave, by perspective" in said
    assert "log(e*M/k) in 1/k: positive, increasing, concave, by logarithm of a product" in said
    assert infer_shape(1 / (x - 1), x).explain().endswith("no rule applies")


def test_a_summary_says_what_is_open():
    shapes = infer_shapes(x**q + y, ())
    assert summary(shapes) == (
        "increasing in y; convex in q; affine in y; direction unknown in q, x; curvature unknown in x"
    )
