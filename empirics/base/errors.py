"""Errors of measurements, and the base of this project's errors, where `empirics` exports it from."""

from theory.errors import MoelawsError as MoelawsError

__all__ = ["MoelawsError"]


class NotTwiceDifferentiable(MoelawsError, RuntimeError):
    """Second derivatives were asked of a backward pass that has none."""
