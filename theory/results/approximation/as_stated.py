"""The approximation bound of arXiv 2604.09175 with both of its branches, as relayed; assumptions, not theorems here.

`theory.results.approximation.cells` proves the branch in M for the cube, with constants, for experts that are whole
local polynomials. The branch in parameters has no proof here.
"""

from __future__ import annotations

__all__ = [
    "approximation_as_stated",
    "approximation_by_experts",
    "approximation_by_parameters",
    "expert_branch_le_parameter_branch",
    "parameter_branch_le_expert_branch",
]

import sympy as sp

from theory.relation import Relation
from theory.results.exponents import PAPER, approximation_error
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import A, M, N_eff, a, beta, d

RELAYED = Source(PAPER, "approximation theorem, as relayed by reviews of an earlier version")

SMOOTH_TARGET = Hypothesis("smooth target", "the target is in C^beta on a compact d-dimensional manifold")
CHARTS = Hypothesis(
    "charts", "finitely many charts with a partition of unity that overlaps at most s_0 times"
)
LOCAL_POLYNOMIALS = Hypothesis("experts", "every expert can be a polynomial of degree ceil(beta) - 1")
ENOUGH_ACTIVE = Hypothesis("enough active", "k >= s_0: all experts of overlapping cells are active at once")

parameter_branch = A * N_eff ** (-2 * beta / d)
expert_branch = A * M ** (-2 * beta / d)

approximation_by_parameters = Statement(
    name="approximation_by_parameters",
    words="the squared sup-norm error falls as N_eff^(-2 beta/d) in the effective active parameters",
    conclusion=Relation(approximation_error, "<=", parameter_branch),
    source=RELAYED,
    kind=Kind.ASSUMPTION,
    hypotheses=(SMOOTH_TARGET, CHARTS),
    reading="an upper bound with a constant A that depends on the target, beta and d only",
)

approximation_by_experts = Statement(
    name="approximation_by_experts",
    words="the squared sup-norm error falls as M^(-2 beta/d) in the number of experts",
    conclusion=Relation(approximation_error, "<=", expert_branch),
    source=RELAYED,
    kind=Kind.ASSUMPTION,
    hypotheses=(SMOOTH_TARGET, CHARTS, LOCAL_POLYNOMIALS, ENOUGH_ACTIVE),
    reading="an upper bound with a constant A that depends on the target, beta and d only",
)

approximation_as_stated = Statement(
    name="approximation_as_stated",
    words="the squared sup-norm error is at most the smaller of both branches",
    conclusion=Relation(
        approximation_error, "<=", A * sp.Min(N_eff ** (-2 * beta / d), M ** (-2 * beta / d))
    ),
    source=RELAYED,
    kind=Kind.ASSUMPTION,
    hypotheses=(SMOOTH_TARGET, CHARTS, LOCAL_POLYNOMIALS, ENOUGH_ACTIVE),
    uses=(approximation_by_parameters, approximation_by_experts),
    reading="the minimum: whichever size is larger is enough by itself, so M large makes up for few active parameters",
)

_log_parameter_branch, _log_expert_branch = -a * sp.log(N_eff), -a * sp.log(M)
_POSITIVE = Hypothesis("positive exponent", "a = 2 beta/d is positive", Relation(a, ">=", 0))
_SOME = Hypothesis("at least one", "N_eff is at least 1", Relation(N_eff, ">=", 1))

expert_branch_le_parameter_branch = Statement(
    name="expert_branch_le_parameter_branch",
    words="where M >= N_eff the branch in M is the smaller one (in logarithms)",
    conclusion=Relation(_log_expert_branch, "<=", _log_parameter_branch),
    source=Source("derived here"),
    hypotheses=(_POSITIVE, _SOME, Hypothesis("many experts", "M >= N_eff", Relation(M, ">=", N_eff))),
    steps=(Step("the logarithm increases", Relation(_log_expert_branch, "<=", _log_parameter_branch)),),
    tight_at="M = N_eff",
)

parameter_branch_le_expert_branch = Statement(
    name="parameter_branch_le_expert_branch",
    words="where N_eff >= M the branch in N_eff is the smaller one (in logarithms)",
    conclusion=Relation(_log_parameter_branch, "<=", _log_expert_branch),
    source=Source("derived here"),
    hypotheses=(
        _POSITIVE,
        Hypothesis("experts", "there is at least one expert", Relation(M, ">=", 1)),
        Hypothesis("many parameters", "N_eff >= M", Relation(N_eff, ">=", M)),
    ),
    steps=(Step("the logarithm increases", Relation(_log_parameter_branch, "<=", _log_expert_branch)),),
    tight_at="N_eff = M",
)
