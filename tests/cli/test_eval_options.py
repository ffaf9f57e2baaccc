"""The options of `judged eval`: what each of them changes."""

from pathlib import Path

import pytest
from commands import QRELS, refused, run, values
from for_each import for_each

pytestmark = pytest.mark.usefixtures("collection")

# One relevant document, a, and one unjudged, x; the ranks of the first run contradict its scores.
JUDGED = b"q 0 a 1\nq 0 b 0\np 0 a 1\n"
ORDERS = b"q Q0 a 1 0.1 t\nq Q0 x 2 0.9 t\nq Q0 b 3 0.5 t\n"
TIED = b"q Q0 c 1 1.0 t\nq Q0 a 2 1.0 t\nq Q0 0 3 1.0 t\n"
TWICE = b"q Q0 a 1 0.1 t\nq Q0 x 2 0.5 t\nq Q0 a 3 0.9 t\n"
RANKS = [  # of a, by the option
    (ORDERS, "", 3), (ORDERS, "--order rank", 1), (ORDERS, "--order input", 1), (ORDERS, "--judged-only", 2), (ORDERS, "--depth 2", None),
    (TIED, "--ties id-desc", 2), (TIED, "--ties id-asc", 2), (TIED, "--ties input", 2), (TIED, "--ties best", 1), (TIED, "--ties worst", 3),
    (TWICE, "--duplicates first", 2), (TWICE, "--duplicates best", 1),
]  # fmt: skip


@for_each(("content", "option", "rank"), RANKS)
def test_an_option_decides_the_rank(content, option, rank):
    Path("o.txt").write_bytes(JUDGED)
    Path("o.run").write_bytes(content)
    words = ["o.txt", "o.run", "-m", "RR", *option.split()]
    value = 1 / rank if rank else 0.0
    assert values(*words, "--queries", "both") == {"RR": value}
    assert values(*words) == {"RR": value / 2}  # the other query has no ranking
    assert refused("eval", *words, "--queries", "strict").slug == "query-missing"


def test_strict_turns_warnings_into_errors():
    Path("q2.txt").write_bytes(QRELS + b"q3 0 d 1\n")
    assert "warning: 1 judged query is missing from a.run and counted as 0: 'q3'" in run("eval", "q2.txt", "a.run")
    error = refused("eval", "q2.txt", "a.run", "--strict")
    assert (error.slug, error.exit_code) == ("query-missing", 2)
    assert values("qrels.txt", "a.run", "-m", "AP", "--strict") == values("qrels.txt", "a.run", "-m", "AP")
