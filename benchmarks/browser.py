"""Time the HTML report in Chromium: `python benchmarks/browser.py` prints a table; `--page FILE` times a page that exists.

Times are those of the main thread (CPU, minimum of several runs), so that a busy machine changes them little.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import judged as jd

SIZES = ((40, 3), (1_000, 5), (10_000, 10))  # queries, runs
STEPS = {
    "measure changed": "(() => { const s = document.querySelector('#tools select'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); })()",
    "filtered": "(() => { const f = document.getElementById('queries-field'); f.value = 'q12'; f.dispatchEvent(new Event('input', { bubbles: true })); })()",
    "query opened": "document.querySelector('.table-body [role=row]').click()",
}


def write_page(path: Path, queries: int, runs: int) -> float:
    """Write a page of rankings of 20 documents, and return the CPU seconds of `report`."""
    rng = np.random.default_rng(0)
    names = [f"q{i}" for i in range(queries)]
    qrels = {
        q: {f"d{d}": int(g) for d, g in zip(rng.permutation(60)[:8], rng.integers(0, 4, 8), strict=True)} for q in names
    }
    made = {
        f"system{k}": {q: {f"d{d}": 20 - i + qrels[q].get(f"d{d}", 0) * (1 + 0.3 * k) for i, d in enumerate(rng.permutation(80)[:20])} for q in names}
        for k in range(runs)
    }  # fmt: skip
    comparison = jd.compare(qrels, made, "nDCG@10 AP RR P@10 R@20")
    begin = time.process_time()
    jd.report(comparison, path, query_texts={q: f"what is the meaning of {q}" for q in names})
    return time.process_time() - begin


def timed(browser: Any, path: Path) -> dict[str, float]:
    """Milliseconds of the main thread until the page is complete, and for each step; elements and heap."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics() -> dict[str, float]:
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}

    page.goto(path.resolve().as_uri())
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.wait_for_timeout(800)
    now = metrics()
    found = {"complete": 1000 * now["TaskDuration"], "elements": page.evaluate("document.querySelectorAll('*').length"),
             "heap MB": now["JSHeapUsedSize"] / 1e6}  # fmt: skip
    for name, script in STEPS.items():
        before = metrics()["TaskDuration"]
        page.evaluate(script)
        page.wait_for_timeout(600)
        found[name] = 1000 * (metrics()["TaskDuration"] - before)
    page.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, help="time this page")
    parser.add_argument("--times", type=int, default=3, help="runs, of which the quickest counts")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        pages = [(options.page, "")] if options.page else []
        for queries, runs in () if options.page else SIZES:
            path = Path(folder) / f"{queries}.html"
            pages.append((path, f"written in {write_page(path, queries, runs):.1f} s (CPU), {runs} runs"))
        for path, note in pages:
            results = []
            for _ in range(options.times):
                browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
                results.append(timed(browser, path))
                browser.close()
            best = {name: min(result[name] for result in results) for name in results[0]}
            sys.stdout.write(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB; {note}\n")
            sys.stdout.writelines(f"  {name:16} {value:8.0f}\n" for name, value in best.items())


if __name__ == "__main__":
    main()
