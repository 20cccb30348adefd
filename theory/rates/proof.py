"""The certificate of a rate as the proof that a reader can follow: attained here, and nothing does better."""

from __future__ import annotations

from collections.abc import Iterator

from theory.errors import MoelawsError
from theory.rates.certificate import Cell, RateOutcome, WeightedBound
from theory.rates.field import Field, Fraction
from theory.rates.growth import Monomial
from theory.rates.notation import growth_text, name, region_text, text
from theory.rates.problem import RateProblem


def proof(problem: RateProblem, cells: tuple[Cell, ...]) -> str:
    """One paragraph for each region: the sizes that attain the value, and one weighted AM-GM for each alternative."""
    return "\n".join(line for cell in cells for line in _Prose(problem, cell).lines())


class _Prose:
    def __init__(self, problem: RateProblem, cell: Cell) -> None:
        self.problem, self.cell = problem, cell
        self.field: Field = problem.field
        self.scale = name(problem.scale)

    def lines(self) -> Iterator[str]:
        if self.cell.region:
            yield f"Where {region_text(self.field, [self.cell.region])}:"
        if self.cell.outcome is not RateOutcome.ATTAINED:
            yield f"  {self.cell.outcome.value}."
            return
        assert self.cell.value is not None
        sizes = ", ".join(
            f"{name(s)} = {growth_text(self.field, g, self.scale)}"
            for s, g in zip(self.problem.sizes, self.cell.point or (), strict=True)
        )
        value = growth_text(self.field, self.cell.value, self.scale)
        yield f"  Attained: at {sizes} no term exceeds {value}." if sizes else f"  The rate is {value}."
        if sizes:
            yield "  Nothing does better, constants aside, by weighted AM-GM:"
        for sentence in dict.fromkeys(self._bound(bound) for bound in self.cell.bounds):
            if sizes and sentence:
                yield f"    {sentence}"

    def _bound(self, bound: WeightedBound) -> str:
        weights = [(m, w) for m, w in bound.weights if w]
        multipliers = [(m, w) for m, w in bound.multipliers if w]
        below = self._product([*weights, *multipliers])
        total = bound_exponent(self.problem, bound)
        reached = growth_text(self.field, total.constant, self.scale)
        limits = (
            f", as {' and '.join(f'{self._monomial(m)} <= 1' for m, _ in multipliers)}" if multipliers else ""
        )
        if not weights:
            return f"no sizes meet the constraints in this case: 1 >= {below} = {reached}{limits}"
        terms = [self._monomial(m) for m, _ in weights]
        largest = terms[0] if len(terms) == 1 else f"max{{ {', '.join(terms)} }}"
        if below == largest == reached:
            return f"the term {reached} is there whatever the sizes"
        return (
            f"{largest} >= {below} = {reached}{limits}"
            if below != largest
            else f"{largest} = {reached}{limits}"
        )

    def _product(self, factors: list[tuple[Monomial, Fraction]]) -> str:
        written = []
        for monomial, weight in factors:
            shown, power = self._monomial(monomial), text(self.field.show(weight))
            written.append(
                shown if power == "1" else f"({shown})^{power if len(power) == 1 else f'({power})'}"
            )
        return " ".join(written) or "1"

    def _monomial(self, monomial: Monomial) -> str:
        """As a fraction: what has a negative number for its exponent stands below the line."""
        above, below = [], []
        powers = [
            (name(s), self.field.show(p))
            for s, p in zip(self.problem.sizes, monomial.powers, strict=True)
            if p
        ]
        constant = monomial.constant
        if constant and constant.is_resolved and not constant.logs:
            powers.append((self.scale, self.field.show(constant.power)))
        elif constant:
            above.append(growth_text(self.field, constant, self.scale))
        for base, power in powers:
            if power.is_Rational and power < 0:
                below.append(_powered(base, text(-power)))
            else:
                above.append(_powered(base, text(power)))
        numerator, denominator = " ".join(above) or "1", " ".join(below)
        if not below:
            return numerator
        return f"{numerator}/{denominator}" if len(below) == 1 else f"{numerator}/({denominator})"


def bound_exponent(problem: RateProblem, bound: WeightedBound) -> Monomial:
    """The product of a bound's monomials to their weights; its sizes cancel."""
    zero = problem.field.zero
    growth = None
    for monomial, weight in (*bound.weights, *bound.multipliers):
        term = monomial**weight
        growth = term if growth is None else growth * term
    if growth is None:
        raise MoelawsError("a bound without weights proves nothing")
    return Monomial(tuple(zero for _ in growth.powers), growth.constant)


def _powered(base: str, power: str) -> str:
    return base if power == "1" else f"{base}^{power}" if len(power) == 1 else f"{base}^({power})"
