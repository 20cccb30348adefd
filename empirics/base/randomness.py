"""Named random streams: a name and some integers give the same generator on every machine."""

from __future__ import annotations

__all__ = ["named_generator"]

import hashlib

import numpy as np

from theory.errors import MoelawsError


def named_generator(name: str, *indices: int) -> np.random.Generator:
    """A generator seeded by a name (what the numbers are for) and integers such as a size and a seed.

    Two streams whose names or integers differ are independent for all practical purposes.
    """
    if not name:
        raise MoelawsError("named_generator(name=''): a stream needs a name that says what it is for")
    entropy = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "big")
    return np.random.default_rng([entropy, *(_natural(index) for index in indices)])


def _natural(index: int) -> int:
    if index < 0:
        raise MoelawsError(f"named_generator: index {index} is negative; expected sizes and seeds from 0")
    return int(index)
