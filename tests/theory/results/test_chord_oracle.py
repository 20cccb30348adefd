"""The oracle inequality by the chord against exact risks of random small classes, and against the parabola."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from theory.results.chord_oracle import chord_oracle, chord_oracle_without_approximation, phi
from theory.results.oracle import finite_class_oracle
from theory.vocabulary import W, n, sigma, tau

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "oracle_constants.py"
_spec = importlib.util.spec_from_file_location("oracle_constants", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
measured = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measured)

NAMES = {s.name: s for s in chord_oracle.bound.free_symbols}


@pytest.mark.parametrize("noise", [0.1, 0.3, 1.0])
def test_the_exact_risk_of_random_classes_is_below_both_bounds_and_the_chord_is_sharper(noise):
    old, new = measured.looseness(40, noise)
    assert min(new) >= 1
    assert all(chord < parabola or parabola == math.inf for chord, parabola in zip(new, old, strict=True))


def test_a_constant_that_is_too_small_is_noticed():
    """With a twentieth of the nats the chord's bound is below some exact risk: the test above can fail."""
    functions, target = np.array([[0.0] * 3, [1.0, -1.0, 1.0]]), np.zeros(3)
    risk = measured.exact_risk(functions, target, 1.0)
    nats = math.log(2) / measured.SAMPLES
    assert measured.by_chord(0.0, nats / 20, 1.0) < risk < measured.by_chord(0.0, nats, 1.0)


def test_the_benchmark_computes_the_statements():
    for approximation, nats, noise in ((0.1, 0.3, 1.0), (0.0, 2.0, 0.3)):
        values = {NAMES["approximation"]: approximation, NAMES["log_N"]: nats, n: 1, W: 2, sigma: noise}
        bound = sp.lambdify(tau, chord_oracle.bound.subs(values), "math")
        least = min(map(bound, np.linspace(0, 1, 402)[1:-1]))
        assert measured.by_chord(approximation, nats, noise) == pytest.approx(least)
        split = sp.lambdify(tau, finite_class_oracle.bound.subs(values), "math")
        assert min(map(split, np.linspace(0, 1, 2002)[1:-1])) == pytest.approx(
            measured.by_parabola(approximation, nats, noise), rel=1e-4
        )


def test_the_constants_are_those_of_the_docstring():
    price = chord_oracle_without_approximation.bound.subs({NAMES["log_N"]: n, W: 2})
    assert float(price.subs(sigma, 1)) == pytest.approx(10.166, abs=1e-3)
    assert float(price.subs(sigma, sp.Rational(1, 100))) == pytest.approx(4)


def test_no_law_of_given_mean_has_a_larger_exponential_than_the_chord():
    """The supremum of E exp(-lambda Z) over Z in [0, W^2] of mean R is at the two ends; random laws stay below it."""
    rng = np.random.default_rng(20260409)
    for _ in range(200):
        slope, top = rng.uniform(0.01, 3), rng.uniform(0.1, 4) ** 2
        places = rng.uniform(0, top, 6)
        masses = rng.dirichlet(np.ones(6) / 3)
        mean = float(masses @ places)
        supremum = (1 - mean / top) + mean / top * math.exp(-slope * top)
        bounded = math.exp(-mean * float(phi(sp.Float(slope)).subs(W, math.sqrt(top))))
        assert float(masses @ np.exp(-slope * places)) <= supremum * (1 + 1e-12)
        assert supremum <= bounded * (1 + 1e-12)
