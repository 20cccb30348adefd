"""What M experts cost where nothing but their values has to be learned: sigma^2 M/n, linear in M.

The partition into M cells is known, the truth is constant on each, experts are fitted by least squares. Expert j has N_j
of n samples, so its variance is sigma^2/N_j, and with cells of equal mass the excess risk is sigma^2 times the mean
of E[1/N_j]. As 1/N lies above its tangent at the mean n/M, that is at least sigma^2 M/n: no term that is only
logarithmic in M can bound it. The counts are those of samples in which no cell is empty; their mean is still n/M. On an empty cell
the risk may be smaller: with truth and prediction 0 there it is .21 sigma^2 at M = 64, n = 16, where sigma^2 M/n is 4 sigma^2.
"""

from __future__ import annotations

__all__ = ["known_partition_risk"]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.exponents import risk
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import M, n, sigma

_count, _mean = sp.symbols("count mean", positive=True)

known_partition_risk = Statement(
    name="known_partition_risk",
    words="with a known partition into M cells of equal mass the excess risk is at least sigma^2 M/n",
    conclusion=Relation(risk, ">=", sigma**2 * M / n),
    kind=Kind.ARGUED,
    to_prove="a formal proof about the expected risk of cell means",
    source=Source("derived here", "docstring of theory.results.covering.known_partition"),
    hypotheses=(
        Hypothesis(
            "known partition",
            "M cells of equal mass; constant experts are fitted by least squares on their own cells",
        ),
        Hypothesis(
            "truth", "the regression function is constant on every cell; noise of standard deviation sigma"
        ),
        Hypothesis(
            "occupied",
            "every cell has a sample, and means are over such samples; an empty cell has the error of whatever is predicted there",
        ),
    ),
    steps=(
        Step(
            "1/N less its tangent at the mean is not negative",
            eq(1 / _count - (2 / _mean - _count / _mean**2), (_count - _mean) ** 2 / (_count * _mean**2)),
        ),
        Step(
            "at the mean n/M",
            eq(
                sp.Subs(sigma**2 * (2 / _mean - _count / _mean**2), (_count, _mean), (n / M, n / M)).doit(),
                sigma**2 * M / n,
            ),
        ),
    ),
    reading="a lower bound on the risk, excess over the noise; the ratio tends to 1 for many samples a cell",
    tight_at="in the limit of n/M, as counts concentrate",
)
