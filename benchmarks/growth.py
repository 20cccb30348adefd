"""Time per token and memory of an MoE layer as experts M grow at fixed k; time as tokens T and active experts k grow.

python benchmarks/growth.py [--threads N] [--figures]

16,384 tokens, width and hidden width 256, k = 2, float32, forward and backward: medians of interleaved rounds in one
process. With M = 256 an expert gets 128 tokens on average. Time should be linear in T and in k. ``--figures`` draws both into benchmarks/figures/.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import paired
import torch
from figure import Series, line_plot
from torch import nn

from empirics.model import ModelConfig
from empirics.model.feed_forward import FeedForward
from theory.models.architecture import Convention, MoETransformer, Router

TOKENS, WIDTH, ACTIVE = 16_384, 256, 2
EXPERTS = (4, 8, 16, 32, 64, 128, 256)
OTHERS = {"T": ((4096, 2), (16_384, 2), (65_536, 2)), "k": ((4096, 1), (4096, 2), (4096, 4), (4096, 8))}
"""(tokens, active experts) at M = 16, by what grows."""
GOAL = 1.5
"""Time per token at most this many times that of M = 4."""
PARTS = Convention(router=Router.WEIGHTS)
FIGURES = Path(__file__).parent / "figures"


def sizes(experts: int, active: int = ACTIVE) -> MoETransformer:
    return MoETransformer(layers=1, d_model=WIDTH, d_ff=WIDTH, experts=experts, active=active)


def forward_backward(experts: int, tokens: int = TOKENS, active: int = ACTIVE) -> Callable[[], None]:
    config = ModelConfig(
        architecture=sizes(experts, active), parts=PARTS, positions="none", activation="relu"
    )
    module = FeedForward(config, has_experts=True)
    torch.manual_seed(1)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
    x = torch.randn(1, tokens, WIDTH).requires_grad_()
    gradient = torch.randn_like(x)

    def run() -> None:
        module.zero_grad()
        x.grad = None
        module(x)[0].backward(gradient)

    return run


def flops(experts: int) -> int:
    """FLOPs of a token forward: two matrices of each active expert, and the router's row for each expert."""
    return 4 * ACTIVE * WIDTH**2 + 2 * experts * WIDTH


def expert_mib(experts: int) -> float:
    """Parameters and gradients of the experts, in MiB of float32: what must grow with M."""
    return 2 * 4 * experts * sizes(experts).expert_parameters(PARTS) / 2**20


def main() -> None:
    draw = "--figures" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--figures"]
    options = paired.arguments(__doc__)
    if options.memory:
        paired.report_peak(lambda: forward_backward(int(options.memory[0])))
        return
    times = paired.interleaved({str(m): forward_backward(m) for m in EXPERTS}, options)
    microseconds = [1000 * paired.milliseconds(times, str(m)) / TOKENS for m in EXPERTS]
    peaks = [paired.peak_mib(__file__, options, m) for m in EXPERTS]
    print(
        f"{TOKENS} tokens, d = d_ff = {WIDTH}, k = {ACTIVE}, threads = {options.threads}, {options.clock} time"
    )
    print(f"{'M':>4}{'us/token':>10}{'/ M=4':>8}{'FLOPs / M=4':>13}{'MiB':>7}{'of it experts':>15}")
    for m, taken, peak in zip(EXPERTS, microseconds, peaks, strict=True):
        slower = paired.ratio(times, str(m), str(EXPERTS[0]))
        work = flops(m) / flops(EXPERTS[0])
        print(f"{m:>4}{taken:>10.1f}{slower:>8.2f}{work:>13.2f}{peak:>7.0f}{expert_mib(m):>15.0f}")
    worst = max(paired.ratio(times, str(m), str(EXPERTS[0])) for m in EXPERTS)
    print(
        f"goal: at most {GOAL} times M = {EXPERTS[0]}: {'met' if worst <= GOAL else 'MISSED'} ({worst:.2f})"
    )
    for growing, shapes in OTHERS.items():
        times = paired.interleaved({str(s): forward_backward(16, *s) for s in shapes}, options)
        for tokens, active in shapes:
            taken = 1e6 * paired.milliseconds(times, str((tokens, active))) / tokens / active
            print(
                f"in {growing}: T = {tokens:>6}, k = {active}, M = 16: {taken:>8.0f} ns per token and active expert"
            )
    if draw:
        where = f"{TOKENS} tokens, d = d_ff = {WIDTH}, k = {ACTIVE}, {options.threads} thread(s)"
        line_plot(
            FIGURES / "time-against-experts.svg",
            f"Time per token, forward and backward ({where})",
            ("experts M", "microseconds per token"),
            [Series("moelaws", EXPERTS, microseconds)],
        )
        line_plot(
            FIGURES / "memory-against-experts.svg",
            f"Peak memory ({where})",
            ("experts M", "MiB"),
            [
                Series("moelaws", EXPERTS, peaks),
                Series("experts and their gradients", EXPERTS, [expert_mib(m) for m in EXPERTS]),
            ],
        )


if __name__ == "__main__":
    main()
