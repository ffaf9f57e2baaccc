"""Shapes of JSON: each is recognised by its content, and read for every kind that it has."""

import json

import pytest
from refusals import refusal

import judged as jd
from judged.io.formats.known_shapes import SHAPES
from judged.io.formats.shapes import parts_of, shape_of

ALL = [pytest.param(shape, id=shape.name) for shape in SHAPES]
READ = {"run": jd.read_run, "qrels": jd.read_qrels}


@pytest.mark.parametrize("shape", ALL)
def test_the_example_of_a_shape_is_recognised_as_that_shape(shape):
    value = json.loads(shape.example)
    assert shape_of(value) is shape


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("kind", READ)
def test_the_example_is_read_for_each_kind_that_the_shape_declares(shape, kind, tmp_path):
    path = tmp_path / "q1.json"
    path.write_text(shape.example)
    if getattr(shape, kind) is None:
        refusal("swapped", READ[kind], path)
    elif shape.name.endswith(" error"):
        refusal("engine-error", READ[kind], path)
    else:
        assert len(READ[kind](path))


@pytest.mark.parametrize("shape", [shape for shape in ALL if shape.values[0].one_query])
def test_the_answer_to_one_query_is_read_in_every_surrounding(shape):
    value = json.loads(shape.example)
    for surrounding in (
        {"q1": value},
        [{"query": "q1", "response": value}],
        {"qid": "q1", "answer": value},
        {"ts": "2026-11-19", "user": "u1", "q": "q1", "es_response": value},
    ):
        (part,) = parts_of(surrounding) or [None]
        assert (part.shape, part.query, part.value) == (shape, "q1", value)


def test_ordinary_tables_have_no_shape():
    for value in (
        {"q1": {"d1": 1.0}},
        {"q1": ["d1"]},
        [{"query": "q1", "doc": "d1", "score": 1}],
        [],
        {},
        3,
        {"hits": {"hits": 1}},
    ):
        assert parts_of(value) is None


@pytest.mark.parametrize("shape", ALL)
def test_names_of_a_shape_are_ordinary_ids_in_a_run(shape, tmp_path):
    paths = [path.replace("[]", "").replace("{}", "") for path in shape.requires]
    outer = {path.split(".")[0]: dict.fromkeys(path.split(".")[1:] or ["d1"], 1.5) for path in paths}
    names = dict.fromkeys([*outer, *paths], 2.5)
    runs = [
        {**outer, "q": []}, {"q": [], **outer}, {**outer, "q": {"d1": 0.5}}, {"q1": names, "q": []}, {"q": {}, "q1": names},
        {**{name: [] for name in names}, "q": ["d1"]}, {**{name: ["d1", *names] for name in names}, "q": []},
    ]  # fmt: skip
    for run in runs:
        (tmp_path / "run.json").write_text(json.dumps(run))
        assert jd.read_run(tmp_path / "run.json").to_dict() == jd.read_run(run).to_dict()
        read = {
            query: {doc: len(docs) - i for i, doc in enumerate(docs)} if isinstance(docs, list) else docs
            for query, docs in run.items()
        }
        assert jd.read_run(run).to_dict() == read


def test_names_of_shapes_are_declared_once():
    assert len(SHAPES) == len({shape.name for shape in SHAPES})


ODD = (
    None,
    True,
    3,
    -1,
    1e308,
    float("nan"),
    "",
    "text",
    [],
    {},
    [3],
    [None],
    {"a": 1},
    {"hits": 3},
    [[]],
    "x" * 5000,
    10**30,
    "\0",
    "\ud800",
)


def mutations(value, replace):
    """Copies of a document, each with another value in one place, or without it."""
    yield from (replace(odd) for odd in ODD)
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():

        def inside(odd, key=key):
            changed = value.copy()
            changed[key] = odd
            return replace(changed)

        yield from mutations(value[key], inside)
        less = value.copy()
        del less[key]
        yield replace(less)


@pytest.mark.parametrize("shape", ALL)
def test_any_value_in_any_place_is_read_or_refused_with_a_message(shape):
    """Never another exception; mutations are sampled evenly to keep this fast."""
    documents = list(mutations(json.loads(shape.example), lambda odd: odd))
    outcomes = set()
    for document in documents[:: max(len(documents) // 40, 1)]:
        for kind, read in READ.items():
            source = {"q1": document} if shape.one_query and kind == "run" else document
            try:
                read(source)
                outcomes.add("read")
            except jd.JudgedError as error:
                outcomes.add(error.slug)
    assert len(outcomes) > 2
