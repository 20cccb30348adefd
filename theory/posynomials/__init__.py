"""Posynomials: sums of monomials with their constants kept, minimised with a certificate.

Where the terms are as many as their sizes and one, duality gives the minimum in
closed form; otherwise, at numbers, an exact point and exactly balanced weights
enclose it. The weights are those of the calculus of rates: both are weighted AM-GM.
"""

from theory.posynomials.certificate import Certificate as Certificate
from theory.posynomials.certificate import PosynomialOutcome as PosynomialOutcome
from theory.posynomials.export import check as check
from theory.posynomials.minimise import minimise_posynomial as minimise_posynomial
from theory.posynomials.monomials import exponent as exponent
from theory.posynomials.monomials import log_slope as log_slope
from theory.posynomials.optimum import PosynomialOptimum as PosynomialOptimum
