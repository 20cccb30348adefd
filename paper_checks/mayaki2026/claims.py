"""Every checkable sentence and number of arXiv 2604.09175, grouped by where the paper says it.

Each module registers its claims on the one `paper` as it is imported.
"""

from . import abstract_and_figure1 as abstract_and_figure1
from . import architectures as architectures
from . import best_beta as best_beta
from . import intrinsic_dimension as intrinsic_dimension
from . import per_expert_identities as per_expert_identities
from . import theoretical_exponents as theoretical_exponents
from .printed import paper as paper
