"""Names, ids and texts that try to be more than text."""

import pytest

import judged as jd

IMG = "<img src=x onerror=\"document.title='caught'\">"
SCRIPT = "</script><script>document.title='caught'</script>"
TURNED = "\u202eright to left\u202d\u2066"
LONG = "x" * 1_000
WORDS = (IMG, SCRIPT, TURNED, LONG, "'\"&#39;&amp;", "__proto__", "constructor", "NaN", "null", "#query=1&b=2%", " ")


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    qrels = {word: {doc: i % 3 for i, doc in enumerate(WORDS)} for word in WORDS}
    orders = (WORDS, WORDS[::-1], (*WORDS[3:], *WORDS[:3]))
    runs = {name: {q: list(order) for q in WORDS} for name, order in zip((IMG, SCRIPT, LONG), orders, strict=True)}
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    texts = {word: {"title": SCRIPT, "text": f"{IMG} {TURNED} {LONG}\nsecond line"} for word in WORDS}
    found = jd.compare(
        qrels,
        runs,
        "nDCG AP",
        slices={word: SCRIPT if i % 2 else TURNED for i, word in enumerate(WORDS)},
        min_queries=3,
    )
    jd.report(found, path, doc_texts=texts, query_texts=dict.fromkeys(WORDS, IMG), title=SCRIPT)
    return path


def is_untouched(page):
    assert page.title() == SCRIPT
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 2


def test_hostile_words_are_shown_as_they_are(visit, hostile_page):
    page = visit(hostile_page)
    is_untouched(page)
    assert IMG in page.locator("#summary").inner_text()
    assert IMG in page.locator("#query-list").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("place", range(len(WORDS)))
def test_every_hostile_query_opens_by_click_and_by_its_link(visit, hostile_page, place):
    page = visit(hostile_page)
    page.locator(".table-body [role=row]").nth(place).click()
    page.locator("dialog[open]").wait_for()
    is_untouched(page)
    text = page.locator("dialog[open]").inner_text()
    link = page.evaluate("location.hash")
    other = visit(hostile_page, link)
    other.locator("dialog[open] .query-row").first.wait_for()
    assert other.locator("dialog[open]").inner_text().split("\n")[0] == text.split("\n")[0]
    is_untouched(other)


def test_hostile_words_do_not_break_the_layout_of_a_phone(visit, hostile_page):
    page = visit(hostile_page, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator(".table-body [role=row]").nth(3).click()
    page.locator("dialog[open] .query-row").first.wait_for()
    assert page.evaluate("document.querySelector('dialog[open]').scrollWidth") <= 360


def test_marks_that_turn_the_direction_stay_inside_their_word(visit, hostile_page):
    page = visit(hostile_page)
    for cell in page.locator(".table-body [role=rowheader]").all():
        assert cell.locator("bdi").count() >= 1 or cell.evaluate("e => getComputedStyle(e).unicodeBidi") in (
            "isolate",
            "plaintext",
            "isolate-override",
        )


def test_a_filter_may_hold_anything(visit, hostile_page):
    page = visit(hostile_page)
    for word in (IMG, SCRIPT, TURNED, '"', "(", "dense<", "<0.2", "\\", "[", "*", "a" * 5_000):
        page.locator("#queries-field").fill(word)
    is_untouched(page)


@pytest.mark.parametrize(
    "fragment",
    [
        "#%",
        "#measure=nothing&a=%E0%A4%A&query=none",
        "#query=",
        "#" + "a=b&" * 2_000,
        "#__proto__=1&constructor=2",
        "#sort=nothing&down=maybe&only=all",
    ],
)
def test_a_fragment_that_says_nothing_is_passed_over(visit, hostile_page, fragment):
    is_untouched(visit(hostile_page, fragment))
