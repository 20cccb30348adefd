"""The one primitive of the calculus: minimise a rate over its sizes."""

from __future__ import annotations

__all__ = ["minimise"]

from theory.rates.certificate import Certificate
from theory.rates.domain import domain_of
from theory.rates.normal_form import cases
from theory.rates.optimum import OptimalRate, Piece
from theory.rates.pieces import merge
from theory.rates.problem import RateError, RateProblem, read_problem
from theory.rates.regions import cover


def minimise(
    rate: object, over: object, *, given: object, subject_to: object = (), small: object = ()
) -> OptimalRate:
    """The smallest order of growth of ``rate`` over the sizes ``over``, with a proof.

    ``rate`` is a sum, product, power, Min, Max and log of positive terms in
    sympy; constants do not count. ``given`` is the scale n, or each fixed size
    with its exponent in the scale, ``{n: 1, M: mu}``. ``subject_to`` lists
    relations: between sizes they are constraints up to constants, between
    parameters alone they are assumptions. Sizes are at least 1; those listed in
    ``small`` too are at most 1. Every other symbol is a positive parameter.

    With ``over=()`` the rate is read as it stands.

    A logarithm is taken of something at least 2: log(M/k) asks for M >= 2k. The
    sizes are polynomial in the scale; for more, let M be exp(m), where m is
    taken above every multiple of log n, so that each power of M beats n.
    The exponents are exact for all admissible parameters where ``.complete``;
    factors log log n are below the resolution.

    Raises `RateError` where the statement has no rate as written.

    >>> from theory import N, beta, d, minimise, n
    >>> minimise(N**(-2*beta/d) + N/n, over=N, given=n)
    n^(-2β/(2β+d))  at  N = n^(d/(2β+d))
    """
    return minimised(read_problem("minimise", rate, over, given, subject_to, small))


def minimised(problem: RateProblem) -> OptimalRate:
    """Solve a problem that has been read."""
    domain = domain_of("minimise", problem)
    found, complete = [], True
    for case in cases(problem, domain):
        cells, covered = cover(problem, case)
        found += cells
        complete &= covered
    if complete and not found:
        conditions = ", ".join(f"{a} {'<' if strict else '<='} {b}" for a, b, strict in problem.assumptions)
        raise RateError(f"subject_to: no positive parameters satisfy {conditions}; drop one of these")
    merged = merge(found, domain)
    certificate = Certificate(problem, tuple(cell for m in merged for cell in m.cells), complete)
    pieces = tuple(Piece(problem, m.cells, m.region, m.unique, m.drops_loglog) for m in merged)
    return OptimalRate(pieces, certificate, domain)
