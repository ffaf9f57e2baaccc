"""A TREC file with several runs, which differ in their tags."""

import gzip

import pytest
from native_rows import only_reference
from refusals import refusal

import judged as jd

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
A = "q1 Q0 a 1 2 A\nq1 Q0 b 2 1 A\nq2 Q0 b 1 2 A\n"
B = "q1 Q0 b 1 2 B\nq1 Q0 a 2 1 B\nq2 Q0 c 1 2 B\n"


@pytest.mark.parametrize("name", ["two.run", "two.run.gz"])
def test_duplicates_of_several_runs_say_so(name, save):
    text = (A + B).encode()
    path = save(name, gzip.compress(text) if name.endswith("gz") else text)
    error = refusal("duplicate-doc", jd.evaluate, QRELS, path, "RR")
    assert "the file has the runs 'A', 'B'" in error.problem
    assert "a file of its own" in str(error)
    with only_reference():
        assert str(refusal("duplicate-doc", jd.evaluate, QRELS, path, "RR")) == str(error)
    error = refusal("duplicate-doc", jd.evaluate, QRELS, save("one.run", A + A), "RR")
    assert "has the runs" not in str(error)
    assert dict(error.hint.options) == {"duplicates": "first"}
