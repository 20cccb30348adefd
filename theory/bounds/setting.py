"""What a bound is evaluated at: an architecture, the data, the target, and the bounded class of that shape."""

from __future__ import annotations

__all__ = ["RegressionSetting", "Setting"]

import dataclasses
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from theory.bounds.formula import BoundFormula
from theory.errors import MoelawsError
from theory.models.architecture import PAPER_CONVENTION, Convention, Embedding, MoETransformer, Norm, Router
from theory.models.published import PublishedModel, published_model
from theory.numbers.arithmetic import Arithmetic
from theory.numbers.floats import Floats
from theory.numbers.precise import Mpmath
from theory.numbers.values import Values, evaluate_expression, rational
from theory.results.approximation.cells import cells_per_axis, polynomial_degree
from theory.results.covering.bounded_class import BoundedMoE
from theory.results.oracle import BEST_RADIUS
from theory.vocabulary import (
    L_T,
    H_beta,
    Lambda,
    M,
    N_act,
    N_tot,
    Pi_attn,
    Pi_exp,
    R,
    W,
    beta,
    bits,
    d,
    d_model,
    delta,
    ell,
    g,
    k,
    kappa,
    m,
    n,
    r,
    sigma,
    tau,
)

Exact = int | str | Fraction
"""An exact number: an integer, a Fraction, or a decimal as a string."""
_LARGEST_EXPONENT = 1000
_LARGEST_DEGREE = 1000
_MOST_LAYERS = 10_000


@dataclass(frozen=True, kw_only=True)
class RegressionSetting:
    """The regression problem and the free choices of a bound, all exact.

    ``beta`` and ``dimension`` are those of the target, ``holder`` its Hölder seminorm H_beta, ``noise`` the sub-Gaussian
    constant sigma, ``clip`` the R of values in [-R, R]; ``kappa`` bounds every parameter of the class and ``radius`` the norm of
    its input tokens. ``tau`` splits the oracle inequality, or is "best"; ``delta`` is the radius of the cover, None for the one that
    costs a nat for each parameter (`best_radius`). ``bits`` are
    those of a stored weight, 16 as in bfloat16, for the bound that counts them.

    The defaults are round numbers, not estimates: beta 1 and d 32 are those of Table 2 of arXiv 2604.09175 for WikiText-103.
    """

    beta: Exact = 1
    dimension: Exact = 32
    holder: Exact = 1
    noise: Exact = 1
    clip: Exact = 1
    kappa: Exact = 1
    radius: Exact = 1
    tau: Exact = "1/2"
    delta: Exact | None = None
    bits: Exact = 16

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            given = getattr(self, field.name)
            if given is None or (field.name == "tau" and given == "best"):
                continue
            value = exact_number(field.name, given)
            if value <= 0 or (field.name == "tau" and value >= 1):
                wanted = "a number between 0 and 1, or 'best'" if field.name == "tau" else "a positive number"
                raise MoelawsError(f"{field.name}={given!r}: expected {wanted}")
            object.__setattr__(self, field.name, value)


def exact_number(name: str, given: Any) -> Fraction:
    """An exact rational from an integer, a Fraction or a decimal string; ValueError says how to write it."""
    if isinstance(given, bool) or not isinstance(given, int | str | Fraction):
        raise MoelawsError(
            f"{name}={given!r}: expected an exact number; write decimals as a string, {name}='{given}'"
        )
    if isinstance(given, str) and (counted := re.fullmatch(r"([0-9.]+) ?([KMBT])", given.strip())):
        given = f"{counted[1]}e{3 * ('KMBT'.index(counted[2]) + 1)}"  # 1T tokens
    exponent = re.search(r"[eE][+-]?0*([0-9_]+)\s*$", given) if isinstance(given, str) else None
    if exponent and (len(exponent[1]) > 4 or int(exponent[1]) > _LARGEST_EXPONENT):
        raise MoelawsError(f"{name}={given!r}: expected an exponent of at most {_LARGEST_EXPONENT}")
    try:
        return Fraction(given)
    except (ValueError, ZeroDivisionError):
        raise MoelawsError(f"{name}={given!r}: expected a number such as 3, '0.5', '1e9' or '1/3'") from None


Model = MoETransformer | PublishedModel | str
"""An architecture, or a published model or its name."""


@dataclass(frozen=True)
class Setting:
    """A bound's symbols at an architecture, without n: built once and evaluated at many n."""

    bound: BoundFormula
    architecture: MoETransformer
    sequence: int
    problem: RegressionSetting
    convention: Convention = PAPER_CONVENTION

    def exact_values(self, samples: int) -> dict[sp.Symbol, Fraction]:
        """Every exact symbol; tau and delta only where they are chosen."""
        a, problem = self.architecture, self.problem
        known: dict[sp.Symbol, Any] = {
            n: samples, ell: self.sequence, L_T: a.layers, M: a.experts, k: a.active, d_model: a.d_model,
            beta: problem.beta, d: problem.dimension, H_beta: problem.holder, sigma: problem.noise, R: problem.clip,
            W: 2 * Fraction(problem.clip), kappa: problem.kappa, r: problem.radius,
        }  # fmt: skip
        if self.bound.gate is None:
            counted = dataclasses.replace(
                self.convention, router=Router.NONE, norm=Norm.NONE, embedding=Embedding.NONE
            )
            known[N_act] = a.active_parameters(counted)
            known[N_tot] = trained_parameters(self)
            known[bits] = problem.bits
        else:
            one = MoETransformer(layers=1, d_model=a.d_model, d_ff=a.d_ff, heads=a.heads, head_dim=1)
            expert = one.expert_parameters(PAPER_CONVENTION)
            known[Pi_attn] = 4 * a.d_model**2 + a.shared_experts * expert
            known[Pi_exp] = expert
        if self.bound.on_cells:
            known[m] = polynomial_degree(problem.beta)
            known[g] = cells_per_axis(a.experts, int(problem.dimension))
        if problem.tau != "best":
            known[tau] = problem.tau
        if problem.delta is not None:
            known[delta] = problem.delta
        return {symbol: Fraction(value) for symbol, value in known.items()}

    def bounded_class(self) -> BoundedMoE:
        """The bounded class of this shape: every block an MoE block with two-matrix experts and full attention."""
        if self.bound.gate is None:
            raise MoelawsError(f"{self.bound.name} speaks of no class with constants")
        a = self.architecture
        return BoundedMoE(
            layers=a.layers,
            d_model=a.d_model,
            d_ff=a.d_ff,
            heads=a.heads,
            kappa=sp.Rational(Fraction(self.problem.kappa)),
            radius=sp.Rational(Fraction(self.problem.radius)),
            gate=self.bound.gate,
        )

    def least_samples(self) -> int:
        """The least n at which the formulas hold, a whole number of at least 1."""
        least = rational(self.bound.least_samples, self.exact_values(1))
        assert least is not None
        return max(1, math.ceil(least))

    def trivial_risk(self) -> Fraction:
        """The risk that needs no data."""
        value = rational(self.bound.trivial, self.exact_values(1))
        assert value is not None
        return value


def trained_parameters(setting: Setting) -> int:
    """N_tot of a setting, its trained routers included even where the convention counts none."""
    convention = setting.convention
    if convention.router is Router.NONE:
        convention = dataclasses.replace(convention, router=Router.WEIGHTS)
    return int(setting.architecture.total_parameters(convention))


_PARAMETERS_OF_RADIUS = next(s for s in BEST_RADIUS.free_symbols if s.name == "parameters")


def make_setting(
    bound: BoundFormula,
    architecture: Model,
    *,
    sequence: int | None = None,
    problem: RegressionSetting | None = None,
) -> Setting:
    """A setting with every argument checked; ValueError names the one that is wrong and what to do."""
    problem = problem or RegressionSetting()
    convention = PAPER_CONVENTION
    if isinstance(architecture, str):
        architecture = published_model(architecture)
    if not isinstance(architecture, MoETransformer | PublishedModel):
        raise MoelawsError(
            f"architecture={architecture!r}: expected a MoETransformer or the name of a published model"
        )
    if isinstance(architecture, PublishedModel):
        convention = architecture.convention
        sequence = architecture.sequence if sequence is None else sequence
        architecture = architecture.architecture
    sizes = {f.name: getattr(architecture, f.name) for f in dataclasses.fields(architecture)}
    for name, value in sizes.items():
        if value is not None and not isinstance(value, int):
            raise MoelawsError(
                f"architecture: {name}={value!r} is no number, so the bound has no value; give sizes"
            )
    sequence = architecture.context if sequence is None else sequence
    if isinstance(sequence, bool) or not isinstance(sequence, int) or sequence < 1:
        raise MoelawsError(
            f"sequence={sequence!r}: expected the number of tokens of a sequence, at least 1 "
            "(the architecture's context is taken where it has one)"
        )
    if bound.on_cells and Fraction(problem.dimension).denominator != 1:
        raise MoelawsError(
            f"dimension={problem.dimension}: {bound.name} cuts a cube into cells, so the dimension is a whole number"
        )
    if bound.on_cells and polynomial_degree(problem.beta) > _LARGEST_DEGREE:
        raise MoelawsError(
            f"beta={problem.beta}: {bound.name} uses polynomials of a degree just below beta; "
            f"expected at most {_LARGEST_DEGREE}"
        )
    if bound.gate is not None and architecture.layers > _MOST_LAYERS:
        raise MoelawsError(
            f"layers={architecture.layers}: {bound.name} goes through its class block by block; "
            f"expected at most {_MOST_LAYERS}"
        )
    if architecture.experts < bound.least_experts:
        raise MoelawsError(
            f"{bound.name}: needs at least {bound.least_experts} experts to choose from; "
            f"take another bound for experts={architecture.experts}"
        )
    setting = Setting(bound, architecture, sequence, problem, convention)
    known = {*setting.exact_values(1), tau, *(() if bound.parameters is None else (delta, Lambda))}
    held = set().union(*(term.formula.free_symbols for term in bound.terms))
    if unknown := sorted(held - known, key=str):
        raise MoelawsError(
            f"{bound.name}: nothing gives a value to {', '.join(map(str, unknown))}; expected terms in some of "
            f"{', '.join(sorted(map(str, known)))}"
        )
    return setting


def values_of(setting: Setting, samples: int, using: Arithmetic) -> Values:
    """All symbols of a setting at n samples in an arithmetic (call inside its `working`)."""
    exact = setting.exact_values(samples)
    if setting.bound.parameters is None:
        return Values(exact)
    numbers: dict[sp.Symbol, Any] = {}
    if delta not in exact:
        parameters = rational(setting.bound.parameters, exact)
        assert parameters is not None
        known = Values({**exact, _PARAMETERS_OF_RADIUS: parameters})
        numbers[delta] = evaluate_expression(BEST_RADIUS, known, using)
    return Values(exact, numbers, {Lambda: log_lipschitz(setting.bounded_class(), using)})


def log_lipschitz(moe: BoundedMoE, using: Arithmetic) -> Any:
    """log Lambda in an arithmetic (call inside its `working`); floats take it from mpmath, since Lambda overflows them."""
    if isinstance(using, Floats):
        return float(_log_lipschitz(moe, Mpmath(17)))
    return _log_lipschitz(moe, using)


@lru_cache(maxsize=256)
def _log_lipschitz(moe: BoundedMoE, using: Arithmetic) -> Any:
    with using.working():
        return moe.log_lipschitz(using)
