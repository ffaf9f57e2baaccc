"""Values of a measure in the cases that its formula leaves open, computed."""

from __future__ import annotations

from typing import NamedTuple, get_args

from judged.core.policy import Empty
from judged.evaluation.evaluate import evaluate
from judged.measures.registry import Definition, Measure

_BESIDE = "other"  # a query that is judged and answered, so that neither input is empty
_DEPTH = 5


class EdgeCase(NamedTuple):
    """A case in words, and the value of the query; None if it has none."""

    case: str
    value: float | None


def edge_cases(definition: Definition) -> list[EdgeCase]:
    """Compute the value for queries without results or relevant documents, for short rankings, and for perfect ones.

    Measures of text, of spans and of users have no such cases.

    >>> from judged.measures.registry import MEASURES
    >>> edge_cases(MEASURES.find("P"))[0]
    EdgeCase(case='the query is not in the run', value=0.0)
    """
    if definition.text or definition.needs == "spans" or definition.family == "own":
        return []
    measure = Measure(definition)
    at = measure @ _DEPTH if definition.at == "cutoff" else measure
    two, one = {"a": 1.0, "b": 0.0}, {"a": 1.0}
    cases = [
        EdgeCase("the query is not in the run", _value(at, two, [])),
        EdgeCase("only documents that nobody judged are retrieved", _value(at, two, ["x", "y"])),
        EdgeCase("every retrieved document is relevant, and none is missing", _value(measure, two, ["a"])),
    ]
    if at is not measure:
        text = f"the only relevant document is at rank 1 of one, with the cutoff {_DEPTH}"
        cases.append(EdgeCase(text, _value(at, one, ["a"])))
    none = {"a": 0.0, "b": 0.0}
    cases += [
        EdgeCase(f"no document is relevant (empty={empty})", _value(at, none, ["a"], empty))
        for empty in get_args(Empty)
        if empty != "error"
    ]
    return cases


def _value(measure: Measure, grades: dict[str, float], ranking: list[str], empty: Empty = "zero") -> float | None:
    docs = [*grades.items(), ("a", 1.0), ("b", 0.0)]
    queries = [*(["q"] * len(grades)), _BESIDE, _BESIDE]
    qrels = {
        "query": queries,
        "doc": [doc for doc, _ in docs],
        "grade": [grade for _, grade in docs],
        "aspect": [1] * len(docs),
    }
    scores = {doc: float(-rank) for rank, doc in enumerate(ranking)}
    run = {_BESIDE: {"a": 1.0}, **({"q": scores} if scores else {})}
    values = evaluate(qrels, run, measure, empty=empty)
    row = dict(zip(map(str, values.queries), values[str(measure)].tolist(), strict=True))
    value = row.get("q")
    return None if value is None or value != value else value
