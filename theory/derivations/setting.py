"""The kinds of what can be derived under several readings of the bound; each is found by being defined in `theory.derivations.settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from theory.defined import Defined
from theory.rates.optimum import OptimalRate


@dataclass(frozen=True)
class DerivationSetting:
    """A reading of the bound: what it assumes, in words, and the minimisation it leads to.

    ``size`` is the size whose growth is the result; None where the minimum itself is. ``statements`` are
    those that derive the same result with its constants.
    """

    words: str
    solve: Callable[[], OptimalRate]
    size: sp.Symbol | None = None
    statements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Derivable:
    """An exponent or an optimal size by name, and the readings under which it is derived, the default first."""

    name: str
    settings: Mapping[str, DerivationSetting]


@dataclass(frozen=True)
class ExponentIdentity:
    """The statement of this name gives the exponent ``symbol`` by a ``formula`` in other exponents.

    ``readings`` says for each reading of the identity under which reading each exponent in it is derived.
    """

    name: str
    symbol: sp.Symbol
    formula: sp.Expr
    readings: Mapping[str, Mapping[sp.Symbol, str]]


DERIVABLE: Mapping[str, Derivable] = Defined(Derivable, "theory.derivations.settings")
"""Every exponent and optimal size that is derived under readings, by name."""
IDENTITIES: Mapping[str, ExponentIdentity] = Defined(ExponentIdentity, "theory.derivations.settings")
"""Every identity between exponents, by the name of its statement."""
