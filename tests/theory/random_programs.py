"""Random geometric programs with exact data, and scipy's answer to each: shared by the tests beside this file."""

from __future__ import annotations

import random

import numpy as np
import sympy as sp
from scipy.optimize import minimize

SIZES = sp.symbols("x y z w", positive=True)


def rational(rng, low, high, parts=4):
    return sp.Rational(rng.randint(low * parts, high * parts), parts)


def monomial(rng, sizes):
    constant = sp.Rational(rng.randint(1, 60), rng.randint(1, 20))
    return constant * sp.Mul(*(s ** rational(rng, -2, 2) for s in sizes))


def random_program(seed, *, limits=True):
    """(objective, sizes, constraints) with a bounded, attained minimum: every size is held from both sides."""
    rng = random.Random(f"posynomials {seed}")
    sizes = SIZES[: rng.randint(1, 4)]
    objective = sum(monomial(rng, sizes) for _ in range(rng.randint(1, 4)))
    objective += sum(s ** rng.randint(1, 2) * rng.randint(1, 9) + rng.randint(1, 9) / s for s in sizes)
    constraints = []
    if limits and rng.random() < 0.7:
        constraints = [sum(monomial(rng, sizes) for _ in range(rng.randint(1, 3))) <= 200]
    if limits and len(sizes) > 1 and rng.random() < 0.5:
        constraints.append(sp.Eq(sizes[0] * sizes[1] ** rational(rng, 1, 2), rng.randint(2, 9)))
    return objective, sizes, [c for c in constraints if c not in (True, False)]


def by_scipy(objective, sizes, constraints):
    """The minimum in logarithms of the sizes by SLSQP (L-BFGS without constraints), best of several starts."""
    logs = [sp.Symbol(f"l{s}") for s in sizes]
    at = {s: sp.exp(log) for s, log in zip(sizes, logs, strict=True)}

    def compiled(expr):
        return sp.lambdify([logs], sp.log(expr.xreplace(at)), "numpy")

    value = compiled(objective)
    given = [
        {"type": "eq" if c.rel_op == "==" else "ineq", "fun": compiled(c.rhs / c.lhs)} for c in constraints
    ]
    found = []
    for start in (np.zeros(len(sizes)), np.full(len(sizes), 0.7), np.full(len(sizes), -0.7)):
        how = {"method": "SLSQP", "constraints": given} if given else {"method": "L-BFGS-B"}
        done = minimize(value, start, options={"maxiter": 500, "ftol": 1e-14}, **how)
        off = [abs(g["fun"](done.x)) if g["type"] == "eq" else -min(0, g["fun"](done.x)) for g in given]
        if max([0, *off]) < 1e-8:
            found.append(np.exp(done.fun))
    return min(found, default=None)
