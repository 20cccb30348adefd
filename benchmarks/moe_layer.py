"""An MoE layer forward and backward, beside a dense layer of the same FLOPs, a loop over experts, and transformers' block.

python benchmarks/moe_layer.py [--threads N]

4,096 tokens, width and hidden width 512, k = 2, float32: medians of interleaved rounds in one process, as ratios to the
dense layer. Peak memory is of a process of its own each, parameters and gradients included.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import paired
import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from empirics.model import ModelConfig
from empirics.model.feed_forward import FeedForward
from theory.models.architecture import Convention, Expert, MoETransformer, Router

TOKENS, WIDTH, HIDDEN, ACTIVE = 4096, 512, 512, 2
GOALS = {8: 1.5, 64: 1.8}


def layer(experts: int, *, gated: bool, product: str = "auto", hidden: int = HIDDEN) -> FeedForward:
    """Our layer with random weights; experts of two biased matrices, or gated ones without biases."""
    sizes = MoETransformer(layers=1, d_model=WIDTH, d_ff=hidden, experts=experts, active=min(ACTIVE, experts))
    parts = Convention(
        router=Router.WEIGHTS, expert=Expert.GATED if gated else Expert.TWO_MATRICES, expert_bias=not gated
    )
    config = ModelConfig(
        architecture=sizes,
        parts=parts,
        positions="none",
        product=product,
        activation="swiglu" if gated else "relu",
    )
    module = FeedForward(config, has_experts=True)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
    return module


class UnbindLoop(nn.Module):
    """Plain autograd: gather, each expert of ``W.unbind(0)`` in turn, concatenate, put back, weigh, add."""

    def __init__(self, experts: int) -> None:
        super().__init__()
        self.inner = layer(experts, gated=False)

    def forward(self, x_BSD: Tensor) -> tuple[Tensor, object]:
        x_TD = x_BSD.flatten(0, 1)
        routing = self.inner.route(x_TD)
        own = self.inner.experts
        parts = zip(
            x_TD[routing.tokens_N].split(routing.counts_E.tolist()),
            *(p.unbind(0) for p in (own.matrix_in, own.bias_in, own.matrix_out, own.bias_out)),
            strict=True,
        )
        rows = torch.cat([linear(torch.relu(linear(x, a, b)), c, d) for x, a, b, c, d in parts])
        rows_TKD = rows[routing.inverse_N].view(*routing.ids_TK.shape, WIDTH)
        return (rows_TKD * routing.weights_TK[..., None]).sum(1).view(x_BSD.shape), routing


class Transformers(nn.Module):
    """The Mixtral block of transformers, with the named way to multiply."""

    def __init__(self, experts: int, how: str) -> None:
        super().__init__()
        from transformers.models.mixtral.modeling_mixtral import MixtralConfig, MixtralSparseMoeBlock

        config = MixtralConfig(
            hidden_size=WIDTH, intermediate_size=HIDDEN, num_local_experts=experts, num_experts_per_tok=ACTIVE
        )
        config._experts_implementation = how
        self.block = MixtralSparseMoeBlock(config)
        for parameter in self.block.parameters():
            nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)

    def forward(self, x_BSD: Tensor) -> tuple[Tensor, object]:
        return self.block(x_BSD), None


PLAIN = {
    "dense layer of the same FLOPs": lambda m: layer(1, gated=False, hidden=ACTIVE * HIDDEN),
    "moelaws": lambda m: layer(m, gated=False),
    "moelaws, grouped product": lambda m: layer(m, gated=False, product="grouped"),
    "loop over W.unbind(0)": UnbindLoop,
}
GATED = {
    "dense gated layer of the same FLOPs": lambda m: layer(1, gated=True, hidden=ACTIVE * HIDDEN),
    "moelaws, gated": lambda m: layer(m, gated=True),
    "transformers, grouped_mm": lambda m: Transformers(m, "grouped_mm"),
    "transformers, as by default": lambda m: Transformers(m, "eager"),
}


def forward_backward(module: nn.Module) -> Callable[[], None]:
    """One pass in each direction, with the gradient of the input."""
    torch.manual_seed(1)
    x = torch.randn(8, TOKENS // 8, WIDTH).requires_grad_()
    gradient = torch.randn_like(x)

    def run() -> None:
        module.zero_grad()
        x.grad = None
        module(x)[0].backward(gradient)

    return run


def main() -> None:
    options = paired.arguments(__doc__)
    methods = PLAIN | GATED
    if options.memory:
        name, experts = options.memory
        paired.report_peak(lambda: forward_backward(methods[name](int(experts))))
        return
    gated = GATED
    if importlib.util.find_spec("transformers") is None:
        gated = {name: build for name, build in GATED.items() if not name.startswith("transformers")}
        print("transformers: rows left out, it is not installed (pip install 'moelaws[bench]')")
    families = [PLAIN, gated]
    print(
        f"{TOKENS} tokens, d = d_ff = {WIDTH}, k = {ACTIVE}, float32, threads = {options.threads}, {options.clock} time"
    )
    for experts, goal in GOALS.items():
        for family in families:
            floor, own = list(family)[:2]
            times = paired.interleaved(
                {name: forward_backward(build(experts)) for name, build in family.items()}, options
            )
            print(f"\nM = {experts:<38}{'ms':>8}{'/ dense':>9}{'/ moelaws':>11}{'MiB':>7}")
            for name in family:
                peak = paired.peak_mib(__file__, options, name, experts)
                print(
                    f"{name:<42}{paired.milliseconds(times, name):>8.0f}{paired.ratio(times, name, floor):>9.2f}"
                    f"{paired.ratio(times, name, own):>11.2f}{peak:>7.0f}"
                )
            if family is PLAIN:
                found = paired.ratio(times, own, floor)
                print(f"goal: at most {goal} of the dense layer: {'met' if found <= goal else 'MISSED'}")


if __name__ == "__main__":
    main()
