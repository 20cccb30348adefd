"""Exponential weights over a net of linear soft routers, and a simulation of their oracle inequality.

With weights proportional to ``prior_j exp(-n |y - f_j|_n^2 / T)`` and T = 4 sigma^2 the mixture of fixed
functions f_1, ..., f_J has, under Gaussian noise on a fixed design,

    E |f_hat - f|_n^2  <=  min_j ( |f_j - f|_n^2 + (4 sigma^2/n) log(1/prior_j) )

(Dalalyan and Tsybakov 2008; Leung and Barron 2006 for least-squares projections, whose residuals are
corrected by their dimensions). See `theory.results.statistical_moe.exponential_weights`.

Shapes: J members of the net, M experts, N points, D features.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]
Aggregator = Callable[[Floats, Floats], Floats]
"""From members (J, N) and responses (N,) to the aggregate (N,)."""


def soft_router_net(features: int, experts: int, levels: Sequence[float]) -> Floats:
    """All linear routers with entries among ``levels``, shape (J, M, D); the first expert's logit is 0.

    A softmax does not see a common shift of the logits, so one row can be fixed: J = levels^((M - 1) D).
    """
    if features < 1 or experts < 1 or not levels:
        raise MoelawsError(
            f"soft_router_net({features}, {experts}, {levels}): expected at least one feature, expert and level"
        )
    size = (experts - 1) * features
    rows = np.array(list(itertools.product(levels, repeat=size)), dtype=float).reshape(
        -1, experts - 1, features
    )
    return np.concatenate([np.zeros((len(rows), 1, features)), rows], axis=1)


def gate_weights(x_ND: Floats, routers_JMD: Floats) -> Floats:
    """Softmax gate weights of every router at every point, shape (J, N, M)."""
    logits = np.einsum("nd,jmd->jnm", x_ND, routers_JMD)
    logits -= logits.max(-1, keepdims=True)
    weights = np.exp(logits)
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def fixed_experts(weights_JNM: Floats, values_M: Floats) -> Floats:
    """The members' values (J, N) where expert m is the constant ``values_M[m]``."""
    return np.asarray(weights_JNM @ np.asarray(values_M, dtype=float))


def least_squares_experts(weights_JNM: Floats, y_N: Floats) -> tuple[Floats, Floats]:
    """Constant experts fitted by least squares behind every router: values (J, N) and dimensions (J,)."""
    bases = [np.linalg.svd(w, full_matrices=False) for w in weights_JNM]
    ranks = np.array([np.sum(s > 1e-10 * s[0]) for _, s, _ in bases])
    fits = [u[:, :rank] @ (u[:, :rank].T @ y_N) for (u, _, _), rank in zip(bases, ranks, strict=True)]
    return np.array(fits), ranks.astype(float)


def exponential_weights(
    members_JN: Floats,
    y_N: Floats,
    *,
    noise: float,
    temperature: float = 4.0,
    log_prior_J: Floats | None = None,
    dimensions_J: Floats | float = 0.0,
) -> Floats:
    """The weights (J,) of the members, in units of the variance: T = ``temperature`` ``noise``^2.

    ``dimensions_J``: of the members that are projections of y; each dimension adds 2 noise^2 to a residual sum of
    squares, which makes it unbiased up to a constant. Raises ValueError unless noise and temperature are positive.
    """
    if not (noise > 0 and temperature > 0):
        raise MoelawsError(f"noise={noise!r}, temperature={temperature!r}: expected positive numbers")
    residual = np.sum((y_N - members_JN) ** 2, axis=-1) + 2 * noise**2 * np.asarray(dimensions_J)
    logs = -residual / (temperature * noise**2) + (0.0 if log_prior_J is None else log_prior_J)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class OracleCheck:
    """The mean risk of an aggregate over simulated responses against the oracle inequality.

    ``risk`` with its ``standard_error`` over the draws; ``oracle`` is the bound. Both are squared errors in the
    mean over the design. A risk that is not seen to be above the bound does not prove the inequality.
    """

    risk: float
    standard_error: float
    oracle: float

    def violated(self, margin: float = 4.0) -> bool:
        """Whether the risk is above the bound by more than ``margin`` standard errors."""
        return self.risk - margin * self.standard_error > self.oracle

    def kept(self, margin: float = 4.0) -> bool:
        """Whether the risk is below the bound by more than ``margin`` standard errors."""
        return self.risk + margin * self.standard_error < self.oracle


def oracle_check(
    members_JN: Floats,
    truth_N: Floats,
    *,
    noise: float,
    draws: int,
    seed: int,
    aggregate: Aggregator | None = None,
    constant: float = 4.0,
    log_prior_J: Floats | None = None,
) -> OracleCheck:
    """Simulate fixed members under Gaussian noise; ``constant`` is the factor of sigma^2 log(1/prior)/n in the bound.

    ``aggregate`` replaces exponential weights at temperature 4 sigma^2, for example by a wrong aggregator.
    """
    if draws < 2:
        raise MoelawsError(f"draws={draws!r}: expected at least 2, for a standard error")
    size = len(truth_N)
    prior = np.full(len(members_JN), -np.log(len(members_JN))) if log_prior_J is None else log_prior_J
    oracle = np.min(np.mean((members_JN - truth_N) ** 2, axis=-1) - constant * noise**2 * prior / size)
    rng = np.random.default_rng(seed)
    losses = np.empty(draws)
    for i in range(draws):
        y = truth_N + noise * rng.standard_normal(size)
        if aggregate is None:
            found = exponential_weights(members_JN, y, noise=noise, log_prior_J=prior) @ members_JN
        else:
            found = aggregate(members_JN, y)
        losses[i] = np.mean((found - truth_N) ** 2)
    return OracleCheck(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(draws)), float(oracle))


def least_squares_oracle_check(
    weights_JNM: Floats, truth_N: Floats, *, noise: float, draws: int, seed: int
) -> OracleCheck:
    """The same with constant experts fitted behind every router: a member's risk is its bias plus dimension sigma^2/n."""
    if draws < 2:
        raise MoelawsError(f"draws={draws!r}: expected at least 2, for a standard error")
    size = len(truth_N)
    projected, dimensions = least_squares_experts(weights_JNM, truth_N)
    risks = np.mean((projected - truth_N) ** 2, axis=-1) + dimensions * noise**2 / size
    oracle = risks.min() + 4 * noise**2 * np.log(len(weights_JNM)) / size
    rng = np.random.default_rng(seed)
    losses = np.empty(draws)
    for i in range(draws):
        y = truth_N + noise * rng.standard_normal(size)
        members, dims = least_squares_experts(weights_JNM, y)
        found = exponential_weights(members, y, noise=noise, dimensions_J=dims) @ members
        losses[i] = np.mean((found - truth_N) ** 2)
    return OracleCheck(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(draws)), float(oracle))
