"""The names of pytrec_eval: `from judged.compat import pytrec_eval`.

Values are those of the profile `pytrec_eval`. Grades may be fractions, ids may be integers, and what pytrec_eval computes from a NaN score
or crashes on is an error. See `docs/migration/pytrec_eval.md`.
"""

from __future__ import annotations

import io
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from judged.compat._errors import as_type, raising, whole
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import ranked_rows
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import evaluate
from judged.evaluation.values import Values
from judged.io.read import read_qrels, read_run
from judged.measures.other_tools import CUTOFFS, NICKNAMES, ORDER, RUN_ID
from judged.registry import choose_one
from judged.stats.intervals import FLOOR, SUMMARIES

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_LATER = {"rbp", "rbp_resid", "unj"}  # of trec_eval 10
_TEXTS = (RUN_ID, "relstring")  # which are 0 in pytrec_eval
supported_nicknames: dict[str, set[str]] = {name: {*names} - _LATER for name, names in NICKNAMES.items()}
supported_measures: set[str] = {*supported_nicknames["all_trec"]}
_LONGEST_FIRST = "|".join(sorted(map(re.escape, supported_measures), key=len, reverse=True))
_PARAMETERS = re.compile(rf"({_LONGEST_FIRST})[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run: {query: {document: score}}.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])["q1"]
    {'d1': 2.5}
    """
    return defaultdict(dict, _parse(f_run, read_run, partial(ranked_rows, hint="keep one of them")))


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC judgments: {query: {document: grade}}; a fractional grade stays a fraction.

    >>> parse_qrel(["q1 0 d1 2"])["q1"]
    {'d1': 2}
    """
    rows = _parse(f_qrel, read_qrels, pool_of)
    return defaultdict(dict, {query: {doc: whole(x) for doc, x in row.items()} for query, row in rows.items()})


def _parse(lines: Iterable[str], read: Callable[[Any], Any], check: Callable[[Any, Policy], Any]) -> dict[str, Any]:
    """Read lines, none of which need be there, and check that no document is there twice."""
    text = "\n".join(line.rstrip("\n") for line in lines)
    if not text.strip():
        return {}
    table = read(io.StringIO(text))
    with raising(AssertionError):
        check(table, Policy())
    rows: dict[str, Any] = table.to_dict()
    return rows


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Summarise the values of a measure over queries: counts (`num_…`) are summed, of others it is the mean.

    Values of `gm_map` and `gm_bpref` are logarithms, as `evaluate` returns them; the result is the geometric mean.

    >>> compute_aggregated_measure("num_ret", [2.0, 3.0])
    5.0
    """
    import numpy as np

    result = SUMMARIES["sum" if measure.startswith("num_") else "mean"](np.asarray(values, dtype=np.float64))
    return math.exp(result) if measure.startswith("gm_") else result


class RelevanceEvaluator:
    """Evaluate runs with the same judgments and measures.

    Args:
        query_relevance: {query: {document: grade}}, or anything that `jd.read_qrels` takes.
        measures: names of trec_eval's measures, such as `map`, `ndcg_cut.10`, `P_5,10`, and nicknames of lists of them.
        relevance_level: lowest relevant grade.
        judged_docs_only_flag: remove unjudged documents from the rankings first.

    Raises:
        ValueError: a measure that pytrec_eval does not have.
        TypeError: judgments that cannot be read, or a level that is no integer ≥ 1.

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.10"})
    >>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 2.0}})
    {'q1': {'map': 1.0, 'ndcg_cut_10': 1.0}}
    """

    def __init__(
        self,
        query_relevance: Any,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if not isinstance(relevance_level, int) or relevance_level < 1:
            error = UsageError("option", "an integer ≥ 1", got=shown(relevance_level), where="relevance_level")
            raise as_type(error, TypeError)
        self._labels = _combine((measures,) if isinstance(measures, str) else tuple(measures))
        self._names = tuple(name for name in self._labels if name not in _TEXTS)
        if isinstance(query_relevance, Mapping):
            query_relevance = {query: row for query, row in query_relevance.items() if len(row)}
        with raising(TypeError):
            self._qrels = read_qrels(query_relevance) if _has_rows(query_relevance) else None
        self._options: dict[str, Any] = {"level": relevance_level, "profile": "pytrec_eval", "keep_names": True}
        if judged_docs_only_flag:
            self._options["unjudged"] = "condensed"

    def evaluate(self, scores: Any) -> dict[str, dict[str, float]]:
        """Evaluate a run, {query: {document: score}} or anything that `jd.read_run` takes; return {query: {measure: value}}.

        The queries are those of the run that have judgments, in the order of the run.

        Raises:
            TypeError: a run that cannot be read, or a score that is no number.
        """
        if self._qrels is None or not _has_rows(scores):
            return {}
        try:
            values = evaluate(self._qrels, scores, self._names or ("num_q",), **self._options)
        except DataError as error:
            if error.slug == "no-common-query":
                return {}
            raise as_type(error, TypeError) from error
        columns = {label: _column(values, name) for name, label in self._labels.items()}
        rows = zip(*columns.values(), strict=True) if columns else ((),) * len(values)
        found = {query: dict(zip(columns, row, strict=True)) for query, row in zip(values.queries, rows, strict=True)}
        if not isinstance(scores, Mapping):
            return found  # type: ignore[return-value]  # ids are usually text
        return {query: found[query] for query in scores if query in found}


def _column(values: Values, name: str) -> list[float]:
    """The values of one measure; equal measures share a column, as Rprec_mult_1.00 is Rprec."""
    if name in _TEXTS:
        return [0.0] * len(values)
    column: list[float] = (values.columns[name] if name in values.columns else values[name]).tolist()
    return [math.log(max(x, FLOOR)) for x in column] if name.startswith("gm_") else column


def _has_rows(source: Any) -> bool:
    return not isinstance(source, Mapping | list | tuple) or len(source) > 0


def split_name(name: str) -> tuple[str, list[str]]:
    """The name of a measure of trec_eval, and its parameters.

    Raises:
        UsageError: a measure that pytrec_eval does not have.

    >>> split_name("ndcg_cut.10,5")
    ('ndcg_cut', ['10', '5'])
    """
    found = None if name in supported_measures else _PARAMETERS.match(name)
    if found is None and name not in supported_measures:
        hint = choose_one(name, sorted(supported_measures))
        raise UsageError("unknown-name", f"unsupported measure {shown(name)}", value=name, hint=hint)
    return (name, []) if found is None else (found[1], found[2].split(","))


@lru_cache(maxsize=64)  # callers in loops ask for the same measures
def _combine(measures: tuple[str, ...]) -> Mapping[str, str]:
    """The names of single measures as `judged` knows them, and as pytrec_eval prints them, in the order of trec_eval.

    >>> _combine(("P.10", "P_5", "map", "set_F.0.5"))
    {'map': 'map', 'P_5': 'P_5', 'P_10': 'P_10', 'set_F_0.5': 'set_F'}
    """
    wanted: dict[str, set[str]] = {}
    for base, given in (split_name(name) for m in measures for name in supported_nicknames.get(m, (m,))):
        wanted.setdefault(base, set()).update(given)
    labels: dict[str, str] = {}
    for base in (name for name in ORDER if name in wanted):
        values = sorted(map(float, wanted[base]))
        if base in CUTOFFS:
            ranks = isinstance(CUTOFFS[base][0], int)
            names = [f"{base}_{int(x)}" if ranks else f"{base}_{x:.2f}" for x in values or CUTOFFS[base]]
            labels |= {name: name for name in names}
        else:
            labels[f"{base}_{values[0]:g}" if values else base] = base
    return labels
