"""The Coq files, what each requires, and what none of them may say."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Any

from theory.errors import MoelawsError

STATED, GENERATED, WITNESSES = "Stated", "Generated", "Witnesses"
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What Coq's own real numbers rest on; a theorem may rest on these and on nothing else."""
_REFUSED = (
    *(
        "Admitted",
        "admit",
        "give_up",
        "Axiom",
        "Axioms",
        "Parameter",
        "Parameters",
        "Conjecture",
        "Hypothesis",
        "Hypotheses",
    ),
    *(
        "Variable",
        "Variables",
        "Context",
        "Section",
        "Module",
        "Notation",
        "Infix",
        "Reserved",
        "Coercion",
        "Canonical",
    ),
    *(
        "Instance",
        "Declare",
        "Program",
        "Obligation",
        "Unset",
        "Set",
        "Load",
        "Redirect",
        "Cd",
        "Extraction",
        "Export",
    ),
    *(
        "bypass_check",
        "Primitive",
        "Register",
        "Delimit",
        "Bind",
        "Arguments",
        "Local Notation",
        "native_compute",
        "vm_compute",
    ),
)
_IN_STATEMENTS = ("Definition", "Fixpoint")
_REQUIRE = re.compile(r"^\s*(?:From\s+(\w+)\s+)?Require\s+Import\s+([\w .]+?)\.\s*$", re.M)


@cache
def sources() -> Mapping[str, str]:
    """The text of each Coq file by its name."""
    found = (path for path in files("theory.proofs").iterdir() if path.name.endswith(".v"))
    return {
        path.name[:-2]: path.read_text(encoding="utf-8") for path in sorted(found, key=lambda path: path.name)
    }


@cache
def record() -> Mapping[str, Any]:
    """What the last build wrote: the version of Coq and, for each theorem, the digest of its sources and its axioms."""
    loaded: Mapping[str, Any] = json.loads(
        files("theory.proofs").joinpath("record.json").read_text(encoding="utf-8")
    )
    return loaded


def requires(text: str) -> list[str]:
    """The files beside it that a file imports, in its order."""
    return [name for library, names in _REQUIRE.findall(text) if not library for name in names.split()]


def in_order(known: Mapping[str, str]) -> list[str]:
    """The files in an order in which each comes after what it requires."""
    found: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise MoelawsError(f"{name}.v requires itself: {' -> '.join((*above, name))}")
        if name not in known:
            raise MoelawsError(f"{above[-1]}.v requires {name}, and there is no {name}.v beside it")
        for needed in requires(known[name]):
            visit(needed, (*above, name))
        if name not in found:
            found.append(name)

    for name in sorted(known):
        visit(name, ())
    return found


def digest(theorem: str, known: Mapping[str, str] | None = None) -> str:
    """SHA-256 of a theorem's file and of all that it requires, statements and emitted formulas included."""
    texts = sources() if known is None else known
    file, _, _ = theorem.partition(".")
    if file not in texts:
        raise MoelawsError(f"proved_in={theorem!r}: there is no {file}.v in theory/proofs")
    closed: set[str] = set()
    waiting = [file, STATED, GENERATED, WITNESSES]
    while waiting:
        name = waiting.pop()
        if name not in closed:
            closed.add(name)
            waiting += requires(texts[name])
    content = json.dumps([[name, texts[name]] for name in sorted(closed)])
    return hashlib.sha256(content.encode()).hexdigest()


def proposition(theorem: str, known: Mapping[str, str] | None = None) -> str:
    """The proposition that a theorem is held to, as `Stated.v` has it."""
    name = theorem.partition(".")[2]
    text = _without_comments((sources() if known is None else known)[STATED])
    found = re.search(rf"^Definition {re.escape(name)} : Prop :=\s*(.*?)\.\s*$", text, re.M | re.S)
    if found is None:
        raise MoelawsError(f"proved_in={theorem!r}: Stated.v has no 'Definition {name} : Prop := ...'")
    stated = " ".join(found[1].split())
    if not stated.startswith("forall "):
        raise MoelawsError(
            f"{STATED}.v: {name} does not begin with 'forall'; premises in a part of it would be met by no instance"
        )
    return stated


def premises(theorem: str, known: Mapping[str, str] | None = None) -> str:
    """That there is an instance of what the proposition asks for, as Coq says it; empty where it asks for nothing."""
    binders, comma, rest = _split(proposition(theorem, known).removeprefix("forall "), ",", 1)
    parts = [part.strip() for part in _split(rest, "->")[:-1]] if comma else []
    asked = [f"({part})" for part in takewhile(_is_plain, parts)]
    return f"exists {binders.strip()}, " + " /\\ ".join(asked) if asked else ""


def _is_plain(part: str) -> bool:
    """Whether no quantifier stands outside of brackets, where an arrow would be of what is concluded."""
    return all(len(_split(f" {part}", f" {quantifier} ")) == 1 for quantifier in ("forall", "exists"))


def _split(text: str, mark: str, times: int = -1) -> list[str]:
    """The parts of a text between marks that stand in no brackets; with ``times`` at 1 also the mark itself."""
    found, start, depth = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and text.startswith(mark, i):
            found.append(text[start:i])
            start = i + len(mark)
            if times == 1:
                return [*found, mark, text[start:]]
    return [*found, text[start:], *([""] * 2 if times == 1 else [])]


def faults(name: str, text: str) -> Iterator[str]:
    """What a file says that it may not: an unfinished proof, an assumption of its own, another meaning of a sign."""
    if '"' in text:
        yield f"{name}.v has a string; a comment's sign in it would hide what follows from this reading, and not from Coq"
    bare = _without_comments(text)
    for word in _REFUSED:
        if re.search(rf"(?<![\w'.]){re.escape(word)}(?![\w'])", bare):
            yield f"{name}.v says {word}, which could change what is stated or leave it unproved"
    for library, _ in _REQUIRE.findall(bare):
        if library not in ("", "Coq"):
            yield f"{name}.v imports from {library}; expected Coq's standard library"
    if bare.count("Require") != len(_REQUIRE.findall(bare)):
        yield f"{name}.v requires something otherwise than by 'Require Import A B.' in a line of its own"
    if name in (STATED, GENERATED):
        if set(requires(bare)) - {GENERATED}:
            yield f"{name}.v imports {', '.join(requires(bare))}; what is stated rests on no proof"
        for sentence in re.split(r"\.\s+", bare):
            first = sentence.split(maxsplit=1)[0] if sentence.strip() else "Definition"
            if first not in (*_IN_STATEMENTS, "From", "Require", "Local", "Open"):
                yield f"{name}.v has a sentence {first}; expected definitions alone"


def _without_comments(text: str) -> str:
    kept, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith("(*", i):
            depth, i = depth + 1, i + 2
        elif depth and text.startswith("*)", i):
            depth, i = depth - 1, i + 2
        else:
            kept.append(text[i] if not depth else " ")
            i += 1
    return "".join(kept)
