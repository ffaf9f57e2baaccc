"""The join as trec_eval makes it: which topics, what it makes of missing ones, and the topic at which it gives up."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.ranking import ranked_rows
from judged.core.ids import IdColumn
from judged.core.join.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.errors import DataError

__all__ = ["PREFERENCES", "Options", "Stop", "Topics", "joined", "lacking", "topics_of"]

PREFERENCES = ("prefs", "qrels_prefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """trec_eval's flags, by what they mean."""

    measures: tuple[str, ...] = ("official",)  # -m
    per_topic: bool = False  # -q
    summary: bool = True  # -n says no
    complete: bool = False  # -c
    level: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    collection: int = 0  # -N
    form: str = "qrels"  # -R
    topic: str | None = None  # -D 0.topic


@dataclass(frozen=True, slots=True)
class Topics:
    """The judged topics by id, which of them are evaluated, and which the run lacks."""

    names: list[str]
    rows: list[int]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Stop:
    """The topic at which trec_eval gives up, and what it says."""

    topic: int
    message: str


def topics_of(options: Options, qrels: Qrels, run: Run) -> Topics:
    raw, answered = sorted(qrels.queries.tolist()), set(run.queries.tolist())
    names = [name.decode("utf-8", "surrogateescape") for name in raw]
    rows = [i for i, name in enumerate(names) if options.topic in (None, name)]
    return Topics(names, rows, np.array([name not in answered for name in raw]))


def lacking(options: Options, topics: Topics) -> Stop | None:
    """Without -c, the first topic that the run lacks."""
    row = next((row for row in topics.rows if topics.missing[row]), None)
    if options.complete or row is None:
        return None
    return Stop(row, f"trec_eval: result qid '{topics.names[row]}' not found in qrels")


def joined(options: Options, qrels: Qrels, run: Run, topics: Topics) -> tuple[Judged, Stop | None]:
    """The join, and the first evaluated topic with a document twice: anywhere else that is no error."""
    preferences = options.form in PREFERENCES
    judged_only = options.judged_only and not preferences
    policy = Policy(
        ties="id-asc" if preferences else "id-desc",
        depth=options.depth if options.depth and options.depth > 0 else None,
        unjudged="condensed" if judged_only else "irrelevant",
    )
    if topics.missing.all():
        run = _only_unjudged(topics.names[0])
    try:
        judged = join(qrels, run, policy)
        repeated = any(warning.slug == "duplicate-judgment" for warning in judged.warnings)
    except DataError as error:
        if error.slug not in ("duplicate-doc", "duplicate-judgment"):
            raise
        judged, repeated = join(qrels, run, replace(policy, duplicates="best", rejudged="max")), True
    # A missing topic is evaluated as a ranking of one unjudged document.
    judged = replace(judged, retrieved=np.where(topics.missing, 0 if judged_only else 1, judged.retrieved))
    if options.depth is not None and options.depth <= 0:
        judged = judged.cut(0)
    return judged, _repeat(options, qrels, run, topics) if repeated else None


def _only_unjudged(topic: str) -> Run:
    query = IdColumn.of([topic.encode("utf-8", "surrogateescape")])
    return Run(name="run", queries=query, query=np.zeros(1, np.int64), doc=IdColumn.of([b"\0"]), score=np.ones(1))


# ── documents that occur twice ───────────────────────────────────────────────────────────────────


def _repeat(options: Options, qrels: Qrels, run: Run, topics: Topics) -> Stop | None:
    """The first duplicate document; the ranking of a topic is checked before its judgments."""
    place = {topics.names[row].encode("utf-8", "surrogateescape"): row for row in topics.rows}
    found = [_in_run(options, run, place)]
    if options.form != "qrels_jg":  # where the reader has refused them
        found.append(_in_judgments(options, qrels, place))
    return min((stop for stop in found if stop is not None), default=None, key=lambda stop: stop.topic)


def _in_run(options: Options, run: Run, place: dict[bytes, int]) -> Stop | None:
    preferences = options.form in PREFERENCES
    query, row = ranked_rows(run, Policy(ties="id-asc" if preferences else "id-desc"), keep_duplicates=True)
    topic = _topic(run, place)[row]
    above = np.arange(len(row)) - np.searchsorted(query, query)
    kept = (topic >= 0) & (above < (np.inf if options.depth is None else options.depth))
    docs = run.doc.take(row[kept])
    again = _again(topic[kept], docs)
    if not len(again):
        return None
    who = "form_prefs_counts" if preferences else "form_res_qrels"
    return Stop(int(topic[kept][again[0]]), f"trec_eval.{who}: duplicate docs {_shown(docs, int(again[0]))}")


def _in_judgments(options: Options, qrels: Qrels, place: dict[bytes, int]) -> Stop | None:
    topic = _topic(qrels, place)
    seen = np.flatnonzero(topic >= 0)
    said = "trec_eval.form_res_rels: duplicate docs {}\n"
    parts, differs = [], None
    if options.form in PREFERENCES:  # only a contradiction is an error
        said = "trec_eval.form_prefs_counts: doc '{}' occurs with different rel_level in same jsg\n"
        parts = [_codes(ids)[seen] for ids in (qrels.aspect, qrels.sub) if ids is not None]
        differs = qrels.grade[seen]
    again = _again(topic[seen], qrels.doc.take(seen), *parts, differs=differs)
    if not len(again):
        return None
    row = int(seen[again[0]])
    return Stop(int(topic[row]), said.format(_shown(qrels.doc, row)))


def _codes(ids: IdColumn) -> Ints:
    return np.unique(np.array(ids.tolist()), return_inverse=True)[1]


def _topic(rows: Run | Qrels, place: dict[bytes, int]) -> Ints:
    """Each row's evaluated topic, else -1."""
    return np.array([place.get(raw, -1) for raw in rows.queries.tolist()], dtype=np.int64)[rows.query]


def _again(topic: Ints, doc: IdColumn, *parts: Ints, differs: NDArray[np.float64] | None = None) -> Ints:
    """Rows that repeat another row of their topic, by topic and id."""
    order = doc.order(topic, *parts)
    now, before = order[1:], order[:-1]
    same = doc.same(now, doc, before)
    for column in (topic, *parts):
        same &= column[now] == column[before]
    if differs is not None:
        same &= differs[now] != differs[before]
    return now[same]


def _shown(doc: IdColumn, row: int) -> str:
    return doc[row].decode("utf-8", "surrogateescape")
