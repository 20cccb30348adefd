"""A measured claim: its plot, the estimate on a strip, the numbers behind both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from annotated_types import Gt, Len
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from verify.reports import plots
from verify.reports.figures.base import Drawn, Figure, Limit, Number, Pair, Values


def _as_drawn(measured: Values) -> Values:
    """The same, where there is a row of values for each size, and what goes on a logarithmic axis is positive."""
    if len(measured["values"]) != len(measured["sizes"]):
        raise PydanticCustomError("form", "expected a row of values for each size")
    if measured["direction"] != "level" and min(float(v) for row in measured["values"] for v in row) <= 0:
        raise PydanticCustomError("form", "expected positive values on logarithmic axes")
    return measured


class _Exact(TypedDict):
    text: str
    value: Number


class _Rival(_Exact):
    name: str


class _NextTerm(TypedDict):
    change_at_the_ends: Number


class _Measured(TypedDict):
    quantity: str
    size: str
    direction: str
    relation: str
    predicted: _Exact
    tolerance: _Exact
    rivals: Annotated[list[_Rival], Len(1)]
    sizes: Annotated[list[Annotated[int, Gt(0)]], Len(1)]
    seeds: list[int]
    values: list[Annotated[list[Number], Len(1)]]
    estimate: Number
    interval_90: Pair[Limit]
    allowed: Pair[Limit]
    next_term: _NextTerm | None
    runs: list[list[str]]
    left_aside: int


class _Power(TypedDict):
    support: str
    refute: str
    rival: str


class _Details(TypedDict):
    measured: Annotated[_Measured, AfterValidator(_as_drawn)]
    power: _Power


class Measured(Figure):
    """The measured values with the predicted line and its rivals."""

    name = "measured"
    shape = _Details

    def drawn(self, entry: Values, *, cells_shown: int, formulas_shown: int) -> Drawn:
        details, verdict = entry["evidence"]["details"], entry["evidence"]["verdict"]
        measured = details["measured"]
        return Drawn(
            {
                "measured": measured,
                "figures": plots.figures_of(measured),
                "colour": plots.kind_of(verdict),
                "plot": plots.of_measured(measured, verdict),
                "strip": plots.strip_of(measured, verdict),
                "rows": plots.rows_of(measured),
                "power": details["power"],
            }
        )

    def markdown(self, details: Values, escape: Callable[[str], str]) -> Iterator[str]:
        measured = details["measured"]
        found = plots.figures_of(measured)
        noun = "level" if measured["direction"] == "level" else "exponent"
        rivals = "; ".join(f"{rival['name']} {rival['text']}" for rival in measured["rivals"])
        relation = "" if measured["relation"] == "equals" else f"{measured['relation']} "
        yield escape(
            f"{measured['quantity']} against {measured['size']}: {noun} {found['value']}, 90% interval {found['interval']}; "
            f"predicted {relation}{measured['predicted']['text']}, tolerance {measured['tolerance']['text']}; "
            f"rivals: {rivals}." + (f" Runs: {found['runs']}." if found["runs"] else "")
        )
        yield ""
        yield f"| size | mean of {len(measured['seeds'])} seeds | least | greatest | predicted line |"
        yield "|---:|---:|---:|---:|---:|"
        for row in plots.rows_of(measured):
            yield f"| {row['size']} | {row['mean']} | {row['low']} | {row['high']} | {row['predicted']} |"
        yield ""
