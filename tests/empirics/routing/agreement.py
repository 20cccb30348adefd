"""Whether an implementation of `route` agrees with the reference in double precision: one check, used everywhere.

Shapes: T tokens, E experts, K active experts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

from empirics.routing import Routing
from empirics.routing.reference import routing_of

EXAMPLES = 300 if os.environ.get("MOELAWS_PROFILE") == "full" else 60
EXACT = ("counts_E", "offsets_E", "ends_E", "permutation_N", "inverse_N", "cleaned")
CLOSE = ("weights_TK", "balance_loss", "z_loss", "mean_probability_E", "entropy", "max_load")
TOLERANCE = 1e-6
SHAPES = [(1, 1), (2, 1), (2, 2), (3, 2), (5, 5), (8, 2), (16, 1), (17, 4), (40, 9), (130, 8)]
"""Experts and active experts; few, since each is compiled anew on a GPU."""

Route = Callable[..., Routing]


@dataclass(frozen=True)
class Case:
    """Arguments of `route` with ``nonfinite="clean"``, and the seed of the cotangents."""

    logits_TE: Tensor
    k: int
    bias_E: Tensor | None = None
    gate: str = "softmax"
    renormalise: bool = True
    allowed_TE: Tensor | None = None
    groups: tuple[int, int] | None = None
    real_T: Tensor | None = None
    seed: int = 0

    @property
    def sound_T1(self) -> Tensor:
        """Whether a row can be routed as it is."""
        finite_T1 = self.logits_TE.detach().isfinite().all(-1, keepdim=True)
        return (
            finite_T1
            if self.allowed_TE is None
            else finite_T1 & (self.allowed_TE.sum(-1, keepdim=True) >= self.k)
        )

    @property
    def permitted_TE(self) -> Tensor:
        """The experts that a row may be given, groups aside."""
        everything_TE = torch.ones(self.logits_TE.shape, dtype=torch.bool)
        return everything_TE if self.allowed_TE is None else self.allowed_TE | ~self.sound_T1


def disagreements(route: Route, case: Case) -> list[str]:
    """The names of what differs: the ids' order, bookkeeping to the bit, weights to 1e-6, gradients to a few units."""
    logits_TE = case.logits_TE.detach().requires_grad_()  # its own leaf, with the strides of the case
    found = route(
        logits_TE,
        case.k,
        gate=case.gate,
        renormalise=case.renormalise,
        bias_E=case.bias_E,
        allowed_TE=case.allowed_TE,
        groups=case.groups,
        real_T=case.real_T,
        nonfinite="clean",
    )
    exact_TE = case.logits_TE.double().requires_grad_()
    clean_TE = exact_TE.where(case.sound_T1, 0.0)
    if not _selected(found.ids_TK, clean_TE.detach(), case):
        return ["ids_TK"]
    unsound_T = ~case.sound_T1.squeeze(-1)
    expected = routing_of(
        clean_TE,
        found.ids_TK,
        gate=case.gate,
        renormalise=case.renormalise,
        real_T=case.real_T,
        cleaned=(unsound_T if case.real_T is None else unsound_T & case.real_T).sum(),
    )
    wrong = [name for name in EXACT if not _same(getattr(found, name), getattr(expected, name))]
    wrong += [name for name in CLOSE if not _close(getattr(found, name), getattr(expected, name))]
    _backward(found, case.seed)
    _backward(expected, case.seed)
    if not _close_gradients(logits_TE.grad, exact_TE.grad):
        wrong.append("gradient")
    return wrong


def _same(found: Tensor, expected: Tensor) -> bool:
    return found.dtype == expected.dtype and torch.equal(found, expected)


def _close(found: Tensor, expected: Tensor) -> bool:
    """Within the tolerance; statistics, which may be large, within it relative to their size."""
    expected = expected.detach().float()  # beyond float32 both are infinite
    return found.dtype == torch.float32 and torch.allclose(
        found, expected, rtol=0.0 if expected.ndim == 2 else 5e-6, atol=TOLERANCE
    )


def _close_gradients(found: Tensor, expected: Tensor) -> bool:
    """Within a few float32 units of the row's largest entry, and the rounding of the logits' own dtype."""
    if found.shape != expected.shape:
        return False
    scale_T1 = expected.abs().amax(-1, keepdim=True) if expected.numel() else expected
    allowed = 4e-6 * scale_T1 + TOLERANCE
    if found.dtype != torch.float32:
        smallest = torch.finfo(found.dtype).smallest_normal
        allowed = allowed + torch.finfo(found.dtype).eps * (expected.abs() + smallest)
    overflown = found == expected.to(found.dtype)
    return bool((overflown | ((found.double() - expected).abs() <= allowed)).all())


def _selected(ids_TK: Tensor, logits_TE: Tensor, case: Case) -> bool:
    """Exactly what a stable sort of the permitted selects; where a bias or groups decide, scores may swap within their rounding."""
    if ids_TK.dtype != torch.int64 or ids_TK.shape != (len(logits_TE), case.k):
        return False
    if not len(ids_TK):
        return True
    if ids_TK.min() < 0 or ids_TK.max() >= logits_TE.shape[1]:
        return False
    if any(len(set(row)) < case.k for row in ids_TK.tolist()):
        return False
    bias_E = torch.zeros(logits_TE.shape[1], dtype=torch.float64)
    biased = case.bias_E is not None and len(set(case.bias_E.tolist())) > 1
    if biased:
        bias_E = case.bias_E.double().where(case.bias_E.isfinite(), 0.0)
    scores_TE = logits_TE.softmax(-1) if case.gate == "softmax" else logits_TE.sigmoid()
    permitted_TE = case.permitted_TE
    if case.groups is not None:
        permitted_TE = _used_groups(ids_TK, scores_TE + bias_E, case.groups, logits_TE, bias_E)
        if permitted_TE is None:
            return False
    if not permitted_TE.gather(-1, ids_TK).all():
        return False
    if not biased:
        keys_TE = (logits_TE + 0.0).where(permitted_TE, -torch.inf)
        return torch.equal(ids_TK, keys_TE.sort(dim=-1, descending=True, stable=True).indices[:, : case.k])
    keys_TE = (scores_TE + bias_E).where(permitted_TE, -torch.inf)
    chosen_TK = keys_TE.gather(-1, ids_TK)
    rest_TE = keys_TE.scatter(-1, ids_TK, -torch.inf)
    allowed = TOLERANCE  # of the scores: sums with the bias are not rounded
    ordered = (chosen_TK.diff(dim=-1) <= allowed).all() and (
        rest_TE.amax(-1) <= chosen_TK[:, -1] + allowed
    ).all()
    return bool(ordered) and all(
        _ties_in_order(
            ids, [(*key, free) for *key, free in zip(row, bias_E.tolist(), permitted, strict=True)]
        )
        for ids, row, permitted in zip(
            ids_TK.tolist(), logits_TE.tolist(), permitted_TE.tolist(), strict=True
        )
    )


def _used_groups(
    ids_TK: Tensor, keys_TE: Tensor, groups: tuple[int, int], logits_TE: Tensor, bias_E: Tensor
) -> Tensor | None:
    """The experts of the best groups of each token; where rounding leaves the groups open, of those that suit the ids best."""
    count, active = groups
    width = keys_TE.shape[1] // count
    permitted_TE = torch.zeros_like(keys_TE, dtype=torch.bool)
    allowed = TOLERANCE * (1 + 2 * bias_E.abs().max().item())
    for row, keys in enumerate(keys_TE):
        sums = [sum(sorted(part, reverse=True)[:2]) for part in keys.reshape(count, width).tolist()]
        falling = sorted(sums, reverse=True)
        last, next_one = falling[active - 1], falling[active] if active < count else -torch.inf
        used = {id_ // width for id_ in ids_TK[row].tolist()}
        chosen = used | {g for g in range(count) if sums[g] > next_one + allowed}
        open_ones = [g for g in range(count) if g not in chosen and sums[g] >= last - allowed]
        best = logits_TE[row].reshape(count, width).amax(-1).tolist()
        chosen |= set(sorted(open_ones, key=lambda g: (best[g], g))[: active - len(chosen)])
        if len(chosen) != active or any(sums[g] < last - allowed for g in chosen):
            return None
        # Groups that hold the same logits and biases tie exactly: the first of them comes first.
        parts = torch.stack([logits_TE[row], bias_E], -1).reshape(count, -1)
        left = set(range(count)) - chosen
        if any(torch.equal(parts[g], parts[c]) and g < c for c in chosen & used for g in left):
            return None
        for group in chosen:
            permitted_TE[row, group * width : (group + 1) * width] = True
    return permitted_TE


def _ties_in_order(ids: list[int], experts: list[tuple[float, float, bool]]) -> bool:
    """Of permitted experts with equal logit and bias, the selected ones are the first, in order."""
    classes: dict[tuple[float, float, bool], list[int]] = {}
    for expert, key in enumerate(experts):
        classes.setdefault(key, []).append(expert)
    for members in classes.values():
        selected = [expert for expert in ids if expert in members]
        if selected != members[: len(selected)]:
            return False
    return True


def _backward(routing: Routing, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    cotangent = torch.randn(routing.weights_TK.shape, generator=generator).to(routing.weights_TK.dtype)
    total = (routing.weights_TK * cotangent).sum() + 3 * routing.balance_loss
    if routing.z_loss.isfinite():
        total = total + 0.5 * routing.z_loss
    total.backward()


# Inputs that are hard to route

ROWS: dict[str, Callable[[int, torch.Generator], Tensor]] = {
    "normal": lambda E, g: torch.randn(E, generator=g),
    "wide": lambda E, g: 30 * torch.randn(E, generator=g),
    "ties": lambda E, g: torch.randint(-1, 2, (E,), generator=g).float(),
    "constant": lambda E, g: torch.randn(1, generator=g).expand(E),
    "signed zeros": lambda E, g: torch.randint(0, 2, (E,), generator=g) * -0.0,
    "near ties": lambda E, g: 1 + torch.randint(0, 4, (E,), generator=g) * 2.0**-23,
    "huge": lambda E, g: 60000 * torch.randn(E, generator=g).clamp(-1, 1),
    "one above all": lambda E, g: torch.zeros(E).scatter(0, torch.randint(0, E, (1,), generator=g), 200.0),
    "nan": lambda E, g: torch.randn(E, generator=g).scatter(
        0, torch.randint(0, E, (1,), generator=g), torch.nan
    ),
    "all nan": lambda E, g: torch.full((E,), torch.nan),
    "infinity": lambda E, g: torch.randn(E, generator=g).scatter(
        0, torch.randint(0, E, (1,), generator=g), torch.inf
    ),
    "minus infinity": lambda E, g: torch.full((E,), -torch.inf),
}


def far_apart() -> list[Case]:
    """Rows, then columns, more than 2^31 elements apart; almost none of that address space is touched."""
    far = torch.empty(2**31 + 1024, dtype=torch.float16)
    rows_TE, columns_TE = far.as_strided((2, 4), (2**31 + 64, 1)), far.as_strided((2, 3), (1, 2**30))
    rows_TE.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0], [4.0, 2.0, 3.0, 1.0]]))
    columns_TE[:, 1:] = torch.tensor(
        [[2.0, 3.0], [3.0, 2.0]]
    )  # the first column is the start of the first row
    return [Case(rows_TE, 2), Case(columns_TE, 1)]


DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rows of every kind in any mixture; dtypes, gates, biases, and layouts in memory."""
    E, k = draw(st.sampled_from(SHAPES[::3] if torch.cuda.is_available() else SHAPES), label="E, k")
    kinds = draw(st.lists(st.sampled_from(sorted(ROWS)), min_size=1, max_size=10), label="rows")
    repeats = draw(st.sampled_from([1, 2, 5]), label="repeats")
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32), label="seed"))
    logits_TE = torch.stack([ROWS[kind](E, generator) for kind in kinds * repeats])
    logits_TE = logits_TE.to(DTYPES[draw(st.sampled_from(sorted(DTYPES)), label="dtype")])
    if draw(st.booleans(), label="transposed"):
        logits_TE = logits_TE.T.contiguous().T
    bias = draw(st.sampled_from(["none", "none", "small", "large", "equal", "nan"]), label="bias")
    bias_E = {
        "none": None,
        "small": 0.01 * torch.randn(E, generator=generator),
        "large": 4 * torch.randn(E, generator=generator),
        "equal": torch.full((E,), 12.0),
        "nan": torch.randn(E, generator=generator).scatter(0, torch.tensor([0]), torch.nan),
    }[bias]
    restricted = draw(st.sampled_from(["nothing", "nothing", "allowed", "groups"]), label="restriction")
    divisors = [n for n in range(2, E + 1) if E % n == 0] if E > 1 else []
    allowed_TE = groups = None
    if restricted == "allowed":  # some rows allow too few
        allowed_TE = torch.rand(logits_TE.shape, generator=generator) < draw(
            st.sampled_from([0.2, 0.7, 0.95])
        )
    elif restricted == "groups" and divisors:
        count = draw(st.sampled_from(divisors), label="groups")
        groups = count, draw(st.integers(-(-k * count // E), count), label="active groups")
    real_T = (
        torch.rand(len(logits_TE), generator=generator) < 0.6
        if draw(st.booleans(), label="padding")
        else None
    )
    return Case(
        logits_TE,
        k,
        allowed_TE=allowed_TE,
        groups=groups,
        real_T=real_T,
        bias_E=bias_E,
        gate=draw(st.sampled_from(["softmax", "sigmoid"]), label="gate"),
        renormalise=draw(st.booleans(), label="renormalise"),
        seed=draw(st.integers(0, 9), label="cotangents"),
    )
