"""Every checkable sentence and number of arXiv 2604.09175, in the order in which the paper says it.

Each module registers its claims on the one `paper` as it is imported.
"""
# ruff: noqa: I001

from .printed import paper as paper
from . import abstract_and_figure1 as abstract_and_figure1
from . import bounds as bounds  # the theorems
from . import vacuity as vacuity  # the theorems at the sizes of Tables 3 and 4
from . import intrinsic_dimension as intrinsic_dimension  # Table 1, Figures 2 and 3
from . import theoretical_exponents as theoretical_exponents  # Table 2
from . import best_beta as best_beta  # Figures 4 and 5
from . import architectures as architectures  # Tables 3 and 4
from . import per_expert_identities as per_expert_identities  # Table 5, Figures 6 and 7
from . import measured_model_size as measured_model_size  # the exponents, on targets of known d and beta
from . import measured_data_size as measured_data_size
from . import measured_compute as measured_compute
