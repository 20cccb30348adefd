"""Inputs drawn at random: files of every format that the command line reads, damaged, and arguments of every command.

A case is drawn from its number alone. It is written into a folder and run in this process; what a user would see of it
comes back.
"""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.main import get_command

from empirics.runs import RunStore, read_records, read_table
from verify.commands.app import app, status_of
from verify.commands.new_paper import CLAIMS, PAPER, TABLE
from verify.recheck.sealed import seal

NASTY = [
    "", " ", "\n", "\r", "\t", "\0", "\ufeff", "\ufffe", "\ud800", "\x1b[31m", "é", "\u202e", "'", '"', "\\", ",", ";", "#", "/", "..", "~", "~nobody",
    "{", "}", "[", "]", "(", ")", "((((", "[[", "*", "%", "%s", "$x", "--", "-", "=", "@", "<b>", "&amp;", "0", "-0.0", "-1", "1e309", "1e-400", "nan",
    "inf", "1/0", "1/3", "1_0", "0x10", "٣", "10" * 40, "9" * 5000, "true", "null", "None", "3 ± 0", "±", "× 10^", "5×10^999999", "12,34,5", "1.2.3", "%%", "\\%",
    "a" * 3000, "a.b", '"a.b" = 1', "[x]", "x = [", "x = {", "1979-05-27", "experiment", "grid", "size", "[" * 2000, "number", "loss", "alpha_N [1]",
]  # fmt: skip
MAP = """[constant]
name = "public"
unit = "nats"
source = "theirs"
architecture.kind = "moe-transformer"
data.name = "web"
[columns]
loss = "loss"
architecture.experts = "E"
budgets.tokens = { column = "D", times = 1e9 }
config.lr = "lr"
"""
PUBLIC = "E,D,lr,loss\n8,2,1e-3,2.5\n16,4,5e-4,2.25\n32,,,nan\n"
TOY = """from dataclasses import dataclass
from typing import ClassVar
from empirics.experiments.experiment import Experiment

@dataclass(frozen=True)
class Toy(Experiment):
    quantity: ClassVar[str] = "toy error"
    size: ClassVar[str] = "toys"
    power: float = 1.0

    def measure(self, size, seed):
        return 1 / size**self.power + seed
"""
SWEEP = 'experiment = "toy.py:Toy"\n[grid]\npower = [1.0, 2.0]\nsize = { from = 2, to = 8, factor = 2 }\nseed = { from = 0, count = 2 }\n'
CONDITIONS = [
    "loss < 2.4",
    "experts = 8 and tokens >= 4e9",
    "name like 'p%' or seed is null",
    "number in (1, 2)",
]


@dataclass
class Case:
    """Files and a command line; ``kind`` is what was drawn."""

    kind: str
    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)


def damaged(draw: random.Random, text: str) -> str:
    """A text with a few parts removed, repeated, moved or replaced."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        a, b = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + draw.choice((0, 1, 3, 10, 40)))
        text = draw.choice(
            [
                text[:a] + draw.choice(NASTY) + text[b:],
                text[:a] + text[b:],
                text[:b] + text[a:],
                text[:a],
                text[:a] + chr(draw.choice((0, 10, 34, 44, 61, 92, 0x80, 0xFFFE, 0x1F600))) + text[a:],
            ]
        )
    return text


def coded(draw: random.Random, text: str) -> bytes:
    """As UTF-8, seldom as something else, and now and then with a byte changed."""
    data = bytearray(text.encode("utf-8", "surrogatepass") if draw.random() < 0.95 else text.encode("utf-16"))
    if data and draw.random() < 0.2:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def altered(draw: random.Random, value: Any) -> Any:
    """A JSON value with one place in it replaced or left out."""
    wrong = [None, True, 0, -1, 1e308, 10**400, [], {}, [[]], {"kind": "rates"}, *draw.sample(NASTY, 5)]
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.1:
        return draw.choice(wrong)
    value = value.copy()
    name = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
    if draw.random() < 0.1:
        del value[name]
    else:
        value[name] = altered(draw, value[name])
    return value


@dataclass
class Material:
    """Sound files to begin with; the report and the store are made once."""

    report: dict[str, Any]
    store: bytes
    records: str

    @classmethod
    def make(cls, folder: Path, report: dict[str, Any]) -> Material:
        (folder / "map.toml").write_text(MAP)
        (folder / "runs.csv").write_text(PUBLIC)
        runs = read_table(folder / "runs.csv", folder / "map.toml")
        store = RunStore(folder / "made.db")
        store.append(*runs, *runs)
        records = "".join(f"{run.sealed_text()}\n" for run in runs)
        (folder / "r.jsonl").write_text(records)
        assert read_records(folder / "r.jsonl") == runs
        return cls(report, store.path.read_bytes(), records)

    def case(self, number: int) -> Case:
        """The case of this number; the kinds take turns."""
        draw = random.Random(number)
        kinds: list[Callable[[random.Random], Case]] = [
            self._report, self._table, self._mapping, self._records, self._store, self._condition, self._paper,
            self._sweep, self._arguments, self._arguments,
        ]  # fmt: skip
        return kinds[number % len(kinds)](draw)

    def _report(self, draw: random.Random) -> Case:
        command = draw.choice(
            [["report", "."], ["diff", "sound", ".", "--html", "d.html"], ["recheck"], ["recheck", "--json"]]
        )
        command += ["report.json"] if command[0] == "recheck" else []
        found = altered(draw, self.report)
        if isinstance(found, dict) and draw.random() < 0.9:
            with suppress(ValueError, RecursionError):
                found |= {"digest": seal(found)}
        text = json.dumps(found)
        text = damaged(draw, text) if draw.random() < 0.2 else text
        return Case(
            "report",
            command,
            {"report.json": coded(draw, text), "sound/report.json": json.dumps(self.report).encode()},
        )

    def _table(self, draw: random.Random) -> Case:
        options = draw.choice([[], ["--skip-bad"]])
        files = {"runs.csv": coded(draw, damaged(draw, PUBLIC)), "map.toml": MAP.encode()}
        return Case("table", ["runs", "import", "runs.csv", "--map", "map.toml", *options], files)

    def _mapping(self, draw: random.Random) -> Case:
        files = {"runs.csv": PUBLIC.encode(), "map.toml": coded(draw, damaged(draw, MAP))}
        return Case("mapping", ["runs", "import", "runs.csv", "--map", "map.toml"], files)

    def _records(self, draw: random.Random) -> Case:
        if draw.random() < 0.5:
            text = damaged(draw, self.records)
        else:
            text = "\n".join(
                json.dumps(altered(draw, json.loads(line))) for line in self.records.splitlines()
            )
        name = draw.choice(["r.jsonl", "r.json", "r.jsonl.gz"])
        text = f"[{','.join(text.splitlines())}]" if name == "r.json" else text
        return Case("records", ["runs", "import", name], {name: coded(draw, text)})

    def _store(self, draw: random.Random) -> Case:
        data = bytearray(self.store)
        for _ in range(draw.choice((1, 4, 64))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.2:
            del data[draw.randrange(len(data)) :]
        command = draw.choice(
            [
                ["list"],
                ["list", "--where", "loss < 3"],
                ["repair", "moelaws-runs.db"],
                ["export", "x.csv"],
                ["show", "2"],
            ]
        )
        return Case("store", ["runs", *command], {"moelaws-runs.db": bytes(data)})

    def _condition(self, draw: random.Random) -> Case:
        where = damaged(draw, draw.choice(CONDITIONS)).replace("\0", "")
        return Case("condition", ["runs", "list", "--where", where], {"moelaws-runs.db": self.store})

    def _paper(self, draw: random.Random) -> Case:
        files = {"paper.toml": PAPER, "claims.py": CLAIMS, "table1.csv": TABLE}
        name = draw.choice(["paper.toml", "claims.py", "table1.csv", "table1.csv"])
        files[name] = damaged(draw, files[name])
        command = draw.choice(
            [["verify", "--jobs", "1", "mine/"], ["claims", "list", "mine"], ["claims", "show", "./mine"]]
        )
        written = {
            f"mine/{each}": coded(draw, text) if each == name else text.encode()
            for each, text in files.items()
        }
        return Case("paper", command, written)

    def _sweep(self, draw: random.Random) -> Case:
        toy = damaged(draw, TOY) if draw.random() < 0.2 else TOY
        files = {"toy.py": coded(draw, toy), "sweep.toml": coded(draw, damaged(draw, SWEEP))}
        return Case("sweep", ["sweep", "sweep.toml", "--dry-run"], files)

    def _arguments(self, draw: random.Random) -> Case:
        path, command = draw.choice(COMMANDS)
        arguments = (
            [*path, "mayaki2026/table2"] if path == ("claims", "list") else list(path)
        )  # all take seconds
        for parameter in draw.sample(command.params, draw.randint(0, min(4, len(command.params)))):
            value = draw.choice([*NASTY, *LIKELY]).replace("\0", "")
            if parameter.param_type_name == "option":
                arguments.append(draw.choice(parameter.opts))
                if parameter.is_flag:
                    continue
            arguments.append(value)
        return Case("arguments", arguments, {"moelaws-runs.db": self.store})


LIKELY = [
    "mixtral-8x7b", "stated", "all", "1", "2", "3", "16", "1e9", "0.5", "1/2", "best", "float", "mpmath", "ball", "alpha_D", "k_star", "total-entropy",
    "latex", "text", "mathml", "mayaki2026/table2/alpha-n", "mayaki2026/tab*", "theory/cauchy-schwarz", "quick", "full", "out", "out.csv", "out.json",
    "out.jsonl", "out.svg", "report.json", "moelaws-runs.db", ".", "number", "loss < 3",
]  # fmt: skip
LEFT_OUT = {("repl",), ("verify",), ("sweep",)}
"""A prompt; and what judges or measures whatever is asked for, which the cases of papers and sweeps draw for themselves."""


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    below = getattr(command, "commands", None)
    if below is None and path not in LEFT_OUT:
        yield path, command
    for name, each in (below or {}).items():
        yield from _commands(each, (*path, name))


COMMANDS = list(_commands(get_command(app)))


@contextmanager
def _kept_apart() -> Iterator[None]:
    """What is imported meanwhile is forgotten: every case has a ``toy.py`` of its own."""
    before, path = set(sys.modules), list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in {name for name in sys.modules if name.startswith(("toy", "moelaws_"))} - before:
            del sys.modules[name]


def run(case: Case, folder: Path) -> tuple[int, str, str]:
    """The status of a case and what it writes to standard output and standard error."""
    for name, data in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    out, error = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(error), _kept_apart():
        status = status_of(
            [
                argument.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
                for argument in case.arguments
            ]
        )
    return status, out.getvalue(), error.getvalue()
