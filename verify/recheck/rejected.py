"""The one exception of a second reading."""

from __future__ import annotations


class Rejected(Exception):
    """A certificate that does not prove what it is said to prove, and why."""
