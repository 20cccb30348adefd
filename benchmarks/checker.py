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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.md"
        start = time.perf_counter()
        results = [searched(path, number) for number in range(TABLES)]
        each = (time.perf_counter() - start) / TABLES
        cells = sum(len(made.cells) * (len(made.headers) - 1) for made, _ in results)
        accused = sum(len(found.suspects) for _, found in results)
        print(
            f"{TABLES} true tables, {cells} cells: {1000 * accused / cells:.2f} accused in 1,000; {each:.3f} s a table"
        )
        print("error   found  named beside  at most")
        for error in ERRORS:
            results = [searched(path, number, error) for number in range(TABLES // 4)]
            planted = [(made, found) for made, found in results if made.planted]
            counts = Counter[str]()
            for made, found in planted:
                places = {(row, column - 1) for row, column in made.planted}
                hit = any(suspect.place in places for suspect in found.suspects)
                beside = any(place in places for suspect in found.suspects for place in suspect.also)
                counts["found"] += hit
                counts["beside"] += beside and not hit
                counts["most"] += detectable(made)
                counts["others"] += sum(
                    s.place not in places and not {*s.also} & places for s in found.suspects
                )
            shares = [f"{counts[name] / len(planted):.2f}" for name in ("found", "beside", "most")]
            print(
                f"{error:6}  {shares[0]}   {shares[1]}          {shares[2]} of {len(planted)}; {counts['others']} others accused"
            )


if __name__ == "__main__":
    main()
