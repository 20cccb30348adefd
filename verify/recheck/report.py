"""Reads a report again: its seal, every certificate in it, and whether each proves what its card shows.

Nothing is searched, and nothing of the run that made the report is needed but the report itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from verify.recheck.certificates import ask, readers, reread
from verify.recheck.rejected import Rejected
from verify.recheck.sealed import is_sealed
from verify.recheck.texts import names, parse

Record = Mapping[str, Any]
Card = Sequence[tuple[str, str]]
REPORT = "report"
"""Where a failure is of the report and not of a claim."""


@dataclass
class Rereading:
    """What reading a report again came to.

    ``held`` counts claims by the kind of the certificate that proves them, ``parts`` the certificates of other claims,
    each of which proves a part of its argument. ``failures`` are (claim, reason). ``partly`` are (claim, reason) where
    some of the relations are beyond the reader, ``without`` counts the PROVED claims without a certificate by check and reason,
    ``not_compared`` the certificates by kind whose claim cannot be compared with the card. ``elsewhere`` counts, by name, the
    statements that proofs are given and that this report neither proves nor assumes; ``uses`` holds the others, by
    claim, and ``definitions`` what theorems define, each symbol once. ``argued`` are the claims whose steps have a certificate and whose argument is prose, ``others`` those not PROVED either.
    """

    held: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    partly: list[tuple[str, str]] = field(default_factory=list)
    without: Counter[tuple[str, str]] = field(default_factory=Counter)
    not_compared: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)
    others: int = 0
    argued: int = 0

    uses: dict[str, set[str]] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)

    def fail(self, claim: str, reason: str) -> None:
        self.failures.append((claim, reason))

    @property
    def holds(self) -> bool:
        return not self.failures


def reread_report(record: Record) -> Rereading:
    """Read a report again, as `read_file` gives it."""
    found = Rereading()
    if not is_sealed(record):
        found.fail(REPORT, "its digest is not that of its content: it was changed after it was written")
    with _failures_of(REPORT, found):
        context = _Context(record)
        with _failures_of(REPORT, found):
            _check_counts(record)
        for entry in record["claims"]:
            with _failures_of(str(entry["id"]), found):
                _read_claim(entry, context, found)
        with _failures_of(REPORT, found):
            _check_circles(found)
    return found


@contextmanager
def _failures_of(claim: str, found: Rereading) -> Iterator[None]:
    """What goes wrong inside the block is a failure of this claim, and the reading goes on."""
    try:
        yield
    except Rejected as problem:
        found.fail(claim, str(problem))
    except (TypeError, LookupError, AttributeError) as fault:
        found.fail(claim, f"it is not of the form of a report: {type(fault).__name__}: {fault}")


class _Context:
    """What claims are compared with: the other claims of the report, and what it assumes."""

    def __init__(self, record: Record) -> None:
        self.claims = {entry["id"]: entry for entry in record["claims"]}
        self.assumptions = {assumed["name"]: assumed for assumed in record["assumptions"]}


def _check_counts(record: Record) -> None:
    ids = [entry["id"] for entry in record["claims"]]
    if len(set(ids)) < len(ids):
        raise Rejected("two claims have one id")
    counted = Counter(entry["verdict"] for entry in record["claims"] if not entry["control"])
    said = {verdict: count for verdict, count in record["summary"]["verdicts"].items() if count}
    if said != dict(counted):
        raise Rejected(f"its summary counts {said}, its claims are {dict(counted)}")


def _check_circles(found: Rereading) -> None:
    defined = {
        symbol: names(parse(formula)) & {*found.definitions} for symbol, formula in found.definitions.items()
    }
    for graph, what in ((found.uses, "proofs are given"), (defined, "symbols are defined by")):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as problem:
            raise Rejected(f"{what} each other in a circle: {' -> '.join(problem.args[1])}") from None


def reread_details(check: str, details: Record, card: Card) -> None:
    """Raise `Rejected` unless PROVED evidence of a check holds a certificate, if it has to, that proves what its card says.

    ``card`` are the claimed relations as texts, each with where it is claimed.
    """
    own = details.get("certificate")
    if own is None and check in _certified():
        raise Rejected(f"it is PROVED by {check} and has no certificate")
    for certificate in (*([] if own is None else [own]), *_certificates(details, own)):
        reread(certificate)
    if own is not None and (shown := ask(own, "shown")) is not None:
        _expect_same(shown, card)


def _read_claim(entry: Record, context: _Context, found: Rereading) -> None:
    evidence = entry["evidence"]
    if not evidence:
        if entry["verdict"] != "NOT_TESTABLE":
            raise Rejected(f"it is {entry['verdict']} without any evidence")
        found.others += 1
        return
    if not entry["fault"]:
        for name in ("verdict", "grade", "finding"):
            if entry[name] != evidence[name]:
                raise Rejected(
                    f"its {name} is {entry[name]!r} on the card and {evidence[name]!r} in the evidence"
                )
    certificate = evidence["details"].get("certificate")
    for part in _certificates(evidence["details"], certificate):
        reread(part)
        found.parts[part["kind"]] += 1
    proved = entry["verdict"] == "PROVED"
    if certificate is None:
        if proved and entry["check"] in _certified():
            raise Rejected(f"it is PROVED by {entry['check']} and has no certificate")
        if proved:
            _check_conclusion(entry)
            found.without[entry["check"], "the check keeps no certificate of its claim"] += 1
        else:
            found.others += 1
        return
    reread(certificate)
    _compare(certificate, entry, found)
    _check_conclusion(entry)
    for lemma in ask(certificate, "lemmas") or ():
        _check_lemma(lemma, entry, context, found)
    for symbol, formula in ask(certificate, "definitions") or ():
        if found.definitions.setdefault(symbol, formula) != formula:
            raise Rejected(f"it defines {symbol} as {formula}, another claim as {found.definitions[symbol]}")
    beyond = ask(certificate, "unread") or []
    if entry["verdict"] == "ARGUED":
        found.argued += 1
        if beyond:
            found.partly.append((entry["id"], "; ".join(beyond)))
    elif not proved:
        found.others += 1
    elif not beyond:
        found.held[certificate["kind"]] += 1
    elif len(beyond) < len(ask(certificate, "shown")):
        found.partly.append((entry["id"], "; ".join(beyond)))
    else:
        found.without[entry["check"], "; ".join(beyond)] += 1


def _check_conclusion(entry: Record) -> None:
    """Raise `Rejected` for a PROVED statement whose conclusion is none of the relations of its card."""
    conclusion = entry["conclusion"]
    if entry["verdict"] != "PROVED" or conclusion is None:
        return
    shown = [(formula["text"], formula["where"]) for formula in entry["formulas"]]
    if (conclusion["text"], conclusion["where"]) not in shown:
        raise Rejected(
            f"it is PROVED and concludes {conclusion['text']}, which its card does not show as checked"
        )


def _certified() -> set[str]:
    """The checks whose PROVED comes with a certificate."""
    return {check for reader in readers().values() for check in getattr(reader, "CHECKS", ())}


def _certificates(value: Any, own: Any) -> Iterator[Any]:
    """Every certificate in the details of a claim but its own and what is inside of one."""
    if isinstance(value, list):
        for item in value:
            yield from _certificates(item, own)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name == "certificates":
                yield from item
            elif name == "certificate" and item is not own:
                yield item
            elif name != "certificate":
                yield from _certificates(item, own)


def _compare(certificate: Any, entry: Record, found: Rereading) -> None:
    """Raise `Rejected` unless the certificate proves each relation of the card where the card claims it, and no other."""
    shown = ask(certificate, "shown")
    if shown is None or (
        not shown and entry["verdict"] != "PROVED"
    ):  # a refutation may use a proof of something else
        found.not_compared[certificate["kind"]] += 1
        return
    _expect_same(shown, [(formula["text"], formula["where"]) for formula in entry["formulas"]])


def _expect_same(shown: Card, card: Card) -> None:
    if len(shown) != len(card):
        raise Rejected(f"its certificate is for {len(shown)} relations, its card shows {len(card)}")
    if len({where for _, where in card}) > 1:
        raise Rejected("its card shows relations on different domains, and a claim is about one")
    for (text, where), (card_text, card_where) in zip(shown, card, strict=True):
        if text != card_text:
            raise Rejected(f"its certificate is for {text}, its card shows {card_text}")
        if where not in (None, card_where):
            raise Rejected(f"its certificate is for {where}, its card shows {card_where or 'no domain'}")


def _check_lemma(lemma: tuple[str, str, str], entry: Record, context: _Context, found: Rereading) -> None:
    """Raise `Rejected` where a proof is given what the report does not prove or assume in just this way."""
    name, text, where = lemma
    claim_id = f"theory/{name.replace('_', '-')}"
    claim = context.claims.get(claim_id)
    assumed = context.assumptions.get(name)
    if claim is not None:
        found.uses.setdefault(entry["id"], set()).add(claim_id)
        says = [(said["text"], said["where"]) for said in (*claim["formulas"], claim["conclusion"]) if said]
        if claim["verdict"] != "PROVED" and name not in (*entry["open"], *entry["argued"]):
            raise Rejected(f"it is given {name}, which is not proved, and its card does not say so")
    elif assumed is not None:
        says = [(assumed["formula"], assumed["where"])]
        if name not in entry["given"]:
            raise Rejected(f"it is given the assumption {name}, and its card does not say so")
    else:
        found.elsewhere[name] += 1
        return
    if (text, where) not in says:
        raise Rejected(f"it is given {name} as {text} for {where}, which the report does not say")
