"""Can two bounds hold together? An approximation error and an entropy, or a risk, against the known limits.

A class that comes within 1/L of every function of the Hölder ball C^beta on a
d-dimensional domain, in the sup-norm, has metric entropy of at least order
L^(d/beta) (Kolmogorov and Tikhomirov 1959). So the least entropy that is
claimed for an error of at most 1/L must not grow more slowly: if it does, the
two claims contradict each other, and the sizes that show it are named.
Likewise no estimator has a risk below n^(-2 beta/(2 beta + d)) (Stone 1982).
Both limits are statements of `theory.results.lower_bounds`, the first with a constant where beta <= 1.

"Consistent" means not refuted in this way; it does not mean true.
"""

from __future__ import annotations

__all__ = ["Consistency", "PairVerdict", "consistency", "every_reading", "minimax_consistency"]

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from theory.rates import real_solver
from theory.rates.certificate import Certificate, RateOutcome
from theory.rates.conditions import Condition, Point, cleared
from theory.rates.corners import Corner, corners
from theory.rates.domain import Domain
from theory.rates.export import Audit, audited, exported, text_of
from theory.rates.growth import Growth
from theory.rates.minimise import minimised, solved
from theory.rates.notation import growth_text, name, region_text, text
from theory.rates.optimum import OptimalRate, Piece
from theory.rates.pieces import Region
from theory.rates.problem import RateError, RateProblem, expression, read_problems, read_statement
from theory.relation import Relation
from theory.vocabulary import beta, d
from verify.recheck.rates import reread


class PairVerdict(enum.Enum):
    """Whether the bounds can hold together."""

    BROKEN = "the two bounds cannot both hold"
    CONSISTENT = "the bounds do not contradict the known limit"
    UNDECIDED = "the calculus could not decide"


@dataclass(frozen=True)
class Limit:
    """A known limit: its exponent in the scale, and words for the claim and for the limit."""

    exponent: sp.Expr
    subject: str
    source: str


@dataclass(frozen=True)
class Consistency:
    """The outcome of a test, with everything that a reader needs to repeat it.

    ``slack`` is the exponent of the scale by which the claim stays above the
    limit (below zero: it undercuts it) and ``log_slack`` that of its logarithm,
    both on the piece that decides. ``optimum`` is the minimisation behind the
    verdict: for a broken pair its argmin is the proof, at the parameters ``at``, otherwise its certificate and
    those at its ``corners`` and in the other ranges of sizes that stand in an exponent.
    """

    verdict: PairVerdict
    optimum: OptimalRate
    piece: Piece | None
    limit: Limit
    where: str
    reading: str
    risk_problems: tuple[RateProblem, ...] = ()
    doubt: str = ""
    at: Point | None = None
    corners: tuple[Consistency, ...] = ()

    @property
    def certificate(self) -> Certificate:
        """Weights on every alternative and log case; see `OptimalRate.check`."""
        return self.optimum.certificate

    def check(self) -> Audit:
        """Check the verdict and the minimisations behind it by a second reading; true where every step holds."""
        return audited(self.exported, reread)

    @cached_property
    def exported(self) -> dict[str, Any]:
        """The certificates as plain data, with what they say of the limit; ``verify.recheck.rates`` reads it."""
        rate = text_of(self.optimum.certificate.problem.scale**self.limit.exponent)
        conclusion: dict[str, Any] | None = None
        if self.verdict is PairVerdict.CONSISTENT:
            conclusion = {"relation": ">=", "rate": rate}
        elif self.verdict is PairVerdict.BROKEN and self.at is not None:
            conclusion = {"relation": "<", "rate": rate, "at": list(map(str, self.at))}
        data = exported(self.certificate, conclusion)
        return {**data, "corners": [c.exported for c in self.corners]} if self.corners else data

    @property
    def slack(self) -> sp.Expr:
        """The exponent of the least claim minus that of the limit; nan where there is none."""
        if self.piece is None or self.piece.outcome is not RateOutcome.ATTAINED:
            return sp.nan
        return sp.factor(self.piece.power - self.limit.exponent)

    @property
    def log_slack(self) -> sp.Expr:
        """The power of the logarithm in the least claim; nan where there is none."""
        if self.piece is None or self.piece.outcome is not RateOutcome.ATTAINED:
            return sp.nan
        return self.piece.log_power

    @property
    def ray(self) -> dict[sp.Symbol, sp.Expr]:
        """Where broken, the sizes that break the pair, up to constants."""
        return self.piece.written_argmin if self.verdict is PairVerdict.BROKEN and self.piece else {}

    @cached_property
    def risk(self) -> OptimalRate | None:
        """What the pair would promise with n samples: the least of error^2 + entropy/n."""
        return minimised(self.risk_problems) if self.risk_problems else None

    def sentence(self) -> str:
        """The verdict as a sentence for a review."""
        scale = name(self.optimum.certificate.problem.scale)
        bound = growth_text(self.optimum.domain.field, _limit_growth(self.optimum.domain, self.limit), scale)
        where = f" where {self.where}" if self.where else ""
        parts = [f"{self.verdict.name}{where}: {self.verdict.value}"]
        if self.doubt:
            return "; ".join([*parts, self.doubt]) + "."
        piece = self.piece
        if piece is None:
            parts.append(
                f"no sizes of the order of a power of {scale} bring the claim into play, so nothing is refuted"
            )
        elif piece.outcome is RateOutcome.UNBOUNDED:
            parts.append(f"{self.limit.subject} can be made as small as one likes ({piece.argmin_text})")
        elif self.verdict is PairVerdict.BROKEN:
            parts.append(
                f"at {piece.argmin_text} {self.limit.subject} is only {piece.value_text}, below the {bound} "
                f"that {self.limit.source}"
            )
            if self.slack == 0:
                parts.append(
                    "only logarithms are missing: where the entropy has a factor log(1/accuracy) it has to be stated"
                )
            if self.risk is not None and self.risk.pieces:
                parts.append(f"with n samples they would promise a risk of {self.risk.pieces[0].value_text}")
        elif piece.outcome is RateOutcome.ATTAINED:
            parts.append(
                f"{self.limit.subject} is at least {piece.value_text}, against the {bound} that {self.limit.source}"
            )
            parts.append(self._slack_words(scale))
        parts.append(self.reading)
        return "; ".join(part for part in parts if part) + "."

    def _slack_words(self, scale: str) -> str:
        field = self.optimum.domain.field
        logs = Growth.of_logs(field.read(self.log_slack))
        if self.slack != 0:
            return f"slack exponent {text(self.slack)}"
        return (
            "no slack"
            if self.log_slack == 0
            else f"no slack but the factor {growth_text(field, logs, scale)}"
        )

    def __repr__(self) -> str:
        return self.sentence()


def consistency(
    error: object,
    entropy: object,
    *,
    over: object,
    dimension: object = d,
    smoothness: object = beta,
    subject_to: object = (),
    small: object = (),
) -> Consistency:
    """Test a sup-norm approximation error against the metric entropy claimed for the same class.

    Both are rates in the sizes ``over``, constants dropped. Logarithms count: an entropy that has a
    factor log(1/accuracy), as one of W weights has, is stated with it, W*log(W). Sizes may be
    exponential in the accuracy where the error falls with their logarithm, and a logarithm in the
    entropy vanishes where its argument can be 1. Minimises the entropy subject to ``error <= 1/L``
    and compares it with L^(dimension/smoothness). Min, Max and sum of error terms are different
    claims; the one read is named. Raises `RateError` as `minimise` does.

    >>> from sympy import E, Min, log
    >>> from theory import M, beta, consistency, d, k
    >>> consistency(Min(k**(-beta/d), M**(-beta/d)), k + k*log(E*M/k), over=(k, M)).verdict
    <PairVerdict.BROKEN: 'the two bounds cannot both hold'>
    """
    caller = "consistency"
    rate, price = expression(caller, "error", error), expression(caller, "entropy", entropy)
    size, order = _positive(caller, "dimension", dimension), _positive(caller, "smoothness", smoothness)
    scale = _fresh_symbol("L", rate, price, subject_to)
    samples = _fresh_symbol("n", rate, price, subject_to)
    limit = Limit(
        size / order,
        f"the entropy for a sup-norm error of at most 1/{scale}",
        "the entropy of the Hölder ball requires (Kolmogorov and Tikhomirov)",
    )

    def judged(corner: Corner) -> Consistency:
        relations = [*corner.subject_to, Relation(corner.error, "<=", 1 / scale)]
        least = corner.entropy if corner.entropy != 0 else sp.Integer(1)
        problems = read_problems(
            caller, least, corner.over, scale, relations, corner.small, beyond=corner.beyond
        )
        promised = corner.error**2 + least / samples
        risk = read_problems(
            caller, promised, corner.over, samples, corner.subject_to, corner.small, beyond=corner.beyond
        )
        reading = "; ".join(filter(None, (_reading(rate), corner.words)))
        return _judged(problems, limit, reading, risk)

    return _with_corners(
        Corner(rate, price, *_places(caller, over, subject_to, small)),
        judged,
    )


def _with_corners(whole: Corner, judged: Callable[[Corner], Consistency]) -> Consistency:
    """The verdict on a pair as it stands, or the worst of those at its corners."""
    found = judged(whole)
    open_still: list[Consistency] = []
    consistent: list[Consistency] = []
    for corner in corners(whole) if found.verdict is PairVerdict.CONSISTENT else ():
        try:
            if corner.fault:
                raise RateError(corner.fault)
            there = judged(corner)
        except RateError as fault:
            there = replace(found, verdict=PairVerdict.UNDECIDED, doubt=f"not tested {corner.words}: {fault}")
        if there.verdict is PairVerdict.BROKEN and corner.eased:
            doubt = f"not decided {corner.words}: a logarithm of their ratio may be of any size"
            there = replace(there, verdict=PairVerdict.UNDECIDED, doubt=doubt)
        if there.verdict is PairVerdict.BROKEN:
            return there
        (open_still if there.verdict is PairVerdict.UNDECIDED else consistent).append(there)
    return open_still[0] if open_still else replace(found, corners=(*found.corners, *consistent))


def every_reading(error: sp.Expr, entropy: object, **arguments: Any) -> dict[str, Consistency]:
    """The test under each reading of an error in several terms: their min, their max and their sum.

    ``error`` is a Min, Max or sum; the other arguments are those of `consistency`.
    Raises `RateError` where the error has one term only.
    """
    if not isinstance(error, sp.Min | sp.Max | sp.Add):
        raise RateError(
            f"every_reading(error={error}): expected a Min, a Max or a sum; {error} has one reading only"
        )
    readings = {"min": sp.Min(*error.args), "max": sp.Max(*error.args), "sum": sp.Add(*error.args)}
    return {word: consistency(read, entropy, **arguments) for word, read in readings.items()}


def minimax_consistency(
    risk: object,
    *,
    over: object,
    given: object,
    dimension: object = d,
    smoothness: object = beta,
    subject_to: object = (),
    small: object = (),
) -> Consistency:
    """Test a risk bound, minimised over its sizes, against the minimax rate n^(-2 smoothness/(2 smoothness + dimension)).

    The risk is the expected squared L2 distance in regression over the Hölder
    ball; the scale of ``given`` is the number of samples. Raises `RateError`.
    """
    caller = "minimax_consistency"
    rate = expression(caller, "risk", risk)
    size, order = _positive(caller, "dimension", dimension), _positive(caller, "smoothness", smoothness)
    limit = Limit(
        -2 * order / (2 * order + size), "the risk", "every estimator must pay in the worst case (Stone)"
    )
    scale = read_statement(caller, rate, over, given, subject_to, small).scale

    def judged(corner: Corner) -> Consistency:
        total = corner.error + corner.entropy
        problems = read_problems(
            caller, total, corner.over, given, corner.subject_to, corner.small, beyond=corner.beyond
        )
        reading = "; ".join(filter(None, (_reading(rate), corner.words)))
        return _judged(problems, limit, reading, ())

    estimation, approximation = rate.as_independent(scale, as_Add=True)[::-1]
    return _with_corners(Corner(approximation, estimation, *_places(caller, over, subject_to, small)), judged)


def _judged(
    problems: Sequence[RateProblem], limit: Limit, reading: str, risk: tuple[RateProblem, ...]
) -> Consistency:
    """The worst verdict over the ranges of the sizes; where all are consistent, the first in which something is claimed."""
    found: list[Consistency] = []
    faults: list[RateError] = []
    for problem in problems:
        try:
            found.append(_judge(_with_parameters(problem, limit.exponent), limit, reading, risk))
        except RateError as fault:
            if not found:  # the range that the notation suggests
                raise
            faults.append(fault)
    for verdict in (PairVerdict.BROKEN, PairVerdict.UNDECIDED):
        for each in found:
            if each.verdict is verdict:
                return each
    claiming = next((each for each in found if each.piece is not None), found[0])
    if faults:
        doubt = f"not tested for sizes in exponents of another order: {faults[0]}"
        return replace(claiming, verdict=PairVerdict.UNDECIDED, doubt=doubt)
    return replace(claiming, corners=tuple(each for each in found if each is not claiming))


def _judge(problem: RateProblem, limit: Limit, reading: str, risk: tuple[RateProblem, ...]) -> Consistency:
    optimum = solved(problem)
    decided = [(piece, *_compare(piece, optimum.domain, limit)) for piece in optimum.pieces]
    broken = [entry for entry in decided if entry[1] is PairVerdict.BROKEN]
    for piece, _, _, at in broken:
        regions = [optimum.domain.without_idle(region) for _, _, found, _ in broken for region in found]
        where = region_text(optimum.domain.field, regions) if all(regions) else ""
        return Consistency(PairVerdict.BROKEN, optimum, piece, limit, where, reading, risk, at=at)
    for piece, found, _, _ in decided:
        if found is PairVerdict.UNDECIDED:
            return Consistency(found, optimum, piece, limit, "", reading, risk)
    tightest = _tightest([piece for piece, *_ in decided], limit)
    outcome = Consistency(PairVerdict.CONSISTENT, optimum, tightest, limit, "", reading, risk)
    if not optimum.complete:
        return replace(outcome, verdict=PairVerdict.UNDECIDED, doubt="the solver gave up on some parameters")
    if tightest is not None and tightest.drops_loglog and outcome.slack == outcome.log_slack == 0:
        scale = name(problem.scale)
        doubt = f"the claim meets the limit up to a power of log log {scale}, which is below the resolution"
        return replace(outcome, verdict=PairVerdict.UNDECIDED, doubt=doubt)
    return outcome


def _limit_growth(domain: Domain, limit: Limit) -> Growth:
    return Growth.of_power(domain.field.read(limit.exponent))


def _compare(piece: Piece, domain: Domain, limit: Limit) -> tuple[PairVerdict, Region, Point | None]:
    """The verdict on one piece, and the parts of the parameters it is broken on, with a point of the first."""
    if piece.outcome is RateOutcome.INFEASIBLE:  # nothing is claimed here, so nothing is refuted
        return PairVerdict.CONSISTENT, (), None
    if piece.outcome is RateOutcome.UNBOUNDED:
        return PairVerdict.BROKEN, piece.region, domain.point_in(piece.region)
    gap = piece.growth - _limit_growth(domain, limit)
    levels = cleared(gap.levels)
    if not levels:
        return PairVerdict.CONSISTENT, (), None
    broken: list[tuple[Condition, ...]] = []
    at = None
    try:
        for region in piece.region:
            here = domain.restricted(*region)
            sample = here.point(Condition(tuple(-level for level in levels), strict=True))
            if sample is None:
                continue
            broken.append((*region, *here.conditions(-gap, strict=True, at=sample)))
            at = at or sample
    except real_solver.GaveUp:
        if not broken:
            return PairVerdict.UNDECIDED, (), None
    return (PairVerdict.BROKEN, tuple(broken), at) if broken else (PairVerdict.CONSISTENT, (), None)


def _tightest(pieces: Iterable[Piece], limit: Limit) -> Piece | None:
    """A piece without slack if there is one, the least log power first."""
    attained = [p for p in pieces if p.outcome is RateOutcome.ATTAINED]
    exact = [p for p in attained if sp.simplify(p.power - limit.exponent) == 0]
    exact.sort(key=lambda p: p.log_power != 0)
    return next(iter(exact or attained), None)


def _reading(error: sp.Expr) -> str:
    """Which of min, max and sum was read, where a claim in words might mean another."""
    words = {sp.Min: "the smaller of", sp.Max: "the larger of", sp.Add: "the sum of"}
    for kind, word in words.items():
        if isinstance(error, kind):
            return f"read as {word} {', '.join(sorted(map(text, error.args)))}"
    return ""


def _positive(caller: str, argument: str, value: object) -> sp.Expr:
    """An expression that is known to be positive."""
    expr = expression(caller, argument, value)
    if not expr.is_positive:
        raise RateError(
            f"{caller}({argument}={expr}): expected something positive, such as a number or {argument[0]}"
        )
    return expr


def _places(
    caller: str, over: object, subject_to: object, small: object
) -> tuple[tuple[sp.Symbol, ...], tuple[object, ...], tuple[sp.Symbol, ...]]:
    """Sizes, relations and small sizes, each as a tuple; `RateError` where there is no size."""
    sizes = tuple(_listed(over))
    if not sizes:
        raise RateError(f"{caller}(over=()): expected at least one size to choose")
    return sizes, tuple(_listed(subject_to)), tuple(_listed(small))


def _listed(relations: object) -> list[object]:
    return list(relations) if isinstance(relations, Iterable) else [relations]


def _fresh_symbol(wanted: str, *used: object) -> sp.Symbol:
    taken: set[str] = set()
    for part in (part for item in used for part in _listed(item)):
        sides = (part.lhs, part.rhs) if isinstance(part, Relation) else (part,)
        taken |= {str(symbol) for side in sides if isinstance(side, sp.Basic) for symbol in side.free_symbols}
    while wanted in taken:
        wanted += "'"
    return sp.Symbol(wanted, positive=True)


def _with_parameters(problem: RateProblem, exponent: sp.Expr) -> RateProblem:
    """The problem with the limit's own symbols among its parameters, through an assumption that always holds."""
    fresh = sorted(exponent.free_symbols - set(problem.parameters), key=str)
    for symbol in fresh:
        if symbol in problem.sizes or not symbol.is_positive:
            raise RateError(f"the limit's exponent {exponent}: expected positive parameters, got {symbol}")
    return replace(problem, assumptions=(*problem.assumptions, *((sp.Integer(0), s, True) for s in fresh)))
