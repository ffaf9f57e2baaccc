"""`judged measures`."""

import json

import pytest
from commands import run

from judged.measures.registry import MEASURES

pytestmark = pytest.mark.usefixtures("collection")


def test_measures_describes_one():
    text = run("measures", "hit_rate@5")
    described = MEASURES.find("Success")
    assert text.startswith("Success\n\n" + described.intuition)
    for part in (described.description, described.formula, "Example: ", "cutoff (after @)", "hit_rate"):
        assert part in text


def test_a_listed_measure_is_not_described_as_another_with_this_alias():
    for definition in MEASURES:
        assert json.loads(run("measures", definition.name, "--format", "json"))["name"] == definition.name


def test_measures_lists_every_one_and_those_beyond_accuracy():
    some = [row["measure"] for row in json.loads(run("measures", "--format", "json"))]
    listed = {row["measure"] for row in json.loads(run("measures", "--all", "--format", "json"))}
    assert some[:5] == ["nDCG", "AP", "RR", "P", "R"]
    assert listed > set(some)
    assert {d.name for d in MEASURES} <= listed
    assert {"ILS", "Novelty"} <= listed
    assert "ILS" in run("measures", "ILS")


@pytest.mark.parametrize(("name", "command"), [("kappa", "agree"), ("tau", "correlate"), ("rbo(p=0.9)", "correlate")])
def test_a_coefficient_is_described_with_the_command_that_computes_it(name, command):
    assert f"judged {command}" in run("measures", name)
