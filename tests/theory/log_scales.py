"""Asymptotic arithmetic for the ray search: logarithms as coefficients on (t, log t, log log t, log log log t, 1).

A size on a path is exp(a t) t^q (log t)^p e^c, that is a row (a, q, p, 0, c). Products add rows, a sum keeps the
leading row and adds log(1 + ratio) to the constant, and log(x) moves a row's leading coefficient one scale down.
Ties such as M = k log k cancel exactly, and no size overflows. What cannot be written this way is nan, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

LEVELS = 4
SCALE = np.array([1e240, 1e180, 1e120, 1e60, 1.0])  # stand-ins for t, log t, ...: any well separated values
SNAP = 1e-10  # smaller coefficients count as zero
BEYOND = 1e9  # coefficient of t for logarithms that outgrow t


class Unsupported(ValueError):
    """An expression outside sums, products, powers, exp, log, Min and Max."""


@dataclass(frozen=True)
class Signed:
    """Numbers sign * exp(log . scales), one a path; nan where the scales cannot hold the value."""

    sign: np.ndarray
    log: np.ndarray


def snap(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < SNAP, 0.0, x)


def lead(x: np.ndarray) -> np.ndarray:
    """A number with the sign (and, for constants, the size) of the rows of coefficients."""
    return np.asarray(snap(x) @ SCALE)


class Evaluator:
    """Values of expressions on an array of paths, shape (paths, sizes, 4)."""

    def __init__(self, sizes: Sequence[sp.Symbol], paths: np.ndarray) -> None:
        self.count = len(paths)
        self.deep = False  # whether a logarithm fell off the scales
        self.lost = np.zeros(self.count, dtype=bool)  # paths on which a difference lost its digits
        self.known: dict[sp.Expr, Signed] = {}
        for i, size in enumerate(sizes):
            log = np.zeros((self.count, LEVELS + 1))
            log[:, :3], log[:, 4] = paths[:, i, :3], paths[:, i, 3]
            self.known[size] = Signed(np.ones(self.count), log)

    def __call__(self, x: sp.Expr) -> Signed:
        if x not in self.known:
            self.known[x] = self._value(x)
        return self.known[x]

    def _value(self, x: sp.Expr) -> Signed:
        if x.is_number:
            return self._constant(float(x))
        if isinstance(x, sp.Add):
            return self._fold(x.args, self._plus)
        if isinstance(x, sp.Mul):
            return self._fold(x.args, lambda u, v: Signed(u.sign * v.sign, snap(u.log + v.log)))
        if isinstance(x, sp.Max):
            return self._fold(x.args, lambda u, v: self._larger(u, v, 1))
        if isinstance(x, sp.Min):
            return self._fold(x.args, lambda u, v: self._larger(u, v, -1))
        if isinstance(x, sp.log):
            return self._log(x.args[0])
        if isinstance(x, (sp.Pow, sp.exp)):
            base, power = x.as_base_exp()
            if not power.is_number:
                parts = sp.Add.make_args(sp.expand(power))
                return self._fold([p * sp.log(base) for p in parts], self._times_exp, self._constant(1.0))
            u, p = self(base), float(power)
            return Signed(np.where((u.sign > 0) | (p > 0) & (u.sign == 0), u.sign, np.nan), snap(p * u.log))
        raise Unsupported(
            f"cannot evaluate {x}: only sums, products, powers, exp, log, Min and Max of the sizes"
        )

    def _constant(self, x: float) -> Signed:
        log = np.zeros((self.count, LEVELS + 1))
        log[:, 4] = np.log(abs(x)) if x else 0.0
        return Signed(np.full(self.count, float(np.sign(x))), log)

    def _fold(
        self, args: Sequence[sp.Expr], join: Callable[[Signed, Signed], Signed], start: Signed | None = None
    ) -> Signed:
        out = self(args[0]) if start is None else join(start, self(args[0]))
        for arg in args[1:]:
            out = join(out, self(arg))
        return out

    def _plus(self, u: Signed, v: Signed) -> Signed:
        """Log-sum-exp with signs; a cancellation that leaves less than 1e-6 of the larger term is nan."""
        gap = lead(v.log - u.log)
        first = ((gap <= 0) | (v.sign == 0)) & (u.sign != 0)
        big_sign, small_sign = np.where(first, u.sign, v.sign), np.where(first, v.sign, u.sign)
        factor = big_sign + small_sign * np.exp(-np.minimum(np.abs(gap), 700.0))
        log = np.where(first[:, None], u.log, v.log).copy()
        lost = (np.abs(factor) < 1e-6) & (big_sign != 0)
        self.lost |= lost
        log[:, 4] += np.log(np.abs(np.where(factor == 0, 1.0, factor)))
        log[lost] = np.nan
        return Signed(np.sign(factor), snap(log))

    @staticmethod
    def _larger(u: Signed, v: Signed, direction: int) -> Signed:
        """Max (direction 1) or Min (-1) of positive numbers."""
        first = direction * lead(u.log - v.log) >= 0
        poison = 0.0 * (u.log + v.log)
        sign = np.where((u.sign > 0) & (v.sign > 0), 1.0, np.nan)
        return Signed(sign, np.where(first[:, None], u.log, v.log) + poison)

    def _log(self, arg: sp.Expr) -> Signed:
        x = self(arg)
        sign, log = np.full(self.count, np.nan), np.zeros((self.count, LEVELS + 1))
        pending = x.sign > 0
        for j in range(LEVELS):
            here = pending & (np.abs(x.log[:, j]) > 0)
            sign[here] = np.sign(x.log[here, j])
            log[here, 4] = np.log(np.abs(x.log[here, j]))
            log[here, j + 1] = 1.0 if j + 1 < LEVELS else np.nan
            self.deep |= j + 1 == LEVELS and bool(here.any())
            pending &= ~here
        r = np.where(pending, x.log[:, 4], 1.0)
        log[pending, 4] = np.log(np.abs(np.where(r == 0, 1.0, r)))[pending]
        exact = not arg.has(sp.Add)  # log(M/k) at M = k is nought; of a sum, it may be a lost small part
        sign = np.where(pending, np.where((r == 0) & (not exact), np.nan, np.sign(r)), sign)
        if isinstance(arg, sp.Add) and sp.S.One in arg.args:  # log(1 + y) = y (1 + o(1)) for y -> 0
            y = self(arg - 1)
            small = (y.sign == 0) | (lead(y.log) < -1e30)
            sign, log = np.where(small, y.sign, sign), np.where(small[:, None], y.log, log)
        log[np.isnan(sign) | np.isnan(x.log).any(axis=1)] = np.nan
        return Signed(sign, log)

    def _times_exp(self, u: Signed, v: Signed) -> Signed:
        """u * exp(v), for v a multiple of a scale, bounded, vanishing, or beyond t; otherwise nan."""
        c, log = v.log, np.full((self.count, LEVELS + 1), np.nan)
        levels, factor = c[:, :LEVELS], v.sign * np.exp(np.clip(c[:, 4], -700, 700))
        vanishing = (v.sign == 0) | (lead(np.column_stack([levels, 0 * factor])) < 0)
        log[vanishing] = 0.0
        bounded = ~vanishing & (levels == 0).all(axis=1)
        log[bounded] = factor[bounded, None] * np.eye(LEVELS + 1)[LEVELS]
        for j in range(1, LEVELS):
            here = (levels == np.eye(LEVELS)[j]).all(axis=1)
            log[here] = factor[here, None] * np.eye(LEVELS + 1)[j - 1]
        excess = np.column_stack([levels - np.eye(LEVELS)[1], 0 * factor])
        log[lead(excess) > 0] = np.eye(LEVELS + 1)[0] * BEYOND
        log[lead(excess) > 0] *= v.sign[lead(excess) > 0, None]
        return Signed(u.sign, u.log + log)
