"""Pages opened from disk in Debian's Chromium, with the network refused. Whatever a page says to the console fails its test."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.helpers.browser_waits import SECONDS

import judged as jd

SERVED = "http://page.test/"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.needs("chromium", "playwright"))


@dataclass
class Said:
    """What a page did that it should not: messages, errors, requests."""

    words: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def visit(chromium):
    """`page = visit(path, "#query=q18", width=390)`: an opened page that is ready.

    `served`: under an address of its own instead of from disk. When the machine is busy, Chromium 156 gives one in thirty pages
    from disk that are loaded again, or opened in a second tab, an empty storage; of sixty served pages it was none.
    """
    contexts, said = [], Said()

    def open_page(path, fragment="", *, width=1280, height=900, dark=False, ready=True, served=False, **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            offline=True,
            **options,
        )
        context.set_default_timeout(SECONDS * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.words.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.words.append(f"error: {error}"))
        page.on("request", lambda request: said.asked.append(request.url))
        context.route(f"{SERVED}*", lambda route: route.fulfill(path=path, content_type="text/html"))
        page.goto((SERVED if served else Path(path).as_uri()) + fragment)
        if ready:
            page.wait_for_selector("html[data-ready=yes]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said.words == []
    assert [url for url in said.asked if not url.startswith(("file:", "blob:", "data:", SERVED))] == []


@pytest.fixture(scope="session")
def sample():
    """The comparison of the sample collection that `judged demo` reports."""
    files = jd.sample_path
    runs = {name: files(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    return jd.compare(
        files("qrels.txt"), runs, "nDCG@10 AP RR P@10 R@100", slices=files("queries.jsonl"), by="kind", min_queries=5
    )


@pytest.fixture(scope="session")
def sample_page(sample, tmp_path_factory):
    """Its page."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    jd.report(sample, path, doc_texts=jd.sample_path("documents.jsonl"), query_texts=jd.sample_path("queries.jsonl"))
    return path
