"""Judging claims: checkers, verdicts, the runner, reports and the command line.

What a paper's ``claims.py`` needs is here: `Paper`, the checks, `quoted` cells,
rounding modes and verdicts. The public names are listed in ``__init__.pyi``
and load on first use, so that ``moelaws --help`` stays fast.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
