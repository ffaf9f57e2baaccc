"""The page as a reader meets it: opened from disk, used by pointer and by keyboard."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import pytest
from tests.helpers.browser_waits import until

import judged as jd
from judged.tables.table import number, p_text

CHARTS = 11


def rows_shown(page):
    """The query ids in the table of queries that are on show, in order."""
    return page.locator(".table-body [role=rowheader]").all_inner_texts()


def minus(text):
    """A number as the page writes it."""
    return text.replace("-", "−")


def panel(page):
    return page.locator("dialog.query-panel[open]")


def test_the_page_renders_with_every_section_and_chart(visit, sample_page):
    page = visit(sample_page)
    for section in ("warnings", "changes", "runs", "differences", "queries", "slices", "curves", "unjudged", "methods"):
        assert page.locator(f"#{section}").is_visible(), section
    assert page.locator("figure").count() == CHARTS
    assert page.locator("figure svg, figure canvas").count() == CHARTS
    assert page.locator("#trouble").is_hidden()


def test_without_script_the_verdict_the_table_and_the_methods_are_there(visit, sample_page, sample):
    page = visit(sample_page, ready=False, java_script_enabled=False)
    assert page.locator("h1").inner_text() == "dense is clearly best on nDCG@10."
    assert "+0.255 nDCG@10: tfidf 0.530 → dense 0.785" in page.locator("#card").inner_text()
    assert page.locator("#summary svg circle").count() == len(sample.rows)
    assert "share a letter" in page.locator("#key").inner_text()
    assert number(sample.means()["dense"]["AP"]) in page.locator("#summary").inner_text()
    assert "paired t test" in page.locator("#methods").inner_text()


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_nothing_sticks_out_sideways(visit, sample_page, width):
    page = visit(sample_page, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("location.hash = '#query=q18'")
    panel(page).wait_for()
    assert page.evaluate("document.querySelector('dialog.query-panel').scrollWidth") <= width


def test_the_theme_follows_the_system_and_the_button(visit, sample_page):
    page = visit(sample_page, dark=True, served=True)
    paper = "getComputedStyle(document.body.parentElement).backgroundColor"
    dark = page.evaluate(paper)
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate(paper) == "rgb(255, 255, 255)" != dark
    page.reload()
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_the_page_prints(visit, sample_page):
    page = visit(sample_page)
    page.emulate_media(media="print")
    assert page.locator("#tools").is_hidden()
    assert page.pdf(format="A4")[:5] == b"%PDF-"


def test_the_table_of_runs_shows_the_numbers_of_the_terminal(visit, sample_page, sample):
    page = visit(sample_page)
    means = sample.means()
    for run, line in zip(("dense", "tfidf", "bm25"), page.locator("#summary tbody tr").all(), strict=True):
        cells = line.locator("td").all()
        for measure, cell in zip(sample.measures, cells, strict=True):
            text = re.sub(r"\s+", " ", cell.inner_text())
            assert text.startswith(number(means[run][measure]))
            if run != "dense":  # the difference to the best run
                assert text.endswith(minus(" ".join(sample.of(measure, run, "dense").turned().columns(3))))


def test_the_table_of_queries_shows_every_value_to_its_last_digit(visit, sample_page, sample):
    page = visit(sample_page, height=2400)
    for measure in sample.measures:
        page.select_option("#tools label:first-child select", label=measure)
        x = sample.matrix(measure)
        seen = page.evaluate(
            "[...document.querySelectorAll('.table-body [role=row]')].map(row => [...row.children].map(cell => cell.innerText.trim()))"
        )
        assert len(seen) >= 15
        for cells in seen:
            row = sample.results[0].queries.index(cells[0])
            assert cells[2:5] == [number(value) for value in x[row]]
            d = float(x[row, 2] - x[row, 1])  # the leader against the runner-up
            assert cells[5] == ("+" if d >= 0.00005 else "") + minus(number(d))


def test_the_tiles_show_the_pair(visit, sample_page, sample):
    page = visit(sample_page, "#a=tfidf&b=dense&measure=AP")
    row = sample.of("AP", "tfidf", "dense")
    text = page.locator("#difference").inner_text()
    for words in (
        row.verdict,
        f"{row.difference:+.4f}",
        minus(f"[{row.low:+.4f}, {row.high:+.4f}]"),
        p_text(row.adjusted),
        f"{row.wins} · {row.ties} · {row.losses}",
    ):
        assert words in text


def test_values_at_a_tie_are_rounded_as_in_the_terminal(visit, tmp_path):
    qrels = {f"q{i}": {f"r{k}": 1 for k in range(32)} for i in range(1, 12)}
    run = {
        f"q{i}": [f"r{k}" for k in range(i)] for i in range(1, 12)
    }  # recall is i/32: 0.03125 lies between two decimals
    result = jd.evaluate(qrels, run, "R")
    jd.report(result, tmp_path / "page.html")
    page = visit(tmp_path / "page.html")
    shown = page.evaluate(
        "[...document.querySelectorAll('.table-body [role=row]')].map(row => [row.children[0].innerText.trim(), row.children[1].innerText.trim()])"
    )
    assert dict(shown) == {q: number(float(v)) for q, v in zip(result.queries, result["R"], strict=True)}
    assert dict(shown)["q1"] == "0.0312"


def test_a_click_on_a_measure_sorts_the_runs_and_chooses_it(visit, sample_page, sample):
    page = visit(sample_page)
    page.click("#summary button.sorter:has-text('AP')")
    names = page.locator("#summary tbody th").all_inner_texts()
    assert [n.strip() for n in names] == ["dense", "tfidf", "bm25"]
    assert page.locator("#summary th[aria-sort=descending]").inner_text().startswith("AP")
    until(page, "location.hash.includes('measure=AP')")
    assert " AP" in page.locator("#verdict").inner_text()
    page.click("#summary button.sorter:has-text('AP')")
    assert [n.strip() for n in page.locator("#summary tbody th").all_inner_texts()] == ["bm25", "tfidf", "dense"]
    page.click("#summary button.sorter:has-text('run')")
    assert [n.strip() for n in page.locator("#summary tbody th").all_inner_texts()] == ["bm25", "tfidf", "dense"]


def test_queries_are_found_by_words_and_by_values(visit, sample_page, sample):
    page = visit(sample_page)
    field = page.locator("#queries-field")
    field.fill("bread")
    until(page, "document.querySelectorAll('.table-body [role=row]').length < 15")
    assert rows_shown(page)
    assert all("bread" in t for t in page.locator(".table-body [role=row]").all_inner_texts())
    field.fill("dense<0.2")
    x = sample.matrix("nDCG@10")[:, 2]
    wanted = [q for q, v in zip(sample.results[0].queries, x, strict=True) if v < 0.2]
    until(page, f"document.querySelectorAll('.table-body [role=row]').length === {len(wanted)}")
    assert {r.strip() for r in rows_shown(page)} == set(wanted)


def test_queries_are_sorted_by_a_column(visit, sample_page, sample):
    page = visit(sample_page)
    page.click("[role=columnheader] button:has-text('dense − tfidf')")
    d = sample.matrix("nDCG@10")[:, 2] - sample.matrix("nDCG@10")[:, 1]
    best = sample.results[0].queries[int(d.argmax())]
    until(page, f"document.querySelector('.table-body [role=rowheader]').innerText.trim() === '{best}'")


def test_a_click_on_a_point_opens_its_query(visit, sample_page):
    page = visit(sample_page)
    drawing = page.locator("#by-query figure").nth(1).locator(".kit-drawing")
    drawing.scroll_into_view_if_needed()
    point = drawing.locator("circle").last.bounding_box()
    page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    panel(page).wait_for()
    assert re.search(r"query=q\d\d", page.evaluate("location.hash"))


def test_a_link_opens_a_query_and_back_and_escape_close_it(visit, sample_page):
    page = visit(sample_page, "#query=q18")
    panel(page).wait_for()
    assert "cake sank in the middle" in panel(page).inner_text()
    page.keyboard.press("Escape")
    assert panel(page).count() == 0
    assert "query=" not in page.evaluate("location.hash")
    page.locator(".table-body [role=row]").nth(2).click()
    panel(page).wait_for()
    page.go_back()
    until(page, "!document.querySelector('dialog.query-panel[open]')")


def test_the_query_shows_both_rankings_grades_texts_and_the_arithmetic(visit, sample_page, sample):
    page = visit(sample_page, "#query=q18&a=bm25&b=dense")
    panel(page).wait_for()
    page.wait_for_selector(".query-list")
    explained = {name: sample.results[sample.names.index(name)].explain("nDCG@10", "q18") for name in ("bm25", "dense")}
    for side, name in (("a", "bm25"), ("b", "dense")):
        shown = page.locator(f".query-list[data-side={side}] .query-row").all()
        for line, wanted in zip(shown, explained[name].rows, strict=False):
            text = line.inner_text()
            assert wanted[1] in text  # the document
            assert (line.locator(".query-chip").inner_text().strip()).endswith(str(wanted[2]))
    text = re.sub(r"\s+", " ", panel(page).inner_text())
    for wanted in explained.values():
        assert re.sub(r"\s+", " ", wanted.closing) in text
    assert "Why cakes collapse in the centre" in text


def test_the_address_holds_all_that_was_chosen(visit, sample_page):
    page = visit(sample_page)
    page.select_option("#tools label:first-child select", label="RR")
    page.locator("#queries-field").fill("bread")
    until(page, "location.hash.includes('measure=RR') && location.hash.includes('q=bread')")
    fragment = page.evaluate("location.hash")
    other = visit(sample_page, fragment)
    assert other.locator("#queries-field").input_value() == "bread"
    assert " RR" in other.locator("#verdict").inner_text()
    assert rows_shown(other) == rows_shown(page)


def test_the_keyboard_is_enough(visit, sample_page):
    page = visit(sample_page)
    drawing = page.locator("#by-query figure").nth(0).locator("[tabindex='0']").first
    drawing.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert re.search(r"q\d\d", page.locator("#announcer").inner_text())
    page.keyboard.press("Enter")
    panel(page).wait_for()
    first = page.evaluate("location.hash")
    page.keyboard.press("ArrowRight")
    until(page, f"location.hash !== {first!r}")
    page.keyboard.press("Escape")
    assert panel(page).count() == 0
    page.locator(".table-body [role=row][tabindex='0'], .table-body [tabindex='0']").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    panel(page).wait_for()


def test_tab_reaches_everything_and_focus_is_seen(visit, sample_page):
    page = visit(sample_page)
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName, e.textContent.trim().slice(0, 20), s.outlineStyle + s.outlineWidth + s.boxShadow]; })()"
        ))  # fmt: skip
    assert {"A", "BUTTON", "SELECT"} <= {tag for tag, _, _ in seen}
    assert all(look != "none0pxnone" for _, _, look in seen)


def saved(page, button):
    menu = button.locator("xpath=ancestor::details[not(@open)]")
    if menu.count():
        menu.locator("summary").click()
    with page.expect_download() as waiting:
        button.click()
    return waiting.value, waiting.value.path().read_bytes()


def test_every_chart_can_be_taken_along(visit, sample_page):
    page = visit(sample_page)
    for i in range(CHARTS):
        figure = page.locator("figure").nth(i)
        file, data = saved(page, figure.locator(".kit-buttons button[aria-label$=CSV]"))
        assert file.suggested_filename.endswith(".csv")
        table = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
        assert len(table) > 1
        assert {len(row) for row in table} == {len(table[0])}
        file, data = saved(page, figure.locator(".kit-buttons button[aria-label$=SVG]"))
        assert file.suggested_filename.endswith(".svg")
        picture = ET.fromstring(data)
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        sentence = figure.locator(".kit-sentence").inner_text()  # a picture alone says what its chart on the page says
        assert set(sentence.split()) <= set(" ".join(picture.itertext()).split())
        file, data = saved(page, figure.locator(".kit-buttons button[aria-label$=PNG]"))
        assert file.suggested_filename.endswith(".png")
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert len(data) > 3_000


def test_the_numbers_of_a_download_are_whole(visit, sample_page, sample):
    page = visit(sample_page)
    _, data = saved(page, page.locator("#by-query figure").nth(0).locator(".kit-buttons button[aria-label$=CSV]"))
    table = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    x = sample.matrix("nDCG@10")
    d = dict(zip(sample.results[0].queries, (x[:, 2] - x[:, 1]).tolist(), strict=True))
    assert {row["query"]: float(row["difference"]) for row in table} == d


def test_the_queries_can_be_taken_along_as_they_are_filtered(visit, sample_page, sample):
    page = visit(sample_page, "#q=dense%3C0.2&a=bm25")
    _, data = saved(page, page.locator(".queries-line button").last)
    table = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    wanted = [q for q, v in zip(sample.results[0].queries, sample.matrix("nDCG@10")[:, 2], strict=True) if v < 0.2]
    assert sorted(row["query"] for row in table) == sorted(wanted)
    kinds = {
        q: label
        for label, rows in sample.slices.items()
        for q, there in zip(sample.results[0].queries, rows, strict=True)
        if there
    }
    for row in table:
        assert float(row["AP(dense) - AP(bm25)"]) == float(row["AP(dense)"]) - float(row["AP(bm25)"])
        assert row["slices"] == kinds[row["query"]]
