"""Do the paper's bounds say anything about the paper's runs? Whole bounds, in sequences, with balls."""

import sympy as sp

from theory.bounds.frozen_router import frozen_router_bound
from theory.bounds.setting import RegressionSetting
from theory.bounds.stated import bound_as_stated
from theory.models.architecture import MoETransformer
from theory.relation import Relation
from theory.results.approximation.cells import local_polynomials_on_cells
from theory.vocabulary import M
from verify import BoundBelow, BoundCase, Consistent, Origin, Severity, Verdict, quoted

from .printed import CHOSEN_D, SAYS_NOTHING, SEQUENCE_LENGTH, paper, table3, table4

SCOPE = "clarifying which behaviors are certified by worst-case theory"
last = len(table4) - 1
sizes = {
    column: int(table4.cell(last, column).printed.value)
    for column in ("L_T", "d_model", "d_ff", "n_heads", "M", "k")
}
model = MoETransformer(
    layers=sizes["L_T"], d_model=sizes["d_model"], d_ff=sizes["d_ff"], heads=sizes["n_heads"],
    experts=sizes["M"], active=sizes["k"],
)  # fmt: skip
tokens = int(table4.cell(last, "D").printed.value)
smallest_d = min(CHOSEN_D.values(), key=int)
largest_run = BoundCase(
    model,
    SEQUENCE_LENGTH,
    tokens // SEQUENCE_LENGTH,
    RegressionSetting(beta=1, dimension=smallest_d, tau="best"),
)


def with_data(factor: int) -> BoundCase:
    """The same model on so many times the data."""
    return BoundCase(model, SEQUENCE_LENGTH, factor * largest_run.n, largest_run.problem)


paper.claim(
    "bounds/says-something",
    "the generalisation bound is below the trivial risk at the largest budget of Table 4",
    where="Table 4 and the generalisation theorem",
    quote=SCOPE,
    reading="all three terms with constants 1, n = D/256 sequences, beta = 1 and d = 23, the most favourable of the three; risk 1 is trivial",
    check=BoundBelow("stated", largest_run, uses=(bound_as_stated,)),
    expect=Verdict.REFUTED,
    headline=SAYS_NOTHING,
    severity=Severity.REMARK,
    origin=Origin.OWN_TEST,
    because="The run has 8,396,800 active parameters and 3,125 sequences: the estimation term alone is 2,687. The bound is "
    "above 1 until there are more sequences than active parameters, over two thousand million tokens.",
    repairs={"ten thousand times the data": {"case": with_data(10**4)}},
)
paper.claim(
    "bounds/repaired-says-something",
    "the bound with its covering number repaired and all constants kept is below the trivial risk at the largest budget of Table 4",
    where="Table 4 and the generalisation theorem",
    quote=SCOPE,
    reading="frozen routers on fixed features; parameters, inputs, noise and outputs bounded by 1, beta = 1 and d = 23, exact minimiser",
    check=BoundBelow("frozen-router", largest_run, uses=(frozen_router_bound,)),
    expect=Verdict.REFUTED,
    headline="Table 4: the repaired bound is far above the trivial risk of 1, too",
    severity=Severity.REMARK,
    origin=Origin.OWN_TEST,
    because="Repaired, all experts count and each parameter costs the logarithm of the Lipschitz constant of a Transformer "
    "without normalisation, over a hundred nats: with 3,125 sequences the bound is far above any risk.",
    repairs={"a thousand million times the data": {"case": with_data(10**12)}},
)

experts = {M: table3.cell(0, "M", exact=True)}
dimensions = {data: sp.Symbol(f"d[{data}]", positive=True) for data in CHOSEN_D}
places = experts | {
    s: quoted(CHOSEN_D[data], f"Table 2, d of {data}", exact=True) for data, s in dimensions.items()
}
paper.claim(
    "bounds/experts-cut-the-data",
    "M = 8 experts are enough for the branch M^(-2 beta/d) to begin: two cells along every axis of a cube of dimension d",
    where="Table 3 and the approximation theorem",
    quote="under the approximation construction, error can decrease either by scaling active capacity or by increasing the number of experts",
    reading="equal cells of a d-dimensional cube, one expert each: 2^d experts for the first halving",
    check=Consistent(
        places, [Relation(M, ">=", 2**x) for x in dimensions.values()], uses=(local_polynomials_on_cells,)
    ),
    expect=Verdict.REFUTED,
    headline="Table 3: 8 experts cannot halve a cube of dimension 23, 32 or 45; that takes 2^d",
    severity=Severity.REMARK,
    origin=Origin.IMPLIED,
    because="At d = 23, 32 and 45 halving every side takes 2^23 (eight million), 2^32 and 2^45 experts. With 8 there is one cell, "
    "and the bound on the error is that of a single expert.",
    repairs={"2^45 experts": {"places": {**places, M: quoted("35184372088832", "enlarged M", exact=True)}}},
)
