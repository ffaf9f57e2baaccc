"""A saved result is read back exactly or refused, whatever is done to the file; and never with the exit code of the gate's no."""

import copy
import json

import pytest
from for_each import for_each
from hypothesis import given, settings
from hypothesis import strategies as st

import judged as jd
from judged.errors import JudgedError
from judged.evaluation.saved_values import with_checksum
from judged.measures.registry import MEASURES, Measure

VALUES = jd.evaluate(
    {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}, {"q1": ["b", "a"], "q2": ["x", "a"]}, "AP DCG NumRet", bounds=True
)
TEXT = VALUES.to_json()
NUMBERS = (10**400, -(10**400), 1e308, -5, 2, True, "1", [1], {}, "x" * 9)


def refused(text: str) -> str:
    with pytest.raises(JudgedError) as caught:
        jd.Values.from_json(text)
    assert caught.value.exit_code == 2
    return caught.value.slug


def paths(data, at=()) -> list[tuple]:
    """The place of every part of a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(found for key, value in items for found in paths(value, (*at, key)))]


def changed(path, value) -> dict:
    data = copy.deepcopy(json.loads(TEXT))
    if not path:
        return value
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return data


PLACES = paths(json.loads(TEXT))


def test_every_measure_is_saved_within_its_range(tmp_path):
    simple = [str(Measure(d)) for d in MEASURES if d.family != "own" and d.needs == "grades"]
    values = jd.evaluate(
        {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0}}, {"q1": ["b", "a", "x"], "q2": ["x", "a"]}, simple
    )
    values.save(tmp_path / "v.json")
    assert jd.load(tmp_path / "v.json").to_json() == values.to_json()


@for_each("path", PLACES, ids=lambda path: ".".join(map(str, path)) or "whole")
def test_any_change_of_any_part_is_refused(path):
    for value in (*NUMBERS, None):
        data = changed(path, value)
        if json.dumps(data) != json.dumps(json.loads(TEXT)):  # as text, True is not 1
            assert refused(json.dumps(data)) == "values-file"


def test_a_newer_format_and_a_deep_one_are_refused():
    assert refused(json.dumps(with_checksum({**json.loads(TEXT), "judged": 3}))) == "values-file"
    for mark in ("[", '{"a":'):
        assert refused(mark * 100_000) == "values-file"
    assert refused(TEXT.replace('"profile"', '"profile": "x", "profile"', 1)) == "values-file"


@settings(max_examples=60)
@given(cut=st.integers(0, len(TEXT) - 1), byte=st.characters(codec="ascii"))
def test_a_cut_or_altered_file_is_refused(cut, byte):
    assert refused(TEXT[:cut]) == "values-file"
    altered = TEXT[:cut] + byte + TEXT[cut + 1 :]
    try:
        values = jd.Values.from_json(altered)
    except JudgedError as error:
        assert error.slug == "values-file"  # noqa: PT017
        return
    assert values.to_json() == TEXT  # a blank, or nothing, changed
