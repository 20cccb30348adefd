"""Looks for the lines by which the kernel makes a conclusion from steps, definitions and other statements.

It starts from the left-hand side and puts in equals and bounds, one at a time, until an identity leads to the right-hand
side. Whatever is found, `verify.recheck.theorem` replays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from verify.recheck import theorems as kernel
from verify.recheck.rejected import Rejected
from verify.recheck.theorems import Theorem

_NODES, _DEPTH = 60, 4
"""How many expressions are looked at, and how deep definitions may stand in each other."""


@dataclass
class Chain:
    """The lines made so far, each with its theorem, and what lines may start from."""

    facts: Sequence[Sequence[Theorem]]
    definitions: Sequence[tuple[str, str]]
    given: Sequence[dict[str, Any]]
    lines: list[dict[str, Any]] = field(default_factory=list)
    made: list[Theorem] = field(default_factory=list)

    def made_of(self, lhs: str, op: str, rhs: str) -> bool:
        """Whether lines are found for this conclusion; they then stand in ``lines``, without what it does not need."""
        lhs, rhs = kernel.spelled(lhs), kernel.spelled(rhs)
        steps, statements, definitions = (
            [*of()] for of in (self._of_steps, self._of_statements, self._of_definitions)
        )
        targets = self._targets(rhs, [*definitions, *statements])
        queue = [self._reflexive(lhs)]
        queue += [i for i in (*statements, *steps) if (self.made[i].lhs, self.made[i].op) == (lhs, op)]
        seen = {self.made[i].rhs for i in queue}
        while queue and len(seen) < _NODES:
            here = queue.pop(0)
            for target in targets:
                end = self._equal(here, self.made[target].rhs)
                if end is not None and self.made[end].op == op:
                    self._keep(self._chain(end, self._turn(target)))
                    return True
            for next_ in self._after(here, op, steps, (*definitions, *statements, *steps)):
                if self.made[next_].rhs not in seen:
                    seen.add(self.made[next_].rhs)
                    queue.append(next_)
        return False

    def _targets(self, rhs: str, known: Sequence[int]) -> list[int]:
        """The side to arrive at, as it is and with what its symbols stand for."""
        found = [self._reflexive(rhs)]
        for _ in range(_DEPTH):
            for by in known:
                end = self._put_in(found[-1], by) if self.made[by].op == "==" else None
                if end is not None:
                    found.append(end)
        return found if len(found) == 1 else [found[0], found[-1]]

    def _after(self, line: int, op: str, steps: Sequence[int], known: Sequence[int]) -> Iterator[int]:
        """The lines that one rule makes of a line: equals or bounds put in, or a step taken from where it stands."""
        for by in known:
            if self.made[by].op in ("==", op) and (end := self._put_in(line, by)) is not None:
                yield end
        for step in steps:
            for by in (step, self._turn(step)):
                if (
                    self.made[by].op in ("==", op)
                    and (met := self._equal(line, self.made[by].lhs)) is not None
                ):
                    yield self._chain(met, by)

    def _put_in(self, line: int, by: int) -> int | None:
        rule, put_in = ("rewrite", kernel.rewritten) if self.made[by].op == "==" else ("raise", kernel.raised)
        try:
            theorem = put_in(self.made[line], self.made[by])
        except Rejected:
            return None
        if theorem.rhs == self.made[line].rhs:
            return None
        return self._add(theorem, rule, line=line, by=by)

    # Lines

    def _add(self, theorem: Theorem, rule: str, **entries: Any) -> int:
        self.lines.append({"rule": rule, **entries})
        self.made.append(theorem)
        return len(self.made) - 1

    def _reflexive(self, term: str) -> int:
        return self._add(kernel.reflexive(term), "reflexive", term=term)

    def _chain(self, line: int, by: int) -> int:
        return self._add(kernel.chained(self.made[line], self.made[by]), "chain", line=line, by=by)

    def _turn(self, line: int) -> int:
        return self._add(kernel.turned(self.made[line]), "turn", line=line)

    def _identity(self, lhs: str, rhs: str) -> int | None:
        theorem = _identical(lhs, rhs)
        return None if theorem is None else self._add(theorem, "identity", lhs=lhs, rhs=rhs)

    def _of_definitions(self) -> Iterator[int]:
        for i, (symbol, formula) in enumerate(self.definitions):
            yield self._add(kernel.defined(symbol, formula), "definition", definition=i)

    def _of_statements(self) -> Iterator[int]:
        for i, record in enumerate(self.given):
            yield self._add(kernel.given(record), "given", given=i)

    def _of_steps(self) -> Iterator[int]:
        for i, of_step in enumerate(self.facts):
            for j, fact in enumerate(of_step):
                yield self._add(fact, "step", step=i, which=j)

    def _equal(self, line: int, term: str) -> int | None:
        """The line with another spelling of its right-hand side."""
        if self.made[line].rhs == term:
            return line
        same = self._identity(self.made[line].rhs, term)
        return None if same is None else self._chain(line, same)

    def _keep(self, end: int) -> None:
        """Leave out the lines that the last one does not need, and number the rest anew."""
        needed = {end}
        for i in range(end, -1, -1):
            if i in needed:
                needed |= {self.lines[i][entry] for entry in ("line", "by") if entry in self.lines[i]}
        number = {old: new for new, old in enumerate(sorted(needed))}
        self.made = [self.made[i] for i in sorted(needed)]
        self.lines = [
            {key: number[value] if key in ("line", "by") else value for key, value in self.lines[i].items()}
            for i in sorted(needed)
        ]


@lru_cache(maxsize=4096)
def _identical(lhs: str, rhs: str) -> Theorem | None:
    try:
        return kernel.identical(lhs, rhs)
    except Rejected:
        return None
