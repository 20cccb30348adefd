"""The reference routing on a CPU against the chain of torch operations that models use, forward and backward, and its growth.

python benchmarks/routing.py [--threads N]

Interleaved rounds; the ratio is the median over rounds. The chain computes the same outputs; it breaks ties as
torch.topk does, does not look for rows that are not finite, and renormalises by a quotient.

Shapes: T tokens, E experts, K active experts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from gpu import draw, eager
from torch import Tensor

from empirics.routing import route

ROUNDS = 7
BASE = (4096, 64, 2)
SHAPES = {
    "T": [(T, *BASE[1:]) for T in (1024, 4096, 16384, 65536)],
    "E": [(BASE[0], E, BASE[2]) for E in (8, 64, 256, 1024)],
    "k": [(*BASE[:2], k) for k in (1, 2, 8, 32)],
}


def reference(logits_TE: Tensor, k: int) -> tuple[Tensor, ...]:
    routing = route(logits_TE, k, implementation="reference")
    return routing.weights_TK, routing.balance_loss, routing.z_loss


def step(chain: Callable[..., tuple[Tensor, ...]], logits_TE: Tensor, k: int, cotangent_TK: Tensor) -> float:
    """Seconds of one pass forward and backward."""
    start = time.perf_counter()
    weights_TK, balance, z_loss, *_ = chain(logits_TE, k)
    one = torch.ones_like(balance)
    torch.autograd.grad((weights_TK, balance, z_loss), logits_TE, (cotangent_TK, one, one))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default: 1)")
    torch.set_num_threads(parser.parse_args().threads)
    print("growth      T     E   k   reference ms   ns per logit   over the eager chain")
    for growing, shapes in SHAPES.items():
        for T, E, k in shapes:
            logits_TE, cotangent_TK = draw(T, E, device="cpu").requires_grad_(), draw(T, k, device="cpu")
            rounds = [
                [step(chain, logits_TE, k, cotangent_TK) for chain in (reference, eager)]
                for _ in range(ROUNDS + 1)
            ][1:]
            mine = statistics.median(a for a, _ in rounds)
            ratio = statistics.median(a / b for a, b in rounds)
            print(
                f"in {growing}   {T:6d} {E:5d} {k:3d} {1e3 * mine:14.2f} {1e9 * mine / T / E:14.1f} {ratio:22.2f}"
            )


if __name__ == "__main__":
    main()
