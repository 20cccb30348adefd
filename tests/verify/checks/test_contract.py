"""Every check that is defined is a documented, frozen, public record, and says how its claims can be made false."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import verify
from theory.defined import modules_of
from verify.checks.base import Check


def kinds() -> dict[str, type[Check]]:
    found = [value for module in modules_of("verify.checks") for value in vars(module).values()]
    checks = [v for v in found if isinstance(v, type) and issubclass(v, Check) and not inspect.isabstract(v)]
    return {check.__name__: check for check in checks}


_OVER_VALUES = {"domain", "box", "ranges", "places", "formulas", "relations"}
"""Fields that say which values the symbols of a check stand for."""


def faults(check: type[Check]) -> list[str]:
    found = []
    if not check.__dict__.get("__doc__") or check.__doc__.startswith(f"{check.__name__}("):
        found.append("has no docstring of its own")
    if "__dataclass_params__" not in vars(check) or not check.__dataclass_params__.frozen:
        found.append("is no frozen dataclass")
    if getattr(verify, check.__name__, None) is not check:
        found.append("is not public: name it in the __all__ of its module and run make stubs")
    if check.changes not in ("", "relations", "formulas", "inequalities"):
        found.append(f"changes={check.changes!r}")
    if _OVER_VALUES & {field.name for field in dataclasses.fields(check)} and check.values is Check.values:
        found.append("does not say for which values it takes its symbols")
    if check.changes and (check.claimed is Check.claimed or check.claiming is Check.claiming):
        found.append("says how its relations change, and neither shows nor takes any")
    return found


@pytest.mark.parametrize("name", kinds())
def test_every_check_keeps_the_contract(name):
    assert faults(kinds()[name]) == []


def test_the_usual_checks_are_among_them():
    assert {"Identity", "PrintedTable", "MeasuredExponent", "GapRule", "DerivationHolds"} <= set(kinds())


def test_a_broken_check_is_caught():
    class Plain(Check):
        changes = "relations"

        def evidence(self, budget):
            return []

    assert len(faults(Plain)) == 4
    documented = type("Documented", (Plain,), {"__doc__": "Says something.", "changes": "sideways"})
    assert faults(documented)[-2:] == [
        "changes='sideways'",
        "says how its relations change, and neither shows nor takes any",
    ]
