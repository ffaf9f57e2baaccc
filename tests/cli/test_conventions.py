"""`judged conventions`."""

import json

import pytest
from commands import refused, run

pytestmark = pytest.mark.usefixtures("collection")


def test_a_published_number_is_looked_for():
    found = json.loads(run("conventions", "P@5", "qrels.txt", "b.run", "--to", "0.83", "--format", "json"))
    assert {match["profile"] for match in found["matches"]} == {"xgboost", "catboost", "lenskit", "mlflow"}
    assert (found["to"], found["found"]) == ("0.83", True)
    assert refused("conventions", "P@5", "qrels.txt", "b.run", "--to", "high").slug == "parameter"
