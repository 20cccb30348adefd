"""The inequalities about vectors, matrices and means that carry the Lipschitz constants, each proved.

Where an inequality is a square, the step says which: an equality whose right-hand side cannot be negative. Sums over
any number of coordinates are proved by adding one coordinate at a time.

- *Cauchy-Schwarz*, with U = |u|, V = |v| and <u, v> = U V - slack, 0 <= slack <= 2 U V: adding coordinates a, b leaves a
  gap of (U b - V a)^2 + 2 a b slack + slack (2 U V - slack). For a b < 0 exchange u for -u, which changes slack to 2 U V - slack.
- *Matrices*: |W x|^2 is a sum over rows of <w, x>^2 <= |w|^2 |x|^2, so ||W||^2 is at most the sum of squared entries.
- *Softmax*: its derivative along c is p_s (c_s - mean); as a quadratic form, the variance of c under p. With c in
  [low, high] and mean mu, variance <= (high - mu)(mu - low) <= (high - low)^2/4, since (high - c)(c - low) >= 0 has mean
  (high - mu)(mu - low) - variance. And (high - low)^2 <= 2 |c|^2. So the softmax is 1/2-Lipschitz in l2.
- *Covariance* <= product of standard deviations is Cauchy-Schwarz with weights p; what is at most b in size has
  a standard deviation of at most b.
- *Projection* on the ball of radius R is 1-Lipschitz: with |x| = R + s, and either |y| = R + s + t or |y| = rho <= R.
"""

from __future__ import annotations

__all__ = [
    "bounded_matrix_norm",
    "cauchy_schwarz",
    "covariance_bound",
    "product_of_bounds",
    "projection_is_1_lipschitz",
    "projection_towards_the_ball",
    "softmax_half_lipschitz",
    "sum_le_root_n_norm",
    "triangle_inequality",
    "variance_le_quarter_range",
]

import sympy as sp

from theory.relation import Relation, eq
from theory.statement import Hypothesis, Source, Statement, Step

TEXTBOOK = Source("textbook", "docstring of theory.results.covering.norms")


def _at_least(symbol: sp.Symbol, bound: object, words: str) -> Hypothesis:
    return Hypothesis(str(symbol), words, Relation(symbol, ">=", sp.sympify(bound)))


_U, _V, _a, _b, _slack = sp.symbols("U V a b slack", positive=True)
_added = (_U**2 + _a**2) * (_V**2 + _b**2) - (_U * _V - _slack + _a * _b) ** 2
_gap = (_U * _b - _V * _a) ** 2 + 2 * _a * _b * _slack + _slack * (2 * _U * _V - _slack)

cauchy_schwarz = Statement(
    name="cauchy_schwarz",
    words="<u, v>^2 <= |u|^2 |v|^2, in any dimension",
    conclusion=eq(_added, _gap),
    source=TEXTBOOK,
    hypotheses=(
        Hypothesis("so far", "<u, v> = U V - slack with 0 <= slack <= 2 U V, for the coordinates so far"),
        Hypothesis("one more", "coordinates a and b of one sign are added; for opposite signs put -u for u"),
    ),
    steps=(
        Step(
            "the gap after one more coordinate: a square and two products that are not negative",
            eq(_added, _gap),
        ),
    ),
    tight_at="u and v parallel",
    proved_in="Vectors.cauchy_schwarz",
)

_n, _S, _e = sp.symbols("n S e", positive=True)
_sums = (_n + 1) * (_S**2 / _n + _e + _a**2) - (_S + _a) ** 2
_sums_gap = (_n + 1) * _e + (_S - _n * _a) ** 2 / _n

sum_le_root_n_norm = Statement(
    name="sum_le_root_n_norm",
    words="|u_1| + ... + |u_n| <= sqrt(n) |u|, in any dimension",
    conclusion=eq(_sums, _sums_gap),
    source=TEXTBOOK,
    hypotheses=(
        Hypothesis(
            "so far", "the n squares so far sum to S^2/n + e with e >= 0, where S is the sum of sizes"
        ),
    ),
    steps=(Step("the gap after one more coordinate a: e and a square", eq(_sums, _sums_gap)),),
    tight_at="all coordinates equal in size",
    proved_in="Vectors.sum_le_root_n_norm",
)

_c, _rows, _columns, _below = sp.symbols("c rows columns below", positive=True)

bounded_matrix_norm = Statement(
    name="bounded_matrix_norm",
    words="a matrix with entries of size at most c has spectral norm at most c sqrt(rows columns)",
    conclusion=Relation(_rows * _columns * (_c - _below) ** 2, "<=", _rows * _columns * _c**2),
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_rows, 1, "there is a row"),
        _at_least(_columns, 1, "there is a column"),
        _at_least(_below, 0, "by how much the root mean square of the entries is below c"),
        _at_least(_c, _below, "the bound on the entries"),
    ),
    uses=(cauchy_schwarz,),
    steps=(
        Step(
            "rows x columns squares, each at most c^2; the spectral norm squared is at most their sum by Cauchy-Schwarz",
            Relation(_rows * _columns * (_c - _below) ** 2, "<=", _rows * _columns * _c**2),
        ),
    ),
    tight_at="all entries equal to c",
    proved_in="Vectors.bounded_matrix_norm",
    emitted=(("spectral_bound", _c * sp.sqrt(_rows * _columns)),),
)

_first, _second, _less, _lesser = sp.symbols("first second less lesser", positive=True)

triangle_inequality = Statement(
    name="triangle_inequality",
    words="|u + v| <= |u| + |v|: residual layers and telescoping add their bounds",
    conclusion=Relation(_U**2 + 2 * (_U * _V - _slack) + _V**2, "<=", (_U + _V) ** 2),
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_U, 0, "|u|"),
        _at_least(_V, 0, "|v|"),
        _at_least(_slack, 0, "<u, v> = |u| |v| - slack"),
    ),
    uses=(cauchy_schwarz,),
    steps=(Step("squared", Relation(_U**2 + 2 * (_U * _V - _slack) + _V**2, "<=", (_U + _V) ** 2)),),
    tight_at="u and v in one direction",
    proved_in="Vectors.triangle_inequality",
)

product_of_bounds = Statement(
    name="product_of_bounds",
    words="factors that are at most A and B have a product of at most A B: norms along a chain of layers multiply",
    conclusion=Relation((_first - _less) * (_second - _lesser), "<=", _first * _second),
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_less, 0, "by how much the first factor is below its bound"),
        _at_least(_first, _less, "the first bound; the factor itself is not negative"),
        _at_least(_lesser, 0, "by how much the second factor is below its bound"),
        _at_least(_second, _lesser, "the second bound"),
    ),
    steps=(Step("both at once", Relation((_first - _less) * (_second - _lesser), "<=", _first * _second)),),
    tight_at="both factors at their bounds",
)

# The softmax

_low, _mu, _high, _value = sp.symbols("low mu high value", positive=True)
_middle = (_high - _mu) * (_mu - _low)

variance_le_quarter_range = Statement(
    name="variance_le_quarter_range",
    words="a variance, of a law on finitely many points, is at most (high - mu)(mu - low), and that at most (high - low)^2/4",
    conclusion=eq((_high - _low) ** 2 / 4 - _middle, ((_high + _low) / 2 - _mu) ** 2),
    source=Source("Popoviciu; Bhatia and Davis", "docstring of theory.results.covering.norms"),
    hypotheses=(Hypothesis("range", "values in [low, high] with mean mu"),),
    steps=(
        Step(
            "(high - c)(c - low) is not negative; its mean is (high - mu)(mu - low) less the variance",
            eq(
                (_high - _value) * (_value - _low),
                _middle - (_value - _mu) ** 2 + (_high + _low - 2 * _mu) * (_value - _mu),
            ),
        ),
        Step(
            "what is left to a quarter of the squared range is a square",
            eq((_high - _low) ** 2 / 4 - _middle, ((_high + _low) / 2 - _mu) ** 2),
        ),
    ),
    tight_at="half of the mass at either end",
    proved_in="Laws.variance_le_quarter_range",
    emitted=(("quarter_range", (_high - _low) ** 2 / 4),),
)

softmax_half_lipschitz = Statement(
    name="softmax_half_lipschitz",
    words="the softmax is 1/2-Lipschitz in l2: its quadratic form is a variance, at most half the sum of squares",
    conclusion=eq((_high**2 + _low**2) / 2 - (_high - _low) ** 2 / 4, (_high + _low) ** 2 / 4),
    source=TEXTBOOK,
    hypotheses=(
        Hypothesis("direction", "high and low are the largest and smallest entry of the direction c"),
    ),
    uses=(variance_le_quarter_range,),
    steps=(
        Step(
            "two logits: the derivative of a softmax weight is p (1 - p)",
            eq(
                sp.Derivative(1 / (1 + sp.exp(-_value)), _value), sp.exp(-_value) / (1 + sp.exp(-_value)) ** 2
            ),
        ),
        Step(
            "half of two of the squares less a quarter of the squared range is a square",
            eq((_high**2 + _low**2) / 2 - (_high - _low) ** 2 / 4, (_high + _low) ** 2 / 4),
        ),
    ),
    reading="the derivative is symmetric and not negative, so its largest quadratic form is its norm",
    tight_at="two logits that are equal, moved apart",
    proved_in="Softmax.softmax_half_lipschitz",
)

covariance_bound = Statement(
    name="covariance_bound",
    words="of a law on finitely many points a covariance is at most the product of standard deviations, and |x| <= b has a standard deviation of at most b",
    conclusion=Relation((_b - _slack) ** 2 - _mu**2, "<=", _b**2),
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_slack, 0, "by how much the root of the mean square is below b"),
        _at_least(_b, _slack, "the bound on the size"),
        _at_least(_mu, 0, "size of the mean"),
    ),
    uses=(cauchy_schwarz,),
    steps=(Step("mean square less squared mean", Relation((_b - _slack) ** 2 - _mu**2, "<=", _b**2)),),
    tight_at="two values +-b of equal weight",
    proved_in="Laws.covariance_bound",
)

# Clipping

_R, _out, _further, _turn, _rho = sp.symbols("R out further turn rho", positive=True)
_x, _y = _R + _out, _R + _out + _further
_outside = Relation(2 * _R**2 * _turn, "<=", _x**2 + _y**2 - 2 * _x * _y * (1 - _turn))
_inside = Relation(
    _R**2 + _rho**2 - 2 * _R * _rho * (1 - _turn), "<=", _x**2 + _rho**2 - 2 * _x * _rho * (1 - _turn)
)
_OUT = _at_least(_out, 0, "by how much the first token is outside the ball")
_TURN = _at_least(_turn, 0, "1 minus the cosine of the angle between the two")

projection_is_1_lipschitz = Statement(
    name="projection_is_1_lipschitz",
    words="projecting tokens on the ball of radius R moves no two of them apart: clipping costs nothing",
    conclusion=_outside,
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_R, 0, "the radius"),
        _OUT,
        _at_least(_further, 0, "by how much the second token is further out"),
        _TURN,
    ),
    steps=(Step("both outside: squared distances before and after", _outside),),
    reading="for one token inside see projection_towards_the_ball",
    tight_at="both on the sphere",
    proved_in="Projections.projection_is_1_lipschitz",
)

projection_towards_the_ball = Statement(
    name="projection_towards_the_ball",
    words="projecting a token on the ball moves it away from no token inside",
    conclusion=_inside,
    source=TEXTBOOK,
    hypotheses=(
        _at_least(_rho, 0, "the norm of the token inside the ball"),
        _at_least(_R, _rho, "the radius"),
        _OUT,
        _TURN,
    ),
    steps=(Step("squared distances before and after", _inside),),
    tight_at="the first token on the sphere",
    proved_in="Projections.projection_towards_the_ball",
)
