"""A run to store, and a store to put it into."""

from __future__ import annotations

import pytest

from empirics.runs import Architecture, Budgets, Data, Run, RunStore


@pytest.fixture
def a_run():
    def make(seed=0, loss=0.5, **changes):
        fields = {
            "name": "toy",
            "unit": "squared error",
            "source": "moelaws",
            "architecture": Architecture(kind="constructive-moe", experts=8, active=2),
            "budgets": Budgets(active_parameters=100, samples=1000),
            "data": Data(name="torus", dimension=2, smoothness=0.5),
            "seed": seed,
            "loss": loss,
            "code": "abc",
        }
        return Run(**(fields | changes))

    return make


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs.db")
