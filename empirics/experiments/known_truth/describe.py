"""What is said of a run on known truth: who was fitted, to what data, with how many parameters."""

from __future__ import annotations

from empirics.experiments.experiment import Description
from empirics.experiments.known_truth.worlds import World


def description(
    world: World | None,
    *,
    noise: float = 0.0,
    experts: int | None = None,
    active: int | None = 1,
    **budgets: float | None,
) -> Description:
    """A run's description; ``budgets`` are fields of `empirics.runs.Budgets`.

    ``world`` is None where each seed draws a function of the model's own class, which has no smoothness.
    """
    data = (
        {"name": "members of the model's class"}
        if world is None
        else {"name": type(world).__name__, "dimension": world.d, "smoothness": world.beta}
    )
    return Description(
        {"kind": "constructive-moe", "experts": experts, "active": active}, {**data, "noise": noise}, budgets
    )
