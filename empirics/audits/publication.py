"""A published law as printed: its coefficients, and what is said of intervals, allocation and formulas."""

from __future__ import annotations

__all__ = ["Audit", "Finding", "Numeral", "Publication", "Weight"]

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from empirics.fitting.fit import Fit, fit
from empirics.fitting.observations import Observations, from_columns
from empirics.fitting.tables import read_columns
from theory.defined import Defined
from theory.errors import MoelawsError, suggest
from theory.laws.law import Law, law_kinds


class Weight(Enum):
    """How much a finding says."""

    CONTRADICTION = "two printed things, or a printed thing and the runs, cannot both be right"
    SUSPICION = "a coincidence that is unlikely, with its probability, or a likely misreading"
    NOTE = "a number that a reader needs"


@dataclass(frozen=True)
class Finding:
    """What one audit found, in a sentence that can be quoted."""

    audit: str
    weight: Weight
    text: str

    def __str__(self) -> str:
        return f"{self.weight.name}: {self.text}"


@dataclass(frozen=True)
class Audit:
    """A question about a publication; ``find`` yields what is wrong, nothing where it cannot tell or all is well."""

    name: str
    words: str
    find: Callable[[Publication], Iterator[Finding]]


AUDITS: Mapping[str, Audit] = Defined(Audit, "empirics.audits")
"""Every audit by name."""


class Numeral(NamedTuple):
    """A printed number: its value, and half a unit of its last digit."""

    value: float
    half: float

    @property
    def ends(self) -> tuple[float, float]:
        """What prints so when rounded to nearest."""
        return self.value - self.half, self.value + self.half

    @property
    def digits(self) -> int:
        """Significant digits."""
        return len(str(round(abs(self.value) / (2 * self.half))))


def numeral(text: str, where: str) -> Numeral:
    """A number as printed; MoelawsError says ``where`` there is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    exponent = number.as_tuple().exponent
    if (
        not number.is_finite()
        or not isinstance(exponent, int)
        or abs(number.adjusted()) > 300
        or abs(exponent) > 300
    ):
        raise MoelawsError(f'{where} = {text!r}: expected a number as printed, in quotes, such as "0.3400"')
    return Numeral(float(number), float(Decimal(5).scaleb(exponent - 1)))


@dataclass(frozen=True, eq=False)
class Publication:
    """A law of some ``kind`` with ``printed`` coefficients.

    ``intervals`` are printed 95% intervals of coefficients or of ``size_exponent``, how the optimal size grows with compute.
    ``allocation`` holds a, p of size = a C^p and b, q of tokens = b C^q. ``formula`` is that of the optimal size, in the
    coefficients, ``others`` inputs by name and C. ``ratio`` holds the compute from which to which tokens per parameter is said to be constant.
    """

    kind: type[Law]
    printed: Mapping[str, Numeral]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    allocation: Mapping[str, Numeral] = field(default_factory=dict)
    formula: str = ""
    others: Mapping[str, float] = field(default_factory=dict)
    ratio: tuple[float, float] | None = None
    runs: Observations | None = None

    @cached_property
    def law(self) -> Law:
        """The law with its coefficients as printed."""
        return self.kind(**{name: number.value for name, number in self.printed.items()})

    @cached_property
    def refit(self) -> Fit | None:
        """A fit of the law to the runs, where there are any, started also at the printed coefficients."""
        return fit(self.runs, start=self.law) if self.runs is not None else None

    def corners(self) -> Iterator[Law]:
        """The law at the corners of what its coefficients print as; 2^P of them, or 256 at random under seed 0."""
        ends = np.array([number.ends for number in self.printed.values()])
        count = len(ends)
        picks = (
            np.array([[i >> j & 1 for j in range(count)] for i in range(2**count)])
            if count <= 8
            else np.random.default_rng(0).integers(0, 2, (256, count))
        )
        for pick in picks:
            with suppress(MoelawsError):  # a corner where a coefficient is 0
                yield self.kind(
                    **dict(zip(self.printed, map(float, ends[np.arange(count), pick]), strict=True))
                )

    def audit(self) -> list[Finding]:
        """What all audits find, contradictions first."""
        found = [finding for audit in AUDITS.values() for finding in audit.find(self)]
        return sorted(found, key=lambda finding: list(Weight).index(finding.weight))


_TABLES = {"law", "coefficients", "intervals", "allocation", "formula", "inputs", "constant_ratio", "runs"}


def read_publication(data: Mapping[str, Any], where: str, folder: Path) -> Publication:
    """A publication from a parsed TOML file; MoelawsError names the key and what was expected. Tables are read beside ``folder``."""
    if unknown := sorted(set(data) - _TABLES):
        raise MoelawsError(
            f"{where}: unknown {unknown[0]!r}; expected {', '.join(sorted(_TABLES))}.{suggest(unknown[0], _TABLES)}"
        )
    kinds = law_kinds()
    if data.get("law") not in kinds:
        raise MoelawsError(f"{where}: law = {data.get('law')!r}; expected one of {', '.join(kinds)}")
    kind = kinds[data["law"]]
    names = [quantity.name for quantity in kind.coefficients()]
    given = _table(data, "coefficients", where)
    if set(given) != set(names):
        raise MoelawsError(
            f"{where}: [coefficients] has {', '.join(given) or 'nothing'}; expected {', '.join(names)}"
        )
    printed = {name: numeral(_text(given[name], f"{where}: {name}"), f"{where}: {name}") for name in names}
    intervals = {}
    for name, value in _table(data, "intervals", where).items():
        if not (
            name in (*names, "size_exponent")
            and isinstance(value, list)
            and len(value) == 2
            and all(map(_is_number, value))
        ):
            raise MoelawsError(
                f"{where}: intervals.{name} = {value!r}; expected [low, high] of a coefficient or of size_exponent"
            )
        intervals[name] = (float(value[0]), float(value[1]))
    allocation = _table(data, "allocation", where)
    if allocation and set(allocation) != set("apbq"):
        raise MoelawsError(f"{where}: [allocation] expected a, p of size = a C^p and b, q of tokens = b C^q")
    ratio = data.get("constant_ratio")
    if ratio is not None and not (
        isinstance(ratio, list)
        and len(ratio) == 2
        and all(map(_is_number, ratio))
        and 0 < ratio[0] < ratio[1]
    ):
        raise MoelawsError(f"{where}: constant_ratio = {ratio!r}; expected [least FLOPs, most FLOPs]")
    others = _table(data, "inputs", where)
    if not all(map(_is_number, others.values())):
        raise MoelawsError(f"{where}: [inputs] expected numbers, such as expansion = 8")
    wanted = [quantity.name for quantity in kind.inputs[2:]] if kind.allocates() else []
    allocates = {"allocation", "formula", "constant_ratio"} & set(data) or "size_exponent" in intervals
    if allocates and sorted(others) != sorted(wanted):
        raise MoelawsError(
            f"{where}: [inputs] has {', '.join(others) or 'nothing'}; expected {', '.join(wanted) or 'nothing'}"
        )
    if allocates and not kind.allocates():
        raise MoelawsError(
            f"{where}: {kind.__name__} allocates no compute; leave out what is said of an allocation"
        )
    runs = None
    if table := _table(data, "runs", where):
        columns = {
            name: _text(value, f"{where}: runs.{name}") for name, value in table.items() if name != "table"
        }
        path = folder / _text(table.get("table", ""), f"{where}: runs.table")
        runs = from_columns(kind, read_columns(path), columns, where=str(path))
    for name in "ab" if allocation else "":
        if not numeral(_text(allocation[name], f"{where}: {name}"), f"{where}: {name}").value > 0:
            raise MoelawsError(
                f"{where}: allocation.{name} = {allocation[name]!r}; expected a positive number"
            )
    publication = Publication(
        kind, printed, intervals,
        {name: numeral(_text(text, f"{where}: {name}"), f"{where}: {name}") for name, text in allocation.items()},
        _text(data.get("formula", ""), f"{where}: formula"), {k: float(v) for k, v in others.items()},
        (float(ratio[0]), float(ratio[1])) if ratio else None, runs,
    )  # fmt: skip
    publication.law.gradient(
        **{q.name: float(q.least or 1) for q in kind.inputs}
    )  # refuses coefficients of the wrong sign
    return publication


def _table(data: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise MoelawsError(f"{where}: {name} = {found!r}; expected a table [{name}]")
    return found


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise MoelawsError(f"{where} = {value!r}; expected a text in quotes, the digits as printed")
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and bool(np.isfinite(value))
