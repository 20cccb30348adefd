"""An oracle inequality with constants for least squares over a finite class, a net, or a class that has one.

**Setting.** Y_i = f0(X_i) + sigma xi_i for i = 1..n, the X_i independent with law Q, the xi_i independent of them, of mean 0 and
with E exp(s xi) <= exp(s^2/2) for every s (Gaussian noise does). f0 and every function of the class have
values in one interval of width W. Write L for the log of the number of functions and A for the smallest
||g - f0||^2 over the class, norms in L2(Q). The estimator f minimises the empirical risk over the class. Then, for every tau in (0, 1),

    E ||f - f0||^2 <= (A + B/tau)/(1 - tau) <= (sqrt(A + B) + sqrt(B))^2 at the best tau,      B = (2 sigma^2 + W^2/2) L/n.

**Proof.** Let h_j = g_j - f0, r_j = mean_i h_j(X_i)^2 and R_j = ||h_j||^2, and j the index that the estimator takes.

1. *Basic inequality.* (y - g)^2 = (g - f0)^2 - 2 sigma xi (g - f0) + sigma^2 xi^2, and the noise has mean 0 against the best function, which is
   fixed. So E r_j <= A + 2 sigma G with G = E mean_i xi_i h_j(X_i).
2. *Noise.* Given the X_i, E exp(s sum_i xi_i h_m(X_i) - s^2 n r_m/2) <= 1 for each m.
3. *Lower tail.* Z = h_m(X)^2 has values in [0, W^2], so E Z^2 <= W^2 R_m. With exp(-x) <= 1 - x + x^2/2 and 1 - z <= exp(-z),
   E exp(-lambda Z) <= exp(-lambda R_m (1 - lambda W^2/2)), and E exp(n lambda ((1 - lambda W^2/2) R_m - r_m)) <= 1.
4. *Union.* The product of 2 and 3 has mean at most 1 for each m, the first factor given the second. By Jensen's inequality the
   expected exponent at a random index is at most L:
   n (s G - s^2 E r_j/2 + lambda (1 - lambda W^2/2) E R_j - lambda E r_j) <= L.
5. *Constants.* With s = sigma b and lambda = (1 - sigma^2 b) b/2 the term E r_j cancels between 1 and 4. What is left is
   q (1 - q b W^2/4) E R_j <= A + 2 L/(b n) with q = 1 - sigma^2 b, and the factor is at least 1 - b (sigma^2 + W^2/4) = 1 - tau.

With lambda = 0 the same lines give the risk on the sample, E r_j, with B = 2 sigma^2 L/n: W does not enter, and the functions
may depend on the X_i. There is no further constant, and no condition on n or on the number of functions.

**A class with a cover.** Let every f of the class be within delta, in sup-norm, of one of exp(L) functions g with values in the interval.
Then |(g - f0)^2 - (f - f0)^2| <= 2 W delta, and the noise sees |f - g| <= delta through E|xi| <= 1. The net's function nearest to
the estimator obeys the inequality with A + 2 delta (sigma + W) in place of A, and the estimator itself is 2 W delta worse.
A gap of the optimiser, the excess of its empirical risk over the least one, adds to A.

This takes the place of Lemma 4 of Schmidt-Hieber (Ann. Statist. 48, 2020), which as commonly quoted has the larger constants 18, 72
and 32 and asks for noise of variance 1 and values in [0, F] with F >= 1. What the inequality does not mean: a statement about a trained network
(the minimum over the class is exact), or about cross-entropy.
"""

from __future__ import annotations

__all__ = [
    "best_radius",
    "best_split",
    "exponential_inequality",
    "finite_class_oracle",
    "lower_tail",
    "net_oracle",
    "risk_keeps_its_factor",
    "sample_oracle",
    "symmetric_range",
]

import sympy as sp

from theory.relation import Relation, eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import R, W, delta, n, sigma, tau

_DOCSTRING = Source("derived here", "docstring of theory.results.oracle")

risk = sp.Symbol("risk", positive=True)
risk_on_sample = sp.Symbol("risk_n", positive=True)
noise_term = sp.Symbol("noise_term", positive=True)
approximation = sp.Symbol("approximation", positive=True)
log_functions = sp.Symbol("log_N", positive=True)

IID = Hypothesis("independent data", "the n inputs are independent with one law")
NOISE = Hypothesis(
    "sub-Gaussian noise", "noise of mean 0, independent of the inputs, E exp(s xi) <= exp(s^2/2) for every s"
)
BOUNDED = Hypothesis(
    "bounded values", "the target and every function of the class have values in one interval of width W"
)
SPLIT = Hypothesis("split", "tau is between 0 and 1", Relation(tau, "<", 1))
ERM = Hypothesis("empirical risk minimiser", "the squared loss is minimised exactly over the class")
COVERED = Hypothesis(
    "cover",
    "every function of the class is within delta, in sup-norm, of one of N functions with such values",
)

# exp(-x) <= 1 - x + x^2/2 and 1 - z <= exp(-z)

_x, _w = sp.symbols("x w", positive=True)
_above, _below = 1 + _x + _x**2 / 2, 1 - _x + _x**2 / 2
_grows = Relation(sp.log(1 + _w), ">=", _w / (1 + _w))
lower_tail = Statement(
    name="lower_tail",
    words="a variable in [0, W^2] of mean R has E exp(-lambda Z) <= exp(-lambda R (1 - lambda W^2/2))",
    conclusion=_grows,
    kind=Kind.ARGUED,
    to_prove="a formal proof about expectations; the scalar inequalities are proved",
    source=_DOCSTRING,
    hypotheses=(
        Hypothesis("nonnegative", "x is nonnegative", Relation(_x, ">=", 0)),
        Hypothesis("odds", "z = w/(1 + w) is in [0, 1)", Relation(_w, ">=", 0)),
    ),
    steps=(
        Step("1 + x + x^2/2 <= exp(x)", Relation(sp.log(_above), "<=", _x)),
        Step("(1 - x + x^2/2)(1 + x + x^2/2) = 1 + x^4/4, at least 1", eq(_below * _above, 1 + _x**4 / 4)),
        Step("so exp(-x) <= 1 - x + x^2/2; with E Z^2 <= W^2 R, 1 - z <= exp(-z) ends the proof", _grows),
    ),
    reading="the conclusion is z <= -log(1 - z) at z = w/(1 + w); taken at z = lambda R (1 - lambda W^2/2)",
    tight_at="lambda -> 0",
)

# Steps 1 and 4: the exponential inequality at the index that the estimator takes

_b, _q = sp.symbols("b q", positive=True)
_paid = (
    2 * log_functions / (_b * n)
    + (_b * sigma**2 + _q) * risk_on_sample
    - _q * (1 - _q * _b * W**2 / 4) * risk
)
exponential_inequality = Statement(
    name="exponential_inequality",
    words="twice the noise's correlation with the estimator is paid by log N and the risk on the sample, less the risk",
    conclusion=Relation(noise_term, "<=", _paid),
    source=Source("Jensen's inequality for the exponential; textbook", "step 4 in theory.results.oracle"),
    kind=Kind.ASSUMPTION,
    hypotheses=(IID, NOISE, BOUNDED),
    uses=(lower_tail,),
    reading="s = sigma b and lambda = q b/2 for any b, q > 0, divided by n b/2; noise_term is 2 sigma G",
)

# The theorem for finitely many functions

ESTIMATION = (2 * sigma**2 + W**2 / 2) * log_functions / n
"""B: the price of choosing among exp(L) functions."""
ESTIMATION_ON_SAMPLE = 2 * sigma**2 * log_functions / n
"""B for the risk at the sample's own inputs."""


def oracle(approximation: sp.Expr, estimation: sp.Expr) -> sp.Expr:
    """(A + B/tau)/(1 - tau), for any tau in (0, 1)."""
    return (approximation + estimation / tau) / (1 - tau)


_odds = sp.Symbol("odds", positive=True)  # (1 - tau)/tau
_v, _c = sp.symbols("v c", positive=True)
_factor = (1 - _c) * (1 - (1 - _c) * _c * _v)
_best_b = 1 / ((1 + _odds) * (sigma**2 + W**2 / 4))
_left = (1 - sigma**2 * _b) * (1 - (1 - sigma**2 * _b) * _b * W**2 / 4)
_g, _f0, _noise = sp.symbols("g f_0 xi", positive=True)
BASIC_INEQUALITY = eq(
    (_f0 + sigma * _noise - _g) ** 2, (_g - _f0) ** 2 - 2 * sigma * _noise * (_g - _f0) + sigma**2 * _noise**2
)
_slack = approximation + noise_term - risk_on_sample  # of the basic inequality

_kept = Relation(_factor.subs(_c, 1 / ((1 + _odds) * (1 + _v))), ">=", _odds / (1 + _odds))
risk_keeps_its_factor = Statement(
    name="risk_keeps_its_factor",
    words="at c = tau/(1 + v) the factor (1 - c)(1 - (1 - c) c v) of the risk is at least 1 - tau",
    conclusion=_kept,
    source=_DOCSTRING,
    hypotheses=(
        Hypothesis("noise", "sigma is positive; v = W^2/(4 sigma^2)", Relation(_v, ">=", 0)),
        Hypothesis("split", "tau = 1/(1 + odds) is in (0, 1)", Relation(_odds, ">=", 0)),
    ),
    steps=(Step("what is left over is c^2 v (2 - c)", _kept),),
    tight_at="v = 0",
)

finite_class_oracle = Statement(
    name="finite_class_oracle",
    words="least squares over N functions has risk at most (A + (2 sigma^2 + W^2/2) log N/(tau n))/(1 - tau)",
    conclusion=Relation(risk, "<=", oracle(approximation, ESTIMATION)),
    kind=Kind.ARGUED,
    to_prove="the basic inequality as an assumption, chained with exponential_inequality and risk_keeps_its_factor",
    source=_DOCSTRING,
    hypotheses=(
        IID,
        NOISE,
        BOUNDED,
        ERM,
        SPLIT,
    ),
    uses=(exponential_inequality, risk_keeps_its_factor),
    steps=(
        Step("a squared residual, opened: the basic inequality risk_n <= A + noise_term", BASIC_INEQUALITY),
        Step(
            "at q = 1 - sigma^2 b the risk on the sample cancels: what is left is the slack of both inequalities",
            eq(
                approximation + 2 * log_functions / (_b * n) - _left * risk,
                _slack + sp.Subs(_paid - noise_term, _q, 1 - sigma**2 * _b),
            ),
        ),
        Step(
            "at b = tau/(sigma^2 + W^2/4) its factor is that of risk_keeps_its_factor",
            eq(
                _left.subs(_b, _best_b),
                sp.Subs(_factor, (_c, _v), (sigma**2 * _best_b, W**2 / (4 * sigma**2))),
            ),
        ),
        Step(
            "log N costs B/tau there",
            eq((2 * log_functions / (_b * n)).subs(_b, _best_b), (1 + _odds) * ESTIMATION),
        ),
        Step(
            "both divided by 1 - tau",
            eq(
                sp.Subs(oracle(approximation, ESTIMATION), tau, 1 / (1 + _odds)),
                (1 + _odds) / _odds * (approximation + (1 + _odds) * ESTIMATION),
            ),
        ),
    ),
    reading="an upper bound on E ||f - f0||^2 for every tau in (0, 1); exact minimiser; any noise level and range",
)

sample_oracle = Statement(
    name="sample_oracle",
    words="on the sample the risk is at most (A + 2 sigma^2 log N/(tau n))/(1 - tau), whatever the range of the functions",
    conclusion=Relation(risk_on_sample, "<=", oracle(approximation, ESTIMATION_ON_SAMPLE)),
    kind=Kind.ARGUED,
    to_prove="the basic inequality as an assumption, chained with exponential_inequality at q = 0",
    source=_DOCSTRING,
    hypotheses=(NOISE, ERM, SPLIT),
    uses=(exponential_inequality,),
    steps=(
        Step("a squared residual, opened: the basic inequality risk_n <= A + noise_term", BASIC_INEQUALITY),
        Step(
            "at q = 0 what is left is the slack of both inequalities",
            eq(
                approximation + 2 * log_functions / (_b * n) - (1 - sigma**2 * _b) * risk_on_sample,
                _slack + sp.Subs(_paid - noise_term, _q, 0),
            ),
        ),
        Step(
            "b = tau/sigma^2, and division by 1 - tau",
            eq(
                sp.Subs(
                    (approximation + 2 * log_functions / (_b * n)) / (1 - sigma**2 * _b), _b, tau / sigma**2
                ),
                oracle(approximation, ESTIMATION_ON_SAMPLE),
            ),
        ),
    ),
    reading="an upper bound on E mean_i (f - f0)(X_i)^2; the N functions may depend on the inputs, not on the noise",
)

# The best tau

_p, _root = sp.symbols("p q", positive=True)  # sqrt(A + B), sqrt(B)
_split = (_p**2 - _root**2 + _root**2 / tau) / (1 - tau)
_A, _B, _rest = sp.symbols("A B rest", positive=True)  # rest = 1 - tau
best_split = Statement(
    name="best_split",
    words="(A + B/tau)/(1 - tau) is smallest at tau = sqrt(B)/(sqrt(A + B) + sqrt(B)), where it is (sqrt(A + B) + sqrt(B))^2",
    conclusion=eq(_split - (_p + _root) ** 2, (_p * tau - _root * (1 - tau)) ** 2 / (tau * (1 - tau))),
    source=_DOCSTRING,
    steps=(
        Step("its value at that tau", eq(_split.subs(tau, _root / (_p + _root)), (_p + _root) ** 2)),
        Step(
            "what any other tau adds is a square over tau (1 - tau)",
            eq(_split - (_p + _root) ** 2, (_p * tau - _root * (1 - tau)) ** 2 / (tau * (1 - tau))),
        ),
    ),
    reading="p^2 = A + B, q^2 = B",
    tight_at="tau = q/(p + q)",
    proved_in="Oracle.best_split",
    emitted=(
        ("split_risk", oracle(_A, _B).subs(1 - tau, _rest)),
        ("best_risk", (sp.sqrt(_A + _B) + sp.sqrt(_B)) ** 2),
        ("best_tau", sp.sqrt(_B) / (sp.sqrt(_A + _B) + sp.sqrt(_B))),
    ),
)

# A class with a cover

RESOLUTION = 2 * delta * (sigma + W)
"""What a net of radius delta adds to A."""
_h = sp.Symbol("h", positive=True)


def net(approximation: sp.Expr, estimation: sp.Expr) -> sp.Expr:
    """The bound for a class with a cover of radius delta."""
    return oracle(approximation + RESOLUTION, estimation) + 2 * W * delta


net_oracle = Statement(
    name="net_oracle",
    words="with a cover of radius delta, A grows by 2 delta (sigma + W) and the risk by 2 W delta",
    conclusion=Relation(risk, "<=", net(approximation, ESTIMATION)),
    kind=Kind.ARGUED,
    to_prove="a proof of finite_class_oracle and of the two inequalities about the nearest function of the net",
    source=_DOCSTRING,
    hypotheses=(IID, NOISE, BOUNDED, ERM, SPLIT, COVERED),
    uses=(finite_class_oracle,),
    steps=(
        Step(
            "squared distances from f0 of g and h differ by (g - h)(g + h - 2 f0), at most delta times 2 W",
            eq((_g - _f0) ** 2 - (_h - _f0) ** 2, (_g - _h) * (_g + _h - 2 * _f0)),
        ),
        Step(
            "noise and distance: the nearest function's basic inequality has A + 2 sigma delta + 2 W delta",
            eq(approximation + 2 * sigma * delta + 2 * W * delta, approximation + RESOLUTION),
        ),
        Step(
            "finite_class_oracle for that function, and 2 W delta for the estimator",
            eq(
                sp.Subs(finite_class_oracle.formula, approximation, approximation + RESOLUTION)
                + 2 * W * delta,
                net(approximation, ESTIMATION),
            ),
        ),
    ),
    reading="an upper bound; E|xi| <= 1; on the sample the same with sample_oracle",
)

_parameters = sp.Symbol("parameters", positive=True)
BEST_RADIUS = (2 * sigma**2 + W**2 / 2) * _parameters / (2 * n * (sigma + 2 * W))
_one_nat_each = eq(
    (RESOLUTION + 2 * W * delta).subs(delta, BEST_RADIUS), ESTIMATION.subs(log_functions, _parameters)
)
best_radius = Statement(
    name="best_radius",
    words="at delta = (2 sigma^2 + W^2/2) P/(2 n (sigma + 2 W)) the resolution costs one nat for each of P parameters",
    conclusion=_one_nat_each,
    source=_DOCSTRING,
    steps=(
        Step("2 delta (sigma + W) + 2 W delta is what log N = P would cost", _one_nat_each),
        Step(
            "resolution and P log(1/delta) nats together are stationary there",
            eq(
                (2 * (sigma + W) + 2 * W) * BEST_RADIUS,
                -delta
                * sp.Derivative(ESTIMATION.subs(log_functions, _parameters * sp.log(1 / delta)), delta),
            ),
        ),
    ),
    reading="for log N(delta) = P log(1/delta) + constant, at tau near 1/2 within a factor of 2",
)

_at_width = eq(sp.Subs(ESTIMATION, W, 2 * R), (2 * sigma**2 + 2 * R**2) * log_functions / n)
symmetric_range = Statement(
    name="symmetric_range",
    words="values in [-R, R] have width 2 R: the price of choosing among N functions is (2 sigma^2 + 2 R^2) log N/n",
    conclusion=_at_width,
    source=_DOCSTRING,
    steps=(Step("the price at that width", _at_width),),
)
