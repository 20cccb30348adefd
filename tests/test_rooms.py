"""The rule of the house: which room may import which. `ROOMS` is its one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = """
verify.recheck
theory.errors theory.lazy
theory.defined theory.vocabulary theory.optima
theory.numbers
theory.relation
theory.shapes
theory.statement
theory.rates
theory.posynomials
theory.models
theory.laws
theory.results
theory.proofs
theory.derivations
theory.bounds
empirics.base
empirics.worlds
empirics.dimension
empirics.constructive
empirics.routing
empirics.experts
empirics.model
empirics.experiments
empirics.runs
empirics.fitting
empirics.audits empirics.public
empirics.sweeps
verify.errors verify.details verify.verdicts verify.text
verify.files verify.strategies
verify.printed
verify.measured
verify.search
verify.checks
verify.judging
verify.mutation
verify.reports
verify.commands verify.pytest_plugin
paper_checks
"""
"""From the ground up, one floor a line: a room imports from its own and from the floors below it.

`verify.recheck` is the ground: it imports nothing of the house, so that all of it may ask for a second reading.
"""
FLOORS = [line.split() for line in ROOMS.split("\n") if line]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
PACKAGES = ("theory", "empirics", "verify", "paper_checks")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room that a module stands in: its longest prefix that `ROOMS` lists."""
    parts = module.split(".")
    for length in (3, 2, 1):
        if (room := ".".join(parts[:length])) in FLOOR:
            return room
    raise LookupError(f"{module} stands in no room; list its room in tests/test_rooms.py")


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (p for p in sorted((ROOT / package).rglob("*.py")) if p != ROOT / package / "__init__.py")


def imports(tree: ast.AST, everywhere: bool = True) -> Iterator[str]:
    """The project's modules that a file imports; with ``everywhere`` also inside functions."""
    for node in ast.walk(tree) if everywhere else ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] in PACKAGES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            assert node.module
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                path = ROOT / deeper.replace(".", "/")
                yield deeper if path.is_dir() or path.with_suffix(".py").is_file() else node.module


def climbs(source: str, module: str) -> list[str]:
    """The imports of a file that go up, or into another room of the same floor."""
    here = room_of(module)
    found = []
    for name in imports(ast.parse(source)):
        if name in PACKAGES:
            found.append(f"{module} imports all of {name}; name the module")
        elif (room := room_of(name)) != here and FLOOR[room] >= FLOOR[here]:
            found.append(f"{module} imports {name}")
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_downhill(package):
    paths = [p for p in sources() if p.relative_to(ROOT).parts[0] == package and package != "paper_checks"]
    assert [fault for path in paths for fault in climbs(path.read_text(), module_name(path))] == []


def test_an_import_that_goes_up_is_noticed():
    assert climbs("from verify.judging.claims import Claim", "verify.checks.new") == [
        "verify.checks.new imports verify.judging.claims"
    ]
    assert climbs("def f():\n    import empirics.runs.store", "theory.rates.new") == [
        "theory.rates.new imports empirics.runs.store"
    ]
    assert climbs("from theory.rates.field import Field", "verify.recheck.new") == [
        "verify.recheck.new imports theory.rates.field"
    ]
    assert climbs("from verify.printed.tables import Table", "verify.checks.new") == []


def circles(graph: dict[str, set[str]]) -> list[str]:
    """The modules that come back to themselves."""
    reach = {name: set(graph[name]) for name in graph}
    changed = True
    while changed:
        changed = False
        for seen in reach.values():
            more = set().union(*(reach.get(name, set()) for name in seen)) - seen
            if more:
                seen |= more
                changed = True
    return sorted(name for name, seen in reach.items() if name in seen)


def test_no_module_imports_itself_in_a_circle():
    graph = {module_name(p): set(imports(ast.parse(p.read_text()))) - {module_name(p)} for p in sources()}
    assert circles({name: found & set(graph) for name, found in graph.items()}) == []


def test_a_circle_is_noticed():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]
