"""The interactive ranking of the documentation, by mouse, finger and keyboard."""

import sys
from pathlib import Path

import pytest
from tests.helpers.axe import violations
from tests.helpers.browser_waits import until

ROOT = Path(__file__).parents[2]
START, BETTER = 37 / 48, (1 + 2 / 2 + 3 / 4 + 4 / 6) / 4  # AP of the notes' example, and with document 5 at rank 2


@pytest.fixture(scope="module")
def ranking(tmp_path_factory):
    sys.path.insert(0, str(ROOT))
    try:
        from tools.site import interactive
    finally:
        sys.path.pop(0)
    path = tmp_path_factory.mktemp("ranking") / "ranking.html"
    path.write_text(interactive.page(), encoding="utf-8")
    return path


def average_precision(page):
    return page.locator(".tile", has_text="AP").locator(".tile-value").inner_text()


def order(page):
    return page.eval_on_selector_all("[data-id]", "docs => docs.map((doc) => doc.dataset.id).join('')")


def test_a_document_is_dragged(visit, ranking):
    page = visit(ranking)
    assert average_precision(page) == f"{START:.4f}"
    box = page.locator("[data-id='5']").bounding_box()
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - box["height"] / 2)
    page.mouse.move(x, y - box["height"])
    assert average_precision(page) == f"{BETTER:.4f}"  # before it is dropped
    assert order(page) == "63504217"
    page.mouse.up()
    assert order(page) == "65304217"
    assert "AP rose by 0.083 because a relevant document moved from rank 3 to 2." in page.locator("#happened").inner_text()  # fmt: skip
    page.get_by_role("button", name="Undo").click()
    assert order(page) == "63504217"


def test_keys_move_a_document_and_are_announced(visit, ranking):
    page = visit(ranking)
    page.locator("[data-id='5']").focus()
    page.keyboard.press("ArrowUp")
    until(page, lambda: average_precision(page) == f"{BETTER:.4f}")
    assert page.evaluate("document.activeElement.dataset.id") == "5"
    assert page.locator("#announcer").inner_text().startswith("Document 5 (grade 1) moved up from rank 3 to 2. AP up 0.083")  # fmt: skip
    page.keyboard.press("End")
    assert order(page) == "63042175"
    page.keyboard.press("3")
    assert page.get_by_label("Grade of document 5").input_value() == "3"
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert order(page) == "65304217"


def test_cutoff_grade_and_missing_documents_count(visit, ranking):
    page = visit(ranking)
    page.get_by_label("cutoff k").fill("8")
    assert page.locator(".tile-name").first.inner_text() == "P@8"
    page.get_by_label("Relevant, but not retrieved").select_option("4")
    assert average_precision(page) == f"{START / 2:.4f}"
    page.get_by_label("Grade of document 3").select_option("2")
    assert "grade of document 3 changed from 0 to 2" in page.locator("#happened").inner_text()


PHONE = {"width": 360, "height": 740, "has_touch": True}


def test_the_page_fits_a_phone_and_everything_can_be_touched(visit, ranking):
    page = visit(ranking, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    controls = "main :is(button, select, input)"
    small = "all => all.filter((e) => e.offsetHeight < 44 || e.offsetWidth < 44).map((e) => e.outerHTML)"
    assert page.eval_on_selector_all(controls, small) == []


@pytest.mark.needs("axe")
@pytest.mark.parametrize("state", [{"dark": True}, PHONE], ids=["dark", "phone"])
def test_the_page_has_no_violation(visit, ranking, state):
    page = visit(ranking, reduced_motion="reduce", **state)
    page.get_by_role("button", name="Move document 5 up").click()
    page.evaluate("scrollTo(0, 0)")  # the tiles stay at the top and would cover rows
    assert violations(page) == []
