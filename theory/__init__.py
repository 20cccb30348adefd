"""Symbols, statements, architectures, exponents and laws of MoE scaling theory.

``from theory import *`` at a REPL brings the vocabulary (``beta``, ``d``, ``n``,
``N``, ``M``, ``k``, ...), the derived statements (``data_exponent``, ...), the
architecture counter, the laws, and the calculus of rates (`minimise`, `consistency`). Objects show as LaTeX in a notebook and as
readable text in a terminal; ``data_exponent.explain()`` prints the derivation.

The public names are those in the ``__all__`` of the modules; they load on first use (``theory.lazy``).
"""

from theory.lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
