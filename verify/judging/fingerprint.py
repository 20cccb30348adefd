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
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from empirics.base.provenance import SourceMissing, closure, code_digest, digest
from theory.optima import Optimum
from verify.checks.base import Budget, Check
from verify.errors import InputError

SCHEMA = 5


def check_key(check: Check, budget: Budget) -> str:
    """The content address of this check's evidence."""
    relevant = check.relevant()
    classes: set[type] = set()
    content = _canonical(relevant, classes)
    try:
        code = [code_digest(module) for module in _modules_of(relevant, classes)]
    except SourceMissing as problem:
        raise InputError(f"{problem}, so its evidence has no content address") from None
    return digest({"schema": SCHEMA, "check": content, "budget": canonical(budget), "code": code})


def modules_behind(check: Check) -> list[str]:
    """The module of a check, then those of its fields' classes that it does not import itself."""
    classes: set[type] = set()
    _canonical(check, classes)
    return _modules_of(check, classes)


def _modules_of(check: Check, classes: set[type]) -> list[str]:
    module = type(check).__module__
    return [module, *sorted({part.__module__ for part in classes}.difference(closure(module)))]


def canonical(value: Any) -> Any:
    """A JSON value that is equal exactly when the inputs are; InputError for what has no content address."""
    return _canonical(value, set())


def _canonical(value: Any, classes: set[type]) -> Any:
    """The same; ``classes`` gains those of every dataclass and enumeration inside."""
    if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, sp.Basic):
        return {"sympy": _sympy_text(value)}
    if isinstance(value, (list, tuple)):
        return [_canonical(v, classes) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        classes.add(kind)
        content = {f.name: _canonical(getattr(value, f.name), classes) for f in fields(value)}
        return {"type": f"{kind.__module__}.{kind.__qualname__}", "fields": content}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"rational": str(value)}
    if isinstance(value, enum.Enum):
        classes.add(type(value))
        return {"member": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, Mapping):
        return {"map": [[_canonical(k, classes), _canonical(v, classes)] for k, v in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(json.dumps(_canonical(v, classes), sort_keys=True) for v in value)}
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
    if home.split(".")[0] != "sympy" and not issubclass(
        expr.func, Optimum
    ):  # which every check reads as a name
        raise InputError(f"{expr.func.__name__} is a function of {home}, whose code has no content address")
    return f"{expr.func.__name__}({','.join(map(_sympy_text, expr.args))})"
