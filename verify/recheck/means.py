"""A small checker of polynomial inequalities by weighted means; it shares no code with the search.

With weights w_i > 0 of sum 1 and shares c_i > 0, the weighted mean inequality gives, for t > 0,

    sum_i c_i t^(a_i) >= prod_i (c_i/w_i)^(w_i) t^(sum_i w_i a_i).

A certificate pays for every negative monomial of the gap in this way, out of the positive ones, and lists what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.forms import nonnegative
from verify.recheck.reader import Reader
from verify.recheck.rejected import Rejected
from verify.recheck.stated import Stated, expect_entries, expect_list, read_stated
from verify.recheck.texts import bounded, the_claim

KIND = "means"
CHECKS = ("PolynomialInequality",)
Powers = tuple[int, ...]


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the certificate proves what it states."""
    expect_entries(certificate, "kind", "relation", "domain", "integers", "paid", "left")
    stated = read_stated(certificate)
    left = read_polynomial(stated)
    width = len(stated.domain) + 1
    for payment in expect_list(certificate["paid"], "payments"):
        _pay(left, payment)
    remaining = {powers: c for powers, c in left.items() if c}
    if any(c < 0 for c in remaining.values()):
        raise Rejected("a negative coefficient is not paid for")
    if remaining != {read_powers(powers, width): read_fraction(c) for powers, c in certificate["left"]}:
        raise Rejected("what is said to be left is not")
    if len(expect_list(certificate["left"], "terms")) != len(remaining):
        raise Rejected("a monomial is left twice")


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is proved, and where, as a card shows it."""
    return [read_stated(certificate).card]


def read_polynomial(stated: Stated) -> dict[Powers, Fraction]:
    """The polynomial that has to be nonnegative where every symbol is above its bound, read from the texts.

    Its variables are how far each symbol is above its lower bound, and pi. `Unreadable` where a side is not seen to
    have a value on all of the domain.
    """
    reader = Reader(stated.names, stated.strict)
    with the_claim():
        stated.check()
        gap = reader.gap((stated.lhs, stated.op, stated.rhs), reader.places(stated.bounds))
        if gap.logs or gap.factorials:
            raise Rejected("the gap is no rational function")
    above, below = gap.part.above, gap.part.below
    polynomial = above if nonnegative(below) else above * below
    return {tuple(map(int, powers)): Fraction(int(c)) for powers, c in polynomial.to_dict().items()}


def _pay(left: dict[Powers, Fraction], payment: Any) -> None:
    """Take one negative monomial and the shares that outweigh it out of ``left``."""
    if not isinstance(payment, Mapping) or set(payment) != {"for", "by"} or not payment["by"]:
        raise Rejected(f"expected a payment with 'for' and 'by', got {payment!r}")
    width = len(next(iter(left)))
    target = read_powers(payment["for"], width)
    debt = -left.get(target, Fraction(0))
    if debt <= 0:
        raise Rejected(f"{target} has no negative coefficient to pay for")
    shares = [(read_powers(p, width), read_fraction(w), read_fraction(c)) for p, w, c in payment["by"]]
    if any(w <= 0 or c <= 0 for _, w, c in shares) or sum(w for _, w, _ in shares) != 1:
        raise Rejected("weights and shares have to be positive, weights of sum 1")
    for i in range(width):
        if sum(w * powers[i] for powers, w, _ in shares) != target[i]:
            raise Rejected(f"the weighted mean of the powers is not {target}")
    scale = 1
    for _, w, _ in shares:
        scale = bounded(scale * w.denominator)
    mean = Fraction(1)
    for _, w, c in shares:
        mean *= (c / w) ** int(w * scale)
    if mean < debt**scale:
        raise Rejected(f"the shares do not outweigh {target}")
    left[target] = Fraction(0)
    for powers, _, c in shares:
        left[powers] = left.get(powers, Fraction(0)) - c
        if left[powers] < 0:
            raise Rejected(f"more is taken from {powers} than there is")


def read_powers(value: Any, width: int) -> Powers:
    if (
        not isinstance(value, (list, tuple))
        or len(value) != width
        or not all(type(p) is int and p >= 0 for p in value)
    ):
        raise Rejected(f"{value!r} is no list of {width} powers")
    return tuple(value)


def read_fraction(text: Any) -> Fraction:
    try:
        return Fraction(str(text))
    except (ValueError, ZeroDivisionError):
        raise Rejected(f"{text!r} is no rational number") from None
