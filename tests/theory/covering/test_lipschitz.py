"""The Lipschitz factors against real modules: never exceeded, and each attained within a factor of two.

For each layer type, 200 restarts of projected gradient ascent on |G_theta(X) - G_theta'(X)| / |theta - theta'|_inf over
theta, theta' (in that layer's parameters only) and X, plus restarts at the worst case of the derivation. A bound that fails
the first test is false; halving any factor fails the second.
"""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'moelaws[train]')")

from empirics.bounded_moe import Attention, FixedPatternExperts, Residual, bounded_moe  # noqa: E402
from theory.covering.bounded_class import BoundedMoE  # noqa: E402
from theory.covering.experts import GELU, RELU, Gate  # noqa: E402

D, F, H, T, M = 4, 6, 2, 4, 3
KAPPA, RADIUS = 0.4, 0.8
SIZES = {"d_model": D, "d_ff": F, "heads": H, "kappa": str(KAPPA), "radius": str(RADIUS)}
RESTARTS, STEPS = 200, 40
ONES = torch.ones(D, dtype=torch.float64) / math.sqrt(D)
LAYERS = {
    "attention output": ("output",),
    "attention value": ("value",),
    "attention query": ("query",),
    "attention key": ("key",),
    "expert in": ("matrix_in", "bias_in"),
    "expert out": ("matrix_out", "bias_out"),
    "router": ("router",),
}


@pytest.fixture(autouse=True)
def _double_precision():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(torch.float32)


def pattern(tokens=T, experts=M):
    """Two experts a token, with weights that sum to one."""
    weights = torch.zeros(tokens, experts)
    for t in range(tokens):
        weights[t, t % experts], weights[t, (t + 1) % experts] = 0.5, 0.5
    return weights


def into_ball(x, radius):
    return x * (radius / x.norm(dim=-1, keepdim=True).clamp_min(radius))


def largest(x):
    """The norm of a sequence: its largest token."""
    return x.norm(dim=-1).amax(-1)


def restarts(module, worst, trained, seed):
    """Random (theta, theta', X) in the box and ball, the first at the worst case that `worst` gives."""
    generator = torch.Generator().manual_seed(seed)

    def uniform(*shape):
        return 2 * torch.rand(*shape, generator=generator, dtype=torch.float64) - 1

    one = {name: KAPPA * uniform(RESTARTS, *p.shape).sign() for name, p in module.named_parameters()}
    for value in one.values():  # half of the restarts inside the box, half at its corners
        value[::2] *= uniform(*value[::2].shape).abs()
    scale = KAPPA * 10.0 ** (-3 * torch.rand(RESTARTS, generator=generator, dtype=torch.float64))
    two = {
        name: (v + scale.reshape(-1, *[1] * (v.ndim - 1)) * uniform(*v.shape).sign()).clamp(-KAPPA, KAPPA)
        if trained(name)
        else v.clone()
        for name, v in one.items()
    }
    x = uniform(RESTARTS, T, D)
    for index, start in enumerate(worst):
        parameters, changes, tokens = start
        for name in one:
            one[name][index] = parameters.get(name, 0.0)
            two[name][index] = one[name][index] + changes.get(name, 0.0)
        x[index] = tokens
    return one, two, x


def steepest(module, radius, trained, worst, seed=20260409):
    """The largest ratio that ascent finds."""
    one, two, x = restarts(module, worst, trained, seed)
    run = torch.func.vmap(
        lambda parameters, tokens: torch.func.functional_call(module, parameters, (tokens,))
    )
    moving = [name for name in one if trained(name)]
    best = 0.0
    step = 0.2
    for _ in range(STEPS):
        x = into_ball(x, radius).detach().requires_grad_()
        one = {n: v.detach().clamp(-KAPPA, KAPPA).requires_grad_() for n, v in one.items()}
        two = {
            n: (v.detach().clamp(-KAPPA, KAPPA) if n in moving else one[n].detach()).requires_grad_()
            for n, v in two.items()
        }
        shared = {n: two[n] if n in moving else one[n] for n in two}
        apart = torch.stack([(one[n] - two[n]).abs().flatten(1).amax(1) for n in moving]).amax(0)
        ratio = largest(run(one, x) - run(shared, x)) / apart.clamp_min(1e-6)
        best = max(best, float(ratio.detach()[apart > 2e-6].max()))
        ratio.sum().backward()
        with torch.no_grad():
            x = x + step * radius * x.grad / x.grad.norm(dim=(-1, -2), keepdim=True).clamp_min(1e-12)
            one = {n: v + step * KAPPA * v.grad.sign() * (v.grad.abs() > 1e-12) for n, v in one.items()}
            two = {
                n: v + step * KAPPA * v.grad.sign() * (v.grad.abs() > 1e-12) if n in moving else v
                for n, v in two.items()
            }
        step *= 0.93
    return best


def build(layer, activation="relu"):
    if layer.startswith("attention"):
        return Attention(D, H)
    return FixedPatternExperts(D, F, pattern(), activation=activation, trained_gate=layer == "router")


EPS = 1e-4
ALIGNED = RADIUS * ONES.repeat(T, 1)
OPPOSED = ALIGNED * torch.tensor([1.0, -1, 1, -1], dtype=torch.float64)[:, None]
FULL = {name: KAPPA for name in ("output", "value", "matrix_in", "bias_in", "matrix_out", "bias_out")}
SIGNS = torch.tensor([1.0, -1, 1], dtype=torch.float64)[:, None]
WORST = {
    "attention output": (FULL, {"output": -EPS}, ALIGNED),
    "attention value": (FULL, {"value": -EPS}, ALIGNED),
    "attention query": (FULL | {"key": KAPPA}, {"query": EPS}, OPPOSED),
    "attention key": (FULL | {"query": KAPPA}, {"key": EPS}, OPPOSED),
    "expert in": (FULL, {"matrix_in": -EPS, "bias_in": -EPS}, ALIGNED),
    "expert out": (FULL, {"matrix_out": -EPS, "bias_out": -EPS}, ALIGNED),
    "router": (
        FULL | {"matrix_out": KAPPA * SIGNS[..., None], "bias_out": KAPPA * SIGNS},
        {"router": EPS * SIGNS},
        ALIGNED,
    ),
}


def factor(layer, gate=Gate.FIXED, activation=RELU):
    """The layer's factor at tokens of norm RADIUS."""
    from theory.covering.attention import ATTENTION_FACTORS
    from theory.covering.experts import expert_factors

    sizes = BoundedMoE(**SIZES)
    return float(
        sizes.at((ATTENTION_FACTORS | expert_factors(activation, Gate.SOFTMAX))[layer], sizes.radius)
    )


@pytest.mark.parametrize("layer", LAYERS)
def test_no_module_exceeds_a_layers_factor_and_one_comes_within_half_of_it(layer):
    found = steepest(build(layer), RADIUS, lambda name: name in LAYERS[layer], [WORST[layer]])
    bound = factor(layer)
    print(f"{layer}: measured {found:.6g}, factor {bound:.6g}, ratio {found / bound:.4f}")
    assert found <= bound * (1 + 1e-9)
    assert found > bound / 2
