"""A TREC file with several runs, which differ in their tags."""

import gzip
import io
from contextlib import nullcontext

import pytest
from commands import run as command
from native_rows import only_reference
from refusals import refusal

import judged as jd

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
A = "q1 Q0 a 1 2 A\nq1 Q0 b 2 1 A\nq2 Q0 b 1 2 A\n"
B = "q1 Q0 b 1 2 B\nq1 Q0 a 2 1 B\nq2 Q0 c 1 2 B\n"


@pytest.fixture
def both(save):
    return save("two.run", A + B)


def test_each_tag_is_a_run(both, save, rows):
    packed = save("two.run.gz", gzip.compress((A + B).encode()))
    for tag, lines in (("A", A), ("B", B)):
        alone = jd.read_run(save("one.run", lines))
        for source in (both, packed, io.StringIO(A + B)):
            chosen = jd.read_run(source, tag=tag)
            assert rows(chosen) == rows(alone)
            assert chosen.tag == alone.tag == tag
        assert jd.evaluate(QRELS, both, "RR", tag=tag).mean() == jd.evaluate(QRELS, alone, "RR").mean()
    assert jd.read_run(both, tag="B").where(0).line == 4


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
    assert dict(error.hint.options) == {"tag": "A"}
    with only_reference():
        assert str(refusal("duplicate-doc", jd.evaluate, QRELS, path, "RR")) == str(error)
    error = refusal("duplicate-doc", jd.evaluate, QRELS, save("one.run", A + A), "RR")
    assert "has the runs" not in str(error)
    assert dict(error.hint.options) == {"duplicates": "first"}


def test_a_tag_that_no_input_has_is_refused(both, save):
    error = refusal("split", jd.read_run, both, tag="C")
    assert "'C' is not one of the tags 'A', 'B'" in str(error)
    for run in (QRELS, save("a.csv", "query,doc,score\nq1,a,1\n")):
        assert "no input has tags" in str(refusal("split", jd.evaluate, QRELS, run, "RR", tag="A"))
        assert "no input has tags" in str(refusal("split", jd.read_run, run, tag="A"))
    refusal("engine", jd.evaluate, QRELS, both, "RR", tag="A", engine="local")


def test_commands_choose_a_tag(both, save):
    qrels = save("qrels.txt", "q1 0 a 1\nq2 0 b 1\n")
    assert "1.0000" in command("eval", qrels, both, "-m", "RR", "--tag", "A")
    assert "0.2500" in command("eval", qrels, both, "-m", "RR", "--tag", "B")
    assert "identical" in command("compare", qrels, f"x={both}", f"y={both}", "-m", "RR", "--tag", "B")
