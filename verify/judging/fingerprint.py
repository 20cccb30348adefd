"""What a piece of evidence depends on, as a content address.

The key of a check covers its own inputs (the cells it reads, not the table
around them), the source of its module and of every module of this project
that one imports, the versions of the libraries those import, and the budget.
What an input's own class does is code too: the modules that define such classes count as well.
Changing any of these changes the key, and nothing else does.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from empirics.base.provenance import SourceMissing, closure, digest, library_versions, source_digest
from verify.checks.base import Budget, Check
from verify.errors import InputError

SCHEMA = 3


def check_key(check: Check, budget: Budget) -> str:
    """The content address of this check's evidence."""
    relevant = check.relevant()
    try:
        modules = modules_behind(relevant)
        sources = [source_digest(module) for module in modules]
    except SourceMissing as problem:
        raise InputError(f"{problem}, so its evidence has no content address") from None
    payload = {
        "schema": SCHEMA,
        "check": canonical(relevant),
        "budget": canonical(budget),
        "source": sources,
        "libraries": [library_versions(module) for module in modules],
    }
    return digest(payload)


def modules_behind(check: Check) -> list[str]:
    """The module of a check, then those of its fields' classes that it does not import itself."""
    module = type(check).__module__
    return [module, *sorted({type(part).__module__ for part in _parts(check)}.difference(closure(module)))]


def _parts(value: Any) -> Iterator[Any]:
    """Every object of a dataclass or an enumeration inside a check, itself included."""
    if isinstance(value, Mapping):
        for pair in value.items():
            yield from (part for item in pair for part in _parts(item))
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from (part for item in value for part in _parts(item))
    elif isinstance(value, enum.Enum):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        yield value
        for f in fields(value):
            yield from _parts(getattr(value, f.name))


def canonical(value: Any) -> Any:
    """A JSON value that is equal exactly when the inputs are; InputError for what has no content address."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"rational": str(value)}
    if isinstance(value, enum.Enum):
        return {"member": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, sp.Basic):
        return {"sympy": _sympy_text(value)}
    if isinstance(value, Mapping):
        items = [[canonical(k), canonical(v)] for k, v in value.items()]
        return {"map": items}
    if isinstance(value, (list, tuple)):
        return [canonical(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(json.dumps(canonical(v), sort_keys=True) for v in value)}
    if is_dataclass(value) and not isinstance(value, type):
        content = {f.name: canonical(getattr(value, f.name)) for f in fields(value)}
        return {"type": f"{type(value).__module__}.{type(value).__qualname__}", "fields": content}
    raise InputError(
        f"a check holds {value!r} of type {type(value).__name__}, which has no content address; "
        "use numbers, strings, tuples, mappings, sympy expressions, tables or frozen dataclasses"
    )


@lru_cache(maxsize=65536)
def _sympy_text(expr: sp.Basic) -> str:
    """Structure, names and assumptions of an expression; sympy's own ``srepr`` is ten times slower."""
    if isinstance(expr, sp.Symbol):
        known = ",".join(f"{name}={value}" for name, value in sorted(expr.assumptions0.items()))
        index = f"#{expr.dummy_index}" if isinstance(expr, sp.Dummy) else ""
        return f"{expr.name}{index}:{known}"
    if not expr.args:
        return str(sp.srepr(expr))
    home = getattr(expr.func, "__module__", None) or "sympy"
    if home.split(".")[0] != "sympy":
        raise InputError(f"{expr.func.__name__} is a function of {home}, whose code has no content address")
    return f"{expr.func.__name__}({','.join(map(_sympy_text, expr.args))})"
