"""`judged demo`."""

from __future__ import annotations

import re

import pytest
from commands import lines, run

pytestmark = pytest.mark.usefixtures("collection")


def test_demo_shows_three_runs_and_explains_one_query():
    text = run("demo")
    assert [re.match(r"(\S+) +(\d\.\d+) ", line).groups() for line in lines(text)[2:5]] == [
        ("bm25", "0.5196"),
        ("tfidf", "0.5303"),
        ("dense", "0.7853"),
    ]
    top, bottom, value = map(float, re.search(r"^([\d.]+) / ([\d.]+) = ([\d.]+)$", text, re.MULTILINE).groups())
    assert top / bottom == pytest.approx(value, rel=1e-5)
