"""`judged conventions`."""

import json

import pytest
from commands import called, refused, run

from judged.measures.profiles import PROFILES

pytestmark = pytest.mark.usefixtures("collection")


def test_every_tool_and_the_reason_of_its_difference_is_printed():
    text = run("conventions", "P@5", "qrels.txt", "b.run")
    assert text.startswith("P@5 is 0.3000 by default; ")
    assert "shrinks the cutoff to the length of a shorter ranking" in text
    assert all(name in text for name in PROFILES)
    assert "judged knows no such measure of gdeval" in text


def test_a_published_number_is_looked_for():
    found = json.loads(run("conventions", "P@5", "qrels.txt", "b.run", "--to", "0.83", "--format", "json"))
    assert {match["profile"] for match in found["matches"]} == {"xgboost", "catboost", "lenskit", "mlflow"}
    assert (found["to"], found["found"]) == ("0.83", True)
    assert refused("conventions", "P@5", "qrels.txt", "b.run", "--to", "high").slug == "parameter"


def test_there_is_no_profile_to_choose():
    assert called("conventions", "AP", "qrels.txt", "a.run", "--profile", "ranx").returncode == 2
