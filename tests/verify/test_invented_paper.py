"""An invented paper with twelve planted errors of six kinds and twelve true cells.

Every planted error must be found and named, and no true cell accused. The
numbers of the paper are computed here, not by the tool.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from verify.checks.base import Budget
from verify.judging.papers import load_paper
from verify.judging.runner import evaluate, judge_fresh
from verify.verdicts import Verdict

CLAIMS = """
    import sympy as sp
    from theory.models.architecture import MoETransformer
    from theory.relation import Relation, eq
    from theory.vocabulary import L_T, d_ff, d_model, k
    from verify import (Consistent, ConventionSearch, Homogeneous, Identity, Paper, PrintedTable, Reading,
                        Rounding, median, quoted)

    paper = Paper.open(__file__)
    derived, measured, sizes, places = (paper.table(n) for n in ("derived", "measured", "sizes", "places"))
    u, v, x = sp.symbols("u v x", positive=True)
    harmonic = u * v / (u + v)
    modes = tuple(Reading(Rounding.EXACT, m) for m in (Rounding.HALF_UP, Rounding.HALF_EVEN))

    # 1: wrong arithmetic in a derived column
    paper.claim("derived", "w is u v/(u + v)", where="derived",
                check=PrintedTable(derived, {"w": harmonic}, readings=modes),
                mutants={"the mean": {"formulas": {"w": (u + v) / 2}}})
    # 2: an estimate outside its own interval
    symbols = {r: sp.symbols(f"mean_{r} half_{r} estimate_{r}", positive=True) for r in range(len(measured))}
    cells = {}
    for r, (m, h, e) in symbols.items():
        cells |= {m: measured.cell(r, "mean"), h: measured.cell(r, "mean").spread, e: measured.cell(r, "estimate")}
    inside = [q for m, h, e in symbols.values() for q in (Relation(m - h, "<=", e), Relation(e, "<=", m + h))]
    paper.claim("inside", "estimates lie in their intervals", where="measured", check=Consistent(cells, inside),
                mutants={"far above": {"relations": [Relation(e, ">", m + 9 * h) for m, h, e in symbols.values()]}})
    # 3: counts that the architecture contradicts
    block = MoETransformer(layers=L_T, d_model=d_model, d_ff=d_ff, experts=k, active=k)
    paper.claim("counts", "N_act follows from the architecture", where="sizes",
                check=PrintedTable(sizes, {"N_act": block.active_parameters()},
                                   exact=["L_T", "d_model", "d_ff", "k", "N_act"]),
                mutants={"twice": {"formulas": {"N_act": 2 * block.active_parameters()}}})
    # 4: two places that print one quantity differently
    first = {r: sp.Symbol(f"abstract_{r}", positive=True) for r in range(len(places))}
    second = {r: sp.Symbol(f"table_{r}", positive=True) for r in range(len(places))}
    both = {first[r]: places.cell(r, "abstract") for r in first} | {second[r]: places.cell(r, "table") for r in first}
    paper.claim("places", "abstract and table agree", where="places",
                check=Consistent(both, [eq(first[r], second[r]) for r in first]),
                mutants={"ten times": {"relations": [eq(first[r], 10 * second[r]) for r in first]}})
    # 5: false identities
    for name, left, right in (("square", (x + u) ** 2, x**2 + 2 * x * u + u**2), ("powers", x**u * x**v, x ** (u + v)),
                              ("sum-of-logs", sp.log(x + u), sp.log(x) + sp.log(u)),
                              ("sum-of-powers", (x + u) ** v, x**v + u**v)):
        paper.claim(f"identity/{name}", name, where="appendix", check=Identity((eq(left, right),)),
                    mutants={"doubled": {"relations": (eq(left, 2 * right),)}})
    # 6: groups said to be equal
    groups = {name: [quoted(t, f"{name} {i}") for i, t in enumerate(texts)] for name, texts in GROUPS.items()}
    for name, means in groups.items():
        paper.claim(f"equal/{name}", f"the means of {name} are equal", where="groups",
                    check=Homogeneous(means, sp.Rational(13, 10), rival="a third"),
                    mutants={"three different ones": {"means": [quoted(t, "m") for t in ("1 ± 0.1", "2 ± 0.1", "3 ± 0.1")]}})
"""
GROUPS = {
    "true-a": ["10.0 ± 0.4", "10.2 ± 0.4", "9.9 ± 0.4"],
    "true-b": ["20.0 ± 0.9", "20.4 ± 0.9", "20.1 ± 0.9"],
    "false-a": ["10.0 ± 0.4", "11.5 ± 0.4", "9.9 ± 0.4"],
    "false-b": ["20.0 ± 0.9", "20.4 ± 0.9", "24.1 ± 0.9"],
}


def rounded(value: Fraction, places: int) -> str:
    units = int(value * 10**places + Fraction(1, 2))
    return f"{units / 10**places:.{places}f}"


def n_act(layers, width, hidden, active):
    return layers * (4 * width**2 + active * (2 * width * hidden + hidden + width))


@pytest.fixture
def invented(write_paper):
    rng = random.Random(20260409)
    derived = ["# key: row", "row,u,v,w"]
    for row in range(4):
        u, v = Fraction(rng.randint(100, 400), 1000), Fraction(rng.randint(100, 400), 1000)
        w = u * v / (u + v) + (Fraction(2, 1000) if row in (1, 2) else 0)
        derived.append(f"{row},{float(u):.3f},{float(v):.3f},{rounded(w, 3)}")
    measured = [
        "# key: row",
        "row,mean,estimate",
        "0,31.6 ± 1.7,32.9",
        "1,44.7 ± 2.6,47.7",
        "2,22.1 ± 0.9,22.4",
        "3,19.7 ± 0.6,18.8",
    ]
    sizes = ["# key: L_T, d_ff", "L_T,d_model,d_ff,k,N_act"]
    for row, (layers, width, hidden) in enumerate([(2, 64, 128), (3, 64, 256), (4, 128, 128), (6, 128, 256)]):
        wrong = {0: 0, 1: width, 2: 0, 3: -hidden}[row]
        sizes.append(f'{layers},{width},{hidden},2,"{n_act(layers, width, hidden, 2) + wrong:,}"')
    places = ["# key: row", "row,abstract,table", "0,0.34,0.338", "1,0.28,0.294", "2,1.7,1.69", "3,5.1,4.9"]
    return load_paper(
        write_paper(
            CLAIMS.replace("GROUPS.items()", f"{GROUPS!r}.items()", 1),
            derived="\n".join(derived),
            measured="\n".join(measured),
            sizes="\n".join(sizes),
            places="\n".join(places),
        )
    )


def accused(paper) -> set[str]:
    """Every cell, identity or group that the tool's own findings accuse."""
    found = set()
    for claim in paper.claims.values():
        evidence = evaluate(claim.check, Budget())
        slug = claim.id.partition("/")[2]
        if evidence.verdict is not Verdict.REFUTED:
            assert evidence.verdict.holds, (slug, evidence.finding)
            continue
        assert evidence.confirmed_by
        details = evidence.details
        if "unexplained_cells" in details:
            found |= {f"{slug}: {cell['row']}" for cell in details["unexplained_cells"]}
        elif "violated" in details:
            # one rounding mode must serve all, so the mode with the fewest violations accuses
            fewest = min(details["violated"].values(), key=len)
            found |= {f"{slug}: {row['relation']}" for row in fewest}
        else:
            found.add(slug)
    return found


def test_all_planted_errors_are_found_and_no_true_cell_is_accused(invented):
    assert accused(invented) == {
        "derived: row=1",
        "derived: row=2",
        "inside: estimate_1 <= half_1 + mean_1",
        "inside: -half_3 + mean_3 <= estimate_3",
        "counts: L_T=3, d_ff=256",
        "counts: L_T=6, d_ff=256",
        "places: abstract_1 = table_1",
        "places: abstract_3 = table_3",
        "identity/sum-of-logs",
        "identity/sum-of-powers",
        "equal/false-a",
        "equal/false-b",
    }


def test_every_check_of_the_invented_paper_rejects_its_mutants(invented):
    for claim in invented.claims.values():
        judgement = judge_fresh(claim, Budget(), None)
        assert not judgement.fault, judgement.fault
