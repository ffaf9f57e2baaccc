"""`judged measures`."""

from __future__ import annotations

import pytest
from commands import lines, run

pytestmark = pytest.mark.usefixtures("collection")


def test_measures_tells_all_about_one():
    wanted = """
Success
=======

Whether any of the first k documents is relevant.

formula
  1 if any of the first k is relevant

parameters
  cutoff = None (behind the @): the last rank that counts; none for the whole ranking; also called k, topk, top_k
  level = 1: the lowest grade that counts as relevant; also called rel, min_rel_level
  judged_only = False: leave unjudged documents out of the ranking first
"""
    assert run("measures", "hit_rate@5").startswith(wanted[1:])


def test_measures_lists_every_one():
    from judged.measures.registry import MEASURES

    assert {line.split()[0] for line in lines(run("measures"))[2:-2]} == {d.name for d in MEASURES}
