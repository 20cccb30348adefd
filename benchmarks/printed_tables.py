"""True tables that are accused, and planted errors that are noticed: see ``tests/verify/printed/true_tables.py``.

python benchmarks/printed_tables.py [CELLS]    # 10,000 by default, minutes
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from verify.checks.base import Budget
from verify.checks.printed_table import PrintedTable
from verify.judging.runner import evaluate

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "verify" / "printed"))

from true_tables import SEED, true_tables


def planted(check: PrintedTable, rng: random.Random) -> PrintedTable:
    """The same table with another last digit in one of its derived cells."""
    table = check.table
    row = rng.randrange(len(table))
    other = rng.choice(table.cell(row, "r").printed.other_last_digits()).text
    text = other.replace(".", ",") if table.decimal_comma else other
    return replace(check, table=table.with_cell(row, "r", text))


def main(cells: int = 10_000) -> None:
    rng = random.Random(SEED)
    found: Counter[tuple[str, str]] = Counter()
    noticed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for table in true_tables(Path(folder), cells):
            verdict = evaluate(table.check, Budget()).verdict
            found[table.printed_by, verdict.name] += 1
            if verdict.holds:
                noticed[table.printed_by] += not evaluate(planted(table.check, rng), Budget()).verdict.holds
    verdicts = ("SUPPORTED", "INCONCLUSIVE", "REFUTED", "ERROR")
    print(f"{'tables of ten cells':<34}" + "".join(f"{v:>14}" for v in verdicts) + f"{'noticed':>16}")
    for name in sorted({name for name, _ in found}):
        counts = [found[name, v] for v in verdicts]
        print(f"{name:<34}" + "".join(f"{n:>14}" for n in counts) + f"{noticed[name]:>10} of {counts[0]}")
    print(f"{sum(n for (_, v), n in found.items() if v in ('REFUTED', 'ERROR'))} tables accused")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
