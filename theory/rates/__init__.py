"""The calculus of rates: minimise a rate over its sizes, with a proof, and test bounds against known limits.

Everything here comes from one primitive, `minimise`. A rate is a sum of
monomials in sizes n^t, so its exponent is the largest of affine forms in t, and
minimising it is a small linear program over an ordered field: rational
functions of (beta, d, ...), extended by infinitesimals that carry the logs. The
dual weights are the proof.
"""

from theory.rates.certificate import Certificate as Certificate
from theory.rates.consistency import Consistency as Consistency
from theory.rates.consistency import PairVerdict as PairVerdict
from theory.rates.consistency import consistency as consistency
from theory.rates.consistency import every_reading as every_reading
from theory.rates.consistency import minimax_consistency as minimax_consistency
from theory.rates.export import Audit as Audit
from theory.rates.export import check as check
from theory.rates.minimise import minimise as minimise
from theory.rates.optimum import OptimalRate as OptimalRate
from theory.rates.optimum import Piece as Piece
from theory.rates.problem import RateError as RateError
