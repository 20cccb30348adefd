"""``moelaws fit`` and ``moelaws plan``: a law fitted to a table of runs, and what to train by it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from theory.errors import MoelawsError, suggest
from verify.errors import InputError

if TYPE_CHECKING:
    from empirics.fitting.fit import Fit
    from empirics.fitting.intervals import Bootstrap
    from empirics.fitting.plan import Plan
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
    found, resampled = _fitted(table, law, column, cluster, delta, samples, seed, skip_bad, where)
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


def _fitted(
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
    from empirics.fitting.fit import fit as fit_law
    from empirics.fitting.intervals import bootstrap
    from empirics.fitting.objective import FitObjective
    from empirics.fitting.observations import from_columns
    from empirics.fitting.tables import read_columns, rows_where
    from empirics.public.table import public_table

    kind, start = _law_named(law)
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


def _names() -> dict[str, tuple[type[Law], Law | None]]:
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


def _law_named(name: str) -> tuple[type[Law], Law | None]:
    names = _names()
    if name not in names:
        raise InputError(f"--law {name}: no such law; known are {', '.join(names)}.{suggest(name, names)}")
    return names[name]


def _list(as_json: bool) -> None:
    from empirics.public import table as public

    laws = [
        {
            "name": name,
            "kind": kind.__name__,
            "inputs": [q.name for q in kind.inputs],
            "published": law is not None,
        }
        for name, (kind, law) in _names().items()
    ]
    tables = [
        {"name": f"{PUBLIC}{t.name}", "words": t.words, "url": t.url, "licence": t.licence, "citation": t.citation, "caveats": t.caveats}
        for t in public.PUBLIC.values()
    ]  # fmt: skip
    if as_json:
        print(json.dumps({"laws": laws, "public_tables": tables}, indent=1))
        return
    for name, (kind, law) in _names().items():
        published = " (published)" if law is not None else ""
        print(f"{name:<18} {kind.__name__} of {', '.join(q.name for q in kind.inputs)}{published}")
    for table in public.PUBLIC.values():
        print(f"{PUBLIC}{table.name}  {table.words}; {table.citation}; licence: {table.licence}")


def plan(
    law: LawName = "ludziejewski2025",
    flops: Annotated[float | None, typer.Option(help="Training compute, FLOPs.", show_default=False)] = None,
    loss: Annotated[
        float | None,
        typer.Option(
            help="Or the loss to reach, nats per token; the least compute is found.", show_default=False
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given",
            help="INPUT=VALUE for the law's other inputs; expansion=1,8,32 compares them.",
            show_default=False,
        ),
    ] = None,
    most_parameters: Annotated[
        float | None, typer.Option(help="No more (active) parameters than these.", show_default=False)
    ] = None,
    most_total: Annotated[
        float | None,
        typer.Option(
            help="No more parameters in all, as many as memory holds; see --expert-share.", show_default=False
        ),
    ] = None,
    most_tokens: Annotated[
        float | None, typer.Option(help="No more training tokens.", show_default=False)
    ] = None,
    expert_share: Annotated[
        float, typer.Option(help="Part of the active parameters that lies in experts, for the total.")
    ] = 2 / 3,
    runs: Annotated[
        Path | None,
        typer.Option(
            help="Fit the law to this table first, which gives the loss an interval.", show_default=False
        ),
    ] = None,
    next_flops: Annotated[
        float | None,
        typer.Option(
            help="With --runs: which run of so many FLOPs narrows the predicted loss most.",
            show_default=False,
        ),
    ] = None,
    column: Columns = None,
    cluster: Cluster = None,
    delta: Delta = 1e-3,
    samples: Samples = 1000,
    seed: Seed = 0,
    skip_bad: SkipBad = False,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """What to train: active and total parameters, experts and tokens that spend a budget best by a law."""
    from empirics.fitting.design import next_run
    from empirics.fitting.plan import budget_for_loss
    from empirics.fitting.plan import plan as plan_law

    if (flops is None) == (loss is None):
        raise InputError("plan: give one of --flops and --loss")
    if not 0 <= expert_share <= 1:
        raise InputError(f"--expert-share {expert_share:g}: expected a share between 0 and 1")
    if next_flops is not None and runs is None:
        raise InputError("--next-flops: what a run adds is judged against runs; give --runs TABLE")
    found = resampled = None
    if runs is not None:
        found, resampled = _fitted(runs, law, column, cluster, delta, samples, seed, skip_bad, where)
        chosen = found.law
    else:
        if column or cluster:
            raise InputError("--column and --cluster describe a table; give it with --runs TABLE")
        _, published = _law_named(law)
        if published is None:
            raise InputError(
                f"--law {law}: a kind of law without coefficients; name a published one, or give --runs TABLE"
            )
        chosen = published
    plans: list[tuple[Plan, float]] = []
    for values in _each(chosen, given):
        experts = values.get("expansion", 1.0)
        inflation = 1 + expert_share * (experts - 1)
        spend = budget_for_loss(chosen, loss, given=values) if loss is not None else flops
        assert spend is not None
        limit = min(most_parameters or math.inf, (most_total or math.inf) / inflation)
        one = plan_law(
            chosen, spend, given=values, most_parameters=limit, most_tokens=most_tokens or math.inf,
            samples=resampled, runs=found.observations if found else None,
        )  # fmt: skip
        plans.append((one, inflation * one.parameters))
    records = [{**one.record(), "total_parameters": total} for one, total in plans]
    following = None
    if found is not None and next_flops is not None:
        one = plans[0][0]
        sizes = dict(zip([q.name for q in chosen.inputs[:2]], (one.parameters, one.tokens), strict=True))
        following = next_run(found, {**sizes, **one.given}, next_flops)
    if as_json:
        print(
            json.dumps({"plans": records, "next_run": following._asdict() if following else None}, indent=1)
        )
        return
    for record in records:
        print(_told(record, "expansion" in record["given"]))
    dense = next((one for one, _ in plans if one.given.get("expansion") == 1), None)
    for one, _ in plans:
        if dense is not None and one is not dense and loss is None:
            print(
                f"against the dense model: {one.loss - dense.loss:+.4f} nats at expansion {one.given['expansion']:g}"
            )
    for remark in dict.fromkeys(r for one, _ in plans for r in one.remarks):
        print(remark)
    if found is not None:
        print(found.certificate)
    if following is not None:
        inputs = ", ".join(f"{name} {value:.4g}" for name, value in following.inputs.items())
        print(
            f"next run: {inputs}; it narrows the standard error of the log of the predicted loss from {following.before:.3g} to {following.after:.3g}"
        )


def _told(record: dict[str, Any], moe: bool) -> str:
    others = ", ".join(f"{name} {value:g}" for name, value in record["given"].items())
    size = (
        f"N_act {record['parameters']:.4g}, N_tot {record['total_parameters']:.4g}"
        if moe
        else f"N {record['parameters']:.4g}"
    )
    interval = (
        f" (95% [{record['interval'][0]:.4f}, {record['interval'][1]:.4f}])" if record["interval"] else ""
    )
    limit = f"; limited by {record['limited']}" if record["limited"] else ""
    return (
        f"{record['flops']:.4g} FLOPs{', ' if others else ''}{others}: {size}, D {record['tokens']:.4g} "
        f"({record['tokens'] / record['parameters']:.3g} tokens per parameter), loss {record['loss']:.4f}{interval}{limit}"
    )


def _each(law: Law, given: list[str] | None) -> list[dict[str, float]]:
    """Every combination of the values that ``--given`` lists."""
    import itertools

    values: dict[str, list[float]] = {}
    for text in given or []:
        name, equals, listed = text.partition("=")
        try:
            values[name] = [float(part) for part in listed.split(",")]
        except ValueError:
            values[name] = []
        if not equals or not values[name] or not all(math.isfinite(v) for v in values[name]):
            raise InputError(f"--given {text}: expected INPUT=NUMBER or INPUT=NUMBER,NUMBER")
    others = [q.name for q in law.inputs[2:]] if law.allocates() else []
    if sorted(values) != sorted(others):
        wanted = " ".join(f"--given {name}=VALUE" for name in others) or "no --given"
        raise InputError(f"plan: {type(law).__name__} takes {wanted}, got {', '.join(values) or 'none'}")
    return [
        dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())
    ]
