"""`judged explain`."""

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
