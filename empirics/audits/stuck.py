"""Coefficients that print like a place where an optimiser starts: e^(k/2), or a round number among longer ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

from empirics.audits.publication import Audit, Finding, Publication, Weight


def _find(publication: Publication) -> Iterator[Finding]:
    longest = max(number.digits for number in publication.printed.values())
    for name, number in publication.printed.items():
        size, half = abs(number.value), number.half
        if size <= half or number.digits < 3:
            continue
        steps = round(2 * math.log(size))
        start = math.exp(steps / 2)
        if abs(steps) >= 2 and abs(start - size) <= half:
            # a logarithm falls anywhere; 2 half/size of it prints so, and there are two starts a unit
            chance = min(2 * 2 * half / size, 1)
            yield Finding(
                "stuck-at-start",
                Weight.SUSPICION,
                f"{name} = {number.value:g} prints as e^{steps / 2:g} = {start:.6g}, where fits in logarithms start; "
                f"by chance a number of so many digits does with probability {chance:.2g}",
            )
        stripped = f"{size:.15g}".rstrip("0").replace(".", "").strip("0")
        if len(stripped) == 1 and number.digits == longest and longest >= 4:
            yield Finding(
                "stuck-at-start",
                Weight.SUSPICION,
                f"{name} = {number.value:g} is printed with {number.digits} digits of which one is not 0; "
                f"by chance with probability {10.0 ** (1 - number.digits):.2g}",
            )


stuck = Audit("stuck-at-start", "does a coefficient print like the start of an optimiser?", _find)
