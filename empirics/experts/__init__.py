"""Feed-forward experts as stacked matrices, and their dropless application to routed tokens. Importing this needs torch."""

from empirics.experts.activation import ACTIVATIONS, Activation
from empirics.experts.groups import Product
from empirics.experts.module import Experts
from empirics.experts.routed import apply_routed

__all__ = ["ACTIVATIONS", "Activation", "Experts", "Product", "apply_routed"]
