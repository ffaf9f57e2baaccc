"""The judging page as judges use it: from disk, by keyboard and by touch; nothing is lost."""

import json
import re
from dataclasses import replace

import pytest
from tests.helpers.axe import violations
from tests.helpers.browser_waits import until
from tests.helpers.commands import run

import judged as jd

TEXTS = {"doc_texts": jd.sample_path("documents.jsonl"), "query_texts": jd.sample_path("queries.jsonl")}
IMG = "<img src=x onerror=\"document.title='caught'\">"
SCRIPT = "</script><script>document.title='caught'</script>"
TURNED = "\u202eright to left\u202d\u2066"
FOUR = {
    0: ["Irrelevant", "has nothing to do with the query"],
    1: ["Related", "is on the topic but does not answer the query"],
    2: ["Partly relevant", "answers part of the query, or the answer is hidden among other matter"],
    3: ["Perfectly relevant", "is devoted to the query and contains the exact answer"],
}
HOSTILE = (IMG, SCRIPT, TURNED, "x" * 1_000, "'\"&#39;&amp;", "__proto__", "{{title}}", " ", "#judge=bob")


@pytest.fixture(scope="module")
def todo():
    found = jd.pool([jd.sample_path(f"runs/{name}.run") for name in ("bm25", "dense", "tfidf")], depth=5)
    return replace(found, items=found.items[:100])


@pytest.fixture(scope="module")
def label_page(todo, tmp_path_factory):
    path = tmp_path_factory.mktemp("label") / "label.html"
    jd.label(todo, path, scale=FOUR, **TEXTS)
    return path


@pytest.fixture(scope="module")
def two_judges(todo, tmp_path_factory):
    path = tmp_path_factory.mktemp("label") / "two.html"
    jd.label(todo, path, judges=["ann", "bob"], overlap=0.3, scale=FOUR, **TEXTS)
    return path


def begin(page, name="ann"):
    page.locator("#name").fill(name)
    page.keyboard.press("Enter")
    page.locator(".label-document").wait_for()
    return page


def progress(page):
    return page.locator(".label-progress").inner_text()


def shown(page):
    """The id of the document on show, once it is drawn."""
    return page.locator(".label-document > .label-id bdi").inner_text()


def export(page, title="JSON Lines"):
    """What the page downloads."""
    page.keyboard.press("e")
    with page.expect_download() as found:
        choice(page, title).click()
    page.keyboard.press("Escape")
    return found.value.path().read_text("utf-8")


def choice(page, title):
    return page.locator("dialog[open]").get_by_role("button", name=re.compile(f"^{title}"))


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_hundred_documents_are_judged_by_keyboard_with_a_reload_in_the_middle(visit, label_page, todo):
    page = begin(visit(label_page, served=True))
    for i in range(50):
        page.keyboard.press("0123"[i % 4])
    assert progress(page) == "50 of 100"
    page.reload()
    page.locator(".label-document").wait_for()
    assert progress(page) == "50 of 100"
    for i in range(50, 100):
        page.keyboard.press("0123"[i % 4])
    page.locator(".label-end").wait_for()
    assert "All 100 documents are judged" in page.locator(".label-end").inner_text()
    found = records(export(page))
    assert {(one["query"], one["doc"]) for one in found} == {(item.query, item.doc) for item in todo}
    assert len(found) == 100
    assert {one["judge"] for one in found} == {"ann"}
    assert sorted(one["grade"] for one in found) == [0] * 25 + [1] * 25 + [2] * 25 + [3] * 25


def test_arrows_move_undo_takes_back_and_notes_are_kept(visit, label_page):
    page = begin(visit(label_page, served=True))
    first = shown(page)
    page.keyboard.press("n")
    page.keyboard.type("u1 and 2 are letters here")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    until(page, lambda: shown(page) != first)
    page.keyboard.press("ArrowLeft")
    until(page, lambda: shown(page) == first)
    assert page.locator("[aria-pressed=true] .label-name").inner_text().endswith("Partly relevant")
    page.keyboard.press("3")
    page.keyboard.press("u")
    until(page, lambda: shown(page) == first)
    [one] = records(export(page))
    assert (one["grade"], one["note"], one["doc"]) == (2, "u1 and 2 are letters here", first)
    page.keyboard.press("Delete")
    assert progress(page) == "0 of 100"
    page.reload()
    page.locator(".label-document").wait_for()
    assert page.locator("#note").input_value() == "u1 and 2 are letters here"


def test_a_key_that_is_held_down_or_belongs_to_the_browser_grades_nothing_more(visit, label_page):
    page = begin(visit(label_page))
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    page.keyboard.press("Control+2")
    page.keyboard.press("9")
    assert progress(page) == "1 of 100"


def test_the_list_shows_the_documents_of_a_query_and_grades_the_current_one(visit, label_page):
    page = begin(visit(label_page))
    page.keyboard.press("l")
    page.locator(".label-list").wait_for()
    rows = page.locator(".label-row")
    count = rows.count()
    assert count == int(page.locator(".label-count").inner_text().split()[-1])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("3")
    until(page, lambda: rows.nth(1).locator(".label-disc").inner_text() == "3")
    rows.nth(0).locator("button").click()
    until(page, lambda: rows.nth(0).get_attribute("aria-current") == "true")
    assert page.locator("[aria-current]").count() == 1


def test_query_words_are_marked_and_descriptions_are_visible(visit, label_page):
    page = begin(visit(label_page))
    assert page.locator(".label-reading mark").count() > 0
    for description in (
        "has nothing to do with the query",
        "is devoted to the query and contains the exact answer",
    ):
        assert page.get_by_text(description).is_visible()
    page.keyboard.press("?")
    assert "Undo the last judgment" in page.locator("dialog").inner_text()


def test_runs_ranks_and_their_order_are_not_on_the_page(visit, label_page, todo):
    page = begin(visit(label_page))
    assert page.evaluate("document.documentElement.textContent.search(/bm25|tfidf|dense/)") == -1
    first = todo.items[0].query
    ranked = [item.doc for item in todo if item.query == first]
    seen = []
    for _ in ranked:
        seen.append(shown(page))
        page.keyboard.press("ArrowRight")
        until(page, lambda: shown(page) != seen[-1])
    assert sorted(seen) == sorted(ranked)
    assert seen != ranked


def test_two_tabs_share_their_judgments(visit, label_page):
    page = begin(visit(label_page, served=True))
    other = page.context.new_page()
    other.goto(page.url)
    other.locator(".label-document").wait_for()
    page.keyboard.press("1")
    until(other, lambda: progress(other) == "1 of 100")
    other.keyboard.press("ArrowRight")
    for key in "230":
        other.keyboard.press(key)
    until(page, lambda: progress(page) == "4 of 100")
    other.keyboard.press("[")
    until(other, lambda: other.locator(".label-count").inner_text().startswith("Document 1 of"))
    other.keyboard.press("0")  # the document that the first tab graded 1
    page.keyboard.press("[")
    until(page, lambda: page.locator(".label-grade").first.get_attribute("aria-pressed") == "true")
    assert sorted(one["grade"] for one in records(export(page))) == [0, 0, 2, 3]
    assert records(export(other)) == records(export(page))


def test_a_tab_that_asks_for_the_judge_takes_the_name_from_another_tab(visit, label_page):
    page = visit(label_page, served=True)
    asking, typing = (page.context.new_page() for _ in range(2))
    for other in (asking, typing):
        other.goto(page.url)
    typing.locator("#name").fill("bo")
    begin(page)
    asking.locator(".label-document").wait_for()
    assert asking.locator("#judge").inner_text().endswith("ann")
    assert typing.locator("#name").input_value() == "bo"


def test_an_export_is_imported_in_another_browser(visit, label_page, tmp_path):
    page = begin(visit(label_page))
    for key in "0123":
        page.keyboard.press(key)
    text = export(page)
    file = tmp_path / "judgments.jsonl"
    file.write_text(text + json.dumps({**records(text)[0], "judge": "bob"}) + "\n")
    other = begin(visit(label_page))
    other.keyboard.press("e")
    other.locator("#import").set_input_files(file)
    other.get_by_text("5 judgments read, 4 documents changed. Left out: 1 judgment of other judges.").wait_for()
    other.keyboard.press("Escape")
    assert export(other) == text
    file.write_text("nothing of the kind")
    other.keyboard.press("e")
    other.locator("#import").set_input_files(file)
    other.get_by_text("Nothing was imported: line 1 is no judgment.").wait_for()


def test_a_full_storage_is_said_aloud_and_loses_nothing(visit, label_page):
    page = begin(visit(label_page, served=True))
    page.keyboard.press("1")
    page.evaluate("""() => {
        for (let size = 1 << 22; size >= 1; size >>= 1) {
            try { for (let i = 0; ; i++) localStorage.setItem(`fill ${size} ${i}`, "x".repeat(size)); } catch {}
        }
    }""")
    for key in "23":
        page.keyboard.press(key)
    alert = page.locator("#alert")
    alert.wait_for()
    assert "2 judgments exist in this tab only" in alert.inner_text()
    with page.expect_download() as found:
        alert.get_by_role("button", name="Export now").click()
    assert sorted(one["grade"] for one in records(found.value.path().read_text())) == [1, 2, 3]
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("location.reload()")
    until(page, lambda: asked == ["beforeunload"])
    assert progress(page) == "3 of 100"
    page.evaluate(
        "Object.keys(localStorage).filter(k => k.startsWith('fill')).forEach(k => localStorage.removeItem(k))"
    )
    alert.get_by_role("button", name="Try again").click()
    alert.wait_for(state="hidden")
    page.reload()
    page.locator(".label-document").wait_for()
    assert progress(page) == "3 of 100"


def test_judgments_are_written_to_a_chosen_file_and_join_those_in_it(visit, label_page):
    page = begin(visit(label_page, served=True))
    page.keyboard.press("1")
    before = records(export(page))[0]
    page.keyboard.press("u")
    page.evaluate("""(text) => {
        window.written = text;
        window.showSaveFilePicker = () => Promise.resolve({
            name: "ann.jsonl",
            getFile: () => Promise.resolve({ text: () => Promise.resolve(window.written) }),
            createWritable: () => {
                let draft = "";
                return Promise.resolve({
                    write: (part) => Promise.resolve(void (draft += part)),
                    close: () => Promise.resolve(void (window.written = draft)),
                });
            },
        });
    }""", json.dumps({**before, "grade": 3, "time": "2100-01-01T00:00:00Z"}) + "\n")  # fmt: skip
    page.keyboard.press("e")
    choice(page, "Save to a file").click()
    page.get_by_text("Saving to ann.jsonl; 1 judgment taken from it.").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("0")
    until(page, lambda: sorted(one["grade"] for one in records(page.evaluate("window.written"))) == [0, 3])
    assert page.locator(".label-saved").inner_text() == "Saved to ann.jsonl"
    page.reload()
    page.locator(".label-document").wait_for()
    assert "ann.jsonl as before, choose it again" in page.locator(".label-saved").inner_text()


def judge_all(page, name, grades):
    page.locator("#start .label-wide", has_text=name).click()
    page.locator(".label-document").wait_for()
    for i in range(int(progress(page).split()[-1])):
        page.keyboard.press(grades[i % len(grades)])
    page.locator(".label-end").wait_for()
    return export(page), export(page, "TREC qrels")


def test_two_judges_are_compared_and_merged_from_their_exports(visit, two_judges, tmp_path):
    for name, grades in (("ann", "0123"), ("bob", "0133")):
        lines, qrels = judge_all(visit(two_judges), name, grades)
        (tmp_path / f"{name}.jsonl").write_text(lines)
        (tmp_path / f"{name}.txt").write_text(qrels)
    a, b = (str(tmp_path / f"{name}.jsonl") for name in ("ann", "bob"))
    assert "30 documents judged by both" in run("agree", a, b)
    merged = tmp_path / "qrels.txt"
    run("merge", a, b, "--ties", "lower", "-o", str(merged))
    assert len(jd.read_qrels(merged).query) == 100
    both = [jd.agree({name: tmp_path / f"{name}.{end}" for name in ("ann", "bob")}) for end in ("jsonl", "txt")]
    assert both[0].to_json() == both[1].to_json()


def test_judges_of_one_computer_are_kept_apart(visit, two_judges):
    page = visit(two_judges, served=True)
    page.locator("#start .label-wide", has_text="ann").click()
    page.locator(".label-document").wait_for()
    page.keyboard.press("1")
    other = page.context.new_page()
    other.goto(page.url)
    assert "1 judged" in other.locator("#start .label-wide", has_text="ann").inner_text()
    other.locator("#start .label-wide", has_text="bob").click()
    other.locator(".label-document").wait_for()
    assert progress(other).startswith("0 of ")
    page.reload()
    page.locator(".label-document").wait_for()
    assert progress(page).startswith("1 of ")
    page.locator("#judge").click()
    page.locator("#start .label-wide").first.wait_for()


def test_a_link_names_the_judge(visit, two_judges):
    page = visit(two_judges, "#judge=bob")
    page.locator(".label-document").wait_for()
    assert page.locator("#judge").inner_text() == "Judge: bob"


@pytest.fixture(scope="module")
def hostile_label(tmp_path_factory):
    path = tmp_path_factory.mktemp("label") / "hostile.html"
    pairs = [(query, doc) for query in HOSTILE for doc in HOSTILE]
    docs = {word: {"title": word, "text": f"{SCRIPT} {IMG}\n{TURNED} {'y' * 50_000}"} for word in HOSTILE}
    scale = {0: [SCRIPT, IMG], 1: [TURNED, "z" * 300]}
    jd.label(pairs, path, doc_texts=docs, query_texts=dict.fromkeys(HOSTILE, IMG), judges=[IMG, SCRIPT], scale=scale, title=SCRIPT)  # fmt: skip
    return path


@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_texts_are_text(visit, hostile_label, width):
    page = visit(hostile_label, width=width)
    page.locator("#start .label-wide").first.click()
    page.locator(".label-document").wait_for()
    for key in "01l01e":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.locator(".label-list").wait_for()
    assert page.title() == SCRIPT
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 2
    assert IMG in page.locator(".label-query-text").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = records(export(page))
    assert len(found) == 4
    assert {one["judge"] for one in found} == {IMG}
    assert {one["doc"] for one in found} <= set(HOSTILE)
    page.keyboard.press("e")
    assert choice(page, "TREC qrels").is_disabled()


def test_a_phone_has_room_for_document_and_grades(visit, label_page):
    page = begin(visit(label_page, width=390, height=844, has_touch=True, is_mobile=True))
    for i in range(4):
        page.locator(".label-grade").nth(i).tap()
    assert progress(page) == "4 of 100"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#reading").bounding_box()["height"] >= 250
    for grade in page.locator(".label-grade").all():
        box = grade.bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 844
    page.get_by_role("button", name="Note").tap()
    assert page.locator("#note").is_visible()


@pytest.mark.needs("axe")
def test_no_state_of_the_judging_page_has_a_violation(visit, label_page):
    page = visit(label_page)
    assert violations(page) == []
    begin(page)
    page.keyboard.press("1")
    assert violations(page) == []
    page.keyboard.press("e")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert violations(page) == []
    page.keyboard.press("Escape")
    for _ in range(99):
        page.keyboard.press("2")
    page.locator(".label-end").wait_for()
    assert violations(page) == []


@pytest.mark.needs("axe")
@pytest.mark.parametrize("state", [{"dark": True}, {"width": 390, "height": 844}], ids=["dark", "phone"])
def test_the_dark_and_the_narrow_page_have_no_violation(visit, label_page, state):
    page = begin(visit(label_page, **state))
    page.keyboard.press("1")
    page.keyboard.press("l")
    page.locator(".label-list").wait_for()
    assert violations(page) == []
