"""axe-core finds nothing, best practice included, on the page in its states."""

import numpy as np
import pytest
from tests.helpers.axe import violations

import judged as jd

pytestmark = pytest.mark.needs("axe")


@pytest.fixture(scope="module")
def many_page(tmp_path_factory):
    """Thirty runs, with names in several scripts."""
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{k}": int(k % 4) for k in range(8)} for i in range(12)}
    names = [f"system {i:02d}" for i in range(28)] + ["新システムの検索エンジン", "النظام الجديد"]
    runs = {n: {q: [f"d{k}" for k in rng.permutation(12)] for q in qrels} for n in names}
    path = tmp_path_factory.mktemp("many") / "report.html"
    jd.report(jd.compare(qrels, runs, "nDCG@10 AP"), path)
    return path


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"dark": True},
        {"width": 390, "height": 844},
        {"fragment": "#query=q23"},
        {"fragment": "#slice=kind%3Dsafety&only=better&q=diff%3E0&measure=RR&b=tfidf&a=bm25", "dark": True},
    ],
    ids=["light", "dark", "phone", "query", "filters"],
)
def test_the_sample_page_has_no_violation(visit, sample_page, state):
    page = visit(sample_page, **state)
    if "query=q" in state.get("fragment", ""):
        page.locator("dialog[open] .query-row").first.wait_for()
    assert violations(page) == []


def test_a_page_of_many_runs_has_no_violation(visit, many_page):
    assert violations(visit(many_page)) == []


def test_the_explanation_of_a_measure_has_no_violation(visit, sample_page):
    page = visit(sample_page)
    page.get_by_role("button", name="About nDCG@10").first.click()
    assert violations(page) == []
