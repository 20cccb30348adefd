"""report.html in a real browser, from disk, with the network off: what a reader sees, types and clicks."""

from __future__ import annotations

import copy
import re

import pytest

from verify.reports.html import diff_html, to_html

REFUTED = "mayaki2026/table5/identity-alpha-d"
SUPPORTED = "mayaki2026/table5/all-columns"


def expect(locator):
    from playwright.sync_api import expect

    return expect(locator)


def accessibility(page):
    """What axe says of a page."""
    from axe_playwright_python.sync_playwright import Axe

    return Axe().run(page)


def shown_cards(page) -> int:
    return page.locator("details.card:visible").count()


def show_everything(page) -> None:
    """Tick every verdict and open every fold."""
    page.evaluate(
        "document.querySelectorAll('.tile input:enabled:not(:checked)').forEach((box) => box.click())"
    )
    page.evaluate("document.querySelectorAll('details.fold').forEach((part) => { part.open = true; })")


def counted(record, *verdicts) -> int:
    return sum(record["summary"]["verdicts"][name] for name in verdicts)


def test_opens_from_disk_and_shows_the_findings_alone_until_asked(open_page, report_page, record):
    page = open_page(report_page)
    assert page.title().startswith("Claim-checking report")
    every, refuted = record["summary"]["claims"], counted(record, "REFUTED")
    assert shown_cards(page) == refuted > 10
    assert page.locator("#found").inner_text() == f"{refuted} of {every} claims"
    show_everything(page)
    assert shown_cards(page) == len(record["claims"])
    assert page.locator("#found").inner_text() == f"{every} of {every} claims"


@pytest.mark.parametrize(("width", "fit"), [(1400, 5), (900, 5), (390, 3)])
def test_the_gravest_findings_stand_on_the_first_screen(open_page, report_page, width, fit):
    page = open_page(report_page, width=width)
    worst = page.locator(".worst li")
    assert worst.count() == 5
    bottom = worst.nth(fit - 1).bounding_box()
    assert bottom["y"] + bottom["height"] <= 900
    assert "neither identity holds" in worst.first.inner_text()
    assert "contradicts a conclusion" in worst.first.inner_text()
    worst.first.locator("a").click()
    page.locator(f"[id='{REFUTED}']").wait_for(state="visible")


def test_filters_and_search_are_kept_in_the_address(open_page, report_page, record):
    page = open_page(report_page)
    page.locator("#show-SUPPORTED").check()
    page.locator("#search").fill("alpha_D")
    expect(page.locator("#found")).to_have_text(re.compile(r"^\d+ of "))
    expect(page).to_have_url(re.compile("q=alpha_D"))
    found, address = page.locator("#found").inner_text(), page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#show-SUPPORTED").is_checked()
    assert page.locator("#search").input_value() == "alpha_D"
    assert page.locator("#found").inner_text() == found


def test_the_errata_are_offered_in_three_forms(open_page, report_page):
    page = open_page(report_page)
    assert page.locator("#errata tbody tr").count() > 10
    forms = page.locator("#errata .copies")
    assert forms.locator("summary").all_inner_texts() == ["As CSV", "As Markdown", "As LaTeX"]
    forms.first.locator("summary").click()
    assert (
        forms.first.locator("pre").inner_text().startswith("paper,place,printed,recomputed,unit,severity\n")
    )
    expect(forms.first.locator("button.copy")).to_be_visible()


def test_a_fraction_is_laid_out_as_one(open_page, report_page):
    page = open_page(report_page, f"#{SUPPORTED}")
    fraction = page.locator(f"[id='{SUPPORTED}'] mfrac").first
    top, bottom = (fraction.locator(f":scope > :nth-child({i})").bounding_box() for i in (1, 2))
    assert top["height"] > 4
    assert top["y"] + top["height"] <= bottom["y"] + 1


def test_ticking_a_verdict_shows_its_claims_and_unticking_hides_them(open_page, report_page, record):
    page = open_page(report_page)
    page.locator("#show-SUPPORTED").check()
    assert shown_cards(page) == counted(record, "REFUTED", "SUPPORTED")
    page.locator("#show-REFUTED").uncheck()
    assert shown_cards(page) == counted(record, "SUPPORTED")
    assert page.locator("#found").inner_text().startswith(f"{counted(record, 'SUPPORTED')} of")


def test_search_finds_words_ids_and_numbers(open_page, report_page):
    page = open_page(report_page)
    page.locator("#search").fill("TRUNCATED 42 cells")
    expect(page.locator("#found")).to_have_text(re.compile("more under other verdicts$"))
    show_everything(page)
    for words, wanted in (
        ("identity-alpha-d", REFUTED),
        ("28% 97%", REFUTED),
        ("TRUNCATED 42 cells", SUPPORTED),
    ):
        page.locator("#search").fill(words)
        expect(page.locator(f"details.card:has([id='{wanted}'])")).to_be_visible()
        expect(page.locator("#found")).to_have_text(re.compile(r"^[1-3]?\d of "))
    page.locator("#search").fill("no such words anywhere")
    page.locator("#nothing").wait_for(state="visible")
    assert shown_cards(page) == 0


def test_a_deep_link_opens_its_card_and_brings_it_into_view(open_page, report_page):
    page = open_page(report_page, f"#{REFUTED}")
    page.wait_for_timeout(200)
    body = page.locator(f"[id='{REFUTED}']")
    assert body.is_visible()
    assert 0 <= body.bounding_box()["y"] < 300
    page.evaluate(f"location.hash = '#{SUPPORTED}'")
    page.locator(f"[id='{SUPPORTED}']").wait_for(state="visible")


def test_a_deep_link_reaches_a_card_that_the_filter_hides(open_page, report_page):
    page = open_page(report_page)
    page.locator("#show-REFUTED").uncheck()
    page.evaluate(f"location.hash = '#{REFUTED}'")
    page.locator(f"[id='{REFUTED}']").wait_for(state="visible")


def test_the_dependency_graph_is_visible_and_its_boxes_lead_to_cards(open_page, report_page):
    page = open_page(report_page)
    page.locator("#graph summary").click()
    box = page.locator("svg.graph").bounding_box()
    assert box["width"] > 300
    assert box["height"] > 200
    page.locator("svg.graph a[href='#theory/model-exponent']").click()
    page.locator("[id='theory/model-exponent']").wait_for(state="visible")


def test_everything_is_reached_from_the_keyboard(open_page, report_page):
    page = open_page(report_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "show-PROVED"
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.checked") is True
    page.keyboard.press("Space")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    card = page.locator("details.card:visible").first
    card.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert card.get_attribute("open") is not None
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "permalink"


def test_reads_and_filters_without_scripts(open_page, report_page, record):
    page = open_page(report_page, java_script_enabled=False)
    assert page.locator("#search").is_hidden()
    page.locator("#show-SUPPORTED").check()
    assert shown_cards(page) == counted(record, "REFUTED", "SUPPORTED")
    card = page.locator("details.card.REFUTED").first
    card.locator("summary").click()
    assert card.locator(".body").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_accessibility_rule_is_broken_contrast_included(open_page, record, scheme, width):
    page = open_page(to_html(one_of_each(record)), width=width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    found = accessibility(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [360, 820, 1440])
def test_the_page_never_scrolls_sideways(open_page, report_page, width):
    page = open_page(report_page, width=width)
    show_everything(page)
    page.locator("#unfold").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_print_holds_the_summary_and_the_findings_on_at_most_twelve_pages(open_page, full_report):
    page = open_page(to_html(full_report))
    page.emulate_media(media="print")
    for part in (".worst", "#findings", "#errata table"):
        assert page.locator(part).is_visible()
    for part in ("nav", "#claims", "#controls", "#assumed", "#graph", ".copies >> nth=0"):
        assert not page.locator(part).is_visible()
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12


def test_hostile_words_are_shown_as_text(open_page, record):
    words = (
        "<script>document.title='taken'</script><img src=x onerror=alert(1)> \u202e \u05d0\u05d1 \"'"
        + "y" * 10_000
    )
    changed = copy.deepcopy(record)
    for entry in changed["claims"][:20]:
        entry |= {
            "conclusion": None,  # a card with one shows it above its words
            "words": words,
            "where": words,
            "quote": words,
            "finding": words,
            "because": words,
            "reading": words,
        }
    page = open_page(to_html(changed), width=360)
    show_everything(page)
    page.locator("#unfold").click()
    assert page.title().startswith("Claim-checking report")
    assert page.locator("img").count() == 0
    card = page.locator(f"details.card:has([id='{changed['claims'][0]['id']}'])")
    assert "<script>document.title=" in card.locator(".words").text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_two_thousand_claims_stay_under_ten_megabytes_and_search(open_page, record):
    text = to_html(many_claims(record, 2000))
    assert len(text.encode()) < 10_000_000
    page = open_page(text)
    show_everything(page)
    assert page.locator("#found").inner_text() == "2000 of 2000 claims"
    page.locator("#search").fill("copy-1999")
    expect(page.locator("#found")).to_have_text("1 of 2000 claims")


def test_a_comparison_opens_too(open_page, record):
    from verify.reports.report_diff import changes

    changed = copy.deepcopy(record)
    changed["claims"][3] |= {"verdict": "ERROR", "finding": "broken now"}
    page = open_page(diff_html(record, changed, changes(record, changed)))
    assert page.locator("article.change").count() == 1
    assert accessibility(page).violations_count == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_measured_claim_shows_its_picture_beside_or_above_its_legend(
    open_page, measured_page, scheme, width
):
    page = open_page(measured_page, width=width, color_scheme=scheme)
    show_everything(page)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    figure = page.locator("figure.measured").first
    plot, legend = figure.locator("svg.plot").bounding_box(), figure.locator("figcaption").bounding_box()
    beside = legend["x"] >= plot["x"] + plot["width"] and abs(legend["y"] - plot["y"]) < 20
    above = legend["y"] >= plot["y"] + plot["height"] - 1
    assert beside if width > 1000 else above
    assert plot["width"] > 250
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    colours = {
        name: figure.locator(f"svg.plot .{name}").first.evaluate("path => getComputedStyle(path).stroke")
        for name in ("fit", "rival", "theory", "mean")
    }
    assert "none" not in colours.values()
    assert colours["fit"] != colours["theory"] != colours["rival"]
    found = accessibility(page)
    assert found.violations_count == 0, found.generate_report()


def one_of_each(record):
    """A short report with a card of every verdict and of every kind of check."""
    kinds = {(entry["check"], entry["verdict"]): entry for entry in record["claims"]}
    claims = list(kinds.values())
    made_up = [
        claims[0] | {"verdict": name, "id": f"theory/{name.lower()}"} for name in ("ERROR", "INCONCLUSIVE")
    ]
    made_up[0]["as_expected"] = False
    return record | {"claims": claims + made_up}


def many_claims(record, count):
    """A report with ``count`` claims, copies of the ones there under new names, 42-cell tables included."""
    claims = record["claims"]
    copies = [
        copy.copy(claims[i % len(claims)]) | {"id": f"{claims[i % len(claims)]['id']}/copy-{i}"}
        for i in range(count)
    ]
    verdicts = {
        name: sum(1 for c in copies if c["verdict"] == name) for name in record["summary"]["verdicts"]
    }
    return record | {"claims": copies, "summary": record["summary"] | {"claims": count, "verdicts": verdicts}}
