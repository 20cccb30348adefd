"""The losses that a law predicts for given runs, and their derivatives, for many coefficients at once.

Descent moves in free coordinates: the logarithm of a positive coefficient, that of minus a negative one, any other
as it is. S sets of coefficients, n runs, P coefficients: ``at_SP``, ``loss_Sn``, ``slopes_SnP``.
"""

from __future__ import annotations

__all__ = ["Surface"]

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp

from empirics.fitting.objective import Floats
from theory.errors import MoelawsError
from theory.laws.law import LAWS, Law

_SIGNS = {"positive": 1.0, "negative": -1.0, "any": 0.0}


@cache
def _compiled(kind: type[Law]) -> tuple[Callable[..., list[Any]], Callable[..., Any], list[int]]:
    """Loss and derivatives in the coefficients, the loss alone, and the coefficients in which it is linear together."""
    inputs = {quantity.name: quantity.symbol for quantity in kind.inputs}
    symbols = [quantity.symbol for quantity in kind.coefficients()]
    loss = kind.symbolic().loss(**inputs)
    slopes = [sp.diff(loss, symbol) for symbol in symbols]
    linear: list[int] = []
    for i, slope in enumerate(slopes):
        if not any(slope.has(symbols[j]) for j in (*linear, i)):
            linear.append(i)
    arguments = [*symbols, *inputs.values()]
    both = sp.lambdify(arguments, [loss, *slopes], modules="numpy", cse=True)
    return both, sp.lambdify(arguments, loss, modules="numpy", cse=True), linear


class Surface:
    """The law of one ``kind`` at runs whose inputs are arrays of one length."""

    def __init__(self, kind: type[Law], inputs: dict[str, Floats]) -> None:
        self.kind = kind
        self.inputs = [inputs[quantity.name] for quantity in kind.inputs]
        self.both, self.alone, self.linear = _compiled(kind)
        self.names = [quantity.name for quantity in kind.coefficients()]
        self.signs = np.array([_SIGNS[quantity.sign] for quantity in kind.coefficients()])

    def coefficients(self, at: Floats) -> Floats:
        """The coefficients at free coordinates, the last axis of ``at``."""
        with np.errstate(over="ignore"):
            return np.where(self.signs == 0, at, self.signs * np.exp(np.where(self.signs == 0, 0, at)))

    def coordinates(self, values: Floats) -> Floats:
        """The free coordinates of coefficients; MoelawsError for one of the wrong sign."""
        wrong = (self.signs != 0) & ~(self.signs * values > 0)
        if wrong.any():
            i = int(np.argwhere(wrong)[0][-1])
            raise MoelawsError(
                f"{self.kind.__name__}: {self.names[i]} has the wrong sign; expected {self.kind.coefficients()[i].sign}"
            )
        return np.where(self.signs == 0, values, np.log(np.where(self.signs == 0, 1, self.signs * values)))

    def loss(self, at_SP: Floats) -> Floats:
        """Predicted losses, (S, n); not finite where the law has none."""
        with np.errstate(all="ignore"):
            values = self.coefficients(at_SP).T[:, :, None]
            return np.asarray(self.alone(*values, *self.inputs))

    def loss_and_slopes(self, at_SP: Floats) -> tuple[Floats, Floats]:
        """Predicted losses (S, n) and their derivatives in the free coordinates (S, n, P)."""
        with np.errstate(all="ignore"):
            values = self.coefficients(at_SP)
            loss, *slopes = self.both(*values.T[:, :, None], *self.inputs)
            inner = np.where(self.signs == 0, 1, values)
            shape = (len(at_SP), self.inputs[0].size)
            found = np.empty((*shape, len(slopes)))
            for i, slope in enumerate(slopes):
                np.multiply(slope, inner[:, i, None], out=found[:, :, i])
            return np.broadcast_to(loss, shape), found

    @cached_property
    def published(self) -> list[Floats]:
        """Coefficients of this kind that sources print."""
        laws = [each.law for each in LAWS.values() if type(each.law) is self.kind]
        return [np.array([float(getattr(law, name)) for name in self.names]) for law in laws]

    def starts(self, measured: Floats, count: int, seed: int) -> Floats:
        """``count`` starting points around the published coefficients, at (S, P) free coordinates.

        Those in which the law is linear are set by least squares of the loss with the signs they must have. MoelawsError
        for a law without published coefficients.
        """
        from scipy.optimize import lsq_linear

        if not self.published:
            raise MoelawsError(
                f"fit: {self.kind.__name__} has no published coefficients to start from; give start=(a law)"
            )
        draws = np.random.default_rng(seed)
        found = []
        for i in range(count):
            centre = self.coordinates(self.published[i % len(self.published)])
            spread = np.where(self.signs == 0, 0.5 * np.maximum(np.abs(centre), 0.05), 0.5)
            values = self.coefficients(
                centre + spread * draws.standard_normal(centre.size) * (i >= len(self.published))
            )
            if self.linear:
                with np.errstate(all="ignore"):
                    _, *slopes = self.both(*values, *self.inputs)
                columns = np.stack([np.broadcast_to(slopes[j], measured.shape) for j in self.linear], axis=1)
                size = np.abs(columns).max(axis=0)
                if np.isfinite(columns).all() and (size > 0).all():
                    signs = self.signs[self.linear]
                    low, high = np.where(signs > 0, 1e-6, -np.inf), np.where(signs < 0, -1e-6, np.inf)
                    values[self.linear] = lsq_linear(columns / size, measured, (low, high)).x / size
            found.append(self.coordinates(values))
        return np.array(found)
