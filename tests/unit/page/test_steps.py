"""Making a page names its steps, so that a terminal is not silent."""

from contextlib import contextmanager

import judged as jd
from judged.steps import LISTENER


def test_the_steps_of_a_page_are_named_and_writing_tells_its_share(tmp_path):
    steps, shares = [], []

    @contextmanager
    def listen(name):
        steps.append(name)
        yield lambda done, total: shares.append((name, done / total))

    result = jd.evaluate(jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run"), "nDCG@10 AP")
    token = LISTENER.set(listen)
    try:
        jd.report(result, tmp_path / "page.html")
    finally:
        LISTENER.reset(token)
    assert steps[0] == "preparing the page"
    assert {"bounding the effect of unjudged documents", "computing curves", "explaining the queries", "writing the page"} <= set(steps)  # fmt: skip
    assert shares[-1] == ("writing the page", 1.0)
