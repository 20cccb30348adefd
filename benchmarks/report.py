"""How large a report of 2,000 claims is, and how long it takes to write and to open in a browser.

Printed as ratios to the floor of the same browser opening an empty page.
"""

from __future__ import annotations

import copy
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from verify import verify_claims
from verify.reports.html import to_html

CLAIMS = 2000


def many_claims(count: int) -> dict:
    record = verify_claims().record
    claims = record["claims"]
    copies = [
        copy.copy(claims[i % len(claims)]) | {"id": f"{claims[i % len(claims)]['id']}/copy-{i}"}
        for i in range(count)
    ]
    return record | {"claims": copies, "summary": record["summary"] | {"claims": count}}


def seconds_to_open(page: Page, file: Path, ready: str = "") -> float:
    start = time.perf_counter()
    page.goto(file.as_uri())
    if ready:
        page.locator("#found", has_text=ready).wait_for()
    return time.perf_counter() - start


def main() -> None:
    record = many_claims(CLAIMS)
    start = time.perf_counter()
    text = to_html(record)
    wrote = time.perf_counter() - start
    chromium = os.environ.get("MOELAWS_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        raise SystemExit("no chromium found; set MOELAWS_CHROMIUM=/path/to/chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report, empty = Path(folder, "report.html"), Path(folder, "empty.html")
        report.write_text(text, encoding="utf-8")
        empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        counted = f"{CLAIMS} of {CLAIMS} claims"
        opened, floor = [], []
        for _ in range(5):
            page = browser.new_context(offline=True).new_page()
            floor.append(seconds_to_open(page, empty))
            opened.append(seconds_to_open(page, report, counted))
            page.close()
        browser.close()
    print(f"report of {CLAIMS} claims: {len(text.encode()) / 1e6:.2f} MB, written in {wrote:.2f} s")
    print(
        f"opened and searchable in {statistics.median(opened):.2f} s "
        f"({statistics.median(opened) / statistics.median(floor):.0f} times an empty page; {min(opened):.2f} to {max(opened):.2f} s)"
    )


if __name__ == "__main__":
    main()
