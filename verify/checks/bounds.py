"""A bound in numbers: its three arithmetics against each other, and the side of a level on which it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["BoundBelow", "BoundCase", "NumericIsBall"]

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath

from theory.bounds.evaluate import Evaluation, as_float, evaluate_at
from theory.bounds.formula import BOUNDS
from theory.bounds.setting import RegressionSetting, make_setting
from theory.models.architecture import MoETransformer
from theory.models.published import PublishedModel
from theory.numbers.balls import centre
from theory.numbers.values import arithmetic
from theory.statement import Statement
from verify.checks.base import Budget, Check
from verify.details import Details
from verify.errors import InputError
from verify.verdicts import Evidence, Grade, Verdict

_DIGITS = 30
_ROUNDING = Fraction(1, 10**11)
"""What a float may lose over all the operations of a bound, relative to the value."""


@dataclass(frozen=True)
class BoundCase:
    """One place at which a bound is evaluated: an architecture, the sequence length in tokens, and n sequences."""

    architecture: MoETransformer | PublishedModel
    sequence: int
    n: int
    problem: RegressionSetting = field(default_factory=RegressionSetting)

    def __str__(self) -> str:
        a = self.architecture
        if isinstance(a, PublishedModel):
            return f"{a.name}, n = {self.n}"
        return f"{a.layers} blocks, d_model {a.d_model}, {a.active} of {a.experts} experts, n = {self.n}"


@dataclass(frozen=True)
class ComparedCases(Details):
    """The cases at which a bound's arithmetics were compared."""

    cases: Sequence[str]


@dataclass(frozen=True)
class EvaluatedBound(Details):
    """A bound in numbers, term by term, as `theory.bounds.evaluate` records it."""

    evaluation: Mapping[str, Any]


@dataclass(frozen=True)
class NumericIsBall(Check):
    """A bound's value in floats and in mpmath lies in its rigorous enclosure, at every case, term by term.

    Floats may differ from the enclosure by a relative 1e-11, their own rounding. ``more_samples`` evaluates the numbers, not
    the enclosure, with so many more sequences: a false variant. PROVED holds for the cases only.
    """

    bound: str
    cases: tuple[BoundCase, ...]
    more_samples: int = 0
    uses: tuple[Statement, ...] = field(default=())

    def validate(self) -> None:
        _check_bound("NumericIsBall", self.bound)
        if not self.cases:
            raise InputError("NumericIsBall: cases is empty, so nothing would be checked")

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        widest = Fraction(0)
        for case in self.cases:
            plain, precise = (
                _evaluated(self.bound, case, number, self.more_samples) for number in ("float", "mpmath")
            )
            ball = _evaluated(self.bound, case, "ball")
            for name, values in _side_by_side(plain, precise, ball):
                radius = _outside(*values)
                if radius is None:
                    yield Evidence(
                        Verdict.REFUTED,
                        Grade.BALL,
                        f"at {case} the {name} of the bound {self.bound} is {as_float(values[0]):.15g} as a float, and encloses "
                        f"to {values[2].str(15)}",
                        witness={
                            "case": str(case),
                            "term": name,
                            "float": repr(values[0]),
                            "ball": values[2].str(20),
                        },
                        confirmed_by=f"mpmath at {_DIGITS} digits: {mpmath.nstr(values[1], 15)}",
                    )
                    return
                widest = max(widest, radius)
        yield Evidence(
            Verdict.PROVED,
            Grade.BALL,
            f"floats and mpmath lie in the enclosure of every term at {len(self.cases)} cases, and only there "
            f"are they compared; radius at most {float(widest):.1e} of the value",
            ComparedCases([str(case) for case in self.cases]),
        )


@dataclass(frozen=True)
class BoundBelow(Check):
    """A bound is below ``level`` at one case: whether it says anything there. Decided by balls, confirmed by mpmath."""

    bound: str
    case: BoundCase
    level: Fraction = Fraction(1)
    uses: tuple[Statement, ...] = field(default=())

    def validate(self) -> None:
        _check_bound("BoundBelow", self.bound)
        if isinstance(self.level, float) or self.level <= 0:
            raise InputError(f"BoundBelow: level={self.level!r}, expected a positive Fraction")

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        ball, precise = (_evaluated(self.bound, self.case, number) for number in ("ball", "mpmath"))
        with arithmetic("ball", _DIGITS).working():
            gap = ball.total * self.level.denominator - self.level.numerator
            below, above = bool(gap < 0), bool(gap >= 0)
        size = f"{as_float(ball.total):.4g} at {self.case}, {ball.regime} being {100 * ball.dominating.share:.3g}% of it"
        details = EvaluatedBound(ball.record())
        if below:
            yield Evidence(
                Verdict.PROVED, Grade.BALL, f"the bound {self.bound} is {size}: below {self.level}", details
            )
        elif above and precise.total >= self.level.numerator / mpmath.mpf(self.level.denominator):
            yield Evidence(
                Verdict.REFUTED,
                Grade.BALL,
                f"the bound {self.bound} is {size}: not below {self.level}",
                details,
                witness={"case": str(self.case), "bound": ball.total.str(20), "level": str(self.level)},
                confirmed_by=f"mpmath at {_DIGITS} digits: {mpmath.nstr(precise.total, 15)}",
            )
        else:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.SAMPLED,
                f"{_DIGITS} digits do not tell {size} from {self.level}",
                details,
            )


def _check_bound(who: str, name: str) -> None:
    if name not in BOUNDS:
        raise InputError(f"{who}: bound={name!r}, expected one of {', '.join(BOUNDS)}")


def _evaluated(bound: str, case: BoundCase, number: str, more: int = 0) -> Evaluation:
    setting = make_setting(BOUNDS[bound], case.architecture, sequence=case.sequence, problem=case.problem)
    return evaluate_at(setting, case.n + more, number=number, digits=_DIGITS)


def _side_by_side(*evaluations: Evaluation) -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield "total", tuple(e.total for e in evaluations)
    for terms in zip(*(e.terms for e in evaluations), strict=True):
        yield f"term {terms[0].name}", tuple(term.value for term in terms)


def _outside(plain: Any, precise: Any, ball: Any) -> Fraction | None:
    """None where a number is outside the ball, else the ball's radius relative to its value."""
    with arithmetic("ball", _DIGITS).working():
        scale, middle, radius = (centre(x) for x in (abs(ball), ball, ball.rad()))
    off = abs(Fraction(plain) - middle)
    sign, mantissa, exponent, _ = precise._mpf_
    exact = Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent
    mpmath_rounding = scale / 10**_DIGITS
    if off > radius + scale * _ROUNDING or abs(exact - middle) > radius + mpmath_rounding:
        return None
    return radius / scale if scale else Fraction(0)
