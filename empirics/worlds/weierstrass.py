"""Weierstrass sums on the torus [0, 1)^d: one that is truly d-dimensional, and an additive one that is not.

Both add waves of frequency 2^k and amplitude 2^(-beta k) with random phases, so that at cells of side 2^-j the
error of a local approximation is the same function rescaled: no logarithms, which random fields have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]

OCTAVES = 44
"""Waves up to 2^43: a double on [0, 1) still has nine bits of phase there, and 2^(-43 beta) is below 4e-7 at beta = .5."""


@dataclass(frozen=True)
class _Weierstrass:
    """A sum of octaves with a phase for each octave and axis: the part that both sums share."""

    d: int
    beta: float
    phases: npt.NDArray[np.float64]

    @classmethod
    def random(cls, d: int, beta: float, rng: np.random.Generator) -> Self:
        """With independent uniform phases."""
        _checked(d, beta)
        return cls(d, beta, rng.random((OCTAVES, d)))

    @property
    def sup_bound(self) -> float:
        """1/(1 - 2^-beta), by the geometric series."""
        return float(1 / (1 - 2**-self.beta))


@dataclass(frozen=True)
class TensorWeierstrass(_Weierstrass):
    """``sum_k 2^(-beta k) prod_i cos(2 pi (2^k x_i + phase_ki))``.

    |f| <= 1/(1 - 2^-beta). For beta not an integer f is in C^beta: below 1/beta octaves the differences of order
    ceil(beta) of the slow waves and the sizes of the fast ones are two geometric sums of h^beta. It is in no
    C^s with s > beta, since its Fourier coefficients at |j| = 2^k sqrt(d) are 2^(-beta k - d) in size.
    In every cell of side h it departs from polynomials by a multiple of h^beta, so its effective dimension is d.
    """

    def at(self, x: Floats) -> Floats:
        """Values at points (n, d)."""
        waves = [_waves(x[:, i], self.phases[:, i]) for i in range(self.d)]
        return np.asarray(_amplitudes(self.beta) @ np.prod(waves, axis=0))

    def on_axes(self, axes: Sequence[Floats]) -> Floats:
        """Values on the product of one set of coordinates for each axis, shape (len(axes[0]), ...)."""
        waves = [_waves(axis, phase) for axis, phase in zip(axes, self.phases.T, strict=True)]
        letters = "abcdefgh"[: self.d]
        terms = ",".join(f"k{letter}" for letter in letters)
        value = np.einsum(f"k,{terms}->{letters}", _amplitudes(self.beta), *waves, optimize=True)
        return np.asarray(value)


@dataclass(frozen=True)
class AdditiveWeierstrass(_Weierstrass):
    """``(1/d) sum_i sum_k 2^(-beta k) cos(2 pi (2^k x_i + phase_ki))``: the negative control.

    As smooth as the tensor sum and on the same d-dimensional torus, but a sum of functions of one variable:
    its effective dimension is 1, and a learner that finds that out beats every rate for dimension d.
    """

    def at(self, x: Floats) -> Floats:
        """Values at points (n, d)."""
        parts = [_amplitudes(self.beta) @ _waves(x[:, i], self.phases[:, i]) for i in range(self.d)]
        return np.asarray(np.mean(parts, axis=0))


def _checked(d: int, beta: float) -> None:
    if not 1 <= d <= 8:
        raise MoelawsError(f"Weierstrass sum: d={d}, expected 1 to 8")
    if not 0 < beta < 2 or beta == 1:
        raise MoelawsError(
            f"Weierstrass sum: beta={beta}, expected a number in (0, 1) or (1, 2) (at integers it carries a logarithm)"
        )


def _amplitudes(beta: float) -> Floats:
    return np.asarray(2.0 ** (-beta * np.arange(OCTAVES)))


def _waves(x: Floats, phase: Floats) -> Floats:
    """cos(2 pi (2^k x + phase_k)), shape (octaves, n); doubling and dropping the integer part are exact."""
    turns = np.ldexp(np.asarray(x, dtype=float)[None, :], np.arange(OCTAVES)[:, None]) % 1.0
    return np.asarray(np.cos(2 * np.pi * (turns + phase[:, None])))
