"""The site as readers get it: links, anchors, formulas, nothing from other servers. It is built once, with zensical."""

from __future__ import annotations

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from for_each import for_each
from tools.site.build import build, written_pages
from tools.site.links import check_site
from tools.site.spelling import all_texts, check_spelling

from judged.measures.registry import MEASURES
from judged.recommenders.measures import BEYOND

pytestmark = [pytest.mark.slow, pytest.mark.needs("zensical", "latex2mathml")]
FORMULAS = {d.name: d.latex for d in [*MEASURES, *BEYOND] if d.latex}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("docs")
    pages = build(target, listed=False)
    return target / "site", pages


def test_every_link_and_anchor_leads_somewhere_and_nothing_is_loaded_from_another_server(site):
    checked = check_site(site[0])
    assert checked.problems == []
    assert checked.links > 10_000


def test_every_page_is_built_as_html_and_as_markdown(site):
    folder, pages = site
    for path in pages:
        place = re.sub(r"(^|/)index\.md$|\.md$", "/", path).lstrip("/")
        assert (folder / place / "index.html").is_file(), path
        assert (folder / path).read_text(encoding="utf-8").startswith(("# ", "<!--")), path
    assert (folder / "llms.txt").read_text(encoding="utf-8").count("\n- [") == len(pages)


def test_formulas_are_mathml(site):
    folder, _ = site
    text = (folder / "reference" / "measures" / "ndcg" / "index.html").read_text(encoding="utf-8")
    assert '<div class="formula"><math ' in text
    assert "$$" not in text


@for_each("name", FORMULAS)
def test_no_command_of_latex_is_left_in_a_formula(name):
    from tools.site.mathml import mathml

    made = re.sub(r'alttext="[^"]*"', "", mathml(FORMULAS[name], block=True))
    assert "\\" not in made
    assert "&#x0005C;" not in made


@pytest.mark.needs("codespell_lib")
def test_words_are_spelt_right_and_a_wrong_one_is_found():
    assert check_spelling(all_texts(written_pages())) == []
    assert [line.partition(": ")[2] for line in check_spelling({"a.md": "the adress"})] == ["adress ==> address"]


@pytest.mark.browser
@pytest.mark.needs("chromium", "playwright")
def test_pages_ask_no_other_server_and_fit_a_phone(site, chromium):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site[0])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    asked: list[str] = []
    page = chromium.new_page(viewport={"width": 360, "height": 800})
    page.on("request", lambda request: asked.append(request.url))
    for path in (
        "",
        "reference/measures/alpha_ndcg/",
        "reference/api/evaluate/",
        "reference/cli/eval/",
        "reference/errors/",
    ):
        page.goto(home + path, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.keyboard.press("/")
    page.keyboard.type("kappa")
    page.wait_for_selector("text=/^\\d+ results$/")
    page.close()
    server.shutdown()
    server.server_close()
    assert [url for url in asked if not url.startswith((home, "data:", "blob:"))] == []
