"""What a formula is in each of its symbols, and why: the results of the rules, as words."""

from __future__ import annotations

__all__ = ["InferredShape", "infer_shape", "infer_shapes"]

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from theory.relation import Relation
from theory.shapes.rules import Node, Reason, Rules
from theory.shapes.signs import UNKNOWN, ZERO, Domain
from theory.vocabulary import as_formula, as_text

DIRECTIONS = ("increasing", "decreasing")
CURVATURES = ("convex", "concave", "affine")


@dataclass(frozen=True)
class InferredShape:
    """What the rules say of a formula in one variable, others fixed, for all real values on the domain.

    ``increasing`` and ``decreasing`` are meant weakly; an affine formula is both convex and concave. A property
    that is False was not inferred, which does not say that the formula lacks it.
    """

    variable: sp.Symbol
    node: Node

    @property
    def increasing(self) -> bool:
        return self.node.slope.nonnegative

    @property
    def decreasing(self) -> bool:
        return self.node.slope.nonpositive

    @property
    def convex(self) -> bool:
        return self.node.bend.nonnegative

    @property
    def concave(self) -> bool:
        return self.node.bend.nonpositive

    @property
    def affine(self) -> bool:
        return self.convex and self.concave

    @property
    def sign(self) -> str:
        """The formula's own sign: positive, nonnegative, zero, nonpositive, negative, or of unknown sign."""
        return str(self.node.sign)

    @property
    def direction(self) -> str:
        """increasing, decreasing, constant or unknown."""
        return _direction(self.node)

    @property
    def curvature(self) -> str:
        """convex, concave, affine or unknown."""
        return _curvature(self.node)

    def explain(self) -> str:
        """Which rules decided, down to the smallest parts: for the direction, and where it differs for the curvature."""
        asked = [name for name in ("why_slope", "why_bend") if getattr(self.node, name)]
        reasons = ["\n".join(_lines(self.node, name, 0)) for name in asked]
        return "\n".join(dict.fromkeys(reasons)) or f"{self!r}; no rule applies"

    def __repr__(self) -> str:
        return f"{as_text(self.node.formula)} in {self.variable}: {_says(self.node)}"


def infer_shape(formula: sp.Expr, variable: sp.Symbol, domain: Iterable[Relation] = ()) -> InferredShape:
    """Sign, direction and curvature of ``formula`` in ``variable`` on ``domain``, as far as the rules decide them.

    ``domain`` holds bounds ``symbol >= bound``, ``>`` or ``<``, one of each side a symbol; a bound may hold other symbols. A
    symbol without bounds is what its assumptions say: 1 or more for positive integers, above 0 for positive symbols.
    Where the formula is not seen to have a real value on all of the domain, nothing is inferred. ValueError for a
    domain of another form.

    >>> from theory import M, Relation, e, infer_shape, k, log
    >>> infer_shape(k * log(e * M / k), k, [Relation(k, ">=", 1), Relation(M, ">=", k)])
    k*log(e*M/k) in k: positive, increasing, concave
    """
    return _infer(as_formula(formula, "infer_shape: formula"), variable, tuple(domain))


@lru_cache(maxsize=4096)
def _infer(formula: sp.Expr, variable: sp.Symbol, conditions: tuple[Relation, ...]) -> InferredShape:
    domain = _domain(conditions)
    if not domain.has_values(formula) or not domain.is_interval(variable):
        return InferredShape(variable, Node(formula, variable, UNKNOWN))
    rules = Rules(domain, variable)
    node = rules.node(formula)
    multiplied_out = sp.expand(formula, log=False, power_base=False, power_exp=False)
    if not node.decided and multiplied_out != formula:
        other = rules.node(multiplied_out)
        node = node.learn("multiplied out", other.slope, other.bend, (other,))
    return InferredShape(variable, node)


@lru_cache(maxsize=256)
def _domain(conditions: tuple[Relation, ...]) -> Domain:
    """One for all variables: it remembers the signs it found."""
    return Domain(conditions)


def infer_shapes(formula: sp.Expr, domain: Iterable[Relation] = ()) -> dict[sp.Symbol, InferredShape]:
    """`infer_shape` for each symbol of the formula, by name."""
    symbols = sorted(formula.free_symbols, key=lambda s: str(s.name))
    return {symbol: infer_shape(formula, symbol, domain) for symbol in symbols}


def summary(shapes: dict[sp.Symbol, InferredShape]) -> str:
    """One line: in which symbols the formula is what, and where the rules did not decide."""
    said = []
    for word in (*DIRECTIONS, *CURVATURES):
        named = [str(s) for s, shape in shapes.items() if word in (shape.direction, shape.curvature)]
        said += [f"{word} in {', '.join(named)}"] if named else []
    for question in ("direction", "curvature"):
        open_in = [str(s) for s, shape in shapes.items() if getattr(shape, question) == "unknown"]
        said += [f"{question} unknown in {', '.join(open_in)}"] if open_in else []
    return "; ".join(said)


def _direction(node: Node) -> str:
    if node.slope.nonnegative and node.slope.nonpositive:
        return "constant"
    return "increasing" if node.slope.nonnegative else "decreasing" if node.slope.nonpositive else "unknown"


def _curvature(node: Node) -> str:
    if node.bend.nonnegative and node.bend.nonpositive:
        return "affine"
    return "convex" if node.bend.nonnegative else "concave" if node.bend.nonpositive else "unknown"


def _says(node: Node) -> str:
    direction, curvature = _direction(node), _curvature(node)
    return ", ".join(
        [
            str(node.sign),
            "direction unknown" if direction == "unknown" else direction,
            "curvature unknown" if curvature == "unknown" else curvature,
        ]
    )


def _lines(node: Node, name: str, depth: int) -> Iterator[str]:
    """A part, with the rule that gave what ``name`` says, and the parts that this rule looked at."""
    reason: Reason | None = getattr(node, name)
    by = f", by {reason.rule}" if reason else ""
    yield f"{'  ' * depth}{as_text(node.formula)} in {as_text(node.coordinate)}: {_says(node)}{by}"
    for part in reason.parts if reason else ():
        if part.slope != ZERO:
            yield from _lines(part, name, depth + 1)
