"""The two tiers of tests.

The first (``make test``) is everything that a change can break and that answers at once. A test belongs to the second
(``make test-all``) if it takes more than some five seconds or needs what the first does not install: it is marked
``thorough``, by hand or because it asks for one of the fixtures below.

``--check-tier`` fails a run in which a test of the first tier was too slow. Neither a busy nor a slow machine may change
the answer. So what counts is the time on the processor, of the test and of the processes that it started and waited for,
and its unit is the same time for ``import sympy`` on this machine. The limit stands at twice five seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

THOROUGH = {
    "full_report": "judges everything installed",
    "site": "builds the documentation",
    "chromium": "needs a browser",
    "kernels": "needs triton, and its interpreter is slow",
}
"""Fixtures that make a test thorough, and why."""
LIMIT = 40.0
PROPERTY = "processor seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--check-tier",
        nargs="?",
        type=float,
        const=LIMIT,
        metavar="LIMIT",
        help=f"fail if a test that is not thorough takes longer than LIMIT imports of sympy (default {LIMIT:g})",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: slow, or needs what 'make test' does not install")
    if config.getoption("--check-tier") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Check(config.getoption("--check-tier")))


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if THOROUGH.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker("thorough")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.user_properties.append((PROPERTY, -processor_seconds()))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """The report of the last phase holds the time of all, fixtures included."""
    if call.when == "teardown":
        [started] = [value for name, value in item.user_properties if name == PROPERTY]
        item.user_properties[:] = [(PROPERTY, round(processor_seconds() + started, 2))]
    return (yield)


def processor_seconds() -> float:
    """Of this process and of those it started that have ended."""
    return sum(os.times()[:4])


class Check:
    """Names the tests of the first tier that do not belong there."""

    def __init__(self, limit: float) -> None:
        self.seconds = limit * min(_import_of_sympy() for _ in range(3))
        self.slow: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        taken = dict(report.user_properties).get(PROPERTY, 0)
        if report.when == "teardown" and "thorough" not in report.keywords and taken > self.seconds:
            self.slow.append(f"{report.nodeid}: {taken} s of the processor")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.slow and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.slow:
            terminalreporter.section("too slow for the first tier")
            terminalreporter.line(f"more than {self.seconds:.1f} s: make faster, or mark as thorough")
            for line in self.slow:
                terminalreporter.line(line)


def _import_of_sympy() -> float:
    before = processor_seconds()
    subprocess.run([sys.executable, "-c", "import sympy"], check=True)
    return processor_seconds() - before
