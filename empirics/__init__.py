"""Measured quantities: experiments, routing of tokens to experts, MoE Transformers and their objectives, pooling of
published measurements.

The public names are listed in ``__init__.pyi`` and load on first use; what needs torch (the ``train`` extra) imports it
then. Nothing here imports `verify`.
"""

from typing import Any

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise ImportError(f"empirics.{name} needs torch: pip install 'moelaws[train]'") from missing
