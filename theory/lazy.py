"""Public names that load on first use: a package's ``__init__.pyi`` says which module each comes from.

The stub is written from the ``__all__`` of the modules (``make stubs``), so a name is declared where it is defined; a
type checker reads the same file.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

_LINE = re.compile(r"^from \.(\S+) import (\w+) as \w+$", re.MULTILINE)


def homes(package: str, init: str | None) -> dict[str, str]:
    """Public name -> the module that defines it, for a package whose ``__init__.py`` is the file ``init``.

    Empty for a package without a stub.
    """
    stub = Path(init).with_suffix(".pyi") if init else None
    if stub is None or not stub.is_file():
        return {}
    return {name: f"{package}.{module}" for module, name in _LINE.findall(stub.read_text(encoding="utf-8"))}


@contextmanager
def _no_collecting() -> Iterator[None]:
    """What modules make on import lives on: looking for garbage among it takes a tenth of the time and finds none."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def public_names(package: str, init: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` for the package's ``__init__.py``, which passes ``__name__, __file__``."""
    home = homes(package, init)

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with _no_collecting():
            value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)  # the next use does not come here
        return value

    return load, lambda: sorted(home), sorted(home)
