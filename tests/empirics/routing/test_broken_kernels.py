"""Kernels with one fault each: the check that the right ones pass must notice every one.

A fault is a change to the text of the kernels. None of them leaves its own memory, so that they run on a GPU too.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
import torch
from agreement import ROWS, Case, disagreements, far_apart


class Fault(NamedTuple):
    """The line that is changed, what it becomes, and the results that differ in the first case that notices."""

    line: str
    becomes: str
    noticed_in: set[str]


FAULTS = {
    "a tie goes to the largest index": Fault(
        "tl.min(tl.where(largest_of(keys, left), e[None, :], BE), axis=1)",
        "tl.max(tl.where(largest_of(keys, left), e[None, :], -1), axis=1)",
        {"ids_TK"},
    ),
    "an expert is selected twice": Fault(
        "left = slot == K\n", "left = slot >= 0\n", {"ids_TK"}
    ),
    "near ties are reordered by an index in the low bits": Fault(
        "keys = tl.where(permitted, sortable(logit), LOWEST)",
        "keys = tl.where(permitted, sortable(logit) & -256, LOWEST)",
        {"ids_TK"},
    ),
    "what rounding takes from score + bias is lost": Fault(
        "left = largest_of(second, largest_of(first, left))", "left = largest_of(first, left)", {"ids_TK"}
    ),
    "a forbidden expert has score 0 instead of none": Fault(
        "tl.where(permitted, sortable(logit), LOWEST)", "tl.where(real, sortable(tl.where(permitted, logit, 0.0)), LOWEST)", {"ids_TK"}
    ),
    "a group counts by its best expert alone": Fault(
        "total += tl.max(", "total += 0.0 * tl.max(", {"ids_TK"}
    ),
    "padding enters the loads": Fault(
        "real_count = tl.where(counted[:, None], count, 0)", "real_count = count", {"balance_loss", "max_load", "gradient"}
    ),
    "the mean divides by padding as well": Fault(
        "tl.store(share, 1.0 / T)", "tl.store(share, 1.0 / (T + 1))", {"gradient"}
    ),
    "padding pulls": Fault("each = tl.where(counted, tl.load(share), 0.0)", "each = tl.where(inside, tl.load(share), 0.0)", {"gradient"}),
    "transposed logits are read as if contiguous": Fault(
        "logits + t[:, None] * stride_t + column * stride_e",
        "logits + t[:, None] * E + column",
        {"ids_TK"},
    ),
    "a row number overflows 31 bits": Fault(
        "logits + t[:, None] * stride_t + column", "logits + ((t[:, None] * stride_t) & 0x7FFFFFFF) + column", {"ids_TK"}
    ),
    "an expert number overflows 31 bits": Fault(
        "column * stride_e,", "((column * stride_e) & 0x7FFFFFFF),",
        {"ids_TK"},
    ),
    "the bias reaches the weights": Fault(
        "tl.where(selected, score, -INFINITY)",
        "tl.where(selected, score + shift[None, :], -INFINITY)",
        {"weights_TK", "gradient"},
    ),
    "weights are not renormalised": Fault(
        "weight = power * (1.0 / tl.sum(tl.where(selected, power, 0.0), axis=1))[:, None]",
        "weight = probability",
        {"weights_TK", "gradient"},
    ),
    "the softmax is taken in half precision": Fault(
        "power = tl.exp(below)\n",
        "power = tl.exp(below).to(tl.float16).to(tl.float32)\n",
        {"weights_TK", "mean_probability_E", "entropy", "gradient"},
    ),
    "a token is lost": Fault(
        "tl.store(permutation + row, n, mask=inside)",
        "tl.store(permutation + row, n, mask=inside & (n != 5))",
        {"permutation_N"},
    ),
    "the last token is not counted": Fault(
        "count = taken.to(tl.int32)",
        "count = (taken & (t + 1 < T)[:, None]).to(tl.int32)",
        {"counts_E", "offsets_E", "ends_E", "permutation_N", "inverse_N", "balance_loss", "max_load", "gradient"},
    ),
    "offsets are swapped": Fault(
        "end = tl.cumsum(count, axis=0)\n",
        "end = tl.sum(count, axis=0) - tl.cumsum(count, axis=0) + count\n",
        {"offsets_E", "ends_E", "permutation_N", "inverse_N"},
    ),
    "the last offset is not written": Fault(
        "mask=e == E - 1)", "mask=e == E - 2)", {"offsets_E"}
    ),
    "tokens are stored in any order within an expert": Fault(
        "rank = tl.cumsum(count, axis=0) - count",
        "rank = tl.sum(count, axis=0)[None, :] - tl.cumsum(count, axis=0)",
        {"permutation_N", "inverse_N"},
    ),
    "blocks write over each other": Fault(
        "count_E[None, :] + tl.cumsum(count, axis=0) - count, mask",
        "count_E[None, :] + tl.cumsum(count, axis=0) * 0, mask",
        {"permutation_N", "inverse_N"},
    ),
    "one block is left out of the balance loss": Fault(
        "tl.load(block_probability + place, mask=inside, other=0.0)",
        "tl.load(block_probability + place, mask=inside & (row > 0)[:, None], other=0.0)",
        {"balance_loss", "mean_probability_E"},
    ),
    "padding enters the z-loss": Fault(
        "tl.where(counted, log_sum * log_sum, 0.0)", "log_sum * log_sum", {"z_loss"}
    ),
    "rows that are not finite are not counted": Fault("1 - sound, 0)", "0, 0)", {"cleaned"}),
    "a cleaned row gets a gradient": Fault(
        "result = tl.where(sound[:, None] != 0, result, 0.0)", "result = result * 1.0", {"gradient"}
    ),
    "the gradient through the renormalisation is missing": Fault("slope -= mean\n", "slope -= mean * 0.0\n", {"gradient"}),
    "the gradient through the softmax's sum is missing": Fault(
        "result -= probability * mean[:, None]", "result -= probability * 0.0", {"gradient"}
    ),
    "the balance loss pulls without its mean": Fault(
        "pull[None, :] - tl.sum(probability * pull[None, :], axis=1)[:, None]", "pull[None, :]", {"gradient"}
    ),
    "the slope of sigmoid gates is missing": Fault("result = result * sigmoid(-logit)", "result = result * 1.0", {"gradient"}),
    "the z-loss has half its slope": Fault("(2.0 * each)", "each", {"gradient"}),
}  # fmt: skip


def hard_cases() -> list[Case]:
    generator = torch.Generator().manual_seed(20260409)
    kinds = ["normal", "ties", "near ties", "one above all", "nan", "wide", "signed zeros"]
    logits_TE = torch.stack([ROWS[kind](6, generator) for kind in kinds * 3])
    bias_E = 0.3 * torch.randn(6, generator=generator)
    return [
        Case(logits_TE, 2),
        Case(logits_TE.T.contiguous().T, 3, renormalise=False),
        Case(logits_TE, 2, gate="sigmoid", bias_E=bias_E),
        swallowed(),
        *restricted(logits_TE, generator),
        *far_apart(),
    ]


def restricted(logits_TE: torch.Tensor, generator: torch.Generator) -> list[Case]:
    """With forbidden experts, groups, and padding; below 0, where a forbidden expert that counts as 0 would be the best."""
    allowed_TE = torch.rand(logits_TE.shape, generator=generator) < 0.6
    real_T = torch.rand(len(logits_TE), generator=generator) < 0.7
    return [
        Case(logits_TE - 9, 2, allowed_TE=allowed_TE | (torch.arange(6) < 2)),
        Case(logits_TE, 2, allowed_TE=allowed_TE),
        Case(torch.randn(21, 6, generator=generator), 2, groups=(3, 1)),
        Case(logits_TE, 2, real_T=real_T),
    ]


def swallowed() -> Case:
    """Sums of score and bias that float32 cannot tell apart, in another order than the scores and the logits."""
    parts_E = torch.tensor([0, 100, 200, 300, 400, 450]) / 1024  # a unit in the last place of 8192 is 1/1024
    scores_E = 0.5 - parts_E + 1e-4 * torch.tensor([-3, -2, -1, 1, 2, 3])
    return Case(scores_E.logit().repeat(3, 1), 2, gate="sigmoid", bias_E=8192 + parts_E)


@pytest.fixture(scope="module")
def hard() -> list[Case]:
    return hard_cases()


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Launch kernels whose text was changed, eight tokens a program, into memory that holds rubbish."""

    def change(line: str = "", becomes: str = "") -> None:
        from empirics.routing import fused

        text = Path(fused.triton_kernels.__file__).read_text()
        if line:
            assert text.count(line) == 1, f"{text.count(line)} places for this fault"
            text = text.replace(line, becomes)
        path = tmp_path / "changed_kernels.py"
        path.write_text(text)
        monkeypatch.setattr(fused, "kernels", load(path))
        monkeypatch.setattr(torch, "empty", rubbish)
        usual = fused.blocks_for
        monkeypatch.setattr(fused, "blocks_for", lambda *shape: usual(*shape)._replace(tokens=8, chunk=2))

    return change


def rubbish(*shape, _empty=torch.empty, **options) -> torch.Tensor:
    fresh = _empty(*shape, **options)
    return fresh.fill_(torch.nan if fresh.is_floating_point() else 1)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kernels_without_a_fault_pass(kernels, changed, hard):
    changed()
    assert [disagreements(kernels, case) for case in hard] == [[]] * len(hard)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(kernels, changed, hard, fault):
    line, becomes, noticed_in = FAULTS[fault]
    changed(line, becomes)
    found = next((wrong for case in hard if (wrong := disagreements(kernels, case))), [])
    assert set(found) == noticed_in


def test_addition_in_no_order_is_noticed(kernels, monkeypatch):
    """As float atomics would: the blocks' sums arrive shuffled, and last bits of the mean probabilities move."""
    from empirics.routing import fused

    right, generator = fused.triton_kernels, torch.Generator().manual_seed(5)

    class Shuffled:
        def __getitem__(self, grid):
            def launch(counts, real, probability, *rest, **options):
                order = torch.randperm(len(probability), generator=generator).to(probability.device)
                right.prefix_over_blocks[grid](counts, real, probability[order], *rest, **options)

            return launch

    unordered = SimpleNamespace(**(vars(right) | {"prefix_over_blocks": Shuffled()}))
    logits_TE = 3 * torch.randn(150, 8, generator=torch.Generator().manual_seed(6))
    usual = fused.blocks_for
    monkeypatch.setattr(fused, "blocks_for", lambda *shape: usual(*shape)._replace(tokens=16))

    def different(runs: int) -> int:
        return len({tuple(kernels(logits_TE, 2).mean_probability_E.tolist()) for _ in range(runs)})

    assert different(2) == 1
    monkeypatch.setattr(fused, "kernels", unordered)
    assert different(3) > 1
