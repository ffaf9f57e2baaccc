"""The options of `judged eval`: what each of them changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import QRELS, refused, run, values

pytestmark = pytest.mark.usefixtures("collection")


def test_strict_turns_warnings_into_errors():
    Path("q2.txt").write_bytes(QRELS + b"q3 0 d 1\n")
    assert "warning: 1 judged query is absent from a.run, counted as 0: 'q3'" in run("eval", "q2.txt", "a.run")
    error = refused("eval", "q2.txt", "a.run", "--strict")
    assert (error.slug, error.exit_code) == ("query-missing", 2)
    assert values("qrels.txt", "a.run", "-m", "AP", "--strict") == values("qrels.txt", "a.run", "-m", "AP")


TIES = {"id-desc": 3, "id-asc": 1, "input": 2, "best": 1, "worst": 3}


def test_ties_decide_the_order_of_equal_scores():
    Path("t.txt").write_bytes(b"q 0 b 1\n")
    Path("t.run").write_bytes(b"q Q0 c 1 1.0 t\nq Q0 b 2 1.0 t\nq Q0 d 3 1.0 t\n")
    wanted = {**{ties: 1 / rank for ties, rank in TIES.items()}, "expected": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}
    assert {ties: values("t.txt", "t.run", "-m", "RR", "--ties", ties)["RR"] for ties in wanted} == wanted


def test_duplicates_are_refused_or_kept_once():
    Path("d.txt").write_bytes(b"q 0 a 1\n")
    Path("d.run").write_bytes(b"q Q0 a 1 0.1 t\nq Q0 x 2 0.5 t\nq Q0 a 3 0.9 t\n")
    error = refused("eval", "d.txt", "d.run", "-m", "RR")
    assert (error.slug, str(error.where), error.value) == ("duplicate-doc", "d.run:3", b"a")
    assert "d.run:1" in str(error)
    assert values("d.txt", "d.run", "-m", "RR", "--duplicates", "first") == {"RR": 1 / 2}
    assert values("d.txt", "d.run", "-m", "RR", "--duplicates", "best") == {"RR": 1.0}


def test_documents_judged_twice_are_refused_or_decided():
    Path("d.txt").write_bytes(b"q 0 a 3\nq 0 a 0\nq 0 b 1\n")
    Path("d.run").write_bytes(b"q Q0 a 1 1.0 t\n")
    assert refused("eval", "d.txt", "d.run").slug == "duplicate-judgment"
    for rejudged, grade in {"max": 3, "min": 0, "first": 3, "last": 0, "mean": 3 / 2}.items():
        assert values("d.txt", "d.run", "-m", "DCG", "--rejudged", rejudged) == {"DCG": grade}


def test_level_is_the_lowest_relevant_grade():
    assert values("qrels.txt", "b.run", "-m", "P@2") == {"P@2": (2 / 2 + 1 / 2) / 2}
    assert values("qrels.txt", "b.run", "-m", "P@2", "--level", "2") == {"P(level=2)@2": (1 / 2 + 0) / 2}
    assert values("qrels.txt", "b.run", "-m", "P(level=2)@2", "-l", "1") == {"P(level=2)@2": (1 / 2 + 0) / 2}


def test_depth_is_how_far_rankings_are_looked_at():
    assert values("qrels.txt", "a.run", "-m", "R", "NumRet") == {"R": 1.0, "NumRet": 5}
    assert values("qrels.txt", "a.run", "-m", "R", "NumRet", "--depth", "2") == {"R": (1 / 2 + 1) / 2, "NumRet": 4}
    assert refused("eval", "qrels.txt", "a.run", "--depth", "0").slug == "parameter"


def test_judged_only_takes_unjudged_documents_out():
    Path("u.run").write_bytes(b"q1 Q0 x 1 3 t\nq1 Q0 y 2 2 t\nq1 Q0 d3 3 1 t\nq2 Q0 d4 1 1 t\n")
    assert values("qrels.txt", "u.run", "-m", "RR") == {"RR": (1 / 3 + 1) / 2}
    assert values("qrels.txt", "u.run", "-m", "RR", "--judged-only") == {"RR": 1.0}
    assert "unjudged: condensed" in run("eval", "qrels.txt", "u.run", "--judged-only")


def test_queries_says_which_ones_count():
    Path("one.run").write_bytes(b"q1 Q0 d3 1 1.0 t\n")
    assert values("qrels.txt", "one.run", "-m", "RR") == {"RR": 1 / 2}
    assert values("qrels.txt", "one.run", "-m", "RR", "--queries", "both") == {"RR": 1.0}
    assert refused("eval", "qrels.txt", "one.run", "--queries", "strict").slug == "query-missing"


def test_order_may_follow_the_rank_column():
    Path("r.run").write_bytes(b"q1 Q0 d2 2 0.9 t\nq1 Q0 d3 1 0.1 t\nq2 Q0 d4 1 1.0 t\n")
    assert values("qrels.txt", "r.run", "-m", "RR") == {"RR": (1 / 2 + 1) / 2}
    assert values("qrels.txt", "r.run", "-m", "RR", "--order", "rank") == {"RR": 1.0}
    assert values("qrels.txt", "r.run", "-m", "RR", "--order", "input") == {"RR": (1 / 2 + 1) / 2}


def test_a_profile_sets_the_conventions_of_another_tool():
    assert "nDCG(gain='exp')" not in run("eval", "qrels.txt", "a.run", "-m", "nDCG@2")
    assert refused("eval", "qrels.txt", "a.run", "--profile", "trec").slug == "profile"
    names = {
        name: next(iter(values("qrels.txt", "a.run", "-m", "nDCG@2", "--profile", name)))
        for name in ("trec_eval-9", "lightgbm")
    }
    assert names == {"trec_eval-9": "nDCG@2", "lightgbm": "nDCG(gain='exp')@2"}
