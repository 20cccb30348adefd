"""Measured losses at named inputs, checked before anything is fitted to them."""

from __future__ import annotations

__all__ = ["Observations"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirics.fitting.objective import Floats, Mask
from theory.errors import MoelawsError, suggest
from theory.laws.law import Law


@dataclass(frozen=True, eq=False)
class Observations:
    """n runs of a law's ``kind``: ``inputs`` by name and ``loss``, arrays of length n, in the law's units.

    ``weights`` multiply each run's part of an objective (1 where absent). ``clusters`` say which rows belong to one training
    run, such as checkpoints, and are drawn together; each row is a run of its own where absent. ``notes`` say
    what else a reader must know of them, such as which rows were left out. MoelawsError for an input that is missing or out of range.
    """

    kind: type[Law]
    inputs: Mapping[str, Floats]
    loss: Floats
    weights: Floats | None = None
    clusters: Sequence[Any] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if missing := [q.name for q in self.kind.inputs if q.name not in self.inputs]:
            raise MoelawsError(
                f"{self.kind.__name__}: no values for {', '.join(missing)}, which the law depends on"
            )
        for name, given in (
            ("loss", self.loss),
            *self.inputs.items(),
            ("weights", self.weights),
            ("clusters", self.clusters),
        ):
            if given is not None and len(given) != len(self.loss):
                raise MoelawsError(f"{name} has {len(given)} rows where the loss has {len(self.loss)}")
        for i, wrong in _faults(self.kind, self.inputs, self.loss).items():
            raise MoelawsError(f"row {i + 1}: {wrong}")
        if not len(self.loss):
            raise MoelawsError("no rows; a fit needs more runs than the law has coefficients")

    def __len__(self) -> int:
        return len(self.loss)

    @property
    def weight(self) -> Floats:
        """The weights, ones where there are none."""
        return np.ones(len(self)) if self.weights is None else np.asarray(self.weights, float)

    def take(self, rows: Any) -> Observations:
        """The rows that an index array or a mask picks."""
        index = np.arange(len(self))[rows]
        return Observations(
            self.kind,
            {name: values[index] for name, values in self.inputs.items()},
            self.loss[index],
            None if self.weights is None else self.weights[index],
            None if self.clusters is None else [self.clusters[i] for i in index],
            self.notes,
        )

    def flops(self) -> Floats:
        """Training compute of each run by 6 N D or as the law counts it; the model size where a law has no tokens."""
        if self.kind.allocates():
            return np.asarray(self.kind.symbolic().flops(**self.inputs))
        return self.inputs[self.kind.inputs[0].name]

    def largest(self, share: float = 0.1) -> Mask:
        """Which rows are the ``share`` of largest compute; rows of equal compute stay together."""
        if not 0 < share < 1:
            raise MoelawsError(f"largest(share={share}): expected a share between 0 and 1")
        flops = self.flops()
        held = flops >= np.sort(flops)[::-1][max(int(share * len(self)), 1) - 1] * (1 - 1e-9)
        if held.all():
            raise MoelawsError("all runs have the same compute; none is the largest")
        return np.asarray(held)

    def without_largest(self, share: float = 0.1) -> tuple[Observations, Observations]:
        """The runs but the `largest`, and those."""
        held = self.largest(share)
        return self.take(~held), self.take(held)

    def remarks(self) -> list[str]:
        """What about these runs limits any fit, in words."""
        said = [*self.notes]
        for quantity in self.kind.inputs:
            distinct = len(np.unique(self.inputs[quantity.name]))
            if distinct < 3:
                said.append(
                    f"{quantity.name} takes {distinct} value{'s' * (distinct > 1)}; what the loss does along it is not identified"
                )
        rows = np.stack([*self.inputs.values()], axis=1)
        repeats = len(rows) - len(np.unique(rows, axis=0))
        if repeats and self.clusters is None:
            said.append(
                f"{repeats} rows repeat the inputs of another; where they are one training run, name its column as cluster"
            )
        count = len(self.kind.coefficients())
        if len(self) <= count:
            said.append(f"{len(self)} rows for {count} coefficients leave nothing to judge the fit by")
        return said


def _faults(kind: type[Law], inputs: Mapping[str, Floats], loss: Floats) -> dict[int, str]:
    """What is wrong with which row, in words, in the order of the rows."""
    bad = ~np.isfinite(loss) | ~(loss > 0)
    for quantity in kind.inputs:
        values = inputs[quantity.name]
        bad |= ~np.isfinite(values) | ~(values > 0) | (values < (quantity.least or 0))
    return {
        int(i): _fault(kind, {q.name: inputs[q.name][i] for q in kind.inputs}, loss[i])
        for i in np.flatnonzero(bad)
    }


def _fault(kind: type[Law], inputs: Mapping[str, float], loss: float) -> str:
    """What is wrong with a row, in words; empty for a good one."""
    for quantity in kind.inputs:
        value = inputs[quantity.name]
        if not np.isfinite(value):
            return f"{quantity.name} is {value}; expected a number"
        if value <= 0:
            return f"{quantity.name} is {value:g}; expected a positive number of {quantity.unit}"
        if quantity.least is not None and value < quantity.least:
            return f"{quantity.name} is {value:g}; expected at least {quantity.least}"
    if not np.isfinite(loss):
        return f"the loss is {loss}, so the run diverged or was not recorded; a law says nothing of it"
    return "" if loss > 0 else f"the loss is {loss:g}; expected a positive number of nats"


def from_columns(
    kind: type[Law],
    table: Mapping[str, Sequence[str]],
    columns: Mapping[str, str] | None = None,
    *,
    where: str = "table",
    cluster: str | None = None,
    skip_bad: bool = False,
    first_line: int = 2,
) -> Observations:
    """Observations from a table of texts by column name.

    ``columns`` says which column is which input (and ``loss``), by default the one of the same name; a factor may stand before
    it, ``tokens = "1e9*D"``. With ``skip_bad`` bad rows are left out and named in `Observations.notes`.
    """
    wanted = ["loss", *(q.name for q in kind.inputs)]
    given = dict(columns or {})
    if strange := sorted(set(given) - set(wanted)):
        raise MoelawsError(
            f"{strange[0]} is no input of {kind.__name__}; expected {', '.join(wanted)}.{suggest(strange[0], wanted)}"
        )
    parsed: dict[str, Floats] = {}
    wrong: dict[int, str] = {}
    for name in wanted:
        factor, column = _factor(given.get(name, name), name)
        values = _column(table, column, where, f"for {name}; name another with --column {name}=COLUMN")
        parsed[name] = np.array([_number(text, i, name, wrong) for i, text in enumerate(values)]) * factor
    rows = len(parsed["loss"])
    wrong = _faults(kind, parsed, parsed["loss"]) | wrong
    if wrong and not skip_bad:
        i = min(wrong)
        raise MoelawsError(
            f"{where}, line {i + first_line}: {wrong[i]} ({len(wrong)} bad of {rows} rows; --skip-bad leaves them out)"
        )
    keep = [i for i in range(rows) if i not in wrong]
    said = tuple(f"left out line {i + first_line}: {wrong[i]}" for i in sorted(wrong)[:5])
    said += (f"left out {len(wrong) - 5} more rows",) if len(wrong) > 5 else ()
    names = None if cluster is None else _column(table, cluster, where, "for the cluster")
    return Observations(
        kind,
        {q.name: parsed[q.name][keep] for q in kind.inputs},
        parsed["loss"][keep],
        clusters=None if names is None else [names[i] for i in keep],
        notes=said,
    )


def _column(table: Mapping[str, Sequence[str]], column: str, where: str, what: str) -> Sequence[str]:
    if column not in table:
        raise MoelawsError(
            f"{where}: no column {column!r} {what}; it has {', '.join(table) or 'none'}.{suggest(column, table)}"
        )
    return table[column]


def _factor(text: str, name: str) -> tuple[float, str]:
    factor, star, column = text.partition("*")
    if not star:
        return 1.0, text
    try:
        return float(factor), column
    except ValueError:
        raise MoelawsError(f"--column {name}={text}: expected COLUMN or NUMBER*COLUMN") from None


def _number(text: str, row: int, name: str, wrong: dict[int, str]) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        wrong.setdefault(row, f"{name} is {text!r}; expected a number")
        return float("nan")
