"""Coefficients of measured lines with honest intervals, and the rule that turns an interval into a verdict.

Data are sizes crossed with seeds. Errors come from two sides: a seed may shift or tilt its whole line (one random
target under all sizes), and a size may lie off the line under all seeds. The variance of a coefficient is therefore
the two-way one: V(sizes) + V(seeds) - V(both), never less than the larger of the first two (Cameron, Gelbach and
Miller 2011, "Robust inference with multiway clustering"), with Satterthwaite's degrees of freedom. What a size is off
the line may also differ from size to size; a verdict has to stand either way (`coefficient`, ``uneven``). No interval
allows for sizes that are off together, as on a bent line: that is what the next coefficient is looked at for. Everything
works along leading batch axes, so that `tests/verify/test_statistics.py` can simulate it.

Shapes: B any batch axes, S seeds, N sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]

LEAST_SIZES, LEAST_SEEDS, LEAST_SPAN = 5, 3, 4
"""Below these an exponent is not testable: no spread about the line, or none from seed to seed, can be seen, or the
largest size is so close to the smallest that any smooth curve is a line."""

_TINY = 1e-300
_SMALLEST_LEFT = 1e-9
_MOST_TRIED, _DRAWN = 40_320, 20_000


@dataclass(frozen=True)
class Coefficient:
    """Estimates (shape B) with standard errors and degrees of freedom; ``by_seed`` has shape B x S."""

    value: Floats
    error: Floats
    degrees: Floats
    by_seed: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The two-sided t interval at ``level``, e.g. 0.9."""
        from scipy.stats import t

        half = t.ppf((1 + level) / 2, self.degrees) * self.error
        return self.value - half, self.value + half

    def p_outside(self, low: float, high: float) -> Floats:
        """p of "the value lies outside [low, high]" (two one-sided tests); small means shown inside."""
        return np.asarray(np.maximum(self._above(low), self._below(high)))

    def p_inside(self, low: float, high: float) -> Floats:
        """Two-sided p of "the value lies inside [low, high]"; small means shown outside."""
        return np.asarray(np.minimum(1.0, 2 * np.minimum(self._below(low), self._above(high))))

    def _above(self, edge: float) -> Floats:
        """p of "at or below the edge", small where the estimate lies above it."""
        from scipy.stats import t

        return np.asarray(t.sf((self.value - edge) / np.maximum(self.error, _TINY), self.degrees))

    def _below(self, edge: float) -> Floats:
        from scipy.stats import t

        return np.asarray(t.cdf((self.value - edge) / np.maximum(self.error, _TINY), self.degrees))


def coefficient(x_N: Floats, y_BSN: Floats, degree: int, *, uneven: bool = False) -> Coefficient:
    """The leading coefficient of the least-squares polynomial of this degree: a level, a slope, a curvature.

    Each seed gets its own polynomial and the estimate is the mean of the seeds, which is also the fit to the
    means. With ``degree + 1`` sizes nothing is left over to judge the line by and the seeds alone give the error.
    ``uneven`` allows for errors of sizes that are not of one variance: HC3 (MacKinnon and White 1985) in place of
    the mean square, which is conservative where they are; degrees of freedom as in Bell and McCaffrey (2002).
    """
    sizes, seeds = len(x_N), y_BSN.shape[-2]
    if sizes <= degree or seeds < 2:
        raise MoelawsError(f"coefficient of degree {degree}: {sizes} sizes and {seeds} seeds are too few")
    q_ND, r_DD = np.linalg.qr(np.vander(x_N - x_N.mean(), degree + 1, increasing=True))
    scale = r_DD[degree, degree]
    by_seed = (y_BSN @ q_ND[:, degree]) / scale
    rest_BSN = y_BSN - (y_BSN @ q_ND) @ q_ND.T
    over = sizes - degree - 1
    from_seeds = by_seed.var(axis=-1, ddof=1) / seeds
    if not over:
        degrees = np.full_like(from_seeds, seeds - 1.0)
        return Coefficient(by_seed.mean(axis=-1), np.sqrt(from_seeds), degrees, by_seed)
    of_sizes = rest_BSN.mean(axis=-2)
    free = over
    if uneven:
        weights_N = (q_ND[:, degree] / np.maximum(1 - (q_ND**2).sum(axis=1), _SMALLEST_LEFT)) ** 2
        from_sizes = (weights_N * of_sizes**2).sum(axis=-1) / scale**2
        form_NN = (np.eye(sizes) - q_ND @ q_ND.T) * weights_N
        free = np.trace(form_NN) ** 2 / np.trace(form_NN @ form_NN)
    else:
        from_sizes = (of_sizes**2).sum(axis=-1) / over / scale**2
    left = ((rest_BSN - of_sizes[..., None, :]) ** 2).sum(axis=(-1, -2))
    from_both = left / (over * (seeds - 1)) / (seeds * scale**2)
    variance = np.maximum(from_sizes + from_seeds - from_both, np.maximum(from_sizes, from_seeds))
    sums = from_sizes**2 / free + (from_seeds**2 + from_both**2 / over) / (seeds - 1)
    degrees = np.where(sums > 0, variance**2 / np.maximum(sums, _TINY), free)
    return Coefficient(by_seed.mean(axis=-1), np.sqrt(variance), np.maximum(degrees, 1.0), by_seed)


def supported(found: Coefficient, low: float, high: float) -> npt.NDArray[np.bool_]:
    """Where the 90% interval lies inside [low, high]: wrong at most one time in twenty at either end."""
    left, right = found.interval(0.9)
    return np.asarray((low <= left) & (right <= high))


def refuted(found: Coefficient, low: float, high: float) -> npt.NDArray[np.bool_]:
    """Where the 95% interval has no point in [low, high]."""
    left, right = found.interval(0.95)
    return np.asarray((right < low) | (high < left))


def bends(found: Coefficient, span: float, tolerance: float) -> npt.NDArray[np.bool_]:
    """Where a coefficient of the next degree is significant at 5% and large enough to matter.

    ``span`` is how far one unit of it moves the quantity of interest at an end of the range. A bend that stays
    within the tolerance does no harm to what is claimed, however precisely it is seen.
    """
    left, right = found.interval(0.95)
    return np.asarray(((left > 0) | (right < 0)) & (np.abs(found.value) * span > tolerance))


def power(found: Coefficient, low: float, high: float, *, truth: float, rival: float) -> tuple[float, float]:
    """Chances, with this error, of SUPPORTED for [low, high] were ``truth`` true, and of REFUTED were ``rival`` true."""
    from scipy.stats import nct, t

    error, degrees = max(float(found.error), _TINY), float(found.degrees)
    one_sided, two_sided = float(t.ppf(0.95, degrees)), float(t.ppf(0.975, degrees))
    right, left = (high - truth) / error - one_sided, (low - truth) / error + one_sided
    support = float(t.cdf(right, degrees) - t.cdf(left, degrees))
    distance = max(low - rival, rival - high, 0.0) / error
    refute = float(nct.sf(two_sided, degrees, distance)) if distance < 30 * two_sided else 1.0
    return max(0.0, support), refute


def randomised(
    x_N: Floats, y_SN: Floats, edge: float, *, degree: int, seed: int = 20260409
) -> dict[str, float]:
    """Second evaluator: randomisation tests of the edge of a claimed range, which assume no normal distribution.

    ``signs`` flips the seeds' deviations from the edge (it takes them for symmetric), ``orders`` permutes the means of
    the sizes (it takes these for exchangeable); each gives the share that lies at least as far on the observed side. All flips or orders are tried, or 20,000 drawn from ``seed``
    where there are more than 40,320. A test is left out where it cannot reach 5%.
    """
    shares = {}
    rng = np.random.default_rng(seed)
    away_S = coefficient(x_N, y_SN, degree).by_seed - edge
    side = math.copysign(1.0, float(away_S.mean()))
    if len(away_S) >= 5:
        if 2 ** len(away_S) <= _MOST_TRIED:
            signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(away_S))))
        else:
            signs = rng.choice((1.0, -1.0), size=(_DRAWN, len(away_S)))
            signs[0] = 1.0
        shares["signs"] = _share_beyond(signs @ away_S * side, float(away_S.sum()) * side)
    if degree == 1 and len(x_N) >= LEAST_SIZES:
        x = x_N - x_N.mean()
        rest_N = y_SN.mean(axis=0) - edge * x
        if math.factorial(len(x)) <= _MOST_TRIED:
            orders = np.array(list(itertools.permutations(range(len(x)))))
        else:
            orders = rng.permuted(np.tile(np.arange(len(x)), (_DRAWN, 1)), axis=1)
            orders[0] = np.arange(len(x))
        shares["orders"] = _share_beyond(rest_N[orders] @ x * side, float(rest_N @ x) * side)
    return shares


def _share_beyond(values: Floats, observed: float) -> float:
    return float(np.mean(values >= observed - 1e-9 * abs(observed)))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p of each member of a family."""
    adjusted, running = {}, 0.0
    ranked = sorted(p_values, key=lambda name: (p_values[name], name))
    for i, name in enumerate(ranked):
        running = max(running, min(1.0, (len(ranked) - i) * p_values[name]))
        adjusted[name] = running
    return {name: adjusted[name] for name in p_values}


def halves(seeds: int) -> tuple[list[int], list[int]]:
    """Positions of two disjoint halves of so many seeds, every other one."""
    return list(range(0, seeds, 2)), list(range(1, seeds, 2))
