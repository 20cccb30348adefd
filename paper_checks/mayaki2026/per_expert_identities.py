"""Table 5 and Figures 6 and 7: the identities per number of experts, recomputed from JMSL's exponents."""

import sympy as sp

from paper_checks.ludziejewski2025.claims import table4 as jmsl_table4
from theory.relation import Relation, eq
from theory.results.exponents import (
    compute_exponent_from_both,
    compute_exponent_from_model_exponent,
    data_exponent_from_model_exponent,
    model_exponent,
)
from theory.vocabulary import alpha_D, alpha_N
from verify import (
    EVERY_READING,
    ORDINARY,
    ROUNDED,
    Cell,
    Consistent,
    Origin,
    PrintedTable,
    Reading,
    Rounding,
    Severity,
    Verdict,
)

from .printed import paper, table5

CAPTION = table5.caption
EXPERTS = table5.column("E").cells
mu, nu = sp.symbols("mu nu", real=True)
predicted_D, predicted_C = (
    data_exponent_from_model_exponent.formula,
    compute_exponent_from_model_exponent.formula,
)
optimal_C = compute_exponent_from_both.formula
formulas = {
    "alpha_C": compute_exponent_from_both,
    "alpha_D_pred": data_exponent_from_model_exponent,
    "alpha_C_pred": compute_exponent_from_model_exponent,
    "r_D": alpha_D - predicted_D,
    "r_C": optimal_C - predicted_C,
    "rel_err_D": alpha_D / predicted_D - 1,
    "rel_err_C": optimal_C / predicted_C - 1,
}
wrong = {
    "alpha_C": (alpha_N + alpha_D) / 2,
    "alpha_D_pred": alpha_N / (2 + alpha_N),
    "alpha_C_pred": alpha_N / (1 + alpha_N),
    "r_D": predicted_D - alpha_D,
    "r_C": predicted_C - optimal_C,
    "rel_err_D": 1 - predicted_D / alpha_D,
    "rel_err_C": 1 - predicted_C / optimal_C,
}
as_printed = tuple(Reading(Rounding.EXACT, mode) for mode in ROUNDED)
ordinary = tuple(reading for reading in EVERY_READING if reading.outputs in ORDINARY)
truncated = tuple(reading for reading in EVERY_READING if reading.outputs is Rounding.TRUNCATED)

paper.claim(
    "table5/signs",
    "alpha_N = -mu and alpha_D = -nu in every row",
    where="Table 5, caption",
    quote="We set alpha_N(E) = -mu(E) and alpha_D(E) = -nu(E).",
    check=PrintedTable(
        table5,
        {"alpha_N": -mu, "alpha_D": -nu},
        exact=["mu", "nu", "alpha_N", "alpha_D"],
        readings=as_printed,
    ),
    mutants={"the two exchanged": {"formulas": {"alpha_N": -nu, "alpha_D": -mu}}},
)
here, there = {}, {}
for name in ("mu", "nu"):
    for row, experts in enumerate(EXPERTS):
        here[name, row] = sp.Symbol(f"{name}[E={experts}]", real=True)
        there[name, row] = sp.Symbol(f"{name}_JMSL[E={experts}]", real=True)
places = {here[name, row]: table5.cell(row, name, exact=True) for name, row in here}
places |= {there[name, row]: jmsl_table4.cell(row, name, exact=True) for name, row in there}
paper.claim(
    "table5/from-jmsl",
    "mu(E) and nu(E) are those of Table 4 of the joint MoE scaling laws, digit for digit",
    where="Table 5 and arXiv 2502.05172, Table 4",
    reading="the caption does not say where mu and nu come from; they are another paper's fit, not this paper's runs",
    check=Consistent(places, [eq(here[key], there[key]) for key in here]),
    mutants={
        "nu against mu": {"relations": [eq(here["nu", row], there["mu", row]) for row in range(len(EXPERTS))]}
    },
)
for column, formula in formulas.items():
    paper.claim(
        f"table5/{column.lower().replace('_', '-')}",
        f"the column {column} follows from alpha_N and alpha_D under one rounding mode",
        where="Table 5",
        quote=CAPTION,
        check=PrintedTable(table5, {column: formula}),
        mutants={"a formula like it": {"formulas": {column: wrong[column]}}},
    )
paper.claim(
    "table5/all-columns",
    "all 42 derived cells follow from alpha_N and alpha_D under one reading, each row jointly",
    where="Table 5",
    quote=CAPTION,
    check=PrintedTable(table5, formulas),
    mutants={
        f"{column}: a formula like it": {"formulas": {**formulas, column: wrong[column]}}
        for column in formulas
    },
)
paper.claim(
    "table5/mode-of-each-column",
    "each derived column follows from alpha_N and alpha_D under a rounding mode of its own",
    where="Table 5",
    quote=CAPTION,
    check=PrintedTable(table5, formulas, scope="column"),
    mutants={
        f"{column}: a formula like it": {"formulas": {**formulas, column: wrong[column]}}
        for column in formulas
    },
)
paper.claim(
    "table5/ordinary-rounding",
    "the derived columns were rounded to nearest",
    where="Table 5",
    reading="half up or half to even, the inputs as printed or anywhere within their rounding",
    check=PrintedTable(table5, formulas, readings=ordinary, scope="column"),
    expect=Verdict.REFUTED,
    headline="Table 5: seven cells are one unit too small for rounding; the columns are truncated",
    because="Seven cells are one unit too small for rounding to nearest even if alpha_N and alpha_D are free within "
    "their last digit; truncation explains all 42. Table 2 of the same paper excludes truncation.",
    repairs={"truncated": {"readings": truncated}},
)
paper.claim(
    "table5/from-printed-inputs",
    "the derived columns were computed from alpha_N and alpha_D as printed, to four digits",
    where="Table 5",
    check=PrintedTable(table5, formulas, readings=as_printed, scope="column"),
    expect=Verdict.REFUTED,
    headline="Table 5: r_C at E = 8 needs more digits of alpha_N and alpha_D than are printed",
    because="r_C at E = 8 is printed 0.0203; from the printed four-digit inputs it is 0.02029998931, which no mode that "
    "explains the column prints so. The other 41 cells follow by truncation, so the inputs carried more digits.",
    repairs={"inputs with more digits": {"readings": truncated}},
)
from_columns = {
    "r_D": sp.Symbol("alpha_D") - sp.Symbol("alpha_D_pred"),
    "r_C": sp.Symbol("alpha_C") - sp.Symbol("alpha_C_pred"),
}
paper.claim(
    "table5/residuals-of-printed-columns",
    "the residuals are the differences of the printed columns",
    where="Table 5, caption",
    quote="Residuals are r_D = alpha_D - alpha_D^pred and r_C = alpha_C - alpha_C^pred",
    reading="a reader who subtracts the printed columns; their digits leave nothing to truncate",
    check=PrintedTable(
        table5, from_columns, readings=[Reading(Rounding.EXACT, mode) for mode in ORDINARY], scope="column"
    ),
    expect=Verdict.REFUTED,
    headline="Table 5: 9 of 12 residuals differ from the printed columns by one last digit",
    because="Subtracting the printed columns misses r_D by one unit in the last digit in all six rows and r_C in three: "
    "the columns were truncated after the subtraction, so the table does not check itself by hand.",
    repairs={"inputs with more digits": {"readings": truncated}},
)

# Do the identities that the table checks hold?

measured_n, measured_d, measured_c = {}, {}, {}
exponents: dict[sp.Symbol, Cell] = {}
for row, experts in enumerate(EXPERTS):
    measured_n[row], measured_d[row], measured_c[row] = (
        sp.Symbol(f"{name}[E={experts}]", positive=True) for name in ("alpha_N", "alpha_D", "alpha_C")
    )
    exponents |= {
        measured_n[row]: table5.cell(row, "alpha_N"),
        measured_d[row]: table5.cell(row, "alpha_D"),
        measured_c[row]: table5.cell(row, "alpha_C"),
    }
rows = range(len(EXPERTS))
ERRORS = "at printed precision; no standard errors of the fitted exponents are printed"
for name, measured, statement in (
    ("alpha-d", measured_d, data_exponent_from_model_exponent),
    ("alpha-c", measured_c, compute_exponent_from_model_exponent),
):
    claimed = [eq(measured[row], statement.formula.subs(alpha_N, measured_n[row])) for row in rows]
    paper.claim(
        f"table5/identity-{name}",
        f"the exponents of Table 5 satisfy {statement.words}",
        where="Table 5, title",
        quote="Per-E identity checks.",
        reading=ERRORS,
        check=Consistent(exponents, claimed, uses=(statement,)),
        expect=Verdict.REFUTED,
        headline="Table 5: neither identity holds in any of six rows; alpha_D is off by 28-97%, alpha_C by 13-36%",
        severity=Severity.CONTRADICTS,
        because="The identity is violated in every row, always in the same direction: alpha_D by 28% at E = 1 up to 97% at "
        "E = 32, alpha_C by 13% up to 36%. It already fails for the dense model (E = 1), so the number of experts is not the "
        "reason.",
        repairs={
            "the left side is the larger": {"relations": [Relation(r.lhs, ">", r.rhs) for r in claimed]}
        },
    )
paper.claim(
    "table5/exponent-order",
    "alpha_D < alpha_N in every row, as alpha_D = alpha_N/(1 + alpha_N) demands",
    where="Table 5",
    check=Consistent(
        exponents,
        [Relation(measured_d[row], "<", measured_n[row]) for row in rows],
        uses=(data_exponent_from_model_exponent,),
    ),
    expect=Verdict.REFUTED,
    headline="Table 5: alpha_D exceeds alpha_N in all six rows; the theory has it smaller",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="alpha_D exceeds alpha_N in all six rows; no smoothness and no dimension give that, whatever their values.",
    repairs={
        "alpha_D > alpha_N": {"relations": [Relation(measured_d[row], ">", measured_n[row]) for row in rows]}
    },
)
falling = [Relation(measured_n[row + 1], "<", measured_n[row]) for row in rows[:-1]]
paper.claim(
    "table5/exponents-move-together",
    "alpha_D rises and falls with alpha_N over E, as an increasing function of it must",
    where="Table 5",
    check=Consistent(
        exponents,
        falling + [Relation(measured_d[row + 1], "<", measured_d[row]) for row in rows[:-1]],
        uses=(data_exponent_from_model_exponent,),
    ),
    expect=Verdict.REFUTED,
    headline="Table 5: alpha_D rises while alpha_N falls; no increasing relation joins them",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="From E = 1 to 32 alpha_N falls from 0.1817 to 0.1557 while alpha_D rises from 0.1965 to 0.2652: every "
    "increasing relation between the two is excluded, not just this one.",
    repairs={
        "alpha_D rises while alpha_N falls": {
            "relations": falling + [Relation(measured_d[row + 1], ">", measured_d[row]) for row in rows[:-1]]
        }
    },
)
same_exponent = [eq(measured_n[row + 1], measured_n[row]) for row in rows[:-1]]
paper.claim(
    "table5/alpha-n-independent-of-experts",
    "alpha_N is the same for every number of experts, as 2 beta/d is",
    where="Table 5",
    reading="beta and d are properties of the target and the data, which the rows share",
    check=Consistent(exponents, same_exponent, uses=(model_exponent,)),
    expect=Verdict.REFUTED,
    headline="Table 5: alpha_N falls by 14% with the number of experts; 2 beta/d has no E in it",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="alpha_N falls by 14% from E = 1 to E = 32; 2 beta/d has no E in it.",
    repairs={"it falls with E": {"relations": falling}},
)
share = {row: measured_d[row] / (measured_n[row] + measured_d[row]) for row in rows}
paper.claim(
    "figure7/size-exponent-below-half",
    "along the compute-optimal frontier N* grows with an exponent below 1/2, as the theory's 1/(2 + alpha_N) does",
    where="Figure 7(a), caption, and Table 5",
    quote="Cross-budget slopes for each E.",
    reading="N* grows as C^(alpha_D/(alpha_N + alpha_D)) for the separable law whose exponents Table 5 lists",
    check=Consistent(exponents, [Relation(share[row], "<", sp.Rational(1, 2)) for row in rows]),
    expect=Verdict.REFUTED,
    headline="Figure 7(a): Table 5 has N* grow as C^0.52 to C^0.63; the theory stays below C^(1/2)",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="The exponents of Table 5 give 0.520 (E = 1) to 0.630 (E = 32), above 1/2 in every row: tokens per "
    "parameter fall with compute where the theory has them rise.",
    repairs={"above 1/2": {"relations": [Relation(share[row], ">", sp.Rational(1, 2)) for row in rows]}},
)
paper.claim(
    "figure6/amplification",
    "amplification patterns across experts",
    where="Figure 6, caption",
    quote="Empirical amplification patterns across experts.",
    not_testable="neither the quantity that is amplified nor any value of it is printed",
)
paper.claim(
    "figure7/drift",
    "the compute-optimal ratio of tokens to parameters drifts with the number of experts at each budget",
    where="Figure 7(b), caption",
    quote="Tokens-to-parameters drift across experts (per budget).",
    not_testable="no ratio, sign or budget is printed here; for the source of mu and nu the rise is checked as "
    "ludziejewski2025/table1/tokens-per-parameter",
)
