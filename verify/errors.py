"""Bad input to the checks and commands."""

from __future__ import annotations

from theory.errors import MoelawsError as MoelawsError

__all__ = ["InputError", "MoelawsError"]


class InputError(MoelawsError):
    """Bad input to a check, a paper's files or a command; inside a check it ends the run, where others are its ERROR."""
