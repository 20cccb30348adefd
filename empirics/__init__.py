"""Measured quantities: experiments, routing of tokens to experts, MoE Transformers and their objectives, pooling of
published measurements.

The public names are listed in ``__init__.pyi`` and load on first use; what needs torch (the ``train`` extra) imports it
then. Nothing here imports `verify`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
