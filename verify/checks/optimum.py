"""The closed form of an optimum that a formula names, by the certificate of a posynomial."""

from __future__ import annotations

from theory.optima import Minimum
from theory.posynomials import PosynomialOutcome, minimise_posynomial
from theory.posynomials.export import exported
from theory.rates import RateError
from theory.rates.export import text_of
from theory.relation import Relation, eq
from verify.checks.base import Budget, cannot_evaluate
from verify.checks.identity import Identity
from verify.checks.stated import relation_texts
from verify.recheck import optimum as rereading
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.verdicts import Evidence, Grade, Verdict, combine


def closed_form(relation: Relation, budget: Budget) -> Evidence:
    """Whether ``Minimum(f, x)`` or ``Minimiser(f, x)`` on the left is the formula on the right, for all positive symbols."""
    objective, over = relation.lhs.args
    try:
        found = minimise_posynomial(objective.doit(), over=over)
    except RateError as fault:
        return cannot_evaluate(f"{relation} is not decided: {fault}")
    if found.outcome is not PosynomialOutcome.CLOSED_FORM:
        return Evidence(
            Verdict.REFUTED,
            Grade.EXACT,
            f"{relation}: there is no closed form to name: {found!r}",
            witness={"optimum": repr(found)},
            confirmed_by="the certificate, checked by a second reading of the statement",
        )
    value = found.value if isinstance(relation.lhs, Minimum) else found.argmin[over]
    same = combine(Identity((eq(value, relation.rhs),)).evidence(budget))
    if same.verdict is not Verdict.PROVED:
        return same
    sizes = [[over.name, text_of(found.argmin[over])]]
    proof = exported(found.certificate, {"value": text_of(found.value), "sizes": sizes})
    certificate = {"kind": rereading.KIND, "relation": relation_texts(relation), "posynomial": proof}
    try:
        rereading.reread(certificate)
    except Unreadable as problem:
        return cannot_evaluate(f"{relation} is not decided: {problem}")
    except Rejected as problem:
        return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
    return Evidence(
        Verdict.PROVED,
        Grade.EXACT,
        f"{relation} holds: nothing does better, by weighted AM-GM",
        {"certificate": certificate, "rechecked_by": rereading.__name__},
    )
