"""Make the screenshots in the README: `python tools/make_screenshots.py`; requires Chromium and playwright."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import judged as jd

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SHOTS = (
    ("page.png", "", False, 1050),
    ("query.png", "#query=q18&a=bm25&b=dense", True, 860),
)


def main() -> None:
    files = jd.sample_path
    runs = {name: files(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    board = jd.compare(
        files("qrels.txt"), runs, "nDCG@10 AP RR P@10 R@100", slices=files("queries.jsonl"), by="kind", min_queries=5
    )
    page = Path(tempfile.mkdtemp()) / "report.html"
    jd.report(board, page, doc_texts=files("documents.jsonl"), query_texts=files("queries.jsonl"))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, fragment, dark, height in SHOTS:
            view = browser.new_page(
                viewport={"width": 1200, "height": height}, color_scheme="dark" if dark else "light"
            )
            view.goto(page.as_uri() + fragment)
            view.wait_for_selector("html[data-ready=yes]", state="attached")
            view.wait_for_timeout(300)
            view.screenshot(path=PICTURES / name)
            print(PICTURES / name)
        browser.close()


if __name__ == "__main__":
    main()
