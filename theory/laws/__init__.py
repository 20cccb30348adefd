"""The catalogue of scaling laws: one file each; a law predicts a loss and allocates compute."""

from theory.laws.clark import clark_transform as clark_transform
from theory.laws.clark import effective_experts as effective_experts
from theory.laws.joint_moe import JMSL as JMSL
from theory.laws.joint_moe import JointMoELaw as JointMoELaw
from theory.laws.joint_moe import joint_law_allocation as joint_law_allocation
from theory.laws.separable import Allocation as Allocation
from theory.laws.separable import SeparableLaw as SeparableLaw
from theory.laws.separable import separable_compute_optimum as separable_compute_optimum
