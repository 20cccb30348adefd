"""Every kind of certificate is accepted as found, also from a report's JSON, and none with a single change in it."""

from __future__ import annotations

import copy
import json
import random

import pytest
import sympy as sp
from kinds import FREE, KINDS, PLANE, certificate_of, k, x, y

from theory.relation import Relation
from verify.checks.base import Budget
from verify.checks.integer_range import IntegerRange
from verify.checks.shape import Shape
from verify.recheck.certificates import ask, readers, reread
from verify.recheck.rejected import Rejected
from verify.verdicts import Verdict, combine

MUTATIONS = 200


STATED = (
    "kind",
    "relation",
    "domain",
    "integers",
    "box",
    "ranges",
    "relations",
    "symbols",
    "unread",
    "statement",
)
"""What says which claim a certificate is for, and which it rests on; altering it is for the cards to notice."""


@pytest.fixture(scope="module")
def proofs():
    return {kind: [(check, certificate_of(check)) for check in checks] for kind, checks in KINDS.items()}


def test_every_reader_is_tried_here():
    assert set(KINDS) <= set(readers())
    assert set(readers()) - set(KINDS) <= {
        "rate",
        "posynomial",
        "optimum",
    }  # these have tests beside their searches


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_is_accepted_as_a_report_keeps_it_and_is_for_what_the_card_shows(proofs, kind):
    for check, certificate in proofs[kind]:
        assert certificate["kind"] == kind
        reread(certificate)
        shown = [(card["text"], card["where"]) for card in check.shown()]
        for (text, where), card in zip(ask(certificate, "shown"), shown, strict=True):
            assert (text, card[1] if where is None else where) == card


def slots(value, path=()):
    """Every place inside a certificate: its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from slots(inner, (*path, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def changed(certificate, rng):
    """The certificate with one entry of its proof altered: a value, a text, a leaf, a branch, or left out."""
    made = copy.deepcopy(certificate)
    path = rng.choice([path for path in slots(made) if not set(path) & set(STATED)])
    holder, key = at(made, path[:-1]), path[-1]
    value = holder[key]
    if isinstance(value, bool) or value is None:
        holder[key] = "x"
    elif isinstance(value, int):
        holder[key] = value + rng.choice([-2, -1, 1, 2, 5])
    elif value == ".":
        holder[key] = rng.choice(["", ",", None, [99, ".", "."], [".", "."]])
    elif isinstance(value, str):
        holder[key] = rng.choice([f"{value} + 1", f"-({value}) - 1", "", f"7*({value}) + 3", "nonsense("])
    elif isinstance(value, list) and len(value) > 1 and rng.random() < 0.4:
        holder[key] = value[:-1]
    elif isinstance(value, list) and len(value) == 3 and "tree" in made and value[0] in (0, 1):
        holder[key] = rng.choice(["", None, [2, *value[1:]], [True, *value[1:]], value[1:]])
    elif isinstance(value, dict) and value:
        del value[rng.choice(sorted(value))]
    else:
        holder[key] = rng.choice([None, {}, [None], "?"])
    return made


def accepted(certificate):
    try:
        reread(certificate)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("identity", "derivation")])
def test_no_certificate_with_a_single_change_in_its_proof_is_accepted(proofs, kind):
    for seed in range(MUTATIONS):
        rng = random.Random(f"{kind} {seed}")
        _, certificate = rng.choice(proofs[kind])
        bad = changed(certificate, rng)
        assert json.dumps(bad) != json.dumps(certificate), seed
        assert not accepted(bad), (seed, bad)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("identity", "derivation")])
def test_a_proof_proves_nothing_else(proofs, kind):
    for _, certificate in proofs[kind]:
        proof = {name: value for name, value in certificate.items() if name not in STATED}
        for _, other in proofs[kind]:
            if other is not certificate:
                assert not accepted({**other, **proof})


FALSE = {
    "gap rule": ("relation", ["x/(x + 1)", "<=", "log(x + 1)/2"]),
    "box": ("relation", ["sqrt(x)*y", "<=", "x**2 - x*y + y**2"]),
    "means": ("relation", ["201*x*y/100", "<=", "x**2 + y**2"]),
    "squares": ("relation", ["(x - 2*y)**2*(x - y)**2*(x + y)", ">=", "1/10"]),
    "integer range": ("relation", ["log(binomial(M, k))", "<=", "k*log(M/k)"]),
    "identity": ("relations", [["(x + y)**2", "x**2 + y**2"]]),
}


@pytest.mark.parametrize("kind", FALSE)
def test_the_honest_certificate_of_a_true_claim_is_none_of_a_false_neighbour(proofs, kind):
    entry, false = FALSE[kind]
    assert not accepted({**proofs[kind][0][1], entry: false})


def test_a_step_that_is_false_makes_a_derivation_false(proofs):
    [(_, certificate)] = proofs["derivation"]
    for i, step in enumerate(certificate["steps"]):
        entry, false = FALSE[step["kind"]]
        bad = copy.deepcopy(certificate)
        bad["steps"][i][entry] = false
        with pytest.raises(Rejected, match=f"step {i + 1}"):
            reread(bad)
    for steps in ([], None, [certificate], [{"kind": "box"}], ["x"]):
        assert not accepted({**certificate, "steps": steps})


@pytest.mark.parametrize("record", [None, [], "x", {}, {"kind": "magic"}, {"kind": ["box"]}, {"kind": "box"}])
def test_what_is_no_certificate_is_rejected_whatever_it_is(record):
    assert not accepted(record)


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_of_the_wrong_kind_is_rejected_and_never_an_accident(proofs, kind):
    _, certificate = proofs[kind][0]
    for name in certificate:
        for value in (None, 0, "", "x", [], {}, [[]], [{}], {"x": 1}, ["x"] * 3, [1, 2, 3], "9**9**9**9"):
            if value != certificate[name]:
                bad = {**certificate, name: value}
                assert not accepted(bad), bad
        assert not accepted({n: v for n, v in certificate.items() if n != name})
    assert not accepted({**certificate, "more": 1})


SHAPES = [
    Shape(x**2 + x, x, "convex", FREE),
    Shape(sp.Min(x, y) + 1, x, "increasing", PLANE),
    Shape(x ** sp.Rational(1, 2), x, "concave", (Relation(x, ">", 0),)),
]


@pytest.mark.parametrize("check", SHAPES, ids=str)
def test_certificates_inside_shapes_are_read_again(check):
    found = combine(check.evidence(Budget()))
    assert found.verdict is Verdict.PROVED
    details = json.loads(json.dumps(found.details))
    check.recheck(details)
    holder = details["parts"][0] if "parts" in details else details
    holder["certificates"][0]["proof"] = {"gap": "x"}
    with pytest.raises(Rejected):
        check.recheck(details)


def test_a_certificate_of_one_shape_is_none_of_a_false_one():
    check = Shape(x**3, x, "convex", FREE)
    details = combine(check.evidence(Budget())).details
    check.recheck(details)
    for other in (
        Shape(x**3, x, "concave", FREE),
        Shape(x**3 - x**2, x, "convex", FREE),
        Shape(x**3 + x, x, "decreasing", FREE),
    ):
        with pytest.raises(Rejected):
            other.recheck(details)


def test_large_ranges_are_evaluated_again_in_part_and_the_evidence_says_so():
    found = combine(IntegerRange(Relation(k, "<=", 3 * k - 1), ((k, 1, 45_000),)).evidence(Budget()))
    assert found.verdict is Verdict.PROVED
    again = int(found.details["rechecked_by"].split()[2])
    assert 15_000 <= again < 45_000
