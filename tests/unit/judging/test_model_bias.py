"""Bias of a model's judgments, and the number of human judgments that it saves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import judged as jd
from judged.stats.student_t import two_sided_quantile
from judged.stats.two_phase import queries_for_width

HUMAN = {"q1": {"a": 0, "b": 0, "c": 2}, "q2": {"a": 1, "b": 2}, "q3": {"a": 1, "x": 2}}
MODEL = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 3, "b": 1}, "q3": {"a": 1, "y": 0}, "q4": {"a": 1}}
RUNS = {"one": {q: ["a", "b", "c"] for q in MODEL}, "two": {q: ["c", "b", "a"] for q in MODEL}}


def agree(**options):
    return jd.agree({"human": HUMAN, "llm": MODEL}, **{"model": "llm", **options})


def test_bias_is_the_mean_difference_at_each_grade_of_the_person():
    found = agree().bias
    assert [(row.grade, row.documents, row.bias) for row in found.grades] == [(0, 2, 0.5), (1, 2, 1), (2, 2, -0.5)]
    assert found.mean == pytest.approx((0.5 * 2 + 1 * 2 - 0.5 * 2) / 6)


def test_bias_is_of_grades_even_if_agreement_is_of_labels():
    assert agree(level=1).bias.records() == agree().bias.records()


def test_bias_by_system_is_over_the_queries_that_both_judged():
    found = agree(runs=RUNS, measure="P@1").bias
    means = {j: {n: np.mean([{**g[q], "": 0}.get(r[q][0], 0) >= 1 for q in HUMAN]) for n, r in RUNS.items()}
             for j, g in (("human", HUMAN), ("llm", MODEL))}  # fmt: skip
    for row in found.systems:
        assert (row.human, row.model) == pytest.approx((means["human"][row.system], means["llm"][row.system]))
    assert found.total == len(MODEL)


def test_the_number_of_queries_is_the_smallest_that_is_narrow_enough():
    random = np.random.default_rng(5)
    f = random.random(40)
    y = 0.3 + 0.5 * f + 0.1 * random.standard_normal(40)
    slope, level = np.polyfit(f, y, 1)
    residual = ((y - level - slope * f) ** 2).sum() / 38

    def width(m, variance, constant, lost):
        return 2 * two_sided_quantile(0.05, m - lost)[0] * math.sqrt(variance / m + constant)

    for total in (500.0, math.inf):
        found = queries_for_width(y, f, total, 0.06)
        shared = slope**2 * f.var(ddof=1) / total
        assert width(found.both, residual, shared, 2) <= 0.06 < width(found.both - 1, residual, shared, 2)
        alone = found.expensive_only
        assert width(alone, y.var(ddof=1), 0, 1) <= 0.06 < width(alone - 1, y.var(ddof=1), 0, 1)
        assert found.both < alone
    assert queries_for_width(y, f, 50.0, 0.001).both is None
    assert queries_for_width(y, np.ones(40), math.inf, 0.06).both == alone


def test_the_output_has_a_section():
    found = agree(runs=RUNS, measure="P@1", width=0.2)
    text = found.to_text()
    assert "bias of llm by grade of human" in text
    assert "interval of width 0.2" in text
    assert found.to_data()["bias"]["systems"][0]["system"] == "one"
    assert jd.agree({"human": HUMAN, "llm": MODEL}).to_data()["bias"] is None


@pytest.mark.parametrize(
    ("sources", "options", "slug"),
    [
        ({"human": HUMAN, "llm": MODEL}, {"model": "gpt"}, "judges"),
        ({"human": HUMAN, "llm": MODEL, "other": HUMAN}, {"model": "llm"}, "judges"),
        ({"human": HUMAN, "llm": MODEL}, {"model": "llm", "width": 0}, "parameter"),
        ({"human": ["x", "y"], "llm": ["x", "x"]}, {"model": "llm"}, "label"),
    ],
)
def test_a_wrong_request_is_refused(sources, options, slug):
    with pytest.raises(jd.JudgedError) as error:
        jd.agree(sources, **options)
    assert error.value.slug == slug
