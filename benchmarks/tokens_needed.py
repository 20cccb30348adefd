"""Tokens before a covering bound and that of finite precision say anything, against the total parameters of every published model; draws a figure.

python benchmarks/tokens_needed.py [figure.svg]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from figure import Series, line_plot

from theory import RegressionSetting, compare_bounds
from theory.models.published import published_models

SHOWN = ("frozen-router", "finite-precision")
FIGURE = Path(__file__).parent / "figures" / "tokens-against-parameters.svg"


def main(path: Path) -> None:
    problem = RegressionSetting(tau="best")
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in SHOWN}
    print(f"{'model':<20} {'N_tot':>9}  " + "  ".join(f"{name:>16}" for name in SHOWN))
    for name, model in sorted(published_models().items(), key=lambda item: item[1].total_parameters()):
        found = {
            row.least.bound.name: row.least
            for row in compare_bounds(model, bounds=SHOWN, problem=problem).rows
        }
        size = model.total_parameters()
        print(
            f"{name:<20} {size:>9.3g}  "
            + "  ".join(f"{found[bound].tokens or math.inf:>16.3g}" for bound in SHOWN)
        )
        for bound, least in found.items():
            if least.tokens is not None:
                points[bound].append((size / 1e9, math.log10(least.tokens)))
    line_plot(
        path,
        "Tokens before a bound says anything, published models",
        ("total parameters in 10^9", "log10 of tokens"),
        [Series(name, *zip(*points[name], strict=True)) for name in SHOWN],
        ticks=(10, 30, 100, 300, 1000),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FIGURE)
