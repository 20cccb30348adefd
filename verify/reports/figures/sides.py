"""The two sides of each relation between printed numbers, as intervals of unrounded values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired

from markupsafe import Markup
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from verify.reports.figures.base import Drawn, Erratum, Figure, Number, Pair, Values
from verify.reports.strips import Strip


def _both_or_none(row: Values) -> Values:
    if ("left" in row) != ("right" in row):
        raise PydanticCustomError("form", "expected both sides or none")
    return row


class _Relation(TypedDict):
    relation: str


class _Violated(_Relation):
    right: NotRequired[str]


class _Sides(_Relation):
    left: NotRequired[Pair[Number]]
    right: NotRequired[Pair[Number]]


class _Details(TypedDict):
    sides: list[Annotated[_Sides, AfterValidator(_both_or_none)]]
    violated: dict[str, list[_Violated]]
    explained_by: list[str]
    places: NotRequired[dict[str, str]]
    units: NotRequired[dict[str, str]]


class Sides(Figure):
    """A row a relation, broken where it fails under every mode tried."""

    name = "sides"
    shape = _Details

    def drawn(self, entry: Values, *, cells_shown: int, formulas_shown: int) -> Drawn:
        details = entry["evidence"]["details"]
        broken = _broken(details)
        latex_of = {f["text"]: f["latex"] for f in entry["formulas"]} if formulas_shown > 1 else {}
        rows = [_row(row, row["relation"] in broken, latex_of) for row in details["sides"]]
        context = {"rows": rows[:cells_shown], "left_out": len(rows[cells_shown:])}
        return Drawn(context, holds_formulas=bool(latex_of))

    def errata(self, entry: Values) -> Iterator[Erratum]:
        """A row a broken equation with one printed number alone on its left and a formula on its right."""
        details = entry["evidence"]["details"]
        places: Mapping[str, str] = details.get("places", {})
        broken, units = _broken(details), details.get("units", {})
        violated: list[Values] = next(iter(details["violated"].values()), [])
        for row in violated:
            left, _, right = row["relation"].partition(" = ")
            if row["relation"] in broken and left in places and right not in places and "right" in row:
                printed, _, place = places[left].partition(" (")
                yield Erratum(place.removesuffix(")"), printed, row["right"], units.get(left, ""))

    def thumbnail(self, entry: Values) -> Markup:
        details = entry["evidence"]["details"]
        broken = _broken(details)
        rows = [row for row in details["sides"] if row["relation"] in broken and "left" in row]
        return strip_of(rows[0], violated=True) if rows else Markup("")


def _broken(details: Values) -> set[str]:
    """The relations that fail under every mode tried."""
    failed = [{row["relation"] for row in rows} for rows in details["violated"].values()]
    return set.intersection(*failed) if failed and not details["explained_by"] else set()


def _row(row: Values, violated: bool, latex_of: Mapping[str, str]) -> dict[str, Any]:
    strip = strip_of(row, violated) if "left" in row else ""
    return {**row, "violated": violated, "latex": latex_of.get(row["relation"], ""), "strip": strip}


def strip_of(row: Values, violated: bool) -> Markup:
    """The two sides of a relation on an axis of their own: the left as a bar, the right as a band."""
    left, right = ([float(end) for end in row[side]] for side in ("left", "right"))
    low, high = min(left[0], right[0]), max(left[1], right[1])
    margin = (high - low or abs(high) or 1.0) * 0.08
    thin = (high - low) * 0.02 or margin / 4
    band = (right[0] - thin, right[1] + thin) if right[1] - right[0] < thin else (right[0], right[1])
    kind = "bad" if violated else "good"
    return Strip(low - margin, high + margin, [band], [(left[0], left[1], kind)]).svg()
