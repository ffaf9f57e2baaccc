"""A page of ten thousand queries: the elements it has and the work it does do not grow with the queries. benchmarks/page.py times it."""

import numpy as np
import pytest
from tests.helpers.browser_waits import until

import judged as jd

QUERIES, RUNS = 10_000, 5

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def large_page(tmp_path_factory):
    rng = np.random.default_rng(0)
    names = [f"q{i}" for i in range(QUERIES)]
    qrels = {q: {"a": 3, "b": 2, "c": 1, "d": 0} for q in names}
    orders = [list(rng.permutation(["a", "b", "c", "d", "e", "f"])) for _ in range(60)]
    runs = {f"run{k}": {q: orders[int(rng.integers(60))] for q in names} for k in range(RUNS)}
    path = tmp_path_factory.mktemp("large") / "report.html"
    jd.report(jd.compare(qrels, runs, "nDCG@10 AP RR", test="t"), path, query_texts={q: f"what is {q}" for q in names})
    return path


# Elements that a step adds or removes, counted by the browser.
COUNTED = """async (what) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  const body = document.querySelector(".table-body");
  let changed = 0;
  const observer = new MutationObserver((all) => all.forEach((one) => changed += one.addedNodes.length + one.removedNodes.length));
  observer.observe(body, { childList: true, subtree: true });
  const counts = [];
  for (const step of what === "scroll" ? [...Array(20).keys()] : ["q1", "q12", "q123", "run1<0.5", "diff>0.3", ""]) {
    changed = 0;
    if (what === "scroll") document.querySelector(".table-grid").scrollTop = step * 997;
    else {
      const field = document.getElementById("queries-field");
      field.value = step;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await frame();
    await frame();
    counts.push([changed, body.querySelectorAll("[role=row]").length]);
  }
  return counts;
}"""


def test_only_rows_on_show_are_elements_of_the_page(visit, large_page):
    page = visit(large_page)
    assert page.locator("[role=grid]").get_attribute("aria-rowcount") == str(QUERIES + 1)
    assert page.locator(".table-body [role=row]").count() < 60
    assert page.evaluate("document.getElementsByTagName('*').length") < 6_000
    assert page.locator("figure svg, figure canvas").count() == page.locator("figure").count()


@pytest.mark.parametrize("what", ["scroll", "filter"])
def test_scrolling_and_filtering_touch_only_rows_on_show(visit, large_page, what):
    page = visit(large_page)
    page.locator("#queries-field").scroll_into_view_if_needed()
    for changed, rows in page.evaluate(COUNTED, what):
        assert rows < 60
        assert changed < 1_000


def test_rankings_are_unpacked_only_where_they_are_needed(visit, large_page):
    page = visit(large_page)
    blocks = page.locator("script[id^=details-]").count()
    assert blocks >= 100
    # The five most improved and the five most hurt queries: at most one block each.
    unpacked = "performance.getEntriesByType('mark').filter((mark) => mark.name.startsWith('unpack details')).length"
    page.locator("#change-list").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert page.evaluate(unpacked) <= 10


def test_the_last_query_is_reached(visit, large_page):
    page = visit(large_page, "#sort=id&down=no")
    page.locator(".table-body [tabindex='0']").first.focus()
    page.keyboard.press("End")
    until(page, lambda: f"q{QUERIES - 1}" in page.locator(".table-body").inner_text())
    page.keyboard.press("Enter")
    page.locator("dialog[open] .query-row").first.wait_for()
    assert f"what is q{QUERIES - 1}" in page.locator("dialog[open]").inner_text()


def test_a_click_on_a_point_of_ten_thousand_opens_its_query(visit, large_page):
    page = visit(large_page)
    drawing = page.locator("#by-query figure").nth(0).locator(".kit-drawing")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.locator("dialog[open]").wait_for()
