"""Point clouds whose intrinsic dimension is known: torus, sphere, swiss roll, ball, Gaussian.

Every manifold is a frozen record that draws points and embeds them. Shapes: n points, d intrinsic
coordinates, D ambient coordinates. What a cloud does *not* say: that an estimator will read its
dimension; at d above about 10 every finite cloud of feasible size is read too low.
"""

from __future__ import annotations

__all__ = ["Ball", "FlatTorus", "Gaussian", "Sphere", "SwissRoll", "rotated_into"]

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from empirics.base.randomness import named_generator
from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Manifold(ABC):
    """A d-dimensional set in R^D with a distribution on it that has a density in d dimensions."""

    d: int

    def __post_init__(self) -> None:
        if self.d < 1:
            raise MoelawsError(f"{type(self).__name__}(d={self.d}): expected a dimension of at least 1")

    @property
    @abstractmethod
    def ambient(self) -> int:
        """D, the dimension of the space around it."""

    @property
    @abstractmethod
    def why(self) -> str:
        """How it is known that its dimension is d."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """n independent points, shape (n, D)."""


@dataclass(frozen=True)
class FlatTorus(Manifold):
    """The product of d circles of circumference 1, in R^(2d) as ``(cos 2 pi x_i, sin 2 pi x_i)/(2 pi)``.

    Its intrinsic coordinates are x in [0, 1)^d, and the embedding is a local isometry.
    """

    @property
    def ambient(self) -> int:
        return 2 * self.d

    @property
    def why(self) -> str:
        return "proof: the embedding is a smooth local isometry of R^d modulo the integers"

    def coordinates(self, n: int, rng: np.random.Generator) -> Floats:
        """n independent uniform points as intrinsic coordinates, shape (n, d)."""
        return rng.random((n, self.d))

    def embed(self, x: Floats) -> Floats:
        """Intrinsic coordinates (n, d) to R^(2d), cosines and sines alternating."""
        angle = 2 * np.pi * np.asarray(x, dtype=float)
        pairs = np.stack([np.cos(angle), np.sin(angle)], axis=-1) / (2 * np.pi)
        return np.asarray(pairs.reshape(len(pairs), -1))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.embed(self.coordinates(n, rng))


@dataclass(frozen=True)
class Sphere(Manifold):
    """The unit sphere of dimension d in R^(d+1), uniform."""

    @property
    def ambient(self) -> int:
        return self.d + 1

    @property
    def why(self) -> str:
        return "proof: the level set of a function with a non-zero gradient in R^(d+1)"

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        points = rng.standard_normal((n, self.d + 1))
        return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


@dataclass(frozen=True)
class Ball(Manifold):
    """The unit ball of R^d, uniform; it has a boundary."""

    @property
    def ambient(self) -> int:
        return self.d

    @property
    def why(self) -> str:
        return "proof: a set with an interior in R^d"

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        directions = Sphere(self.d - 1).sample(n, rng) if self.d > 1 else rng.choice([-1.0, 1.0], (n, 1))
        return np.asarray(directions * rng.random((n, 1)) ** (1 / self.d))


@dataclass(frozen=True)
class Gaussian(Manifold):
    """The standard normal distribution of R^d."""

    @property
    def ambient(self) -> int:
        return self.d

    @property
    def why(self) -> str:
        return "proof: it has a positive density on R^d"

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, self.d))


@dataclass(frozen=True)
class SwissRoll(Manifold):
    """The spiral ``t (cos t, sin t)``, 1.5 pi <= t <= 4.5 pi, times a (d-1)-dimensional cube of side 20.

    At d = 2 this is the usual swiss roll in R^3. t is uniform, so the density is not.
    """

    @property
    def ambient(self) -> int:
        return self.d + 1

    @property
    def why(self) -> str:
        return "proof: a curve without self-intersections times a cube"

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        t = 1.5 * np.pi * (1 + 2 * rng.random(n))
        return np.column_stack([t * np.cos(t), t * np.sin(t), 20 * rng.random((n, self.d - 1))])


def rotated_into(points: Floats, ambient: int, seed: int) -> Floats:
    """Points (n, D) in R^ambient by a random isometry (seeded): no distance and no smoothness changes."""
    width = points.shape[1]
    if ambient < width:
        raise MoelawsError(
            f"rotated_into(ambient={ambient}): the points already have {width} coordinates; give at least that"
        )
    normal = named_generator("rotation into a larger space", ambient, width, seed).standard_normal(
        (ambient, width)
    )
    columns, triangle = np.linalg.qr(normal)
    # The signs make the rotation uniform (Haar), not just orthonormal.
    return np.asarray(points @ (columns * np.sign(np.diag(triangle))).T)


def torus_grid(d: int, side: int) -> Floats:
    """The side^d points of the regular grid on [0, 1)^d, shape (side^d, d), last coordinate fastest."""
    if side < 1 or d < 1:
        raise MoelawsError(f"torus_grid(d={d}, side={side}): expected both at least 1")
    if side**d > 5e7:
        raise MoelawsError(f"torus_grid(d={d}, side={side}): {side**d} points; expected at most 50 million")
    axes = np.meshgrid(*[np.arange(side) / side] * d, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)
