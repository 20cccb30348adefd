"""Every labelled pair of bounds: what `theory.consistency` says beside its label, and how often it is right, open or wrong.

python benchmarks/pairs.py
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import sympy as sp

from theory import RateError, consistency

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "theory"))

from labelled_pairs import PAIRS, LabelledPair, beta, d


def verdict_at(pair: LabelledPair, point: tuple[sp.Expr, sp.Expr]) -> str:
    """The verdict at one (beta, d); UNDECIDED too where a bound is outside the calculus."""
    values = dict(zip((beta, d), map(sp.nsimplify, point), strict=True))
    try:
        found = consistency(
            pair.error.subs(values),
            pair.entropy.subs(values),
            over=pair.sizes,
            dimension=values[d],
            smoothness=values[beta],
            subject_to=[relation.subs(values) for relation in pair.constraints],
        )
    except RateError:
        return "UNDECIDED"
    return found.verdict.name


def main() -> None:
    totals: Counter[str] = Counter()
    print(f"{'pair':<48}{'label':<12}{'verdicts':<12}")
    for pair in PAIRS:
        said = [verdict_at(pair, point) for point in pair.points]
        wrong = any(verdict not in (pair.label, "UNDECIDED") for verdict in said)
        outcome = "WRONG" if wrong else "open" if "UNDECIDED" in said else "right"
        totals[f"{pair.label} {outcome}"] += 1
        print(f"{pair.name:<48}{pair.label:<12}{', '.join(sorted(set(said))):<12} {outcome}")
    print(f"{len(PAIRS)} pairs: " + ", ".join(f"{count} {name}" for name, count in sorted(totals.items())))


if __name__ == "__main__":
    main()
