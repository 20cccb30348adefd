"""Rates known from the literature come out exactly, with their sizes, regions and logs, and their proofs check."""

from __future__ import annotations

import time
from typing import NamedTuple

import pytest
import sympy as sp
from sympy import E, Eq, Max, Min, log

from theory import C, D, M, N, beta, d, k, minimise, n

lam, s, mu, a, b, u, v = sp.symbols("lam s mu a b u v", positive=True)
classical = 2 * beta / (2 * beta + d)


class Derivation(NamedTuple):
    name: str
    rate: sp.Expr
    arguments: dict[str, object]
    pieces: list[tuple[str, sp.Expr, sp.Expr, dict[sp.Symbol, sp.Expr]]]  # region, power, log power, sizes


def one(power, logs=0, **sizes):
    return [("", power, logs, {sp.Symbol(x, positive=True): e for x, e in sizes.items()})]


DERIVATIONS = [
    Derivation("size at fixed data", N ** (-2 * beta / d) + N / n, {"over": N, "given": n},
               [("", -classical, 0, {N: n ** (d / (2 * beta + d))})]),
    Derivation("constants do not count", 7 * N ** (-2 * beta / d) / 3 + sp.pi * N / n, {"over": N, "given": n},
               [("", -classical, 0, {N: n ** (d / (2 * beta + d))})]),
    Derivation("size and data at fixed compute", N ** (-2 * beta / d) + N / D,
               {"over": (N, D), "given": C, "subject_to": [Eq(N * D, C)]},
               [("", -beta / (beta + d), 0,
                 {N: C ** (d / (2 * (beta + d))), D: C ** ((2 * beta + d) / (2 * (beta + d)))})]),
    Derivation("separable law at fixed compute", N**-u + D**-v,
               {"over": (N, D), "given": C, "subject_to": Eq(N * D, C)},
               [("", -u * v / (u + v), 0, {N: C ** (v / (u + v)), D: C ** (u / (u + v))})]),
    Derivation("kernel ridge saturates", lam ** (beta / s) + lam**2 + lam ** (-d / (2 * s)) / n,
               {"over": lam, "given": n, "small": lam},
               [("β <= 2s", -classical, 0, {lam: n ** (-2 * s / (2 * beta + d))}),
                ("β >= 2s", -4 * s / (4 * s + d), 0, {lam: n ** (-2 * s / (4 * s + d))})]),
    Derivation("routing entropy with M given", k ** (-2 * beta / d) + k / n + k * log(E * M / k) / n,
               {"over": k, "given": {n: 1, M: mu}, "subject_to": [k <= M]},
               [("μ > d/(2β+d)", -classical, classical,
                 {k: (n / log(n)) ** (d / (2 * beta + d))}),
                ("μ <= d/(2β+d)", -2 * beta * mu / d, 0, {k: n**mu})]),
    Derivation("a log on the estimation term", N**-a + N * log(n) / n, {"over": N, "given": n},
               [("", -a / (1 + a), a / (1 + a), {N: (n / log(n)) ** (1 / (1 + a))})]),
    Derivation("a log on the approximation term", N**-a * log(n) + N / n, {"over": N, "given": n},
               [("", -a / (1 + a), 1 / (1 + a), {N: (n * log(n)) ** (1 / (1 + a))})]),
    Derivation("log of the size itself", N**-a + N * log(N) / n, {"over": N, "given": n},
               [("", -a / (1 + a), a / (1 + a), {N: (n / log(n)) ** (1 / (1 + a))})]),
    Derivation("branches by min with total entropy", Min(k**-a, M**-a) + (M + k * log(E * M / k)) / n,
               {"over": (k, M), "given": n}, [("", -a / (1 + a), 0, {k: sp.Integer(1), M: n ** (1 / (1 + a))})]),
    Derivation("branches by min with active entropy", Min(k**-a, M**-a) + (k + k * log(E * M / k)) / n,
               {"over": (k, M), "given": n}, [("", sp.Integer(-1), 1, {k: sp.Integer(1), M: (n / log(n)) ** (1 / a)})]),
    Derivation("branches by max with active entropy", Max(k**-a, M**-a) + (k + k * log(E * M / k)) / n,
               {"over": (k, M), "given": n},
               [("", -a / (1 + a), 0, {k: n ** (1 / (1 + a)), M: n ** (1 / (1 + a))})]),
    Derivation("compute on active parameters, M free", Min(N**-a, M**-a) + (M + N) / D,
               {"over": (N, M, D), "given": C, "subject_to": [Eq(N * D, C)]},
               [("", -a / (1 + a), 0, {N: sp.Integer(1), M: C ** (1 / (1 + a)), D: C})]),
    Derivation("power of a sum and a factor", (M ** (-a) + 3 * N ** (-a)) ** 2 + (M + N) / n,
               {"over": (M, N), "given": n},
               [("", -2 * a / (1 + 2 * a), 0, {M: n ** (1 / (1 + 2 * a)), N: n ** (1 / (1 + 2 * a))})]),
    Derivation("negative power of a sum", (N + k * M) ** (-2 * beta / d) + (N + k * M) / n,
               {"over": (N, M), "given": {n: 1, k: mu}, "subject_to": [mu < 1]},
               [("μ <= d/(2β+d)", -classical, 0, {N: sp.Integer(1), M: n ** (d / (2 * beta + d) - mu)}),
                ("μ >= d/(2β+d)", mu - 1, 0, {N: sp.Integer(1), M: sp.Integer(1)})]),
    Derivation("three terms, two sizes", N**-a + D**-b + N * D / n, {"over": (N, D), "given": n},
               [("", -a * b / (a * b + a + b), 0,
                 {N: n ** (b / (a * b + a + b)), D: n ** (a / (a * b + a + b))})]),
    Derivation("a constraint with a log", N**-a, {"over": N, "given": n, "subject_to": [N * log(N) <= n]},
               [("", -a, a, {N: n / log(n)})]),
    Derivation("exponentially many experts", M ** (-a) + sp.exp(-N) + (N + M) / n, {"over": (M, N), "given": n},
               [("", -a / (1 + a), 0, {M: n ** (1 / (1 + a)), N: log(n)})]),
]  # fmt: skip


def same(left, right):
    return sp.simplify(sp.powdenest(sp.expand_power_base(left / right), force=True)) == 1


@pytest.mark.parametrize("case", DERIVATIONS, ids=lambda case: case.name)
def test_the_minimum_is_the_one_known(case):
    found = minimise(case.rate, **case.arguments)
    assert found.complete
    assert sorted(piece.region_text for piece in found.pieces) == sorted(
        region or "always" for region, *_ in case.pieces
    )
    for region, power, logs, sizes in case.pieces:
        piece = next(p for p in found.pieces if p.region_text == (region or "always"))
        assert sp.simplify(piece.power - power) == 0
        assert sp.simplify(piece.log_power - logs) == 0
        assert piece.argmin.keys() == sizes.keys()
        for symbol, expected in sizes.items():
            assert same(piece.argmin[symbol], expected), (symbol, piece.argmin[symbol])
    audit = found.check()
    assert audit, str(audit)


def test_the_whole_table_takes_seconds():
    start = time.process_time()
    for case in DERIVATIONS:
        minimise(case.rate, **case.arguments)
    assert time.process_time() - start < 5


def test_answers_print_as_a_mathematician_would_write_them():
    shown = {case.name: repr(minimise(case.rate, **case.arguments)) for case in DERIVATIONS}
    assert shown["size at fixed data"] == "n^(-2β/(2β+d))  at  N = n^(d/(2β+d))"
    assert shown["size and data at fixed compute"] == (
        "C^(-β/(β+d))  at  N = C^(d/(2(β+d))), D = C^((2β+d)/(2(β+d)))"
    )
    assert shown["kernel ridge saturates"] == (
        "max{ n^(-2β/(2β+d)), n^(-4s/(d+4s)) }    (regions: β <= 2s, β >= 2s)"
    )
    assert (
        shown["branches by min with active entropy"]
        == "log n / n  at  k = 1, M = n^(1/a) (log n)^(-1/a)  (least choice)"
    )
    assert minimise(N**-a + N / n, over=N, given=n)._repr_latex_() == r"$n^{- \frac{a}{a + 1}}$"


def test_values_are_sympy_expressions():
    ridge = next(case for case in DERIVATIONS if case.name == "kernel ridge saturates")
    found = minimise(ridge.rate, **ridge.arguments)
    at = {beta: 1, d: 2, s: 3, n: 10**6}
    assert found.value.subs(at) == Max(sp.Rational(1, 1000), sp.Integer(10**6) ** sp.Rational(-6, 7))
    assert found.argmin[lam].subs({beta: 9, s: 2, d: 8}) == n ** sp.Rational(-1, 4)
    single = minimise(N**-a + N * log(n) / n, over=N, given=n)
    assert single.log_power == a / (a + 1)
    assert single.unique
