"""What other tools call a measure, and its values in cases that the formula leaves open."""

from functools import cache

import pytest
from for_each import for_each

from judged.evaluation.describe import edge_cases
from judged.evaluation.tool_differences import Peer, _with_number, peers_of
from judged.measures.other_tools import NAMES, SPELLINGS
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES, Definition, parse

OWN = [d for d in MEASURES if d.family != "own"]


@cache
def all_peers() -> dict[Definition, list[Peer]]:
    return {d: peers_of(d) for d in OWN}


@pytest.mark.parametrize("tool", {**SPELLINGS, **NAMES})
def test_every_name_of_a_tool_is_on_the_page_of_the_measure_that_it_means_there(tool):
    names = [*SPELLINGS.get(tool, "").split(), *NAMES.get(tool, {})]
    listed = {peer.name: d for d, peers in all_peers().items() for peer in peers if peer.tool == tool}
    for name in names:
        measure = parse(_with_number(name))
        profile = PROFILES.get(tool)
        meant = profile.apply(measure) if profile is not None and profile.has(measure) else measure
        assert listed.get(name, listed.get(f"{name}@k")) is meant.definition


def test_every_profile_of_a_tool_has_peers():
    tools = {peer.tool for peers in all_peers().values() for peer in peers}
    assert PROFILES.keys() - tools == {"notes"}  # functions of a course, not a tool


def test_differences_are_those_of_the_profile():
    found = {(peer.tool, peer.name): peer.difference for peer in peers_of(MEASURES.find("nDCG"))}
    assert found["trec_eval-10", "ndcg_cut.k"] == ""
    assert found["gdeval", "ndcg@k"].split("; ")[0] == "has the gain 2^grade − 1"
    assert found["rax", "ndcg_metric"] == "has the gain 2^grade − 1"
    assert found["sklearn", "ndcg_score"].split("; ")[0] == "averages over all orders of equal scores"


def test_another_measure_of_the_same_name_is_listed_where_it_belongs():
    assert ("beir", "Accuracy@k") in {peer[:2] for peer in peers_of(MEASURES.find("Success"))}
    assert ("lenskit", "Recall@k") in {peer[:2] for peer in peers_of(MEASURES.find("RCap"))}
    assert "beir" not in {peer.tool for peer in peers_of(MEASURES.find("Accuracy"))}


@for_each("definition", OWN, ids=lambda d: d.name)
def test_edge_cases_are_computed_for_every_measure_of_numbers(definition):
    cases = dict(edge_cases(definition))
    assert bool(cases) == (not definition.text and definition.needs != "spans")
    if "perfect" in definition.laws and cases:
        assert cases["every retrieved document is relevant, and none is missing"] == 1
    if "unit" in definition.laws:
        assert all(value is None or 0 <= value <= 1 for value in cases.values())


def test_edge_cases_are_the_values_of_the_policy():
    cases = dict(edge_cases(MEASURES.find("P")))
    assert cases["the only relevant document is at rank 1 of one, with the cutoff 5"] == 1 / 5
    assert [cases[f"no document is relevant (empty={empty})"] for empty in ("zero", "skip", "one")] == [0, None, 1]
