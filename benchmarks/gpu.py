"""The routing kernels on an NVIDIA GPU: right first, then how far from the memory's speed, from eager torch and from peers.

python benchmarks/gpu.py [--dry-run]

Takes under four minutes, most of it compilation; fails where a result is wrong, a launch too many, or a measurement breaks
off, never for a time. Times of routing are medians of replays of one CUDA graph that goes
through several sets of inputs, more than the cache holds; times of a whole layer are medians of calls. ``--dry-run`` runs the script at tiny sizes in Triton's interpreter, to
test the script; its times mean nothing.

Shapes: T tokens, E experts, K active experts.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from gpu_agreement import cases, disagreements, draw
from torch import Tensor

START = time.perf_counter()
LATEST = 200.0
"""Seconds after which no further measurement is begun."""
CACHE = 256e6
"""Bytes of input that no cache of a GPU holds."""


class Sizes(NamedTuple):
    """What is measured: (T, E, K) of the routing and of its backward pass; T, E, K, D, F of a whole layer."""

    routing: list[tuple[int, int, int]]
    layer: tuple[int, int, int, int, int]
    copied: int
    repeats: int


FULL = Sizes(
    routing=[(16384, 128, 8), (65536, 128, 8), (262144, 128, 2), (262144, 128, 8)],
    layer=(16384, 128, 8, 2048, 768),
    copied=2**30,
    repeats=100,
)
DRY = Sizes(routing=[(32, 8, 2)], layer=(16, 4, 2, 16, 8), copied=2**10, repeats=2)

Call = Callable[[int], Any]
"""One measured call on the input set of that number."""


class Table:
    """Rows of what was measured, what it is compared with, and the goal."""

    def __init__(self, *, judged: bool) -> None:
        self.judged, self.failed = judged, False
        self.rows: list[tuple[str, str, str, str]] = []

    def add(self, what: str, measured: str, goal: str = "", met: bool | None = None) -> None:
        """A measurement; its goal is judged on a GPU only."""
        self._add(what, measured, goal, met if self.judged else None)

    def require(self, what: str, measured: str, goal: str, met: bool) -> None:
        """What has to hold wherever the script runs; it fails otherwise."""
        self.failed |= not met
        self._add(what, measured, goal, met)

    def _add(self, what: str, measured: str, goal: str, met: bool | None) -> None:
        verdict = "" if met is None else "met" if met else "NOT MET"
        self.rows.append((what, measured, goal, verdict))
        print(f"[{time.perf_counter() - START:5.0f} s] {what}: {measured}  {goal} {verdict}", flush=True)

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in self.rows) for i in range(4)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in self.rows
        )


# Timing


def seconds(call: Call, sets: int, *, device: str, graph: bool = True) -> float:
    """Median seconds of one call, the sets taken in turn."""
    if device == "cpu":
        started = time.perf_counter()
        call(0)
        return time.perf_counter() - started
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(3):  # compiles, and fills what libraries keep
            call(i % sets)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    if not graph:
        return statistics.median(timed(lambda: call(0)) for _ in range(12))
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for i in range(sets):
            call(i)
    timed(captured.replay)
    taken = statistics.median(timed(captured.replay) for _ in range(12)) / sets
    del captured
    torch.cuda.empty_cache()
    return taken


def timed(call: Callable[[], Any]) -> float:
    """Seconds between two events on the device."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def bandwidth(table: Table, sizes: Sizes, device: str) -> float:
    """Bytes per second of a copy, read and written."""
    source = torch.randint(0, 255, (sizes.copied,), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    speed = 2 * sizes.copied / seconds(lambda i: target.copy_(source), 1, device=device)
    table.add("copy bandwidth", f"{speed / 1e12:.2f} TB/s")
    return speed


# What is compared


def eager(logits_TE: Tensor, k: int) -> tuple[Tensor, ...]:
    """The chain of torch operations that models use, with the statistics and the permutation; ties as torch breaks them."""
    experts = logits_TE.shape[1]
    probabilities_TE = logits_TE.float().softmax(-1)
    weights_TK, ids_TK = probabilities_TE.topk(k)
    weights_TK = weights_TK / weights_TK.sum(-1, keepdim=True)
    flat_N = ids_TK.flatten()
    counts_E = flat_N.new_zeros(experts).scatter_add_(0, flat_N, torch.ones_like(flat_N))
    offsets_E = counts_E.cumsum(0)
    permutation_N = flat_N.argsort(stable=True)
    rows_N = torch.arange(len(flat_N), device=flat_N.device)
    inverse_N = torch.empty_like(permutation_N).scatter_(0, permutation_N, rows_N)
    balance = experts * (counts_E / len(flat_N) * probabilities_TE.mean(0)).sum()
    z_loss = logits_TE.float().logsumexp(-1).square().mean()
    return weights_TK, balance, z_loss, ids_TK, offsets_E, permutation_N, inverse_N


def fused(logits_TE: Tensor, k: int) -> tuple[Tensor, ...]:
    from empirics.routing import route

    routing = route(logits_TE, k, nonfinite="clean", implementation="triton")
    return (routing.weights_TK, routing.balance_loss, routing.z_loss, routing.ids_TK, routing.offsets_E,
            routing.permutation_N, routing.inverse_N)  # fmt: skip


def step(
    inputs: list[Tensor],
    k: int,
    chain: Callable[..., tuple[Tensor, ...]],
    cotangent_TK: Tensor | None,
    i: int,
) -> Any:
    """A chain forward on input ``i``; also backward where there is a cotangent."""
    if cotangent_TK is None:
        return chain(inputs[i].detach(), k)
    weights_TK, balance, z_loss, *_ = chain(inputs[i], k)
    one = torch.ones_like(balance)
    return torch.autograd.grad((weights_TK, balance, z_loss), inputs[i], (cotangent_TK, one, one))


# The measurements


def check(table: Table, sizes: Sizes, device: str) -> None:
    """Kernels against the reference in double precision."""
    from empirics.routing import route

    shapes = [(1000, 128, 8), (4097, 128, 2), (777, 8, 2), (300, 5, 5)] if device == "cuda" else sizes.routing
    by_kernels = functools.partial(route, implementation="triton")
    checked = list(cases(shapes, device))
    right = 0
    for case in checked:
        wrong = disagreements(by_kernels, case)
        right += not wrong
        if wrong:
            table.require(case.name, f"{', '.join(wrong)} differ", "equal", False)
    table.require("equal to the reference", f"{right} of {len(checked)} inputs", "all", right == len(checked))


def repeat(table: Table, sizes: Sizes, device: str) -> None:
    tokens, experts, k = sizes.routing[0]
    logits_TE, cotangent_TK = (
        draw(tokens, experts, device=device).requires_grad_(),
        draw(tokens, k, device=device),
    )
    first: list[Tensor] = []
    same = 0
    for _ in range(sizes.repeats):
        everything = [*fused(logits_TE, k), *step([logits_TE], k, fused, cotangent_TK, 0)]
        first = first or everything
        same += all(torch.equal(a, b) for a, b in zip(first, everything, strict=True))
    table.require("the same bits", f"{same} of {sizes.repeats} runs", "all", same == sizes.repeats)


def launches(table: Table, sizes: Sizes, device: str) -> None:
    """Kernels in a profile of one warm call, and whether any step of it waits for the device."""
    if device == "cpu":
        return table.add("launches forward", "counted on a GPU only")
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    tokens, experts, k = sizes.routing[0]
    logits_TE, cotangent_TK = (
        draw(tokens, experts, device=device).requires_grad_(),
        draw(tokens, k, device=device),
    )

    def kernels(call: Callable[[], Any]) -> dict[str, float]:
        """Microseconds of each launch, in order."""
        call()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
            call()
            torch.cuda.synchronize()
        on_device = [event for event in profiled.events() if event.device_type == DeviceType.CUDA]
        return {f"{i}: {event.name}": event.time_range.elapsed_us() for i, event in enumerate(on_device)}

    forward = kernels(lambda: step([logits_TE], k, fused, None, 0))
    if forward:
        table.require("launches forward", str(len(forward)), "4", len(forward) == 4)
    else:
        table.add("launches forward", "not profiled: the profiler saw no kernel")
    for name, taken in kernels(lambda: step([logits_TE], k, fused, cotangent_TK, 0)).items():
        table.add(f"launch {name[:60]}", f"{taken:.1f} us")
    table.add("launches of the eager chain", str(len(kernels(lambda: step([logits_TE], k, eager, None, 0)))))
    torch.cuda.set_sync_debug_mode("error")
    try:
        step([logits_TE], k, fused, cotangent_TK, 0)
        waits = False
    except RuntimeError:
        waits = True
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return table.require("waits for the device", "yes" if waits else "no", "no", not waits)


def routing(table: Table, shape: tuple[int, int, int], device: str, speed: float) -> None:
    """Forward, and forward with backward, beside eager torch and what moving the bytes takes."""
    tokens, experts, k = shape
    if time.perf_counter() - START > LATEST:
        return table.add(f"routing T={tokens} E={experts} k={k}", "left out: no time left")
    sets = max(1, int(CACHE / (4 * tokens * experts))) if device == "cuda" else 1
    inputs = [draw(tokens, experts, device=device, seed=i).requires_grad_() for i in range(sets)]
    cotangent_TK = draw(tokens, k, device=device)
    forward_floor = tokens * (4 * experts + 20 * k + 4) / speed
    backward_floor = tokens * (8 * experts + 16 * k) / speed

    mine, theirs, mine_both, theirs_both = (
        seconds(functools.partial(step, inputs, k, *chain), sets, device=device)
        for chain in ((fused, None), (eager, None), (fused, cotangent_TK), (eager, cotangent_TK))
    )
    name = f"T={tokens} E={experts} k={k}"
    microseconds = f"{mine * 1e6:.1f} us, {mine / forward_floor:.1f} floors"
    goal, met = {
        (16384, 8): ("<= 20 us", mine <= 20e-6),
        (262144, 2): ("<= 2.5 floors", mine <= 2.5 * forward_floor),
        (262144, 8): ("<= 5 floors", mine <= 5 * forward_floor),
    }.get((tokens, k), ("", None))
    table.add(f"forward {name}", microseconds, goal, met)
    table.add(f"eager over fused {name}", f"{theirs / mine:.1f}", ">= 5", theirs >= 5 * mine)
    backward = mine_both - mine
    goal, met = ("<= 2.5 floors", backward <= 2.5 * backward_floor) if tokens >= 65536 else ("", None)
    table.add(
        f"backward {name}", f"{backward * 1e6:.1f} us, {backward / backward_floor:.1f} floors", goal, met
    )
    table.add(f"eager over fused, both ways, {name}", f"{theirs_both / mine_both:.1f}")
    return liger_routing(table, name, inputs, k, device)


def liger_routing(table: Table, name: str, inputs: list[Tensor], k: int, device: str) -> None:
    """torch's softmax and top-k with liger-kernel's permutation, which waits for the device once.

    So it is in no graph, and neither is what it is compared with: both are called and timed alike, launches included.
    """
    try:
        from liger_kernel.ops.fused_moe import compute_routing_metadata
    except ImportError:
        return
    if device == "cpu":
        return

    def chain(logits_TE: Tensor, k: int) -> None:
        weights_TK, ids_TK = logits_TE.softmax(-1).topk(k)
        weights_TK = weights_TK / weights_TK.sum(-1, keepdim=True)
        compute_routing_metadata(ids_TK.int(), logits_TE.shape[1])

    theirs, mine = (
        seconds(lambda i, by=by: by(inputs[i].detach(), k), len(inputs), device=device, graph=False)
        for by in (chain, fused)
    )
    version = importlib.metadata.version("liger-kernel")
    table.add(f"liger-kernel {version} over fused, calls, {name}", f"{theirs / mine:.1f}")


def layer(table: Table, sizes: Sizes, device: str) -> None:
    """Router, routing, experts and their sum in bfloat16, in TFLOP/s of the experts' products."""
    if time.perf_counter() - START > LATEST:
        return table.add("whole layer", "left out: no time left")
    from empirics.experts import Experts
    from empirics.experts.groups import grouped_mm
    from empirics.routing import route

    tokens, experts, k, width, hidden = sizes.layer
    dtype = torch.bfloat16
    module = Experts(experts, width, hidden, activation="swiglu", bias=False).to(device=device, dtype=dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            parameter.copy_(draw(*parameter.shape, device=device, dtype=dtype, seed=seed) * width**-0.5)
    router_ED = draw(experts, width, device=device, dtype=dtype, seed=8) * width**-0.5
    x_TD = draw(tokens, width, device=device, dtype=dtype, seed=9).requires_grad_()
    cotangent_TD = draw(tokens, width, device=device, dtype=dtype, seed=10)
    leaves = [x_TD, *module.parameters()]
    implementation = "auto" if device == "cuda" else "triton"

    def forward(_: int) -> Tensor:
        logits_TE = x_TD @ router_ED.T
        routed = route(logits_TE, k, nonfinite="clean", implementation=implementation)
        return module(x_TD, routed)

    def both(i: int) -> Any:
        return torch.autograd.grad(forward(i), leaves, cotangent_TD)

    flops = 6 * tokens * k * width * hidden
    with torch.no_grad():
        once = seconds(forward, 1, device=device, graph=False)
    name = f"layer T={tokens} E={experts} D={width} F={hidden} k={k}"
    speed = flops / once / 1e12
    table.add(f"{name} forward", f"{speed:.0f} TFLOP/s", ">= 250", speed >= 250)
    speed = 3 * flops / seconds(both, 1, device=device, graph=False) / 1e12
    table.add(f"{name} both ways", f"{speed:.0f} TFLOP/s", ">= 200", speed >= 200)

    if grouped_mm is None or device == "cpu":
        return None
    routed = route(x_TD @ router_ED.T, k, nonfinite="clean", implementation=implementation)
    rows_ND = x_TD.detach()[routed.tokens_N]
    hidden_NF = draw(tokens * k, hidden, device=device, dtype=dtype)

    def products(_: int) -> None:
        grouped_mm(rows_ND, module.matrix_in.detach().mT, offs=routed.ends_E)
        grouped_mm(hidden_NF, module.matrix_out.detach().mT, offs=routed.ends_E)

    rest = 1 - seconds(products, 1, device=device, graph=False) / once
    return table.add(f"{name}: all but the products", f"{rest:.0%} of forward", "<= 15%", rest <= 0.15)


def attempt(table: Table, what: str, measure: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What ``measure`` returns; where it fails, a row that says so, and None. The table is printed all the same."""
    try:
        return measure(table, *arguments, **options)
    except Exception as problem:
        said = str(problem).strip().partition("\n")[0]
        return table.require(what, f"{type(problem).__name__}: {said}", "no failure", False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="tiny sizes in Triton's interpreter")
    dry = parser.parse_args().dry_run
    if not dry and not torch.cuda.is_available():
        sys.exit(
            "no CUDA device was found: this benchmark needs an NVIDIA GPU (--dry-run tests the script without one)"
        )
    if dry:
        os.environ["TRITON_INTERPRET"] = "1"
    device, sizes = ("cpu", DRY) if dry else ("cuda", FULL)
    import triton

    where = "Triton's interpreter" if dry else torch.cuda.get_device_name()
    print(f"{where}, torch {torch.__version__}, triton {triton.__version__}", flush=True)
    table = Table(judged=not dry)
    for measure in (check, repeat, launches):
        attempt(table, measure.__name__, measure, sizes, device)
    speed = attempt(table, "bandwidth", bandwidth, sizes, device) or math.nan
    for shape in sizes.routing:
        attempt(table, f"routing {shape}", routing, shape, device, speed)
    attempt(table, "layer", layer, sizes, device)
    print(
        f"\n{table}\n\n{time.perf_counter() - START:.0f} s"
        + (", a dry run: the times mean nothing" if dry else "")
    )
    sys.exit(table.failed)


if __name__ == "__main__":
    main()
