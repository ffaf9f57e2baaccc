"""Keyword options of evaluations: their types, and the error of an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from judged.core.policy import Empty, PolicyOptions, Precision, Ties
from judged.errors import UsageError
from judged.io.columns import ANY_COLUMNS, ColumnRequest, Split
from judged.measures.registry import Measure

_MEANT = {  # names in other tools
    "metric": "use measures=",
    "metrics": "use measures=",
    "measure": "use measures=",
    "qrel": "use qrels=",
    "runs": "use run=",
    **dict.fromkeys(
        ("k", "cutoff", "at", "topk", "top_k"), "write the cutoff in the name of the measure, such as nDCG@10"
    ),
    **dict.fromkeys(("relevance_level", "rel", "min_rel", "threshold"), "use level="),
    **dict.fromkeys(("tie", "tie_breaking", "ignore_ties"), "did you mean 'ties'?"),
    **dict.fromkeys(("empty_target_action", "zero_division"), "use empty="),
    "ignore_index": "use pad= or mask=",
    "per_query": "read the values per query from the result: result['AP'], result.to_dict()",
    "indexes": "use qid=",
    "return_mean": "use .mean() of the result",
    "threads": "use engine=Threads(n)",
    "make_comparable": "use queries='both'",
    "stat_test": "use test=",
    "max_p": "use alpha=",
    "results": "pass results as the first argument, without a name",
}


class JudgmentColumns(TypedDict, total=False):
    """Column names of judgments, and grades for words.

    Args:
        query_col: name of the query id column; if there are several, each table uses the first that it has.
        doc_col: name of the document id column.
        grade_col: name of the grade column.
        grade_map: grades for words, such as Exact=3 and Substitute=2; `{"Exact": 3, "Substitute": 2}`.
        split: split to read, if a BEIR folder or MTEB predictions have several.
    """

    query_col: str | Sequence[str] | None
    doc_col: str | Sequence[str] | None
    grade_col: str | Sequence[str] | None
    grade_map: Mapping[str, float] | None
    split: str | None


class ColumnOptions(JudgmentColumns, total=False):
    """Column names of judgments and runs, and grades for words.

    Args:
        score_col: name of the score column.
        tag: tag of the run to read, if a TREC file has several runs.
        rank_col: name of the rank column.
    """

    score_col: str | Sequence[str] | None
    rank_col: str | Sequence[str] | None
    tag: str | None


class InputOptions(ColumnOptions, total=False):
    """Column and field names of the inputs, and grades for words.

    Args:
        question: field with the question or its id, in a question file.
        retrieved: field with the retrieved documents, in a question file.
        relevant: field with the relevant documents, in a question file.
    """

    question: str | None
    retrieved: str | None
    relevant: str | None


INPUT_OPTIONS = tuple(InputOptions.__annotations__)


class EvaluateOptions(PolicyOptions, InputOptions, total=False):
    """Policies, reading and preparation of the inputs, and the engine; see `Policy`.

    Args:
        roll_up: rank documents instead of chunks: by the first chunk, or by the max or sum of scores; see `jd.rag.roll_up`.
        documents: text that separates document and chunk in an id, such as # in guide.md#3; or the document of each chunk, see `jd.rag.roll_up`.
        chunks: table of chunks with their documents, spans and tokens.
        tokens: token counts of chunks; {chunk: count} or a table.
        exclude_self: exclude the document with the same id as the query; or {query: documents} to exclude.
        overlap: when a chunk contains a span: at any overlap (any), or at a minimum share (gold>=0.5, chunk>=0.5, iou>=0.5).
        engine: engine that scans the run: memory, local (in partitions, with little memory) or spark, on the command line also with its cluster (spark:yarn, spark:local[4]); see `open_run`. [default: local for directories and patterns, else memory]
    """

    roll_up: str | None
    documents: Any
    chunks: Any
    tokens: Any
    exclude_self: bool | Mapping[Any, Any]
    overlap: str | None
    engine: Any


class ArrayOptions(TypedDict, total=False):
    """The policies that apply to labels and scores in arrays; see `Policy`."""

    ties: Ties
    empty: Empty
    depth: int | None
    precision: Precision


PREPARATION = ("roll_up", "documents", "chunks", "tokens", "exclude_self", "overlap")


def requested_columns(options: Mapping[str, Any]) -> ColumnRequest:
    """The columns, grades of words and split among options, for judgments and runs together."""
    roles = ("query", "doc", "score", "grade", "rank")
    named = {role: name for role in roles if (name := options.get(f"{role}_col")) is not None}
    grade_map, split, tag = (options.get(name) for name in ("grade_map", "split", "tag"))
    if not named and grade_map is None and split is None and tag is None:
        return ANY_COLUMNS
    return ColumnRequest("", named, grade_map=grade_map, split=Split.of(split), tag=Split.of(tag, "tag"), used={})


def policies_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `evaluate` that are policies; an unknown option is an error."""
    check_options(options, (*EvaluateOptions.__annotations__, "prepared"))
    return {
        name: value for name, value in options.items() if name in PolicyOptions.__annotations__ or name == "prepared"
    }


def named_columns(options: Mapping[str, Any], kind: type[JudgmentColumns]) -> ColumnRequest:
    """The columns and grades of words among options, all of which must be of this kind."""
    check_options(options, kind.__annotations__)
    return requested_columns(options)


def check_options(
    options: Iterable[str], known: Iterable[str], named: tuple[str, ...] = ("measures", "level", "profile")
) -> None:
    """Raise if a keyword option is not known; suggest the one that was meant. `named` are other parameters of the function.

    Raises:
        UsageError: `unknown-option`.
    """
    known = tuple(known)
    for name in options:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, [other for other in (*known, *named) if other != name], 1)
            action = _MEANT.get(name) or (f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(known)}")
            if action == "use measures=" and "measure" in named:
                action = "use measure="
            raise UsageError("unknown-option", f"unknown option {name!r}", hint=action, value=name)


def with_level(measure: Measure, level: float | None) -> Measure:
    """The measure at this level, if it is a binary one that does not set its own."""
    applies = level is not None and measure.definition.binary and "level" not in measure.explicit
    return measure(level=level) if applies else measure
