"""Transformers with mixtures of experts whose parameters are those that ``theory.models.architecture`` counts. Importing this needs torch."""

from empirics.model.block import Block, Blocks, Routed
from empirics.model.bounded import BoundedTransformer
from empirics.model.config import ModelConfig
from empirics.model.counts import parameter_counts
from empirics.model.initialise import initialise
from empirics.model.language import LanguageModel
from empirics.model.output import Output
from empirics.model.regression import RegressionTransformer

__all__ = [
    "Block",
    "Blocks",
    "BoundedTransformer",
    "LanguageModel",
    "ModelConfig",
    "Output",
    "RegressionTransformer",
    "Routed",
    "initialise",
    "parameter_counts",
]
