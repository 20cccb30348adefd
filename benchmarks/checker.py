"""How often ``moelaws check`` accuses a true cell of a generated table, and how often it finds a planted error.

Tables, seeds and errors are those of tests/verify/search/generated_tables.py; nothing here is chosen by hand.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "verify" / "search"))
from generated_tables import ERRORS, markdown, table

from verify.printed.readers.reader import read_paper
from verify.search.relations.find import Findings, find
from verify.search.relations.numbers import number_table

TABLES = 400


def searched(path: Path, number: int, error: str = "") -> tuple[Findings, int, set[tuple[int, int]]]:
    headers, cells, planted = table(number, error=error)
    path.write_text(markdown(headers, cells))
    [numbers] = map(number_table, read_paper(path).tables)
    assert numbers is not None
    return find(numbers), len(cells) * (len(headers) - 1), {(row, column - 1) for row, column in planted}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.md"
        start = time.perf_counter()
        results = [searched(path, number) for number in range(TABLES)]
        each = (time.perf_counter() - start) / TABLES
        cells = sum(size for _, size, _ in results)
        accused = sum(len(found.suspects) for found, *_ in results)
        print(
            f"{TABLES} true tables, {cells} cells: {1000 * accused / cells:.2f} accused in 1,000; {each:.3f} s a table"
        )
        for error in ERRORS:
            planted = [(f, p) for f, _, p in (searched(path, n, error) for n in range(TABLES // 4)) if p]
            hits = sum(any(s.place in places for s in found.suspects) for found, places in planted)
            others = sum(s.place not in places for found, places in planted for s in found.suspects)
            print(
                f"{error:6} {hits / len(planted):.2f} of {len(planted)} found; {others} other cells accused beside them"
            )


if __name__ == "__main__":
    main()
