"""Matern random fields whose critical smoothness is exactly nu: on a torus by Fourier series, elsewhere by Cholesky.

On the torus, with integer frequencies j and independent standard normal a_j, b_j,

    f(x) = c * sum over 0 < |j| <= K of (1 + |j|^2)^(-(nu + d/2)/2) (a_j cos 2 pi j.x + b_j sin 2 pi j.x)

over one of each pair j, -j. E||f||^2 in the Sobolev space H^s is finite for K = infinity exactly when s < nu,
and Kolmogorov and Chentsov give Hoelder continuity of every order below nu: the critical smoothness is nu almost
surely, neither more nor less. (The smoothness of the kernel's Hilbert space is nu + d/2: not to be confused.)
c makes the variance of f(x) equal to 1.

What this does not mean: f is not *in* C^nu. Its modulus of continuity carries the factor sqrt(log(1/h)) of Levy,
so sup-norm errors carry log M; and at an integer nu, polynomials of degree nu - 1 leave a further log(1/h), because
the variogram of the derivative of order nu - 1 is h^2 log(1/h). Degree nu is free of it.
"""

from __future__ import annotations

__all__ = ["cholesky_field", "torus_grid_field", "torus_series"]

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]

LARGEST_CHOLESKY = 12_000
SMOOTHEST_KERNEL = 10.0
WELL_ABOVE = 1000
"""How many times a field's finest increments must exceed white noise beside it: differences of order m, which show a
smoothness up to m, amplify noise binomial(2m, m) times."""


def _checked(d: int, nu: float) -> None:
    if d < 1:
        raise MoelawsError(f"Matern field: d={d}, expected a dimension of at least 1")
    if not 0 < nu < math.inf:
        raise MoelawsError(f"Matern field: nu={nu}, expected a positive finite smoothness")


@dataclass(frozen=True)
class TorusSeries:
    """A finite real trigonometric sum ``sum_j (cosine_j cos 2 pi j.x + sine_j sin 2 pi j.x)`` on [0, 1)^d.

    ``frequencies`` (J, d) are integers; ``cosine`` and ``sine`` (J,) the coefficients.
    """

    frequencies: npt.NDArray[np.int64]
    cosine: Floats
    sine: Floats

    @property
    def sup_bound(self) -> float:
        """An upper bound on ``sup |f|``: the sum of the amplitudes."""
        return float(np.hypot(self.cosine, self.sine).sum())

    def at(self, x: Floats, block: int = 1 << 22) -> Floats:
        """Exact values at points (n, d), by direct sums over blocks of points; J n operations."""
        points = np.atleast_2d(np.asarray(x, dtype=float))
        rows = max(1, block // max(1, len(self.frequencies)))
        values = np.empty(len(points))
        for start in range(0, len(points), rows):
            angle = 2 * np.pi * (points[start : start + rows] @ self.frequencies.T)
            values[start : start + rows] = np.cos(angle) @ self.cosine + np.sin(angle) @ self.sine
        return values

    def on_grid(self, side: int) -> Floats:
        """Exact values on the grid of side^d points, shape (side,) * d, by one FFT.

        Frequencies beyond the grid fold back onto it, which changes no value at a grid point.
        """
        d = self.frequencies.shape[1]
        spectrum = np.zeros((side,) * d, dtype=complex)
        where = tuple((self.frequencies % side).T)
        np.add.at(spectrum, where, self.cosine - 1j * self.sine)
        return np.asarray(np.fft.ifftn(spectrum).real * side**d)


def torus_series(d: int, nu: float, cutoff: int, rng: np.random.Generator) -> TorusSeries:
    """The Matern field up to ``|j| <= cutoff`` as a sum that can be evaluated anywhere. About (2 cutoff)^d / 2 terms."""
    _checked(d, nu)
    if cutoff < 1 or (2 * cutoff + 1) ** d > 2e7:
        raise MoelawsError(
            f"torus_series(d={d}, cutoff={cutoff}): expected at least 1 and at most 20 million frequencies"
        )
    axes = np.meshgrid(*[np.arange(-cutoff, cutoff + 1)] * d, indexing="ij")
    frequencies = np.stack([axis.ravel() for axis in axes], axis=1)
    square = (frequencies**2).sum(axis=1)
    half = np.arange(len(frequencies)) > len(frequencies) // 2  # one of each pair j, -j
    kept = frequencies[half & (square <= cutoff**2)]
    amplitude = (1.0 + (kept**2).sum(axis=1)) ** (-(nu + d / 2) / 2)
    amplitude /= math.sqrt(float((amplitude**2).sum()))
    a, b = rng.standard_normal((2, len(kept)))
    return TorusSeries(kept, amplitude * a, amplitude * b)


def torus_grid_field(d: int, nu: float, side: int, rng: np.random.Generator) -> Floats:
    """The Matern field with K = infinity at the side^d points of a grid, shape (side,) * d.

    The law of the values is that of the whole series: frequencies that the grid cannot tell apart are
    independent normals, so their variances add (``folded_spectrum``). Nothing is cut off. Costs two FFTs.
    """
    amplitude = np.sqrt(folded_spectrum(d, nu, side))
    noise = np.fft.rfftn(rng.standard_normal((side,) * d), axes=range(d))
    keep = side // 2 + 1
    return np.asarray(
        np.fft.irfftn(noise * amplitude[..., :keep], s=(side,) * d, axes=range(d)) * side ** (d / 2)
    )


@lru_cache(maxsize=8)
def folded_spectrum(d: int, nu: float, side: int) -> Floats:
    """Share of the field's variance in each frequency of the grid, aliases included; shape (side,) * d, sum 1.

    sum over a in Z^d of (1 + |j + side a|^2)^-p, p = nu + d/2, without the frequency 0. With
    (1 + s)^-p = (1/Gamma(p)) * integral of t^(p-1) exp(-t (1 + s)) dt the sum over aliases is a product of theta
    functions, one for each axis; the integral is taken by the trapezoid rule in log t, whose relative error is
    2 |Gamma(p + 2 pi i/step)| / Gamma(p): below 1e-15 for p up to 10.
    """
    _checked(d, nu)
    if side < 2:
        raise MoelawsError(f"folded_spectrum(side={side}): expected a grid of at least 2 points a side")
    p, step = nu + d / 2, 0.15
    half = side // 2 + 1
    octant = np.zeros((half,) * d)
    # Below e^low the integrand, which falls as t^nu, is under 1e-13 of what the highest frequency needs.
    low = -(2 * p * math.log(d * side) + 30) / nu
    for log_t in np.arange(max(low, -600.0), math.log(750), step):
        t = math.exp(log_t)
        theta = _theta(t, half, side)
        term = np.array(math.exp(p * log_t - t))
        for _ in range(d):
            term = term[..., None] * theta
        octant += term
    octant *= step / math.gamma(p)
    octant[(0,) * d] -= 1.0
    octant[(0,) * d] = max(octant[(0,) * d], 0.0)
    fold = np.minimum(np.arange(side), side - np.arange(side))
    spectrum = octant[np.ix_(*[fold] * d)]
    spectrum /= spectrum.sum()
    spectrum.setflags(write=False)
    return np.asarray(spectrum)


def _theta(t: float, half: int, side: int) -> Floats:
    """sum over integers a of exp(-t (j + side a)^2) for j = 0 .. half - 1, by the series that converges fast."""
    j = np.arange(half)[:, None]
    root = math.sqrt(40.0)  # terms below exp(-40) are left out
    if t * side**2 >= 1:
        reach = math.ceil(0.5 + root / (math.sqrt(t) * side))
        a = np.arange(-reach, reach + 1)
        return np.asarray(np.exp(-np.minimum(t * (j + side * a) ** 2, 700.0)).sum(axis=1))
    constant = math.sqrt(math.pi / t) / side
    a = np.arange(1, math.ceil(root * math.sqrt(t) * side / math.pi) + 1)
    weight = np.exp(-((math.pi * a) ** 2) / (t * side**2))
    if weight[0] < 1e-17:
        return np.full(half, constant)
    return np.asarray(constant * (1 + 2 * (weight * np.cos(2 * math.pi * a * j / side)).sum(axis=1)))


def _check_kernel(nu: float, scale: float) -> None:
    if not (0 < nu <= SMOOTHEST_KERNEL and 0 < scale < math.inf):
        raise MoelawsError(
            f"Matern kernel: nu={nu}, scale={scale}; expected a smoothness above 0 and at most {SMOOTHEST_KERNEL:g}, "
            "beyond which doubles do not show it, and a positive finite correlation length"
        )


def matern_covariance(distance: Floats, nu: float, scale: float) -> Floats:
    """The Matern correlation at Euclidean distances: 1 at 0, Bessel form elsewhere. nu at most 10."""
    from scipy.special import gamma, kv

    _check_kernel(nu, scale)
    r = np.sqrt(2 * nu) * np.asarray(distance, dtype=float) / scale
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        value = 2 ** (1 - nu) / gamma(nu) * r**nu * kv(nu, r)
    return np.asarray(np.where(np.isfinite(value), value, 1.0))  # 0 times infinity: so near that 1 is exact


def cholesky_field(points: Floats, nu: float, rng: np.random.Generator, *, scale: float = 1.0) -> Floats:
    """A Matern-nu field of unit variance at points (n, D) of any manifold, from the ambient kernel.

    Restricted to a smooth d-dimensional manifold the paths keep critical smoothness nu, since the variogram near
    the diagonal depends on chord distance alone. n^3/3 operations; n at most 12,000. ValueError where rounding would hide nu.
    """
    factor, _ = cholesky_factor(points, nu, scale=scale)
    return np.asarray(factor @ rng.standard_normal(len(points)))


def cholesky_factor(points: Floats, nu: float, *, scale: float = 1.0) -> tuple[Floats, float]:
    """The lower Cholesky factor (n, n) of the Matern covariance of points (n, D), and the jitter it took.

    The covariance of many points of a smooth kernel is singular to rounding. Jitter on the diagonal cures that, but is
    white noise in the field; so it is the least that does, mostly 0. ValueError where noise of its size, or of that
    of rounding, would show: where increments over the distance of neighbours are not far above it.
    """
    from scipy.spatial.distance import cdist

    if len(points) > LARGEST_CHOLESKY:
        raise MoelawsError(
            f"cholesky_factor: {len(points)} points; expected at most {LARGEST_CHOLESKY} (n^2 numbers are kept)"
        )
    _check_kernel(nu, scale)
    finest = _finest_increment(points, nu, scale)
    most, jitter = finest / WELL_ABOVE, 0.0
    if most >= np.finfo(float).eps:
        covariance = matern_covariance(cdist(points, points), nu, scale)
        while jitter <= most:
            covariance[np.diag_indices_from(covariance)] = 1 + jitter
            try:
                return np.asarray(np.linalg.cholesky(covariance)), jitter
            except np.linalg.LinAlgError:
                jitter = 2 * jitter or 1e-15
    raise MoelawsError(
        f"Matern field: nu={nu}, scale={scale} at {len(points)} points; expected increments between neighbours well above "
        f"rounding, but their variance is about {finest:.0e}: take fewer points (each once), a smaller nu or a smaller scale"
    )


def _finest_increment(points: Floats, nu: float, scale: float) -> float:
    """(h sqrt(2 nu)/scale)^(2 nu), at most 1: the order of what is not smooth over h, the median distance of neighbours."""
    from scipy.spatial import KDTree

    if len(points) < 2:
        return 1.0
    nearest = KDTree(points).query(points, k=2)[0][:, 1]
    return float(min(1.0, (np.median(nearest) * math.sqrt(2 * nu) / scale) ** (2 * nu)))
