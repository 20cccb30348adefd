"""``moelaws dimension``: the intrinsic dimension of a point cloud, with what the reading hangs on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from theory.errors import suggest
from verify.errors import InputError


def dimension(
    points: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A table of points by coordinates: .npy, or .csv with a header line."
        ),
    ],
    estimator: Annotated[
        str, typer.Option("--estimator", help="Which estimator; the page on dimension lists them.")
    ] = "levina-bickel",
    metric: Annotated[str, typer.Option("--metric", help="euclidean, angular or cosine.")] = "euclidean",
    beta: Annotated[
        list[float] | None,
        typer.Option(
            "--beta", help="Also print the exponents implied at this smoothness; may be given again."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Seed of resampling and of the clouds of known dimension.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> int:
    """Read the intrinsic dimension of a point cloud, and say what the reading hangs on."""
    from empirics.dimension.estimator import dimension_estimators
    from empirics.dimension.measure import measure_dimension

    known = dimension_estimators()
    if estimator not in known:
        raise InputError(
            f"--estimator {estimator}: expected one of {', '.join(known)}.{suggest(estimator, list(known))}"
        )
    found = measure_dimension(_read(points), known[estimator](), metric=metric, seed=seed)
    implied = {str(smoothness): found.implied_exponents(smoothness) for smoothness in beta or []}
    if as_json:
        record = {
            "dimension": found.value, "estimator": estimator, "settings": found.estimator.get_params(),
            "metric": metric, "sampling_95": found.interval, "points": found.points, "coordinates": found.ambient,
            "duplicates_left_out": found.dropped, "by_neighbours": found.by_neighbours, "by_points": found.by_points,
            "compatible": None if found.compatible is None else [found.compatible.low, found.compatible.high],
            "compatible_open_above": bool(found.compatible and found.compatible.open_above),
            "implied_exponents": implied, "warnings": found.warnings,
        }  # fmt: skip
        print(json.dumps(record, indent=1, ensure_ascii=False))
        return 0
    print(found)
    for smoothness, exponents in implied.items():
        shown = ", ".join(
            f"{name} = {at:.3f} ({low:.3f} to {high:.3f})" for name, (at, low, high) in exponents.items()
        )
        print(f"  implied at beta = {smoothness}: {shown}")
    return 0


def _read(path: Path) -> Any:
    import numpy as np

    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        return np.genfromtxt(path, delimiter=",", skip_header=1, ndmin=2)
    except (OSError, ValueError, EOFError) as fault:
        raise InputError(
            f"{path}: cannot be read as a table of points ({fault}); expected .npy, or .csv with a header"
        ) from None
