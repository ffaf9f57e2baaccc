"""The join of trec_eval: evaluated topics, missing topics, and the topic at which it stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.ranking import ranked_rows
from judged.core.ids import IdColumn
from judged.core.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.errors import DataError, FileError, Warned
from judged.evaluation.result.source import as_text, raw_id
from judged.io.formats.trec_eval import open_ranking

PREFERENCES = ("prefs", "qrels_prefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The flags of trec_eval."""

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
    """The judged topics sorted by id, the positions of those that are evaluated, and a mask of those that the run lacks."""

    names: list[str]
    rows: list[int]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ScannedRun:
    """A run that was not read: its tag, and its join with the judgments."""

    tag: str
    judged: Judged
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """The topic at which trec_eval stops, and its message."""

    topic: int
    message: str


def topics_of(options: Options, qrels: Qrels, run: Run | ScannedRun) -> Topics:
    raw = sorted(qrels.queries.tolist())
    names = list(map(as_text, raw))
    rows = [i for i, name in enumerate(names) if options.topic in (None, name)]
    if isinstance(run, ScannedRun):
        return Topics(names, rows, ~run.judged.answered)
    answered = set(run.queries.tolist())
    return Topics(names, rows, np.array([name not in answered for name in raw]))


def lacking(options: Options, topics: Topics) -> Stop | None:
    """Without -c, the first topic that the run lacks."""
    row = next((row for row in topics.rows if topics.missing[row]), None)
    if options.complete or row is None:
        return None
    return Stop(row, f"trec_eval: result qid '{topics.names[row]}' not found in qrels")


class _LeftError(Exception):
    """A row that only the reference can read."""


def scan_run(options: Options, qrels: Qrels, path: str) -> ScannedRun | None:
    """Join a run without reading it; None if it has to be read: for unusual rows, duplicates, or no topic in common."""

    def leave() -> NoReturn:
        raise _LeftError

    try:
        opened = open_ranking(path, leave)
        if opened is None:
            return None
        judged = join(qrels, opened[0], _policy(options))
    except (DataError, FileError, _LeftError):  # the reader reports errors
        return None
    repeated = any(warning.slug == "duplicate-judgment" for warning in judged.warnings)
    return None if repeated else ScannedRun(opened[1], judged)


def _judged_only(options: Options) -> bool:
    return options.judged_only and options.form not in PREFERENCES


def _policy(options: Options) -> Policy:
    return Policy(
        ties="id-asc" if options.form in PREFERENCES else "id-desc",
        depth=options.depth if options.depth and options.depth > 0 else None,
        unjudged="condensed" if _judged_only(options) else "irrelevant",
    )


def join_topics(options: Options, qrels: Qrels, run: Run | ScannedRun, topics: Topics) -> tuple[Judged, Stop | None]:
    """Return the join, and the first evaluated topic with a duplicate document; in other topics, duplicates are not an error."""
    if isinstance(run, ScannedRun):
        return _complete(options, run.judged, topics), None
    policy = _policy(options)
    if topics.missing.all():
        run = _only_unjudged(topics.names[0])
    try:
        judged = join(qrels, run, policy)
        repeated = any(warning.slug == "duplicate-judgment" for warning in judged.warnings)
    except DataError as error:
        if error.slug not in ("duplicate-doc", "duplicate-judgment"):
            raise
        judged, repeated = join(qrels, run, replace(policy, duplicates="best", rejudged="max")), True
    return _complete(options, judged, topics), _repeat(options, qrels, run, topics) if repeated else None


def _complete(options: Options, judged: Judged, topics: Topics) -> Judged:
    """Return the join with missing topics, each evaluated as a ranking of one unjudged document."""
    retrieved = np.where(topics.missing, 0 if _judged_only(options) else 1, judged.retrieved)
    judged = replace(judged, retrieved=retrieved)
    return judged.cut(0) if options.depth is not None and options.depth <= 0 else judged


def _only_unjudged(topic: str) -> Run:
    query = IdColumn.of([raw_id(topic)])
    return Run(name="run", queries=query, query=np.zeros(1, np.int64), doc=IdColumn.of([b"\0"]), score=np.ones(1))


# ── duplicate documents ──────────────────────────────────────────────────────────────────────────


def _repeat(options: Options, qrels: Qrels, run: Run, topics: Topics) -> Stop | None:
    """The first duplicate document; the ranking of a topic is checked before its judgments."""
    place = {raw_id(topics.names[row]): row for row in topics.rows}
    stops = [_in_run(options, run, place)]
    if options.form != "qrels_jg":  # the reader rejects them
        stops.append(_in_judgments(options, qrels, place))
    return min((stop for stop in stops if stop is not None), default=None, key=lambda stop: stop.topic)


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
    return Stop(int(topic[kept][again[0]]), f"trec_eval.{who}: duplicate docs {as_text(docs[int(again[0])])}")


def _in_judgments(options: Options, qrels: Qrels, place: dict[bytes, int]) -> Stop | None:
    topic = _topic(qrels, place)
    seen = np.flatnonzero(topic >= 0)
    message = "trec_eval.form_res_rels: duplicate docs {}\n"
    parts, differs = [], None
    if options.form in PREFERENCES:  # only a contradiction is an error
        message = "trec_eval.form_prefs_counts: doc '{}' occurs with different rel_level in same jsg\n"
        parts = [_codes(ids)[seen] for ids in (qrels.aspect, qrels.sub) if ids is not None]
        differs = qrels.grade[seen]
    again = _again(topic[seen], qrels.doc.take(seen), *parts, differs=differs)
    if not len(again):
        return None
    row = int(seen[again[0]])
    return Stop(int(topic[row]), message.format(as_text(qrels.doc[row])))


def _codes(ids: IdColumn) -> Ints:
    return np.unique(np.array(ids.tolist()), return_inverse=True)[1]


def _topic(rows: Run | Qrels, place: dict[bytes, int]) -> Ints:
    """Evaluated topic of each row; -1 if its topic is not evaluated."""
    return np.array([place.get(raw, -1) for raw in rows.queries.tolist()], dtype=np.int64)[rows.query]


def _again(topic: Ints, doc: IdColumn, *parts: Ints, differs: NDArray[np.float64] | None = None) -> Ints:
    """Return rows that duplicate another row of their topic, sorted by topic and id."""
    order = doc.order(topic, *parts)
    now, before = order[1:], order[:-1]
    same = doc.same(now, doc, before)
    for column in (topic, *parts):
        same &= column[now] == column[before]
    if differs is not None:
        same &= differs[now] != differs[before]
    return now[same]
