"""Random alterations of a report, and what tells one that leaves a claim proved from one that does not."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import sympy as sp

from verify.recheck.sealed import seal

Path = tuple[Any, ...]
_UNORDERED = ("paid", "by", "left", "square", "rest")
"""Lists in certificates that are sums, so that the order of their terms says nothing."""


def resealed(record: dict[str, Any]) -> dict[str, Any]:
    """The report as one would seal it who altered it and knows how."""
    return {**record, "digest": seal(record)}


def slots(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place inside a record."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from slots(inner, (*path, key))


def at(tree: Any, path: Path) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, path: Path, value: Any) -> None:
    at(tree, path[:-1])[path[-1]] = value


def other_text(text: str, rng: random.Random) -> str | None:
    """The text with one number or one operator replaced; None where it has neither."""
    found = list(re.finditer(r"(?<![A-Za-z_0-9])\d+|<=|>=|\*\*|[-+*/<>]", text))
    if not found:
        return None
    match = rng.choice(found)
    if match[0].isdigit():
        new = str(int(match[0]) + rng.choice([1, 2, 7]))
    elif match[0] in ("<=", ">="):
        new = {"<=": ">=", ">=": "<="}[match[0]]
    else:
        new = rng.choice([op for op in ("+", "-", "*", "/") if op != match[0]])
    return text[: match.start()] + new + text[match.end() :]


def of_a_value(record: dict[str, Any], within: Path, rng: random.Random) -> Path | None:
    """Alter one number, weight or operator inside; the place, or None where the one drawn has none."""
    leaves = [
        (*within, *p)
        for p in slots(at(record, within))
        if not isinstance(at(record, (*within, *p)), (dict, list))
    ]
    if not leaves:
        return None
    path = rng.choice(leaves)
    value = at(record, path)
    if isinstance(value, int):
        put(record, path, value + rng.choice([-3, -1, 1, 2]))
        return path
    new = other_text(value, rng) if isinstance(value, str) else None
    if new is None:
        return None
    put(record, path, new)
    return path


def of_a_part(record: dict[str, Any], within: Path, rng: random.Random) -> Path | None:
    """Drop a step, a term, an entry, or give it twice, or give two of them in the other order."""
    whole = [p for p in slots(at(record, within)) if isinstance(at(record, (*within, *p)), (dict, list))]
    path = (*within, *rng.choice([(), *whole]))
    holder = at(record, path)
    if not holder:
        return None
    if isinstance(holder, dict):
        del holder[rng.choice(sorted(holder))]
    elif rng.random() < 0.5:
        del holder[rng.randrange(len(holder))]
    elif len(holder) > 1 and rng.random() < 0.5:
        i, j = rng.sample(range(len(holder)), 2)
        if holder[i] == holder[j]:
            return None
        holder[i], holder[j] = holder[j], holder[i]
    else:
        holder.append(copy.deepcopy(rng.choice(holder)))
    return path


def harmless(before: Any, after: Any, path: Path) -> str:
    """Why an alteration leaves another valid proof of the same claim, told without the readers; empty where nothing tells.

    ``path`` is the place of the value, or of the list or record, that was altered.
    """
    old, new = at(before, path), at(after, path)
    if path[-1] == "margin" and abs(sp.Rational(old) - sp.Rational(new)) <= sp.Rational(1, 10**9):
        return "a margin altered below its tolerance"
    if path[-1] in _UNORDERED and sorted(map(json.dumps, old)) == sorted(map(json.dumps, new)):
        return "terms in another order"
    if path[-1] == "symbols" and set(old) == set(new):
        return "symbols listed otherwise"
    if isinstance(old, str) and isinstance(new, str):
        names = set(re.findall(r"[A-Za-z_]\w*", old + new)) - {"log", "binomial", "factorial", "pi", "e"}
        known = {name: sp.Symbol(name, positive=True) for name in names}
        try:
            if sp.simplify(sp.sympify(old, known) - sp.sympify(new, known)) == 0:
                return "a text written otherwise"
        except (sp.SympifyError, TypeError, ValueError):
            return ""
    return ""
