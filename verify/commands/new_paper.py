"""The folder that ``moelaws new-paper`` starts: a table, a claim, a mutant, a README."""

from __future__ import annotations

import shlex
from pathlib import Path

from verify.errors import InputError
from verify.files import save
from verify.judging.claims import id_of_folder, paper_id
from verify.judging.papers import THEORY, installed_folders

PAPER = """\
# Who wrote the paper and where it can be found.
title = "A paper about scaling laws"
authors = "Its authors"
year = 2026
reference = "arXiv 0000.00000"
"""

TABLE = """\
# name: Table 1
# title: Compute-optimal exponents
# source: arXiv 0000.00000, Table 1
# key: model
model,alpha_N [1],alpha_D [1],alpha_C [1]
small,0.34,0.28,0.15
large,0.35,0.37,0.18
"""

CLAIMS = '''\
"""What the paper claims, and how each claim is checked."""

from theory.results.exponents import compute_exponent_from_both
from theory.vocabulary import alpha_D, alpha_N
from verify import Paper, PrintedTable

paper = Paper.open(__file__)
table1 = paper.table("table1")

paper.claim(
    "table1/alpha-c",
    "alpha_C of Table 1 is alpha_N alpha_D / (alpha_N + alpha_D)",
    where="Table 1",
    check=PrintedTable(table1, {"alpha_C": compute_exponent_from_both}),
    mutants={"the mean of the two instead": {"formulas": {"alpha_C": (alpha_N + alpha_D) / 2}}},
)
'''

README = """\
# Checking {name}

    moelaws verify {folder}
    pytest {folder}

- `paper.toml`: title, authors, year, reference.
- `table1.csv`: a table as printed. Lines with `#` give its name, title, source and
  the key columns; header cells are `name [unit]`; cells are strings as printed,
  such as `0.34`, `3,148,800`, `22.9 ± 2.9` or `5×10^4`.
- `claims.py`: the claims. Each names its check, at least one mutant (a false
  variant that the check must reject) and, where an erratum is known,
  `expect=Verdict.REFUTED`, `because="..."` and a repair (a true variant).

Checks: `PrintedTable` (derived columns), `Consistent` (two places agree),
`ConventionSearch` (which of many conventions fits), `Homogeneous` (printed means
with intervals), `Identity` (symbolic), `SingleCorrection` (which constant is off).
"""


def fresh_folder(folder: Path) -> None:
    """InputError where the folder already holds something or gives no id of its own."""
    name = paper_id(f"{folder}: the folder's name is the paper's id", id_of_folder(folder))
    if name in (THEORY, *installed_folders()):
        raise InputError(
            f"{folder}: an installed paper has the id {name!r}; give the folder another name, such as my-{name}"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: already exists and is not an empty folder; choose a new name")


def scaffold(folder: Path) -> list[Path]:
    """Write the starting files; InputError as of `fresh_folder`."""
    fresh_folder(folder)
    files = {
        "paper.toml": PAPER,
        "table1.csv": TABLE,
        "claims.py": CLAIMS,
        "README.md": README.format(name=folder.name, folder=shlex.quote(str(folder))),
    }
    written = []
    for name, text in files.items():
        save(folder / name, text)
        written.append(folder / name)
    return written
