"""The one primitive of the calculus: minimise a rate over its sizes."""

from __future__ import annotations

__all__ = ["minimise"]

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from theory.rates.certificate import Certificate
from theory.rates.domain import domain_of
from theory.rates.normal_form import cases
from theory.rates.optimum import OptimalRate, Piece, least_of
from theory.rates.pieces import merge
from theory.rates.problem import RateError, RateProblem, read_problems
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
    ``small`` too are at most 1, and so are those that have to shrink for the rate to vanish.
    Every other symbol is a positive parameter.

    With ``over=()`` the rate is read as it stands.

    A logarithm is taken of something at least 2: log(M/k) asks for M >= 2k. The
    sizes are polynomial in the scale; for more, let M be exp(m) or 2**m: m is then
    of the order of log n, less, or above every multiple of it, whichever is best.
    The exponents are exact for all admissible parameters where ``.complete``;
    factors log log n are below the resolution.

    Raises `RateError` where the statement has no rate as written.

    >>> from theory import N, beta, d, minimise, n
    >>> minimise(N**(-2*beta/d) + N/n, over=N, given=n)
    n^(-2β/(2β+d))  at  N = n^(d/(2β+d))
    """
    found = minimised(read_problems("minimise", rate, over, given, subject_to, small))
    if found.certificate.problem.small or any(p.cells[0].value is None or p.growth for p in found.pieces):
        return found
    sizes = found.written.sizes
    for chosen in (c for count in range(len(sizes)) for c in combinations(sizes, count + 1)):
        with suppress(RateError):
            shrinking = minimised(read_problems("minimise", rate, over, given, subject_to, chosen))
            if shrinking.vanishes:
                return replace(shrinking, shrinks=True)
    return found


def minimised(problems: Sequence[RateProblem]) -> OptimalRate:
    """Solve a statement that has been read: the least over the ranges of its sizes."""
    found: list[OptimalRate] = []
    faults: list[RateError] = []
    for problem in problems:
        try:
            found.append(solved(problem))
        except RateError as fault:
            if not found:  # the range that the notation suggests
                raise
            faults.append(fault)
    return replace(least_of(found), unread=tuple(map(str, faults)))


def solved(problem: RateProblem) -> OptimalRate:
    """Solve a problem in one range of its sizes."""
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
