"""The piecewise answer, held against scipy's linear programs and an elimination written here."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
import sympy as sp
from scipy.optimize import linprog

from theory import beta, d, minimise, n
from theory.rates import simplex
from theory.rates.elimination import solve

x, y = sp.symbols("x y", positive=True)
SEEDS = range(16)


def random_affine(rng):
    """An exponent linear in beta and d, or a number."""
    p, q = rng.randint(-3, 3), rng.randint(-2, 2)
    return sp.Rational(p, rng.randint(1, 3)) * rng.choice([beta, d, 1]) + sp.Rational(q, rng.randint(1, 2))


def random_program(rng):
    """Terms and constraints as exponent vectors on (x, y, n), with one term that keeps the rate bounded."""
    terms = [tuple(random_affine(rng) for _ in range(3)) for _ in range(rng.randint(2, 3))]
    terms.append(
        (sp.Integer(rng.randint(1, 2)), sp.Integer(rng.randint(1, 2)), -sp.Integer(rng.randint(1, 3)))
    )
    limits = [tuple(random_affine(rng) for _ in range(3)) for _ in range(rng.randint(0, 1))]
    return terms, limits


def monomial(powers):
    return x ** powers[0] * y ** powers[1] * n ** powers[2]


def rational_points(rng, count):
    return [{beta: sp.Rational(rng.randint(1, 12), rng.randint(1, 6)), d: sp.Rational(rng.randint(1, 12), rng.randint(1, 6))}
            for _ in range(count)]  # fmt: skip


def numbers(rows, point):
    return [[Fraction(int(v.p), int(v.q)) for v in (sp.sympify(c).subs(point) for c in row)] for row in rows]


def by_linprog(terms, limits):
    """min z with z >= a.t + c, g.t + h <= 0 and t >= 0; None where there is no point."""
    rows = [[float(a), float(b), -1.0] for a, b, _ in terms] + [
        [float(a), float(b), 0.0] for a, b, _ in limits
    ]
    rhs = [-float(c) for *_, c in (*terms, *limits)]
    found = linprog([0, 0, 1], A_ub=rows, b_ub=rhs, bounds=[(0, None), (0, None), (None, None)])
    return found.fun if found.status == 0 else None


def by_elimination(terms, limits):
    """The same by Fourier and Motzkin: eliminate the sizes, and the largest lower bound on z is the minimum."""
    system = [([a, b, Fraction(-1)], c) for a, b, c in terms] + [
        ([a, b, Fraction(0)], c) for a, b, c in limits
    ]
    system += [
        ([Fraction(-1), Fraction(0), Fraction(0)], Fraction(0)),
        ([Fraction(0), Fraction(-1), Fraction(0)], Fraction(0)),
    ]
    for i in (0, 1):  # each row says row.(t, z) + c <= 0
        above = [r for r in system if r[0][i] > 0]
        below = [r for r in system if r[0][i] < 0]
        system = [r for r in system if r[0][i] == 0]
        for (up, cu), (down, cd) in product(above, below):
            s, t = -down[i], up[i]
            system.append(([s * u + t * v for u, v in zip(up, down, strict=True)], s * cu + t * cd))
    if any(row[2] == 0 and c > 0 for row, c in system):
        return None
    return max(c / -row[2] for row, c in system if row[2] < 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_piece_agrees_with_both_oracles(seed):
    rng = random.Random(seed)
    terms, limits = random_program(rng)
    relations = [monomial(powers) <= 1 for powers in limits]
    found = minimise(
        sum(map(monomial, terms)), over=(x, y), given=n, subject_to=[r for r in relations if r != sp.true]
    )
    assert found.complete
    audit = found.check()
    assert audit, str(audit)
    for point in rational_points(rng, 6):
        here = [piece for piece in found.pieces if piece.condition.subs(point) == sp.true]
        assert here, point
        numeric = numbers(terms, point), numbers(limits, point)
        exact, approximate = by_elimination(*numeric), by_linprog(*numeric)
        for piece in here:
            if exact is None:
                assert piece.value == sp.oo
                assert approximate is None
            else:
                assert piece.power.subs(point) == sp.Rational(exact.numerator, exact.denominator)
                assert float(exact) == pytest.approx(approximate, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_simplex_agrees_with_the_elimination_on_plain_numbers(seed):
    rng = random.Random(1000 + seed)
    terms, limits = (
        [[Fraction(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(3)] for _ in range(count)]
        for count in (3, 2)
    )
    terms.append([Fraction(1), Fraction(1), Fraction(0)])
    columns = [[Fraction(1), -a, -b] for a, b, _ in terms] + [[Fraction(0), -a, -b] for a, b, _ in limits]
    columns += [[Fraction(0), Fraction(1), Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
    costs = [(c,) for *_, c in (*terms, *limits)] + [(Fraction(0),)] * 2
    outcome = simplex.maximise(columns, costs, [Fraction(1), Fraction(0), Fraction(0)])
    exact = by_elimination(terms, limits)
    if exact is None:
        assert isinstance(outcome, simplex.Ray)
    else:
        assert isinstance(outcome, simplex.Basis)
        square = [list(row) for row in zip(*(columns[j] for j in outcome.columns), strict=True)]
        weights = solve(square, [Fraction(1), Fraction(0), Fraction(0)])
        assert sum(w * costs[j][0] for w, j in zip(weights, outcome.columns, strict=True)) == exact
