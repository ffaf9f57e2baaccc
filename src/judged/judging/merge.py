"""Merge the judgments of several judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core.policy import Rejudged
from judged.core.tables import IdColumn, Qrels
from judged.errors import DataError, Hint, UsageError, shown
from judged.evaluation.options import JudgmentColumns, named_columns
from judged.io.columns import ColumnRequest
from judged.judging.panel import Panel, Units, read_panel
from judged.stats.checks import check_choice
from judged.steps import step
from judged.tables.table import counted

How = Literal["majority", "mean", "median", "max", "min", "adjudicate"]
MergeTies = Literal["error", "lower", "higher", "first"]
Missing = Literal["keep", "drop", "error"]

_MEANS: dict[str, Any] = {"mean": np.nanmean, "median": np.nanmedian, "max": np.nanmax, "min": np.nanmin}


def merge_judgments(
    *sources: Any,
    how: How = "majority",
    adjudicator: Any = None,
    ties: MergeTies = "error",
    missing: Missing = "keep",
    name: str | None = None,
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_col: str | None = None,
    **columns: Unpack[JudgmentColumns],
) -> Qrels:
    """Merge the judgments of several judges into one grade per document; `write_qrels` writes the result.

    Args:
        sources: judgments of two or more judges, each in any format that `read_qrels` accepts; or one mapping {name: judgments};
            or one table with all judges, see `judges` and `judge_col`.
        how: merged grade: majority (the most frequent), mean, median, max or min; or adjudicate, the grade of the `adjudicator`
            where judges disagree. Means and medians are not rounded.
        adjudicator: judgments of at least the documents on which judges disagree.
        ties: what to do if grades are equally frequent: raise an error, or use the lower, the higher or the first judge's grade.
        missing: what to do with documents that not all judges judged: merge the available grades (keep), drop them, or raise an error.
        name: name of the merged judgments.
        rejudged: grade to use if a judge gave a document two different grades, see `Policy`.
        judges: grade columns of a single table, one per judge.
        judge_col: column with the judge of each row, if one table has all judges.
        columns: names of columns (`query_col`, `doc_col`, `grade_col`), each used in every table that has it; `grade_map`, grades of words.

    Raises:
        DataError: some documents remain undecided; the message gives their number and the first of them.

    >>> merged = merge_judgments({"q": {"d": 1}}, {"q": {"d": 2}}, {"q": {"d": 2}})
    >>> merged.grade
    array([2.])
    """
    check_choice(missing, Missing, "missing", slug="merge-how")
    if (how == "adjudicate") != (adjudicator is not None):
        hint = Hint("set both, or neither", how="adjudicate", adjudicator=None)
        raise UsageError("merge-how", "an adjudicator belongs to adjudication", hint=hint)
    named = named_columns(columns, JudgmentColumns)
    panel = read_panel(sources, rejudged=rejudged, judges=judges, judge_col=judge_col, columns=named)
    if panel.units is None:
        raise UsageError("merge-how", "columns of labels have no documents and cannot be merged")
    units = panel.units
    keep = _units_to_keep(panel, missing)
    adjudicated = None if adjudicator is None else _adjudicated_grades(panel, adjudicator, rejudged, named)[keep]
    named.check_used()
    with step("merging judgments"):
        merged = merge(panel.grades[:, keep], how, ties, adjudicated)
    undecided = keep[np.isnan(merged)]
    if len(undecided):
        if how == "adjudicate":
            raise DataError("merge-how", f"the adjudicator has no grade for {_documents(units, undecided)}")
        hint = Hint("use {ties}, or merge by mean or median", ties="lower")
        raise DataError("merge-how", f"no majority for {_documents(units, undecided)}", hint=hint)
    return _qrels(units, keep, merged, name or f"{how} of {', '.join(panel.names)}")


def _units_to_keep(panel: Panel, missing: Missing) -> Ints:
    assert panel.units is not None
    incomplete = np.flatnonzero(panel.ratings.rated() < len(panel.names))
    if missing == "error" and len(incomplete):
        hint = Hint("merge the available grades with {missing}", missing="keep")
        raise DataError("merge-how", f"not all judges judged {_documents(panel.units, incomplete)}", hint=hint)
    every = np.arange(len(panel.units))
    kept = np.setdiff1d(every, incomplete) if missing == "drop" else every
    if not len(kept):
        raise DataError(
            "empty-qrels", "no document was judged by all judges", hint=Hint("use {missing}", missing="keep")
        )
    return kept


def _adjudicated_grades(panel: Panel, adjudicator: Any, rejudged: Rejudged, columns: ColumnRequest) -> Floats:
    """Return the adjudicator's grade of each unit of the panel."""
    names = [*map(str, range(len(panel.qrels))), "adjudicator"]
    extended = read_panel([*panel.qrels, adjudicator], names, rejudged=rejudged, columns=columns)
    judged = (extended.ratings.codes[:-1] >= 0).any(axis=0)  # the units of the panel, in the same order
    return extended.grades[-1][judged]


def _documents(units: Units, rows: Ints) -> str:
    pairs = zip(units.query[rows[:3]], units.docs(rows[:3]), strict=True)
    named = ", ".join(f"{shown(units.queries[query])} {shown(doc)}" for query, doc in pairs)
    return f"{counted(len(rows), 'document')}: {named}{' …' if len(rows) > 3 else ''}"


def _qrels(units: Units, keep: Ints, grade: Floats, name: str) -> Qrels:
    present, query = np.unique(units.query[keep], return_inverse=True)
    ids = IdColumn.of([str(units.queries[i]).encode("utf-8", "surrogateescape") for i in present])
    return Qrels(
        name=name,
        queries=ids,
        query=query,
        doc=units.doc.take(keep),
        query_kind=units.kinds[0],
        doc_kind=units.kinds[1],
        grade=grade,
    )


def merge(
    grades: Floats, how: How = "majority", ties: MergeTies = "error", adjudicated: Floats | None = None
) -> Floats:
    """Merge grades (judges × units, NaN for a missing judgment) into one column; NaN where it is undecided.

    A unit with one grade keeps it. Means and medians are not rounded.

    Args:
        grades: one row per judge.
        how: "majority" is the most frequent grade, which need not be an absolute majority; "adjudicate" takes the grade of
            `adjudicated` where judges disagree.
        ties: grades that are equally frequent: undecided ("error"), the lower or the higher one, or the one of the first judge.
        adjudicated: grades of the adjudicator; a unit that needs one and has none stays undecided.

    >>> merge(np.array([[0, 2.0], [1, 2], [1, 0]]))
    array([1., 2.])
    """
    check_choice(how, How, "how", slug="merge-how")
    check_choice(ties, MergeTies, "ties", slug="merge-how")
    none = np.isnan(grades).all(axis=0)
    filled = np.where(none, 0.0, grades)  # NumPy warns about columns of NaN
    if how == "majority":
        merged = _majority(filled, ties)
    elif how == "adjudicate":
        low, high = np.nanmin(filled, axis=0), np.nanmax(filled, axis=0)
        merged = np.where(low == high, low, np.nan if adjudicated is None else adjudicated)
    else:
        merged = _MEANS[how](filled, axis=0)
    return np.where(none, np.nan, merged)


def _majority(grades: Floats, ties: MergeTies) -> Floats:
    votes = np.zeros(grades.shape, np.int64)
    for one in grades:
        votes += grades == one  # the number of judges who gave each grade; NaN equals nothing
    leading = votes == votes.max(axis=0)
    low = np.where(leading, grades, np.inf).min(axis=0)
    high = np.where(leading, grades, -np.inf).max(axis=0)
    first = grades[np.argmax(leading, axis=0), np.arange(grades.shape[1])]
    tied = {"error": np.full(len(low), np.nan), "lower": low, "higher": high, "first": first}[ties]
    return np.where(low == high, low, tied)
