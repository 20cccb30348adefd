"""Claims and the papers that make them.

A paper is a folder with ``paper.toml``, tables as CSV files and ``claims.py``.
In ``claims.py``, ``paper = Paper.open(__file__)`` reads the folder and
``paper.claim(...)`` registers a claim by defining it.
"""

from __future__ import annotations

__all__ = ["Claim", "Paper"]

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from theory.statement import Kind, Statement
from verify.checks.base import Check
from verify.errors import InputError
from verify.judging.severity import Origin, Severity, shown_severity
from verify.printed.tables import Table, read_table
from verify.verdicts import Verdict

Changes = Mapping[str, Any]
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-zA-Z0-9][a-zA-Z0-9._-]*)*")


@dataclass(frozen=True)
class Claim:
    """One checkable assertion, the check that judges it, and what is expected of it.

    ``expect`` is None where the claim should hold (PROVED or SUPPORTED, ARGUED where it ``proves`` an argued statement);
    any other expectation carries ``because``, a reason written independently of the
    checker. ``mutants`` are deliberately false variants that the same check
    must not pass; ``repairs`` are true variants that it must pass. Both name the
    fields of the check that change. A claim without a check says in
    ``not_testable`` what is missing. ``family`` is a fixed name that measured claims
    share when a reader may want their p values adjusted for each other. A ``control``
    tests the harness and says nothing about the paper; a report shows it apart.

    ``headline`` tells a reader in a line what is wrong, and needs ``expect=Verdict.REFUTED``: the place, what is printed,
    what follows. Claims of a paper with one headline are one finding. ``severity`` says how much it matters and ``origin`` whose
    claim it is; where they are not given, `whose` and `weighed` say what is taken.
    """

    id: str
    words: str
    where: str
    check: Check | None = None
    quote: str = ""
    reading: str = ""
    expect: Verdict | None = None
    because: str = ""
    mutants: Mapping[str, Changes] = field(default_factory=dict)
    repairs: Mapping[str, Changes] = field(default_factory=dict)
    not_testable: str = ""
    uses: tuple[str, ...] = ()
    proves: Statement | None = None
    source: str = ""
    family: str = ""
    control: bool = False
    headline: str = ""
    severity: Severity | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        for name in (
            "id",
            "words",
            "where",
            "quote",
            "reading",
            "because",
            "not_testable",
            "source",
            "headline",
        ):
            if not isinstance(getattr(self, name), str):
                raise self._bad(f"{name}={getattr(self, name)!r} is not a text; put it in quotes")
        for name in ("mutants", "repairs"):
            given = getattr(self, name)
            variants = given.items() if isinstance(given, Mapping) else [(0, 0)]
            if not all(isinstance(name, str) and isinstance(v, Mapping) for name, v in variants):
                raise self._bad(f"{name}={given!r}: expected {{'what is changed': {{'field': value}}}}")
        if isinstance(self.uses, str) or not all(isinstance(name, str) for name in self.uses):
            raise self._bad(f"uses={self.uses!r}: expected the ids of claims, such as uses=('table1',)")
        if not isinstance(self.control, bool):
            raise self._bad(f"control={self.control!r}: expected True or False")
        for name, kind in (("severity", Severity), ("origin", Origin)):
            given = getattr(self, name)
            if given is not None and not isinstance(given, kind):
                known = ", ".join(f"{kind.__name__}.{member}" for member in kind.__members__)
                raise self._bad(f"{name}={given!r}: expected one of {known} (from verify)")
        if self.headline and self.expect is not Verdict.REFUTED:
            raise self._bad(
                "its headline says what is wrong, so it needs expect=Verdict.REFUTED; its words say what is claimed"
            )
        if not _SLUG.fullmatch(self.id):
            raise self._bad(
                "its id may hold letters (lower-case ones before the first '/'), digits, '.', '_', '-' and '/' only"
            )
        if not self.words.strip():
            raise self._bad("its words are empty; say in a sentence what is claimed")
        if (self.check is None) == (not self.not_testable):
            raise self._bad("give either check=... or not_testable='what is missing'")
        if self.expect is not None and not isinstance(self.expect, Verdict):
            raise self._bad(f"expect={self.expect!r} is not a verdict; write Verdict.REFUTED (from verify)")
        if self.family and not (self.check and self.check.gives_p):
            raise self._bad(
                f"family={self.family!r} needs a check that gives a p value, e.g. MeasuredExponent"
            )
        if self.check is None:
            if self.expect is not None or self.mutants or self.repairs:
                raise self._bad("what is not_testable has no check, so no expect, mutants or repairs either")
            return
        if not isinstance(self.check, Check):
            raise self._bad(f"check={self.check!r} is not a check; expected e.g. PrintedTable(...)")
        if self.expect in (Verdict.PROVED, Verdict.SUPPORTED):
            raise self._bad("expect=None already means that it holds; expect is for anything else")
        if self.expect is Verdict.ARGUED:
            raise self._bad("only a statement of theory is ARGUED, by its kind; it cannot be expected")
        if self.expect is Verdict.ERROR:
            raise self._bad("ERROR is a fault of the check and cannot be expected")
        if self.expect is not None and not self.because.strip():
            raise self._bad(f"expect={self.expect.name} needs because='...', the reason in a sentence")
        if self.expect in (None, Verdict.INCONCLUSIVE) and not self.mutants:
            raise self._bad("list at least one mutant: {'what is false in it': {'field': changed}}")
        if self.expect is None and self.check.only_refutes:
            raise self._bad(
                f"{type(self.check).__name__} only refutes; write expect=Verdict.INCONCLUSIVE and because='...'"
            )
        repairable = self.expect is Verdict.INCONCLUSIVE and not self.check.only_refutes
        if (self.expect is Verdict.REFUTED or repairable) and not self.repairs:
            raise self._bad("list at least one repair, a true variant that the same check must pass")
        try:
            self.check.claimed()
        except ValueError as problem:
            raise self._bad(f"{type(self.check).__name__}: {problem}") from None
        for name, changes in [*self.mutants.items(), *self.repairs.items()]:
            variant = self.check.changed(changes)
            if variant == self.check:
                raise self._bad(f"the variant {name!r} changes nothing")

    def _bad(self, what: str) -> InputError:
        return InputError(f"claim {self.id!r}: {what}")

    @property
    def expected(self) -> Verdict | None:
        """The one verdict that is expected; None where the claim should hold, PROVED or SUPPORTED."""
        if self.check is None:
            return Verdict.NOT_TESTABLE
        argued = self.proves is not None and self.proves.kind is Kind.ARGUED
        return Verdict.ARGUED if argued else self.expect

    @property
    def whose(self) -> Origin:
        """Whose claim it is, as it says; else printed where a sentence is quoted and nothing is measured.

        A prediction that is measured here follows from the sentence quoted beside it and is not printed.
        """
        if self.origin is not None:
            return self.origin
        if self.control or self.id.startswith("theory/"):
            return Origin.OWN_TEST
        measured = self.check is not None and self.check.gives_p
        return Origin.PRINTED if self.quote and not measured else Origin.IMPLIED

    def weighed(self, details: Mapping[str, Any]) -> Severity:
        """How much it matters that it is refuted, as it says; else as the ``details`` of the evidence show."""
        if self.severity is not None:
            return self.severity
        return shown_severity(details) if self.whose.of_the_paper else Severity.REMARK

    def statements(self) -> tuple[Statement, ...]:
        """The statements this claim rests on, found in the objects its check uses."""
        found: dict[str, Statement] = {}
        if self.proves is not None:
            found.update({s.name: s for s in self.proves.uses})
        elif self.check is not None:
            _collect_statements(self.check, found)
        return tuple(found.values())


def _collect_statements(value: Any, found: dict[str, Statement]) -> None:
    if isinstance(value, Statement):
        found.setdefault(value.name, value)
    elif isinstance(value, Mapping):
        for item in value.values():
            _collect_statements(item, found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _collect_statements(item, found)
    elif is_dataclass(value) and not isinstance(value, (type, Table)):
        for f in fields(value):
            _collect_statements(getattr(value, f.name), found)


def paper_id(where: str, text: object) -> str:
    """``text`` as the id of a paper; InputError, beginning with ``where``, for what cannot be one."""
    if not isinstance(text, str) or not _SLUG.fullmatch(text) or "/" in text:
        raise InputError(
            f"{where}: id {text!r} may hold lower-case letters, digits, '.', '_' and '-' only, and begins with "
            "a letter or digit"
        )
    return text


def id_of_folder(folder: Path) -> str:
    """The id of a paper whose ``paper.toml`` gives no other."""
    return folder.resolve().name.lower().replace(" ", "-")


@dataclass(frozen=True)
class Paper:
    """A paper under check: who, where, and the claims registered so far.

    ``caveat`` is what a reader must know before any verdict, such as what of the paper was not at hand.
    """

    id: str
    title: str
    authors: str
    year: int
    reference: str
    folder: Path
    claims: dict[str, Claim] = field(default_factory=dict)
    caveat: str = ""

    @classmethod
    def open(cls, beside: str | Path) -> Paper:
        """The paper whose ``paper.toml`` lies beside this file (pass ``__file__``)."""
        folder = Path(beside).resolve().parent
        path = folder / "paper.toml"
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"{path}: not found; a paper's folder needs one (see 'moelaws new-paper')"
            ) from None
        except (OSError, UnicodeDecodeError) as problem:
            raise InputError(f"{path}: cannot be read: {problem}") from None
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"{path}: not valid TOML: {problem}") from None
        data = {"caveat": "", **data}
        wanted = {"title": str, "authors": str, "year": int, "reference": str, "caveat": str}
        for name, kind in wanted.items():
            if not isinstance(data.get(name), kind):
                raise InputError(
                    f"{path}: expected {name} = {'a number' if kind is int else 'a quoted text'}, got {data.get(name)!r}"
                )
        identifier = paper_id(str(path), data.get("id", id_of_folder(folder)))
        return cls(id=identifier, folder=folder, **{name: data[name] for name in wanted})

    def table(self, name: str) -> Table:
        """The table in ``name``.csv beside the claims."""
        return read_table(self.folder / f"{name}.csv")

    def claim(self, slug: str, words: str, *, where: str, **rest: Any) -> Claim:
        """Register a claim of this paper; its id is ``paper-id/slug``. Other arguments as in `Claim`.

        Here and in ``uses`` the paper's own id may stand in front or be left out. With ``on=False`` the claim is not
        registered, so that nothing judges it: a person turned down what a search proposed.
        """
        on = rest.pop("on", True)
        if not isinstance(on, bool):
            raise InputError(f"claim {self.id}/{slug}: on={on!r}: expected True or False")
        known = {f.name for f in fields(Claim)} - {"id", "words", "where", "source"}
        unknown = sorted(set(rest) - known)
        if unknown:
            raise InputError(
                f"claim {self.id}/{slug}: unknown argument {', '.join(unknown)}; expected some of {', '.join(sorted(known))}"
            )
        if not isinstance(rest.get("uses", ()), str):
            rest["uses"] = tuple(map(self._full, rest.get("uses", ())))
        claim = Claim(self._full(slug), words, where, source=self.reference, **rest)
        if claim.id in self.claims:
            raise InputError(f"two claims are called {claim.id!r}; rename one of them")
        if on:
            self.claims[claim.id] = claim
        return claim

    def _full(self, name: str) -> str:
        return name if name.startswith(f"{self.id}/") else f"{self.id}/{name}"
