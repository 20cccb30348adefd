"""Numeric search for growth paths on which an entropy bound is too small for the error it buys.

A class with sizes s >= 1 that reaches every function of the unit ball of C^beta on a d-dimensional compact
set within `error(s)` needs log covering number `entropy(s) >= c error(s)^(-d/beta)` (Kolmogorov, Tikhomirov).
With 1/a = d/beta the search looks for paths s(t) with error -> 0 and entropy error^(1/a) -> 0.

Paths: log s_i = a_i t + q_i log t + p_i log log t + c_i. One family holds constant, polylogarithmic, power and
exponential growth: k = t beside M = exp(t) is "M exponential in k". `log_scales` evaluates on all paths at once,
in logarithms, for t -> oo. A dense grid and random paths start the search; jolts, ties, differences and small
rationals refine it; it runs twice, from named seeds, and where the numbers allow mpmath evaluates the witness
again at finite t. A BROKEN verdict shows its path; CONSISTENT means that no sampled path breaks the pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import mpmath
import numpy as np
import sympy as sp
from log_scales import BEYOND, LEVELS, SCALE, SNAP, Evaluator, Unsupported, lead, snap

ZERO, CLEAR = 1e-8, 1e-5  # below ZERO: nought; above CLEAR: a sign; between: undecided
SEEDS = (20260101, 20260202)


@dataclass(frozen=True)
class RayResult:
    """What the search found.

    `slack` is the least exponent of entropy in 1/error found, less d/beta; `log_power` the least power of
    log(1/error) left where the slack is zero (else None). Both belong to a path, so the truth is never above them.
    The errors are the larger of the gap between the two seeded searches and the gap to values at finite t.
    `logarithmic` marks a BROKEN pair that fails by logarithms alone. `witness` gives (a, q, p, c) by size.
    """

    verdict: str
    slack: float
    slack_error: float
    log_power: float | None
    log_power_error: float
    logarithmic: bool
    witness: dict[str, tuple[float, ...]]
    reason: str

    def path(self) -> str:
        """The witness in words: s = exp(a t) t^q (log t)^p e^c."""
        return ", ".join(
            f"{s} = exp({a:g} t) t^{q:g} (log t)^{p:g} e^{c:.3g}" for s, (a, q, p, c) in self.witness.items()
        )


@dataclass(frozen=True)
class _Problem:
    error: sp.Expr
    entropy: sp.Expr
    sizes: tuple[sp.Symbol, ...]
    exponent: float  # d/beta
    constraints: tuple[sp.Rel, ...]

    def too_deep(self) -> bool:
        """Whether power growth of the sizes alone already needs a fifth logarithm."""
        powers = np.zeros((50, len(self.sizes), 4))
        powers[..., 0] = np.random.default_rng(SEEDS[0]).random(powers.shape[:2]) + 0.5
        value = Evaluator(self.sizes, powers)
        value(self.error), value(self.entropy)
        return value.deep

    def keys(self, paths: np.ndarray) -> np.ndarray:
        """Slack and the powers of log, log log and log log log of 1/error: rows to compare lexicographically.

        Rows of +inf: the path breaks a constraint, its error does not vanish or the scales cannot hold it.
        Rows of nan: a difference lost its digits.
        """
        value = Evaluator(self.sizes, paths)
        inside = np.ones(len(paths), dtype=bool)
        for size in self.sizes:
            inside &= lead(value(size).log) >= 0
        for rule in self.constraints:
            low, high = (rule.lhs, rule.rhs) if isinstance(rule, (sp.Le, sp.Lt)) else (rule.rhs, rule.lhs)
            small, large = value(low), value(high)
            inside &= (small.sign <= 0) | ((large.sign > 0) & (lead(large.log - small.log) >= 0))
        error, entropy = value(self.error), value(self.entropy)
        allowed = inside & (error.sign > 0) & (entropy.sign >= 0)
        allowed &= (np.abs(error.log) + np.abs(entropy.log) < BEYOND / 1e3).all(axis=1)  # nan: not held
        depth, size = -error.log[:, :LEVELS], entropy.log[:, :LEVELS]
        out = np.full((len(paths), LEVELS), np.inf)
        pending = allowed.copy()
        for j in range(LEVELS - 1):  # log(1/error) grows like scale j, log log(1/error) like scale j + 1
            here = pending & (depth[:, j] > 0)
            before = size[here, :j] @ SCALE[:j]  # entropy on a faster scale than log(1/error)
            slack = size[here, j] / depth[here, j] - self.exponent
            out[here, 0] = np.where(before == 0, slack, np.copysign(np.inf, before))
            excess = snap(size[here, j + 1 :] - self.exponent * depth[here, j + 1 :])
            out[here, 1:] = 0.0
            out[here, 1 : LEVELS - j] = excess
            pending &= depth[:, j] == 0
        out[allowed & (entropy.sign == 0) & ~np.isposinf(out[:, 0])] = -np.inf
        judged = ~np.isposinf(out[:, 1])
        out[judged & (np.abs(out[:, 0]) > CLEAR), 1:] = 0.0  # logarithms matter only beside a slack of nought
        out[inside & value.lost] = np.nan
        return out


def _order(keys: np.ndarray, paths: np.ndarray) -> np.ndarray:
    """Best key first; among equals the largest size exp(t), then few and small coefficients, quarters first."""
    odd = 20.0 * (np.abs(paths * 4 - np.round(paths * 4)) > SNAP)
    plain = np.abs(paths[..., 0].max(axis=1) - 1) * 50 + (np.abs(paths) + (paths != 0) + odd).sum(axis=(1, 2))
    return np.lexsort([plain, *np.round(keys, 9).T[::-1]])


def _starts(sizes: int, rng: np.random.Generator) -> np.ndarray:
    """Dense grid of growths a size (constant, log log, log, power) and their mixtures, then random ones."""
    ratios = {1: (1, 2), 2: (0.25, 0.5, 1, 1.5, 2, 3, 4), 3: (0.5, 1, 2), 4: (1, 2)}.get(sizes, (1,))
    rows: list[tuple[float, ...]] = [
        (0, 0, 0, 0),
        (0, 0, 1, 0),
        (0, 1, -1, 0),
        (1, -1, 0, 0),
        (1, 1, 0, 0),
        (0, 0, 0, np.log(2)),
    ]
    rows += [(r, 0, 0, 0) for r in ratios] + [(0, r, 0, 0) for r in ratios if sizes < 4 or r == 1]
    grid = np.array(list(product(rows, repeat=sizes)), dtype=float)
    extra = rng.normal(size=(500, sizes, 4)) * rng.choice([0, 0, 0.3, 1, 2], size=(500, sizes, 4))
    extra[..., 0] = np.abs(extra[..., 0])
    return np.concatenate([grid, extra])


def _children(elite: np.ndarray, step: float, rng: np.random.Generator) -> np.ndarray:
    """Moves of each path: jolts, noughts, one size tied to another, the way between two others, small rationals."""
    jolt = elite + step * rng.normal(size=elite.shape) * (rng.random(elite.shape) < 0.3)
    nought = np.where(rng.random(elite.shape) < 0.25, 0.0, elite)
    tied = elite.copy()
    rows, (i, j) = np.arange(len(elite)), rng.integers(elite.shape[1], size=(2, len(elite)))
    tied[rows, i] = rng.choice([0.5, 1, 1, 1, 2], size=(len(elite), 1)) * elite[rows, j]
    tied[rows, i, rng.integers(4, size=len(elite))] += rng.choice(
        [-1, -0.5, 0, 0, 0.5, 1, 3], size=len(elite)
    )
    one, two = elite[rng.integers(len(elite), size=(2, len(elite)))]
    drift = elite + rng.normal(size=(len(elite), 1, 1)) * (one - two)
    return np.concatenate([jolt, nought, tied, drift, _rational(jolt, rng.integers(1, 13, size=2))])


def _rational(paths: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Growths rounded to fractions, one copy a denominator; for powers of t the largest counts as one."""
    top = np.maximum(paths[..., :1].max(axis=1, keepdims=True), 1e-9)
    unit = np.concatenate([paths[..., :1] / top, paths[..., 1:]], axis=2)
    q = denominators[:, None, None, None]
    snapped = np.round(unit * q) / q
    snapped[..., 3] = paths[..., 3]
    return np.concatenate(list(snapped))


def _one_search(
    problem: _Problem, seed: int, rounds: int = 10, keep: int = 24
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Best path, its key, and whether a difference lost its digits on some path."""
    rng = np.random.default_rng(seed)
    paths = _starts(len(problem.sizes), rng)
    keys = problem.keys(paths)
    lost = np.isnan(keys).any()
    for round_ in range(rounds):
        best = _order(keys, paths)
        kind = (np.abs(paths[best, :, :3]) > 0).argmax(axis=2) @ 4 ** np.arange(paths.shape[1])
        _, leaders = np.unique(kind, return_index=True)  # the best of each way to grow stays in the race
        chosen = best[np.unique(np.concatenate([np.arange(keep), leaders[:keep]]))]
        young = [_children(paths[chosen], 2.0 ** -min(round_, 9), rng) for _ in range(2)]
        if round_ in (rounds // 2, rounds - 1):
            young.append(_rational(paths[best[:8]], np.arange(1, 121)))
        paths = np.concatenate([paths[chosen], *young])
        paths[np.abs(paths) < 1e-6] = 0.0  # far above SNAP, so that no path plays on rounding
        keys = np.concatenate([keys[chosen], problem.keys(paths[len(chosen) :])])
        lost |= np.isnan(keys).any()
    first = _order(keys, paths)[0]
    return paths[first], keys[first], bool(lost)


def _finite(problem: _Problem, path: np.ndarray) -> tuple[float, float] | None:
    """Slack and log power fitted to mpmath values on the path, at three t where log(1/error) is huge."""
    both = (problem.error, problem.entropy)
    powers = [x.as_base_exp()[1] for x in sp.Tuple(*both).atoms(sp.Pow, sp.exp)]
    in_powers = set().union(*(power.free_symbols for power in powers))
    fast = {size for size, row in zip(problem.sizes, path, strict=True) if row[0] > 0}
    if in_powers & fast:
        return None  # numbers like exp(exp(t)) have too many digits
    depth = -Evaluator(problem.sizes, path[None])(problem.error).log[0, :LEVELS]
    level = int((depth != 0).argmax())
    if level > 1:
        return None  # log(1/error) = log log t never gets large
    value = sp.lambdify(problem.sizes, both, modules="mpmath")
    rows, gains = [], []
    with mpmath.workdps((80, 600)[level]):
        for x in ((1e4, 1e8, 1e12), (40, 200, 1000))[level]:
            t = mpmath.exp(x) if level else mpmath.mpf(x)
            scales = (t, mpmath.log(t), mpmath.log(mpmath.log(t)), 1)
            logs = [mpmath.fdot(map(float, row), scales) for row in path]
            error, entropy = value(*map(mpmath.exp, logs))
            if not 0 < error < 1 or entropy <= 0:
                return None
            size = -mpmath.log(error)
            rows.append([size, mpmath.log(size), 1])
            gains.append(mpmath.log(entropy) - problem.exponent * size)
        slack, power, _ = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(gains))
    return float(slack), float(power)


@np.errstate(invalid="ignore", over="ignore")
def search(
    error: sp.Expr,
    entropy: sp.Expr,
    sizes: Sequence[sp.Symbol],
    *,
    exponent: float,
    constraints: Sequence[sp.Rel] = (),
) -> RayResult:
    """Look for sizes >= 1 with error -> 0 and entropy error^exponent -> 0.

    `error` and `entropy` are positive expressions in positive `sizes`; `exponent` is d/beta; `constraints` are
    inequalities between positive expressions, and hold in the limit. A pair is UNDECIDED
    when an expression has other functions, no path has a vanishing error, the deciding exponent is too small to
    tell from rounding, the two searches or the finite evaluation disagree, a difference cancels, or a fifth
    logarithm would decide.
    """
    problem = _Problem(error, entropy, tuple(sizes), float(exponent), tuple(constraints))
    if not all(isinstance(rule, (sp.Le, sp.Lt, sp.Ge, sp.Gt)) for rule in constraints):
        raise ValueError(
            f"constraints={constraints}: expected inequalities; put equalities into the expressions"
        )
    unknown = sp.Tuple(error, entropy, *constraints).free_symbols - set(sizes)
    if unknown:
        raise ValueError(f"sizes={sizes} leave {unknown} free: give them values or add them to the sizes")

    def undecided(reason: str) -> RayResult:
        return RayResult("UNDECIDED", np.nan, np.nan, None, np.nan, False, {}, reason)

    try:
        found = [_one_search(problem, seed) for seed in SEEDS]
    except Unsupported as fault:
        return undecided(str(fault))
    (path, key, _), (_, other, _) = sorted(found, key=lambda each: tuple(np.round(each[1], 9)))
    if np.isposinf(key[1]) or np.isnan(key[0]):
        if problem.too_deep():
            return undecided("logarithms beyond log log log log could decide")
        return undecided("no sampled path has a vanishing error that the scales can hold")
    rank = next((i for i, x in enumerate(key) if abs(x) > ZERO), LEVELS - 1)
    deciding = float(key[rank])
    tight = bool(abs(key[0]) <= ZERO)
    gaps = np.array([0.0 if u == v else abs(u - v) for u, v in zip(key, other, strict=True)])
    finite = _finite(problem, path) if np.isfinite(key[0]) else None
    drift = np.abs(np.subtract(finite, key[:2])) if finite else np.full(2, np.nan)
    broken = deciding < 0
    if ZERO < abs(deciding) < CLEAR:
        verdict, reason = "UNDECIDED", f"an exponent of {deciding:.1e} is too small to tell from rounding"
    elif not broken and gaps[: rank + 1].max() > CLEAR:
        verdict, reason = "UNDECIDED", f"the two searches differ by {gaps}"
    elif finite and (drift[0] > 0.02 or (tight and drift[1] > 0.5)):
        verdict, reason = "UNDECIDED", f"evaluation at finite sizes gives {finite}, the scales {key[:2]}"
    elif not broken and any(lost for _, _, lost in found):
        verdict, reason = "UNDECIDED", "a difference of nearly equal numbers lost its digits on some path"
    elif not broken and problem.too_deep():
        verdict, reason = "UNDECIDED", "logarithms beyond log log log log could decide"
    else:
        verdict, reason = ("BROKEN", "the witness") if broken else ("CONSISTENT", "no sampled path breaks it")
    return RayResult(
        verdict=verdict,
        slack=0.0 if tight else float(key[0]),
        slack_error=float(np.fmax(gaps[0], drift[0])),
        log_power=float(key[1]) if tight else None,
        log_power_error=float(np.fmax(gaps[1], drift[1])) if tight else np.nan,
        logarithmic=verdict == "BROKEN" and tight,
        witness={str(size): tuple(map(float, row)) for size, row in zip(sizes, path, strict=True)},
        reason=reason,
    )
