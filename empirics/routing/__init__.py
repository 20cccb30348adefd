"""Top-k routing of tokens to experts: one interface, a plain reference and fused Triton kernels held to it.

`route` turns router logits into gate weights, expert ids, counts, offsets and a token permutation for grouped expert
products, with the balance and z losses, all differentiable. Importing this needs torch, not triton.
"""

from empirics.routing.interface import route
from empirics.routing.record import Gate, Implementation, NonFinite, Routing

__all__ = ["Gate", "Implementation", "NonFinite", "Routing", "route"]
