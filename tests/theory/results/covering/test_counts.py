"""Covering counts: symbolic against a recursion written out here, monotone, counterexamples pair by pair, repairs."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest
import sympy as sp

from theory.results.covering.attention import ATTENTION_FACTORS, ATTENTION_INPUT
from theory.results.covering.bounded_class import BoundedMoE, lipschitz_recursion
from theory.results.covering.counterexamples import (
    IntervalRouter,
    TwoTokens,
    indicators,
    ratio_to_the_statement,
    spread_constants,
    sup_distance,
)
from theory.results.covering.experts import Gate, expert_factors, expert_input
from theory.results.covering.fixed_pattern import (
    cells_per_parameter,
    log_patterns,
    midpoints,
    touched_parameters,
)
from theory.results.covering.repaired import log_sign_patterns, sign_patterns
from theory.vocabulary import d_ff, d_model, kappa, n_heads, r


def written_out(layers, D, F, H, c, radius, softmax=False):
    total = 0.0
    for _ in range(layers):
        score = c**2 * D * math.sqrt(D / H) * radius**2
        total = (1 + c**2 * D**2 * (1 + 2 * score)) * total + 2 * c * D**2 * radius * (1 + score)
        radius += c**2 * D**2 * radius
        hidden = c * F * (math.sqrt(D) * radius + 1)
        largest = c * math.sqrt(D) * (hidden + 1)
        gate = c * math.sqrt(D) * largest if softmax else 0
        rows = math.sqrt(D) * radius * largest if softmax else 0
        total = (1 + c**2 * D * F + gate) * total + math.sqrt(D) * (2 * hidden + 1) + rows
        radius += largest
    return total


@pytest.mark.parametrize("gate", Gate)
def test_the_constant_is_what_the_proved_recursion_accumulates(gate):
    """Coq proves `accumulated`, which starts at 0 and takes the emitted factor of each block."""
    moe = BoundedMoE(layers=3, d_model=6, d_ff=10, heads=3, kappa=Fraction(1, 5), radius="1.5", gate=gate)
    [(_, block_factor)] = lipschitz_recursion.emitted
    total = sp.Integer(0)
    for entering, inside in moe.radii():
        factors = {
            "A_b": moe.at(sp.Add(*ATTENTION_FACTORS.values()), entering),
            "F_b": moe.at(sp.Add(*expert_factors(moe.activation, gate).values()), inside),
            "lambda_A": moe.at(ATTENTION_INPUT, entering),
            "lambda_F": moe.at(expert_input(moe.activation, gate), inside),
            "Lambda_b": total,
        }
        total = block_factor.subs({s: factors[s.name] for s in block_factor.free_symbols}, simultaneous=True)
    assert sp.expand(total - moe.lipschitz_constant()) == 0


@pytest.mark.parametrize("gate", Gate)
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_symbolic_and_numeric_constants_agree(layers, gate):
    at = {d_model: 6, d_ff: 10, n_heads: 3, kappa: sp.Rational(1, 5), r: sp.Rational(3, 2)}
    symbolic = BoundedMoE(layers=layers, gate=gate).lipschitz_constant().subs(at)
    sizes = {"layers": layers, "d_model": 6, "d_ff": 10, "heads": 3, "kappa": Fraction(1, 5), "radius": "1.5"}
    numeric = BoundedMoE(**sizes, gate=gate)
    expected = written_out(layers, 6, 10, 3, 0.2, 1.5, softmax=gate is Gate.SOFTMAX)
    assert float(symbolic) == pytest.approx(expected, rel=1e-12)
    assert float(numeric.lipschitz_constant()) == pytest.approx(float(symbolic), rel=1e-14)
    assert float(numeric.log_lipschitz_constant()) == pytest.approx(math.log(symbolic), rel=1e-14)


def test_the_log_constant_grows_like_depth_squared():
    logs = [
        BoundedMoE(layers=x, d_model=64, d_ff=64, heads=1, kappa=1, radius=1).log_lipschitz_constant()
        for x in (10, 20, 40)
    ]
    assert 3.5 < logs[2] / logs[1] < 4


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="float has no exact value"):
        BoundedMoE(kappa=0.1)
    with pytest.raises(ValueError, match="positive"):
        BoundedMoE(layers=0)
    with pytest.raises(ValueError, match="symbols"):
        BoundedMoE().log_lipschitz_constant()


def test_midpoints_cover_the_interval_and_no_fewer_do():
    for cells in range(1, 8):
        points = midpoints(3, cells)
        assert points[0] + 3 == 3 - points[-1] == Fraction(3, cells)
        assert {b - a for a, b in itertools.pairwise(points)} <= {Fraction(6, cells)}
    assert cells_per_parameter("0.1", 7, "0.05") == 14
    assert cells_per_parameter(1, sp.sqrt(2), 1) == 2


def test_counts_grow_with_every_size():
    base = {"layers": 2, "d_model": 4, "d_ff": 8, "heads": 2, "kappa": "0.1", "radius": 1}
    small = BoundedMoE(**base).lipschitz_constant()
    for name, more in (("layers", 3), ("d_model", 6), ("d_ff", 9), ("kappa", "0.2"), ("radius", 2)):
        assert (BoundedMoE(**base | {name: more}).lipschitz_constant() > small) == True  # noqa: E712
    assert (BoundedMoE(**base | {"heads": 4}).lipschitz_constant() < small) == True  # noqa: E712  (narrower heads)
    counts = {"layers": 2, "attention": 16, "expert": 70, "experts": 8, "active": 2, "tokens": 3}
    for name in counts:
        assert touched_parameters(**counts | {name: counts[name] + 1}) >= touched_parameters(**counts)
    assert cells_per_parameter(1, 7, "0.05") > cells_per_parameter(1, 7, "0.06")


def test_touched_parameters_are_the_active_ones_for_one_token_only():
    counts = {"layers": 2, "attention": 16, "expert": 70, "experts": 8, "active": 2}
    assert (
        touched_parameters(**counts, tokens=1) == touched_parameters(**counts, tokens=9, shared=True) == 312
    )
    assert (
        touched_parameters(**counts, tokens=4) == touched_parameters(**counts, tokens=9) == 2 * (16 + 8 * 70)
    )
    assert float(log_patterns(layers=2, experts=8, active=2, tokens=5)) == pytest.approx(10 * math.log(28))


def test_two_tokens_need_400_functions_and_the_active_count_says_80():
    example = TwoTokens(Fraction(1, 20))
    packing, cover = example.packing(), example.cover()
    assert (len(packing), len(cover), example.claimed()) == (400, 400, 80)
    for a, b in itertools.combinations(packing, 2):
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) > 2 * example.delta
    assert set(cover) == set(itertools.product({c for c, _ in cover}, repeat=2))  # so one coordinate decides
    for x in (Fraction(i, 57) for i in range(-57, 58)):
        assert min(abs(x - c) for c, _ in cover) <= example.delta


@pytest.mark.parametrize(
    ("experts", "delta"),
    [(1, Fraction(1, 20)), (2, Fraction(1, 7)), (3, Fraction(2, 7)), (4, Fraction(1, 3))],
)
def test_the_interval_router_packs_pair_by_pair(experts, delta):
    functions = list(IntervalRouter.packing(experts, delta))
    assert len(functions) == math.ceil(1 / delta) ** experts
    inside = [Fraction(2 * j + 1, 2 * experts) for j in range(experts)]
    for f, g in itertools.combinations(functions, 2):
        assert sup_distance(f, g, inside) > 2 * delta


def test_the_router_realises_interval_partitions_with_ties_to_the_left():
    router = IntervalRouter((Fraction(1, 5), Fraction(1, 2), Fraction(1, 2)), tuple(map(Fraction, range(4))))
    served = [router(Fraction(i, 10)) for i in range(11)]
    assert served == [0, 0, 0, 1, 1, 1, 3, 3, 3, 3, 3]


@pytest.mark.parametrize(("experts", "printed"), [(4, "2.2"), (16, "7.1"), (64, "23.5"), (256, "80.4")])
def test_ratio_of_the_interval_router_to_the_statement(experts, printed):
    assert f"{float(ratio_to_the_statement(experts, Fraction(1, 20))):.1f}" == printed


def test_hard_routers_are_pairwise_at_distance_one():
    functions = indicators(30)
    points = [Fraction(i, 30) for i in range(31)]
    assert all(sup_distance(f, g, points) == 1 for f, g in itertools.combinations(functions, 2))
    assert all(sup_distance(f, lambda x: Fraction(1, 2), points) == Fraction(1, 2) for f in functions)


def test_sign_patterns_stay_below_sauer_s_sum_and_its_closed_form():
    rng = random.Random(11)
    for p, m in itertools.product((1, 2, 3), (1, 2, 3, 5, 8, 12)):
        planes = [[rng.randint(-3, 3) for _ in range(p)] for _ in range(m)]
        seen = {
            tuple(sum(a * w for a, w in zip(plane, point, strict=True)) >= 0 for plane in planes)
            for point in itertools.product(range(-6, 7), repeat=p)
        }
        assert len(seen) <= sign_patterns(m, p) <= float(sp.exp(log_sign_patterns(m, p))) * (1 + 1e-12)


def test_spread_constants_are_as_many_as_cells():
    for delta in (Fraction(1, 20), Fraction(3, 7), Fraction(1), Fraction(2, 3)):
        constants = spread_constants(delta)
        assert len(constants) == math.ceil(1 / delta)
        assert all(b - a > 2 * delta for a, b in itertools.pairwise(constants))
