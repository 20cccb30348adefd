"""Measured quantities: experiments, routing of tokens to experts, MoE Transformers and their objectives, pooling of
published measurements.

The public names are those in the ``__all__`` of the modules; they load on first use (``theory.lazy``), and what needs torch
(the ``train`` extra) imports it then. Nothing here imports `verify`.
"""

from typing import Any

from theory.lazy import public_names

_load, __dir__, __all__ = public_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise ImportError(f"empirics.{name} needs torch: pip install 'moelaws[train]'") from missing
