"""One base class for what a user gave wrongly: all that is raised for bad input is caught by `MoelawsError`."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

import empirics
import theory
import verify
from theory.errors import MoelawsError, suggest

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = ("AssertionError", "AttributeError", "ImportError", "StopIteration", "TimeoutError")
"""What Python itself expects of an import, of a look-up of attributes, and of a clock; no words about bad input."""
BUILTIN = [
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception) and name not in ALLOWED
]


def sources():
    """The house's files and their trees; `verify.recheck` imports nothing of the house, so it raises errors of its own."""
    for package in ("theory", "empirics", "verify"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.relative_to(ROOT).parts[:2] != ("verify", "recheck"):
                yield path.relative_to(ROOT), ast.parse(path.read_text())


def raised(tree: ast.AST) -> list[str]:
    """The builtin exceptions that a file raises."""
    nodes = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    names = [node.func if isinstance(node, ast.Call) else node for node in nodes]
    return sorted(node.id for node in names if isinstance(node, ast.Name) and node.id in BUILTIN)


def caught(tree: ast.AST) -> set[str]:
    """The names in a file's ``except`` clauses, and those it asks for with ``isinstance``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        asked = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        )
        for part in [node.type] if isinstance(node, ast.ExceptHandler) else node.args[1:] if asked else ():
            inner = list(ast.walk(part)) if part else []
            found |= {n.id for n in inner if isinstance(n, ast.Name)}
            found |= {n.attr for n in inner if isinstance(n, ast.Attribute)}
    return found


def house_exceptions(trees: list[ast.AST]) -> dict[str, bool]:
    """The exceptions that these files define, and whether each is a `MoelawsError`; nothing is imported.

    Some modules need what the base installation lacks (triton), so the bases are followed by their names.
    """
    bases = {
        node.name: [base.id for base in node.bases if isinstance(base, ast.Name)]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    every_builtin = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }

    def ancestors(name: str) -> set[str]:
        return {name}.union(*(ancestors(base) for base in bases.get(name, ())))

    return {name: "MoelawsError" in ancestors(name) for name in bases if ancestors(name) & every_builtin}


def test_every_package_exports_the_base():
    assert theory.MoelawsError is empirics.MoelawsError is verify.MoelawsError is MoelawsError
    assert issubclass(MoelawsError, ValueError)


def test_bad_input_is_told_by_no_builtin_exception():
    assert {str(path): found for path, tree in sources() if (found := raised(tree))} == {}


def test_a_builtin_exception_is_noticed():
    assert raised(ast.parse("def f(x):\n    if x: raise ValueError('bad')\n    raise LookupError")) == [
        "LookupError",
        "ValueError",
    ]
    assert raised(ast.parse("raise RateError('bad')\nraise ImportError('torch')")) == []


def test_every_exception_of_the_house_is_bad_input_or_is_caught_by_its_name():
    """What is no `MoelawsError` goes from one part to another and is caught there: no user sees it."""
    trees = [tree for _, tree in sources()]
    kinds = house_exceptions(trees)
    signals = {name for name, bad_input in kinds.items() if not bad_input}
    assert {"GaveUp", "OutsideDomain"} <= signals
    assert signals - set().union(*(caught(tree) for tree in trees)) == set()
    assert {
        "InputError",
        "RateError",
        "RunError",
        "StoreDamaged",
        "SourceMissing",
        "Unevaluable",
    } <= kinds.keys() - signals


def test_an_exception_is_known_by_its_bases():
    tree = ast.parse(
        "class A(Exception): pass\nclass B(A): pass\nclass MoelawsError(ValueError): pass\n"
        "class C(Mixin, MoelawsError): pass\nclass D(Module): pass"
    )
    assert house_exceptions([tree]) == {"A": False, "B": False, "MoelawsError": True, "C": True}


def test_an_exception_that_nobody_catches_is_noticed():
    tree = ast.parse("try: f()\nexcept (A, b.C): pass\nexcept ValueError: pass\nisinstance(x, D)")
    assert caught(tree) == {"A", "b", "C", "ValueError", "D"}


@pytest.mark.parametrize(
    "bad",
    [
        lambda: theory.MoETransformer(layers=0, d_model=1, d_ff=1, experts=1, active=1),
        lambda: theory.minimise("N", over="N", given="n"),
        lambda: theory.derive("alpha_X"),
        lambda: empirics.named_generator(""),
        lambda: empirics.Design(sizes=(), seeds=(0,)),
        lambda: verify.quoted("O.34", "Table 1"),
        lambda: verify.PrintedTable(None, {}),
    ],
)
def test_bad_arguments_are_caught_by_the_base(bad):
    with pytest.raises(MoelawsError) as problem:
        bad()
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("sizs", ["size", "seed"], " Did you mean size?"),
        ("ALPHA_n", ["alpha_N", "beta"], " Did you mean alpha_N?"),
        ("n", ["N", "n"], " Did you mean N, n?"),
        ("table5", ["mayaki2026/table5/alpha-n", "x"], " Did you mean mayaki2026/table5/alpha-n?"),
        ("wholly different", ["size"], ""),
        ("", ["size"], ""),
        ("size", [], ""),
    ],
)
def test_near_names_are_suggested_in_any_case(word, known, said):
    assert suggest(word, known) == said
