"""The search for proofs of polynomial inequalities by weighted means; `verify.recheck.means` re-checks them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import fmpq_mat

from theory.relation import Relation
from verify.search.domains import parameter, places

Powers = tuple[int, ...]
Weights = dict[Powers, Fraction]
_MOST_CHOICES = 400


def prove_by_means(relation: Relation, domain: Sequence[Relation]) -> dict[str, Any] | None:
    """A certificate, or None: each negative monomial of the gap paid for by two or more positive ones."""
    polynomial = polynomial_above(relation, domain)
    if polynomial is None:
        return None
    left = {tuple(map(int, p)): Fraction(int(c)) for p, c in polynomial.terms() if c}
    debts = {p: -c for p, c in left.items() if c < 0}
    means = {p: c for p, c in left.items() if c > 0}
    options = [list(itertools.islice(_weights(target, means), 12)) for target in debts]
    for chosen in itertools.islice(itertools.product(*options), _MOST_CHOICES):
        plan = dict(zip(debts, chosen, strict=True))
        for shares in (_shares(plan, debts, means, by_size) for by_size in (False, True)):
            if all(_outweighs(shares[p], plan[p], debts[p]) for p in debts):
                return _certificate(left, plan, shares)
    return None


def polynomial_above(relation: Relation, domain: Sequence[Relation]) -> sp.Poly | None:
    """What has to be nonnegative, cleared of its denominator, in the parameters of the domain; None for irrational coefficients."""
    gap = relation.rhs - relation.lhs if relation.op == "<=" else relation.lhs - relation.rhs
    above, below = sp.fraction(sp.cancel(sp.together(gap.xreplace(places(domain)))))
    symbols = [parameter(condition.lhs) for condition in domain]
    lower = sp.Poly(below, *symbols)
    flip = -1 if lower.LC() < 0 else 1
    one_sided = all(flip * c >= 0 for c in lower.coeffs())
    polynomial = sp.Poly(flip * above if one_sided else sp.expand(above * below), *symbols)
    return polynomial.clear_denoms()[1] if all(c.is_Rational for c in polynomial.coeffs()) else None


def _weights(target: Powers, means: Mapping[Powers, Fraction]) -> Iterator[Weights]:
    """Ways to write ``target`` as a weighted mean of two or three of the powers, all weights positive."""
    for size in (2, 3):
        for chosen in itertools.combinations(sorted(means), size):
            balance = [[*(p[i] for p in chosen), total] for i, total in enumerate(target)]
            reduced, rank = fmpq_mat([*balance, [1] * (size + 1)]).rref()
            if rank != size or reduced[size - 1, size - 1] != 1:
                continue  # no weights, or more than one choice of them
            solution = [reduced[i, size] for i in range(size)]
            if all(w > 0 for w in solution):
                yield {p: Fraction(int(w.p), int(w.q)) for p, w in zip(chosen, solution, strict=True)}


def _shares(
    plan: Mapping[Powers, Weights],
    debts: Mapping[Powers, Fraction],
    means: Mapping[Powers, Fraction],
    by_size: bool,
) -> dict[Powers, Weights]:
    """Each positive coefficient divided among those who draw on it: equally, or by weight times debt."""
    claims: dict[Powers, dict[Powers, Fraction]] = {}
    for target, weights in plan.items():
        for powers, w in weights.items():
            claims.setdefault(powers, {})[target] = w * debts[target] if by_size else Fraction(1)
    return {
        target: {p: means[p] * claims[p][target] / sum(claims[p].values()) for p in weights}
        for target, weights in plan.items()
    }


def _outweighs(shares: Weights, weights: Weights, debt: Fraction) -> bool:
    scale = sp.ilcm(1, *(w.denominator for w in weights.values()))
    mean = Fraction(1)
    for powers, w in weights.items():
        mean *= (shares[powers] / w) ** int(w * scale)
    return bool(mean >= debt ** int(scale))


def _certificate(
    left: dict[Powers, Fraction],
    plan: Mapping[Powers, Weights],
    shares: Mapping[Powers, Weights],
) -> dict[str, Any]:
    paid = []
    for target, weights in plan.items():
        left[target] = Fraction(0)
        for powers in weights:
            left[powers] -= shares[target][powers]
        by = [[[*p, 0], str(w), str(shares[target][p])] for p, w in weights.items()]
        paid.append({"for": [*target, 0], "by": by})
    return {
        "paid": paid,
        "left": [[[*p, 0], str(c)] for p, c in sorted(left.items()) if c],
    }
