"""Measured quantities: experiments, and pooling of published measurements (none of it imports `verify`).

The public names are listed in ``__init__.pyi`` and load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
