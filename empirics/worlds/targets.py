"""Regression problems whose dimension and smoothness are known, and how that is known.

A `Population` on the torus is a finite population: the side^d points of a regular grid, with the values of a random
field whose law on those points is exact. A sample draws points from it independently and adds noise, so the
squared L2 error against the truth is an average over the population and is not itself estimated. On other manifolds
the population is a sample of points in the ambient space.
"""

from __future__ import annotations

__all__ = [
    "Population",
    "Truth",
    "additive_weierstrass_problem",
    "matern_problem",
    "matern_problem_on",
    "tensor_weierstrass_problem",
]

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from empirics.base.randomness import named_generator
from empirics.worlds.manifolds import Manifold, rotated_into, torus_grid
from empirics.worlds.matern import cholesky_factor, torus_grid_field
from empirics.worlds.weierstrass import AdditiveWeierstrass, TensorWeierstrass
from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    """What is known of a target: dimension d, critical smoothness beta, sup norm, and a sentence of reason."""

    d: int
    beta: float
    sup_norm: float
    why: str
    effective_d: int

    def model_exponent(self) -> float:
        """2 beta/d at the effective dimension: how the squared error falls with the number of experts."""
        return 2 * self.beta / self.effective_d

    def data_exponent(self) -> float:
        """2 beta/(2 beta + d) at the effective dimension."""
        return 2 * self.beta / (2 * self.beta + self.effective_d)


@dataclass(frozen=True)
class Population:
    """A population of points ``x`` with true values (P,), and what is known of it.

    Points are (P, d) in [0, 1)^d, or (P, D) on a manifold in R^D. ``noise`` is the standard deviation of its
    observations.
    """

    x: Floats
    values: Floats
    truth: Truth
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.noise < math.inf:
            raise MoelawsError(
                f"Population(noise={self.noise}): expected a standard deviation, finite and from 0"
            )

    def sample(self, n: int, noise: float | None, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """n points drawn independently and uniformly, with normal noise of this standard deviation (None: its own)."""
        noise = self.noise if noise is None else noise
        if n < 1 or noise < 0:
            raise MoelawsError(f"Population.sample(n={n}, noise={noise}): expected n >= 1 and noise >= 0")
        chosen = rng.integers(len(self.x), size=n)
        return self.x[chosen], self.values[chosen] + noise * rng.standard_normal(n)

    def squared_error(self, predicted: Floats) -> float:
        """Mean over the population of (predicted - truth)^2; exact."""
        return float(np.mean((predicted - self.values) ** 2))

    def largest_error(self, predicted: Floats) -> float:
        """Largest ``|predicted - truth|`` over the population."""
        return float(np.max(np.abs(predicted - self.values)))


def matern_problem(d: int, nu: float, side: int, *seeds: int, patch: int = 1) -> Population:
    """A Matern-nu field on side^d grid points, coordinates in [0, 1)^d; its variance at each point is 1.

    With ``patch`` = 1 they are the whole torus, and the field is periodic. With more they are a cube in a torus that
    is ``patch`` times as wide. Dimension and smoothness are the same, but a torus has no waves longer than itself,
    and that lack bends every power law at cells that are not much smaller: in a patch it is ``patch`` times farther off.
    """
    if patch < 1:
        raise MoelawsError(f"matern_problem(patch={patch}): expected a whole number of at least 1")
    rng = named_generator("Matern field on a torus grid", *seeds)
    values = torus_grid_field(d, nu, side * patch, rng)[(slice(side),) * d].ravel()
    why = (
        "proof: E||f||^2 in H^s is finite iff s < nu, and Kolmogorov-Chentsov gives every Hoelder order below nu; "
        "the sup norm is the largest value of the population"
    )
    return Population(
        torus_grid(d, side), values, Truth(d, float(nu), float(np.abs(values).max()), why, effective_d=d)
    )


def matern_problem_on(
    manifold: Manifold,
    nu: float,
    n: int,
    *seeds: int,
    ambient: int | None = None,
    noise: float = 0.0,
    scale: float = 1.0,
) -> Population:
    """A Matern-nu field of variance 1 at n points drawn from a manifold, ``x`` (n, D); at most 12,000 points.

    The field's kernel is that of the ambient space at correlation length ``scale``, in the units of the manifold.
    ``ambient`` puts the points into R^ambient by a random isometry, which changes neither values nor dimension.
    The population is finite, so below the distance of neighbours it says nothing of smoothness. ValueError where even
    there rounding would hide it: many points of a smooth field.
    """
    rng = named_generator("Matern field on a manifold", *seeds)
    if n < 1:
        raise MoelawsError(f"matern_problem_on(n={n}): expected at least 1 point")
    x = manifold.sample(n, rng)
    factor, jitter = cholesky_factor(x, nu, scale=scale)
    values = factor @ rng.standard_normal(n)
    if ambient is not None:
        turn = int(named_generator("rotation of a Matern problem", *seeds).integers(2**31))
        x = rotated_into(x, ambient, turn)
    why = (
        f"dimension: {manifold.why}; smoothness: the variogram of a Matern kernel near the diagonal depends on the chord "
        "alone, so on a smooth manifold the paths keep critical smoothness nu; values by Cholesky, exact to rounding and "
        f"white noise of variance {jitter:.2g}; the sup norm is the largest value of the population"
    )
    truth = Truth(manifold.d, float(nu), float(np.abs(values).max()), why, effective_d=manifold.d)
    return Population(x, values, truth, noise)


def tensor_weierstrass_problem(d: int, beta: float, side: int, *seeds: int, patch: int = 1) -> Population:
    """The tensor Weierstrass sum at the product of ``side`` random coordinates for each axis, one in each 1/side.

    Random coordinates, because on the dyadic grid itself all waves above it would be constant. ``patch`` as in
    `matern_problem`.
    """
    if patch < 1:
        raise MoelawsError(
            f"tensor_weierstrass_problem(patch={patch}): expected a whole number of at least 1"
        )
    rng = named_generator("tensor Weierstrass sum", *seeds)
    target = TensorWeierstrass.random(d, beta, rng)
    axes = [(np.arange(side) + rng.random(side)) / side for _ in range(d)]
    mesh = np.meshgrid(*axes, indexing="ij")
    x = np.stack([axis.ravel() for axis in mesh], axis=1)
    values = target.on_axes([axis / patch for axis in axes]).ravel()
    why = (
        "proof: two geometric sums give C^beta, Fourier coefficients of size 2^(-beta k - d) exclude more; "
        "sup norm at most 1/(1 - 2^-beta)"
    )
    return Population(x, values, Truth(d, beta, target.sup_bound, why, effective_d=d))


def additive_weierstrass_problem(d: int, beta: float, size: int, *seeds: int) -> Population:
    """The additive Weierstrass sum at ``size`` independent uniform points: smoothness beta, effective dimension 1."""
    rng = named_generator("additive Weierstrass sum", *seeds)
    target = AdditiveWeierstrass.random(d, beta, rng)
    x = rng.random((size, d))
    why = "proof: a sum of d functions of one variable, each of critical smoothness beta"
    return Population(x, target.at(x), Truth(d, beta, target.sup_bound, why, effective_d=1))
