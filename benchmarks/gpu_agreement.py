"""Whether the routing kernels give what the reference gives in double precision, on inputs that `gpu.py` can make anywhere.

Shapes: T tokens, E experts, K active experts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

EXACT = ("counts_E", "offsets_E", "ends_E", "permutation_N", "inverse_N", "cleaned")
CLOSE = ("weights_TK", "balance_loss", "z_loss", "mean_probability_E", "entropy", "max_load")


class Case(NamedTuple):
    """An input of `route` and the options that it is routed with."""

    name: str
    logits_TE: Tensor
    k: int
    options: dict[str, Any] = {}  # noqa: RUF012


def draw(*shape: int, device: str, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    generator = torch.Generator(device).manual_seed(seed)
    return torch.randn(*shape, generator=generator, device=device).to(dtype)


def cases(shapes: list[tuple[int, int, int]], device: str) -> Iterator[Case]:
    """Every shape in two dtypes; at the first shape every gate, a bias, strides, ties, and rows that are not finite."""
    for seed, (tokens, experts, k) in enumerate(shapes):
        for dtype in (torch.float32, torch.bfloat16):
            logits_TE = draw(tokens, experts, device=device, dtype=dtype, seed=seed)
            yield Case(f"T={tokens} E={experts} k={k} {dtype}", logits_TE, k)
    tokens, experts, k = shapes[0]
    logits_TE = draw(tokens, experts, device=device, seed=len(shapes))
    bias_E = 0.3 * draw(experts, device=device, seed=len(shapes))
    for gate, renormalise, bias in itertools.product(("softmax", "sigmoid"), (True, False), (None, bias_E)):
        name = f"{gate}, renormalise={renormalise}, {'no' if bias is None else 'a'} bias"
        yield Case(name, logits_TE, k, {"gate": gate, "renormalise": renormalise, "bias_E": bias})
    allowed_TE = draw(tokens, experts, device=device, seed=99) < 1
    allowed_TE[:, :k] = True
    yield Case("forbidden experts", logits_TE, k, {"allowed_TE": allowed_TE})
    yield Case("padding", logits_TE, k, {"real_T": allowed_TE[:, -1].contiguous()})
    yield Case("transposed", logits_TE.T.contiguous().T, k)
    yield Case("every second column", logits_TE.repeat_interleave(2, 1)[:, ::2], k)
    yield Case("ties", logits_TE.round(), k)
    broken_TE = logits_TE.clone()
    broken_TE[1::5, 0], broken_TE[3::7] = torch.nan, torch.inf
    yield Case("rows that are not finite", broken_TE, k)


def disagreements(route: Any, case: Case) -> list[str]:
    """Names of the results that differ: integers at all, weights by 1e-6, gradients by more than their rounding."""
    from empirics.routing.reference import routing_of

    options = {
        "gate": "softmax",
        "renormalise": True,
        "bias_E": None,
        "allowed_TE": None,
        "real_T": None,
    } | case.options
    logits_TE = case.logits_TE.detach().requires_grad_()
    found = route(logits_TE, case.k, nonfinite="clean", **options)
    exact_TE = case.logits_TE.double().requires_grad_()
    finite_T1 = exact_TE.detach().isfinite().all(-1, keepdim=True)
    clean_TE = exact_TE.where(finite_T1, 0.0)
    if not _selected(found.ids_TK, clean_TE.detach(), options):
        return ["ids_TK"]
    rest = {name: options[name] for name in ("gate", "renormalise", "real_T")} | {
        "cleaned": (~finite_T1).sum()
    }
    exact = routing_of(clean_TE, found.ids_TK, **rest)
    wrong = [name for name in EXACT if not torch.equal(getattr(found, name), getattr(exact, name))]
    wrong += [name for name in CLOSE if not _close(getattr(found, name), getattr(exact, name))]
    cotangent_TK = draw(*found.weights_TK.shape, device=str(logits_TE.device), seed=1)
    for routing, cotangent in ((found, cotangent_TK), (exact, cotangent_TK.double())):
        ((routing.weights_TK * cotangent).sum() + routing.balance_loss + routing.z_loss).backward()
    error = (logits_TE.grad.double() - exact_TE.grad).abs().max() / exact_TE.grad.abs().max()
    if not error <= (1e-5 if logits_TE.dtype == torch.float32 else 1e-2):
        wrong.append("gradient")
    return wrong


def _close(found: Tensor, exact: Tensor) -> bool:
    """Within 1e-6, statistics relative to their size; a NaN is close to nothing."""
    return torch.allclose(found.double(), exact, rtol=0.0 if exact.ndim == 2 else 5e-6, atol=1e-6)


def _selected(ids_TK: Tensor, logits_TE: Tensor, options: dict[str, Any]) -> bool:
    """What a stable sort of the allowed selects; with a bias, scores may swap within their rounding."""
    k, gate, bias_E, allowed_TE = ids_TK.shape[1], options["gate"], options["bias_E"], options["allowed_TE"]
    if bias_E is None:
        keys_TE = logits_TE if allowed_TE is None else logits_TE.where(allowed_TE, -torch.inf)
        return torch.equal(ids_TK, keys_TE.sort(dim=-1, descending=True, stable=True).indices[:, :k])
    if ((ids_TK < 0) | (ids_TK >= logits_TE.shape[1])).any() or not ids_TK.sort(-1).values.diff().all():
        return False
    keys_TE = (logits_TE.softmax(-1) if gate == "softmax" else logits_TE.sigmoid()) + bias_E.double()
    chosen_TK, rest_TE = keys_TE.gather(-1, ids_TK), keys_TE.scatter(-1, ids_TK, -torch.inf)
    ordered_TK = torch.cat([chosen_TK, rest_TE.amax(-1, keepdim=True)], -1)
    return bool((ordered_TK.diff() <= 1e-6).all())
