"""A certificate as plain data, with its statement as text and the proofs of signs that a reader asks for.

What `verify.recheck.rates` reads: it shares no code with the search, and what it does not see by itself, the sign
of a polynomial or that the regions cover all parameters, is proved here and carried along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.rates.certificate import Cell, Certificate, WeightedBound
from theory.rates.conditions import Condition
from theory.rates.field import Field, Fraction, Polynomial
from theory.rates.growth import Growth, Monomial
from theory.rates.problem import RateProblem
from theory.rates.sign_proofs import prove_covering
from theory.vocabulary import TextPrinter
from verify.recheck import rates, signs
from verify.recheck.formulas import quoted
from verify.recheck.ratios import spelled
from verify.recheck.rejected import Rejected


@dataclass(frozen=True)
class Audit:
    """What the second reading found wrong, or, where ``is_open``, could not decide; true where it found nothing."""

    faults: tuple[str, ...]
    is_open: bool = False

    def __bool__(self) -> bool:
        return not self.faults

    def __repr__(self) -> str:
        return f"Audit: {self}"

    def __str__(self) -> str:
        return "; ".join(self.faults) or "every step of the certificate holds"


def check(certificate: Certificate) -> Audit:
    """Whether every claim of the certificate follows from its statement, by a second reading."""
    try:
        return audited(exported(certificate), rates.reread)
    except Rejected as fault:
        return Audit((str(fault),))


def audited(certificate: Mapping[str, Any], reread: Callable[[Mapping[str, Any]], None]) -> Audit:
    """What a reader says of an exported certificate, after a round trip through JSON."""
    try:
        reread(json.loads(json.dumps(certificate)))
    except signs.Open as fault:
        return Audit((str(fault),), is_open=True)
    except Rejected as fault:
        return Audit((str(fault),))
    return Audit(())


def exported(certificate: Certificate, conclusion: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The certificate as data that JSON can hold; ``conclusion`` is what is claimed to follow from it.

    `Rejected` where the certificate is in other parameters than its statement.
    """
    data = _data(certificate)
    if conclusion is not None:
        data["conclusion"] = dict(conclusion)
    with suppress(Rejected):  # the reader will say it again
        data = rates.with_proofs(data, prove_covering)
    return data


def text_of(expr: sp.Expr) -> str:
    """A formula as `verify.recheck.formulas` reads it."""
    return str(_Text().doprint(expr))


class _Text(TextPrinter):
    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return quoted(expr.name)


def statement_data(problem: RateProblem) -> dict[str, Any]:
    """The statement as its author wrote it."""
    written = problem.written or problem
    return {
        "objective": text_of(written.rate),
        "sizes": [s.name for s in written.sizes],
        "given": [[s.name, text_of(exponent)] for s, exponent in problem.given],
        "constraints": [[text_of(lhs), text_of(rhs)] for lhs, rhs in written.constraints],
        "assumptions": [[text_of(lhs), text_of(rhs), strict] for lhs, rhs, strict in problem.assumptions],
        "small": sorted(s.name for s in written.small),
        "parameters": [s.name for s in problem.parameters],
        "bases": {s.name: text_of(base) for s, base in problem.bases},
        "at": {s.name: text_of(number) for s, number in problem.at},
    }


class Numbering:
    """The monomials of a certificate, each written once."""

    def __init__(self, problem: RateProblem) -> None:
        self.field = problem.field
        self.sizes = [s.name for s in (problem.written or problem).sizes]
        self.found: dict[Monomial, int] = {}

    def bound(self, bound: WeightedBound) -> dict[str, Any]:
        parts = {"weights": bound.weights, "multipliers": bound.multipliers}
        return {
            name: [[self._number(m), ratio_text(self.field, w)] for m, w in part]
            for name, part in parts.items()
        }

    def _number(self, monomial: Monomial) -> int:
        return self.found.setdefault(monomial, len(self.found))

    def monomials(self) -> list[Any]:
        return [
            [
                {s: ratio_text(self.field, p) for s, p in zip(self.sizes, m.powers, strict=True) if p},
                growth_data(self.field, m.constant),
            ]
            for m in self.found
        ]


def growth_data(field: Field, growth: Growth) -> dict[str, str]:
    """The levels that are not 0."""
    return {
        name: ratio_text(field, level)
        for name, level in zip(("power", "delta", "omega", "logs"), growth.levels, strict=True)
        if level
    }


def ratio_text(field: Field, element: Fraction) -> str:
    above, below = (_polynomial_text(field, part) for part in (element.num, element.den))
    return above if below == "1" else f"({above})/({below})"


def _polynomial_text(field: Field, polynomial: Polynomial) -> str:
    if len(polynomial.context().names()) != len(field.parameters):
        raise Rejected(
            "the statement cannot be read a second time: its parameters are not those of the certificate"
        )
    return spelled(polynomial, [symbol.name for symbol in field.parameters])


def _data(certificate: Certificate) -> dict[str, Any]:
    field, numbering = certificate.problem.field, Numbering(certificate.problem)
    cells = [_cell(field, numbering, cell) for cell in certificate.cells]
    return {
        "kind": rates.KIND,
        "statement": statement_data(certificate.problem),
        "monomials": numbering.monomials(),
        "cells": cells,
        "complete": certificate.complete,
    }


def _cell(field: Field, numbering: Numbering, cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {
        "region": [_condition(field, condition) for condition in cell.region],
        "outcome": cell.outcome.name,
        "bounds": [numbering.bound(bound) for bound in cell.bounds],
    }
    if cell.value is not None:
        data["value"] = growth_data(field, cell.value)
    if cell.point is not None:
        data["point"] = [growth_data(field, growth) for growth in cell.point]
    if cell.ray is not None:
        data["ray"] = [ratio_text(field, step) for step in cell.ray]
    if cell.least != WeightedBound((), ()):
        data["least"] = numbering.bound(cell.least)
    return data


def _condition(field: Field, condition: Condition) -> list[Any]:
    return [[ratio_text(field, level) for level in condition.levels], condition.strict]
