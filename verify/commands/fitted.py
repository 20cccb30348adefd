"""What ``moelaws fit`` and ``moelaws plan`` share: the options that describe a table of runs, and a law fitted to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from theory.errors import suggest
from verify.errors import InputError

if TYPE_CHECKING:
    from empirics.fitting.fit import Fit
    from empirics.fitting.intervals import Bootstrap
    from theory.laws.law import Law

PUBLIC = "public:"
"""What the name of a public table follows on the command line."""
LawName = Annotated[
    str, typer.Option("--law", help="A kind of law or a published one by name, see 'moelaws fit --list'.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="INPUT=COLUMN or INPUT=NUMBER*COLUMN, such as tokens=1e9*D; once for each input and for loss.",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="The column that names the training run, where it has several rows.", show_default=False
    ),
]
Delta = Annotated[
    float, typer.Option(help="Huber's delta on the logarithm of the loss; inf for least squares.")
]
Samples = Annotated[int, typer.Option(min=2, max=100_000, help="Resampled tables for the intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the starts and of the resampled tables.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that are no runs, and name them.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", help="Only rows with COLUMN=TEXT or COLUMN<NUMBER; may be given again.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]


def fitted(
    table: Path,
    law: str,
    column: list[str] | None,
    cluster: str | None,
    delta: float,
    samples: int,
    seed: int,
    skip_bad: bool,
    where: list[str] | None,
) -> tuple[Fit, Bootstrap]:
    """The law fitted to the table that the options describe, and to its resampled tables; InputError for a wrong option."""
    from empirics.fitting.fit import fit as fit_law
    from empirics.fitting.intervals import bootstrap
    from empirics.fitting.objective import FitObjective
    from empirics.fitting.observations import from_columns
    from empirics.fitting.tables import read_columns, rows_where
    from empirics.public.table import public_table

    kind, start = law_named(law)
    columns = {}
    for text in column or []:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise InputError(f"--column {text}: expected INPUT=COLUMN")
        columns[name] = value
    name = str(table)
    public = public_table(name.removeprefix(PUBLIC)) if name.startswith(PUBLIC) else None
    read = public.columns() if public else read_columns(table)
    for condition in where or []:
        read = rows_where(read, condition)
    runs = from_columns(kind, read, columns, where=name, cluster=cluster, skip_bad=skip_bad)
    if public is not None:
        runs = replace(
            runs,
            notes=(*runs.notes, *public.caveats, f"source: {public.citation}; licence: {public.licence}"),
        )
    found = fit_law(runs, objective=FitObjective(delta), start=start, seed=seed)
    return found, bootstrap(found, samples, seed=seed)


def law_names() -> dict[str, tuple[type[Law], Law | None]]:
    """The names of laws: kinds without their ending, and published laws."""
    import re

    from theory.laws.law import LAWS, law_kinds

    kinds = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.removesuffix("Law").replace("MoE", "Moe")).lower(): kind
        for name, kind in law_kinds().items()
    }
    return {name: (kind, None) for name, kind in kinds.items()} | {
        name: (type(published.law), published.law) for name, published in LAWS.items()
    }


def law_named(name: str) -> tuple[type[Law], Law | None]:
    """The kind of law of this name, with the published coefficients where it names some."""
    names = law_names()
    if name not in names:
        raise InputError(f"--law {name}: no such law; known are {', '.join(names)}.{suggest(name, names)}")
    return names[name]
