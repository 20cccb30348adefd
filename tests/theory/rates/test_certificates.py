"""The checker accepts every certificate as found and none in which a single entry was changed."""

from __future__ import annotations

import random
from dataclasses import replace

import flint
import pytest
import sympy as sp
from sympy import E, Eq, Min, log

from theory import C, D, M, N, beta, d, k, minimise, n
from theory.rates import check
from theory.rates.certificate import Certificate, RateOutcome, WeightedBound

lam, s, mu, L = sp.symbols("lam s mu L", positive=True)

STATEMENTS = [
    (N ** (-2 * beta / d) + N / n, {"over": N, "given": n}),
    (N ** (-2 * beta / d) + N / D, {"over": (N, D), "given": C, "subject_to": [Eq(N * D, C)]}),
    (lam ** (beta / s) + lam**2 + lam ** (-d / (2 * s)) / n, {"over": lam, "given": n, "small": lam}),
    (k ** (-2 * beta / d) + k / n + k * log(E * M / k) / n, {"over": k, "given": {n: 1, M: mu}, "subject_to": [k <= M]}),
    (k + k * log(E * M / k), {"over": (k, M), "given": L, "subject_to": [Min(k ** (-beta / d), M ** (-beta / d)) <= 1 / L]}),
    (M + k * log(E * M / k), {"over": (k, M), "given": L, "subject_to": [Min(k ** (-beta / d), M ** (-beta / d)) <= 1 / L]}),
    ((M + N) ** (beta - d) + M / n, {"over": (M, N), "given": n}),
    (N ** (beta - d), {"over": N, "given": n}),
    (M**-beta * log(n) ** 3 / n + log(E * M) / n, {"over": M, "given": n}),
    (log(E * M / k) + N, {"over": N, "given": {n: 1, M: mu, k: s}}),
]  # fmt: skip
CERTIFICATES = [minimise(rate, **arguments).certificate for rate, arguments in STATEMENTS]
MUTATIONS = 320


def test_every_certificate_is_accepted_as_found():
    for certificate in CERTIFICATES:
        audit = check(certificate)
        assert audit, str(audit)


def shifted(growth, rng):
    """The exponent with one of its levels changed."""
    level = rng.choice(["power", "delta", "omega", "logs"])
    return replace(growth, **{level: getattr(growth, level) + change(rng)})


def change(rng):
    return flint.fmpq(rng.choice([-3, -1, 1, 2]), rng.choice([1, 2, 97]))


def with_entry(entries, i, new):
    return (
        tuple(new if j == i else old for j, old in enumerate(entries))
        if new
        else entries[:i] + entries[i + 1 :]
    )


def mutate_weighted(entries, rng, *, sign_only):
    """One monomial's weight, or the monomial itself, changed; the entry dropped; its sign turned."""
    i = rng.randrange(len(entries))
    monomial, weight = entries[i]
    kind = "sign" if sign_only else rng.choice(["weight", "monomial", "drop", "sign"])
    if kind == "drop":
        return with_entry(entries, i, None)
    if kind == "monomial":
        return with_entry(entries, i, (replace(monomial, constant=shifted(monomial.constant, rng)), weight))
    return with_entry(entries, i, (monomial, -weight if kind == "sign" else weight + change(rng)))


def mutate_bound(bound, rng):
    part = rng.choice([p for p in ("weights", "multipliers") if getattr(bound, p)])
    # a proof of emptiness may be scaled, so that only a turned sign makes it wrong for certain
    return replace(bound, **{part: mutate_weighted(getattr(bound, part), rng, sign_only=not bound.total)})


def mutate_region(region, rng):
    i = rng.randrange(len(region))
    condition = region[i]
    kind = rng.choice(["drop", "negate", "loosen"])
    if kind == "loosen" and condition.strict:
        return with_entry(region, i, replace(condition, strict=False))
    return with_entry(region, i, condition.negated() if kind == "negate" else None)


def mutate_cell(cell, rng):
    kinds = [name for name in ("value", "point", "ray", "bounds", "region") if getattr(cell, name)]
    kinds += ["least"] if cell.least != WeightedBound((), ()) else []
    kinds += ["value"] if cell.value is not None and "value" not in kinds else []
    kind = rng.choice([*kinds, "outcome", "bound"] if cell.bounds else [*kinds, "outcome"])
    if kind == "outcome":
        return replace(cell, outcome=rng.choice([o for o in RateOutcome if o is not cell.outcome]))
    if kind == "value":
        return replace(cell, value=shifted(cell.value, rng))
    if kind == "point":
        i = rng.randrange(len(cell.point))
        if cell.outcome is RateOutcome.UNBOUNDED:  # any admissible point will do, so leave the domain
            return replace(
                cell, point=with_entry(cell.point, i, replace(cell.point[i], power=cell.point[i].power - 1))
            )
        return replace(cell, point=with_entry(cell.point, i, shifted(cell.point[i], rng)))
    if kind == "ray":
        return replace(cell, ray=tuple(-x for x in cell.ray))
    if kind == "region":
        return replace(cell, region=mutate_region(cell.region, rng))
    if kind == "least":
        part = rng.choice([p for p in ("weights", "multipliers") if getattr(cell.least, p)])
        changed = mutate_weighted(getattr(cell.least, part), rng, sign_only=False)
        return replace(cell, least=replace(cell.least, **{part: changed}))
    i = rng.randrange(len(cell.bounds))
    if kind == "bound":
        return replace(cell, bounds=with_entry(cell.bounds, i, None))
    return replace(cell, bounds=with_entry(cell.bounds, i, mutate_bound(cell.bounds[i], rng)))


def mutate(certificate, rng):
    i = rng.randrange(len(certificate.cells))
    if rng.random() < 0.05:
        return replace(certificate, cells=with_entry(certificate.cells, i, None))
    return replace(
        certificate, cells=with_entry(certificate.cells, i, mutate_cell(certificate.cells[i], rng))
    )


@pytest.mark.parametrize("part", range(8))
def test_no_certificate_with_a_single_change_is_accepted(part):
    for seed in range(part * MUTATIONS // 8, (part + 1) * MUTATIONS // 8):
        rng = random.Random(seed)
        certificate = rng.choice(CERTIFICATES)
        changed = mutate(certificate, rng)
        if changed != certificate:
            assert not check(changed), seed


@pytest.mark.parametrize("factor", [n, 1 / n, log(n)])
def test_a_certificate_proves_nothing_about_another_rate(factor):
    for certificate in CERTIFICATES:
        if all(cell.outcome is RateOutcome.ATTAINED for cell in certificate.cells):
            other = replace(certificate.problem, rate=certificate.problem.rate * factor)
            scale = certificate.problem.scale
            other = replace(other, rate=other.rate.subs(n, scale))
            assert not check(Certificate(other, certificate.cells, certificate.complete))


def test_a_statement_that_cannot_be_read_is_a_fault_and_no_exception():
    problem = replace(CERTIFICATES[0].problem, rate=sp.sin(N))
    audit = check(Certificate(problem, CERTIFICATES[0].cells, True))
    assert not audit
    assert "second time" in str(audit)
