"""`judged explain`."""

import json

import pytest
from commands import run

pytestmark = pytest.mark.usefixtures("collection")


def test_explain_prints_the_arithmetic():
    wanted = """
AP of query q1

rank  document  grade  relevant  precision    term     sum
────  ────────  ─────  ────────  ─────────  ──────  ──────
   1  d2            0                    0       0       0
   2  d3            2       yes        0.5     0.5     0.5
   3  d1            1       yes     0.6667  0.6667  1.1667

1.16667 / 2 = 0.583333
AP: Σ over relevant ranks r of P@r, / relevant
"""
    assert run("explain", "AP", "qrels.txt", "a.run", "--query", "q1") == wanted[1:]


def test_an_explanation_is_printed_in_any_format():
    words = ["explain", "nDCG@10 AP", "qrels.txt", "a.run", "--query", "q1", "--format"]
    ndcg, ap = json.loads(run(*words, "json"))
    assert (ndcg["measure"], ap["measure"]) == ("nDCG@10", "AP")
    assert [row["document"] for row in ndcg["ideal"]["rows"]] == ["d3", "d1"]
    assert run(*words, "latex").count(r"\begin{tabular}") == 3
    assert "| rank | document |" in run(*words, "md")
    assert run(*words, "csv").startswith("measure,query,ranking,rank,document,grade")
