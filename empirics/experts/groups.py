"""Products of rows sorted by expert with each expert's matrix: one expert at a time, or all at once.

torch's grouped product takes float32, bfloat16 and float16 and rows of a multiple of 16 bytes; nothing checks its
offsets. It is fast for bfloat16 on GPUs of compute capability 9.0 and up; elsewhere on GPUs it is a loop inside torch that
waits for the device at every expert. Everything else, float64 included, goes one expert at a time. On a CPU that is
faster as well: what is computed between two products then stays in cache.

Shapes: N rows sorted by expert, E experts, A columns in, B columns out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Literal, Protocol, TypeAlias, get_args

import torch
from torch import Tensor

from theory.errors import MoelawsError

Product: TypeAlias = Literal["auto", "grouped", "loop"]
GROUPED_DTYPES = (torch.float32, torch.bfloat16, torch.float16)
ALIGNMENT = 16
"""Bytes of which a row of a grouped product's operands must be a multiple."""

grouped_mm: Any = getattr(torch.nn.functional, "grouped_mm", None) or getattr(torch, "_grouped_mm", None)


class Group(Protocol):
    """Rows of one or of all experts. ``out`` is where a result may be put; what is returned is the result."""

    rows: slice

    def product(self, x_NA: Tensor, w_EBA: Tensor, bias_EB: Tensor | None, out: Tensor | None) -> Tensor:
        """x W^T + b for the rows of this group."""

    def product_transposed(self, y_NB: Tensor, w_EBA: Tensor, out: Tensor | None) -> Tensor:
        """y W."""

    def dot_bias(self, y_NB: Tensor, bias_EB: Tensor) -> Tensor:
        """Each row's inner product with its expert's bias, in float32 at least."""

    def outer(self, y_NB: Tensor, x_NA: Tensor, out_EBA: Tensor) -> Tensor:
        """Sum over an expert's rows of y x^T: the gradient of its matrix; all experts' gradients so far are returned."""

    def total(self, y_NB: Tensor, weights_N: Tensor | None, out_EB: Tensor) -> Tensor:
        """(Weighted) sum of an expert's rows: the gradient of its bias."""


class OneExpert:
    """The rows of one expert."""

    def __init__(self, expert: int, start: int, end: int) -> None:
        self.expert, self.rows = expert, slice(start, end)

    def product(self, x_NA: Tensor, w_EBA: Tensor, bias_EB: Tensor | None, out: Tensor | None) -> Tensor:
        transposed = w_EBA[self.expert].t()
        if bias_EB is None:
            return torch.mm(x_NA, transposed, out=out)
        return torch.addmm(bias_EB[self.expert], x_NA, transposed, out=out)

    def product_transposed(self, y_NB: Tensor, w_EBA: Tensor, out: Tensor | None) -> Tensor:
        return torch.mm(y_NB, w_EBA[self.expert], out=out)

    def dot_bias(self, y_NB: Tensor, bias_EB: Tensor) -> Tensor:
        exact = torch.promote_types(y_NB.dtype, torch.float32)
        return torch.mv(y_NB.to(exact), bias_EB[self.expert].to(exact))

    def outer(self, y_NB: Tensor, x_NA: Tensor, out_EBA: Tensor) -> Tensor:
        torch.mm(y_NB.t(), x_NA, out=out_EBA[self.expert])
        return out_EBA

    def total(self, y_NB: Tensor, weights_N: Tensor | None, out_EB: Tensor) -> Tensor:
        if weights_N is None:
            torch.sum(y_NB, 0, out=out_EB[self.expert])
        else:
            torch.mv(y_NB.t(), weights_N.to(y_NB.dtype), out=out_EB[self.expert])
        return out_EB


class AllExperts:
    """The rows of all experts, through torch's grouped product."""

    def __init__(self, ends_E: Tensor, experts_N: Tensor) -> None:
        self.rows = slice(None)
        self.ends_E, self.experts_N = ends_E, experts_N

    def product(self, x_NA: Tensor, w_EBA: Tensor, bias_EB: Tensor | None, out: Tensor | None) -> Tensor:
        product_NB: Tensor = grouped_mm(x_NA, w_EBA.mT, offs=self.ends_E)
        return product_NB if bias_EB is None else product_NB.add_(bias_EB[self.experts_N])

    def product_transposed(self, y_NB: Tensor, w_EBA: Tensor, out: Tensor | None) -> Tensor:
        product_NA: Tensor = grouped_mm(y_NB, w_EBA, offs=self.ends_E)
        return product_NA

    def dot_bias(self, y_NB: Tensor, bias_EB: Tensor) -> Tensor:
        return (y_NB * bias_EB[self.experts_N]).sum(-1, dtype=torch.float32)

    def outer(self, y_NB: Tensor, x_NA: Tensor, out_EBA: Tensor) -> Tensor:
        outer_EBA: Tensor = grouped_mm(y_NB.t(), x_NA, offs=self.ends_E)
        return outer_EBA

    def total(self, y_NB: Tensor, weights_N: Tensor | None, out_EB: Tensor) -> Tensor:
        # A product with a column of weights, as wide as alignment asks, adds in a fixed order; atomic additions would not.
        column_N1 = torch.ones_like(y_NB[:, :1]) if weights_N is None else weights_N[:, None].to(y_NB.dtype)
        columns = ALIGNMENT // y_NB.element_size()
        return self.outer(y_NB, column_N1.expand(-1, columns).contiguous(), out_EB[..., None])[..., 0]


def groups(
    product: Product, offsets_E: Tensor, ends_E: Tensor, experts_N: Tensor, matrices: tuple[Tensor, ...]
) -> list[Group]:
    """How to walk the rows: all experts at once, or those that have rows one after the other; nothing where there are none.

    ``offsets_E`` are E + 1 exclusive prefix sums and ``ends_E`` the last E of them as int32. The loop waits for the device.
    """
    check_product(product)
    unsupported = _unsupported(matrices)
    if product == "grouped" and unsupported:
        raise MoelawsError(f"product='grouped': {unsupported}; use product='auto'")
    if not len(experts_N):
        return []
    fast = grouped_is_fast(offsets_E.device, matrices[0].dtype)
    if product == "grouped" or (product == "auto" and fast and not unsupported):
        return [AllExperts(ends_E, experts_N)]
    return list(_one_by_one(offsets_E.tolist()))


def check_product(product: Product) -> None:
    """Refuse a name that is none of `Product`."""
    if product not in get_args(Product):
        raise MoelawsError(f"product={product!r}: expected one of {', '.join(map(repr, get_args(Product)))}")


def grouped_is_fast(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether torch has one kernel for the grouped product, so that nothing waits for the device."""
    hopper = device.type == "cuda" and torch.cuda.get_device_capability(device) >= (9, 0)
    return hopper and dtype == torch.bfloat16


def _one_by_one(offsets: list[int]) -> Iterator[Group]:
    for expert, (start, end) in enumerate(itertools.pairwise(offsets)):
        if start < end:
            yield OneExpert(expert, start, end)


def _unsupported(matrices: tuple[Tensor, ...]) -> str:
    if grouped_mm is None:
        return "this torch has no grouped product; it came with 2.8"
    for matrix in matrices:
        if matrix.dtype not in GROUPED_DTYPES:
            return f"the grouped product takes float32, bfloat16 and float16, got {matrix.dtype}"
        for size in matrix.shape[1:]:
            if size * matrix.element_size() % ALIGNMENT:
                return f"the grouped product takes rows of a multiple of {ALIGNMENT} bytes, got {size} x {matrix.dtype}"
    return ""
