"""What is to be minimised: sizes, scale, constraints and parameters, read and checked before any work.

A *size* is a variable that grows (or, when small, vanishes) polynomially with
the scale; every other symbol is a positive *parameter*. A relation between
sizes is a constraint up to constants; a relation between parameters alone is an
assumption under which the answer is sought.
"""

from __future__ import annotations

__all__ = ["RateError"]

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import sympy as sp

from theory.errors import MoelawsError
from theory.rates.field import Field, NotRational
from theory.relation import Relation


class RateError(MoelawsError):
    """A rate, a size or a constraint that the calculus cannot take as written; the text says what to do."""


@dataclass(frozen=True)
class RateProblem:
    """Minimise ``rate`` over ``sizes``, as the scale grows, subject to ``lhs <= rhs`` up to constants.

    ``given`` lists the fixed sizes with their exponents in the scale, the scale
    first; ``assumptions`` are triples ``(lhs, rhs, strict)`` between parameters.
    ``written`` is the statement before any rewriting: ``bases`` are the sizes that `_with_power_as_size` replaced
    and the numbers in whose exponent they stood, ``at`` the numbers that were put for symbols.
    """

    rate: sp.Expr
    sizes: tuple[sp.Symbol, ...]
    given: tuple[tuple[sp.Symbol, sp.Expr], ...]
    constraints: tuple[tuple[sp.Expr, sp.Expr], ...]
    assumptions: tuple[tuple[sp.Expr, sp.Expr, bool], ...]
    small: frozenset[sp.Symbol]
    written: RateProblem | None = None
    bases: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    at: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()

    @property
    def scale(self) -> sp.Symbol:
        return self.given[0][0]

    @cached_property
    def parameters(self) -> tuple[sp.Symbol, ...]:
        exprs = [self.rate, *(e for _, e in self.given)]
        exprs += [side for lhs, rhs in self.constraints for side in (lhs, rhs)]
        exprs += [side for lhs, rhs, _ in self.assumptions for side in (lhs, rhs)]
        varying = {*self.sizes, *(symbol for symbol, _ in self.given)}
        found = set().union(*(e.free_symbols for e in exprs)) - varying
        return tuple(sorted(found, key=str))

    @cached_property
    def field(self) -> Field:
        return Field(self.parameters)

    @property
    def has_exponentials(self) -> bool:
        """Whether some size stands in exp(...)."""
        return any(e.has(*self.sizes) for side in self._sides() for e in side.atoms(sp.exp))

    @property
    def constants(self) -> tuple[sp.Symbol, ...]:
        """The parameters that bound a size, as one that is left out of ``over`` would: those in constraints, bare."""
        sides = [side for pair in self.constraints for side in pair]
        bare = [side.replace(sp.exp, lambda _: sp.Integer(1)) for side in sides]
        bare = [side.replace(lambda e: e.is_Pow, lambda e: e.base) for side in bare]
        found = set().union(*(side.free_symbols for side in bare))
        return tuple(symbol for symbol in self.parameters if symbol in found)

    def _sides(self) -> list[sp.Expr]:
        return [self.rate, *(side for pair in self.constraints for side in pair)]


def read_problems(
    caller: str,
    rate: object,
    over: object,
    given: object,
    subject_to: object,
    small: object,
    *,
    beyond: Sequence[sp.Symbol] = (),
) -> tuple[RateProblem, ...]:
    """The arguments of ``minimise`` as a `RateProblem` for each range of the sizes; `RateError` names the one that is wrong.

    A size that stands in an exponent may be of the order of the scale's logarithm or less, or above every multiple of it:
    these are two problems, and the statement is about the better choice of both. Those of ``beyond`` are above.
    """
    problem = read_statement(caller, rate, over, given, subject_to, small)
    ranges = [problem]
    for size in problem.sizes:
        if size not in beyond:
            ranges = [way for each in ranges for way in _ranges(each, size)]
    for symbol, exponent in problem.given:
        try:
            problem.field.read(exponent)
        except NotRational:
            raise RateError(
                f"{caller}(given={{{symbol}: {exponent}}}): expected the exponent of {symbol} in "
                f"{problem.scale} as a rational function of positive parameters"
            ) from None
    return tuple(ranges)


def read_statement(
    caller: str,
    rate: object,
    over: object,
    given: object,
    subject_to: object,
    small: object,
) -> RateProblem:
    """Objective, sizes and relations with their symbols checked; what the objective may be is not looked at."""
    expr = expression(caller, "rate", rate)
    sizes = _symbols(caller, "over", over)
    fixed = _given(caller, given)
    _disjoint(caller, sizes, fixed)
    smalls = _symbols(caller, "small", small)
    for symbol in smalls:
        if symbol not in sizes:
            raise RateError(f"{caller}(small={symbol}): {symbol} is not minimised over; list it in over= too")
    constraints, assumptions = _relations(caller, subject_to, {*sizes, *(s for s, _ in fixed)})
    problem = RateProblem(expr, sizes, fixed, constraints, assumptions, frozenset(smalls))
    _check_symbols(caller, problem)
    return problem


def _ranges(problem: RateProblem, size: sp.Symbol) -> Iterator[RateProblem]:
    """The problem for a size above every multiple of the scale's logarithm, and for one up to these.

    The one that the notation suggests comes first: above for exp(m), up to multiples for 2**m.
    """
    moderate = _with_power_as_size(problem, size)
    if moderate is problem:
        yield problem
        return
    powers = {p: sp.exp(p.exp) for p in _powers(problem, size) if p.base != sp.E}
    beyond = _replaced(problem, lambda side: side.xreplace(powers)) if powers else problem
    yield from (moderate, beyond) if powers else (beyond, moderate)


def _powers(problem: RateProblem, size: sp.Symbol) -> list[sp.Expr]:
    """The powers of numbers, e among them, in whose exponent a size stands."""
    sides = [problem.rate, *(side for pair in problem.constraints for side in pair)]
    return [p for side in sides for p in side.atoms(sp.Pow, sp.exp) if p.base.is_number and p.exp.has(size)]


def _replaced(problem: RateProblem, read: Callable[[sp.Expr], sp.Expr]) -> RateProblem:
    """The problem with its formulas rewritten; it keeps what was written."""
    return replace(
        problem,
        rate=read(problem.rate),
        constraints=tuple((read(lhs), read(rhs)) for lhs, rhs in problem.constraints),
        written=problem.written or problem,
    )


def _with_power_as_size(problem: RateProblem, size: sp.Symbol) -> RateProblem:
    """The problem with H = 2^h in place of a size h that stands in the exponent of a number.

    Then 2^(r h) is H^r and h itself log(e H), up to constants: the same statement for
    h up to every multiple of the logarithm of the scale. The new size is named ``2^h``. A size that
    vanishes stays: h would be below log(e H).
    """
    if size in problem.small:
        return problem
    powers = _powers(problem, size)
    if not powers or any((p.exp / size).has(*problem.sizes) for p in powers):
        return problem
    base = min((p.base for p in powers), key=lambda b: (b < 1, sp.default_sort_key(b)))
    rates = {p: sp.simplify(p.exp / size * sp.log(p.base) / sp.log(base)) for p in powers}
    if base <= 1 or any(rate.has(sp.log) for rate in rates.values()):
        return problem
    whole = sp.Symbol(f"{'e' if base == sp.E else base}^{size}", positive=True)

    def read(expr: sp.Expr) -> sp.Expr:
        return expr.xreplace({p: whole**rate for p, rate in rates.items()}).xreplace(
            {size: sp.log(sp.E * whole)}
        )

    return replace(
        _replaced(problem, read),
        sizes=tuple(whole if s == size else s for s in problem.sizes),
        bases=(*problem.bases, (size, base)),
    )


def _check_symbols(caller: str, problem: RateProblem) -> None:
    """Every symbol positive, of a name of its own, and every size in use."""
    seen: dict[str, sp.Symbol] = {}
    for symbol in (*problem.sizes, *dict(problem.given), *problem.parameters):
        if not symbol.is_positive:
            raise RateError(
                f"{caller}: {symbol} is not known to be positive; declare it Symbol('{symbol}', positive=True)"
            )
        if str(symbol) in seen:
            raise RateError(
                f"{caller}: two different symbols are named {symbol} (their assumptions differ); use one of them throughout"
            )
        seen[str(symbol)] = symbol
    used = problem.rate.free_symbols.union(*(e.free_symbols for pair in problem.constraints for e in pair))
    for symbol in problem.sizes:
        if symbol not in used:
            raise RateError(
                f"{caller}(over={symbol}): {symbol} occurs neither in the rate nor in a constraint"
            )


def expression(caller: str, argument: str, value: object) -> sp.Expr:
    """A sympy expression without floats; `RateError` names the argument where it is none."""
    try:
        expr = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError, AttributeError) as fault:
        raise RateError(f"{caller}({argument}={value!r}): expected a sympy expression") from fault
    if not isinstance(expr, sp.Expr):
        raise RateError(
            f"{caller}({argument}={value!r}): expected a sympy expression, got {type(expr).__name__}"
        )
    if expr.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise RateError(
            f"{caller}({argument}={expr}): {expr} holds an infinity; a rate is made of finite numbers and sizes, "
            "and an exponent that may be any number is a Symbol"
        )
    if expr.has(sp.Float):
        number = next(iter(expr.atoms(sp.Float)))
        raise RateError(
            f"{caller}({argument}={expr}): the float {number} has no exact value; "
            f"write an integer or Rational('{sp.Rational(str(number))}')"
        )
    return expr


def _symbols(caller: str, argument: str, value: object) -> tuple[sp.Symbol, ...]:
    items = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    for item in items:
        if not isinstance(item, sp.Symbol):
            raise RateError(f"{caller}({argument}={value!r}): expected sympy symbols, got {item!r}")
    if len(set(items)) != len(items):
        raise RateError(f"{caller}({argument}={value!r}): a symbol is listed twice; list each once")
    return items


def _given(caller: str, given: object) -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    pairs: Mapping[object, object] = given if isinstance(given, Mapping) else {given: 1}
    found = []
    for symbol, exponent in pairs.items():
        (checked,) = _symbols(caller, "given", symbol)
        found.append((checked, expression(caller, f"given[{symbol}]", exponent)))
    found.sort(key=lambda pair: pair[1] != 1)  # the scale first; the sort keeps the order otherwise
    if not found or found[0][1] != 1:
        raise RateError(
            f"{caller}(given={given!r}): expected the scale, as given=n or with exponent 1 as given={{n: 1, M: mu}}"
        )
    return tuple(found)


def _disjoint(caller: str, sizes: Sequence[sp.Symbol], fixed: Sequence[tuple[sp.Symbol, sp.Expr]]) -> None:
    for symbol, _ in fixed:
        if symbol in sizes:
            raise RateError(
                f"{caller}: {symbol} is both in over= and in given=; a size is either free or fixed"
            )


def _relations(
    caller: str, subject_to: object, varying: set[sp.Symbol]
) -> tuple[tuple[tuple[sp.Expr, sp.Expr], ...], tuple[tuple[sp.Expr, sp.Expr, bool], ...]]:
    """Relations split into constraints on sizes and assumptions on parameters, each as ``lhs <= rhs``."""
    single = isinstance(subject_to, Relation | sp.Basic | bool) or not isinstance(subject_to, Iterable)
    items = (subject_to,) if single else tuple(subject_to)  # type: ignore[arg-type]
    constraints: list[tuple[sp.Expr, sp.Expr]] = []
    assumptions: list[tuple[sp.Expr, sp.Expr, bool]] = []
    for i, item in enumerate(items):
        where = f"subject_to[{i}]"
        if item is sp.true or item is True:
            continue
        for lhs, rhs, strict in _as_less_or_equal(caller, where, item):
            left, right = _without_minus(expression(caller, where, lhs), expression(caller, where, rhs))
            if (left.free_symbols | right.free_symbols) & varying:
                if right.is_nonpositive:
                    raise RateError(
                        f"{caller}({where}={item}): a positive quantity is never at most {right}; drop or mend it"
                    )
                constraints.append((left, right))
            else:
                assumptions.append((left, right, strict))
    return tuple(constraints), tuple(assumptions)


def _without_minus(left: sp.Expr, right: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Both sides with every term that has a minus sign taken to the other: k - M <= 0 is k <= M."""
    if not any(
        term.as_coeff_Mul()[0].is_negative for side in (left, right) for term in sp.Add.make_args(side)
    ):
        return left, right
    terms = sp.Add.make_args(sp.expand(left - right))
    below = [-term for term in terms if term.as_coeff_Mul()[0].is_negative]
    return sp.Add(*(term for term in terms if -term not in below)), sp.Add(*below)


def _as_less_or_equal(caller: str, where: str, item: object) -> list[tuple[sp.Expr, sp.Expr, bool]]:
    op = item.op if isinstance(item, Relation) else getattr(item, "rel_op", None)
    if op not in ("==", "<=", "<", ">=", ">"):
        advice = "; Python compares with == on the spot, write Eq(left, right)" if item is False else ""
        raise RateError(
            f"{caller}({where}={item!r}): expected a relation such as k <= M or Eq(N*D, C) that can hold{advice}"
        )
    lhs, rhs = item.lhs, item.rhs  # type: ignore[attr-defined]
    if op == "==":
        return [(lhs, rhs, False), (rhs, lhs, False)]
    return [(lhs, rhs, op == "<")] if op in ("<=", "<") else [(rhs, lhs, op == ">")]
