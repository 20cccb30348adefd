"""In what a bound rises or falls and how it bends, for all values of a domain."""

from __future__ import annotations

__all__ = ["Shape"]

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import sympy as sp

from theory.relation import Relation, eq
from theory.shapes.infer import CURVATURES, DIRECTIONS
from theory.vocabulary import as_text
from verify.checks.base import Budget, Check
from verify.checks.gap_rule import RECHECKED_BY, GapRule, recheck_relation, strict_names
from verify.checks.identity import is_identity
from verify.errors import InputError
from verify.recheck.gap_rule import is_continuous
from verify.recheck.rejected import Rejected
from verify.search.counterexamples import counterexample
from verify.search.domains import Values, check_domain, values_of
from verify.verdicts import Evidence, Grade, Verdict

Posed: TypeAlias = tuple[Relation, tuple[Relation, ...]]
"""A relation and the domain on which it is to be proved."""
_OP = {"increasing": ">=", "decreasing": "<=", "convex": ">=", "concave": "<="}
_OPPOSITE = {"increasing": "decreasing", "decreasing": "increasing", "convex": "concave", "concave": "convex"}
_BOXES_PER_NODE = 20
"""A shape that has a proof has a short one; with many symbols a long search for none is slow."""
_BY_EXPONENTS = "every summand has the shape by its exponent"


@dataclass(frozen=True)
class Shape(Check):
    """``bound`` is increasing, decreasing, convex, concave or affine in ``variable`` on a domain, others fixed.

    The claim is about differences, f(x + s) - f(x) and f(x + s + t) - f(x + s) - f(x + t) + f(x) for all
    s, t > 0, which need no derivative; between integers it is about real values too, except where something
    is counted (s = t = 1). PROVED: every summand, a product of powers, has the shape by its exponent; or the
    derivative inside the domain, or the differences, have one sign by the gap rule; or, with a Min or Max inside,
    the bound rises with that and each branch has the shape. REFUTED: a difference has the other sign at an exact
    point, by Arb and mpmath.
    """

    bound: sp.Expr
    variable: sp.Symbol
    shape: str
    domain: tuple[Relation, ...]

    def validate(self) -> None:
        if self.shape not in (*DIRECTIONS, *CURVATURES):
            raise InputError(
                f"Shape(shape={self.shape!r}): expected one of {', '.join((*DIRECTIONS, *CURVATURES))}"
            )
        if self.variable not in [condition.lhs for condition in self.domain]:
            raise InputError(f"Shape(variable={self.variable}): expected a symbol of the domain")
        check_domain(self._with_plain_names.domain, self._with_plain_names.bound.free_symbols, "Shape")

    def values(self) -> Iterable[Values]:
        return values_of(self.domain)

    def claimed(self) -> Sequence[Relation]:
        return (self._without_constants()._difference(self._fresh("s"), self._fresh("t")),)

    def opposite(self) -> dict[str, object]:
        """Fields that make the claim false unless the bound is constant, or affine in the variable."""
        if self.shape == "affine":
            return {"bound": self.variable * self.bound}
        return {"shape": _OPPOSITE[self.shape]}

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        where = ", ".join(map(str, self.domain))
        says = f"{as_text(self.bound)} is {self.shape} in {self.variable}"
        shape = self._with_plain_names._without_constants()
        proof = shape._cheap_proof(budget)
        refutation = (
            None if proof else shape._refutation(0)
        )  # inside the domain, where most false shapes show
        if proof is None and refutation is None:
            proof = shape._proof(replace(budget, boxes=budget.boxes // _BOXES_PER_NODE))
        if proof is not None:
            yield replace(proof, finding=f"{says} for all {where}: {proof.finding}")
            return
        refutation = refutation or shape._refutation(budget.samples)
        if refutation is not None:
            yield replace(refutation, finding=f"not so: {says}; {refutation.finding}")
            return
        yield Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"no proof found that {says} for all {where}")

    @property
    def _with_plain_names(self) -> Shape:
        """The same with symbols called like a constant renamed."""
        names = {
            s: self._fresh(s.name, **s.assumptions0)
            for s in (c.lhs for c in self.domain)
            if s.name in ("e", "pi")
        }
        if not names:
            return self
        domain = tuple(Relation(c.lhs.xreplace(names), c.op, c.rhs.xreplace(names)) for c in self.domain)
        return replace(
            self,
            bound=self.bound.xreplace(names),
            variable=names.get(self.variable, self.variable),
            domain=domain,
        )

    def _fresh(self, name: str, **assumptions: bool) -> sp.Symbol:
        """A symbol of this name, longer where the domain has one; positive unless assumptions are given."""
        taken = {c.lhs.name for c in self.domain}
        while name in taken:
            name += "_"
        return sp.Symbol(name, **(assumptions or {"positive": True}))

    def _without_constants(self) -> Shape:
        """The same without the summands that the variable does not enter: every difference loses them.

        They are left out only where they are seen to have a real value on all of the domain.
        """
        if not self.bound.has(self.variable):
            return self
        kept = [t for t in sp.Add.make_args(self.bound) if t.has(self.variable) or not self._is_real(t)]
        bound = sp.Add(*kept)
        return replace(self, bound=bound, domain=_open(self.domain, bound.free_symbols))

    def _is_continuous(self) -> bool:
        texts = [(c.lhs.name, as_text(c.rhs)) for c in self.domain]
        return is_continuous(as_text(self.bound), texts, strict_names(self.domain))

    def _has_values(self) -> bool:
        """Whether the bound is seen to have a real value on all of the domain."""
        return self._is_real(self.bound) or self._is_continuous()

    def _is_real(self, term: sp.Expr) -> bool:
        positive = all(_above_zero(c) for c in _open(self.domain, term.free_symbols))
        return positive and bool(_merely_positive(term).is_real)

    # What is claimed, as a relation on a domain with room for the steps

    def _counts(self) -> bool:
        return any(self.variable in e.free_symbols for e in self.bound.atoms(sp.binomial, sp.factorial))

    def _difference(self, s: sp.Expr, t: sp.Expr) -> Relation:
        f, x = self.bound, self.variable
        if self.shape in DIRECTIONS:
            return Relation(f.subs(x, x + s), _OP[self.shape], f)
        sides = f.subs(x, x + s + t) + f, f.subs(x, x + s) + f.subs(x, x + t)
        return Relation(sides[0], _OP.get(self.shape, "=="), sides[1])

    def _posed(self) -> tuple[Relation, tuple[Relation, ...]]:
        """The relation between values of the bound, and the domain on which all its points lie in the bound's own."""
        steps = [self._fresh(f"{name}_{self.variable.name}") for name in ("step", "next")]
        steps = steps[: 1 if self.shape in DIRECTIONS else 2]
        sizes = [sp.Integer(1)] * 2 if self._counts() else [*steps, sp.Integer(0)][:2]
        relation = self._difference(*sizes)
        domain: list[Relation] = []
        for condition in self.domain:
            low = condition.rhs
            if self.variable in low.free_symbols:
                if not _rises(low, self.variable):
                    raise InputError(f"Shape: the lower bound {condition} has to rise with {self.variable}")
                low = low.subs(self.variable, self.variable + (sum(sizes) if len(steps) > 1 else sizes[0]))
            domain.append(Relation(condition.lhs, condition.op, low))
            if condition.lhs == self.variable and not self._counts():
                domain += [Relation(step, ">", sp.Integer(0)) for step in steps]
        return relation, tuple(domain)

    def _refutation(self, points: int) -> Evidence | None:
        relation, domain = self._posed()
        ways = [relation] if relation.op != "==" else [replace(relation, op=op) for op in ("<=", ">=")]
        found = (counterexample(way, domain, points, inside=True) for way in ways)
        return next((evidence for evidence in found if evidence is not None), None)

    # Proofs

    def _proof(self, budget: Budget) -> Evidence | None:
        if self.shape == "affine":
            return self._identically()
        if self.bound.has(sp.Min, sp.Max):
            return self._by_branches(budget)
        return next(filter(None, (_proved(posed, how, budget) for how, posed in self._ways())), None)

    def _cheap_proof(self, budget: Budget) -> Evidence | None:
        """A proof that is worth a try before any search."""
        if self.shape == "affine":
            return self._identically() if _vanishes(self._posed()[0]) else None
        if self.bound.has(sp.Min, sp.Max):
            return None
        terms = self._terms()
        return None if terms is None else _proved(terms, _BY_EXPONENTS, budget)

    def _ways(self) -> Iterator[tuple[str, list[Posed]]]:
        """The relations that show the shape, each way with its words, cheapest first."""
        if (terms := self._terms()) is not None:
            yield _BY_EXPONENTS, terms
        if all(power.exp.is_Integer for power in self.bound.atoms(sp.Pow)):
            if not self._counts() and not self._is_continuous():
                return
            if (slope := self._slope()) is not None:
                name = "derivative" if self.shape in DIRECTIONS else "second derivative"
                yield f"the {name} has one sign", [slope]
            yield "the difference has one sign", [self._posed()]

    def recheck(self, details: Mapping[str, Any]) -> None:
        """Raise ``Rejected`` unless the certificates in ``details`` prove the shape; nothing is searched."""
        self._with_plain_names._without_constants()._recheck(details)

    def _recheck(self, details: Mapping[str, Any]) -> None:
        if self.shape == "affine":
            if self._identically() is None:
                raise Rejected(f"the second difference of {self.bound} does not vanish")
            return
        if self.bound.has(sp.Min, sp.Max):
            if not (parts := self._branches()):
                raise Rejected(f"no branches of {self.bound} show that it is {self.shape}")
            for part, inner in zip(parts, details["parts"], strict=True):
                part._recheck(inner)
            return
        posed = next((posed for how, posed in self._ways() if how == details["how"]), None)
        if posed is None:
            raise Rejected(f"{details['how']!r} does not show that {self.bound} is {self.shape}")
        for (relation, domain), certificate in zip(posed, details["certificates"], strict=True):
            recheck_relation(relation, domain, certificate)

    def _identically(self) -> Evidence | None:
        """The second difference is 0 once it is multiplied out, or by the rules of `verify.checks.identity`."""
        relation, _ = self._posed()
        if not (_vanishes(relation) or is_identity(eq(relation.lhs, relation.rhs))) or not self._has_values():
            return None
        return Evidence(
            Verdict.PROVED,
            Grade.EXACT,
            "the second difference vanishes identically",
            {"identities": [str(relation)]},
        )

    def _slope(self) -> Posed | None:
        """The derivative has one sign inside the domain, which is convex, and the bound is continuous up to its edge.

        Its factors that are positive for all positive values of their symbols are left out, where the domain has no others.
        """
        linear = all(sp.diff(c.rhs, s).is_Rational for c in self.domain for s in c.rhs.free_symbols)
        if self._counts() or not linear:
            return None
        whole = sp.factor(sp.diff(self.bound, self.variable, 1 if self.shape in DIRECTIONS else 2))
        inner = all(_nonnegative(c.rhs) for c in self.domain)
        slope = sp.Mul(
            *(f for f in sp.Mul.make_args(whole) if not (inner and _merely_positive(f).is_positive))
        )
        inside = tuple(Relation(c.lhs, ">", c.rhs) for c in _open(self.domain, slope.free_symbols))
        return Relation(slope, _OP[self.shape], sp.Integer(0)), inside

    def _by_branches(self, budget: Budget) -> Evidence | None:
        """Min of rising (falling, concave) functions is one, and so is what rises with it; Max alike for convex ones."""
        parts = self._branches()
        found = [part._proof(budget) for part in parts]
        pieces = [piece for piece in found if piece is not None]
        if not parts or len(pieces) < len(parts):
            return None
        return Evidence(
            Verdict.PROVED,
            min(piece.grade for piece in pieces),
            f"each branch of {self._choice()} has the shape, and the bound rises with it",
            {
                "certificates": [c for piece in pieces for c in piece.details.get("certificates", ())],
                "parts": [dict(piece.details) for piece in pieces],
                "rechecked_by": RECHECKED_BY,
            },
        )

    def _choice(self) -> sp.Expr:
        return max(self.bound.atoms(sp.Min, sp.Max), key=lambda e: (e.count_ops(), str(e)))

    def _branches(self) -> list[Shape]:
        """The shapes that together give this one: the bound in the Min or Max, and in each of its arguments; or none."""
        choice = self._choice()
        within = all(_nonnegative(c.rhs) for c in self.domain)
        if not (within and all(_merely_positive(arg).is_positive for arg in choice.args)):
            return []
        unfit = {"convex": sp.Min, "concave": sp.Max}.get(self.shape)
        if unfit is not None and isinstance(choice, unfit):
            return []
        inner = self._fresh("inner")
        outer = self.bound.xreplace({choice: inner})
        edge = ">" if all(map(_above_zero, self.domain)) else ">="
        domain = (*self.domain, Relation(inner, edge, sp.Integer(0)))
        parts = [Shape(outer, inner, "increasing", domain)]
        return [*parts, *(replace(self, bound=self.bound.xreplace({choice: arg})) for arg in choice.args)]

    def _terms(self) -> list[Posed] | None:
        """Each summand a product of powers of positive symbols: x T'/T is its exponent p, x^2 T''/T is p (p - 1)."""
        if not all(map(_above_zero, self.domain)):
            return None
        wanted = []
        for term in sp.Add.make_args(sp.expand(self.bound)):
            coefficient, rest = term.as_coeff_Mul()
            if not _merely_positive(rest).is_positive:
                return None
            exponent = sp.cancel(sp.together(self.variable * sp.diff(rest, self.variable) / rest))
            if exponent.has(self.variable):
                return None
            what = exponent if self.shape in DIRECTIONS else exponent * (exponent - 1)
            wanted.append(
                Relation(sp.factor(what) * (1 if coefficient > 0 else -1), _OP[self.shape], sp.Integer(0))
            )
        domains = [_open(self.domain, relation.lhs.free_symbols) for relation in wanted]
        return list(zip(wanted, domains, strict=True))


def _merely_positive(expr: sp.Expr) -> sp.Expr:
    """The same in symbols that are positive and nothing else: a shape is about real values between integers too.

    The factorial of what is not negative is positive, as the gamma function is.
    """
    plain = expr.xreplace({s: sp.Symbol(s.name, positive=True) for s in expr.free_symbols})
    factorials = [f for f in plain.atoms(sp.factorial) if f.args[0].is_nonnegative]
    return plain.xreplace({f: sp.Dummy(positive=True) for f in factorials})


def _nonnegative(low: sp.Expr) -> bool:
    return bool(_merely_positive(low).is_nonnegative)


def _above_zero(condition: Relation) -> bool:
    """Whether a lower bound keeps its symbol above 0, given that those bounded before it are."""
    low = condition.rhs
    return bool(_merely_positive(low).is_positive) or (condition.op == ">" and _nonnegative(low))


def _vanishes(relation: Relation) -> bool:
    return bool(sp.expand(relation.lhs - relation.rhs) == 0)


def _rises(low: sp.Expr, symbol: sp.Symbol) -> bool:
    """Whether a lower bound is linear in a symbol with a positive factor."""
    slope = sp.diff(low, symbol)
    return bool(slope.is_Rational and slope > 0)


def _open(domain: Sequence[Relation], used: set[sp.Symbol]) -> tuple[Relation, ...]:
    """The lower bounds that a relation needs, in their order."""
    wanted = set(used)
    for condition in reversed(domain):
        wanted |= condition.rhs.free_symbols if condition.lhs in wanted else set()
    return tuple(c for c in domain if c.lhs in wanted)


def _proved(posed: Iterable[Posed], how: str, budget: Budget) -> Evidence | None:
    """Evidence where the gap rule proves every relation on its domain."""
    pieces = list(_each(posed, budget))
    if any(piece is None or piece.verdict is not Verdict.PROVED for piece in pieces):
        return next((p for p in pieces if p is not None and p.verdict is Verdict.ERROR), None)
    found = [piece for piece in pieces if piece is not None]
    certificates = [piece.details["certificate"] for piece in found]
    details = {"how": how, "certificates": certificates, "rechecked_by": RECHECKED_BY}
    return Evidence(Verdict.PROVED, min(p.grade for p in found), how, details)


def _each(posed: Iterable[Posed], budget: Budget) -> Iterator[Evidence | None]:
    for relation, domain in posed:
        piece = GapRule(relation, domain).proof(budget)
        yield piece
        if piece.verdict is not Verdict.PROVED:
            return
