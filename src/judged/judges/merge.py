"""Several judges made into one file of judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core.ids import IdColumn
from judged.core.policy import Rejudged
from judged.core.tables import Qrels
from judged.errors import DataError, UsageError, shown
from judged.judges.panel import Panel, Units, read_panel
from judged.stats.agreement.merge import How, Ties, merge
from judged.tables.text import counted

__all__ = ["merge_judgments"]

Missing = Literal["keep", "drop", "error"]


def merge_judgments(
    *sources: Any,
    how: How = "majority",
    adjudicator: Any = None,
    ties: Ties = "error",
    missing: Missing = "keep",
    name: str | None = None,
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_column: str | None = None,
) -> Qrels:
    """One grade for every document that the judges judged; `write_qrels` writes it.

    Args:
        sources: judgments of two judges or more, each in any form that `read_qrels` takes; or one mapping {name: judgments}; or
            one table with all judges, see `judges` and `judge_column`.
        how: majority (the grade that most judges gave), mean, median, max, min; or adjudicate: where judges disagree, the grade
            of `adjudicator` counts. Means and medians are not rounded.
        adjudicator: judgments of at least the documents on which judges disagree.
        ties: where a majority has no winner: an error, the lower or the higher grade, or that of the first judge who gave one
            of those tied.
        missing: a document that not all judges judged: merge what there is (keep), leave it out (drop), or refuse (error).
        name: what to call the result.
        rejudged: a document that one judge judged twice with different grades.
        judges: of one table, the columns of grades, one for each judge.
        judge_column: of one table, the column that names the judge of each row.

    Raises:
        DataError: documents that stay undecided; the first ones are named, and how many there are.

    >>> merged = merge_judgments({"q": {"d": 1}}, {"q": {"d": 2}}, {"q": {"d": 2}})
    >>> merged.grade
    array([2.])
    """
    if missing not in ("keep", "drop", "error"):
        raise UsageError("merge-how", "missing to be one of keep, drop, error", got=shown(missing), value=missing)
    if (how == "adjudicate") != (adjudicator is not None):
        got = "one with another way of merging" if adjudicator is not None else "none"
        hint = "adjudicate with an adjudicator's judgments, or merge in another way"
        raise UsageError("merge-how", "an adjudicator, to adjudicate", got=got, hint=hint)
    if name is not None and not isinstance(name, str):
        raise UsageError("names", "a name as text", got=shown(name), value=name)
    found = read_panel(sources, rejudged=rejudged, judges=judges, judge_column=judge_column)
    if found.units is None:
        raise UsageError("merge-how", "judgments with queries and documents", got="columns of labels")
    units = found.units
    keep = _units_to_keep(found, missing)
    adjudicated = None if adjudicator is None else _adjudicated_grades(found, adjudicator, rejudged)[keep]
    merged = merge(found.grades[:, keep], how, ties, adjudicated)
    if merged.undecided.any():
        _raise_undecided(units, keep[merged.undecided], how, len(found.names))
    return _qrels(units, keep, merged.grade, name or f"{how} of {', '.join(found.names)}")


def _units_to_keep(found: Panel, missing: Missing) -> Ints:
    assert found.units is not None
    some = np.flatnonzero(found.ratings.rated() < len(found.names))
    if missing == "error" and len(some):
        raise DataError(
            "merge-missing", "every document judged by every judge", got=f"{_some(found.units, some)} not judged by all",
            hint="missing: keep merges what there is, drop leaves them out",
        )  # fmt: skip
    kept = np.setdiff1d(np.arange(len(found.units)), some) if missing == "drop" else np.arange(len(found.units))
    if not len(kept):
        hint = "missing='keep' keeps all"
        raise DataError("empty-qrels", "a document that every judge judged", got="none", hint=hint)
    return kept


def _adjudicated_grades(found: Panel, adjudicator: Any, rejudged: Rejudged) -> Floats:
    """The adjudicator's grade of each unit of the panel."""
    names = [*map(str, range(len(found.qrels))), "adjudicator"]
    with_it = read_panel([*found.qrels, adjudicator], names, rejudged=rejudged)
    judged = (with_it.ratings.codes[:-1] >= 0).any(axis=0)  # the panel's own units, in the same order
    return with_it.grades[-1][judged]


def _raise_undecided(units: Units, rows: Ints, how: How, judges: int) -> None:
    if how == "adjudicate":
        raise DataError(
            "unadjudicated", "a grade of the adjudicator for every document that judges disagree on",
            got=f"none for {_some(units, rows)}", hint="judged agree … --disagreements FILE lists what there is to adjudicate",
        )  # fmt: skip
    others = "two judges cannot outvote each other; " if judges == 2 else ""
    raise DataError(
        "tied-majority", "a majority for every document", got=f"none for {_some(units, rows)}",
        hint=f"{others}choose with ties='lower' (or higher, first), or merge by mean or median",
    )  # fmt: skip


def _some(units: Units, rows: Ints) -> str:
    pairs = zip(units.query[rows[:3]], units.docs(rows[:3]), strict=True)
    named = ", ".join(f"{shown(units.queries[query])} {shown(doc)}" for query, doc in pairs)
    return f"{counted(len(rows), 'document')}: {named}{' …' if len(rows) > 3 else ''}"


def _qrels(units: Units, keep: Ints, grade: Floats, name: str) -> Qrels:
    present, query = np.unique(units.query[keep], return_inverse=True)
    ids = IdColumn.of([str(units.queries[i]).encode("utf-8", "surrogateescape") for i in present])
    return Qrels(name=name, queries=ids, query=query, doc=units.doc.take(keep), query_kind=units.kinds[0],
                 doc_kind=units.kinds[1], grade=grade)  # fmt: skip
