"""What changed between two reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """One difference: a claim that is new, gone, judged otherwise, or found otherwise.

    ``kind`` is "new", "gone", "verdict", "expectation" or "finding".
    """

    claim: str
    kind: str
    old: str
    new: str

    @property
    def group(self) -> str:
        """What happened to the claim: it is "new", "gone" or "changed"."""
        return self.kind if self.kind in ("new", "gone") else "changed"

    def __str__(self) -> str:
        if self.group != "changed":
            return f"{self.kind}: {self.claim} ({self.new or self.old})"
        return f"{self.kind}: {self.claim}: {self.old} -> {self.new}"


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Every difference between two reports, in the order of the claims' ids."""
    before = {entry["id"]: entry for entry in old["claims"]}
    after = {entry["id"]: entry for entry in new["claims"]}
    found = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            found.append(Change(name, "gone", before[name]["verdict"], ""))
        elif name not in before:
            found.append(Change(name, "new", "", after[name]["verdict"]))
        else:
            for kind, key in (("verdict", "verdict"), ("expectation", "expected"), ("finding", "finding")):
                if before[name][key] != after[name][key]:
                    found.append(Change(name, kind, before[name][key], after[name][key]))
                    break
    return found


def grouped(found: Sequence[Change]) -> dict[str, list[Change]]:
    """The changes by what happened to their claims, changed ones first, then new and gone ones; no group is empty."""
    groups = {
        name: [change for change in found if change.group == name] for name in ("changed", "new", "gone")
    }
    return {name: changes for name, changes in groups.items() if changes}
