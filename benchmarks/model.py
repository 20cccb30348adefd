"""A small MoE language model, forward and backward, against this machine's own rate of matrix products.

python benchmarks/model.py [--threads N]

Two blocks of width 512 with 4 heads, M = 8 experts of hidden width 512, k = 2 (the smallest model of arXiv 2604.09175),
256 tokens in the vocabulary, batches of 8 sequences of 256 tokens, float32. FLOPs are those that `theory` counts: 6 per
parameter that multiplies (router and head too) and the attention scores that a causal mask leaves.
"""

from __future__ import annotations

from collections.abc import Callable

import paired
import torch

from empirics.model import LanguageModel, ModelConfig, initialise
from empirics.model.objectives import BalanceLoss, Batch, CrossEntropy, Objective, ZLoss
from theory.models.architecture import Convention, Embedding, MoETransformer, Router

SEQUENCES, LENGTH = 8, 256
MIXTURE = MoETransformer(
    layers=2, d_model=512, d_ff=512, heads=4, experts=8, active=2, vocabulary=256, context=LENGTH
)
DENSE = MoETransformer(layers=2, d_model=512, d_ff=1024, heads=4, vocabulary=256, context=LENGTH)
MULTIPLIES = Convention(router=Router.WEIGHTS, embedding=Embedding.TOKEN)
GOAL, STRETCH = 0.55, 0.65


def forward_backward(architecture: MoETransformer) -> Callable[[], None]:
    model = LanguageModel(ModelConfig(architecture=architecture, activation="relu"))
    initialise(model, "benchmark")
    tokens = torch.randint(0, 256, (SEQUENCES, LENGTH + 1), generator=torch.Generator().manual_seed(1))
    batch = Batch(tokens[:, :-1], tokens[:, 1:])
    objective = Objective(CrossEntropy(), BalanceLoss(0.01), ZLoss(0.001))

    def run() -> None:
        model.zero_grad()
        objective(model(batch.inputs), batch).total.backward()

    return run


def main() -> None:
    options = paired.arguments(__doc__)
    models = {"mixture, M = 8, k = 2": MIXTURE, "dense, same FLOPs": DENSE}
    if options.memory:
        paired.report_peak(lambda: forward_backward(models[options.memory[0]]))
        return
    floor = "matmul"
    times = paired.interleaved(
        {floor: paired.matmul(), **{name: forward_backward(a) for name, a in models.items()}}, options
    )
    rate = paired.matmul_flops() / (paired.milliseconds(times, floor) / 1000)
    print(f"threads = {options.threads}, {options.clock} time, matrix products at {rate / 1e9:.0f} GFLOP/s")
    print(f"{'forward and backward':<24}{'ms':>7}{'tokens/s':>10}{'of the matmul rate':>20}{'MiB':>6}")
    for name, architecture in models.items():
        flops = SEQUENCES * LENGTH * architecture.flops_per_token(MULTIPLIES, scores_over=LENGTH // 2)
        share = flops / paired.matmul_flops() / paired.ratio(times, name, floor)
        seconds = paired.milliseconds(times, name) / 1000
        peak = paired.peak_mib(__file__, options, name)
        print(
            f"{name:<24}{1000 * seconds:>7.0f}{SEQUENCES * LENGTH / seconds:>10.0f}{share:>20.2f}{peak:>6.0f}"
        )
        if architecture is MIXTURE:
            verdict = "MISSED" if share < GOAL else "met" if share < STRETCH else "met, and the stretch"
            print(f"  goal: at least {GOAL}, stretch {STRETCH}: {verdict}")


if __name__ == "__main__":
    main()
