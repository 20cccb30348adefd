"""``moelaws runs`` and ``moelaws sweep``: measured runs, in a store and on the way there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.commands.streams import complain
from verify.errors import InputError
from verify.measured.run_sources import DEFAULT_STORE, STORE_VARIABLE

if TYPE_CHECKING:
    from empirics.runs import RunError, RunStore, Stored
    from empirics.sweeps import Sweep, SweepOutcome

runs_app = typer.Typer(no_args_is_help=True, help="List, show, import, export and repair measured runs.")

StorePath = Annotated[
    Path, typer.Option("--store", envvar=STORE_VARIABLE, help="The run store, one SQLite file.")
]
Where = Annotated[
    str, typer.Option("--where", help="A condition in SQL, such as 'experts = 8 and loss < 0.5'.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]


def _open(path: Path) -> RunStore:
    from empirics.runs import RunStore

    return RunStore(path, create=False)


@runs_app.command("list")
def list_runs(
    store: StorePath = DEFAULT_STORE,
    where: Where = "",
    columns: Annotated[
        str,
        typer.Option(
            help="What to show instead, such as 'number,loss,budgets.tokens': names of the columns of an exported CSV file.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List runs with their sizes; a rerun says which run it repeats and whether both found the same."""
    found = _open(store).runs(where)
    if as_json:
        print(json.dumps([_as_record(item) for item in found], indent=1, ensure_ascii=False))
        return
    for row in _chosen_columns(found, columns) if columns else map(_row, found):
        print("\t".join(map(_printable, row)))
    contradictions = sum(not item.agrees for item in found)
    reruns = sum(item.rerun_of is not None for item in found)
    print(
        f"{_count(len(found), 'run')}; {_count(reruns, 'rerun')}, {contradictions} of which contradict{'s' * (contradictions == 1)} the first"
    )


@runs_app.command()
def show(
    number: Annotated[int, typer.Argument(help="The run's number, as 'moelaws runs list' prints it.")],
    store: StorePath = DEFAULT_STORE,
) -> None:
    """Print one run whole, as JSON."""
    found = _open(store).runs(f"number = {number}")
    if not found:
        raise InputError(f"{store}: there is no run {number}; it holds {len(_open(store))}")
    print(json.dumps(_as_record(found[0]), indent=1, ensure_ascii=False))


@runs_app.command("import")
def import_runs(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A .jsonl or .json file of runs, or somebody's .csv; .gz may follow."
        ),
    ],
    mapping: Annotated[
        Path | None,
        typer.Option("--map", help="For CSV: which column is which field, in TOML.", show_default=False),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="For CSV: leave out the rows that are no runs, and name them.")
    ] = False,
    store: StorePath = DEFAULT_STORE,
) -> None:
    """Add runs from a file, all or none; runs that are there already are left out."""
    from empirics.runs import RunStore, read_records, read_table, repeats
    from empirics.runs.exchange import kind_of

    kind = kind_of(source)
    bad: list[RunError] = []
    if skip_bad and kind != ".csv":
        raise InputError(
            f"--skip-bad: only a CSV file has rows that may be left out; {source} is read whole or not"
        )
    if kind == ".csv":
        if mapping is None:
            raise InputError(
                f"{source}: a CSV file needs --map FILE.toml, which says what its columns are "
                "(constant.name, constant.unit, constant.source, constant.architecture.kind, constant.data.name and columns)"
            )
        runs = read_table(source, mapping, skip=bad.append if skip_bad else None)
    elif mapping is not None:
        raise InputError(f"--map {mapping}: only a CSV file has columns to map")
    elif kind in (".jsonl", ".json"):
        runs = read_records(source)
    else:
        raise InputError(
            f"{source}: expected a name that ends in .jsonl, .json or .csv (or one of them and .gz)"
        )
    added, again = RunStore(store).add_new(runs), repeats(runs)
    there = len(runs) - len(again) - added
    left_out = f", {_count(len(again), 'repeat')} left out" if again else ""
    for problem in bad:
        complain(f"left out: {problem}")
    left_out += (
        f", {_count(len(bad), 'row')} that {'is' if len(bad) == 1 else 'are'} no run left out" if bad else ""
    )
    print(f"{store}: {_count(added, 'run')} added" + (f", {there} there already" if there else "") + left_out)
    if again:
        some = ", ".join(f"{number} (as {earlier})" for number, earlier in list(again.items())[:10])
        complain(
            f"{source}: some of its runs, counted from 1, say the same as an earlier one and were left out: "
            f"{some}{', ...' if len(again) > 10 else ''}; a replicate needs a seed of its own (a column for 'seed')"
        )


@runs_app.command("export")
def export_runs(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A name that ends in .jsonl or .json (whole records), .csv or .parquet."
        ),
    ],
    store: StorePath = DEFAULT_STORE,
    where: Where = "",
    formulas_as_text: Annotated[
        bool,
        typer.Option(
            "--formulas-as-text",
            help="For CSV: put ' before a text that a spreadsheet could run (it begins with =, +, - or @).",
        ),
    ] = False,
) -> None:
    """Write runs to a file."""
    from empirics.runs import export

    found = _open(store).runs(where)
    export(found, target, formulas_as_text=formulas_as_text)
    print(f"wrote {target}: {_count(len(found), 'run')}")


@runs_app.command()
def repair(store: Annotated[Path, typer.Argument(help="A damaged run store.")]) -> None:
    """Keep every run of a damaged store that is still as it was written."""
    from empirics.runs import repair as rescue

    done = rescue(store)
    if done.set_aside is None:
        print(f"{store}: nothing to repair, {_count(done.kept, 'run')}")
        return
    altered = f"; not as written: run {', '.join(map(str, done.altered))}" if done.altered else ""
    lost = f"; {done.lost} cannot be read any more" if done.lost else ""
    print(
        f"{store}: {_count(done.kept, 'run')} kept{altered}{lost}. The damaged file is now {done.set_aside}"
    )


def sweep(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A sweep file in TOML.", show_default=False)
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TARGET",
            help="In place of a file: make the runs that these measured claims lack, named as for 'moelaws verify'.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[str, typer.Option(help="Which design of the claims: quick or full.")] = "quick",
    store: StorePath = DEFAULT_STORE,
    jobs: Annotated[int, typer.Option(min=0, help="Processes to use; 0 means one per core.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run, and run nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Make the runs that a sweep file or a measured claim asks for; the same command goes on where it was stopped."""
    import os

    from empirics.runs import RunStore
    from empirics.sweeps import sweep as make
    from verify.commands.progress import ProgressBar

    plan = _planned(file, claim or [], profile, store)
    if not plan.jobs:
        print("every run is there already")
        return 0
    if dry_run:
        planned = {job: job.planned().identity for job in plan.jobs}
        there = RunStore(store).outcomes(planned.values()) if store.exists() else {}  # a look makes no store
        missing = [job for job, identity in planned.items() if identity not in there]
        for job in missing:
            print(job)
        print(f"{len(missing)} of {_count(len(plan.jobs), 'run')} to make")
        return 0
    runs = RunStore(store)
    try:
        with ProgressBar(f"sweep {plan.name}") as progress:
            outcome = make(plan, runs, jobs=jobs or os.cpu_count() or 1, progress=progress)
    except KeyboardInterrupt:
        done = sum(runs.holds(job.planned().identity) for job in plan.jobs)
        complain(
            f"interrupted; {done} of {_count(len(plan.jobs), 'run')} are in {store}, the same command goes on"
        )
        return 130
    print(
        json.dumps(_outcome_record(outcome), indent=1, ensure_ascii=False)
        if as_json
        else _outcome_text(outcome)
    )
    for failure in outcome.failures:
        complain(f"{failure.job}: {failure.why}")
    return 1 if outcome.failures else 0


def _planned(file: Path | None, claims: Sequence[str], profile: str, store: Path) -> Sweep:
    """The sweep that a command line means: that of a file, or of the runs that claims lack."""
    from empirics.sweeps import read_sweep

    if (file is None) == (not claims):
        raise InputError("give either a sweep file or --claim TARGET; see 'moelaws sweep --help'")
    if profile not in ("quick", "full"):
        raise InputError(f"--profile {profile}: expected quick or full")
    if file is not None:
        return read_sweep(file)
    from verify.judging.claim_sweep import claim_sweep

    return claim_sweep(claims, profile, store)


def _row(item: Stored) -> Sequence[str]:
    run = item.run
    spent = run.budgets
    amounts = {
        "N": spent.total_parameters, "N_act": spent.active_parameters, "D": spent.tokens, "n": spent.samples,
        "FLOPs": spent.flops,
    }  # fmt: skip
    sizes = {name: None if value is None else f"{value:.6g}" for name, value in amounts.items()}
    experts = {"M": run.architecture.experts, "k": run.architecture.active}
    known = {**sizes, **experts, **run.config, "seed": run.seed}
    details = " ".join(f"{name}={value}" for name, value in known.items() if value is not None)
    missing = "diverged" if run.diverged else "unknown"
    loss = missing if run.loss is None else f"{run.loss:.6g}"
    rerun = "" if item.rerun_of is None else f"{'repeats' if item.agrees else 'CONTRADICTS'} {item.rerun_of}"
    return [str(item.number), run.name, run.data.name, details, loss, rerun]


def _chosen_columns(found: Sequence[Stored], columns: str) -> Iterator[list[str]]:
    """These columns of an exported table, a row a run; empty where a run has no such value."""
    from empirics.runs.exchange import flat
    from theory.errors import suggest

    names, rows = [name.strip() for name in columns.split(",")], flat(found)
    known = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        if rows and name not in known:
            raise InputError(
                f"--columns: no run has {name!r}.{suggest(name, known)} There are {', '.join(known)}"
            )
    for row in rows:
        yield ["" if row.get(name) is None else str(row[name]) for name in names]


def _printable(text: str) -> str:
    """The text with what would break a line or a column written as an escape."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _as_record(item: Stored) -> dict[str, Any]:
    return {
        "number": item.number,
        "rerun_of": item.rerun_of,
        "agrees": item.agrees,
        "config_hash": item.run.config_hash,
        **json.loads(item.run.text()),
    }


def _outcome_record(outcome: SweepOutcome) -> dict[str, Any]:
    """A sweep's result without the circumstances, so that an interrupted one gives the same bytes."""
    return {
        "runs": [
            {"config": dict(run.config), "seed": run.seed, "quantity": run.unit, "value": run.loss}
            for _, run in outcome.runs
        ],
        "failures": [{"run": str(failure.job), "why": failure.why} for failure in outcome.failures],
    }


def _outcome_text(outcome: SweepOutcome) -> str:
    """One line a configuration: the mean over its seeds and their range."""
    groups: dict[str, list[float | None]] = {}
    for job, run in outcome.runs:
        groups.setdefault(f"{job.experiment}\tsize={job.size}", []).append(run.loss)
    lines = []
    for name, values in groups.items():
        finite = [value for value in values if value is not None]
        diverged = f", {len(values) - len(finite)} diverged" if len(finite) < len(values) else ""
        mean = (
            f"{sum(finite) / len(finite):.6g} ({min(finite):.6g} to {max(finite):.6g})" if finite else "none"
        )
        lines.append(f"{name}\t{mean}, {_count(len(values), 'seed')}{diverged}")
    total = len(outcome.runs) + len(outcome.failures)
    failed = f", {len(outcome.failures)} FAILED" if outcome.failures else ""
    lines.append(f"{len(outcome.runs)} of {_count(total, 'run')} in the store{failed}")
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
