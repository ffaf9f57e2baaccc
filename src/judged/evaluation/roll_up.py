"""Prepare judgments and a run before they are joined: roll up chunks to documents, count tokens, exclude documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.core.policy import Policy, PolicyOptions
from judged.core.reference import ranked_rows
from judged.core.spans import overlap_rule
from judged.core.tables import IdColumn, IdKind, Passages, Qrels, Questions, Run, raw_id
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, Wording, shown
from judged.evaluation.chunk_table import read_chunks
from judged.evaluation.options import PREPARATION, check_options
from judged.io.read import read_run
from judged.tables.table import counted

if TYPE_CHECKING:
    from judged.evaluation.chunk_table import ChunkTable

# ── Roll up chunks to their documents, so that results do not depend on how documents are chunked ───

How = Literal["first", "max", "sum"]
Resolver = Callable[[Run | Qrels], IdColumn]
HOW = ("first", "max", "sum")
_SEVERAL = (list, tuple, Set, np.ndarray)


@overload
def roll_up(source: Qrels, documents: Any = None, how: How = "first", **policy: Any) -> Qrels: ...
@overload
def roll_up(source: Any, documents: Any = None, how: How = "first", **policy: Any) -> Run: ...
def roll_up(source: Any, documents: Any = None, how: How = "first", **policy: Any) -> Run | Qrels:
    """Replace the chunks of a run, or of judgments, by their documents.

    A document is ranked at its first chunk (`first`), by the highest score of its chunks (`max`), or by the sum of their scores
    (`sum`). In judgments, a document has the highest grade of its chunks.

    Args:
        source: a run in any format that `read_run` takes; or `Qrels`.
        documents: the document of each chunk: {chunk: document}, a frame or a file with both columns, or the
            separator between document and chunk in the ids, such as `"#"`; its last occurrence counts. Ids of documents are kept.
            None if the chunks have a field `doc`.
        how: rule for the rank of a document.
        policy: order of the rankings, see `Policy`.

    >>> rolled = roll_up({"q": ["a#2", "b#1", "a#1"]}, "#")
    >>> rolled.doc.tolist()
    [b'a', b'b']
    """
    resolve = documents_of(documents)
    if isinstance(source, Qrels):
        return roll_up_qrels(source, resolve)
    check_options(policy, PolicyOptions.__annotations__)
    return roll_up_run(read_run(source), resolve, how, Policy(**policy))


# ── documents of chunks ──────────────────────────────────────────────────────────────────────────


def documents_of(documents: Any) -> Resolver:
    """Return a function from rows to the document of each row."""
    if documents is None:
        return _own_documents
    if isinstance(documents, str) and not any(c.isalnum() for c in documents):
        if not documents:
            raise UsageError("no-document", "the separator of document and chunk is empty")
        mark = documents.encode()
        return lambda rows: IdColumn.of([raw.rpartition(mark)[0] or raw for raw in rows.doc.tolist()])
    table = read_chunks(documents, "documents")
    known = _documents_in(table)
    names = set(known.values())

    def resolve(rows: Run | Qrels) -> IdColumn:
        ids = rows.doc.tolist()
        lost = next((i for i, raw in enumerate(ids) if raw not in known and raw not in names), None)
        if lost is not None:
            problem = f"chunk {shown(ids[lost])} is not in {table.name}"
            raise DataError("no-document", problem, where=rows.where(lost), value=ids[lost])
        return IdColumn.of([known.get(raw, raw) for raw in ids])

    return resolve


def _documents_in(table: ChunkTable) -> dict[bytes, bytes]:
    """The document of each chunk."""
    if table.passages.doc is None:
        hint = "add one, such as doc_id"
        raise DataError("no-document", "the table has no column of documents", where=table.name, hint=hint)
    names = table.passages.doc.tolist()
    return {raw: names[row] for raw, row in table.row.items()}


def _own_documents(rows: Run | Qrels) -> IdColumn:
    if rows.passages is None or rows.passages.doc is None:
        hint = Hint(
            "pass a table of chunks with {chunks}, or the separator between document and chunk in the ids with {separator}",
            chunks=None,
            separator=Wording("documents='#'", "--chunk-separator '#'"),
        )
        raise UsageError("no-document", "the documents of the chunks are unknown", where=rows.name, hint=hint)
    return rows.passages.doc


# ── runs and judgments ───────────────────────────────────────────────────────────────────────────


def roll_up_run(run: Run, resolve: Resolver, how: str, policy: Policy) -> Run:
    """Replace the chunks of a run by their documents."""
    if how not in HOW:
        raise UsageError("option", f"roll_up must be one of {', '.join(HOW)}, got {shown(how)}", value=how)
    query, row = ranked_rows(run, policy)
    doc = resolve(run).take(row)
    code, first = _number(zip(query.tolist(), doc.tolist(), strict=True))
    kept = replace(run.take(row[first]), doc=doc.take(first), doc_kind=_kind(run, doc), passages=None)
    size = np.bincount(kept.query, minlength=len(run.queries))
    if how == "first":
        rank = segments.ranks(size)
        return replace(kept, score=(np.repeat(size, size) + 1 - rank).astype(np.float64), rank=rank, scored=False)
    kept, score = replace(kept, rank=None, scored=True), _scores(run, how)[row]
    if how == "sum":
        return replace(kept, score=np.bincount(code, score, len(first)).astype(np.float64))
    return replace(kept, score=_highest(code, score, len(first)))


def roll_up_qrels(qrels: Qrels, resolve: Resolver) -> Qrels:
    """Replace the chunks of judgments by their documents, with the highest grade of each subtopic and set."""
    doc = resolve(qrels)
    columns = [qrels.query, doc, *(c for c in (qrels.aspect, qrels.sub, qrels.choice) if c is not None)]
    code, first = _number(zip(*(column.tolist() for column in columns), strict=True))
    grade = _highest(code, qrels.grade, len(first))
    return replace(qrels.take(first), doc=doc.take(first), doc_kind=_kind(qrels, doc), grade=grade, passages=None)


def _number(keys: Iterable[Any]) -> tuple[Ints, Ints]:
    """The number of each key in order of appearance, and where each of them appears first."""
    seen: dict[Any, int] = {}
    code = np.array([seen.setdefault(key, len(seen)) for key in keys], np.int64)
    return code, np.unique(code, return_index=True)[1]


def _highest(code: Ints, values: Floats, count: int) -> Floats:
    top = np.full(count, -np.inf)
    np.maximum.at(top, code, values)
    return top


def _kind(rows: Run | Qrels, doc: IdColumn) -> IdKind:
    """Return `integer` if the ids were integers and still are."""
    return "integer" if rows.doc_kind == "integer" and all(raw.isdigit() for raw in doc.tolist()) else "text"


def _scores(run: Run, how: str) -> Floats:
    """Return the scores of the chunks; raise for a list, whose positions are not scores."""
    if run.passages is not None and run.passages.score is not None:
        return run.passages.score
    size = np.bincount(run.query, minlength=len(run.queries))
    if run.rank is not None and np.array_equal(run.score, size[run.query] + 1.0 - run.rank):
        hint = Hint("use {roll_up}, which needs none", roll_up="first")
        raise DataError("option", f"roll-up by {how} needs a score for every chunk", where=run.name, hint=hint)
    return run.score


# ── Prepare judgments and a run before they are joined ──────────────────────────────────────────────


def prepare(
    qrels: Qrels, run: Run | UnreadRun, policy: Policy, options: Mapping[str, Any]
) -> tuple[Qrels, Run | UnreadRun, tuple[str, ...]]:
    """Return the prepared judgments and run, and a description of each step for the policy."""
    rule, documents, chunks, tokens, excluded, overlap = (options.get(name) for name in PREPARATION)
    steps = []
    if overlap is not None:
        overlap_rule(overlap)
        if qrels.passages is None or not qrels.passages.spans:
            raise UsageError("parameter", "option 'overlap' needs judgments that are spans, got ids", where=qrels.name)
        qrels = replace(qrels, overlap=overlap.replace(" ", ""))
    if rule is None and documents is not None and not excluded:
        raise UsageError(
            "option",
            "documents are given without a rule to roll up chunks",
            hint=Hint("add {roll_up}, or max or sum", roll_up="first"),
        )
    if chunks is None and tokens is None and rule is None and not excluded:
        return qrels, run, ()
    table = None if chunks is None else read_chunks(chunks)
    run = read_run(run, labels=qrels)
    if table is not None:
        run = _add_columns(run, table, must=True)
    if tokens is not None:
        run = _add_columns(run, read_chunks(tokens, "tokens"), must=False)
    if rule is not None:
        qrels, run = _roll_up(qrels, run, policy, rule, documents, table)
        steps.append(f"chunks rolled up to documents: {rule}")
    if excluded:
        parents = documents if rule is None else None
        qrels, run = _without(qrels, excluded, parents), _without(run, excluded, parents)
        steps.append("the query's own document left out" if excluded is True else "documents left out by query")
    return qrels, run, tuple(steps)


def _add_columns(run: Run, table: ChunkTable, *, must: bool) -> Run:
    """Add the columns of a table of chunks to a run; `must` if every chunk must be in it."""
    at = np.array([table.row.get(raw, -1) for raw in run.doc.tolist()], dtype=np.int64)
    known, old = table.passages.take(np.maximum(at, 0)), run.passages or Passages()
    tokens = old.tokens if known.tokens is None else np.where(at < 0, -1, known.tokens)
    if not must:
        return replace(run, passages=replace(old, tokens=tokens))
    if len(lost := np.flatnonzero(at < 0)):
        first = run.doc[int(lost[0])]
        problem = f"{len(lost)} chunks of the run are not in {table.name}, such as {shown(first)}"
        raise DataError("no-document", problem, where=run.where(int(lost[0])), value=first)
    columns = {name: column for name in ("doc", "start", "end") if (column := getattr(known, name)) is not None}
    return replace(run, passages=replace(old, tokens=tokens, **columns))


def _roll_up(
    qrels: Qrels, run: Run, policy: Policy, rule: str, documents: Any, table: ChunkTable | None
) -> tuple[Qrels, Run]:
    resolve = documents_of(documents)
    rolled = roll_up_run(run, resolve, rule, policy)
    if documents is not None or (qrels.passages is not None and qrels.passages.doc is not None):
        return roll_up_qrels(qrels, resolve), rolled
    return roll_up_qrels(*_resolve_judged(qrels, run, resolve, table)), rolled


def _resolve_judged(qrels: Qrels, run: Run, own: Resolver, table: ChunkTable | None) -> tuple[Qrels, Resolver]:
    """Resolve judged ids by the run and the table of chunks; ids in neither count as documents."""
    known = dict(zip(run.doc.tolist(), own(run).tolist(), strict=True))
    if table is not None and table.passages.doc is not None:
        known |= _documents_in(table)
    documents, ids = set(known.values()), qrels.doc.tolist()
    lost = sum(raw not in known and raw not in documents for raw in ids)
    if lost:
        text = f"{counted(lost, 'judged id is', 'judged ids are')} not among the chunks with a known document; used as ids of documents"
        qrels = replace(qrels, warnings=(*qrels.warnings, Warned("no-document", lost, text)))
    return qrels, lambda _: IdColumn.of([known.get(raw, raw) for raw in ids])


def _without(rows: Any, excluded: Any, documents: Any) -> Any:
    """Drop the documents that are excluded from their query, and chunks of such documents."""
    queries = rows.queries.tolist()
    own = [{raw} for raw in queries]
    if isinstance(excluded, Mapping):
        lists = {raw_id(query): docs if isinstance(docs, _SEVERAL) else [docs] for query, docs in excluded.items()}
        own = [set(map(raw_id, lists.get(raw, ()))) for raw in queries]
    ids = [rows.doc]
    if documents is not None:
        ids.append(documents_of(documents)(rows))
    elif rows.passages is not None and rows.passages.doc is not None:
        ids.append(rows.passages.doc)
    each = zip(rows.query.tolist(), *(column.tolist() for column in ids), strict=True)
    keep = np.array([own[query].isdisjoint(names) for query, *names in each], bool)
    return rows if keep.all() else rows.take(keep)


# ── Alternative sets of documents, any one of which answers the question ────────────────────────────


def all_sets(qrels: Qrels) -> Qrels:
    """Merge the sets of each query: every judged document once, with its highest grade."""
    return _once(replace(qrels, choice=None))


def each_set(qrels: Qrels) -> list[Qrels]:
    """Return judgments with the first set of every query, with the second, and so on; a query with fewer sets repeats its last.

    Documents of the other sets are judged not relevant.
    """
    assert qrels.choice is not None
    most = np.zeros(len(qrels.queries), np.int64)
    np.maximum.at(most, qrels.query, qrels.choice)
    sets = []
    for number in range(int(most.max()) + 1):
        mine = qrels.choice == np.minimum(number, most)[qrels.query]
        if qrels.passages is not None and qrels.passages.spans:
            sets.append(replace(qrels.take(mine), choice=None))
        else:
            sets.append(_once(replace(qrels, choice=None, grade=np.where(mine, qrels.grade, 0.0))))
    return sets


def _once(qrels: Qrels) -> Qrels:
    if qrels.passages is not None and qrels.passages.spans:
        return qrels  # a span counts once even if it is listed several times
    return replace(roll_up_qrels(qrels, lambda rows: rows.doc), doc_kind=qrels.doc_kind)


# ── Judgments that several question files have in common ────────────────────────────────────────────


def check_agreement(questions: Sequence[Questions]) -> None:
    """Raise `judgments-differ` if two files have different judgments for the same question."""
    first = _judgments(questions[0].qrels)
    for other in questions[1:]:
        for query, rows in _judgments(other.qrels).items():
            if rows != first.get(query, rows):
                name = query.decode("utf-8", "replace")
                names = f"{questions[0].run.name} and {other.run.name}"
                problem = f"{names} have different judgments for the question {shown(name)}"
                hint = "write the same relevant documents in both"
                raise DataError("incomparable", problem, hint=hint, value=name)


def _judgments(qrels: Qrels) -> dict[bytes, set[tuple[Any, ...]]]:
    """The rows of each query, in no order."""
    parts = qrels.passages or Passages()
    columns = [c for c in (qrels.choice, parts.doc, parts.start, parts.end) if c is not None]
    rows = zip(*(column.tolist() for column in (qrels.doc, qrels.grade, *columns)), strict=True)
    names = qrels.queries.tolist()
    judgments: dict[bytes, set[tuple[Any, ...]]] = {query: set() for query in names}
    for query, row in zip(qrels.query.tolist(), rows, strict=True):
        judgments[names[query]].add(row)
    return judgments
