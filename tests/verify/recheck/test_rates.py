"""The reader of rates takes certificates as found and none that was altered, in a process that knows no search."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys

import pytest
import sympy as sp
from sympy import E, Eq, Max, Min, log

from theory import C, D, M, N, beta, consistency, d, k, minimax_consistency, minimise, n
from theory.rates.export import exported, text_of
from verify.recheck import rates
from verify.recheck.rejected import Rejected
from verify.recheck.signs import OPEN, Open

h, s, mu = sp.symbols("h s mu", positive=True)
b, patterns = beta / d, k * log(E * M / k)


def concluded(found, relation, rate, **more):
    return exported(found.certificate, {"relation": relation, "rate": text_of(rate), **more})


SPLIT = minimise(N ** (beta - d) + 1 / N, over=N, given=n)
CERTIFICATES = {
    "one piece": concluded(
        minimise(N ** (-2 * b) + N / n, over=N, given=n), "==", n ** (-2 * beta / (2 * beta + d))
    ),
    "an equality": minimise(N ** (-2 * b) + N / D, over=(N, D), given=C, subject_to=[Eq(N * D, C)]).exported,
    "two pieces": SPLIT.exported,
    "three pieces": minimise(
        N ** (-beta / s) + N**-2 + N ** (d / (2 * s)) / n, over=N, given=n, subject_to=[s > d / 2]
    ).exported,
    "the log of given sizes": minimise(log(E * M / k), over=(), given={n: 1, M: mu, k: s}).exported,
    "a consistent pair": consistency(Max(k**-b, M**-b), k + patterns, over=(k, M)).exported,
    "a broken pair": consistency(Min(k**-b, M**-b), k + patterns, over=(k, M)).exported,
    "a broken risk": minimax_consistency(M ** (-2 * b) + log(E * M) / n, over=M, given=n).exported,
    "a size in an exponent": minimise(2**-h + 4 ** (h / 3) * h / n, over=h, given=n).exported,
}
CERTIFICATES = {name: json.loads(json.dumps(found)) for name, found in CERTIFICATES.items()}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_is_accepted_as_found(name):
    rates.reread(CERTIFICATES[name])


def test_certificates_are_read_where_no_other_package_can_be_imported():
    code = """
import importlib.abc, json, sys
class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("theory", "theory.lazy"):  # how a package loads its names: the standard library alone
            return None
        if name.split(".")[0] in ("sympy", "z3", "numpy", "scipy", "mpmath", "theory", "empirics", "paper_checks"):
            raise ImportError(f"{name} is beyond the wall")
sys.meta_path.insert(0, Wall())
from verify.recheck import rates
for certificate in json.load(sys.stdin):
    rates.reread(certificate)
"""
    given = json.dumps(list(CERTIFICATES.values()))
    subprocess.run([sys.executable, "-c", code], input=given, text=True, check=True)


# What is altered, and how: places in the JSON and a change that makes the certificate wrong


def places(entry, path=()):
    """Every path to a text or a number."""
    items = entry.items() if isinstance(entry, dict) else enumerate(entry) if isinstance(entry, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))
    if isinstance(entry, str | int):
        yield path


def with_entry(certificate, path, change):
    altered = copy.deepcopy(certificate)
    *above, last = path
    inner = altered
    for key in above:
        inner = inner[key]
    inner[last] = change(inner[last])
    return altered


def kind_of(certificate, path):
    """The change that makes an entry wrong for certain; None where another value may be as right."""
    if "corners" in path or path[0] == "check":
        return None
    if path[0] == "cells" and path[2] in ("value", "point", "least"):
        is_number = path[2] != "least" or path[-1] == 1
        ray_only = certificate["cells"][path[1]]["outcome"] == "UNBOUNDED"
        return (lambda old: f"({old}) + 1/97") if is_number and not ray_only else None
    if path[0] == "cells" and path[2] == "bounds" and path[-1] == 1 and is_on_the_rate(certificate, path):
        return lambda old: f"({old}) - 1/97"
    if path[0] == "cells" and path[2] == "ray":
        return lambda old: f"-({old}) - 1"
    if path[0] == "cells" and path[2] == "outcome":
        return lambda old: {"ATTAINED": "UNBOUNDED"}.get(old, "ATTAINED")
    if path[0] == "cells" and path[2] == "region" and path[-2] == 0:
        return lambda old: f"-({old}) - 1"
    if path[0] == "monomials":
        return lambda old: f"({old}) + 1/97"
    if path[:2] == ("statement", "objective") and any(
        c["outcome"] == "ATTAINED" for c in certificate["cells"]
    ):
        return lambda old: f"({old})*{certificate['statement']['given'][0][0]}"
    if path[0] == "conclusion" and path[1] == "relation":
        return lambda old: {"==": "!=", "!=": "==", ">=": "<", "<": ">="}[old]
    return None


def is_on_the_rate(certificate, path):
    """Weights that add up to 1; a proof that no point is admissible may be scaled."""
    return bool(certificate["cells"][path[1]]["bounds"][path[3]]["weights"])


WRONG = [
    (name, path)
    for name, certificate in CERTIFICATES.items()
    for path in places(certificate)
    if kind_of(certificate, path) is not None
]


def test_no_altered_certificate_is_accepted():
    assert len(WRONG) > 150
    for name, path in WRONG:
        altered = with_entry(CERTIFICATES[name], path, kind_of(CERTIFICATES[name], path))
        with pytest.raises(Rejected):
            rates.reread(altered)


def test_what_a_random_change_leaves_acceptable_claims_no_more_than_before():
    """Of 300 changes anywhere the few that are accepted are another true statement: a constant, a weaker claim."""
    accepted = []
    for seed in range(300):
        rng = random.Random(f"change {seed}")
        name = rng.choice(list(CERTIFICATES))
        path = rng.choice(list(places(CERTIFICATES[name])))

        def change(old, rng=rng):
            if isinstance(old, int):
                return not old if isinstance(old, bool) else old + rng.choice([-1, 1])
            return f"({old}){rng.choice([' + 1/97', '*(-1)', '*n'])}"

        altered = with_entry(CERTIFICATES[name], path, change)
        try:
            rates.reread(altered)
        except (Rejected, LookupError, TypeError, ValueError):
            continue
        accepted.append((name, path))
    assert len(accepted) <= 30
    harmless = {"complete", "covering", "check", "statement", "conclusion", "corners", "cells"}
    assert {path[0] for _, path in accepted} <= harmless
    inside = [path for _, path in accepted if path[0] == "cells"]
    assert all(path[2] in ("region", "signs", "ray", "bounds") for path in inside), inside


@pytest.mark.parametrize(
    ("entry", "value", "words"),
    [
        ("objective", "sin(N)", "second time"),
        ("objective", "N**x", "neither a size nor a parameter"),
        ("objective", "__import__('os')", "second time"),
        ("objective", "N**(2**1000)", "too large"),
        ("sizes", ["N", "N"], "two places"),
        ("small", ["M"], "small and no size"),
        ("given", [["n", "2"]], "scale"),
        ("bases", {"N": "1/2"}, "cannot be read through a power"),
        ("at", {"N": "2"}, "in use"),
    ],
)
def test_a_statement_that_states_nothing_is_rejected(entry, value, words):
    altered = with_entry(CERTIFICATES["one piece"], ("statement", entry), lambda _: value)
    with pytest.raises(Rejected, match=words):
        rates.reread(altered)


def test_a_covering_with_a_hole_is_rejected():
    altered = with_entry(CERTIFICATES["two pieces"], ("cells",), lambda cells: cells[:1])
    with pytest.raises(Rejected, match="not shown to cover"):
        rates.reread(altered)
    rates.reread({**altered, "complete": False})


def test_what_is_open_is_said_to_be():
    with pytest.raises(Open, match="a step is open, whether the regions cover"):
        rates.reread({**CERTIFICATES["two pieces"], "covering": OPEN})


def test_a_conclusion_about_all_parameters_needs_all_of_them():
    with pytest.raises(Rejected, match="only from cells that cover all parameters"):
        rates.reread({**CERTIFICATES["one piece"], "complete": False})


def test_a_conclusion_that_does_not_follow_is_rejected():
    for relation, rate in (("==", "n**(-1)"), (">=", "n**(-1/2)"), ("==", "n**(-x)"), ("==", "N")):
        conclusion = {"relation": relation, "rate": rate}
        with pytest.raises(Rejected):
            rates.reread({**CERTIFICATES["one piece"], "conclusion": conclusion})
    broken = CERTIFICATES["a broken pair"]
    for change in ({"at": ["-1", "1"]}, {"at": ["1"]}, {"rate": "1"}):
        with pytest.raises(Rejected):
            rates.reread({**broken, "conclusion": {**broken["conclusion"], **change}})


def test_the_certificate_of_another_statement_is_rejected():
    names = ["one piece", "an equality", "two pieces", "a consistent pair", "a broken pair"]
    for one in names:
        for other in names:
            if one != other:
                swapped = {**CERTIFICATES[one], "statement": CERTIFICATES[other]["statement"]}
                with pytest.raises(Rejected):
                    rates.reread(swapped)


def test_corners_are_read_too():
    log_error = consistency(1 / log(E * M), log(E * M), over=M, dimension=1, smoothness=1).exported
    assert log_error["corners"]
    rates.reread(log_error)
    altered = with_entry(log_error, ("corners", 0, "conclusion", "rate"), lambda rate: f"({rate})**2")
    with pytest.raises(Rejected):
        rates.reread(altered)
