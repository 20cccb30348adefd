"""How loose the oracle inequality is, by the parabola and by the chord: exact risks of random small classes.

python benchmarks/oracle_constants.py [classes]

Inputs are uniform on three points and the noise is sigma times a fair sign, so the expected risk of least squares is a finite sum
over all samples, ties decided for the worst. Targets and functions have values in [-1, 1].
"""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np

POINTS, SAMPLES, WIDTH = 3, 4, 2.0


def exact_risk(functions: np.ndarray, target: np.ndarray, noise: float, samples: int = SAMPLES) -> float:
    """E ||f - f0||^2 of least squares over the rows of ``functions`` (N, P), over every sample, ties at their worst."""
    inputs = np.array(list(itertools.product(range(len(target)), repeat=samples)))
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=samples)))
    risks = ((functions - target) ** 2).mean(axis=1)
    total = 0.0
    for sign in signs:
        residuals = (functions[:, inputs] - target[inputs] - noise * sign) ** 2
        losses = residuals.sum(axis=2)
        chosen = losses <= losses.min(axis=0) + 1e-12
        total += float(np.where(chosen, risks[:, None], -1.0).max(axis=0).mean())
    return total / len(signs)


def by_parabola(approximation: float, nats: float, noise: float, width: float = WIDTH) -> float:
    """`finite_class_oracle` at its best tau; ``nats`` is log N/n."""
    price = (2 * noise**2 + width**2 / 2) * nats
    return (math.sqrt(approximation + price) + math.sqrt(price)) ** 2


def by_chord(approximation: float, nats: float, noise: float, width: float = WIDTH) -> float:
    """`chord_oracle` at the best of 400 values of tau."""
    tau = np.linspace(0, 1, 402)[1:-1]
    left = -np.expm1(-(width**2) * tau * (1 - tau) / (2 * noise**2))
    return float((width**2 * (approximation * tau / (2 * noise**2) + nats) / left).min())


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random class of 2 to 32 functions and a target, which is one of them for every other seed."""
    rng = np.random.default_rng([20260409, seed])
    functions = rng.uniform(-1, 1, (2 ** rng.integers(1, 6), POINTS))
    return functions, functions[0] if seed % 2 else rng.uniform(-1, 1, POINTS)


def looseness(classes: int, noise: float) -> tuple[list[float], list[float]]:
    """Bound over exact risk (infinite where that is 0) for each class: by the parabola, and by the chord."""
    old, new = [], []
    for seed in range(classes):
        functions, target = drawn(seed)
        approximation = float(((functions - target) ** 2).mean(axis=1).min())
        nats, risk = math.log(len(functions)) / SAMPLES, exact_risk(functions, target, noise)
        for ratios, bound in ((old, by_parabola), (new, by_chord)):
            ratios.append(bound(approximation, nats, noise) / risk if risk else math.inf)
    return old, new


def main(classes: int) -> None:
    print("bound over exact risk   least  median   (1 or more: the inequality holds)")
    for noise in (0.1, 0.3, 1.0):
        for name, ratios in zip(("parabola", "chord"), looseness(classes, noise), strict=True):
            print(f"sigma = {noise:<4} {name:<10} {min(ratios):>8.1f} {float(np.median(ratios)):>7.1f}")
    for noise in (0.01, 1.0):
        old, new = (bound(0, 1, noise) for bound in (by_parabola, by_chord))
        print(f"A = 0, W = 2, sigma = {noise}: {old:.3g} log N/n by the parabola, {new:.3g} by the chord")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
