"""Read judgments and a run, prepare them as requested, and join them; and the provenance of a result: what was joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from judged._types import Floats, Ints
from judged.core.join import join
from judged.core.judged import Judged
from judged.core.parts.run import PartitionedRun, read_queries
from judged.core.policy import Policy
from judged.core.pool import IdPool, in_pool_order
from judged.core.scan import INDEX
from judged.core.tables import Id, IdColumn, Qrels, Questions, Run, raw_id
from judged.core.unread_runs import ScoreColumn, TextRun, TextStream, UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned
from judged.evaluation.options import (
    INPUT_OPTIONS,
    PREPARATION,
    policies_in,
    requested_columns,
)
from judged.io.columns import ANY_COLUMNS, ColumnRequest
from judged.io.files import PATH, OpenFile
from judged.io.open_table import open_whole_run, read_requested_qrels
from judged.io.recognise import Input, named_runs, recognise
from judged.io.text import is_utf8
from judged.measures.profiles import POLICIES
from judged.tables.table import counted


@dataclass(frozen=True, eq=False, repr=False)
class Provenance:
    """A `Judged` with the judgments and the run that were joined; both are None if the `Judged` was the input."""

    judged: Judged
    qrels: Qrels | None = None
    run: Run | UnreadRun | None = None
    file_stamps: tuple[tuple[str, str, int, int], ...] = ()  # path, see `_stamp`
    alternatives: tuple[Judged, ...] = ()  # one per set of documents, if any one of several answers a query

    def select(self, rows: Ints) -> Provenance:
        """Some queries, by position."""
        parts = tuple(one.select(rows) for one in self.alternatives)
        return replace(self, judged=self.judged.select(rows), alternatives=parts)

    def check_unchanged(self) -> None:
        """Raise if a file changed after it was evaluated: its present content does not belong to the values."""
        for path, folder, *status in self.file_stamps:
            present, *now = _stamp(path)
            if present != folder:
                raise DataError(
                    "file-changed",
                    "the current folder is another than when the file was evaluated",
                    where=path,
                    hint=f"change back to {folder}, or evaluate again",
                )
            if now != status:
                raise DataError(
                    "file-changed", "the file changed after it was evaluated", where=path, hint="evaluate again"
                )

    @property
    def is_local(self) -> bool:
        """True if the run is available as a whole, not in partitions."""
        return self.run is not None and not isinstance(self.run, PartitionedRun)

    @cached_property
    def run_table(self) -> Run:
        """The run in columns; read when unjudged documents are needed."""
        from judged.io.read import read_run

        assert self.run is not None
        self.check_unchanged()
        return read_run(self.run, labels=self.qrels)

    def documents(self, rows: Sequence[int], depth: int | None = None) -> list[list[str]]:
        """All documents of some queries (by position), in the order in which they were evaluated, down to a depth."""
        judged = in_one_order(self.judged.select(rows))
        if judged.policy.unjudged == "condensed":
            assert judged.pool_doc is not None
            docs = judged.pool_doc.take(judged.judgment).texts()
            ends = np.cumsum(judged.hits).tolist()
            return [docs[start:end][:depth] for start, end in zip([0, *ends], ends, strict=False)]
        if isinstance(self.run, PartitionedRun):
            run = read_queries(self.run, map(raw_id, judged.queries))
        else:
            run = self.run_table
        last = min((d for d in (depth, judged.policy.depth) if d is not None), default=None)
        return [docs[:last] for docs in _rank_documents(run, judged, depth)]


def _stamp(path: str) -> tuple[str, int, int]:
    """The folder from which a relative path starts, the size of the file and its modification time."""
    folder = ""
    try:
        if not os.path.isabs(path):  # noqa: PTH117
            folder = os.getcwd()  # noqa: PTH109 - the name is enough
        status = os.stat(path)  # noqa: PTH116
    except OSError:  # the folder or the file was removed
        return folder, -1, -1
    return folder, status.st_size, status.st_mtime_ns


def in_one_order(judged: Judged) -> Judged:
    """The ranking as it is shown: one order of ties, if the value is a mean over all of them."""
    return judged.under(judged.policy) if judged.policy.ties == "expected" else judged


def _rank_documents(run: Run, judged: Judged, depth: int | None) -> list[list[str]]:
    """Every document of each ranking, in the order that ranked the judged ones."""
    from judged.core.reference import ranked_rows

    assert judged.pool_doc is not None
    ids = IdColumn.of(map(raw_id, judged.queries))
    pool = IdPool(
        queries=judged.queries, ids=ids, query=judged.pool_query, grade=judged.pool_grade, doc=judged.pool_doc
    )
    selected = pool.codes_of(run.queries) >= 0
    shorter = run.take(_top_rows(run, np.flatnonzero(selected[run.query]), judged.policy, depth))
    owners, rows = ranked_rows(shorter, judged.policy, pool)
    docs = shorter.doc.take(rows).texts()
    ends = np.searchsorted(owners, np.arange(len(judged)), "right").tolist()
    return [docs[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _top_rows(run: Run, rows: Ints, policy: Policy, depth: int | None) -> Ints:
    """The rows that can be within the depth, to save time: all but those that enough others beat."""
    if depth is None or policy.order != "score" or policy.precision != "float64" or policy.duplicates != "error":
        return rows
    query, score = run.query[rows], run.score[rows]
    later, same = query[1:] > query[:-1], query[1:] == query[:-1]
    in_order = (later | (same & (score[1:] <= score[:-1]))).all()  # as most files are
    order = np.arange(len(query)) if in_order else np.lexsort((-score, query))
    start = np.searchsorted(query[order], np.arange(len(run.queries)))
    size = np.bincount(query, minlength=len(run.queries))
    last = order[np.minimum(start + np.minimum(size, depth) - 1, len(rows) - 1)]
    least = np.where(size > 0, score[last], np.inf)
    return rows[score >= least[query]]


def judged_share(judged: Judged, ranks: Ints) -> Floats:
    """Share of queries whose document at a rank is judged, among those with a document at this rank; NaN if there are none.

    `Judged@k` covers all ranks down to k, this a single one: it shows the depth of the pool.

    >>> from judged.evaluation.evaluate import join
    >>> judged_share(join({"q": {"a": 1}}, {"q": ["a", "b"]}), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """
    last = int(ranks.max(initial=0))
    hits = judged.is_judged & (judged.rank <= last)
    known = np.bincount(judged.rank[hits], minlength=last + 1)[ranks]
    retrieved = (judged.retrieved[:, None] >= ranks[None, :]).sum(axis=0)
    return np.divide(known, retrieved, out=np.full(len(ranks), np.nan), where=retrieved > 0)


# ── reading and joining ───────────────────────────────────────────────────────────────────────────

Progress = Callable[[int, int], object]
ORDER_POLICIES = ("order", "ties", "precision")  # a run is joined again for a measure that has its own


def read_and_join(
    qrels: Any, run: Any, profile: str, options: Mapping[str, Any], progress: Progress | None = None
) -> Provenance:
    """Join judgments with a run; the result also has the judgments and the run as they were joined.

    Judgments in which any of several sets of documents answers a query are joined once per set.

    Args:
        qrels: judgments; or, without a run, a single source with questions, retrieved and relevant documents.
        run: a run, or None.
        profile: the name of conventions, whose policies hold unless the options name others.
        options: those of `evaluate`.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.
    """
    policy = POLICIES[profile]
    fields: dict[str, str] = {}
    if options:
        policy, fields = replace(policy, **policies_in(options)), question_fields(options)
    alone = run is None
    opened = open_named(None if alone else qrels, [(None, recognise(qrels, **fields) if alone else run)], options)
    judgments, [(_, ranking)] = opened.qrels, opened.runs
    if isinstance(ranking, Questions):
        judgments, ranking = ranking.qrels, ranking.run
    assert judgments is not None
    steps: tuple[str, ...] = ()
    if options and any(options.get(name) is not None and options[name] is not False for name in PREPARATION):
        if isinstance(ranking, PartitionedRun):
            raise UsageError(
                "engine",
                "chunks, spans and exclusions need a run in memory",
                where=ranking.name,
                hint=Hint("read it into memory with {engine}", engine="memory"),
            )
        from judged.evaluation.roll_up import prepare

        judgments, ranking, steps = prepare(judgments, ranking, policy, options)
        if options.get("roll_up") in ("max", "sum"):
            policy = replace(policy, order="score")  # rolled-up documents have no other order
    if judgments.passages is not None and judgments.passages.spans:
        steps = (*steps, f"spans found by overlap: {judgments.overlap}")
    if judgments.choice is not None:
        steps = (*steps, "any of several sets: the best counts")
    if steps:
        policy = replace(policy, prepared=(*policy.prepared, *steps))
    source = _join(judgments, ranking, policy, progress)
    if not isinstance(qrels, Qrels):  # read for this run alone: no other needs the index of its pool
        source.judged.pool.results.pop(INDEX, None)
    return source


def under(source: Provenance, policy: Policy) -> Provenance:
    """The same inputs under another policy: joined again if documents are ordered differently, and the run is available."""
    judged = source.judged
    ordered = replace(judged.policy, **{name: getattr(policy, name) for name in ORDER_POLICIES})
    if source.run is None or source.qrels is None or ordered == judged.policy or not judged.answered.any():
        views = [replace(j, policy=replace(j.policy, empty=policy.empty)) for j in (judged, *source.alternatives)]
        return replace(source, judged=views[0], alternatives=tuple(views[1:]))
    again = _join(source.qrels, source.run, policy, None)
    if again.judged.pool.queries == judged.pool.queries:
        return again
    row = {query: i for i, query in enumerate(again.judged.queries)}
    return again.select(np.array([row[query] for query in judged.queries]))


def _join(qrels: Qrels, run: Run | UnreadRun, policy: Policy, progress: Progress | None) -> Provenance:
    """Join once; or, if any of several sets of documents answers a query, once more per set."""
    whole = qrels
    sets: list[Qrels] = []
    if qrels.choice is not None:
        from judged.evaluation.roll_up import all_sets, each_set

        whole, sets = all_sets(qrels), each_set(qrels)
    try:
        done: Judged | DataError = join(whole, run, policy, progress)
        of_run = run.warnings if isinstance(run, Run | TextRun) else ()
        unread = isinstance(run, TextRun) and run.layout["source"] == "delimited"  # until it was joined
        warned = done.warnings if unread and isinstance(done, Judged) else (*qrels.warnings, *of_run)
    except DataError as error:
        if error.slug == "duplicate-doc":
            from judged.io.formats.trec import name_tags

            raise name_tags(error) from None
        if error.slug != "no-common-query" or not isinstance(run, Run | TextRun | TextStream):
            raise
        done, warned = error, (*qrels.warnings, *(run if isinstance(run, Run) else run.read()).warnings)
    stamps = tuple((rows.path, *_stamp(rows.path)) for rows in (qrels, run) if rows.path is not None)
    if qrels.choice is None and isinstance(run, Run | TextRun | TextStream):
        odd = bool(warned) and any(one.slug == "encoding" for one in warned)  # TREC files are read without a look at it
        if odd or _have_odd_ids(qrels, run):
            qrels, run, done = _join_decoded(qrels, run, policy, done)
    if isinstance(done, DataError):
        raise done
    alternatives = tuple(join(one, run, policy, None) for one in sets)
    return Provenance(done, qrels, run, stamps, alternatives)


def _have_odd_ids(qrels: Qrels, run: Run | TextRun | TextStream) -> bool:
    """Return whether judgments or the run have ids that are not UTF-8; only if some of the judgments are not ASCII, since others match anyway."""
    judged = [column.buffer for column in (qrels.queries, qrels.doc)]
    if all(buffer.max(initial=0) < 128 for buffer in judged):
        return False
    if isinstance(run, Run):
        return not all(map(is_utf8, (*judged, run.queries.buffer, run.doc.buffer)))
    if not all(map(is_utf8, judged)):
        return True
    for text in run.stretches() if isinstance(run, TextStream) else (run,):
        with text.open() as (data, _):
            if not is_utf8(data):
                return True
    return False


def _join_decoded(
    qrels: Qrels, run: Run | TextRun | TextStream, policy: Policy, done: Judged | DataError
) -> tuple[Qrels, Run | TextRun | TextStream, Judged | DataError]:
    """Read ids that are not UTF-8 as cp1252, if as many of them match then; `done` is the join without that, or its error.

    Raises:
        DataError: `encoding`: the other ids of queries match neither way, and would count as 0.
    """
    from judged.io.table import decode_ids

    rows = run if isinstance(run, Run) else run.read()
    decoded, same = (decode_ids(qrels), decode_ids(rows)), False
    with suppress(DataError):
        again = join(*decoded, policy)
        same = isinstance(done, Judged) and _matched(again) == _matched(done)
        if isinstance(done, DataError) or _matched(again) > _matched(done):
            return (*decoded, again)
    known, found = set(qrels.queries.tolist()), set(rows.queries.tolist())
    odd, theirs = ({query for query in queries if not is_utf8(query)} for queries in (known, found))
    lost = odd or (theirs and any(not query.isascii() for query in known - found))
    if lost and not odd & theirs:  # none of them matches, as in files of one encoding
        problem = "ids of queries are not UTF-8, and match neither as they are nor as cp1252"
        hint = "convert the file to UTF-8, for example with iconv"
        raise DataError("encoding", problem, where=(qrels if odd else rows).name, hint=hint)
    if same:
        return (*decoded, again)
    if isinstance(done, Judged) and not any(one.slug == "encoding" for one in done.warnings):
        odd_rows = next(one for one in (qrels, rows) if not all(map(is_utf8, (one.queries.buffer, one.doc.buffer))))
        text = f"ids of {odd_rows.name} are not UTF-8, so only ids in the same encoding match"
        warned = Warned("encoding", 1, text, Hint("convert the file to UTF-8, for example with iconv"))
        done = replace(done, warnings=(*done.warnings, warned))
    return qrels, run, done


def _matched(judged: Judged) -> tuple[int, int]:
    """Number of queries and of judged documents that a run has."""
    return int(judged.answered.sum()), len(judged.rank)


class OpenInputs(NamedTuple):
    """Judgments, and one or several runs to evaluate with them.

    Args:
        qrels: the judgments; None if each run is `Questions`, with its own.
        runs: each with the name that it was given, if it was.
        options: the options that are left for `evaluate`.
        model: judgments of a model, read as the others are.
    """

    qrels: Qrels | None
    runs: list[tuple[str | None, Any]]
    options: dict[str, Any]
    model: Qrels | None = None


def open_inputs(qrels: Any, runs: Any, options: Mapping[str, Any], model: Any = None) -> OpenInputs:
    """Open judgments and one or several runs.

    A question file contains judgments and a run: as the first input it is both.

    Args:
        qrels: judgments, or questions; None if all runs are questions.
        runs: a run, a list of runs or {name: run}; None if `qrels` are the questions of one or several runs.
        options: those of `evaluate`.
        model: judgments of a model, or None.
    """
    fields = question_fields(options)
    if runs is None:
        qrels, runs = None, qrels
    named = _named_inputs(runs, fields)
    found = None if qrels is None else recognise(qrels, **fields)
    if found is not None and found.kind == "questions":
        return open_named(None, [(None, found), *named], options, model)
    return open_named(found, named, options, model)


def question_fields(options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of questions that were named."""
    names = ("question", "retrieved", "relevant")
    return {name: field for name in names if (field := options.get(name)) is not None}


def are_questions(sources: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a source, or the first of a list or of {name: source}, has questions."""
    fields = question_fields(options)
    several = list(sources.values()) if isinstance(sources, Mapping) else sources
    first = several[0] if isinstance(several, list | tuple) and several else sources
    return any(recognise(source, **fields).kind == "questions" for source in (sources, first))


def _named_inputs(runs: Any, fields: Mapping[str, str]) -> list[tuple[str | None, Input]]:
    """One run or several, each with its name, if it has one; runs may be questions."""
    keyed = isinstance(runs, Mapping)
    sources = list(runs.values()) if keyed else runs if isinstance(runs, list | tuple) else ()
    if not sources or not isinstance(sources[0], PATH):
        whole = recognise(runs, **fields)
        if whole.kind == "questions":
            return [(None, whole)]
        if sources and all(recognise(source, **fields).kind == "questions" for source in sources):
            return [
                (str(name) if keyed else None, Input("questions", run)) for name, run in zip(runs, sources, strict=True)
            ]
    return [(name, recognise(run, **fields)) for name, run in named_runs(runs)]


def open_named(
    qrels: Any, runs: Sequence[tuple[str | None, Any]], options: Mapping[str, Any], model: Any = None
) -> OpenInputs:
    """Open judgments, and runs with names; see `open_inputs`. Without judgments each run is a question file, whose judgments count.

    Raises:
        DataError: two question files have different judgments for a question.
        UsageError: fields were named, and no input has questions.
    """
    columns, fields = ANY_COLUMNS, dict[str, str]()
    if not options.keys().isdisjoint(INPUT_OPTIONS):
        columns, fields = requested_columns(options), question_fields(options)
    found = None if qrels is None else recognise(qrels, **fields)
    inputs = [recognise(run, **fields) for _, run in runs]
    gold, judgments = None, None
    if found is not None and found.kind == "questions":
        gold = _read_questions(found, options, columns)
        judgments = gold.qrels
    elif found is not None:
        judgments = read_requested_qrels(found.source, columns.request("qrels"))
    opened: list[Any] = []
    engine = options.get("engine")
    for one in inputs:
        if found is None or one.kind == "questions":
            opened.append(_read_questions(one, options, columns))
        elif engine is None and one.kind in ("read", "table"):
            opened.append(open_whole_run(one.source, columns))
        else:
            if columns.tag is not None:
                hint = Hint("read the run into memory: {engine}", engine="memory")
                raise UsageError("engine", "a run in partitions has one tag", hint=hint, value=columns.tag.name)
            from judged.distributed.open_run import open_run  # executors are rarely needed

            opened.append(open_run(one, engine, columns))
    asked = [one for one in (gold, *opened) if isinstance(one, Questions)]
    if len(asked) > 1:
        from judged.evaluation.roll_up import check_agreement

        check_agreement(asked)
    if found is None and len(asked) > 1:
        same = all(set(one.qrels.queries.tolist()) == set(asked[0].qrels.queries.tolist()) for one in asked[1:])
        judgments = asked[0].qrels if same else None
    elif found is not None and judgments is not None and gold is None:
        owned = (  # nobody else needs the order of their rows, and nobody else holds them in memory
            options.keys().isdisjoint(PREPARATION) and found.kind != "read" and type(found.source) is not dict
        )
        if owned and not any(isinstance(run, ScoreColumn) for run in opened):  # scores have the order of the labels
            judgments = in_pool_order(judgments)
    if fields and not asked:
        raise UsageError("fields", f"option {next(iter(fields))!r} is for a question file, got judgments and a run")
    by_model = None if model is None else read_requested_qrels(model, columns.request("qrels"))
    if columns is not ANY_COLUMNS:
        columns.check_used()
    opened = opened if judgments is None else [r.run if isinstance(r, Questions) else r for r in opened]
    opened = [run if name is None else _named(run, name) for (name, _), run in zip(runs, opened, strict=True)]
    opened = with_distinct_labels(opened) if len(opened) > 1 else opened
    left = {name: value for name, value in options.items() if name not in INPUT_OPTIONS and name != "engine"}
    named = [(name, run) for (name, _), run in zip(runs, opened, strict=True)]
    return OpenInputs(judgments, named, left, by_model)


def with_distinct_labels(runs: Sequence[Any]) -> list[Any]:
    """Name runs whose files have the same name as tables do, by their folders, so that warnings tell them apart."""
    tables = [run.run if isinstance(run, Questions) else run for run in runs]
    labels = [getattr(table, "label", None) for table in tables]
    clash = [label is not None and labels.count(label) > 1 for label in labels]
    if not any(clash):
        return list(runs)
    from judged.io.run_names import short_names

    names = short_names([getattr(table, "name", "") for table in tables])
    return [_named(run, name) if same else run for run, name, same in zip(runs, names, clash, strict=True)]


def _named(run: Any, name: str) -> Any:
    return run.named(name) if isinstance(run, Questions) else replace(run, name=name)


def _read_questions(found: Input, options: Mapping[str, Any], columns: ColumnRequest) -> Questions:
    """Read questions, in the order of scores if that was named; or one table with grades and scores, which is judgments and a run too."""
    from judged.io.questions import rank_by_scores, read_graded_run, read_questions

    ordered = rank_by_scores if options.get("order") == "score" else lambda questions: questions
    if isinstance(found.source, Questions):
        return ordered(found.source)
    in_memory = not isinstance(found.source, PATH) and hasattr(found.source, "__len__")
    again = in_memory or isinstance(found.source, OpenFile)  # it can be read again
    if found.kind == "table" and again and not question_fields(options):
        try:
            return read_graded_run(found.source, columns)
        except DataError as error:
            if error.slug not in ("columns", "form", "json") or columns.named:
                raise
    if found.kind != "questions" and in_memory and not question_fields(options):
        problem = "no run was given, and the input has no questions with retrieved and relevant chunks"
        raise UsageError("runs", problem, hint="pass the judgments and a run")
    return ordered(read_questions(found, **question_fields(options), grade_map=columns.grade_map))


def queries_differ(queries: Sequence[Sequence[Id]], effect: str) -> tuple[Warned, ...]:
    """Warn if some runs lack queries that others have, as those of question files with different questions; `effect` says what follows, with {} for the queries."""
    sets = [set(one) for one in queries]
    lost = len(set.union(*sets)) - len(set.intersection(*sets))
    text = effect.format(f"{counted(lost, 'query')} that {'is' if lost == 1 else 'are'} not in every run")
    return (Warned("queries-differ", lost, text),) if lost else ()
