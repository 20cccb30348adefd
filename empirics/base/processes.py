"""One thread a process for linear algebra: where every core has a process, more only get in each other's way.

Products of small matrices are four times slower on two threads than on one, and two processes of two threads slower still.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Libraries loaded and processes started meanwhile use one thread, unless the environment already says how many.

    A library that is loaded already keeps its threads.
    """
    ours = [name for name in _VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
