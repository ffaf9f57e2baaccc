"""`judged convert`."""

from pathlib import Path

import pytest
from commands import QRELS, refused, run, values

pytestmark = pytest.mark.usefixtures("collection")


def test_convert_writes_the_form_that_the_name_says():
    assert run("convert", "a.run", "a.json") == ""
    assert Path("a.json").read_text() == '{"q1": {"d2": 0.9, "d3": 0.7, "d1": 0.5}, "q2": {"d1": 0.8, "d4": 0.3}}\n'
    run("convert", "qrels.txt", "qrels.csv.gz")
    run("convert", "qrels.csv.gz", "back.txt", "--kind", "qrels")
    assert Path("back.txt").read_bytes() == QRELS
    assert values("qrels.csv.gz", "a.json", "-m", "AP") == values("qrels.txt", "a.run", "-m", "AP")


def test_convert_asks_where_the_content_can_be_both():
    Path("x.json").write_text('{"q": {"d": 1}}')
    error = refused("convert", "x.json", "x.txt")
    assert (error.slug, error.exit_code, Path("x.txt").exists()) == ("kind", 2, False)
    for target in (["x.txt", "--kind", "run"], ["x.run"]):
        run("convert", "x.json", *target)
        assert Path(target[0]).read_text() == "q Q0 d 1 1.0 judged\n"
