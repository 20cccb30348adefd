"""What the run store says of a run on known truth: who was fitted, to what data, with how many parameters."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from empirics.experiments.known_truth.worlds import World

if TYPE_CHECKING:
    from empirics.sweeps import Description


def description(
    world: World | None,
    *,
    noise: float = 0.0,
    experts: int | None = None,
    active: int | None = 1,
    **budgets: float | None,
) -> Description:
    """A run's description; ``budgets`` are fields of `empirics.runs.record.Budgets`. What is not known is left out.

    ``world`` is None where each seed draws a function of the model's own class, which has no smoothness.
    """
    # Imported by name: how a run is described takes no part in what it measures, so its code is not part of the
    # digest that measurements are kept under. And a claim that is judged needs no run store.
    record: Any = importlib.import_module("empirics.runs.record")
    sweeps: Any = importlib.import_module("empirics.sweeps")
    known = {} if world is None else {"dimension": world.d, "smoothness": world.beta}
    found: Description = sweeps.Description(
        record.Architecture(kind="constructive-moe", experts=experts, active=active),
        record.Data(
            name="members of the model's class" if world is None else type(world).__name__,
            noise=noise,
            **known,
        ),
        record.Budgets(**budgets),
    )
    return found
