"""One vocabulary for the whole project: each symbol with its meaning, unit and LaTeX name.

All symbols are positive reals unless said otherwise, which is what lets sympy
simplify powers. Logarithms are natural; information is counted in nats. Euler's number is ``e``, since E is the
expansion rate; `log`, `exp`, `Min` and `Max` are sympy's.
"""

from __future__ import annotations

__all__ = [
    "GLOSSARY",
    "L_T",
    "A",
    "B",
    "B_route",
    "C",
    "D",
    "D_star",
    "E",
    "Ehat",
    "Eq",
    "H_beta",
    "L_f",
    "Lambda",
    "M",
    "M_star",
    "Max",
    "Min",
    "N",
    "N_act",
    "N_eff",
    "N_scores",
    "N_star",
    "N_tot",
    "Pi_attn",
    "Pi_exp",
    "R",
    "V",
    "W",
    "a",
    "alpha_C",
    "alpha_D",
    "alpha_N",
    "beta",
    "binomial",
    "bits",
    "d",
    "d_ff",
    "d_model",
    "delta",
    "e",
    "ell",
    "eps",
    "exp",
    "g",
    "h",
    "k",
    "k_star",
    "kappa",
    "log",
    "m",
    "n",
    "n_heads",
    "overhead",
    "r",
    "sigma",
    "sparsity",
    "symbols",
    "tau",
    "to_latex",
]

import re
from functools import lru_cache
from typing import NamedTuple

import sympy as sp
from sympy import Eq as Eq
from sympy import Max as Max
from sympy import Min as Min
from sympy import binomial as binomial
from sympy import exp as exp
from sympy import log as log
from sympy import symbols as symbols
from sympy.printing.str import StrPrinter

from theory.errors import MoelawsError

e = sp.E
"""Euler's number."""


class Meaning(NamedTuple):
    """What a symbol stands for: words, the unit it is counted in, and its LaTeX name."""

    words: str
    unit: str
    latex: str


GLOSSARY: dict[sp.Symbol, Meaning] = {}
"""Every symbol of the vocabulary with its meaning, in the order of definition."""


def _symbol(name: str, words: str, unit: str, latex: str, *, integer: bool = False) -> sp.Symbol:
    made = sp.Symbol(name, positive=True, integer=True if integer else None)
    assert made not in GLOSSARY, f"{name} is defined twice"
    GLOSSARY[made] = Meaning(words, unit, latex)
    return made


# The data and the target
beta = _symbol("beta", "smoothness of the target (Hölder order)", "1", r"\beta")
d = _symbol("d", "intrinsic dimension of the data", "1", "d")
n = _symbol("n", "number of training sequences", "sequences", "n")
D = _symbol("D", "number of training tokens", "tokens", "D")
ell = _symbol("ell", "sequence length", "tokens", r"\ell")
H_beta = _symbol(
    "H_beta", "Hölder seminorm of the target: of its derivatives of order ceil(beta) - 1", "1", r"H_\beta"
)
L_f = _symbol("L_f", "Lipschitz constant of the target, in the Euclidean norm", "1", "L_f")

# The architecture
N = _symbol("N", "active parameters per token", "parameters", "N")
N_act = _symbol("N_act", "active parameters per token", "parameters", r"N_{\mathrm{act}}")
N_eff = _symbol(
    "N_eff", "effective active parameters of the approximation bound", "parameters", r"N_{\mathrm{eff}}"
)
N_tot = _symbol("N_tot", "total parameters", "parameters", r"N_{\mathrm{tot}}")
N_scores = _symbol(
    "N_scores", "parameters that would cost what attention scores cost", "parameters", r"N_{\mathrm{scores}}"
)
sparsity = _symbol("sparsity", "total over active parameters", "1", "S")
L_T = _symbol("L_T", "Transformer blocks", "blocks", "L_T", integer=True)
M = _symbol("M", "experts per MoE layer", "experts", "M", integer=True)
k = _symbol("k", "active experts per token", "experts", "k", integer=True)
d_model = _symbol("d_model", "model width", "features", r"d_{\mathrm{model}}", integer=True)
d_ff = _symbol("d_ff", "hidden width of one expert", "features", r"d_{\mathrm{ff}}", integer=True)
n_heads = _symbol("n_heads", "attention heads", "heads", r"n_{\mathrm{heads}}", integer=True)
V = _symbol("V", "vocabulary size", "tokens", "V", integer=True)
E = _symbol("E", "expansion rate: experts over active experts", "1", "E")
Ehat = _symbol("Ehat", "effective expansion rate (Clark transform of E)", "1", r"\hat{E}")

# What is best under a bound
N_star = _symbol("N_star", "active parameters at which a bound is smallest", "parameters", "N^{*}")
D_star = _symbol("D_star", "training tokens at which a bound is smallest", "tokens", "D^{*}")
k_star = _symbol("k_star", "active experts at which a bound is smallest", "experts", "k^{*}")
M_star = _symbol("M_star", "experts at which a bound is smallest", "experts", "M^{*}")

# The bounded class and its coverings
Pi_attn = _symbol("Pi_attn", "attention parameters of one block", "parameters", r"\Pi_{\mathrm{attn}}")
Pi_exp = _symbol("Pi_exp", "parameters of one expert", "parameters", r"\Pi_{\mathrm{exp}}")
kappa = _symbol("kappa", "bound on the absolute value of every parameter", "1", r"\kappa")
r = _symbol("r", "bound on the Euclidean norm of a token that enters a layer", "1", "r")
R = _symbol("R", "Euclidean norm at which the output tokens are clipped", "1", "R")
Lambda = _symbol("Lambda", "Lipschitz constant from parameters (largest entry) to outputs", "1", r"\Lambda")
bits = _symbol("bits", "bits of one weight: it takes one of at most 2^bits values", "bits", "b")
delta = _symbol("delta", "radius of the covering balls in output space", "1", r"\delta")

# Regression
sigma = _symbol(
    "sigma", "sub-Gaussian constant of the noise in the responses; of Gaussian noise, its standard deviation", "1", r"\sigma"
)  # fmt: skip
W = _symbol("W", "width of the interval that holds the target and every function of the class", "1", "W")
tau = _symbol("tau", "how an oracle inequality divides its constant, between 0 and 1", "1", r"\tau")

# Local approximation on the unit cube
m = _symbol("m", "degree of a local polynomial: ceil(beta) - 1", "1", "m", integer=True)
h = _symbol("h", "half the side of a cell", "1", "h")
g = _symbol("g", "cells along each axis of the unit cube", "cells", "g", integer=True)

eps = _symbol("eps", "accuracy in sup-norm", "1", r"\varepsilon")

# Budgets, constants and exponents
C = _symbol("C", "training compute", "FLOPs", "C")
A = _symbol("A", "constant of the approximation term", "loss", "A")
B = _symbol("B", "constant of the estimation term", "loss", "B")
B_route = _symbol("B_route", "constant of the routing term", "loss", r"B_{\mathrm{route}}")
overhead = _symbol("overhead", "routing term over parameter term of the bound", "1", r"\rho")
a = _symbol("a", "approximation exponent of the risk", "1", "a")
alpha_N = _symbol("alpha_N", "model-size exponent", "1", r"\alpha_N")
alpha_D = _symbol("alpha_D", "data-size exponent", "1", r"\alpha_D")
alpha_C = _symbol("alpha_C", "compute exponent", "1", r"\alpha_C")


def as_formula(value: object, where: str) -> sp.Expr:
    """``value`` as a sympy expression; `MoelawsError` for anything else, above all for a text, which sympy would execute."""
    try:
        found = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError, AttributeError):
        found = None
    if not isinstance(found, sp.Expr):
        raise MoelawsError(
            f"{where} is {value!r}; expected a number or a sympy expression in Symbols, not a text to be executed"
        )
    return found


class TextPrinter(StrPrinter):  # type: ignore[misc]
    """sympy's own text, with Euler's number as ``e``."""

    def _print_Exp1(self, expr: sp.Basic) -> str:
        return "e"


@lru_cache(maxsize=4096)
def as_text(expr: sp.Basic) -> str:
    """An expression in one line, printed once: a bound is shown with each of its answers."""
    return str(TextPrinter().doprint(expr))


@lru_cache(maxsize=4096)
def to_latex(expr: sp.Basic) -> str:
    """LaTeX of an expression, with this vocabulary's names.

    A symbol called ``name[label]`` shows as the name with its label in brackets, one
    that is no identifier as text.
    """
    return str(sp.latex(expr, symbol_names={s: _latex_name(s.name) for s in expr.atoms(sp.Symbol)}))


def _latex_name(name: str) -> str:
    head, bracket, label = name.partition("[")
    if bracket:
        return rf"{_latex_name(head)}\left[{_latex_text(label.removesuffix(']'))}\right]"
    known = {symbol.name: meaning.latex for symbol, meaning in GLOSSARY.items()}
    if name in known:
        return known[name]
    head, _, mark = name.rpartition("_")
    if head in known and mark == "hat":
        return rf"\hat{{{known[head]}}}"
    if head in known and len(mark) > 1:
        return rf"{known[head]}^{{{_latex_text(mark)}}}"
    plain = str(sp.latex(sp.Symbol(name)))
    return plain if _LETTER.match(plain) else _latex_text(name)


def _latex_text(words: str) -> str:
    """Words in text mode: what LaTeX would read as a command is escaped or left out."""
    return rf"\text{{{re.sub(r'([#$%&_])', lambda special: chr(92) + special[1], _NOT_TEXT.sub('', words))}}}"


_LETTER = re.compile(r"([A-Za-z]|\\[a-z]+|\\hat\{[A-Za-z]\})(_(\w|\{\w+\}))?$")
_NOT_TEXT = re.compile(r"[\\{}^~<>]")
