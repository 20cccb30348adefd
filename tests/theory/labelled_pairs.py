"""Approximation and entropy bounds with a known answer to: can one class have both?

A pair says that a class with the given sizes (real, at least 1) reaches the unit ball of C^beta on a
d-dimensional compact set within `error` in sup-norm, with log covering number at most `entropy` at that scale.
The ball's metric entropy is of order error^(-d/beta) (Kolmogorov and Tikhomirov 1959), so a pair is BROKEN when
entropy * error^(d/beta) -> 0 along some sizes with error -> 0, and CONSISTENT otherwise. Constants are dropped.

Labels stand for the pair of formulas, not for the theorem it is named after: many rows alter one on purpose, and
pseudo-dimension bounds are read as entropies. In `why`, a year means that the *bounds* (not the label) are in
that work; "derived" means that they are common knowledge or made for this table. Every label has its reason in
the same line, written as d/beta = 1/a with x = error^(-1/a), the entropy that the ball asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sympy as sp
from sympy import E, Max, Min, Rational, exp, log, oo, sqrt

Label = Literal["BROKEN", "CONSISTENT"]
beta, d = sp.symbols("beta d", positive=True)
W, L, N, k, M, S, g, m, n, r, R, h, b, seq = sp.symbols("W L N k M S g m n r R h b l", positive=True)
a = beta / d
half = Rational(1, 2)
POINTS = ((half, 3), (3, 2))
LOW = ((half, 1), (half, 3), (Rational(3, 4), 2))  # beta < 1
HIGH = ((2, 3), (Rational(3, 2), 1), (3, 2))  # beta > 1


@dataclass(frozen=True)
class LabelledPair:
    """One pair of bounds, its verdict at `points` (beta, d), and why.

    `slack` is the infimum, over growth of the sizes with error -> 0, of the exponent of entropy in 1/error, less
    d/beta, as an expression in beta and d (-oo where the entropy is nought). `log_power`, given where the slack
    is zero, is the least power of log(1/error) in entropy * error^(d/beta) on the paths of least slack.
    """

    name: str
    error: sp.Expr
    entropy: sp.Expr
    sizes: tuple[sp.Symbol, ...]
    label: Label
    slack: sp.Expr
    log_power: sp.Expr | None
    why: str
    constraints: tuple[sp.Rel, ...] = ()
    points: tuple[tuple[sp.Rational, sp.Rational], ...] = POINTS

    @property
    def logarithmic(self) -> bool:
        """Broken by logarithms (possibly iterated) alone."""
        return self.label == "BROKEN" and self.slack == 0

    @property
    def exponential(self) -> bool:
        """A size stands in an exponent."""
        powers = sp.Tuple(self.error, self.entropy, *self.constraints).atoms(sp.Pow, sp.exp)
        return any(power.as_base_exp()[1].has(*self.sizes) for power in powers)

    @property
    def iterated_log(self) -> bool:
        """A logarithm stands in a logarithm."""
        return any(x.args[0].has(log) for x in sp.Tuple(self.error, self.entropy).atoms(log))

    @property
    def source(self) -> Literal["citation", "derived"]:
        return "derived" if self.why.startswith("derived") else "citation"


PAIRS: list[LabelledPair] = []


def pair(
    name: str,
    error: sp.Expr,
    entropy: sp.Expr,
    label: Label,
    slack: sp.Expr | int,
    why: str,
    *,
    log_power: sp.Expr | int | None = None,
    under: Sequence[sp.Rel] = (),
    points: Sequence[tuple[sp.Rational | int, sp.Rational | int]] = POINTS,
) -> None:
    """Add a row; the sizes are what error and entropy depend on."""
    free = sp.Tuple(error, entropy, *under).free_symbols - {beta, d}
    PAIRS.append(
        LabelledPair(
            name=name,
            error=sp.sympify(error),
            entropy=sp.sympify(entropy),
            sizes=tuple(sorted(free, key=str)),
            label=label,
            slack=sp.sympify(slack),
            log_power=None if log_power is None else sp.sympify(log_power),
            why=why,
            constraints=tuple(under),
            points=tuple((sp.sympify(x), sp.sympify(y)) for x, y in points),
        )
    )


def broken(name: str, error: sp.Expr, entropy: sp.Expr, slack: sp.Expr, why: str, **more: Any) -> None:
    """Broken by a power of the error."""
    pair(name, error, entropy, "BROKEN", slack, why, **more)


def broken_by_log(
    name: str, error: sp.Expr, entropy: sp.Expr, log_power: sp.Expr | int, why: str, **more: Any
) -> None:
    """Broken, with slack nought."""
    pair(name, error, entropy, "BROKEN", 0, why, log_power=log_power, **more)


def tight(
    name: str, error: sp.Expr, entropy: sp.Expr, log_power: sp.Expr | int, why: str, **more: Any
) -> None:
    """Consistent, with slack nought."""
    pair(name, error, entropy, "CONSISTENT", 0, why, log_power=log_power, **more)


def loose(name: str, error: sp.Expr, entropy: sp.Expr, slack: sp.Expr, why: str, **more: Any) -> None:
    """Consistent, with entropy to spare by a power."""
    pair(name, error, entropy, "CONSISTENT", slack, why, **more)


FULL, HALF = -1 / a, -1 / (2 * a)  # entropy grows slower than any power of 1/error; with half the exponent


# One size: weights W of a network.
tight("weights", W**-a, W * log(E * W), 1, "Yarotsky 2017, Theorem 1, its log moved into W; x = W")
tight(
    "weights, logs as printed",
    (W / log(E * W)) ** -a,
    W * log(E * W) ** 2,
    3,
    "Yarotsky 2017, Theorem 1: W of order eps^(-d/beta) log(1/eps), depth log W; entropy W depth log W, x = W/log W",
)
tight("weights, entropy's log dropped", W**-a, W, 0, "derived: x = W")
broken("weights, rate doubled", W ** (-2 * a), W * log(E * W), HALF, "derived: x = W^2 against W log W")
broken("weights, rate times 5/4", W ** (-5 * a / 4), W * log(E * W), -1 / (5 * a), "derived: x = W^(5/4)")
broken_by_log("weights, log in the rate", (W * log(E * W)) ** -a, W, -1, "derived: x = W log W")
tight("weights, log in rate and entropy", (W * log(E * W)) ** -a, W * log(E * W), 0, "derived: x = W log W")
broken_by_log("weights, entropy W / log W", W**-a, W / log(E * W), -1, "derived: x = W")
broken_by_log("weights, rate over log", W**-a / log(E * W), W, -1 / a, "derived: x = W log(W)^(d/beta)")
tight(
    "weights, rate over log, two logs paid, d up to 2 beta",
    W**-a / log(E * W),
    W * log(E * W) ** 2,
    2 - 1 / a,
    "derived: x = W log(W)^(d/beta), d/beta <= 2",
    points=((1, 2), (half, 1), (3, 2)),
)
broken_by_log(
    "weights, rate over log, two logs paid, d above 2 beta",
    W**-a / log(E * W),
    W * log(E * W) ** 2,
    2 - 1 / a,
    "derived: x = W log(W)^(d/beta), d/beta > 2",
    points=((1, 3), (half, 3), (Rational(9, 10), 2)),
)
tight(
    "very deep",
    W ** (-2 * a),
    W**2 * log(E * W),
    1,
    "Yarotsky 2018; Yarotsky and Zhevnerchuk 2020: W^(-2 beta/d) at depth W; Bartlett et al. 2019: W depth log W",
)
tight(
    "very deep, no log",
    W ** (-2 * a),
    W**2,
    0,
    "Goldberg and Jerrum 1995: VC dimension of order W^2; x = W^2",
)
broken("beyond very deep", W ** (-3 * a), W**2 * log(E * W), -1 / (3 * a), "derived: x = W^3")
broken(
    "periodic activations",
    exp(-sqrt(W)),
    W**2 * log(E * W),
    FULL,
    "Yarotsky and Zhevnerchuk 2020: nearly exponential rates; log(1/error) = sqrt(W), so entropy is a power of it",
)
tight(
    "quantised weights",
    W**-a,
    W * log(E / W**-a),
    1,
    "Petersen and Voigtlaender 2018: log(1/error) bits a weight; x = W",
)
broken(
    "best M-edge rate above the optimum",
    W ** (-a * 11 / 10),
    W * log(E * W),
    -1 / (11 * a),
    "Boelcskei et al. 2019: effective M-edge exponents stop at beta/d, M log M bits; x = W^(11/10)",
)
broken("squared error read as error", W ** (-2 * a), W, HALF, "derived: x = W^2")
broken(
    "dimension less one",
    W ** (-beta / (d - 1)),
    W * log(E * W),
    -1 / beta,
    "derived: W = error^(-(d-1)/beta)",
    points=((1, 2), (half, 3), (3, 4)),
)
loose("dimension plus one", W ** (-beta / (d + 1)), W, 1 / beta, "derived: W = error^(-(d+1)/beta)")
broken(
    "one-dimensional rate",
    W**-beta,
    W * log(E * W),
    (1 - d) / beta,
    "derived: W = error^(-1/beta), d > 1",
    points=((1, 2), (half, 3), (3, 4)),
)
tight(
    "one-dimensional rate in one dimension",
    W**-beta,
    W * log(E * W),
    1,
    "derived: W = error^(-1/beta), d = 1",
    points=((1, 1), (half, 1), (3, 1)),
)
broken_by_log(
    "iterated log in the rate",
    (W * log(log(16 * W))) ** -a,
    W,
    0,
    "derived: x = W log log W, lost at log log only",
)
tight("iterated log in the entropy", W**-a, W * log(log(16 * W)), 0, "derived: x = W, log log W to spare")
broken_by_log(
    "log against log over log log",
    (W * log(E * W)) ** -a,
    W * log(E * W) / log(log(16 * W)),
    0,
    "derived: x = W log W, short by log log W",
)
tight("log over log log to spare", W**-a, W * log(E * W) / log(log(16 * W)), 1, "derived: x = W")
broken_by_log(
    "root of log missing", W**-a, W / sqrt(log(E * W)), -half, "derived: x = W, entropy short by log(W)^(1/2)"
)

# Depth beside the number of weights.
DEEP = (L <= W,)
tight(
    "depth a size",
    (W * L) ** -a,
    W * L * log(E * W),
    1,
    "Yarotsky and Zhevnerchuk 2020: W^-p at depth W^(p d/beta - 1), so p d/beta = log(W L)/log W; Bartlett et al. 2019",
    under=DEEP,
)
tight("depth a size, no log", (W * L) ** -a, W * L, 0, "derived: x = W L", under=DEEP)
broken("depth free of charge", (W * L) ** -a, W * log(E * W), HALF, "derived: L = W, x = W^2", under=DEEP)
broken("depth free and without end", (W * L) ** -a, W * log(E * W), FULL, "derived: W = 1, L -> oo")
tight(
    "logarithmic depth free of charge",
    (W * L) ** -a,
    W * log(E * W),
    0,
    "derived: x = W L <= W log(e W)",
    under=(log(E * W) >= L,),
)
broken_by_log(
    "depth log squared free of charge",
    (W * L) ** -a,
    W * log(E * W),
    -1,
    "derived: x = W log(W)^2 at the largest depth",
    under=(log(E * W) ** 2 >= L,),
)
broken_by_log(
    "logarithmic depth, no log in the entropy",
    (W * L) ** -a,
    W,
    -1,
    "derived: x = W log W at the largest depth",
    under=(log(E * W) >= L,),
)
broken("loops free of charge", (N * R) ** -a, N * log(E * N * R), FULL, "derived: N = 1: log R against x = R")
broken(
    "loops no more than weights", (N * R) ** -a, N * log(E * N * R), HALF, "derived: R = N", under=(R <= N,)
)
tight("loops paid", (N * R) ** -a, N * R * log(E * N * R), 1, "derived: x = N R")

# Width N and depth L.
tight(
    "width and depth",
    (N * L) ** (-2 * a),
    N**2 * L**2 * log(E * N * L),
    1,
    "Lu et al. 2021, Theorem 1.1, logs of width and depth dropped; Bartlett et al. 2019: N^2 L weights times L; x = (N L)^2",
)
tight(
    "width and depth as printed",
    (N * L) ** (-2 * a),
    (N * log(E * N)) ** 2 * (L * log(E * L)) ** 2 * log(E * N * L),
    3,
    "Lu et al. 2021, Theorem 1.1: width N log N, depth L log L; with one of N, L bounded log^2 and the last log stay",
)
broken(
    "weights counted in place of entropy",
    (N * L) ** (-2 * a),
    N**2 * L * log(E * N * L),
    HALF,
    "derived: N = 1, x = L^2 against L log L",
)
tight(
    "weights counted, logarithmic depth",
    (N * L) ** (-2 * a),
    N**2 * L * log(E * N * L),
    0,
    "derived: x / entropy = L / log(N L), bounded for L <= log(e N), of order 1 at the largest L",
    under=(log(E * N) >= L,),
)
broken_by_log(
    "weights counted without log, logarithmic depth",
    (N * L) ** (-2 * a),
    N**2 * L,
    -1,
    "derived: x / entropy = L <= log(e N)",
    under=(log(E * N) >= L,),
)
tight(
    "optimal width and depth",
    (N**2 * L**2 * log(N + 2)) ** -a,
    N**2 * L**2 * log(E * N * L),
    0,
    "Shen, Yang, Zhang 2022 (Hoelder order at most 1); Bartlett et al. 2019; ratio log(N L)/log N, 1 at bounded L",
    points=((1, 2), (half, 3), (1, 4)),
)
broken_by_log(
    "optimal width and depth, log dropped",
    (N**2 * L**2 * log(N + 2)) ** -a,
    N**2 * L**2,
    -1,
    "derived: x = N^2 log N at bounded L",
)
broken_by_log(
    "optimal width and depth, log squared",
    (N**2 * L**2 * log(N + 2) ** 2) ** -a,
    N**2 * L**2 * log(E * N * L),
    -1,
    "derived: x = N^2 log(N)^2 at bounded L",
)
broken(
    "depth to the fourth",
    N ** (-2 * a) * L ** (-4 * a),
    N**2 * L**2 * log(E * N * L),
    HALF,
    "derived: N = 1, x = L^4 against L^2 log L",
)
tight(
    "depth fixed", N ** (-2 * a), N**2 * log(E * N), 1, "derived: x = N^2, fully connected at bounded depth"
)
tight(
    "bounded weights",
    (N * L) ** (-2 * a),
    N**2 * L * (L * log(E * N) + log(E * N * L)),
    0,
    "derived: N^2 L weights, each L log N + log(1/error) nats by telescoping over layers; N = 1: L^2 = x",
)
broken(
    "floor activations",
    N ** (-a * sqrt(L)),
    N**2 * L * log(E * N * L),
    FULL,
    "Shen, Yang, Zhang 2021 for beta <= 1 (there beta sqrt(L)); N = 2: log(1/error) = sqrt(L), entropy a power of it",
    under=(N >= 2,),
)

# Sparse networks.
tight(
    "sparse, precision m",
    N / 2**m + N**-a,
    N * m**2 * log(E * N * m),
    3,
    "Schmidt-Hieber 2020, Theorem 5, Lemma 5: depth m, sparsity N m; m of order log N, x = N, entropy N log(N)^3",
)
tight("sparse, precision free", N**-a, N * m**2 * log(E * N * m), 1, "derived: m = 1, x = N")
broken(
    "sparse, rate doubled",
    N / 2**m + N ** (-2 * a),
    N * m**2 * log(E * N * m),
    HALF,
    "derived: m of order log N, x = N^2",
)
tight("sparse, precision not counted", N / 2**m + N**-a, N, 0, "derived: m large, x = N")
tight(
    "Besov networks",
    N**-a,
    N * log(E * N) ** 3,
    3,
    "Suzuki 2019 (Hoelder balls are Besov): depth log N, sparsity N log N; entropy sparsity depth log; x = N",
)
broken_by_log(
    "Besov networks, four logs gained",
    N**-a * log(E * N) ** (-4 * a),
    N * log(E * N) ** 3,
    -1,
    "derived: x = N log(N)^4",
)
tight("bits paid a weight", W**-a + 2**-b, W * b, 1, "derived: b of order log W, x = W")
tight("bits added", W**-a + 2**-b, W + b, 0, "derived: b of order log W, x = W")
broken("bits, best of two", Min(W**-a, 2**-b), W * b, FULL, "derived: W = 1, log(1/error) = b")
broken("bits, both squared", W ** (-2 * a) + 2**-b, W * b, HALF, "derived: b of order log W, x = W^2")
tight("bits help the rate", (W * b) ** -a + 2**-b, W * b, 0, "derived: x <= W b, equal once b >= 2 a log2 W")
broken("bits for nothing", (W * b) ** -a, W, FULL, "derived: W = 1, b -> oo")
broken_by_log(
    "logarithmic bits for nothing", (W * b) ** -a, W, -1, "derived: x = W log W", under=(b <= log(E * W),)
)

# Piecewise polynomials, splines, local averages: r cells a side.
tight("cells, coded with their neighbours", r**-beta, r**d, 0, "Kolmogorov and Tikhomirov 1959: x = r^d")
tight("cells, coded one by one", r**-beta, r**d * log(E * r), 1, "derived: r^d cells, log(1/error) nats each")
tight("adaptive cells", n**-a, n, 0, "Birman and Solomyak 1967: n cells, rate n^(-beta/d); x = n")
tight(
    "second-order kernel, not saturated",
    r ** -Min(beta, 2),
    r**d,
    0,
    "derived: bias of a kernel of order 2, beta <= 2",
    points=((1, 2), (half, 3), (2, 5)),
)
loose(
    "second-order kernel, saturated",
    r ** -Min(beta, 2),
    r**d,
    d / 2 - d / beta,
    "derived: bias of a kernel of order 2, beta > 2",
    points=((3, 2), (Rational(5, 2), 3), (4, 1)),
)
broken(
    "second order claimed below it",
    r**-2,
    r**d,
    d / 2 - d / beta,
    "derived: r^d = error^(-d/2), beta < 2",
    points=((1, 2), (half, 3), (Rational(19, 10), 4)),
)
tight("second order at it", r**-2, r**d, 0, "derived: beta = 2", points=((2, 1), (2, 3), (2, 7)))
broken(
    "sparse grids for isotropic balls",
    n**-beta * log(E * n) ** ((d - 1) * (beta + 1)),
    n,
    (1 - d) / beta,
    "derived: n^-beta up to logs is the rate for mixed smoothness, d > 1",
    points=((1, 2), (2, 3), (half, 2)),
)
tight(
    "sparse grids on a line",
    n**-beta * log(E * n) ** ((d - 1) * (beta + 1)),
    n,
    0,
    "derived: d = 1, x = n",
    points=((1, 1), (2, 1), (half, 1)),
)
tight("tree of depth h", 2 ** (-a * h), 2**h, 0, "derived: 2^h leaves, x = 2^h")
tight("tree, h nats a leaf", 2 ** (-a * h), h * 2**h, 1, "derived: x = 2^h, h of order log(1/error)")
broken("tree, one path paid", 2 ** (-a * h), h, FULL, "derived: x = 2^h")
broken("tree, half the depth paid", 2 ** (-a * h), 2 ** (h / 2), HALF, "derived: x = 2^h against 2^(h/2)")

# Balls of smoother spaces and kernel methods.
tight(
    "ball of C^(2 beta), radius R",
    1 / R,
    (R / R**-1) ** (1 / (2 * a)),
    0,
    "derived: f within R^(-beta/(s-beta)) of radius R in C^s, entropy (R/error)^(d/s), s = 2 beta; x = R^(d/beta)",
)
tight(
    "ball of C^(3 beta), radius R",
    R**-half,
    (R / R**-half) ** (1 / (3 * a)),
    0,
    "derived: as above with s = 3 beta: error R^(-1/2), (R^(3/2))^(d/(3 beta)) = x",
)
broken(
    "ball of C^(3 beta), radius forgotten",
    R**-half,
    (1 / R**-half) ** (1 / (3 * a)),
    -2 / (3 * a),
    "derived: exponent d/s with s = 3 beta",
)
broken(
    "ball of C^(3 beta), error doubled",
    1 / R,
    (R / R**-1) ** (1 / (3 * a)),
    -1 / (3 * a),
    "derived: (R^2)^(d/(3 beta)) = error^(-2d/(3 beta))",
)
tight(
    "kernel ridge, not saturated",
    h ** -Min(beta / (2 * d), 1),
    sqrt(h),
    0,
    "derived: kernel of order s = d, h = 1/lambda, effective dimension h^(d/(2s)), bias h^(-beta/(2s)), beta <= 2d",
    points=((1, 2), (half, 3), (4, 2)),
)
loose(
    "kernel ridge, saturated",
    h ** -Min(beta / (2 * d), 1),
    sqrt(h),
    half - d / beta,
    "derived: as above, qualification 1, beta > 2d",
    points=((3, 1), (5, 2), (Rational(13, 2), 3)),
)
broken(
    "kernel ridge, effective dimension halved",
    h ** (-beta / (2 * d)),
    h ** Rational(1, 4),
    HALF,
    "derived: x = h^(1/2)",
)

# Dimension-free rates of shallow networks, claimed for C^beta.
broken(
    "Barron's rate, rough",
    m**-half,
    m * log(E * m),
    2 - d / beta,
    "Barron 1993: m^(-1/2) on his class; exponent 2, beta < d/2",
    points=((half, 2), (1, 3), (2, 5)),
)
tight(
    "Barron's rate, at d/2",
    m**-half,
    m * log(E * m),
    1,
    "Barron 1993: m^(-1/2) on his class; exponent 2 = d/beta",
    points=((1, 2), (half, 1), (2, 4)),
)
loose(
    "Barron's rate, smooth",
    m**-half,
    m * log(E * m),
    2 - d / beta,
    "Barron 1993: m^(-1/2) on his class; exponent 2, beta > d/2",
    points=((2, 2), (2, 3), (1, 1)),
)
SHALLOW = (m ** (-half - Rational(3, 2) / d), m * log(E * m), 2 * d / (d + 3) - d / beta)
broken(
    "shallow ReLU's rate, rough",
    *SHALLOW,
    "Siegel and Xu, arXiv 2101.12365: m^(-1/2-3/(2d)) on the variation ball; exponent 2d/(d+3), beta < (d+3)/2",
    points=((1, 2), (2, 3), (half, 4)),
)
loose(
    "shallow ReLU's rate, smooth",
    *SHALLOW,
    "Siegel and Xu, arXiv 2101.12365: m^(-1/2-3/(2d)) on the variation ball; exponent 2d/(d+3), beta > (d+3)/2",
    points=((3, 2), (4, 3), (3, 1)),
)
tight(
    "shallow ReLU's rate, at (d+3)/2",
    SHALLOW[0],
    SHALLOW[1],
    1,
    "Siegel and Xu, arXiv 2101.12365: m^(-1/2-3/(2d)) on the variation ball; beta = (d+3)/2",
    points=((2, 1), (Rational(5, 2), 2), (3, 3)),
)

# k terms out of a dictionary of M atoms.
BOTH = (k <= M,)
ACTIVE = k * log(E * M / k)
tight("k terms of M", k**-a, ACTIVE, 0, "derived: M = k, log(e M/k) = 1, x = k", under=BOTH)
tight(
    "k terms of M >= k^2",
    k**-a,
    ACTIVE,
    1,
    "DeVore 1998: dictionary of polynomial depth; x = k",
    under=(k**2 <= M,),
)
broken("k terms, rate doubled", k ** (-2 * a), ACTIVE, HALF, "derived: M = k, x = k^2", under=BOTH)
broken("k terms, log without e", k**-a, k * log(M / k), -oo, "derived: M = k costs nought", under=BOTH)
tight("k terms, log without e, M >= 2k", k**-a, k * log(M / k), 0, "derived: M = 2k", under=(2 * k <= M,))
broken_by_log(
    "k terms, log of one and a ratio, M a little below k",
    k**-a,
    k * log(1 + M / k),
    -1,
    "derived: k log(1 + M/k) is of order M for M <= k, at least k / log k, x = k",
    under=(k / log(E * k) <= M,),
)
tight("rate in the entropy itself", ACTIVE**-a, ACTIVE, 0, "derived: x is the entropy", under=BOTH)
broken_by_log(
    "log M gained, log(M/k) paid",
    (k * log(E * M)) ** -a,
    ACTIVE,
    -1,
    "derived: M = k, x = k log k against k",
    under=BOTH,
)
tight(
    "log M gained, log(M/k) paid, M >= k^2",
    (k * log(E * M)) ** -a,
    ACTIVE,
    0,
    "derived: log(e M/k) >= log(e M)/2",
    under=(k**2 <= M,),
)
broken("any atom at the price of one", M**-a, ACTIVE, FULL, "derived: k = 1, log M against x = M", under=BOTH)
tight("M = e^k, one rate doubled", k ** (-2 * a), k * (1 + k - log(k)), 0, "derived: k log(e M/k) = k^2 = x")
broken(
    "M = e^k, one rate tripled", k ** (-3 * a), k * (1 + k - log(k)), -1 / (3 * a), "derived: k^2, x = k^3"
)
broken("M = e^k, rate in M", exp(-a * k), k * (1 + k - log(k)), FULL, "derived: k^2 against x = e^k")
tight("rate in log M", log(E * M) ** -a, ACTIVE, 0, "derived: k = 1, entropy 1 + log M = x", under=BOTH)
broken("rate in log(M)^2", log(E * M) ** (-2 * a), ACTIVE, HALF, "derived: k = 1, x = log(M)^2", under=BOTH)
tight(
    "rate in log(M)^2, k at least log M",
    log(E * M) ** (-2 * a),
    ACTIVE,
    0,
    "derived: k log(e M/k) >= log(M)^2 up to lower terms = x",
    under=(*BOTH, k >= log(E * M)),
)
broken(
    "rate in log(M)^3, k at least log M",
    log(E * M) ** (-3 * a),
    ACTIVE,
    -1 / (3 * a),
    "derived: k = log M, log(M)^2 against x = log(M)^3",
    under=(*BOTH, k >= log(E * M)),
)
broken(
    "count of patterns as accuracy",
    (E * M / k) ** (-a * k),
    ACTIVE,
    FULL,
    "derived: log(1/error) = a times the entropy",
    under=BOTH,
)
broken(
    "binary entropy, all but a few atoms",
    (k + m) ** -a,
    k * log(1 + m / k) + m * log(1 + k / m),
    FULL,
    "derived: M = k + m, M H(k/M) = 1 + log k at m = 1, x = k",
)
tight(
    "binary entropy, at most half of the atoms",
    k**-a,
    k * log(1 + m / k) + m * log(1 + k / m),
    0,
    "derived: m = k, M H(1/2) = 2 k log 2, x = k",
    under=(m >= k,),
)

# Mixtures of experts: M experts, k of them active.
PAPER = "reported for arXiv 2604.09175 (active parameters and k log(e M/k))"
NORMS = k + ACTIVE
broken("best of active and total", Min(k**-a, M**-a), NORMS, FULL, f"{PAPER}; k = 1, x = M", under=BOTH)
tight("worst of active and total", Max(k**-a, M**-a), NORMS, 0, "derived: x = k", under=BOTH)
tight("sum over active and total", k**-a + M**-a, NORMS, 0, "derived: x = k", under=BOTH)
tight("best, total paid", Min(k**-a, M**-a), M + ACTIVE, 0, "derived: k = 1, x = M", under=BOTH)
tight("sum, total paid", k**-a + M**-a, M + ACTIVE, 0, "derived: M = k = x", under=BOTH)
broken(
    "best, total paid, rate doubled", Min(k**-a, M**-a) ** 2, M + ACTIVE, HALF, "derived: x = M^2", under=BOTH
)
broken(
    "best, total paid, more active than there are",
    Min(k**-a, M**-a),
    M + k * log(1 + M / k),
    FULL,
    "derived: M = 1, k -> oo: k log(1 + 1/k) -> 1, x = k",
)
broken("sum became best", Min(k**-a, S**-a), S + log(E * k), FULL, "derived: S = 1, log k against x = k")
broken("active only", M**-a, k, FULL, "derived: k = 1, M -> oo", under=BOTH)
tight("frozen router, total", M**-a, M + k, 0, "derived: x = M", under=BOTH)
tight(
    "trained router",
    M**-a,
    M + M * log(E * M),
    1,
    "derived: M experts and M gate rows of log(1/error) nats each",
)
broken(
    "bounded active, M up to e^k",
    M**-a,
    ACTIVE,
    FULL,
    "derived: k = log M, x = M",
    under=(*BOTH, exp(k) >= M),
)
broken(
    "M up to k^2", M**-a, ACTIVE, HALF, "derived: M = k^2, k log k against x = k^2", under=(*BOTH, k**2 >= M)
)
tight("M up to 2k", M**-a, ACTIVE, 0, "derived: x = M <= 2k", under=(*BOTH, 2 * k >= M))
broken_by_log(
    "M up to k log k",
    M**-a,
    ACTIVE,
    -1,
    "derived: M = k log k = x, entropy k log log k",
    under=(*BOTH, k * log(E * k) >= M),
)
tight(
    "M up to k log k, log M paid",
    M**-a,
    k * log(E * M),
    0,
    "derived: M = k log k = x, entropy k log k",
    under=(*BOTH, k * log(E * k) >= M),
)
tight("experts a token, total", (M / k) ** -a, M + ACTIVE, 0, "derived: k = 1, x = M", under=BOTH)
broken(
    "experts a token, active", (M / k) ** -a, ACTIVE, FULL, "derived: k = 1, log M against x = M", under=BOTH
)
tight("experts a token, ratio", (M / k) ** -a, M / k, 0, "derived: x = M/k", under=BOTH)
CONSTANT = "reported for He et al., arXiv 2609.03501 (constant experts on a cube, error (M/K)^(-1/d))"
broken(
    "constant experts, rough",
    (M / k) ** (-1 / d),
    M + ACTIVE,
    d - d / beta,
    f"{CONSTANT}; claimed for beta < 1, k = 1: M = error^-d",
    under=BOTH,
    points=LOW,
)
tight(
    "constant experts, Lipschitz",
    (M / k) ** (-1 / d),
    M + ACTIVE,
    0,
    f"{CONSTANT}; beta = 1, k = 1, x = M",
    under=BOTH,
    points=((1, 1), (1, 2), (1, 7)),
)
loose(
    "constant experts, smooth",
    (M / k) ** (-1 / d),
    M + ACTIVE,
    d - d / beta,
    f"{CONSTANT}; no gain from beta > 1, k = 1: M = error^-d",
    under=BOTH,
    points=HIGH,
)
broken(
    "constant experts, active only",
    (M / k) ** (-1 / d),
    NORMS,
    -1 / a,
    f"{CONSTANT}; k = 1, log M",
    under=BOTH,
)
tight("pairs of experts", (M * k) ** -a, M * k, 0, "derived: x = M k", under=BOTH)
broken("pairs of experts, total paid", (M * k) ** -a, M + ACTIVE, HALF, "derived: M = k, x = M^2", under=BOTH)
tight(
    "k experts squared", Max(k ** (-2 * a), M**-a), M + ACTIVE, 0, "derived: k = M^(1/2), x = M", under=BOTH
)
broken(
    "k experts squared, active",
    Max(k ** (-2 * a), M**-a),
    NORMS,
    HALF,
    "derived: M = k^2 = x against k log k",
    under=BOTH,
)
tight(
    "k experts squared, pairs paid",
    Max(k ** (-2 * a), M**-a),
    k**2,
    0,
    "derived: x <= k^2, equal at M = k^2",
    under=BOTH,
)
tight("geometric mean", (k * M) ** (-a / 2), M + ACTIVE, 0, "derived: M = k, x = M", under=BOTH)
broken("geometric mean, active", (k * M) ** (-a / 2), NORMS, FULL, "derived: k = 1, x = M^(1/2)", under=BOTH)
tight("geometric mean, paid", (k * M) ** (-a / 2), sqrt(k * M), 0, "derived: x = (k M)^(1/2)", under=BOTH)
GATE = Max(M**-a, 1 / k)
tight(
    "gate of accuracy 1/k, d at least beta",
    GATE,
    M + ACTIVE,
    0,
    "derived: k = M^a <= M suffices for error M^-a",
    under=BOTH,
    points=((1, 2), (half, 3), (2, 2)),
)
loose(
    "gate of accuracy 1/k, d below beta",
    GATE,
    M + ACTIVE,
    1 - 1 / a,
    "derived: error >= 1/M whatever k, so exponent 1",
    under=BOTH,
    points=((2, 1), (3, 2), (7, 3)),
)
broken(
    "gate of accuracy 1/k, active, d above beta",
    GATE,
    NORMS,
    1 - 1 / a,
    "derived: M = k^(1/a), k log k with error 1/k",
    under=BOTH,
    points=((1, 2), (half, 3), (3, 4)),
)
tight(
    "gate of accuracy 1/k, active, d equal to beta",
    GATE,
    NORMS,
    0,
    "derived: a = 1, M = k = x",
    under=BOTH,
    points=((1, 1), (2, 2), (3, 3)),
)

# Shared and fine-grained experts, routing of sequences.
tight("shared experts, sum", S**-a + M**-a, S + ACTIVE, 0, "derived: x <= S; k = 1, M = S", under=BOTH)
broken("shared experts, best", Min(S**-a, M**-a), S + ACTIVE, FULL, "derived: S = k = 1, x = M", under=BOTH)
tight("shared and active", (S + k) ** -a, S + ACTIVE, 0, "derived: x = S + k", under=BOTH)
tight("shared and all", (S + M) ** -a, S + M + ACTIVE, 0, "derived: x = S + M", under=BOTH)
broken(
    "shared and all, active paid", (S + M) ** -a, S + ACTIVE, FULL, "derived: S = k = 1, x = M", under=BOTH
)
broken("shared times all", (S * M) ** -a, S + M + ACTIVE, HALF, "derived: S = M, x = M^2", under=BOTH)
FINE = k * g * log(E * M / k)
broken("fine-grained, weights shared out", (M * g) ** -a, M + FINE, HALF, "derived: k = 1, g = M", under=BOTH)
tight("fine-grained, all pieces paid", (M * g) ** -a, M * g + FINE, 0, "derived: k = 1, x = M g", under=BOTH)
tight("fine-grained, no gain", M**-a, M + FINE, 0, "derived: k = g = 1, x = M", under=BOTH)
broken(
    "fine-grained, patterns as weights",
    (k * g * M) ** -a,
    FINE,
    FULL,
    "derived: k = g = 1, x = M",
    under=BOTH,
)
broken("routing of a token", M**-a, k + seq * ACTIVE, FULL, "derived: l = k = 1, log M", under=BOTH)
tight(
    "routing of a long sequence",
    M**-a,
    k + seq * ACTIVE,
    1,
    "derived: l >= M, k = 1: M log M, x = M",
    under=(*BOTH, seq >= M),
)
REACHED = Min(M, k * seq) + seq * ACTIVE
broken("experts that a sequence reaches", M**-a, REACHED, FULL, "derived: l = k = 1, x = M", under=BOTH)
tight(
    "experts that a sequence reaches, all",
    M**-a,
    REACHED,
    0,
    "derived: k l >= M: at least M = x, equal up to constants at l = 1, k = M",
    under=(*BOTH, k * seq >= M),
)
broken(
    "experts that a short sequence reaches",
    M**-a,
    Min(M, k * seq) + ACTIVE,
    FULL,
    "derived: k = 1, l = log M",
    under=(*BOTH, seq >= log(E * M)),
)
tight(
    "widest of three",
    Max(Min(k**-a, S**-a), M**-a),
    S + k,
    0,
    "derived: x = min(max(k, S), M) <= S + k",
    under=BOTH,
)
broken(
    "narrowest of three",
    Max(Min(k**-a, S**-a), M**-a),
    Min(k, S) + log(E * M),
    FULL,
    "derived: k = 1, S = M = x",
    under=BOTH,
)

# Logs and powers of sums.
tight("log of a sum", W**-a, W * log(W + L), 1, "derived: x = W")
broken("log of one and a ratio", W**-a, W * log(1 + L / W), FULL, "derived: L = 1: W log(1 + 1/W) -> 1")
tight("log of one and a ratio, L >= W", W**-a, W * log(1 + L / W), 0, "derived: L = W", under=(L >= W,))
broken(
    "log of one and a ratio, L >= sqrt(W)",
    W**-a,
    W * log(1 + L / W),
    HALF,
    "derived: W log(1 + L/W) is of order L for L <= W; L = W^(1/2)",
    under=(sqrt(W) <= L,),
)
tight("log L gained, log(W + L) paid", (W * log(E * L)) ** -a, W * log(W + L), 0, "derived: W = 1 or L >= W")
broken_by_log(
    "log L gained, log(L/W) paid",
    (W * log(E * L)) ** -a,
    W * log(E + L / W),
    -1,
    "derived: L = W, x = W log W against W",
)
tight("power of a sum", (W + L**2) ** -a, (sqrt(W) + L) ** 2, 0, "derived: (u + v)^2 is of order u^2 + v^2")
broken("power of a sum lost", (W + L**2) ** -a, W + L, HALF, "derived: W = 1, x = L^2")
broken_by_log(
    "power of a sum with logs",
    (W + L * log(E * L)) ** -a,
    W + L,
    -1,
    "derived: W <= L, x = L log L against L",
)
