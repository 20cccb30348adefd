"""``moelaws fit``: a law fitted to a table of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from theory.errors import MoelawsError
from verify.commands.fitted import (
    PUBLIC,
    AsJson,
    Cluster,
    Columns,
    Delta,
    LawName,
    Samples,
    Seed,
    SkipBad,
    Where,
    fitted,
    law_names,
)
from verify.errors import InputError

if TYPE_CHECKING:
    from empirics.fitting.fit import Fit
    from empirics.fitting.intervals import Bootstrap


def fit(
    table: Annotated[
        Path | None,
        typer.Argument(
            help="Runs as .csv, .csv.gz, .json, .parquet, a run store (.db), or public:NAME.",
            show_default=False,
        ),
    ] = None,
    law: LawName = "separable",
    column: Columns = None,
    cluster: Cluster = None,
    delta: Delta = 1e-3,
    samples: Samples = 1000,
    seed: Seed = 0,
    skip_bad: SkipBad = False,
    where: Where = None,
    list_laws: Annotated[
        bool, typer.Option("--list", help="List the laws with their inputs, and the public tables, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fit a law to measured runs: coefficients, intervals, whether the optimum was reached, and what is not identified."""
    if list_laws:
        _list(as_json)
        return
    if table is None:
        raise InputError("fit: give a table of runs, or --list")
    found, resampled = fitted(table, law, column, cluster, delta, samples, seed, skip_bad, where)
    record = _fit_record(found, resampled)
    if as_json:
        print(json.dumps(record, indent=1, ensure_ascii=False, default=str))
        return
    print(
        f"{record['law']}, {record['rows']} runs, objective {found.value:.8g}, rms of log loss {record['rms']:.3g}"
    )
    for name, row in record["coefficients"].items():
        print(f"  {name:<9} {row['value']:<12.6g} 95% [{row['low']:.5g}, {row['high']:.5g}]  {row['words']}")
    for line in (
        record["certificate"]["text"],
        *record["not_identified"],
        *record["held_out"]["text"],
        *record["remarks"],
    ):
        print(line)


def _fit_record(found: Fit, resampled: Bootstrap) -> dict[str, Any]:
    from empirics.fitting.intervals import identified, profile

    record = found.record()
    open_ends = []
    rows = {}
    for quantity in found.law.coefficients():
        name = quantity.name
        interval = resampled.interval(name)
        if len(found.observations) > len(found.surface.names):
            open_ends.append(identified(found, name, profile(found, name)))
        rows[name] = {
            "value": found.coefficients()[name], "low": interval.low, "high": interval.high,
            "unit": quantity.unit, "words": quantity.words,
        }  # fmt: skip
    record["coefficients"] = rows
    record["certificate"]["text"] = str(found.certificate)
    record["not_identified"] = [text for text in open_ends if text]
    try:
        error = found.held_out()
        record["held_out"] = {
            "rms": error,
            "text": [
                f"fitted without the tenth of largest compute, it misses that by {error:.3g} (rms of log loss)"
            ],
        }
    except MoelawsError as problem:
        record["held_out"] = {"rms": None, "text": [f"nothing held out: {problem}"]}
    return record


def _list(as_json: bool) -> None:
    from empirics.public import table as public

    laws = [
        {
            "name": name,
            "kind": kind.__name__,
            "inputs": [q.name for q in kind.inputs],
            "published": law is not None,
        }
        for name, (kind, law) in law_names().items()
    ]
    tables = [
        {"name": f"{PUBLIC}{t.name}", "words": t.words, "url": t.url, "licence": t.licence, "citation": t.citation, "caveats": t.caveats}
        for t in public.PUBLIC.values()
    ]  # fmt: skip
    if as_json:
        print(json.dumps({"laws": laws, "public_tables": tables}, indent=1))
        return
    for name, (kind, law) in law_names().items():
        published = " (published)" if law is not None else ""
        print(f"{name:<18} {kind.__name__} of {', '.join(q.name for q in kind.inputs)}{published}")
    for table in public.PUBLIC.values():
        print(f"{PUBLIC}{table.name}  {table.words}; {table.citation}; licence: {table.licence}")
