"""Which term of a bound dominates, over the number of sequences n and of experts M; with the curves where two terms are equal."""

from __future__ import annotations

__all__ = ["Border", "PhaseDiagram", "borders_of", "geometric", "phase_diagram"]

import dataclasses
import itertools
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.bounds.evaluate import evaluate_at
from theory.bounds.formula import BoundFormula, BoundTerm, bound_named
from theory.bounds.phase_svg import phase_svg
from theory.bounds.setting import Model, RegressionSetting, Setting, make_setting
from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.vocabulary import M, k, n

LETTERS = {"approximation": "a", "parameters": "p", "routing": "r", "resolution": "d"}
"""How the usual terms are marked; another one by the first letter of its name that is free, else of the alphabet."""


@dataclass(frozen=True)
class Border:
    """Where two terms are equal: ``curve`` solved for n or M where that is possible, else the equation itself.

    ``seen`` says whether the two share an edge in the diagram; elsewhere a third term covers the curve.
    """

    first: str
    second: str
    curve: Relation
    seen: bool

    def __str__(self) -> str:
        return f"{self.first} = {self.second} at {self.curve}"

    def _repr_latex_(self) -> str:
        return f"${self.curve.latex()}$"


@dataclass(frozen=True)
class PhaseDiagram:
    """The dominating term for each M (rows) and n (columns); ``vacuous`` where the bound is not below the trivial risk."""

    bound: BoundFormula
    setting: Setting
    n: tuple[int, ...]
    experts: tuple[int, ...]
    regimes: tuple[tuple[str, ...], ...]
    vacuous: tuple[tuple[bool, ...], ...]
    borders: tuple[Border, ...]

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "bound": self.bound.name,
            "sequence": self.setting.sequence,
            "n": list(self.n),
            "experts": list(self.experts),
            "regimes": [list(row) for row in self.regimes],
            "vacuous": [list(row) for row in self.vacuous],
            "borders": [
                {"first": b.first, "second": b.second, "curve": str(b.curve), "seen": b.seen}
                for b in self.borders
            ],
        }

    def svg(self) -> str:
        """The diagram as an SVG picture."""
        names = [term.name for term in self.bound.terms]
        return phase_svg(self.bound.name, names, self.n, self.experts, self.regimes, self.vacuous)

    _repr_svg_ = svg

    def __str__(self) -> str:
        letters = letters_of([term.name for term in self.bound.terms])
        lines = [
            f"bound {self.bound.name}: the dominating term over n (sequences of {self.setting.sequence} tokens) and M experts",
            "  "
            + ", ".join(f"{letter} {name}" for name, letter in letters.items())
            + "; upper case where the bound says something",
        ]
        for experts, row, empty in reversed(list(zip(self.experts, self.regimes, self.vacuous, strict=True))):
            cells = (
                letters[name] if blank else letters[name].upper()
                for name, blank in zip(row, empty, strict=True)
            )
            lines.append(f"{experts:>9} {''.join(cells)}")
        left, right = f"{self.n[0]:.3g}", f"{self.n[-1]:.3g}"
        lines.append(f"{'M / n':>9} {left}{right:>{max(len(self.n) - len(left), len(right) + 1)}}")
        return "\n".join([*lines, *(f"  {border}" for border in self.borders if border.seen)])

    __repr__ = __str__


def letters_of(names: Sequence[str]) -> dict[str, str]:
    """A letter for each term, no two the same."""
    found: dict[str, str] = {}
    for name in names:
        wanted = LETTERS.get(name, "") + name.lower() + string.ascii_lowercase
        taken = {*found.values(), *(LETTERS[n] for n in names if n in LETTERS and n != name)}
        found[name] = next(letter for letter in wanted if letter.isalpha() and letter not in taken)
    return found


def geometric(low: int, high: int, points: int) -> tuple[int, ...]:
    """Whole numbers from ``low`` to ``high`` with nearly equal ratios, each once; ValueError unless 1 <= low <= high."""
    if not (1 <= low <= high and points >= 1):
        raise MoelawsError(f"geometric({low}, {high}, {points}): expected 1 <= low <= high and points >= 1")
    if points == 1:
        return (low,)
    found = {round(low * (high / low) ** (i / (points - 1))) for i in range(1, points - 1)}
    return tuple(sorted({low, high, *found}))


def phase_diagram(
    bound: BoundFormula | str,
    architecture: Model,
    *,
    n: Sequence[int] | None = None,
    M: Sequence[int] | None = None,
    sequence: int | None = None,
    problem: RegressionSetting | None = None,
) -> PhaseDiagram:
    """The dominating term of a bound for every n and every number of experts M, all else as in the architecture.

    By default 61 values of n from 10^2 to 10^20, and M from k up by doubling, to 2^16 k. Raises ValueError as `evaluate`
    does, and for an M below k or an n at which the bound does not hold.
    """
    chosen = bound_named(bound)
    base = make_setting(chosen, architecture, sequence=sequence, problem=problem)
    active = base.architecture.active
    counts = tuple(n) if n is not None else geometric(10**2, 10**20, 61)
    experts = (
        tuple(M)
        if M is not None
        else tuple(active << i for i in range(0 if chosen.least_experts == 1 else 1, 17))
    )
    for name, values, least in (("n", counts, 1), ("M", experts, active)):
        wrong = [v for v in values if isinstance(v, bool) or not isinstance(v, int) or v < least]
        if wrong or not values:
            raise MoelawsError(f"{name}={wrong[:1] or values}: expected whole numbers of at least {least}")
    settings = [
        make_setting(
            chosen,
            dataclasses.replace(base.architecture, experts=value),
            sequence=base.sequence,
            problem=base.problem,
        )
        for value in experts
    ]
    too_few = [s for s in settings if min(counts) < s.least_samples()]
    if too_few:
        raise MoelawsError(
            f"n={min(counts)}: {chosen.name} with M = {too_few[0].architecture.experts} holds from n = {too_few[0].least_samples()} on"
        )
    cells = [[evaluate_at(setting, samples) for samples in counts] for setting in settings]
    regimes = tuple(tuple(cell.regime for cell in row) for row in cells)
    return PhaseDiagram(
        chosen,
        base,
        counts,
        experts,
        regimes,
        tuple(tuple(cell.vacuous for cell in row) for row in cells),
        borders_of(chosen, regimes),
    )


def borders_of(bound: BoundFormula, regimes: Sequence[Sequence[str]] = ()) -> tuple[Border, ...]:
    """The curves on which two terms of a bound are equal; ``regimes`` tell which are seen."""
    edges = {frozenset(pair) for row in regimes for pair in itertools.pairwise(row)}
    edges |= {frozenset(pair) for column in zip(*regimes, strict=True) for pair in itertools.pairwise(column)}
    return tuple(
        Border(a.name, b.name, _curve(a, b), frozenset((a.name, b.name)) in edges)
        for a, b in itertools.combinations(bound.terms, 2)
    )


def _curve(first: BoundTerm, second: BoundTerm) -> Relation:
    ratio = first.formula / second.formula
    for power in (1, -1):
        rest = ratio * n**power
        if not rest.has(n):  # the ratio is rest/n^power
            return eq(n, sp.powsimp(rest**power))
    patterns = sp.log(sp.E * M / k)
    if not (ratio * patterns).has(M):
        return eq(M, k * sp.exp(ratio * patterns - 1))
    return eq(*ratio.as_numer_denom())
