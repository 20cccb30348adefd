"""What the abstract and Figure 1 assert about rates, routing and capacity."""

import sympy as sp

from theory.posynomials import log_slope
from theory.relation import Relation, eq
from theory.results.exponents import compute_exponent, data_exponent, model_exponent, risk_bound
from theory.statement import Step
from theory.vocabulary import L_T, B, N, N_act, beta, d, k, n
from theory.vocabulary import M as EXPERTS
from verify import Cell, Consistent, DerivationHolds, Identity, Origin, Severity, Verdict

from .printed import AT_FIXED_SIZE, SEQUENCE_LENGTH, paper, table3, table4

paper.claim(
    "abstract/scaling-laws",
    "from the approximation rate and the bound follow alpha_N, alpha_D and alpha_C",
    where="Abstract",
    quote="From these results we derive neural scaling laws for model size, data size, and compute-optimal tradeoffs.",
    reading="the two-term bound A N^(-2 beta/d) + B N/n; M/k fixed, or compute counted on total parameters",
    check=DerivationHolds(
        (*model_exponent.steps, *data_exponent.steps, *compute_exponent.steps),
        domain=(),
        uses=(model_exponent, data_exponent, compute_exponent),
    ),
    mutants={
        "alpha_D = beta/(beta + d)": {
            "steps": (Step("the slope", eq(data_exponent.formula, beta / (beta + d))),)
        },
        "alpha_C = 2 beta/(2 beta + d)": {
            "steps": (Step("the slope", eq(compute_exponent.formula, 2 * beta / (2 * beta + d))),)
        },
    },
)
paper.claim(
    "abstract/as-in-dense-networks",
    "the data exponent equals that of dense networks, the minimax exponent 2 beta/(2 beta + d)",
    where="Abstract",
    quote="approximation and estimation trade off as in dense networks once active parameters are accounted for "
    "appropriately",
    reading="the exponent only; minimax rate of C^beta regression (Stone 1982)",
    check=Identity((eq(data_exponent.formula, 2 * beta / (2 * beta + d)),), uses=(data_exponent,)),
    mutants={"d in place of 2 beta + d": {"relations": (eq(data_exponent.formula, 2 * beta / d),)}},
)
paper.claim(
    "abstract/fixed-size-data-exponent",
    "the theory's data exponent at fixed N_act, as the design of Table 4 has it, is alpha_D",
    where="Table 4 and Figure 4",
    quote="Empirical estimates of the data-scaling law (loss versus data size D)",
    reading="exponent of the data-dependent term of the bound, N held fixed",
    check=Identity((eq(-log_slope(B * N / n, n), data_exponent.formula),), uses=(risk_bound, data_exponent)),
    expect=Verdict.REFUTED,
    headline=AT_FIXED_SIZE,
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="alpha_D appears only after N has been optimised at each n. At fixed N the data-dependent term of the "
    "bound falls with exponent 1, above a floor that data cannot lower, so a fit of loss against D at one N_act "
    "does not test alpha_D.",
    repairs={"exponent 1": {"relations": (eq(-log_slope(B * N / n, n), 1),)}},
)
paper.claim(
    "abstract/metric-entropy",
    "the metric entropy of the class scales with the active parameter budget plus a routing term",
    where="Abstract",
    quote="a sup-norm covering-number bound whose metric entropy scales with the active parameter budget and incurs "
    "a MoE-specific routing overhead",
    not_testable="the bound's constants and its hypotheses on the router are not printed in what is at hand",
)
paper.claim(
    "figure1/moderate-regime",
    "for M/k <= 8 the validation loss rises with k log(eM/k)",
    where="Figure 1(a), caption",
    quote="In the moderate regime (M/k <= 8), validation loss increases with the routing complexity term k log(eM/k)",
    not_testable="no losses are printed; needs measured runs over M and k",
)
paper.claim(
    "figure1/large-ratio",
    "for sufficiently large M/k the loss improves again",
    where="Figure 1(b), caption",
    quote="Over the full range, performance improves again for sufficiently large M/k",
    not_testable="no losses are printed, nor whether M or k was varied; needs measured runs over M and k",
)

# Could the term that Figure 1 plots be the bound's overhead?

places: dict[sp.Symbol, Cell] = {}
visible: list[Relation] = []
present: list[Relation] = []
for table in (table3, table4):
    for row in range(len(table)):
        local = {s: sp.Symbol(f"{s.name}_{len(visible)}", positive=True) for s in (L_T, EXPERTS, k, N_act)}
        places |= {
            local[s]: table.cell(row, column, exact=True)
            for s, column in ((L_T, "L_T"), (EXPERTS, "M"), (k, "k"), (N_act, "N_act"))
        }
        routing = local[L_T] * SEQUENCE_LENGTH * local[k] * sp.log(sp.E * local[EXPERTS] / local[k])
        visible.append(Relation(routing, ">=", local[N_act] / 100))
        present.append(Relation(routing, ">=", local[N_act] / 10_000))
        if table is table4:
            break  # every row of Table 4 is the same architecture
paper.claim(
    "figure1/overhead-visible",
    "the routing term of the bound is at least one percent of its parameter term in the paper's configurations",
    where="Figure 1(a), Tables 3 and 4",
    quote="consistent with its interpretation as a worst-case routing overhead",
    reading="L_T ell k log(eM/k) against N_act, both over n with equal constants; one percent stands for visible",
    check=Consistent(places, visible),
    expect=Verdict.REFUTED,
    headline="Figure 1(a): the routing term is below 0.1% of the bound; nothing that is seen can be it",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="The routing term is 0.04% to 0.08% of the parameter term in all seven configurations. A change that the "
    "eye sees in Figure 1(a) cannot be the overhead of the bound.",
    repairs={"a hundredth of a percent": {"relations": present}},
)


def term(active: int, experts: int = 8) -> sp.Expr:
    """k log(eM/k) in nats."""
    return active * sp.log(sp.E * sp.Rational(experts, active))


def patterns(active: int, experts: int = 8) -> sp.Expr:
    """log C(M, k) in nats: what the term bounds."""
    return sp.log(sp.binomial(experts, active))


paper.claim(
    "figure1/term-orders-routing",
    "from k = 4 to k = 8 at M = 8, k log(eM/k) and the number of routing patterns log C(M, k) move the same way",
    where="Figure 1(a), caption",
    quote="the routing complexity term k log(eM/k)",
    check=Consistent({}, [Relation((term(8) - term(4)) * (patterns(8) - patterns(4)), ">", sp.Integer(0))]),
    expect=Verdict.REFUTED,
    headline="Figure 1(a): k log(eM/k) is largest at k = M, where one routing pattern is left",
    severity=Severity.REMARK,
    origin=Origin.IMPLIED,
    because="At k = M there is a single routing pattern, log C(M, M) = 0, while the term is at its largest, M nats. "
    "Over k the term does not order configurations by how much routing there is.",
    repairs={
        "from k = 1 to k = 2": {
            "relations": [Relation((term(2) - term(1)) * (patterns(2) - patterns(1)), ">", sp.Integer(0))]
        }
    },
)
