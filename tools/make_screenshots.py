"""Make the pictures in the README, light and dark: `python tools/make_screenshots.py`; requires Chromium and playwright."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import judged as jd

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SHOTS = (("page", "", 900), ("query", "#query=q18&a=bm25&b=dense", 860))
CURVES = (("pr", "pr", None), ("ndcg", "at-k", "nDCG"))
SCALE = 2  # pixels per point, for sharp text on dense screens


def main() -> None:
    files = jd.sample_path
    runs = {name: files(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    board = jd.compare(
        files("qrels.txt"), runs, "nDCG@10 AP RR P@10 R@100", slices=files("queries.jsonl"), by="kind", min_queries=5
    )
    page = Path(tempfile.mkdtemp()) / "report.html"
    jd.report(board, page, doc_texts=files("documents.jsonl"), query_texts=files("queries.jsonl"))
    for dark in (False, True):
        draw_curves(files("qrels.txt"), runs, dark)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, fragment, height in SHOTS:
            for scheme in ("light", "dark"):
                view = browser.new_page(
                    viewport={"width": 1200, "height": height}, color_scheme=scheme, device_scale_factor=SCALE
                )
                view.goto(page.as_uri() + fragment)
                view.wait_for_selector("html[data-ready=yes]", state="attached")
                view.wait_for_timeout(300)
                path = picture_path(name, "png", dark=scheme == "dark")
                view.screenshot(path=path)
                print(path)
        browser.close()


def draw_curves(qrels: Path, runs: dict[str, Path], dark: bool) -> None:
    """Draw the curves on white paper, or on that of GitHub in dark mode."""
    import matplotlib as mpl
    from matplotlib import style

    paper = {"figure.facecolor": "#0d1117", "axes.facecolor": "#0d1117"} if dark else {}
    with style.context(["dark_background"] if dark else []), mpl.rc_context({**paper, "savefig.facecolor": "auto"}):
        for name, kind, measures in CURVES:
            path = picture_path(name, "svg", dark=dark)
            jd.curves.curve(kind, qrels, runs, measures).save(path)
            print(path)


def picture_path(name: str, ending: str, *, dark: bool) -> Path:
    return PICTURES / f"{name}{'-dark' if dark else ''}.{ending}"


if __name__ == "__main__":
    main()
