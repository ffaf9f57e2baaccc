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
    assert "warning: 1 judged query is absent from a.run, counted as 0: 'q3'" in run("eval", "q2.txt", "a.run")
    error = refused("eval", "q2.txt", "a.run", "--strict")
    assert (error.slug, error.exit_code) == ("query-missing", 2)
    assert values("qrels.txt", "a.run", "-m", "AP", "--strict") == values("qrels.txt", "a.run", "-m", "AP")


def test_documents_judged_or_retrieved_twice_are_refused_or_decided():
    Path("d.txt").write_bytes(b"q 0 a 3\nq 0 a 0\nq 0 b 1\n")
    Path("d.run").write_bytes(b"q Q0 a 1 1.0 t\n")
    assert refused("eval", "d.txt", "d.run").slug == "duplicate-judgment"
    for rejudged, grade in {"max": 3, "min": 0, "first": 3, "last": 0, "mean": 3 / 2}.items():
        assert values("d.txt", "d.run", "-m", "DCG", "--rejudged", rejudged) == {"DCG": grade}
    Path("d.run").write_bytes(TWICE)
    error = refused("eval", "d.txt", "d.run", "--rejudged", "max")
    assert (error.slug, str(error.where), error.value) == ("duplicate-doc", "d.run:3", b"a")


def test_level_is_the_lowest_relevant_grade():
    assert values("qrels.txt", "b.run", "-m", "P@2") == {"P@2": (2 / 2 + 1 / 2) / 2}
    assert values("qrels.txt", "b.run", "-m", "P@2", "--level", "2") == {"P(level=2)@2": (1 / 2 + 0) / 2}
    assert values("qrels.txt", "b.run", "-m", "P(level=2)@2", "-l", "1") == {"P(level=2)@2": (1 / 2 + 0) / 2}


def test_a_profile_sets_the_conventions_of_another_tool():
    words = ["qrels.txt", "a.run", "-m", "nDCG@2", "--profile"]
    assert [*values(*words, "trec_eval-9"), *values(*words, "lightgbm")] == ["nDCG@2", "nDCG(gain='exp')@2"]
    assert refused("eval", *words, "trec").slug == "profile"
