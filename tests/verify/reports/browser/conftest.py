"""A real browser for the pages that people open: Debian's chromium, with the network off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from verify import verify_claims
from verify.reports.html import to_html

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium():
    """The browser; on a build server its absence is a failure, elsewhere a skip that says how to get it."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("MOELAWS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        message = "no chromium found; install it (Debian: 'apt-get install chromium') or set MOELAWS_CHROMIUM=/path/to/chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, tmp_path) -> Iterator[Callable]:
    """Open a page's text from disk, offline; any console message or error fails the test at its end."""
    contexts, complaints = [], []

    def opened(text: str, fragment: str = "", *, width: int = 1280, **options):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, offline=True, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda problem: complaints.append(f"error: {problem}"))
        page.on("request", lambda r: r.url.startswith("file:") or complaints.append(f"request: {r.url}"))
        page.goto(file.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def record(full_report):
    """A report with every kind of card: tables, means, relations, identities, proofs."""
    chosen = (
        "mayaki2026/table*",
        "mayaki2026/abstract",
        "theory/*-exponent*",
        "theory/log-*",
        "theory/covering",
    )
    return verify_claims(*chosen).record


@pytest.fixture(scope="session")
def report_page(record) -> str:
    return to_html(record)


@pytest.fixture
def measured_page(measured_paper) -> str:
    """A report of measured claims alone, every card with a picture."""
    return to_html(verify_claims(str(measured_paper)).record)
