"""Make the pictures in the README and the tutorials: `python tools/make_screenshots.py`; requires Chromium and playwright."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import judged as jd

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDE, PHONE = 1200, 390  # points; a picture NAME has a version NAME-phone, and both have one for dark colours
SHOTS = (  # name, page, fragment of its address, heights of both versions
    ("page", "report", "", 900, 780),
    ("query", "report", "#query=q18&a=bm25&b=dense", 860, 780),
    ("shop", "shop", "", 560, 700),
)
CURVES = (("pr", "pr", None), ("ndcg", "at-k", "nDCG"))
SCALE = 2  # pixels per point, for sharp text on dense screens


def main() -> None:
    files = jd.sample_path
    runs = {name: files(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    board = jd.compare(
        files("qrels.txt"), runs, "nDCG@10 AP RR P@10 R@100", slices=files("queries.jsonl"), by="kind", min_queries=5
    )
    folder = Path(tempfile.mkdtemp())
    jd.report(board, folder / "report.html", doc_texts=files("documents.jsonl"), query_texts=files("queries.jsonl"))
    write_shop_page(folder / "shop.html")
    for dark in (False, True):
        draw_curves(files("qrels.txt"), runs, dark)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, page, fragment, height, phone_height in SHOTS:
            address = (folder / f"{page}.html").as_uri() + fragment
            for dark in (False, True):
                take(browser, address, picture_path(name, "png", dark=dark), (WIDE, height), dark)
                take(browser, address, picture_path(f"{name}-phone", "png", dark=dark), (PHONE, phone_height), dark)
        browser.close()


def write_shop_page(page: Path) -> None:
    """Write the page of the tutorial on a shop."""
    shop = jd.sample_path("shop/ratings.csv").parent
    grades = {"Exact": 3, "Substitute": 2, "Complement": 1, "Irrelevant": 0}
    runs = {name: shop / f"{name}.jsonl" for name in ("main", "synonyms")}
    qrels = jd.read_qrels(shop / "ratings.csv", grade_map=grades)
    board = jd.compare(qrels, runs, "nDCG@10", test="bootstrap", slices=shop / "queries.csv", by="kind")
    jd.report(board, page, doc_texts=shop / "products.csv", title="Synonyms in the search")


def take(browser: Browser, address: str, path: Path, size: tuple[int, int], dark: bool) -> None:
    """Take a picture of the top of a page, with 256 colours."""
    from PIL import Image

    view = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        device_scale_factor=SCALE,
    )
    view.goto(address)
    view.wait_for_selector("html[data-ready=yes]", state="attached")
    view.wait_for_timeout(300)
    view.screenshot(path=path)
    view.close()
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path)


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
