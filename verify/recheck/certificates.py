"""Every kind of certificate finds its reader: a module of this folder that says which ``KIND`` it reads.

A certificate is a JSON object with ``"kind"``, the claim as text, and the proof. Its reader defines

- ``KIND``, and ``CHECKS``, the checks whose PROVED has to come with a certificate;
- ``reread(certificate)``, which raises `Rejected` unless the certificate proves what it states;
- ``shown(certificate)``, each relation that it proves and on which domain, as a card shows them;
- where they apply, ``lemmas(certificate)``, what the proof is given, and ``unread(certificate)``, the relations
  that it lists as beyond the reader, each with the reason.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from verify.recheck.rejected import Rejected


@cache
def readers() -> Mapping[str, ModuleType]:
    """Each kind of certificate with the module that reads it."""
    names = [found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)])]
    modules = [importlib.import_module(f"{__package__}.{name}") for name in sorted(names)]
    return {module.KIND: module for module in modules if hasattr(module, "KIND")}


def reader_of(certificate: Any) -> ModuleType:
    """The module that reads a certificate; `Rejected` where there is none."""
    kind = certificate.get("kind") if isinstance(certificate, Mapping) else None
    if not isinstance(kind, str) or kind not in readers():
        raise Rejected(f"no reader for certificates of kind {kind!r}; known are {', '.join(readers())}")
    return readers()[kind]


def ask(certificate: Any, question: str) -> Any:
    """What the reader of a certificate answers, such as to ``reread`` or ``shown``; None where it has no such answer.

    Whatever goes wrong in a certificate that is not of the form that its kind has, is `Rejected`.
    """
    function = getattr(reader_of(certificate), question, None)
    try:
        return None if function is None else function(certificate)
    except (
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as fault:
        raise Rejected(f"the certificate cannot be read: {type(fault).__name__}: {fault}") from None


def reread(certificate: Any) -> None:
    """Raise `Rejected` unless the certificate proves what it states; nothing is searched."""
    ask(certificate, "reread")
