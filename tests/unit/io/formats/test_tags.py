"""A TREC file with several runs, which differ in their tags."""

import gzip
from contextlib import nullcontext

import pytest
from native_rows import only_reference
from refusals import refusal

import judged as jd

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
A = "q1 Q0 a 1 2 A\nq1 Q0 b 2 1 A\nq2 Q0 b 1 2 A\n"
B = "q1 Q0 b 1 2 B\nq1 Q0 a 2 1 B\nq2 Q0 c 1 2 B\n"


@pytest.mark.parametrize("long", [0, 300], ids=["short", "long"])
@pytest.mark.parametrize("name", ["two.run", "two.run.gz", "folder/two.run"])
def test_two_runs_in_one_file_are_not_merged_without_a_word(name, long, save, tmp_path):
    more = "".join(f"r{i} Q0 a 1 2 {{}}\n" for i in range(long))
    text = A + more.format(*"A" * long) + B.replace("q", "p") + more.replace("r", "s").format(*"B" * long)
    (tmp_path / "folder").mkdir()
    for runs, wanted in ((text, ["tags"]), (text.replace("B\n", "A\n"), [])):
        path = save(name, gzip.compress(runs.encode()) if name.endswith("gz") else runs.encode())
        source = path.parent if "/" in name else path
        for core in (nullcontext, only_reference):
            with core():
                found = [w for w in jd.evaluate(QRELS, source, "RR").warnings if w.slug == "tags"]
                assert [w.slug for w in found] == wanted
                assert all("has the runs 'A', 'B', which count as one" in w.text for w in found)
                if source is path:
                    assert [w for w in jd.read_run(path).warnings if w.slug == "tags"] == found


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
