"""What no class and no estimator can do better: metric entropy of the Hölder ball and the minimax rate.

Two limits are assumptions here, with their sources: the order eps^(-d/beta) of the entropy for every smoothness
(Kolmogorov and Tikhomirov 1959), and n^(-2 beta/(2 beta + d)) for the risk (Stone 1982). `theory.rates.consistency`
tests bounds against both.

For beta <= 1 the lower half of the first is proved, with its constant. Cut [0, 1]^d into g^d equal cells, of half side
h = 1/(2 g), and put a bump of either sign on each:

    f_s(x) = s_c a (h - |x - c|)^beta   in the cell with centre c,   s_c = +-1,   a = 2^(beta - 1) H_beta,

distances in sup-norm. u = h - |x - c| is the distance of x from its cell's boundary. For x, y in one cell
|u^beta - v^beta| <= |u - v|^beta <= |x - y|^beta. For x, y in two cells the segment between them leaves one
and enters the other, so |x - y| >= u + v and |f(x) - f(y)| <= a (u^beta + v^beta) <= a 2^(1 - beta) |x - y|^beta. So all
2^(g^d) functions are in the Hölder ball of seminorm H_beta. Two of them differ by 2 a h^beta = H_beta g^(-beta) at the centre of
a cell where their signs do. A closed ball of radius eps < H_beta g^(-beta)/2 holds at most one of them.

Let x = (H_beta/(2 eps))^(1/beta) > 1 and g the largest integer below x. Then g >= x/2, hence log N(eps) >= g^d log 2 is at
least 2^(-d) (H_beta/(2 eps))^(d/beta) log 2 for every eps < H_beta/2.

A class of functions that comes within eps of all 2^(g^d), with 4 eps < H_beta g^(-beta), needs that entropy at radius eps itself:
a ball of radius eps around one of its members leads to at most one of them. So an approximation rate says how many
parameters a class must have.
"""

from __future__ import annotations

__all__ = [
    "SignedBumps",
    "approximating_class_entropy",
    "bumps_are_holder",
    "holder_entropy",
    "holder_entropy_bound",
    "holder_packing",
    "kolmogorov_tikhomirov",
    "minimax_exponent",
    "stone_minimax",
]

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.results.covering.fixed_pattern import log_covering_number
from theory.results.exponents import risk
from theory.results.weighted_means import weighted_am_gm
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import A, B, H_beta, alpha_D, beta, d, eps, g, n

DERIVED = Source("derived here", "docstring of theory.results.lower_bounds")
_u, _v = sp.symbols("u v", positive=True)


@dataclass(frozen=True)
class SignedBumps:
    """One function of the packing: ``signs`` of the ``cells_per_axis^d`` cells in lexicographic order.

    ``smoothness`` (at most 1) and ``seminorm`` may be Fractions; with smoothness 1 all values are exact.
    """

    signs: tuple[int, ...]
    cells_per_axis: int
    smoothness: Fraction | int = 1
    seminorm: Fraction | int = 1

    def __post_init__(self) -> None:
        if not 0 < self.smoothness <= 1:
            raise MoelawsError(f"SignedBumps(smoothness={self.smoothness}): expected 0 < smoothness <= 1")
        if self.cells_per_axis < 1 or set(self.signs) - {1, -1}:
            raise MoelawsError(f"{self!r}: expected signs +1 and -1, on at least one cell along each axis")

    @classmethod
    def packing(cls, cells_per_axis: int, dimension: int, **sizes: Any) -> Iterator[SignedBumps]:
        """All 2^(g^d) functions."""
        for signs in itertools.product((1, -1), repeat=cells_per_axis**dimension):
            yield cls(signs, cells_per_axis, **sizes)

    def __call__(self, x: Sequence[Any]) -> Any:
        """The value at a point of the cube, given by its coordinates."""
        index, apart = 0, 0
        for coordinate in x:
            along = min(int(coordinate * self.cells_per_axis), self.cells_per_axis - 1)
            index = index * self.cells_per_axis + along
            apart = max(apart, abs(coordinate - Fraction(2 * along + 1, 2 * self.cells_per_axis)))
        height = Fraction(1, 2 * self.cells_per_axis) - apart
        factor = 1 if self.smoothness == 1 else 2 ** (float(self.smoothness) - 1)
        power = height if self.smoothness == 1 else float(height) ** float(self.smoothness)
        return self.signs[index] * factor * self.seminorm * power


# The limits that are taken from the literature

kolmogorov_tikhomirov = Statement(
    name="kolmogorov_tikhomirov",
    words="the metric entropy of the Hölder ball in sup-norm is at least of order eps^(-d/beta)",
    conclusion=Relation(log_covering_number, ">=", A * eps ** (-d / beta)),
    source=Source(
        "Kolmogorov and Tikhomirov 1959, epsilon-entropy and epsilon-capacity of sets in function spaces"
    ),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis(
            "Hölder ball", "all functions on the unit cube with seminorm of order beta at most H_beta"
        ),
        Hypothesis("small radius", "eps is below a threshold that depends on the ball"),
    ),
    reading="A depends on the ball, not on eps; an upper bound of the same order holds for bounded balls",
)

stone_minimax = Statement(
    name="stone_minimax",
    words="no estimator has a worst-case risk over the Hölder ball below the order n^(-2 beta/(2 beta + d))",
    conclusion=Relation(risk, ">=", B * n ** (-2 * beta / (2 * beta + d))),
    source=Source(
        "Stone 1982, optimal global rates of convergence for nonparametric regression, Annals of Statistics 10"
    ),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("Hölder ball", "the regression function has seminorm of order beta at most H_beta"),
        Hypothesis("samples", "n independent samples with noise, inputs with a density bounded away from 0"),
    ),
    reading="expected squared L2 distance, worst case over the ball; B depends on the ball and the noise, not on n",
)

_exponent = 2 / (2 + d / beta)
_radius = n ** (-1 / (2 + d / beta))

minimax_exponent = Statement(
    name="minimax_exponent",
    words="the minimax exponent is 2/(2 + d/beta): squared radius and entropy over n balance",
    conclusion=eq(alpha_D, _exponent),
    kind=Kind.ARGUED,
    to_prove="the theorem of Yang and Barron as an assumption; the balance of its two terms is proved",
    source=Source(
        "Yang and Barron 1999, information-theoretic determination of minimax rates", "balance of both"
    ),
    uses=(kolmogorov_tikhomirov, stone_minimax),
    steps=(
        Step(
            "entropy over n equals eps^2 at eps = n^(-1/(2 + d/beta))",
            eq(_radius ** (-d / beta) / n, _radius**2),
        ),
        Step("the squared radius falls with that exponent", eq(_radius**2, n ** (-_exponent))),
        Step("which is Stone's", eq(_exponent, 2 * beta / (2 * beta + d))),
    ),
    reading="the order of the risk only",
)

# The packing, with constants, for beta <= 1

_share, _s = sp.symbols("t s", positive=True)
_mean_bound = eq(2 * ((_u + _v) / 2) ** beta, 2 ** (1 - beta) * (_u + _v) ** beta)

bumps_are_holder = Statement(
    name="bumps_are_holder",
    words="for beta <= 1 (u + v)^beta <= u^beta + v^beta <= 2^(1 - beta) (u + v)^beta: signed bumps have seminorm H_beta",
    conclusion=Relation(sp.log(_share) / (1 + _s), "<=", sp.log(_share)),
    kind=Kind.ARGUED,
    to_prove="a formal proof about the bumps on segments; the first scalar inequality is proved",
    source=DERIVED,
    hypotheses=(
        Hypothesis("order", "beta = 1/(1 + s) is at most 1", Relation(_s, ">=", 0)),
        Hypothesis("share", "1/t is the share of u, or of v, in u + v", Relation(_share, ">=", 1)),
    ),
    uses=(weighted_am_gm,),
    steps=(
        Step(
            "y <= y^beta for a share y = 1/t, in logarithms: shares of u + v sum to 1, the first inequality",
            Relation(sp.log(_share) / (1 + _s), "<=", sp.log(_share)),
        ),
        Step(
            "u^beta + v^beta <= 2 m^beta with m = (u + v)/2, as (u/m)^beta <= 1 + beta (u/m - 1) and likewise for v",
            _mean_bound,
        ),
    ),
    tight_at="u = v, at points of two neighbouring cells opposite to each other",
)

log_packing_number = sp.Symbol("log_P", positive=True)
_height = 2 ** (beta - 1) * H_beta * (1 / (2 * g)) ** beta

holder_packing = Statement(
    name="holder_packing",
    words="for beta <= 1 the Hölder ball has 2^(g^d) functions pairwise H_beta g^(-beta) apart, for every g",
    conclusion=Relation(log_packing_number, ">=", g**d * sp.log(2)),
    kind=Kind.ARGUED,
    to_prove="a formal proof that the bumps are in the ball and apart",
    source=DERIVED,
    hypotheses=(Hypothesis("order", "beta is at most 1"),),
    uses=(bumps_are_holder,),
    steps=(
        Step("two functions of different sign on a cell, at its centre", eq(2 * _height, H_beta * g**-beta)),
        Step("a sign for each cell, counted in nats", eq(sp.log(2 ** (g**d)), g**d * sp.log(2))),
    ),
    tight_at="neighbours differ by exactly H_beta g^(-beta); the count is that of this construction",
)

_ratio = (H_beta / (2 * eps)) ** (1 / beta)
holder_entropy_bound = sp.Integer(2) ** -d * (H_beta / (2 * eps)) ** (d / beta) * sp.log(2)
"""A lower bound on the metric entropy of the Hölder ball with beta <= 1 at radius eps < H_beta/2, in nats."""

holder_entropy = Statement(
    name="holder_entropy",
    words="for beta <= 1 and eps < H_beta/2, log N(eps) >= 2^(-d) (H_beta/(2 eps))^(d/beta) log 2",
    conclusion=Relation(log_covering_number, ">=", holder_entropy_bound),
    kind=Kind.ARGUED,
    to_prove="a proof of holder_packing, chained with the proved inequality g >= (g + 1)/2",
    source=DERIVED,
    hypotheses=(
        Hypothesis("order", "beta is at most 1"),
        Hypothesis(
            "radius",
            "eps < H_beta/2: the largest integer g below (H_beta/(2 eps))^(1/beta) is at least 1",
            Relation(g, ">=", 1),
        ),
    ),
    uses=(holder_packing,),
    steps=(
        Step("that ratio is at most g + 1, so g is at least half of it", Relation((g + 1) / 2, "<=", g)),
        Step(
            "log 2 a cell, with half the ratio for g",
            eq(sp.Subs(holder_packing.formula, g, _ratio / 2), holder_entropy_bound),
        ),
    ),
    reading="a lower bound on the covering number by closed balls, in nats",
)

approximating_class_entropy = Statement(
    name="approximating_class_entropy",
    words="a class within eps of every function of the Hölder ball has log N(eps) >= 2^(-d) (H_beta/(4 eps))^(d/beta) log 2",
    conclusion=Relation(
        log_covering_number, ">=", sp.Integer(2) ** -d * (H_beta / (4 * eps)) ** (d / beta) * sp.log(2)
    ),
    kind=Kind.ARGUED,
    to_prove="a proof of holder_entropy and the triangle inequality for functions",
    source=DERIVED,
    hypotheses=(
        Hypothesis("order", "beta is at most 1, eps < H_beta/4"),
        Hypothesis(
            "approximation", "every function of the ball is within eps of one of the class, in sup-norm"
        ),
    ),
    uses=(holder_entropy,),
    steps=(
        Step(
            "function, member, centre, member, function: twice the radius of one ball",
            eq(4 * eps, 2 * (2 * eps)),
        ),
        Step(
            "the packing at twice the radius",
            eq(
                sp.Subs(holder_entropy.formula, eps, 2 * eps),
                sp.Integer(2) ** -d * (H_beta / (4 * eps)) ** (d / beta) * sp.log(2),
            ),
        ),
    ),
    reading="for example M constant experts behind a frozen router have entropy M log ceil(1/eps) at most",
)
