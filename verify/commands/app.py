"""The command line. Exit status: 0 as expected, 1 unexpected, 2 bad input or I/O, 130 interrupted."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from empirics.base.processes import one_thread_each
from theory.errors import MoelawsError
from verify.commands.audit import audit
from verify.commands.bound import bound
from verify.commands.check import check
from verify.commands.derive import derive
from verify.commands.dimension import dimension
from verify.commands.fit import fit
from verify.commands.plan import plan
from verify.commands.progress import ProgressBar
from verify.commands.recheck import ReportGiven, recheck
from verify.commands.runs import runs_app, sweep
from verify.commands.streams import complain, make_usable, silence
from verify.commands.synonyms import as_meant
from verify.errors import InputError
from verify.text import one_line

if TYPE_CHECKING:
    from verify.judging.runner import Run

app = typer.Typer(
    name="moelaws",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Check the claims and numbers of scaling-law papers for Mixture-of-Experts Transformers.",
    epilog="Start with 'moelaws verify'. Exit status: 0 all verdicts as expected, 1 some not, "
    "2 bad input or I/O, 130 interrupted.",
)
claims_app = typer.Typer(no_args_is_help=True, help="List the claims, or show one.")
cache_app = typer.Typer(no_args_is_help=True, help="The evidence kept between runs.")
for group, name in ((claims_app, "claims"), (runs_app, "runs"), (cache_app, "cache")):
    app.add_typer(group, name=name)

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="Papers, claims (an id, a prefix of one, or a glob) or folders of your own. Default: everything installed.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]


_COLLECT_EVERY = 200_000
"""New objects between two searches for garbage. What a command builds lives until it ends; Python's 700 cost a fifth."""


def run() -> None:
    """Entry point: every error a user can cause ends in one line and a status, never a traceback."""
    gc.set_threshold(_COLLECT_EVERY, 50, 50)
    make_usable()
    sys.exit(status_of(sys.argv[1:]))


def status_of(arguments: list[str]) -> int:
    """Do what a command line says. Typer's own way to run it takes a pipe that nobody reads for status 1."""
    try:
        with typer.main.get_command(app).make_context("moelaws", as_meant(arguments)) as context:
            status = context.command.invoke(context)
            sys.stdout.flush()
            return status if isinstance(status, int) else 0
    except MoelawsError as problem:
        return _failed(str(problem))
    except (KeyboardInterrupt, typer.Abort):
        return _failed("interrupted", 130)
    except BrokenPipeError:  # the reader of a pipe left; reports are already written
        silence("stdout")
        return 141
    except typer.Exit as stop:
        return stop.exit_code
    except OSError as problem:
        silence("stdout")
        return _failed(f"{problem.filename or 'output'}: {problem.strerror or problem}")
    except Exception as problem:
        if hasattr(problem, "format_message"):  # typer's own usage errors, which have no public class
            return _usage(problem)
        if isinstance(problem, RuntimeError) and str(problem).startswith("Symlink loop"):
            return _failed(str(problem))  # an OSError since Python 3.13
        if os.environ.get("MOELAWS_DEBUG"):
            raise
        return _failed(
            f"internal error, {type(problem).__name__}: {problem}; this is a fault of moelaws, please report it "
            "(MOELAWS_DEBUG=1 shows where)"
        )


def _failed(message: str, status: int = 2) -> int:
    with suppress(OSError, ValueError):
        sys.stdout.flush()  # what was found stands above the line that says what went wrong
    complain(message)
    return status


def _usage(problem: Any) -> int:
    """A usage error in one line; the help itself where a command was called without anything."""
    message, context = problem.format_message().rstrip("."), getattr(problem, "ctx", None)
    if message.startswith("Usage: "):
        print(message, file=sys.stderr)
        return 2
    message = message.partition(" (Possible options")[0]
    near = getattr(problem, "possibilities", None)
    hint = f". Did you mean {', '.join(near)}?" if near else "" if message.endswith("?") else "."
    return _failed(
        f"{message[:1].lower()}{message[1:]}{hint} See '{context.command_path if context else 'moelaws'} --help'"
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"moelaws {version('moelaws')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Check the claims and numbers of scaling-law papers for Mixture-of-Experts Transformers."""


@app.command()
@one_thread_each()
def verify(
    targets: Targets = None,
    profile: Annotated[str, typer.Option(help="How much work: quick or full.")] = "quick",
    report: Annotated[
        Path | None,
        typer.Option(
            help="Folder for report.html, report.md, report.json, junit.xml and run.json. Default: moelaws-report/TARGET.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            help="A run store to judge measured claims from. Default: $MOELAWS_RUNS, or moelaws-runs.db here if there is one.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="On a terminal: a line for every claim, not the findings alone.")
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print only what one would send to the authors of a paper.")
    ] = False,
    as_json: AsJson = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Recompute everything.")] = False,
    require_all: Annotated[
        bool, typer.Option("--require-all", help="Count a missing optional input as unexpected.")
    ] = False,
    mutate: Annotated[
        bool,
        typer.Option(
            "--mutate",
            help="Also misprint every number and falsify every claim, and count what is noticed (minutes).",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(min=0, help="Processes to use; 0 means one per core.")] = 0,
) -> int:
    """Judge claims and write a report."""
    from verify.files import require_writable
    from verify.judging.cache import Cache
    from verify.judging.graph import check_acyclic
    from verify.judging.papers import select
    from verify.judging.runner import available_cores, run_claims
    from verify.measured.run_sources import chosen_store
    from verify.reports import write_reports
    from verify.reports.brief import brief as brief_text
    from verify.reports.folders import folder_for
    from verify.reports.record import report_record, to_json
    from verify.reports.terminal import print_verdicts

    if profile not in ("quick", "full"):
        raise InputError(f"--profile {profile}: expected quick or full")
    papers, claims = select(targets or [])
    for paper in papers:
        check_acyclic(list(paper.claims.values()))
    folder = report or folder_for(targets or [], papers)
    require_writable(folder)
    store = chosen_store(runs)
    cache = None if no_cache else Cache()
    with ProgressBar("judging claims") as progress:
        outcome = run_claims(
            papers,
            claims,
            profile=profile,
            cache=cache,
            store=store,
            jobs=jobs or available_cores(),
            progress=progress,
        )
    mutation = None
    if mutate and outcome.complete:
        from verify.mutation.run import mutation_record

        with ProgressBar("misprinting and falsifying") as progress:
            mutation = mutation_record(
                outcome, cache=cache, jobs=jobs or available_cores(), progress=progress
            )
    record = report_record(outcome, require_all=require_all, mutation=mutation)
    trouble = ""
    try:
        write_reports(record, outcome, folder)
    except InputError as problem:
        trouble = str(problem)  # the verdicts are still shown before the run ends with it
    if as_json:
        sys.stdout.write(to_json(record))
    elif brief:
        print(brief_text(record))
    else:
        print_verdicts(record, everything=everything)
        if not trouble:
            print(f"report: {one_line(str(folder / 'report.html'))} (and report.md, report.json, junit.xml)")
    sys.stdout.flush()
    if trouble:
        raise InputError(trouble)
    if cache and cache.trouble:
        complain(f"evidence could not be kept in the cache: {cache.trouble}")
    return _status(outcome, record)


def _status(outcome: Run, record: dict[str, Any]) -> int:
    if not outcome.complete:
        complain(f"interrupted; {len(record['not_run'])} claims were not judged, the report holds the rest")
        return 130
    return 1 if record["summary"]["unexpected"] else 0


@claims_app.command("list")
def claims_list(
    targets: Targets = None,
    argued: Annotated[
        bool, typer.Option("--argued", help="Only what is argued in prose, with what would prove it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """One line per claim: what is expected, its id and its words."""
    import json

    with ProgressBar("loading claims"):
        from verify.judging.papers import select

        _, claims = select(targets or [])
    rows = [
        {"id": c.id, "expected": _expected(c), "words": c.words, "where": c.where, "to_prove": _to_prove(c)}
        for c in claims
        if _to_prove(c) or not argued
    ]
    if as_json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for row in rows:
        print(f"{row['expected']:<13} {row['id']}  {one_line(row['to_prove'] if argued else row['words'])}")


@claims_app.command("show")
def claims_show(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...", help="Claims (an id, a prefix or a glob), papers or folders of your own."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Everything known about a claim before it is judged."""
    import json

    with ProgressBar("loading claims"):
        from verify.judging.papers import select

        _, found = select(targets)
    records = [
        {
            "id": c.id,
            "words": c.words,
            "where": c.where,
            "source": c.source,
            "quote": c.quote,
            "reading": c.reading,
            "expected": _expected(c),
            "because": c.because or c.not_testable,
            "headline": c.headline,
            "severity": c.severity.value if c.severity else "",
            "origin": c.whose.value,
            "to prove": _to_prove(c),
            "check": type(c.check).__name__ if c.check else "",
            "mutants": list(c.mutants),
            "repairs": list(c.repairs),
            "family": c.family,
            "rests on": [s.name for s in c.statements()] + list(c.uses),
        }
        for c in found
    ]
    if as_json:
        print(json.dumps(records, indent=1, ensure_ascii=False))
        return
    for record in records:
        for name, value in record.items():
            text = "; ".join(value) if isinstance(value, list) else value
            if text:
                print(f"{name:>9}  {one_line(str(text))}")
        print()


def _expected(claim: Any) -> str:
    return "holds" if claim.expected is None else str(claim.expected.name)


def _to_prove(claim: Any) -> str:
    return claim.proves.to_prove if claim.proves else ""


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove all kept evidence."""
    from verify.judging.cache import Cache

    cache = Cache()
    print(f"removed {cache.clear()} entries from {cache.folder}")


@app.command()
def papers() -> None:
    """The installed papers: what each is called here, who wrote it, where it can be found."""
    from verify.judging.claims import Paper
    from verify.judging.papers import PAPER_FILES, installed_folders

    for paper_id, folder in installed_folders().items():
        paper = Paper.open(folder / PAPER_FILES[0])
        print(f"{paper_id}  {one_line(f'{paper.authors} {paper.year}: {paper.title} ({paper.reference})')}")


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(help="A report.json or the folder that holds it.")],
    new: Annotated[Path, typer.Argument(help="The later one.")],
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write the comparison as a page to this file.")] = None,
) -> int:
    """What changed between two reports; exit status 1 where something did."""
    import dataclasses
    import json

    from verify.reports.record import read_report
    from verify.reports.report_diff import changes, grouped

    before, after = read_report(old), read_report(new)
    found = changes(before, after)
    if html:
        from verify.files import save
        from verify.reports.html import diff_html

        save(html, diff_html(before, after, found))
    if as_json:
        print(json.dumps([dataclasses.asdict(change) for change in found], indent=1, ensure_ascii=False))
    else:
        for group, members in grouped(found).items():
            print(f"{group}: {len(members)}")
            for change in members:
                print(f"  {one_line(str(change))}")
        print(f"{len(found)} change{'' if len(found) == 1 else 's'}" if found else "no change")
    return 1 if found else 0


@app.command()
def report(
    source: ReportGiven = None,
    to: Annotated[
        Path | None,
        typer.Option(help="Folder to write to. Default: beside the report.json.", show_default=False),
    ] = None,
) -> None:
    """Write report.html, report.md and junit.xml again from a report.json."""
    from verify.recheck.sealed import latest
    from verify.reports import write_renderings
    from verify.reports.record import read_report

    source = source or latest()
    record = read_report(source)
    folder = to or (source if source.is_dir() else source.parent)
    for path in write_renderings(record, folder):
        print(f"wrote {one_line(str(path))}")


@app.command("new-paper")
def new_paper(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
) -> None:
    """Start a folder for a paper of your own: a table, a claim with a mutant, a README."""
    import shlex

    from verify.commands.new_paper import scaffold

    for path in scaffold(folder):
        print(f"wrote {one_line(str(path))}")
    print(f"next: moelaws verify {shlex.quote(str(folder))}")


for command in (check, derive, bound, fit, plan, audit, dimension, sweep, recheck):
    app.command()(command)


@app.command()
def repl() -> None:
    """A Python prompt with the theory loaded (IPython where it is installed)."""
    from verify.commands.repl import start

    start()
