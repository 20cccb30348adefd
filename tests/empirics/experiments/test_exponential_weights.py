"""The oracle inequality of exponential weights by simulation, with aggregators and constants that break it."""

from __future__ import annotations

import numpy as np
import pytest

from empirics.experiments.exponential_weights import (
    exponential_weights,
    fixed_experts,
    gate_weights,
    least_squares_experts,
    least_squares_oracle_check,
    oracle_check,
    soft_router_net,
)

NOISE, DRAWS, SEED = 0.7, 400, 20260903


def design(points=40, features=2, seed=SEED):
    return np.random.default_rng(seed).uniform(-1, 1, (points, features))


def selected(members, y):
    """Not an aggregate: the member with the least residual."""
    return members[np.argmin(np.sum((y - members) ** 2, axis=-1))]


def spread(size, members, squared):
    """0 and members - 1 orthogonal functions with mean square ``squared``; the truth is 0."""
    found = np.zeros((members, size))
    found[np.arange(1, members), np.arange(members - 1)] = np.sqrt(squared * size)
    return found


def test_the_net_holds_every_router_once_and_gates_are_a_softmax():
    routers = soft_router_net(2, 3, (-2, 0, 2))
    assert routers.shape == (3**4, 3, 2)
    assert len({tuple(r.ravel()) for r in routers}) == 3**4
    assert not routers[:, 0].any()
    weights = gate_weights(design(), routers)
    assert weights.shape == (81, 40, 3)
    assert np.allclose(weights.sum(-1), 1)
    x, router = design()[7], routers[50]
    expected = np.exp(router @ x) / np.exp(router @ x).sum()
    assert np.allclose(weights[50, 7], expected)


@pytest.mark.parametrize("truth_in_the_net", [True, False])
def test_soft_routers_with_fixed_experts_keep_the_oracle_inequality(truth_in_the_net):
    x = design()
    members = fixed_experts(gate_weights(x, soft_router_net(2, 3, (-3, 0, 3))), np.array([-1.0, 0.5, 2.0]))
    truth = members[17] if truth_in_the_net else np.sin(3 * x[:, 0]) + x[:, 1]
    found = oracle_check(members, truth, noise=NOISE, draws=DRAWS, seed=SEED)
    print(found)
    assert found.kept()


def test_soft_routers_with_least_squares_experts_keep_it():
    x = design()
    weights = gate_weights(x, soft_router_net(2, 3, (-3, 0, 3)))
    found = least_squares_oracle_check(
        weights, np.sin(3 * x[:, 0]) + x[:, 1], noise=NOISE, draws=150, seed=SEED
    )
    print(found)
    assert found.kept()


def test_least_squares_experts_are_projections():
    y = np.random.default_rng(3).standard_normal(40)
    weights = gate_weights(design(), soft_router_net(2, 3, (0.0, 1.0)))
    fits, dimensions = least_squares_experts(weights, y)
    assert dimensions[0] == 1  # all gates equal: one constant
    assert dimensions.max() == 3
    for gates, fit in zip(weights, fits, strict=True):
        assert np.allclose(gates.T @ (y - fit), 0, atol=1e-9)
        assert np.allclose(gates @ np.linalg.lstsq(gates, y, rcond=None)[0], fit, atol=1e-9)


@pytest.mark.parametrize("squared", [0.5, 2, 4, 6, 8])
def test_the_inequality_holds_where_members_are_hardest_to_tell_apart(squared):
    size = members = 64
    scale = squared * NOISE**2 * np.log(members) / size
    found = oracle_check(spread(size, members, scale), np.zeros(size), noise=NOISE, draws=DRAWS, seed=SEED)
    print(squared, found)
    assert found.kept()


def cold(members, y):
    """A temperature twenty times too low."""
    return exponential_weights(members, y, noise=NOISE, temperature=0.2) @ members


@pytest.mark.parametrize("wrong", [selected, cold])
def test_selection_and_a_low_temperature_break_it(wrong):
    """The check can fail: of two members 20 sigma apart, with the truth between them, the better one is often missed."""
    members, truth = NOISE * np.array([[-10.0], [10.0]]), np.array([-0.5 * NOISE])
    arguments = {"noise": NOISE, "draws": 4000, "seed": SEED}
    found = oracle_check(members, truth, aggregate=wrong, **arguments)
    print(found, oracle_check(members, truth, **arguments))
    assert found.violated()
    assert not oracle_check(members, truth, **arguments).violated(margin=0)


def test_half_the_constant_is_too_small():
    """One member is the truth, at prior e^-30, the other at 3.2 sigma^2 30: between 2 and 4 times sigma^2 log(1/prior)."""
    members, prior = (
        np.array([[0.0], [NOISE * np.sqrt(3.2 * 30)]]),
        np.array([-30.0, np.log1p(-np.exp(-30.0))]),
    )
    arguments = {"noise": NOISE, "draws": DRAWS, "seed": SEED, "log_prior_J": prior}
    # the other member has a price of its own, far above the first one's
    assert oracle_check(members, np.zeros(1), constant=2, **arguments).violated()
    assert (
        oracle_check(members, np.zeros(1), **arguments).oracle
        > oracle_check(members, np.zeros(1), **arguments).risk
    )


def test_a_simulation_gives_the_same_figures_again():
    members = spread(16, 8, 0.3)
    one, two, other = (
        oracle_check(members, np.zeros(16), noise=1.0, draws=20, seed=seed) for seed in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.parametrize("bad", [{"noise": 0.0}, {"noise": 1.0, "temperature": -1.0}])
def test_scales_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="noise="):
        exponential_weights(np.zeros((2, 3)), np.zeros(3), **bad)
