"""The checker accepts every certificate as found and none in which a single entry was changed."""

from __future__ import annotations

import random
from dataclasses import replace

import flint
import pytest
import sympy as sp
from random_programs import SIZES, random_program

from theory import A, B, C, D, N, a, beta, d, minimise_posynomial, n
from theory.posynomials import PosynomialOutcome, check
from theory.rates.certificate import WeightedBound

x, y, z, w = SIZES
STATEMENTS = [
    (A * N**-a + B * N / n, {"over": N}),
    (A * N ** (-2 * beta / d) + B * N / D, {"over": (N, D), "subject_to": [sp.Eq(6 * N * D, C)]}),
    (A / (x * y), {"over": (x, y), "subject_to": [x + y <= B]}),
    (x + 1 / x + x**2 * y + 1 / y, {"over": (x, y), "at": {}}),
    (x + y, {"over": (x, y), "subject_to": [1 / x + 1 / y <= 1], "at": {}}),
    (1 / x + y + 1 / y, {"over": (x, y), "at": {}}),
    (1 / x + 1 / y, {"over": (x, y), "subject_to": [x / y <= 3], "at": {}}),
    (1 / x + 1 / y, {"over": (x, y), "subject_to": [x + y <= 1, x * y >= 7], "at": {}}),
    *((program[0], {"over": program[1], "subject_to": program[2], "at": {}}) for program in map(random_program, range(4))),
]  # fmt: skip
CERTIFICATES = [minimise_posynomial(objective, **rest).certificate for objective, rest in STATEMENTS]
MUTATIONS = 320


def test_every_certificate_is_accepted_as_found():
    for certificate in CERTIFICATES:
        audit = check(certificate)
        assert audit, str(audit)
    assert {c.outcome for c in CERTIFICATES} == set(PosynomialOutcome)


def with_entry(entries, i, new):
    return tuple(new if j == i else old for j, old in enumerate(entries))


def factor(rng):
    return sp.Rational(rng.choice([90, 98, 99, 101, 102, 110]), 100)


def mutate_bound(bound, rng):
    part = rng.choice([name for name in ("weights", "multipliers") if getattr(bound, name)])
    entries = getattr(bound, part)
    i = rng.randrange(len(entries))
    monomial, weight = entries[i]
    kind = rng.choice(["weight", "exponent", "drop", "sign"])
    if kind == "drop":
        return replace(bound, **{part: entries[:i] + entries[i + 1 :]})
    if kind == "exponent":
        j = rng.randrange(len(monomial.powers))
        step = flint.fmpq(rng.choice([-2, -1, 1, 2]), rng.choice([1, 3, 97]))
        monomial = replace(monomial, powers=with_entry(monomial.powers, j, monomial.powers[j] + step))
    else:
        weight = (
            -weight
            if kind == "sign"
            else weight + flint.fmpq(rng.choice([-1, 1]), rng.choice([2, 97, 10**9]))
        )
    return replace(bound, **{part: with_entry(entries, i, (monomial, weight))})


def mutate(certificate, rng):
    kinds = ["outcome"]
    kinds += ["bound", "bound"] if certificate.bound != WeightedBound((), ()) else []
    kinds += ["limits"] if certificate.limits else []
    kinds += ["point", "point"] if certificate.point else []
    kinds += [name for name in ("value", "lower", "upper") if getattr(certificate, name) is not None]
    kinds += ["ray"] if certificate.ray else []
    kind = rng.choice(kinds)
    old = getattr(certificate, kind)
    if kind == "outcome":
        return replace(certificate, outcome=rng.choice([o for o in PosynomialOutcome if o is not old]))
    if kind == "bound":
        return replace(certificate, bound=mutate_bound(old, rng))
    if kind in ("value", "lower", "upper"):
        small = 1 + sp.Rational(rng.choice([-1, 1]), 10 ** rng.choice([2, 9, 40]))
        return replace(certificate, **{kind: old * small})
    if kind == "ray":
        return replace(certificate, ray=tuple(-r for r in old))
    i = rng.randrange(len(old))
    if kind == "limits":
        return replace(certificate, limits=with_entry(old, i, old[i] + rng.choice([-1, 1, 7])))
    return replace(certificate, **{kind: with_entry(old, i, old[i] * factor(rng))})


@pytest.mark.parametrize("part", range(8))
def test_no_certificate_with_a_single_change_is_accepted(part):
    for seed in range(part * MUTATIONS // 8, (part + 1) * MUTATIONS // 8):
        rng = random.Random(f"mutation {seed}")
        certificate = rng.choice(CERTIFICATES)
        changed = mutate(certificate, rng)
        assert changed != certificate
        assert not check(changed), (seed, changed)


@pytest.mark.parametrize("other", [lambda e: 2 * e, lambda e: e + sp.Rational(1, 10**6), lambda e: e + 1])
def test_a_certificate_proves_nothing_about_another_objective(other):
    for certificate in CERTIFICATES:
        if certificate.outcome in (PosynomialOutcome.CLOSED_FORM, PosynomialOutcome.BRACKETED):
            problem = replace(certificate.problem, rate=other(certificate.problem.rate))
            assert not check(replace(certificate, problem=problem))


def test_a_statement_that_cannot_be_read_is_a_fault_and_no_exception():
    for rate in (sp.sin(N), N * sp.log(N), 1 / (1 + N), sp.sqrt(N + 1), N - 1):
        audit = check(replace(CERTIFICATES[0], problem=replace(CERTIFICATES[0].problem, rate=rate)))
        assert not audit
        assert "second time" in str(audit) or "not known to be positive" in str(audit)
