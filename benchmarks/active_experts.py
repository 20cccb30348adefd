"""How many stationary points the bound has in k, over seeded random settings, and how long it takes to find them all.

python benchmarks/active_experts.py [settings]
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from sympy import Rational

from theory import RoutingPrice, optimal_active_experts


def setting(seed: int) -> dict[str, object]:
    rng = random.Random(f"active experts {seed}")
    return {
        "experts": rng.choice([8, 16, 64, 256]),
        "samples": 10 ** rng.randint(3, 14),
        "attention": 10 ** rng.randint(2, 7),
        "expert": 10 ** rng.randint(2, 7),
        "exponent": Rational(rng.randint(1, 40), 20),
        "tokens": 2 ** rng.randint(4, 17),
        "layers": rng.choice([1, 12, 48]),
        "approximation_constant": 10 ** rng.randint(0, 4),
    }


def main(settings: int) -> None:
    for price in RoutingPrice:
        start, counts, places = time.perf_counter(), Counter(), Counter()
        for seed in range(settings):
            s = setting(seed)
            found = optimal_active_experts(**s, price=price)
            counts[len(found.stationary) if found.complete else "undecided"] += 1
            best = found.best_integer[0].low
            places["k = 1" if best == 1 else "k = M" if best == s["experts"] else "inside"] += 1
        seconds = time.perf_counter() - start
        print(
            f"{price.value}: stationary points {dict(sorted(counts.items()))}; least at {dict(places)}; {seconds:.1f} s"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1944)
