"""Compiles the Coq proofs in a folder of its own and holds each theorem to its proposition; ``make proofs``.

Writes `theory/proofs/Generated.v` from the formulas of the statements and `theory/proofs/record.json` from what Coq says. With
``--check`` it writes nothing and exits with status 1 where either would change, as it does wherever a proof fails.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theory.errors import MoelawsError
from theory.proofs.emitted import generated
from theory.proofs.sources import (
    AXIOMS,
    GENERATED,
    WITNESSES,
    digest,
    faults,
    in_order,
    premises,
    sources,
)
from theory.statement import statements

FOLDER = Path(__file__).parents[1] / "theory" / "proofs"
_HELD = """From Coq Require Import Reals.
Require Import Generated Stated.
Require {file} Witnesses.
Local Open Scope R_scope.
Definition held : Stated.{name} := {theorem}.
Print Assumptions held.
"""
"""A theorem is held to its proposition, and an instance to its premises; no notation of a proof reaches this."""
COQ = ("coqc", "-q", "-w", "+notation-overridden")


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    if shutil.which("coqc") is None:
        print(
            "proofs: no coqc on the path; install Coq 8.16 or newer (Debian: apt-get install --no-install-recommends coq)"
        )
        return 1
    theorems = sorted(s.proved_in for s in statements().values() if s.proved_in)
    texts = {**sources(), GENERATED: generated()}
    try:
        record = built(theorems, texts)
    except MoelawsError as problem:
        print(f"proofs: {problem}")
        return 1
    changed = [
        name
        for name, text in (
            (f"{GENERATED}.v", texts[GENERATED]),
            ("record.json", json.dumps(record, indent=1) + "\n"),
        )
        if not _is_written(FOLDER / name, text, write=not check)
    ]
    if check and changed:
        print(f"proofs: {', '.join(changed)} is not what this build makes; run 'make proofs' and commit it")
        return 1
    axioms = sorted({axiom for entry in record["theorems"].values() for axiom in entry["axioms"]})
    print(f"{len(theorems)} theorems proved by Coq {record['coq']}, on the axioms {', '.join(axioms)}")
    return 0


def _is_written(path: Path, text: str, *, write: bool) -> bool:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return True
    if write:
        temporary = path.with_suffix(".tmp")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    return False


def built(theorems: list[str], texts: Mapping[str, str]) -> dict[str, Any]:
    """The record of a build; MoelawsError where a file may not say what it says, or a theorem is not held."""
    if found := [fault for name, text in texts.items() for fault in faults(name, text)]:
        raise MoelawsError("; ".join(found))
    with tempfile.TemporaryDirectory() as work:
        for name in in_order(texts):
            _compiled(work, name, texts[name])
        entries = {}
        for theorem in theorems:
            file, _, name = theorem.partition(".")
            held = _HELD.format(name=name, theorem=theorem, file=file)
            if asked := premises(theorem, texts):
                held += f"Definition met : {asked} := {WITNESSES}.{name}.\n"
            axioms = _axioms(_compiled(work, "Held", held))
            if beyond := axioms - AXIOMS:
                raise MoelawsError(
                    f"{theorem} rests on {', '.join(sorted(beyond))}, which is no axiom of Coq's real numbers"
                )
            entries[theorem] = {"sources": digest(theorem, texts), "axioms": sorted(axioms)}
    version = subprocess.run(
        ["coqc", "--print-version"], capture_output=True, text=True, check=True
    ).stdout.split()[0]
    return {"coq": version, "theorems": entries}


def _compiled(work: str, name: str, text: str) -> str:
    path = Path(work) / f"{name}.v"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([*COQ, path.name], cwd=work, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MoelawsError(f"{name}.v does not compile: {' '.join((done.stdout + done.stderr).split())}")
    return done.stdout


def _axioms(printed: str) -> set[str]:
    """The names that ``Print Assumptions`` lists; each stands at the start of a line, with its type after a colon."""
    if "Closed under the global context" in printed:
        return set()
    _, marker, listed = printed.partition("Axioms:")
    if not marker:
        raise MoelawsError(f"Coq does not say what a theorem rests on: {printed!r}")
    return set(re.findall(r"^([\w.']+)(?=\s*:|\s*$)", listed, re.M))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
