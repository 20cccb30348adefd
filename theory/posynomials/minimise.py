"""The one primitive where constants count: minimise a posynomial over its sizes."""

from __future__ import annotations

__all__ = ["minimise_posynomial"]

from theory.posynomials.bracket import solve_numbers
from theory.posynomials.closed_form import degree_of_difficulty, solve_closed_form
from theory.posynomials.optimum import PosynomialOptimum
from theory.posynomials.program import CALLER, read_program
from theory.rates.problem import RateError


def minimise_posynomial(
    objective: object, over: object, *, subject_to: object = (), at: object = None
) -> PosynomialOptimum:
    """The minimum of a posynomial over positive sizes, constants kept, with a proof.

    ``objective`` is a sum of monomials in the symbols ``over`` with positive
    constants; ``subject_to`` lists relations: a posynomial at most a monomial, an
    equality between monomials, or an assumption on parameters alone. Sizes are any
    positive reals. ``at`` puts numbers for symbols, exactly.

    Without ``at``, a program of degree of difficulty zero has a closed form in its
    symbols: exact value, point and weights. With numbers for all symbols, whatever
    the degree, the infimum is enclosed between two exact ends: the value at an exact
    point that meets the constraints, and what exactly balanced weights give. Programs
    that fall to 0, attain their infimum nowhere, or admit no point are said to, with a
    ray or weights that prove it. What a bracket does not say: that the point is
    near the true one in a direction in which the objective hardly changes.

    Raises `RateError` where the statement is no geometric program, or has neither
    a closed form nor numbers. (Boyd, Kim, Vandenberghe, Hassibi, "A tutorial on
    geometric programming", 2007; Duffin, Peterson, Zener 1967 for the dual.)

    >>> from theory import A, B, N, a, minimise_posynomial, n
    >>> minimise_posynomial(A / N + B * N / n, over=N).argmin
    {N: sqrt(A)*sqrt(n)/sqrt(B)}
    """
    program = read_program(objective, over, subject_to, at)
    symbols = program.problem.parameters
    degree = degree_of_difficulty(program)
    if at is None and degree == 0:
        try:
            certificate, unique = solve_closed_form(program)
            return PosynomialOptimum(program, certificate, degree, unique)
        except RateError:
            if symbols:
                raise
    if symbols:
        missing = ", ".join(map(str, symbols))
        why = (
            f"degree of difficulty {degree}, so there is no closed form" if degree else "at= asks for numbers"
        )
        raise RateError(f"{CALLER}: {why}; give a number for each of {missing} as at={{{symbols[0]}: ...}}")
    certificate, unique = solve_numbers(program)
    return PosynomialOptimum(program, certificate, degree, unique)
