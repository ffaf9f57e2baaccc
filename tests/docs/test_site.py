"""The pages of the documentation: everything public has one, and each says what the declaration says."""

import doctest
import inspect
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from for_each import for_each
from tools.site import api_names, cli_pages, measure_pages
from tools.site.build import all_pages, build
from tools.site.complete import missing
from tools.site.docstrings import parse
from tools.site.links import check_files, check_site
from tools.site.navigation import LINKED_ONLY, navigation, ordered, paths_of
from tools.site.search import searched
from tools.site.sources import ROOT, written_pages
from tools.site.spelling import all_texts, check_spelling

from judged.measures.registry import MEASURES
from judged.recommenders.measures import BEYOND


@pytest.fixture(scope="module")
def pages():
    return all_pages()


def test_everything_public_has_a_page(pages):
    assert {kind: names for kind, (_, names) in missing(pages).items() if names} == {}


def test_every_name_of_the_top_level_has_a_purpose():
    listed = {name for names in api_names.GROUPS.values() for name in names.split()}
    top = {name for name in api_names.public_names() if "." not in name}
    assert top - listed == set()
    assert listed - top == set()


def test_the_files_of_the_project_link_only_to_files_that_exist():
    assert check_files(ROOT).problems == []


@for_each("name", [d.name for d in [*(d for d in MEASURES if d.family != "own"), *BEYOND]])
def test_the_page_of_a_measure_has_what_its_declaration_has(name, pages):
    definition = next(
        d for d in [*BEYOND, *MEASURES] if d.name == name
    )  # values of one that were compared are a measure, too
    text = pages[measure_pages.paths()[name]]
    assert definition.intuition.split(".")[0].replace("_", "") in text.replace("\\", "").replace("_", "")
    assert definition.latex in text
    assert all(f"| `{parameter}`" in text for parameter in definition.parameters)
    assert ">>>" in text


@for_each("words", [words for words, _ in cli_pages.commands()], ids=" ".join)
def test_the_page_of_a_command_says_what_its_help_says(words, pages):
    ctx = dict(cli_pages.commands())[words]
    page = " ".join(_unmarked(pages[cli_pages.path_of(words)]).split())
    help_text = ctx.get_help()
    assert all(flag in page for flag in re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_text))
    for records in cli_pages.help_groups(ctx).values():
        assert all(" ".join(_unmarked(text).split()) in page for _, text in records)


def _unmarked(text: str) -> str:
    return re.sub(r"[\\`]|\((\.\./|\w+/)*\w+\.md\)|\[(?=judged )", "", text)


@for_each("entry", [e for e in api_names.pages() if inspect.isfunction(e.thing)], ids=lambda e: e.name)
def test_the_page_of_a_function_has_its_parameters_and_its_docstring(entry, pages):
    text = pages[entry.page]
    assert f"jd.{entry.name}(" in text
    assert all(re.search(rf"\b{name}\b", text) for name in inspect.signature(entry.thing).parameters)
    for section in parse(inspect.getdoc(entry.thing)).sections.values():
        assert all(f"`{one.strip()}`" in text for names, _ in section for one in names.split(",") if one)


def test_the_examples_of_pages_run_as_they_are_shown(pages, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    count = 0
    for path in (path for path in pages if path.startswith("reference/api/")):
        for i, block in enumerate(re.findall(r"^```pycon\n(.*?)\n```$", pages[path], re.DOTALL | re.MULTILINE)):
            count += 1
            runner.run(doctest.DocTestParser().get_doctest(f"{block}\n", {}, f"{path} {i}", path, 0))
    assert runner.failures == 0
    assert count > 100


def test_the_navigation_has_six_tabs_and_every_page_but_generated_lists(pages):
    made = navigation(pages)
    assert [next(iter(entry)) for entry in made] == ["Home", "Start", "Tutorials", "Guides", "Learn", "Reference"]
    assert sorted([*paths_of(made), *LINKED_ONLY]) == sorted(pages)
    assert sorted(ordered(pages)) == sorted(pages)


def test_links_anchors_and_outside_resources_are_checked(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">x</h1><a href="a/#one">1</a><a href="a/#two">2</a><a href="b/">3</a><img src="no.png">'
    )
    (tmp_path / "a" / "index.html").write_text(
        '<p id="one"><a href="../#top">up</a><script src="https://cdn.example/x.js"></script><a href="https://example.com">out</a>'
    )
    (tmp_path / "x.css").write_text("@import url(//fonts.example/x);")
    assert check_site(tmp_path).problems == [
        "a/index.html: loaded from another server: https://cdn.example/x.js",
        "index.html: no such anchor: a/#two",
        "index.html: no such page: b/",
        "index.html: no such file: no.png",
        "x.css: loaded from another server: //fonts.example/x",
    ]


def section(location, title, text="text", level=2, path=()):
    return {"location": location, "level": level, "title": title, "text": text, "path": list(path), "tags": []}


def test_the_search_finds_errors_by_their_slugs_and_measures_by_all_their_names(pages):
    made = [
        section("reference/measures/rr/", "RR", level=1),
        section("reference/measures/rr/#paper", "Paper"),
        section("reference/errors/#judgments-and-runs", "Judgments and runs"),
        section("reference/api/threads/#map", "<code>map</code>", level=3, path=["Engines", "Threads"]),
        section("reference/cli/eval/#policies", "Policies", "--ties"),
        section("reference/cli/compare/#policies", "Policies", "--ties"),
    ]
    found = {item["location"]: item["title"] for item in searched(made, pages["reference/errors.md"])}
    assert found["reference/measures/rr/"].startswith("MRR, reciprocal rank: RR (recip_rank, MRR")
    assert found["reference/errors/#no-relevant"].startswith("no-relevant")
    assert found["reference/api/threads/#map"] == "Threads.map"
    assert "reference/cli/eval/#policies" in found
    assert (
        not {"reference/measures/rr/#paper", "reference/errors/#judgments-and-runs", "reference/cli/compare/#policies"}
        & found.keys()
    )


FORMULAS = {d.name: d.latex for d in [*MEASURES, *BEYOND] if d.latex}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("docs")
    pages = build(target, listed=False)
    return target / "site", pages


@pytest.mark.slow
@pytest.mark.needs("zensical", "latex2mathml")
def test_every_link_and_anchor_leads_somewhere_and_nothing_is_loaded_from_another_server(site):
    checked = check_site(site[0])
    assert checked.problems == []
    assert checked.links > 10_000


@pytest.mark.slow
@pytest.mark.needs("zensical", "latex2mathml")
def test_every_page_is_built_as_html_and_as_markdown(site):
    folder, pages = site
    for path in pages:
        place = re.sub(r"(^|/)index\.md$|\.md$", "/", path).lstrip("/")
        assert (folder / place / "index.html").is_file(), path
        assert (folder / path).read_text(encoding="utf-8").startswith(("# ", "<!--")), path
    assert (folder / "llms.txt").read_text(encoding="utf-8").count("\n- [") == len(pages)


@pytest.mark.slow
@pytest.mark.needs("zensical", "latex2mathml")
def test_formulas_are_mathml(site):
    folder, _ = site
    text = (folder / "reference" / "measures" / "ndcg" / "index.html").read_text(encoding="utf-8")
    assert '<div class="formula"><math ' in text
    assert "$$" not in text


@pytest.mark.needs("latex2mathml")
@for_each("name", FORMULAS)
def test_no_command_of_latex_is_left_in_a_formula(name):
    from tools.site.mathml import mathml

    made = re.sub(r'alttext="[^"]*"', "", mathml(FORMULAS[name], block=True))
    assert "\\" not in made
    assert "&#x0005C;" not in made


@pytest.mark.slow
@pytest.mark.needs("codespell_lib")
def test_words_are_spelt_right_and_a_wrong_one_is_found():
    assert check_spelling(all_texts(written_pages())) == []
    assert [line.partition(": ")[2] for line in check_spelling({"a.md": "the adress"})] == ["adress ==> address"]


WIDE_TABLES = """() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerText)"""
COVERED_CODE = """() => [...document.querySelectorAll(".md-code__nav")]
    .filter((nav) => nav.getBoundingClientRect().left < nav.parentElement.querySelector("code").getBoundingClientRect().right - 1)
    .map((nav) => nav.parentElement.innerText)"""


@pytest.mark.browser
@pytest.mark.needs("chromium", "playwright")
@pytest.mark.slow
@pytest.mark.needs("zensical", "latex2mathml")
def test_pages_ask_no_other_server_and_fit_a_phone(site, chromium):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site[0])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    asked: list[str] = []
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.on("request", lambda request: asked.append(request.url))
    for path in (
        "",
        "reference/measures/alpha_ndcg/",
        "reference/api/evaluate/",
        "reference/cli/eval/",
        "reference/errors/",
        "migration/",
        "guides/report/",
    ):
        page.goto(home + path, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.evaluate(WIDE_TABLES) == [], path
        assert page.evaluate(COVERED_CODE) == [], path
    page.keyboard.press("/")
    page.keyboard.type("kappa")
    page.wait_for_selector("text=/^\\d+ results$/")
    page.close()
    server.shutdown()
    server.server_close()
    assert [url for url in asked if not url.startswith((home, "data:", "blob:"))] == []
