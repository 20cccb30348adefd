"""The answers: a closed form, or two certified ends, each with the proof that nothing lies below."""

from __future__ import annotations

__all__ = ["PosynomialOptimum"]

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.posynomials.certificate import Certificate, PosynomialOutcome
from theory.posynomials.export import exported
from theory.posynomials.program import GeometricProgram
from theory.rates.export import Audit, audited
from theory.rates.growth import Monomial
from theory.rates.notation import name, text
from theory.vocabulary import to_latex
from verify.recheck.posynomials import reread

Show = Callable[[Any], sp.Expr]


@dataclass(frozen=True)
class PosynomialOptimum:
    """What `minimise_posynomial` found; ``outcome`` says which of the parts there are.

    ``unique`` is true where no other sizes give a closed form's value or lie near a bracket's.
    """

    program: GeometricProgram
    certificate: Certificate
    degree: int
    unique: bool

    @property
    def outcome(self) -> PosynomialOutcome:
        return self.certificate.outcome

    @property
    def value(self) -> sp.Expr:
        """The closed form; else the middle of the bracket, 0 where unbounded, infinity where infeasible."""
        c = self.certificate
        if c.value is not None:
            return c.value
        if c.outcome is PosynomialOutcome.UNBOUNDED:
            return sp.Integer(0)
        if c.outcome is PosynomialOutcome.INFEASIBLE:
            return sp.oo
        return (self.lower + self.upper) / 2

    @property
    def lower(self) -> sp.Rational:
        """A certified lower bound on the infimum; ValueError where there are no ends."""
        return self._end(self.certificate.lower)

    @property
    def upper(self) -> sp.Rational:
        """A certified upper bound on the infimum, the value at ``argmin`` rounded up."""
        return self._end(self.certificate.upper)

    def _end(self, end: sp.Rational | None) -> sp.Rational:
        if end is None or self.outcome not in (PosynomialOutcome.BRACKETED, PosynomialOutcome.APPROACHED):
            raise MoelawsError(
                f"{self.outcome.value}: there are no two ends; a closed form has them with at={{...}}"
            )
        return end

    @property
    def gap(self) -> sp.Rational:
        """(upper - lower)/lower."""
        return (self.upper - self.lower) / self.lower

    @property
    def argmin(self) -> dict[sp.Symbol, sp.Expr]:
        """The sizes of a closed form; of a bracket, exact sizes that meet the constraints and give ``upper``."""
        return dict(zip(self.program.sizes, self.certificate.point, strict=False))

    @property
    def weights(self) -> tuple[sp.Expr, ...]:
        """The share of each term of the objective in the minimum, in the order of the terms."""
        show = self.program.problem.field.show
        given = dict(self.certificate.bound.weights)
        zero = self.program.problem.field.zero
        return tuple(show(given.get(t.monomial, zero)) for t in self.program.objective)

    @property
    def multipliers(self) -> dict[int, sp.Expr]:
        """For each constraint that binds, how much of the minimum's logarithm one unit of its logarithm is worth."""
        show = self.program.problem.field.show
        found: dict[int, sp.Expr] = {}
        for (_, mu), i in zip(self.certificate.bound.multipliers, self.certificate.limits, strict=True):
            found[i] = found.get(i, sp.Integer(0)) + show(mu)
        return found

    @property
    def ray(self) -> dict[sp.Symbol, sp.Rational]:
        """Exponents of the sizes along which the objective falls without attaining its infimum; else empty."""
        return dict(zip(self.program.sizes, self.certificate.ray, strict=False))

    def check(self) -> Audit:
        """Check the certificate by reading the statement a second time; true where every step holds."""
        return audited(self.exported, reread)

    @cached_property
    def exported(self) -> dict[str, Any]:
        """The certificate as plain data, which ``verify.recheck.posynomials`` reads."""
        return exported(self.certificate)

    def __repr__(self) -> str:
        if self.outcome in (PosynomialOutcome.UNBOUNDED, PosynomialOutcome.INFEASIBLE):
            return f"{self.outcome.value}{self._along()}"
        if not self.argmin:
            return text(self.value) if self.outcome is PosynomialOutcome.CLOSED_FORM else _shown(self.value)
        several = "" if self.unique else "  (not the only choice)"
        sizes = ", ".join(f"{name(s)} = {_shown(x)}" for s, x in self.argmin.items())
        if self.outcome is PosynomialOutcome.CLOSED_FORM:
            return f"{text(self.value)}  at  {sizes}{several}"
        approached = f"  ({self.outcome.value.partition('; ')[2]}{self._along()})"
        ending = approached if self.outcome is PosynomialOutcome.APPROACHED else several
        return f"{_shown(self.value)} (gap {_gap(self.gap)})  at  {sizes}{ending}"

    def _along(self) -> str:
        along = ", ".join(f"{name(s)} = T^({text(x)})" for s, x in self.ray.items() if x != 0)
        return f": {along} for ever larger T" if along else ""

    def explain(self) -> str:
        """The answer and its proof as readable text."""
        return "\n".join([repr(self), *_proof(self)])

    def _repr_latex_(self) -> str:
        if self.outcome is PosynomialOutcome.CLOSED_FORM:
            return f"${to_latex(self.value)}$"
        return rf"$\text{{{self!r}}}$".replace("^", r"\textasciicircum{}")


def _shown(value: sp.Expr) -> str:
    """A closed form as text, a number by its first digits."""
    if value.free_symbols or value.is_Integer:
        return text(value)
    return str(sp.N(value, 12))


def _gap(gap: sp.Rational) -> str:
    return "0" if gap == 0 else f"{float(gap):.0e}"


def _proof(optimum: PosynomialOptimum) -> Iterator[str]:
    program, c = optimum.program, optimum.certificate
    field = program.problem.field
    if c.outcome is PosynomialOutcome.UNBOUNDED:
        yield "  Along the ray every term of the objective falls and no term of a constraint grows."
        return
    factors = list(_factors(optimum))
    objective = " + ".join(
        _term(program.sizes, t.constant, t.monomial, field.show) for t in program.objective
    )
    limits = [
        " + ".join(_term(program.sizes, t.constant, t.monomial, field.show) for t in program.limits[i])
        for i in sorted(set(c.limits))
    ]
    limited = f", as {' and '.join(f'{limit} <= 1' for limit in limits)}" if limits else ""
    yield "  Nothing does better, by weighted AM-GM:"
    if c.outcome is PosynomialOutcome.INFEASIBLE:
        yield f"    1 >= {' '.join(factors)} >= {_shown(c.lower)}{limited}"
        return
    end = text(optimum.value) if c.outcome is PosynomialOutcome.CLOSED_FORM else f"{_shown(optimum.lower)}..."
    yield f"    {objective} >= {' '.join(factors)} = {end}{limited}"


def _factors(optimum: PosynomialOptimum) -> Iterator[str]:
    """Each term, divided by its share, to the power of its weight."""
    sizes, c, field = optimum.program.sizes, optimum.certificate, optimum.program.problem.field
    groups = optimum.multipliers
    wholes = [sp.Integer(1)] * len(c.bound.weights) + [groups[i] for i in c.limits]
    constants = optimum.program.constants(c.bound, c.limits)
    entries = zip(constants, (*c.bound.weights, *c.bound.multipliers), wholes, strict=True)
    for constant, (monomial, weight), whole in entries:
        power = field.show(weight)
        if c.outcome is PosynomialOutcome.CLOSED_FORM:
            term = _term(sizes, constant * sp.factor(whole / power), monomial, field.show)
            yield f"({term})^({text(power)})"
        else:
            share = "" if whole == power else f"/{_shown(power / whole)}"
            yield f"({_term(sizes, constant, monomial, field.show)}{share})^{_shown(power)}"


def _term(sizes: Sequence[sp.Symbol], constant: sp.Expr, monomial: Monomial, show: Show) -> str:
    powers = zip(sizes, monomial.powers, strict=True)
    return text(constant * sp.Mul(*(s ** show(p) for s, p in powers)))
