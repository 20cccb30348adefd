"""The reader of posynomials takes certificates as found, and none that was altered in its JSON."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

import pytest
import sympy as sp

from theory import A, B, C, D, N, a, minimise_posynomial, n
from theory.posynomials.export import exported
from theory.rates.export import text_of
from verify.recheck import posynomials
from verify.recheck.products import ball
from verify.recheck.rejected import Rejected

x, y = sp.symbols("x y", positive=True)
SIZE = (a * A * n / B) ** (1 / (1 + a))
CLOSED = minimise_posynomial(A * N**-a + B * N / n, over=N)
CERTIFICATES = {
    "closed form": exported(
        CLOSED.certificate, {"value": text_of((1 + a) * A * SIZE**-a), "sizes": [["N", text_of(SIZE)]]}
    ),
    "equality": minimise_posynomial(
        A * N**-a + B * N / D, over=(N, D), subject_to=[sp.Eq(6 * N * D, C)]
    ).exported,
    "a sign that is assumed": minimise_posynomial((A - B) * N + 1 / N, over=N, subject_to=[B < A]).exported,
    "two ends": minimise_posynomial(x + y, over=(x, y), subject_to=[1 / x + 1 / y <= 1], at={}).exported,
    "numbers": minimise_posynomial(A * N**-a + N + N**2, over=N, at={A: sp.sqrt(2), a: 3}).exported,
    "approached": minimise_posynomial(1 / x + y + 1 / y, over=(x, y), at={}).exported,
    "unbounded": minimise_posynomial(1 / x + 1 / y, over=(x, y), subject_to=[x / y <= 3], at={}).exported,
    "infeasible": minimise_posynomial(
        1 / x + 1 / y, over=(x, y), subject_to=[x + y <= 1, x * y >= 7], at={}
    ).exported,
}
CERTIFICATES = {name: json.loads(json.dumps(found)) for name, found in CERTIFICATES.items()}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_is_accepted_as_found(name):
    posynomials.reread(CERTIFICATES[name])


def test_certificates_are_read_where_sympy_cannot_be_imported():
    code = """
import json, sys
sys.modules["sympy"] = sys.modules["z3"] = sys.modules["mpmath"] = None
from verify.recheck import posynomials
for certificate in json.load(sys.stdin):
    posynomials.reread(certificate)
"""
    given = json.dumps(list(CERTIFICATES.values()))
    subprocess.run([sys.executable, "-c", code], input=given, text=True, check=True)


def numbers(entry, path=()):
    """Every path to a text of the proof."""
    items = entry.items() if isinstance(entry, dict) else enumerate(entry) if isinstance(entry, list) else ()
    for key, value in items:
        yield from numbers(value, (*path, key))
    if isinstance(entry, str):
        yield path


def altered(certificate, path, change):
    found = copy.deepcopy(certificate)
    *above, last = path
    inner = found
    for key in above:
        inner = inner[key]
    inner[last] = change(inner[last])
    return found


@pytest.mark.parametrize("name", CERTIFICATES)
@pytest.mark.parametrize("change", ["({})*99/100", "({})*101/100", "-({})"])
def test_no_altered_number_is_accepted(name, change):
    certificate = CERTIFICATES[name]
    parts = ("value", "point", "lower", "upper", "bound", "monomials", "conclusion")
    for path in numbers(certificate):
        if path[0] not in parts or (
            name in ("unbounded", "approached") and path[0] in ("point", "monomials")
        ):
            continue  # along a ray many a point will do
        with pytest.raises((Rejected, ValueError)):
            posynomials.reread(altered(certificate, path, change.format))


def test_another_constant_in_the_objective_is_noticed():
    for name in ("closed form", "equality", "two ends", "numbers"):
        objective = CERTIFICATES[name]["statement"]["objective"]
        changed = altered(
            CERTIFICATES[name], ("statement", "objective"), lambda _, old=objective: f"2*({old})"
        )
        with pytest.raises(Rejected):
            posynomials.reread(changed)
    with pytest.raises(Rejected):
        posynomials.reread(altered(CERTIFICATES["numbers"], ("statement", "at", "a"), lambda _: "2"))


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        ("sin(N)", "second time"),
        ("N*log(N)", "second time"),
        ("1/(N + 1)", "second time"),
        ("N - 1", "not known to be positive"),
    ],
)
def test_what_is_no_posynomial_is_rejected(objective, words):
    changed = altered(CERTIFICATES["closed form"], ("statement", "objective"), lambda _: objective)
    with pytest.raises(Rejected, match=words):
        posynomials.reread(changed)


def test_ends_that_the_bracket_does_not_show_are_rejected():
    ends = CERTIFICATES["two ends"]
    posynomials.reread({**ends, "conclusion": {"between": ["399/100", "401/100"]}})
    for between in (["401/100", "5"], ["3", "399/100"], ["4", "4"]):
        with pytest.raises(Rejected):
            posynomials.reread({**ends, "conclusion": {"between": between}})


def test_what_is_no_number_has_no_ball():
    with pytest.raises(Rejected, match="cannot be evaluated"):
        ball(posynomials.read("x"))
