"""Processes that share the cores use one thread each, unless the user said how many."""

from __future__ import annotations

import os

from empirics.base.processes import one_thread_each


def test_threads_are_one_meanwhile_and_as_before_afterwards(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    before = dict(os.environ)
    with one_thread_each():
        assert os.environ["OMP_NUM_THREADS"] == "1"
        assert os.environ["OPENBLAS_NUM_THREADS"] == "7"
    assert dict(os.environ) == before
