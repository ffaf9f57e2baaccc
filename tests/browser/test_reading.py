"""How the page reads: in which order, in which words, on a phone and on paper."""

import pytest
from tests.helpers.browser_waits import until

import judged as jd


@pytest.fixture(scope="module")
def long_page(tmp_path_factory):
    """Runs with long names that differ in the middle, and a slice without a name."""
    runs = {
        f"castorini-anserini-{name}-with-pseudo-relevance-feedback": jd.sample_path(f"runs/{name}.run")
        for name in ("bm25", "tfidf", "dense")
    }
    queries = jd.evaluate(jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run")).queries
    slices = {query: "" if i % 2 else "odd" for i, query in enumerate(queries)}
    path = tmp_path_factory.mktemp("long") / "report.html"
    jd.report(jd.compare(jd.sample_path("qrels.txt"), runs, "nDCG@10 AP", slices=slices, alpha=0.025), path)
    return path


def by_gain(sample):
    x = sample.matrix("nDCG@10")
    order = (x[:, 1] - x[:, 2]).argsort(kind="stable")
    return [sample.results[0].queries[i] for i in order]


def test_from_a_bar_the_next_query_is_that_of_the_next_bar(visit, sample_page, sample):
    page = visit(sample_page)
    page.locator("#by-query figure").nth(0).locator("[tabindex='0']").first.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    place = page.locator("dialog[open] .query-place")
    assert place.inner_text().split("\n") == ["1 of 40", "by difference"]
    best = by_gain(sample)
    assert page.locator("#query-title .query-id").inner_text() == best[0]
    page.keyboard.press("ArrowRight")
    assert page.locator("#query-title .query-id").inner_text() == best[1]
    assert place.inner_text().startswith("2 of 40")


def test_from_the_table_the_next_query_is_that_of_the_next_row(visit, sample_page):
    page = visit(sample_page, "#q=bread")
    page.locator(".table-body [role=row]").first.click()
    count = page.locator("[role=grid]").get_attribute("aria-rowcount")
    assert page.locator("dialog[open] .query-place").inner_text().split("\n") == [
        f"1 of {int(count) - 1}",
        "in table order",
    ]


def test_a_link_to_what_the_page_does_not_have_says_so(visit, sample_page):
    page = visit(sample_page, "#query=zzz&b=splade&measure=AP")
    notice = page.locator("#notice")
    assert notice.locator("span").inner_text() == "Not on this page: query zzz and run splade."
    assert " AP" in page.locator("#verdict").inner_text()
    notice.get_by_role("button", name="Dismiss").click()
    assert notice.is_hidden()
    assert visit(sample_page, "#query=q18").locator("#notice").is_hidden()


def test_methods_are_copied_with_what_to_cite_and_the_inputs(visit, sample_page):
    page = visit(sample_page)
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.locator("#methods-title button").click()
    copied = page.evaluate("window.copied")
    for line in page.locator("#methods-text p, .citations li, .inputs code").all_inner_texts():
        assert line in copied
    assert "References" in copied
    assert "SHA-256" in copied


def test_a_slice_without_a_name_can_be_chosen(visit, long_page):
    page = visit(long_page)
    page.select_option(".queries-slice", label="(empty) (20)")
    until(page, "document.querySelector('.queries-count').innerText === '20 of 40 queries'")
    until(page, "location.hash.includes('slice=')")
    assert visit(long_page, page.evaluate("location.hash")).locator(".queries-count").inner_text() == "20 of 40 queries"
    page.select_option(".queries-slice", label="all slices")
    until(page, "document.querySelector('.queries-count').innerText === '40 queries'")


def test_a_level_keeps_its_decimals(visit, long_page):
    assert "97.5% interval" in visit(long_page).locator("#difference").inner_text()


@pytest.mark.parametrize(("width", "most"), [(1280, 60), (820, 60), (390, 100), (360, 100)])
def test_the_bar_stays_low_with_long_names(visit, long_page, width, most):
    page = visit(long_page, width=width)
    assert page.locator("#tools").bounding_box()["height"] <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_sections_are_reached_on_a_phone_and_not_covered(visit, sample_page):
    page = visit(sample_page, width=390, height=844, reduced_motion="reduce")
    page.select_option("select.sections", label="Slices")
    bar = page.locator("#tools").bounding_box()
    assert page.locator("#slices-title").bounding_box()["y"] >= bar["y"] + bar["height"]
    assert page.evaluate("document.activeElement.id") == "slices-title"


def test_a_phone_shows_the_text_of_a_query_below_its_id(visit, sample_page):
    page = visit(sample_page, width=390)
    first = page.locator(".table-body [role=rowheader]").first
    assert first.inner_text().split("\n")[0] == "q05"
    text = first.locator(".queries-below")
    assert "onions make you cry" in text.inner_text()
    assert text.bounding_box()["width"] > 300


def test_what_is_cut_off_shows_that_it_scrolls(visit, sample_page):
    page = visit(sample_page, width=390)
    assert "cut-right" in page.locator("#summary").get_attribute("class")
    page.evaluate("document.getElementById('summary').scrollLeft = 10_000")
    until(page, "!document.getElementById('summary').classList.contains('cut-right')")
    wide = visit(sample_page)
    assert "cut-right" not in wide.locator("#summary").get_attribute("class")


def test_charts_of_one_row_begin_and_end_alike(visit, sample_page):
    page = visit(sample_page)
    for row in ("#by-query", "#pictures"):
        boxes = [drawing.bounding_box() for drawing in page.locator(f"{row} .kit-drawing").all()]
        assert len({round(box["y"]) for box in boxes}) == 1
        assert len({round(box["y"] + box["height"]) for box in boxes}) == 1


def test_charts_are_drawn_for_paper_and_back(visit, sample_page):
    page = visit(sample_page)
    sizes = "[...document.querySelectorAll('.kit-picture')].map((picture) => picture.getBoundingClientRect().width)"
    screen = page.evaluate(sizes)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    paper = page.evaluate(sizes)
    assert max(paper) <= 690
    assert paper != screen
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(sizes) == screen


def test_a_chart_is_one_stop_of_the_tab_key_and_its_buttons_name_it(visit, sample_page):
    page = visit(sample_page)
    label = "Save “nDCG@10: differences to the best run”"
    assert page.locator(f".kit-save > summary[aria-label='{label}']").count() == 1
    assert page.locator(".kit-save[open]").count() == 0
    assert page.locator(f".kit-buttons button[aria-label='{label} as CSV']").count() == 1
    page.select_option("#tools label:first-child select", label="AP")
    assert page.locator(".kit-buttons button[aria-label='Save “AP: differences to the best run” as PNG']").count() == 1


def test_missed_documents_are_told_apart_by_who_missed_them(visit, sample_page):
    page = visit(sample_page, "#query=q23")
    said = page.locator("#query-missed + .query-lead")
    said.wait_for()
    words = said.inner_text().replace("\u2068", "").replace("\u2069", "")
    assert words == (
        "2 relevant documents missed: 1 by tfidf, 1 by dense. Documents searched: 23 of tfidf, 30 of dense."
    )
