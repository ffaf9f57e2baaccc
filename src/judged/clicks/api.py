"""Read and write click logs, fit and compare models, simulate users."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import ClickLog
from judged.clicks.fitting.fit import MODELS, ModelOptions, fit
from judged.clicks.models.cascade import attractiveness_of_grades
from judged.clicks.models.chain import Chain
from judged.clicks.models.evaluation import evaluate_clicks
from judged.clicks.models.examination import Examination
from judged.clicks.models.model import ClickModel
from judged.clicks.models.simulation import simulate
from judged.clicks.results import ClickBoard, ClickFit
from judged.core.find.ranking import ranked_rows
from judged.core.policy import Policy
from judged.core.tables import Id, Qrels, Run, decoded
from judged.errors import UsageError
from judged.io.click_logs import read_click_rows, write_columns
from judged.io.read import read_qrels, read_run
from judged.steps import step
from judged.tables.result import RecordTable
from judged.tables.text import counted


def read_clicks(
    source: Any,
    *,
    session_col: str | None = None,
    query_col: str | None = None,
    doc_col: str | None = None,
    rank_col: str | None = None,
    click_col: str | None = None,
) -> ClickLog:
    """Read a click log from a file or from memory.

    A file (a path, `-` for standard input, or an open file; plain or compressed) contains CSV or TSV with a header, JSON Lines, JSON,
    Parquet or Arrow, with one row per document shown, clicked or not. In memory it is a frame, a mapping of columns,
    records, or (session, query, doc, rank, click) tuples. Columns are found by their usual names. Without ranks, documents were
    shown in the order of the rows. In text files every id is text; elsewhere 7 and "7" are different ids.

    Args:
        source: the file or the object; a `ClickLog` is returned unchanged.
        session_col: the column of sessions, if its name is not known. A session is one list, shown once.
        query_col: the column of query ids.
        doc_col: the column of document ids.
        rank_col: the column of ranks.
        click_col: the column of clicks: 0 and 1, or true and false.

    Raises:
        DataError: invalid input, with its place.
        FileError: a file that cannot be opened or read.

    >>> read_clicks([("s", "q", "a", 1, 0), ("s", "q", "b", 2, 1)])
    ClickLog(1 session, 1 query, 2 rows, 1 click)
    """
    if isinstance(source, ClickLog):
        return source
    named = {"session": session_col, "query": query_col, "doc": doc_col, "rank": rank_col, "click": click_col}
    rows = read_click_rows(source, {role: name for role, name in named.items() if name is not None})
    ranks = rows.rank if rows.rank is not None else _row_order(rows.session.code, rows.query.code, len(rows.query.ids))
    return ClickLog.of_codes(
        rows.session.ids,
        rows.query.ids,
        rows.doc.ids,
        rows.session.code,
        rows.query.code,
        rows.doc.code,
        ranks,
        rows.clicked,
        name=rows.name,
    )


def _row_order(session: NDArray[Any], query: NDArray[Any], queries: int) -> NDArray[Any]:
    """Ranks by the order of rows within each session's query."""
    key = session.astype(np.int64) * queries + query
    order = np.argsort(key, kind="stable")
    first = np.diff(key[order], prepend=-1) != 0
    start = np.maximum.accumulate(np.where(first, np.arange(len(key)), 0))
    rank = np.empty(len(key), np.int64)
    rank[order] = np.arange(len(key)) - start + 1
    return rank


def click_rows(log: ClickLog) -> RecordTable:
    """The rows of a log: session, query, doc, rank, click."""
    queries, docs = log.pairs.ids()
    pair = log.pair.tolist()
    return RecordTable(
        {
            "session": tuple(log.sessions[code] for code in log.session.tolist()),
            "query": tuple(queries[p] for p in pair),
            "doc": tuple(docs[p] for p in pair),
            "rank": tuple(log.rank.tolist()),
            "click": tuple(log.clicked.astype(int).tolist()),
        },
        words=("session", "query", "doc"),
    )


def write_clicks(log: ClickLog, path: str | os.PathLike[str]) -> None:
    """Write a log as CSV, TSV, JSON Lines or Parquet, depending on the file extension; the file is written atomically."""
    columns = {name: list(column) for name, column in click_rows(log).columns.items()}
    write_columns(columns, path, inputs=[log.name])


def fit_clicks(
    log: Any,
    model: str = "dbn",
    *,
    prior: Sequence[float] = (1, 1),
    held_out: float = 0.0,
    seed: int = 0,
    level: float = 0.95,
    tolerance: float = 1e-10,
    max_steps: int = 2000,
    **options: Unpack[ModelOptions],
) -> ClickFit:
    """Fit a click model to a log, with intervals; with `held_out`, evaluate it on sessions that were not used.

    Args:
        log: any input of `read_clicks`.
        model: cascade, dcm, sdbn, dbn, pbm, ubm, ctr or rank-ctr; see docs/guides/clicks.md.
        prior: counts (A, B) added to every probability: (successes + A) / (trials + A + B). (0, 0) is maximum likelihood.
        held_out: the share of sessions to hold out.
        seed: random seed of the held-out sessions.
        level: confidence level of the intervals.
        tolerance: relative increase of the objective below which EM stops.
        max_steps: maximum number of EM steps.
        options: `multiple="first"` (cascade), `method="counts"` (dcm, sdbn), `persistence=` (dbn).

    >>> clicks = [(s, "q", d, r, int(s % 2 == r - 1)) for s in range(6) for r, d in enumerate("ab", 1)]
    >>> fit_clicks(clicks, "cascade").fit.of("attractiveness").value
    array([0.5, 0.8])
    """
    clicks = read_clicks(log)
    train, test = clicks.split(held_out, seed) if held_out else (clicks, None)
    fitted = fit(train, model, prior=prior, level=level, tolerance=tolerance, max_steps=max_steps, **options)
    return ClickFit(fitted, clicks.name, None if test is None else evaluate_clicks(fitted.model, test))


def compare_click_models(
    log: Any,
    models: Iterable[str] = MODELS.names,
    *,
    held_out: float = 0.2,
    seed: int = 0,
    prior: Sequence[float] = (1, 1),
    level: float = 0.95,
    max_steps: int = 2000,
) -> ClickBoard:
    """Fit several models to the same sessions and compare them on the same held-out sessions.

    The cascade model is excluded, with a note, if a session has several clicks, which it does not allow.
    """
    clicks = read_clicks(log)
    names = [MODELS.find(model).name for model in models]
    notes: tuple[str, ...] = ()
    several = int((np.bincount(clicks.session, clicks.clicked) > 1).sum())
    if several and "cascade" in names:
        names.remove("cascade")
        notes = (
            f"cascade is excluded: {counted(several, 'session has', 'sessions have')} several clicks, which it does not allow",
        )
    if not names:
        raise UsageError(
            "click-model", "no model to compare that allows several clicks per session", hint="name another model"
        )
    fits = [
        fit_clicks(clicks, name, prior=prior, held_out=held_out, seed=seed, level=level, max_steps=max_steps)
        for name in names
    ]
    return ClickBoard(fits, clicks.name, notes)


def simulate_clicks(
    qrels: Any,
    run: Any,
    model: str = "dbn",
    *,
    sessions: int = 1000,
    seed: int = 0,
    k: int = 10,
    top: float = 4,
    shuffled: float = 0.0,
    noise: float = 0.0,
    persistence: float = 0.9,
    stopping: float = 0.5,
    decay: float = 1.0,
) -> ClickLog:
    """Simulate sessions of users who see the rankings of a run and click according to the judgments.

    The relevance of a document is ERR's probability of its grade, R = (2^grade - 1) / 2^top; unjudged documents have grade 0. It is the
    probability that an examined document attracts; in dbn and sdbn that it attracts and satisfies, with both probabilities equal to √R. Rankings are
    shown in turn, each to depth k.

    Args:
        qrels: judgments, any input of `read_qrels`.
        run: rankings, any input of `read_run`; or (query, [doc, …]) tuples, several lists per query, as `InterleavedLists.lists` returns them.
        model: cascade, dcm, sdbn, dbn, pbm, ubm or ctr.
        sessions: number of sessions.
        seed: random seed; the same seed gives the same clicks.
        k: number of documents shown.
        top: the top grade.
        shuffled: the probability that a session sees its documents in random order; without it, no model can separate rank from relevance.
        noise: the attractiveness of a document that is not relevant: noise + (1 - noise) · R.
        persistence: dbn: the probability that a user who is not satisfied continues.
        stopping: dcm: the probability of leaving after a click, at every rank.
        decay: pbm examines rank r with probability (1 / r)^decay; ubm the d-th rank below the nearest click with (1 / d)^decay.
    """
    name = MODELS.find(model).name
    for parameter, value in (("noise", noise), ("persistence", persistence), ("stopping", stopping)):
        if not 0 <= value <= 1:
            raise UsageError("parameter", f"{parameter} must be between 0 and 1, got {value!r}", value=value)
    if not 0 <= decay < np.inf:
        raise UsageError("parameter", f"decay must be at least 0, got {decay!r}", value=decay)
    own_lists = (
        isinstance(run, list) and bool(run) and all(isinstance(one, tuple) and isinstance(one[-1], list) for one in run)
    )
    lists = ShownLists.of([(query, docs[:k]) for query, docs in run] if own_lists else rankings(read_run(run), k))
    relevance = attractiveness_of_grades(_grades(read_qrels(qrels), lists), top)
    users = _users(name, lists, relevance, noise, persistence, stopping, decay)
    with step("simulating clicks"):
        return simulate(users, lists, sessions, seed, shuffled=shuffled)


def _users(
    name: str, lists: ShownLists, relevance: Floats, noise: float, persistence: float, stopping: float, decay: float
) -> ClickModel:
    """The model of simulated users, with parameters from the relevance of each pair."""
    depth, pairs = lists.pair.shape[1], lists.pairs
    half = np.sqrt(relevance)
    ranks = np.arange(1, depth + 1)
    if name in ("dbn", "sdbn"):
        return Chain(name, pairs, noise + (1 - noise) * half, half, persistence if name == "dbn" else 1.0)
    attraction = noise + (1 - noise) * relevance
    if name == "cascade":
        return Chain(name, pairs, attraction, np.ones(1), by="always")
    if name == "dcm":
        return Chain(name, pairs, attraction, np.full(1, stopping), by="rank")
    if name == "pbm":
        return Examination(name, pairs, attraction, (1.0 / ranks**decay)[:, None])
    if name == "ubm":
        distance = np.maximum(ranks[:, None] - np.arange(depth + 1), 1)
        return Examination(name, pairs, attraction, 1.0 / distance**decay)
    if name == "ctr":
        return Examination(name, pairs, attraction, np.ones((1, 1)))
    raise UsageError(
        "click-model",
        f"{name} cannot simulate users: it has no document parameters",
        value=name,
        hint="choose another model, such as pbm",
    )


def rankings(run: Run, k: int | None = None) -> dict[Id, list[Id]]:
    """Return `{query: [doc, …]}`, the best k documents first, ranked as in every evaluation.

    Raises:
        DataError: a duplicate document in a ranking.
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise UsageError("cutoff", f"k must be an integer ≥ 1, got {k!r}", value=k)
    query, row = ranked_rows(run, Policy(), hint="keep one of them")
    docs = decoded(run.doc.take(row), run.doc_kind)
    ends = np.cumsum(np.bincount(query, minlength=len(run.queries))).tolist()
    bounds = zip([0, *ends], ends, strict=False)
    queries = decoded(run.queries, run.query_kind)
    return {name: docs[start:end][:k] for name, (start, end) in zip(queries, bounds, strict=True)}


def _grades(qrels: Qrels, lists: ShownLists) -> Floats:
    """The grade of each pair: 0 if it is not judged, the highest if it is judged for several subtopics."""
    queries, docs = decoded(qrels.queries, qrels.query_kind), decoded(qrels.doc, qrels.doc_kind)
    grade: dict[tuple[Id, Id], float] = {}
    for code, doc, value in zip(qrels.query.tolist(), docs, qrels.grade.tolist(), strict=True):
        key = (queries[code], doc)
        grade[key] = max(value, grade.get(key, value))
    return np.array([grade.get(pair, 0.0) for pair in zip(*lists.pairs.ids(), strict=True)])
