"""Polynomial and rational inequalities: by coefficients, weighted means or squares; an SMT solver looks for counterexamples."""

from __future__ import annotations

__all__ = ["PolynomialInequality"]

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import sympy as sp

from theory.relation import Relation
from verify.checks.ball_inequality import gap_of
from verify.checks.base import Budget, OneRelation
from verify.checks.gap_rule import GapRule, beyond
from verify.checks.stated import stated, where
from verify.errors import InputError
from verify.recheck import means, squares
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.search.counterexamples import first_failure
from verify.search.domains import Values, check_domain, values_of
from verify.search.means import polynomial_above, prove_by_means
from verify.search.squares import prove_by_squares
from verify.verdicts import Evidence, Grade, Verdict, combine

Search = Callable[[Relation, Sequence[Relation]], dict[str, Any] | None]
UNITS_PER_BOX = 1000
"""Resource units of the solver for each box of the budget."""


@dataclass(frozen=True)
class PolynomialInequality(OneRelation):
    """A rational inequality for all real values of a domain (one lower bound a symbol, in turn).

    PROVED: above their lower bounds, all coefficients have one sign, or weighted means of the positive ones outweigh
    the negative ones, or the gap is a square times what is not negative; a second checker reads the certificate.
    REFUTED: z3 gives a rational counterexample that Arb and mpmath confirm. INCONCLUSIVE at grade smt: z3 finds none,
    neither to the cleared polynomial nor to the inequality read from its text, which leaves nothing that can be
    checked again. Without z3 the last step is NOT_TESTABLE.
    """

    changes = "inequalities"

    domain: tuple[Relation, ...]

    def validate(self) -> None:
        super().validate()
        check_domain(
            self.domain,
            self.relation.lhs.free_symbols | self.relation.rhs.free_symbols,
            "PolynomialInequality",
        )
        gap = gap_of(self.relation)
        if self.relation.op not in ("<=", ">=") or not gap.is_rational_function(*gap.free_symbols):
            raise InputError(f"PolynomialInequality: expected a rational <= or >=, got {self.relation}")

    def values(self) -> Iterable[Values]:
        return values_of(self.domain)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        by_coefficients = combine(GapRule(self.relation, self.domain).evidence(budget))
        if by_coefficients.verdict is not Verdict.INCONCLUSIVE:
            yield by_coefficients
            return
        for search, (reader, words) in _SEARCHES.items():
            proof = search(self.relation, self.domain)
            if proof is not None:
                yield self._certified(proof, reader, words)
                return
        if polynomial_above(self.relation, self.domain) is None:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.SMT,
                f"{self.relation}: the solver takes rational coefficients only",
            )
            return
        try:
            import z3
        except ImportError:
            yield Evidence(
                Verdict.NOT_TESTABLE, Grade.SMT, "needs z3: pip install z3-solver", missing="z3-solver"
            )
            return
        yield self._by_solver(z3, budget)

    def where(self) -> str:
        return where(self.domain)

    def _certified(self, proof: dict[str, Any], reader: ModuleType, words: str) -> Evidence:
        certificate = {"kind": reader.KIND, **stated(self.relation, self.domain), **proof}
        try:
            reader.reread(certificate)
        except Unreadable as problem:
            return beyond(self.relation, problem)
        except Rejected as problem:
            return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
        return Evidence(
            Verdict.PROVED,
            Grade.EXACT,
            f"{self.relation} proved for all {', '.join(map(str, self.domain))}: {words}",
            {"certificate": certificate, "rechecked_by": reader.__name__},
        )

    def _by_solver(self, z3: Any, budget: Budget) -> Evidence:
        names = {c.lhs.name: z3.Real(c.lhs.name) for c in self.domain}
        first, model = _solve(z3, self._cleared(z3, names), budget)
        second, _ = _solve(z3, self._as_written(z3, names), budget)
        domain = ", ".join(map(str, self.domain))
        if first == second == "unsat":
            return Evidence(
                Verdict.INCONCLUSIVE,
                Grade.SMT,
                f"z3 finds no counterexample to {self.relation} for all {domain}, in two formulations; "
                "it gives no certificate, so this is not called a proof",
                {"solver": f"z3 {z3.get_version_string()}"},
            )
        if first == "sat":
            point = {c.lhs: _rational(model, names[c.lhs.name]) for c in self.domain}
            refuted = first_failure(self.relation, [point]) if None not in point.values() else None
            if refuted is not None:
                return refuted
        return Evidence(
            Verdict.INCONCLUSIVE,
            Grade.SMT,
            f"z3 answers {first} and {second} on the negation of {self.relation}",
        )

    def _cleared(self, z3: Any, names: dict[str, Any]) -> list[Any]:
        """The domain, and numerator times denominator negative."""
        conditions = []
        for condition in self.domain:
            above = _polynomial(condition.lhs - condition.rhs, names)
            conditions.append(above >= 0 if condition.op == ">=" else above > 0)
        numerator, denominator = sp.fraction(sp.cancel(sp.together(gap_of(self.relation))))
        return [*conditions, _polynomial(sp.expand(numerator * denominator), names) < 0]

    def _as_written(self, z3: Any, names: dict[str, Any]) -> list[Any]:
        """The domain and the negated inequality, read from their texts with divisions left in place."""
        nonzero: list[Any] = []
        texts = [(str(r.lhs), str(r.rhs)) for r in (*self.domain, self.relation)]
        sides = [
            [_read(z3, ast.parse(text, mode="eval").body, names, nonzero) for text in pair] for pair in texts
        ]
        *domain, (left, right) = sides
        negated = left > right if self.relation.op == "<=" else left < right
        bounds = [
            lhs >= rhs if c.op == ">=" else lhs > rhs
            for c, (lhs, rhs) in zip(self.domain, domain, strict=True)
        ]
        return [*bounds, negated, *(d != 0 for d in nonzero)]


_SEARCHES: Mapping[Search, tuple[ModuleType, str]] = {
    prove_by_means: (means, "weighted means of its positive terms outweigh the negative ones"),
    prove_by_squares: (squares, "a square times what is seen not to be negative"),
}
"""Each search for a certificate, with the checker that reads it, and what it shows."""


def _solve(z3: Any, constraints: list[Any], budget: Budget) -> tuple[str, Any]:
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", budget.boxes * UNITS_PER_BOX)
    solver.add(*constraints)
    answer = str(solver.check())
    return answer, solver.model() if answer == "sat" else None


def _polynomial(expr: sp.Expr, names: dict[str, Any]) -> Any:
    """A sum of monomials as a term of the solver; integer ratios stay exact."""
    symbols = sorted(expr.free_symbols, key=lambda s: str(s.name))
    total: Any = 0
    polynomial = sp.Poly(expr, *symbols) if symbols else None
    terms = polynomial.terms() if polynomial is not None else [((), sp.Rational(expr))]
    scale = sp.ilcm(1, *(c.q for _, c in terms))
    for powers, c in terms:
        term: Any = int(c * scale)
        for symbol, power in zip(symbols, powers, strict=True):
            for _ in range(power):
                term = term * names[symbol.name]
        total = total + term
    return total


def _read(z3: Any, node: ast.expr, names: dict[str, Any], nonzero: list[Any]) -> Any:
    if isinstance(node, ast.Constant):
        return z3.RealVal(node.value)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp):
        return -_read(z3, node.operand, names, nonzero)
    assert isinstance(node, ast.BinOp)
    left, right = (_read(z3, side, names, nonzero) for side in (node.left, node.right))
    if isinstance(node.op, ast.Div):
        nonzero.append(right)
        return left / right
    if isinstance(node.op, ast.Pow):
        whole = int(ast.literal_eval(node.right))
        power = z3.RealVal(1)
        for _ in range(abs(whole)):
            power = power * left
        if whole < 0:
            nonzero.append(left)
            return 1 / power
        return power
    return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)]


def _rational(model: Any, name: Any) -> sp.Rational | None:
    value = model.eval(name, model_completion=True)
    if hasattr(value, "as_fraction"):
        return sp.Rational(value.as_fraction())
    return sp.Rational(value.approx(20).as_fraction()) if hasattr(value, "approx") else None
