"""The answer on the first screen, and what follows from it: each test is a defect that the page had."""

import re

import numpy as np
import pytest
from tests.helpers.browser_waits import until

import judged as jd
from judged.comparison.difference import odds, p_clause
from judged.comparison.tables import ComparisonReport


def flat(locator):
    return re.sub(r"\s+", " ", locator.inner_text()).replace("\u2068", "").replace("\u2069", "")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Twelve runs; two have long names that share both ends, one has no place to break."""
    rng = np.random.default_rng(1)
    qrels = {f"q{i}": {f"d{k}": int(k % 4) for k in range(8)} for i in range(20)}
    long = [f"sentence-transformers/all-MiniLM-L{n}-v2 (batch 16, fp16, 2024-11-03)" for n in (6, 12)]
    names = [*long, "x" * 120, *(f"system-{i}" for i in range(9))]
    runs = {n: {q: [f"d{k}" for k in rng.permutation(12)] for q in qrels} for n in names}
    comparison = jd.compare(qrels, runs, "nDCG@10 AP")
    path = tmp_path_factory.mktemp("many") / "report.html"
    jd.report(comparison, path)
    return path, comparison


def test_the_card_says_by_how_much_how_sure_where_and_why(visit, sample_page, sample):
    page = visit(sample_page)
    row = sample.of("nDCG@10", "tfidf", "dense")
    text = flat(page.locator("#card"))
    assert f"{row.difference:+.3f} nDCG@10" in text
    assert f"tfidf {row.mean_a:.3f} → dense {row.mean_b:.3f} (+{row.difference / row.mean_a:.0%})" in text
    assert f"{row.low:+.3f} to {row.high:+.3f}: simultaneous 95% interval" in text
    chance = f"in any of 3 tests {odds(row.adjusted)} (corrected {p_clause(row.adjusted)})"
    assert f"Very sure Chance alone gives such a difference {chance}." in text
    assert f"{row.wins} better {row.ties} same {row.losses} worse" in text
    assert "2.00 → 3.05 relevant documents in the top 10, per query 50 found that tfidf missed; 8 lost" in text
    assert "chance to do better" not in text


def test_identical_runs_are_not_said_to_differ_in_order(visit, tmp_path):
    run = jd.sample_path("runs/bm25.run")
    jd.report(jd.compare(jd.sample_path("qrels.txt"), {"a": run, "b": run}, "nDCG@10 AP"), tmp_path / "same.html")
    page = visit(tmp_path / "same.html")
    assert flat(page.locator("#verdict")) == "b and a are identical on nDCG@10 on these 40 queries."
    assert "order" not in flat(page.locator("#card"))
    assert "= equal" in flat(page.locator("#chips"))


def test_a_total_has_no_interval_and_is_no_mean(visit, tmp_path):
    result = jd.evaluate(jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run"), "NumRet nDCG@10")
    jd.report(result, tmp_path / "total.html")
    page = visit(tmp_path / "total.html")
    assert "How certain? No interval over 40 queries" in flat(page.locator("#card"))
    text = flat(page.locator("#runs"))
    assert "Total NumRet" in text
    assert "total 1008" in text
    assert "95% interval" not in text
    page.locator("[data-chip=measure-1]").click()
    assert "Mean nDCG@10" in flat(page.locator("#runs"))


def test_won_same_and_lost_queries_add_up_and_a_click_shows_them(visit, sample_page, sample):
    page = visit(sample_page)
    row = sample.of("nDCG@10", "tfidf", "dense")
    shares = page.evaluate("[...document.querySelectorAll('.share span')].map((one) => Number(one.style.flexGrow))")
    assert shares == [row.wins, row.ties, row.losses]
    assert sum(shares) == row.queries
    page.get_by_role("button", name=f"{row.losses} worse").first.click()
    until(page, f"document.querySelector('.queries-count').innerText === '{row.losses} of 40 queries'")
    assert page.get_by_role("button", name="Remove the filter only worse").is_visible()


def test_the_verdict_is_a_heading_and_a_new_one_is_announced(visit, sample_page):
    page = visit(sample_page)
    assert page.locator("h1").count() == 1
    page.click(".chip:has-text('RR')")
    words = "dense is clearly best on RR."
    assert page.locator("h1").inner_text() == words
    assert page.locator("#announcer").inner_text() == words


def test_another_pair_has_its_own_headline(visit, sample_page):
    page = visit(sample_page, "#a=dense&b=bm25")
    assert flat(page.locator("h1")) == "bm25 is clearly worse than dense on nDCG@10."
    assert flat(page.locator("#more")) == "All runs: dense is clearly best on nDCG@10."


def test_chips_have_the_verdict_of_each_measure(visit, sample_page):
    page = visit(sample_page)
    shown = [re.sub(r"\s+", " ", text) for text in page.locator(".chip").all_text_contents()]
    assert flat(page.locator("#chips-title")) == "dense compared with tfidf:"
    assert shown == ["nDCG@10✓ better", "AP✓ better", "RR✓ better", "P@10✓ better", "R@100✓ better"]


def test_warnings_are_on_the_first_screen_and_linked(visit, sample_page):
    page = visit(sample_page, reduced_motion="reduce")
    assert page.locator("#warnings").bounding_box()["y"] < 900
    page.click("#tools nav a:has-text('Warnings')")
    assert "3 queries have no relevant document" in page.locator("#warnings").inner_text()


def test_a_query_without_relevant_documents_says_what_it_counts(visit, sample_page):
    page = visit(sample_page, "#query=q16")
    assert "0 relevant documents; such a query counts as 0" in flat(page.locator("dialog[open] .query-meta"))


def test_a_slice_is_named_wherever_it_applies(visit, sample_page):
    page = visit(sample_page)
    page.select_option(".queries-slice", index=1)
    label = page.locator("#filters .filter-chip").inner_text()
    assert "kind=" in label
    name = label.removesuffix(" ×")
    for title in page.locator("#by-query .kit-title, #means > figure .kit-title").all_inner_texts():
        assert name in title.replace("\u2068", "").replace("\u2069", "")
    page.click("#filters .filter-chip")
    assert page.locator("#filters").is_hidden()


def test_the_table_of_queries_begins_with_the_largest_difference(visit, sample_page, sample):
    page = visit(sample_page)
    x = sample.matrix("nDCG@10")
    order = np.argsort(-np.abs(x[:, 2] - x[:, 1]), kind="stable")
    wanted = [sample.results[0].queries[i] for i in order[:10]]
    assert [t.strip() for t in page.locator(".table-body [role=rowheader]").all_inner_texts()[:10]] == wanted


def test_most_improved_and_most_hurt_queries_have_their_reason(visit, sample_page, sample):
    page = visit(sample_page)
    page.locator("#change-list").scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('.change-why')].every((one) => one.textContent)")
    for k, only in enumerate(("better", "worse")):
        changes = sample.where("nDCG@10", "tfidf", "dense", n=5, only=only)
        items = page.locator(".changes").nth(k).locator("li")
        for item, change in zip(items.all(), changes, strict=True):
            text = flat(item).replace("−", "-")
            assert f"{change.value_a:.3f} → {change.value_b:.3f} {change.difference:+.3f}" in text
            moves = [(m.grade, m.rank_a, m.rank_b) for m in change.moves]
            for grade, ranks in re.findall(r"\(grade (\d)\): ([^;(]+)", text):
                before, after = ([int(n) for n in re.findall(r"\d+", side)] for side in ranks.split("→"))
                assert (float(grade), *(side[0] if side else None for side in (before, after))) in moves


def test_the_pair_matrix_selects_the_pair(visit, sample_page):
    page = visit(sample_page)
    drawing = page.locator("#means-side figure").nth(1).locator(".kit-drawing")
    drawing.focus()
    page.keyboard.press("End")
    assert "bm25" in page.locator("#announcer").inner_text()
    page.keyboard.press("Enter")
    assert flat(page.locator("h1")) == "No clear winner between tfidf and bm25 on nDCG@10."


def test_the_legend_highlights_a_run(visit, many):
    path, _ = many
    page = visit(path)
    strokes = "document.querySelectorAll('#pictures path[stroke=\"var(--run2)\"]').length"
    assert page.evaluate(strokes) == 0
    entry = page.locator(".kit-entry:has-text('system-3')")
    entry.click()
    assert entry.get_attribute("aria-pressed") == "true"
    assert page.evaluate(strokes) > 0


def test_long_names_have_labels_of_their_own(visit, many):
    path, _ = many
    page = visit(path)
    labels = page.locator("#means-side figure").first.locator("svg text").all_text_contents()
    names = [text.strip("\u2068\u2069") for text in labels if "sentence" in text]
    assert len(set(names)) == len(names) == 2


def test_means_are_compared_by_differences_not_by_their_own_intervals(visit, sample_page):
    page = visit(sample_page)
    titles = page.locator("#runs .kit-title").all_inner_texts()
    assert not [title for title in titles if title.startswith("Mean ")]
    assert "query by query" in page.locator("#means-side .kit-sentence").first.inner_text()


def test_nothing_is_tested_on_one_query(visit, tmp_path):
    found = jd.compare({"q": {"a": 1}}, {"A": {"q": ["a"]}, "B": {"q": ["b", "a"]}}, "RR AP")
    jd.report(found, tmp_path / "one.html")
    text = flat(visit(tmp_path / "one.html").locator("main"))
    assert "Too few queries to compare A with B on RR." in text
    assert "1.0000," not in text
    assert "p = 1" not in text
    assert "not tested" in text


def test_dragging_over_bars_filters_the_queries_and_the_link_follows(visit, sample_page):
    page = visit(sample_page)
    drawing = page.locator("#by-query figure").nth(0).locator(".kit-drawing")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 140, steps=4)
    page.mouse.up()
    until(page, "location.hash.includes('q=diff')")
    assert page.locator("dialog[open]").count() == 0
    assert re.match(r"\d+ of 40 queries", page.locator(".queries-count").inner_text())
    assert page.locator("#filters .filter-chip").count() == 1
    other = visit(sample_page, page.evaluate("location.hash"))
    assert other.locator(".queries-count").inner_text() == page.locator(".queries-count").inner_text()


def test_a_measure_is_explained_from_its_declaration(visit, sample_page):
    page = visit(sample_page)
    page.get_by_role("button", name="About AP").click()
    text = page.locator("dialog.dialog[open]").inner_text()
    definition = next(m for m in jd.evaluate(jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run"), "AP").measures).definition  # fmt: skip
    assert definition.intuition.split(".")[0] in text
    assert "AP = " in text
    page.keyboard.press("Escape")
    assert page.locator("dialog.dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "About AP"


def test_an_open_query_leads_from_one_value_to_the_other(visit, sample_page, sample):
    page = visit(sample_page, "#query=q23")
    figure = page.locator("dialog[open] .query-waterfall figure")
    figure.wait_for()
    row = sample.results[0].queries.index("q23")
    x = sample.matrix("nDCG@10")[row]
    texts = figure.locator("svg text").all_text_contents()
    assert f"{x[1]:.4f}" in texts
    assert f"{x[2]:.4f}" in texts
    steps = [float(t.replace("−", "-")) for t in texts if re.fullmatch(r"[+−]\d\.\d{3}", t)]
    assert abs(sum(steps) - (x[2] - x[1])) < 0.0005 * len(steps)
    assert page.locator("dialog[open] mark").count() > 0
    page.locator("dialog[open] .query-ideal summary").click()
    grades = page.locator("dialog[open] .query-ideal .query-chip").all_inner_texts()
    assert [g.split()[-1] for g in grades] == ["3", "3", "3", "2"]


def test_unjudged_documents_are_answered_in_one_sentence(visit, sample_page):
    page = visit(sample_page)
    line = page.locator("#unjudged-answer")
    assert (
        flat(line)
        == "Could unjudged documents change who is first? No: all documents that nDCG@10 looks at are judged."
    )
    page.click(".chip:has-text('R@100')")
    assert re.match(r"Could unjudged documents change who is first\? (Yes|No): ", flat(line))


def test_the_answer_can_be_copied_as_markdown(many, visit):
    path, comparison = many
    page = visit(path)
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; } }")
    page.click("#copy")
    until(page, "globalThis.copied !== undefined")
    assert page.evaluate("globalThis.copied") == ComparisonReport(comparison, "systems", answer=True).to_markdown()
    assert flat(page.locator("#copy")) == "Copied"


def test_without_a_clipboard_the_text_is_selected(many, visit):
    page = visit(many[0])
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no clipboard'); } }")
    page.click("#copy")
    until(page, "document.activeElement.tagName === 'TEXTAREA'")
    assert page.evaluate("document.activeElement.value").startswith("**")


def test_the_ranking_of_three_runs_is_on_the_first_screen(visit, sample_page, sample, many):
    for width, height in ((1280, 900), (390, 844)):
        page = visit(sample_page, width=width, height=height)
        board = page.locator("#board")
        assert board.bounding_box()["y"] + board.bounding_box()["height"] < height / 2
        means = sample.means()
        order = sorted(means, key=lambda run: -means[run]["nDCG@10"])
        for i, (run, item) in enumerate(zip(order, board.locator("li").all(), strict=True)):
            assert flat(item).startswith(f"{i + 1}. {run} {means[run]['nDCG@10']:.4f}")
    page = visit(many[0])
    assert page.locator("#board li").count() == 9
    assert flat(page.locator("#board li").last) == "4 more in the table of results"


def test_two_runs_and_one_have_no_board(visit, tmp_path):
    files = {name: jd.sample_path(f"runs/{name}.run") for name in ("bm25", "tfidf")}
    jd.report(jd.compare(jd.sample_path("qrels.txt"), files, "AP"), tmp_path / "two.html")
    assert visit(tmp_path / "two.html").locator("#board").is_hidden()


def test_the_page_of_one_run_begins_with_its_worst_queries(visit, tmp_path):
    result = jd.evaluate(jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run"), "P@1 RR")
    jd.report(result, tmp_path / "one.html")
    page = visit(tmp_path / "one.html")
    items = page.locator(".changes li")
    page.locator("#change-list").scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('.change-why')].every((one) => one.textContent)")
    worst = [query for query, value in zip(result.queries, result["P@1"], strict=True) if value == 0]
    assert [flat(item).split()[1] for item in items.all()] == worst[:10]
    assert f"{len(worst)} of 40 queries have 0.000; the first 10 are shown." in flat(page.locator(".changes"))
    assert "2 relevant documents; found at rank 21" in flat(items.first)
    items.nth(1).locator("a").click()
    assert "from the worst" in flat(page.locator("dialog[open]"))


def test_why_speaks_of_the_ranks_that_the_measure_counts(visit, sample_page, sample):
    page = visit(sample_page, "#measure=AP")
    found = [int((j.is_relevant(1)).sum()) / 40 for j in sample.judged]
    text = flat(page.locator("#card"))
    assert (
        f"Why? {found[1]:.2f} → {found[2]:.2f} relevant documents found, per query; 2.00 → 3.05 in the top 10" in text
    )
    page = visit(sample_page, "#measure=RR")
    assert "relevant documents at rank 1, per query" in flat(page.locator("#card"))
