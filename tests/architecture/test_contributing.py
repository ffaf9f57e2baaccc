"""The example in CONTRIBUTING is a measure that works everywhere."""

import re
from pathlib import Path

import pytest
from refusals import refusal

import judged as jd
from judged.evaluation.describe import MeasureDescription
from judged.measures.registry import MEASURES, ranked

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()


@pytest.fixture
def declared():
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
    before = {d.name for d in MEASURES}
    space = {"__name__": "contributing"}
    exec(code, space)
    yield space
    for name in {d.name for d in MEASURES} - before:
        MEASURES.discard(name)


def test_the_measure_of_contributing_gets_everything_from_its_declaration(declared):
    result = jd.evaluate({"q": {"a": 1, "b": 1, "c": 0, "d": 1}}, {"q": ["a", "b", "c", "d"]}, "first_gap FirstGap@1")
    assert result.mean() == {"FirstGap": pytest.approx(2 / 3), "FirstGap@1": pytest.approx(1 / 3)}
    assert str(jd.measures.FirstGap @ 10) == "FirstGap@10"
    assert "share of the relevant documents" in str(MeasureDescription(jd.measures.FirstGap.definition))
    assert jd.measures.parse("FirstGap").on(ranked([1, 1, 0, 1]))[0] == pytest.approx(
        jd.measures.FirstGap.definition.example[1]
    )
    refusal("cutoff", jd.measures.parse, "FirstGap@0")
