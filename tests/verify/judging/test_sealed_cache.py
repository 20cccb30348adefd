"""What the cache holds is believed only as it was written, and a proof only where its certificate still proves the claim."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import sympy as sp

from theory.relation import Relation, eq
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget
from verify.checks.consistent import Consistent
from verify.checks.gap_rule import GapRule
from verify.checks.identity import Identity
from verify.checks.polynomial import PolynomialInequality
from verify.judging.cache import Cache
from verify.judging.fingerprint import check_key
from verify.judging.judge import evidence_record
from verify.judging.runner import evaluate, kept_evidence
from verify.printed.tables import quoted
from verify.recheck.sealed import seal

x, y = sp.symbols("x y", positive=True)
BUDGET = Budget()
FALSE = Relation(x + 1, "<=", x)
PROVED = GapRule(Relation(x, "<=", x + 1), (Relation(x, ">=", 0),))
SUPPORTED = Consistent({x: quoted("0.50", "Table 1"), y: quoted("0.25", "Table 1")}, [eq(x, 2 * y)])


def stored(cache, check):
    """The one file in which the evidence of a check is kept."""
    kept_evidence(check, BUDGET, cache)
    return cache._path(check_key(check, BUDGET))


def alter(path, *steps, to, reseal):
    entry = json.loads(path.read_text())
    place = entry
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = to
    path.write_text(json.dumps({**entry, "digest": seal(entry)} if reseal else entry))


@pytest.mark.parametrize("check", [PROVED, SUPPORTED], ids=["proved", "supported"])
@pytest.mark.parametrize(
    ("entry", "value"),
    [("verdict", "REFUTED"), ("verdict", "INCONCLUSIVE"), ("finding", "it holds"), ("missing", "x"), ("grade", "exact "),
     ("witness", {"x": "1"}), ("confirmed_by", "nobody"), ("details", {})],
)  # fmt: skip
def test_what_was_altered_counts_as_absent(tmp_path, check, entry, value):
    cache, fresh = Cache(tmp_path), evidence_record(evaluate(check, BUDGET))
    alter(stored(cache, check), "record", entry, to=value, reseal=False)
    assert evidence_record(kept_evidence(check, BUDGET, cache)) == fresh
    assert cache.get(check_key(check, BUDGET)) == fresh  # and is written again


@pytest.mark.parametrize(
    "record",
    [
        {}, {"verdict": "PROVED"}, {"verdict": "proved"}, {"verdict": None}, {"verdict": ["PROVED"]}, {"grade": "best"},
        {"grade": 5}, {"finding": None}, {"finding": ["x"]}, {"details": []}, {"details": None}, {"details": "x"},
        {"witness": []}, {"witness": "x"}, {"confirmed_by": 3}, {"missing": {}}, {"missing": "x"}, {"more": 1},
        {"verdict": "REFUTED"}, {"verdict": "REFUTED", "witness": {}}, {"grade": "sampled"}, {"details": {"certificate": {}}},
        {"details": {"certificate": None}}, {"details": {"certificate": {"kind": "gap rule"}}}, {"details": {"certificates": 3}},
    ],
    ids=str,
)  # fmt: skip
def test_a_malformed_record_counts_as_absent_even_where_it_is_sealed(tmp_path, record):
    cache, fresh = Cache(tmp_path), evidence_record(evaluate(PROVED, BUDGET))
    whole = (
        {}
        if not record
        else {"verdict": "PROVED"}
        if record == {"verdict": "PROVED"}
        else {**fresh, **record}
    )
    alter(stored(cache, PROVED), "record", to=whole, reseal=True)
    assert evidence_record(kept_evidence(PROVED, BUDGET, cache)) == fresh


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "null", "\0", "\ud800", "[" * 200_000, '{"key":' * 100_000, '{"record": NaN}'],
)
def test_a_file_that_is_no_entry_counts_as_absent(tmp_path, text):
    cache, fresh = Cache(tmp_path), evidence_record(evaluate(PROVED, BUDGET))
    stored(cache, PROVED).write_text(text, errors="surrogatepass")
    assert evidence_record(kept_evidence(PROVED, BUDGET, cache)) == fresh


@pytest.mark.parametrize(
    "lie",
    [
        GapRule(FALSE, (Relation(x, ">=", 0),)),
        PolynomialInequality(FALSE, (Relation(x, ">=", 0),)),
        BallInequality(FALSE, ((x, Fraction(0), Fraction(1)),)),
        Identity((eq(x, x + 1),)),
    ],
    ids=lambda check: type(check).__name__,
)  # fmt: skip
@pytest.mark.parametrize(
    "bare", [False, True], ids=["with the proof of another claim", "without a certificate"]
)
def test_a_lie_is_not_believed_even_where_it_is_sealed(tmp_path, lie, bare):
    """PROVED needs a certificate of this very claim, and it is read again when the evidence is."""
    truth = {GapRule: PROVED, Identity: Identity((eq(x, x),))}.get(type(lie), PROVED)
    record = evidence_record(evaluate(truth, BUDGET))
    if bare:
        record["details"] = {}
    cache = Cache(tmp_path)
    cache.put(check_key(lie, BUDGET), record)
    assert not kept_evidence(lie, BUDGET, cache).verdict.holds
