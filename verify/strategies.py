"""Hypothesis strategies for what this project reasons about: architectures, rates, posynomials, printed numbers.

For tests of your own formulas, and used by this project's tests. Every value drawn is
valid by construction, nothing is filtered away, and examples shrink towards small sizes, few terms and exponent 1.

    from hypothesis import given
    from verify.strategies import architectures

    @given(architectures())
    def test_active_never_exceeds_total(model):
        assert model.active_parameters() <= model.total_parameters()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import sympy as sp
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from theory.models.architecture import Convention, MoETransformer
from theory.relation import Relation
from theory.vocabulary import N, beta, d, n


def conventions() -> SearchStrategy[Convention]:
    """Every way of counting parameters, the paper's own first."""
    return st.sampled_from(list(Convention.every()))


@st.composite
def architectures(
    draw: st.DrawFn,
    *,
    layers: int = 8,
    width: int = 64,
    experts: int = 64,
    dense: bool = True,
) -> MoETransformer:
    """MoE Transformers with numeric sizes up to these limits; d_model is a multiple of heads, k <= M.

    ``dense=False`` leaves out M = 1.
    """
    heads = draw(st.integers(1, max(1, width // 8)), label="heads")
    head_dim = draw(st.integers(1, max(1, width // heads)), label="head_dim")
    many = draw(st.integers(1 if dense else 2, experts), label="experts")
    groups = [g for g in range(1, heads + 1) if heads % g == 0]
    return MoETransformer(
        layers=draw(st.integers(1, layers), label="layers"),
        d_model=heads * head_dim,
        d_ff=draw(st.integers(1, 4 * width), label="d_ff"),
        experts=many,
        active=draw(st.integers(1, many), label="active"),
        shared_experts=draw(st.integers(0, 2), label="shared experts"),
        heads=heads,
        kv_heads=draw(st.none() | st.sampled_from(groups), label="kv_heads"),
        vocabulary=draw(st.integers(0, 1000), label="vocabulary"),
        context=draw(st.integers(0, 1000), label="context"),
    )


def exponents(parameters: Sequence[sp.Symbol] = (beta, d)) -> SearchStrategy[sp.Expr]:
    """Positive exponents: ratios of sums of the parameters with small natural coefficients, such as 2 beta/(2 beta + d)."""

    def linear(coefficients: tuple[int, ...]) -> sp.Expr:
        *of_parameters, constant = coefficients
        return sum((c * p for c, p in zip(of_parameters, parameters, strict=True)), sp.Integer(constant))

    natural = st.tuples(*(st.integers(0, 3) for _ in range(len(parameters) + 1)))
    forms = natural.map(lambda c: linear(c) if any(c) else sp.Integer(1))
    return st.one_of(
        st.fractions(Fraction(1, 6), 4, max_denominator=6).map(sp.Rational),
        st.builds(lambda top, bottom: sp.cancel(top / bottom), forms, forms),
    )


def _monomials(
    symbols: Sequence[sp.Symbol], powers: SearchStrategy[sp.Expr], constants: SearchStrategy[sp.Expr]
) -> SearchStrategy[sp.Expr]:
    signed = st.one_of(st.just(sp.Integer(0)), powers, powers.map(lambda p: -p))
    return st.builds(
        lambda constant, chosen: constant * sp.Mul(*(s**p for s, p in zip(symbols, chosen, strict=True))),
        constants,
        st.tuples(*(signed for _ in symbols)),
    )


def rates(
    symbols: Sequence[sp.Symbol] = (N, n),
    *,
    parameters: Sequence[sp.Symbol] = (beta, d),
    terms: int = 3,
    branches: int = 2,
    logs: bool = True,
) -> SearchStrategy[sp.Expr]:
    """Rates as `theory.minimise` reads them: a minimum of sums of monomials, logs of a size among the factors.

    Exponents have both signs, so a minimum need not exist: the answer may be "unbounded".
    """
    monomials = _monomials(symbols, exponents(parameters), st.just(sp.Integer(1)))
    if logs:
        factors = st.sampled_from([sp.Integer(1), *(sp.log(sp.E * s) for s in symbols)])
        monomials = st.builds(lambda monomial, factor: monomial * factor, monomials, factors)
    sums = st.lists(monomials, min_size=1, max_size=terms).map(lambda found: sp.Add(*found))
    return st.lists(sums, min_size=1, max_size=branches).map(lambda found: sp.Min(*found))


def posynomials(
    symbols: Sequence[sp.Symbol] = (N, n), *, terms: int = 4, bounded_below: bool = True
) -> SearchStrategy[sp.Expr]:
    """Sums of monomials with positive rational constants and rational exponents.

    ``bounded_below`` adds, for every monomial, its inverse with a constant of its own: the minimum is then attained.
    """
    constants = st.fractions(Fraction(1, 20), 20, max_denominator=20).map(sp.Rational)
    powers = st.fractions(Fraction(1, 4), 3, max_denominator=4).map(sp.Rational)
    monomials = _monomials(symbols, powers, constants)

    def total(found: list[sp.Expr], inverses: list[sp.Expr]) -> sp.Expr:
        mirrored = [c / term for c, term in zip(inverses, found, strict=False)] if bounded_below else []
        return sp.Add(*found, *mirrored)

    return st.builds(
        total,
        st.lists(monomials, min_size=1, max_size=terms),
        st.lists(constants, min_size=terms, max_size=terms),
    )


def approximation_entropy_pairs(
    symbols: Sequence[sp.Symbol] = (N,), *, parameters: Sequence[sp.Symbol] = (beta, d)
) -> SearchStrategy[tuple[sp.Expr, sp.Expr]]:
    """(error, entropy) for `theory.consistency`: the error falls and the entropy grows in every size."""
    powers = exponents(parameters)

    def pair(falling: list[sp.Expr], rising: list[sp.Expr], logs: list[bool]) -> tuple[sp.Expr, sp.Expr]:
        error = sp.Max(*(s**-p for s, p in zip(symbols, falling, strict=True)))
        entropy = sum(
            s**p * (sp.log(sp.E * s) if logged else 1)
            for s, p, logged in zip(symbols, rising, logs, strict=True)
        )
        return error, sp.sympify(entropy)

    count = len(symbols)
    return st.builds(
        pair,
        st.lists(powers, min_size=count, max_size=count),
        st.lists(powers, min_size=count, max_size=count),
        st.lists(st.booleans(), min_size=count, max_size=count),
    )


def points(
    domain: Sequence[Relation], *, largest: int = 10**6
) -> SearchStrategy[Mapping[sp.Symbol, sp.Rational]]:
    """Points of a domain given as lower bounds, one a symbol and each over symbols before it, as hypotheses of
    statements give them; integers for integer symbols, up to about ``largest`` above their bounds."""

    @st.composite
    def draw_point(draw: st.DrawFn) -> Mapping[sp.Symbol, sp.Rational]:
        found: dict[sp.Symbol, sp.Rational] = {}
        for bound in domain:
            least = sp.sympify(bound.rhs).subs(found)
            strict = bound.op == ">"
            if bound.lhs.is_integer:
                start = int(sp.floor(least)) + 1 if strict else int(sp.ceiling(least))
                found[bound.lhs] = sp.Integer(draw(st.integers(start, start + largest), label=str(bound.lhs)))
            else:
                above = draw(st.fractions(0, largest, max_denominator=1000), label=str(bound.lhs))
                found[bound.lhs] = (
                    sp.Rational(least) + sp.Rational(above) + (sp.Rational(1, 1000) if strict else 0)
                )
        return found

    return draw_point()


def printed_numbers(*, decimals: int = 4) -> SearchStrategy[str]:
    """Numbers as a paper prints them: digits, a sign, up to so many decimals, sometimes a power of ten."""
    plain = st.decimals(-1000, 1000, allow_nan=False, allow_infinity=False, places=decimals).map(str)
    shorter = st.builds(
        lambda whole, places: f"{whole:.{places}f}",
        st.integers(-(10**6), 10**6).map(lambda i: i / 1000),
        st.integers(0, decimals),
    )
    scientific = st.builds(lambda text, power: f"{text}e{power}", shorter, st.integers(-12, 12))
    return st.one_of(plain, shorter, scientific)
