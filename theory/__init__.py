"""Symbols, statements, architectures, exponents and laws of MoE scaling theory.

``from theory import *`` at a REPL brings the vocabulary (``beta``, ``d``, ``n``,
``N``, ``M``, ``k``, ...), the derived statements (``data_exponent``, ...), the
architecture counter and the laws. Objects show as LaTeX in a notebook and as
readable text in a terminal; ``data_exponent.explain()`` prints the derivation.
"""

from theory.architecture import Convention as Convention
from theory.architecture import Embedding as Embedding
from theory.architecture import Expert as Expert
from theory.architecture import MoETransformer as MoETransformer
from theory.architecture import Norm as Norm
from theory.architecture import Router as Router
from theory.exponents import approximation_rate as approximation_rate
from theory.exponents import compute_exponent as compute_exponent
from theory.exponents import compute_exponent_from_both as compute_exponent_from_both
from theory.exponents import (
    compute_exponent_from_model_exponent as compute_exponent_from_model_exponent,
)
from theory.exponents import compute_optimal_size as compute_optimal_size
from theory.exponents import data_exponent as data_exponent
from theory.exponents import data_exponent_from_model_exponent as data_exponent_from_model_exponent
from theory.exponents import estimation_exponent_at_fixed_size as estimation_exponent_at_fixed_size
from theory.exponents import model_exponent as model_exponent
from theory.exponents import optimal_size_at_fixed_data as optimal_size_at_fixed_data
from theory.exponents import risk_bound as risk_bound
from theory.laws import JMSL as JMSL
from theory.laws import Allocation as Allocation
from theory.laws import JointMoELaw as JointMoELaw
from theory.laws import SeparableLaw as SeparableLaw
from theory.laws import clark_transform as clark_transform
from theory.laws import effective_experts as effective_experts
from theory.laws import joint_law_allocation as joint_law_allocation
from theory.laws import separable_compute_optimum as separable_compute_optimum
from theory.posynomials import log_slope as log_slope
from theory.posynomials import minimise_two_terms as minimise_two_terms
from theory.statement import Hypothesis as Hypothesis
from theory.statement import Kind as Kind
from theory.statement import Relation as Relation
from theory.statement import Source as Source
from theory.statement import Statement as Statement
from theory.statement import Step as Step
from theory.statement import eq as eq
from theory.statement import statements as statements
from theory.symbols import GLOSSARY as GLOSSARY
from theory.symbols import L_T as L_T
from theory.symbols import A as A
from theory.symbols import B as B
from theory.symbols import C as C
from theory.symbols import D as D
from theory.symbols import E as E
from theory.symbols import Ehat as Ehat
from theory.symbols import M as M
from theory.symbols import N as N
from theory.symbols import N_act as N_act
from theory.symbols import N_tot as N_tot
from theory.symbols import V as V
from theory.symbols import a as a
from theory.symbols import alpha_C as alpha_C
from theory.symbols import alpha_D as alpha_D
from theory.symbols import alpha_N as alpha_N
from theory.symbols import beta as beta
from theory.symbols import d as d
from theory.symbols import d_ff as d_ff
from theory.symbols import d_model as d_model
from theory.symbols import ell as ell
from theory.symbols import k as k
from theory.symbols import n as n
from theory.symbols import n_heads as n_heads
from theory.symbols import to_latex as to_latex
