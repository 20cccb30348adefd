"""Judging claims: checkers, verdicts, the runner, reports and the command line.

What a paper's ``claims.py`` needs is here: `Paper`, the checks, `quoted` cells,
rounding modes and verdicts. The public names are those in the ``__all__`` of the
modules; they load on first use (``theory.lazy``), so that ``moelaws --help`` stays fast.
"""

from theory.lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
