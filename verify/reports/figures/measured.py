"""A measured claim: its plot, the estimate on a strip, the numbers behind both."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from verify.reports import plots
from verify.reports.figures.base import Drawn, Figure, Values


class Measured(Figure):
    """The measured values with the predicted line and its rivals."""

    name = "measured"

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
