"""How often ``moelaws check`` accuses a true cell of a generated table, and how often it finds a planted error.

Tables, seeds and errors are those of tests/verify/search/generated_tables.py; nothing here is chosen by hand.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "verify" / "search"))
from generated_tables import ERRORS, Generated, detectable, markdown, table

from verify.printed.readers.reader import read_paper
from verify.search.relations.find import Findings, find
from verify.search.relations.numbers import number_table

TABLES = 400


def searched(path: Path, number: int, error: str = "") -> tuple[Generated, Findings]:
    made = table(number, error=error)
    path.write_text(markdown(made.headers, made.cells))
    [numbers] = map(number_table, read_paper(path).tables)
    assert numbers is not None
    return made, find(numbers)


def power(path: Path, error: str, tables: int) -> tuple[Counter[str], int]:
    """Of so many tables with such an error: in how many a planted cell is accused, or named beside an accused one, and in how
    many it could be; how many other cells are accused. The second number is that of the tables in which the error changed a cell.
    """
    counts = Counter[str]()
    planted = 0
    for number in range(tables):
        made, found = searched(path, number, error)
        places = {(row, column - 1) for row, column in made.planted}
        planted += bool(places)
        hit = any(suspect.place in places for suspect in found.suspects)
        beside = any(place in places for suspect in found.suspects for place in suspect.also)
        counts["found"] += hit
        counts["beside"] += beside and not hit
        counts["most"] += detectable(made)
        counts["others"] += sum(s.place not in places and not {*s.also} & places for s in found.suspects)
    return counts, planted


def accused(path: Path, tables: int) -> tuple[int, int]:
    """Of so many true tables: how many cells are accused, and of how many."""
    results = [searched(path, number) for number in range(tables)]
    cells = sum(len(made.cells) * (len(made.headers) - 1) for made, _ in results)
    return sum(len(found.suspects) for _, found in results), cells


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.md"
        start = time.perf_counter()
        wrong, cells = accused(path, TABLES)
        each = (time.perf_counter() - start) / TABLES
        print(f"{TABLES} true tables: {wrong} of {cells:,} cells accused; {each:.3f} s a table")
        print("error   found  named beside  at most")
        for error in ERRORS:
            counts, planted = power(path, error, TABLES // 4)
            shares = [f"{counts[name] / planted:.2f}" for name in ("found", "beside", "most")]
            print(
                f"{error:6}  {shares[0]}   {shares[1]}          {shares[2]} of {planted}; {counts['others']} others accused"
            )


if __name__ == "__main__":
    main()
