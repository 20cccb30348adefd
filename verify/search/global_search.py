"""A second evaluator of joint feasibility: a seeded global search in floating point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from verify.search.enclosure import Box
from verify.search.feasibility import Constraint
from verify.search.second_opinion import as_float


def global_search(constraints: Sequence[Constraint], box: Box, *, rounds: int = 200) -> str:
    """A seeded search in floating point for a point that satisfies everything.

    Returns words for a confirmation where the least violation found stays above
    one half-width of some printed interval, else an empty string.
    """
    from scipy.optimize import differential_evolution

    free = sorted((s for s in box if not box[s].is_point), key=lambda s: s.name)
    fixed = {s: as_float(box[s].midpoint) for s in box if box[s].is_point}
    values = sp.lambdify(free, [c.expr.subs(fixed) for c in constraints], "numpy")
    centres = [float(c.target.midpoint) for c in constraints]
    if any(c.target.is_point for c in constraints):
        return ""  # an exact target has no width to measure a violation by
    halves = [float(c.target.width) / 2 for c in constraints]

    def violation(x: Any) -> float:
        found = values(*x)
        return float(max(abs(v - m) / h for v, m, h in zip(found, centres, halves, strict=True)))

    bounds = [tuple(map(float, box[s].bounds)) for s in free]
    best = differential_evolution(violation, bounds, seed=20260409, maxiter=rounds, tol=1e-10)
    if best.fun <= 1:
        return ""
    return f"a global search in floating point (least violation {best.fun:.3f} half-widths; 1 would fit)"
