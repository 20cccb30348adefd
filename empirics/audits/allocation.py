"""Allocations that the coefficients contradict, sizes that are no parameters, ratios that are not constant."""

from __future__ import annotations

import math
from collections.abc import Iterator

from empirics.audits.publication import Audit, Finding, Publication, Weight
from theory.laws.law import Law


def size_exponent(law: Law, others: dict[str, float], at: float = 1e21) -> float:
    """dlog N*/dlog C of a law at so much compute, by a difference over e^0.02."""
    up, down = (law.compute_optimal(at * math.exp(h), **others).parameters for h in (0.01, -0.01))
    return math.log(up / down) / 0.02


def _find_allocation(publication: Publication) -> Iterator[Finding]:
    said = publication.allocation
    if not said:
        return
    a, p, b, q = (said[name] for name in "apbq")
    total = p.value + q.value
    if abs(total - 1) > p.half + q.half + 1e-12:
        yield Finding(
            "allocation",
            Weight.CONTRADICTION,
            f"size grows as C^{p.value:g} and tokens as C^{q.value:g}, together as C^{total:g}; size times tokens is proportional to C",
        )
        return
    each = 1 / (a.value * b.value)
    spread = a.half / a.value + b.half / b.value
    meaning = {
        6: "size counts parameters, at 6 FLOPs for each and token",
        1: "size counts FLOPs per token and not parameters",
    }
    for count, words in meaning.items():
        if abs(each / count - 1) <= max(3 * spread, 0.02):
            weight = Weight.NOTE if count == 6 else Weight.SUSPICION
            yield Finding("allocation", weight, f"1/(a b) = {each:.4g}, so {words}")
            break
    else:
        yield Finding(
            "allocation",
            Weight.SUSPICION,
            f"1/(a b) = {each:.4g} FLOPs for each unit of size and token; neither 6, of parameters, nor 1",
        )
    if publication.kind.allocates():
        exponents = [size_exponent(law, dict(publication.others)) for law in publication.corners()]
        low, high = min(exponents), max(exponents)
        if p.ends[1] < low - 1e-4 or p.ends[0] > high + 1e-4:
            yield Finding(
                "allocation", Weight.CONTRADICTION,
                f"the coefficients, whatever was rounded to them, let the optimal size grow as C^{low:.4f} to C^{high:.4f}; printed is C^{p.value:g}",
            )  # fmt: skip


def _find_ratio(publication: Publication) -> Iterator[Finding]:
    if publication.ratio is None or not publication.kind.allocates():
        return
    ends = [publication.law.compute_optimal(flops, **publication.others) for flops in publication.ratio]
    first, last = (best.tokens / best.parameters for best in ends)
    if max(first / last, last / first) > 1.2:
        low, high = publication.ratio
        yield Finding(
            "constant-ratio", Weight.CONTRADICTION,
            f"tokens per parameter is said to be constant; the coefficients move it from {first:.3g} at {low:g} FLOPs to {last:.3g} at {high:g}",
        )  # fmt: skip


def _find_sum(publication: Publication) -> Iterator[Finding]:
    exponents = {name: publication.printed[name] for name in ("u", "v") if name in publication.printed}
    if len(exponents) == 2:
        total = sum(number.value for number in exponents.values())
        if abs(total - 1) <= sum(number.half for number in exponents.values()) + 1e-12:
            yield Finding(
                "exponents-of-what", Weight.SUSPICION,
                f"the exponents {', '.join(exponents)} add up to 1, as those of an allocation N* ~ C^a, D* ~ C^b do; those of a loss need not",
            )  # fmt: skip


allocation = Audit(
    "allocation",
    "does the printed allocation follow from the coefficients, and what is its size?",
    _find_allocation,
)
constant_ratio = Audit(
    "constant-ratio", "is tokens per parameter as constant as it is said to be?", _find_ratio
)
exponents_of_what = Audit(
    "exponents-of-what", "are the exponents of a loss really those of an allocation?", _find_sum
)
