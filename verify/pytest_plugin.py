"""pytest plugin: ``pytest DIR`` collects the claims of a paper's folder as test items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from verify.judging.claims import Claim


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A ``claims.py`` beside a ``paper.toml`` is a paper."""
    if file_path.name == "claims.py" and (file_path.parent / "paper.toml").is_file():
        collector: pytest.Collector = PaperFile.from_parent(parent, path=file_path)
        return collector
    return None


class PaperFile(pytest.File):
    """The claims of one paper."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item per claim."""
        from theory.errors import MoelawsError
        from verify.judging.graph import check_acyclic
        from verify.judging.papers import load_paper

        try:
            paper = load_paper(self.path.parent)
            check_acyclic(list(paper.claims.values()))
        except MoelawsError as problem:
            raise self.CollectError(str(problem)) from None
        for claim in paper.claims.values():
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class UnexpectedVerdict(Exception):
    """A claim's verdict is not the expected one."""


class ClaimItem(pytest.Item):
    """One claim: as expected passes; inconclusive or not testable as expected is skipped with its reason."""

    def __init__(self, *, claim: Claim, **rest: Any) -> None:
        super().__init__(**rest)
        self.claim = claim

    def runtest(self) -> None:
        """Judge the claim."""
        from verify.checks.base import Budget
        from verify.judging.cache import Cache
        from verify.judging.runner import judge_fresh
        from verify.measured.run_sources import RunSources, chosen_store
        from verify.verdicts import Verdict

        sources = RunSources(self.path.parent, chosen_store(None))
        judged = judge_fresh(self.claim, Budget(), Cache(), sources)
        if not judged.as_expected:
            expected = "it should hold" if self.claim.expect is None else f"expected {self.claim.expect.name}"
            raise UnexpectedVerdict(f"{judged.verdict.name}, {expected}: {judged.finding}")
        if judged.verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_TESTABLE):
            pytest.skip(f"{judged.verdict.name}: {judged.finding}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """An unexpected verdict is told in words, anything else as pytest would."""
        if isinstance(excinfo.value, UnexpectedVerdict):
            return f"{self.claim.id} ({self.claim.where}): {self.claim.words}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the claim stands."""
        return self.path, None, self.claim.id
