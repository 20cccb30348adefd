"""Every test of routing that asks for ``route`` runs on each implementation and device there is."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from empirics.routing import Routing
from empirics.routing import route as route_by_any

sys.path.insert(0, str(Path(__file__).parent))

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
HAS_KERNELS = importlib.util.find_spec("triton") is not None
EVERYWHERE = [
    ("cpu", "reference"),
    *([("cuda", "reference")] if CUDA else []),
    *([pytest.param((DEVICE, "triton"), marks=pytest.mark.thorough)] if HAS_KERNELS else []),
]


@pytest.fixture(params=EVERYWHERE, ids=lambda where: f"{where[1]} on {where[0]}")
def route(request: pytest.FixtureRequest) -> Callable[..., Routing]:
    """`route` by one implementation on one device, from the CPU and back."""
    device, implementation = request.param
    return functools.partial(route_on, device, implementation)


@pytest.fixture(scope="session")
def kernels() -> Callable[..., Routing]:
    """`route` by the kernels, on a GPU or in the interpreter."""
    if not HAS_KERNELS:
        pytest.skip("Triton does not exist for this operating system")
    return functools.partial(route_on, DEVICE, "triton")


def route_on(device: str, implementation: str, logits_TE: Tensor, k: int, **options) -> Routing:
    options = {name: v.to(device) if isinstance(v, Tensor) else v for name, v in options.items()}
    logits_TE = logits_TE if device == "cpu" else OnDevice.apply(logits_TE, device)
    routing = route_by_any(logits_TE, k, implementation=implementation, **options)
    return Routing(*(value.to("cpu") for value in vars(routing).values()))


class OnDevice(torch.autograd.Function):
    """A tensor with the same strides on a device; plain ``.to`` would lose them."""

    @staticmethod
    def forward(ctx, tensor: Tensor, device: str) -> Tensor:
        there = torch.empty(0, dtype=tensor.dtype, device=device)
        storage = tensor.untyped_storage().to(device=device)
        return there.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        return grad.to("cpu"), None


@pytest.fixture(autouse=True)
def overflow_to_infinity() -> Iterator[None]:
    """The interpreter computes by numpy, which warns where exponentials and squares overflow, as on a GPU they may."""
    with np.errstate(over="ignore"):
        yield
