"""A bound in numbers: `evaluate` gives every term, the total, and the term that dominates.

>>> from theory import MoETransformer, evaluate
>>> print(evaluate("stated", MoETransformer(layers=2, d_model=512, d_ff=512, experts=8, active=2, heads=4), n=3125, sequence=256))
bound stated, n = 3125 sequences of 256 tokens
...
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Evaluation", "TermValue", "evaluate"]

from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import sympy as sp
from flint import arb

from theory.bounds.formula import BoundFormula, bound_named
from theory.bounds.setting import Model, RegressionSetting, Setting, make_setting, values_of
from theory.errors import MoelawsError
from theory.numbers.arithmetic import Arithmetic
from theory.numbers.values import Values, arithmetic, evaluate_expression
from theory.results.oracle import RESOLUTION
from theory.vocabulary import R, W, tau, to_latex


@dataclass(frozen=True)
class TermValue:
    """One term in numbers; ``share`` is its part of the total, as a float."""

    name: str
    formula: sp.Expr
    words: str
    value: Any
    share: float


@dataclass(frozen=True)
class Evaluation:
    """A bound at one architecture and one n, in floats, in mpmath numbers or in balls (``number``).

    ``trivial`` is the risk that needs no data. Squared loss, so values are in squared units of the target; they bound the risk
    of the exact minimiser over the bounded class, not the loss of a trained model.
    """

    bound: BoundFormula
    setting: Setting
    n: int
    number: str
    digits: int
    terms: tuple[TermValue, ...]
    total: Any
    trivial: Any

    @property
    def dominating(self) -> TermValue:
        """The largest term."""
        return max(self.terms, key=lambda term: term.share)

    @property
    def regime(self) -> str:
        """The name of the largest term."""
        return self.dominating.name

    @property
    def vacuous(self) -> bool:
        """Whether the bound is no smaller than the trivial risk; of balls, whether it is not proved to be smaller."""
        return not self.total < self.trivial

    @property
    def tokens(self) -> int:
        """Training tokens, n sequences of the same length."""
        return self.n * self.setting.sequence

    def explain(self) -> str:
        """The evaluation in a sentence or two."""
        top = self.dominating
        verdict = (
            "so it says nothing here"
            if self.vacuous
            else f"below the trivial risk {_shown(self.trivial)}, so it says something here"
        )
        return (
            f"The bound '{self.bound.name}' on the risk is {_shown(self.total)} at n = {self.n} sequences of {self.setting.sequence} tokens, "
            + (f"not below the trivial risk {_shown(self.trivial)}, " if self.vacuous else "")
            + f"{verdict}. {100 * top.share:.3g}% of it is the term '{top.name}': {top.words}."
        )

    def record(self) -> dict[str, Any]:
        """For JSON: floats, and decimal strings where the number is no float."""
        return {
            "bound": self.bound.name,
            "n": self.n,
            "sequence": self.setting.sequence,
            "tokens": self.tokens,
            "number": self.number,
            "terms": [
                {
                    "name": t.name,
                    "formula": str(t.formula),
                    "words": t.words,
                    "share": t.share,
                    **self._recorded(t.value),
                }
                for t in self.terms
            ],
            "total": self._recorded(self.total),
            "trivial_risk": as_float(self.trivial),
            "regime": self.regime,
            "vacuous": self.vacuous,
        }

    def _recorded(self, value: Any) -> dict[str, Any]:
        exact = {} if self.number == "float" else {self.number: _shown(value, self.digits)}
        return {"value": as_float(value), **exact}

    def __str__(self) -> str:
        a = self.setting.architecture
        lines = [
            f"bound {self.bound.name}, n = {self.n} sequences of {self.setting.sequence} tokens",
            f"  {a.layers} blocks, d_model {a.d_model}, d_ff {a.d_ff}, {a.active} of {a.experts} experts",
        ]
        rows = [(t.name, _shown(t.value, self._width), f"{100 * t.share:.3g}%", t.words) for t in self.terms]
        rows.append(("total", _shown(self.total, self._width), "", f"trivial risk {_shown(self.trivial)}"))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines += [
            f"  {a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {e}".rstrip() for a, b, c, e in rows
        ]
        lines.append(
            f"  {'says nothing: not below the trivial risk' if self.vacuous else 'says something'}; {self.regime} dominates"
        )
        return "\n".join(lines)

    @property
    def _width(self) -> int:
        return 4 if self.number == "float" else min(self.digits, 20)

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        rows = [
            rf"\text{{{t.name}}} & {to_latex(t.formula)} & {_latex_number(t.value)} \\" for t in self.terms
        ]
        return "\n".join(
            [
                r"$$\begin{array}{lll}",
                *rows,
                rf"\text{{total}} & & {_latex_number(self.total)}",
                r"\end{array}$$",
            ]
        )


def evaluate(
    bound: BoundFormula | str,
    architecture: Model,
    *,
    n: int | None = None,
    tokens: int | None = None,
    sequence: int | None = None,
    problem: RegressionSetting | None = None,
    number: str = "float",
    digits: int = 15,
) -> Evaluation:
    """Every term of a bound at an architecture, or a published model by name, and n sequences (or so many ``tokens``).

    ``sequence`` is the length in tokens, by default a published model's in training, else the architecture's context. ``number`` is "float", "mpmath" or
    "ball" (a rigorous enclosure). A repaired bound is evaluated for the bounded class of the architecture's shape
    (`BoundedMoE`), whose experts have two matrices and whose attention has four, whatever the model's own
    have. Raises ValueError for arguments out of range, with the one that is wrong.
    """
    setting = make_setting(bound_named(bound), architecture, sequence=sequence, problem=problem)
    return evaluate_at(setting, samples_of(setting, n=n, tokens=tokens), number=number, digits=digits)


def samples_of(setting: Setting, *, n: int | None = None, tokens: int | None = None) -> int:
    """n, from n itself or from a number of tokens (whole sequences); ValueError unless exactly one of them is given."""
    if (n is None) == (tokens is None):
        raise MoelawsError(f"n={n}, tokens={tokens}: give exactly one of the two")
    name, given = ("n", n) if tokens is None else ("tokens", tokens)
    if isinstance(given, float) and given.is_integer():  # 1e12 as it is typed
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise MoelawsError(f"{name}={given!r}: expected a whole number of at least 1")
    samples = given if tokens is None else given // setting.sequence
    least = setting.least_samples()
    if samples < least:
        raise MoelawsError(
            f"{name}={given}: {setting.bound.name} holds from n = {least} sequences of {setting.sequence} tokens on"
        )
    return samples


def evaluate_at(setting: Setting, samples: int, *, number: str = "float", digits: int = 15) -> Evaluation:
    """`evaluate` for a setting that is already checked; ValueError where no float holds a number on the way."""
    try:
        return _evaluate_at(setting, samples, number, digits)
    except (OverflowError, ZeroDivisionError):
        raise _out_of_reach(setting, number) from None


def _out_of_reach(setting: Setting, number: str) -> MoelawsError:
    return MoelawsError(
        f"number={number!r}: a number in the bound {setting.bound.name} is out of its reach; "
        "expected number='mpmath' or number='ball' for sizes like these"
    )


def _evaluate_at(setting: Setting, samples: int, number: str, digits: int) -> Evaluation:
    using = arithmetic(number, digits)
    with using.working():
        values = values_of(setting, samples, using)
        if setting.problem.tau == "best" and tau in setting.bound.formula.free_symbols:
            best = best_tau(setting.bound, values, using)
            values = replace(values, numbers={**values.numbers, tau: best})
        found = [evaluate_expression(term.formula, values, using) for term in setting.bound.terms]
        total = found[0]
        for value in found[1:]:
            total = total + value
        if number == "float" and not using.is_finite(total):
            raise _out_of_reach(setting, number)
        trivial = evaluate_expression(setting.bound.trivial, values, using)
        shares = [as_float(value / total) for value in found]
    terms = zip(setting.bound.terms, found, shares, strict=True)
    return Evaluation(
        setting.bound, setting, samples, number, digits,
        tuple(TermValue(t.name, t.formula, t.words, value, share) for t, value, share in terms), total, trivial,
    )  # fmt: skip


def best_tau(bound: BoundFormula, values: Values, using: Arithmetic) -> Any:
    """tau = sqrt(B)/(sqrt(A + B) + sqrt(B)) of `theory.results.oracle.best_split`, with A and B those of the class or its net."""
    left, estimation = _a_and_b(bound)
    a = evaluate_expression(left, values, using)
    b = evaluate_expression(estimation, values, using)
    return using.sqrt(b) / (using.sqrt(a + b) + using.sqrt(b))


@lru_cache(maxsize=32)
def _a_and_b(bound: BoundFormula) -> tuple[sp.Expr, sp.Expr]:
    left = bound.term("approximation").formula * (1 - tau)
    if bound.parameters is not None:
        left += RESOLUTION.subs(W, 2 * R)
    paid = [term.formula * tau * (1 - tau) for term in bound.terms if term.name in ("parameters", "routing")]
    return left, sp.Add(*paid)


def as_float(value: Any) -> float:
    """The value as a float (of a ball its midpoint); infinity where a float cannot hold it."""
    try:
        return float(value.mid()) if isinstance(value, arb) else float(value)
    except OverflowError:
        return float("inf")


def _shown(value: Any, digits: int = 4) -> str:
    if isinstance(value, arb):
        return str(value.str(digits))
    if isinstance(value, mpmath.mpf):
        return str(mpmath.nstr(value, digits))
    return f"{float(value) if isinstance(value, Fraction) else value:.{digits}g}"


def _latex_number(value: Any) -> str:
    mantissa, _, exponent = f"{as_float(value):.4g}".partition("e")
    return mantissa if not exponent else rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
