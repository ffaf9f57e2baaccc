"""Calls in loops: the work of one small call is counted, since times depend on the machine."""

import gc
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.core import join as joining
from judged.evaluation import evaluate as evaluating

JUDGMENTS = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(0, 20, 2)} for q in range(5)}
RUN = {f"q{q}": {f"d{d}": float((7 * d + q) % 20) for d in range(20)} for q in range(5)}
LISTS = {query: sorted(scores, key=scores.__getitem__, reverse=True) for query, scores in RUN.items()}
ARRAYS = np.arange(3200).reshape(32, 100) % 3, (np.arange(3200).reshape(32, 100) * 7919) % 3203
PACKAGE = str(Path(jd.__file__).parent)

SMALL = {  # a call, and the most calls of our own Python functions that it may take
    "dicts": (lambda: jd.evaluate(JUDGMENTS, RUN, "nDCG@10 AP"), 250),
    "lists of documents": (lambda: jd.evaluate(JUDGMENTS, LISTS, "nDCG@10 AP"), 270),
    "read judgments": (lambda: jd.evaluate(QRELS, RUN, "nDCG@10 AP"), 215),
    "joined": (lambda: jd.evaluate(JOINED, "nDCG@10 AP"), 110),
    "labels and scores": (lambda: jd.metrics.ndcg(*ARRAYS), 110),
    "labels and scores with a cutoff": (lambda: jd.metrics.ndcg(*ARRAYS, k=10), 125),
    "several measures of labels and scores": (lambda: jd.score(*ARRAYS, "nDCG@10 AP RR"), 230),
}
QRELS, JOINED = jd.read_qrels(JUDGMENTS), jd.join(JUDGMENTS, RUN)

small = pytest.mark.parametrize("name", SMALL)


def calls_of(function: Any) -> int:
    """The number of calls of Python functions of this package."""
    count = 0

    def profile(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith(PACKAGE)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.needs("native")  # the reference reads dicts in more steps
@small
def test_a_small_call_takes_few_calls_of_functions(name):
    function, most = SMALL[name]
    function()
    function()  # what is found once is known now
    assert calls_of(function) <= most


@pytest.mark.slow
@small
def test_a_small_call_leaves_no_garbage_in_cycles(name):
    function, _ = SMALL[name]
    function()
    gc.collect()
    gc.freeze()  # only what the call leaves is looked at
    gc.disable()
    try:
        function()
        assert gc.collect() == 0
    finally:
        gc.enable()
        gc.unfreeze()


def test_warnings_and_coverage_are_computed_when_they_are_asked_for(monkeypatch):
    asked = []
    for module, name in ((joining, "join_warnings"), (evaluating, "_coverage"), (evaluating, "level_warnings")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, n=name, o=original: asked.append(n) or o(*a))
    run = {**RUN, "other": {"d": 1.0}}
    result = jd.evaluate(JUDGMENTS, run, "nDCG@10 AP")
    assert not asked
    assert [warning.slug for warning in result.warnings] == ["query-unjudged"]
    assert result.warnings is result.warnings
    assert result.coverage == {"judged@10": pytest.approx(jd.evaluate(JUDGMENTS, run, "Judged@10").mean()["Judged@10"])}
    assert asked == ["join_warnings", "level_warnings", "_coverage"]


def test_a_level_that_no_document_reaches_is_an_error_at_once():
    refusal("no-relevant", jd.evaluate, JUDGMENTS, RUN, "AP(level=7)", empty="error")


def test_warnings_are_those_of_the_inputs_when_they_were_joined():
    judgments, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}
    result, joined = jd.evaluate(judgments, run, "AP"), jd.join(judgments, run)
    run["q2"] = {"a": 1.0}
    judgments.clear()
    assert [w.slug for w in result.warnings] == [w.slug for w in joined.warnings] == ["query-missing"]


def test_a_pickle_holds_what_was_not_asked_for_yet():
    judgments = {**JUDGMENTS, "q5": {"d1": 1}}
    result, joined = jd.evaluate(judgments, RUN, "AP"), jd.join(judgments, RUN)
    again, joined_again = pickle.loads(pickle.dumps((result, joined)))
    assert again.warnings == result.warnings != ()
    assert again.coverage == result.coverage
    assert joined_again.warnings == joined.warnings
