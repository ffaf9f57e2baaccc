"""Prepare judgments and a run before they are joined: roll up chunks to documents, count tokens, exclude documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.ranking import ranked_rows
from judged.core.find.spans import overlap_rule
from judged.core.ids import IdColumn
from judged.core.policy import Policy, PolicyOptions
from judged.core.tables import IdKind, Passages, Qrels, Questions, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, Wording, shown
from judged.evaluation.options import PREPARATION, check_options
from judged.evaluation.provenance import as_text, raw_id
from judged.io.chunk_table import read_chunks
from judged.io.read import read_run

if TYPE_CHECKING:
    from judged.io.chunk_table import ChunkTable

# ── Roll up chunks to their documents, so that results do not depend on how documents are chunked ───

How = Literal["first", "max", "sum"]
Resolver = Callable[[Run | Qrels], IdColumn]
HOW = ("first", "max", "sum")


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
        documents: the document of each chunk: {chunk: document}, a frame or a file with both columns, a function of the id, or the
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
        return _by_separator(documents.encode())
    if callable(documents) and not isinstance(documents, Mapping):
        return _by_function(documents)
    table = read_chunks(documents, "documents")
    doc = table.passages.doc
    if doc is None:
        raise DataError(
            "no-document", "the table has no column of documents", where=table.name, hint="add one, such as doc_id"
        )
    names = doc.tolist()
    known = set(names)

    def resolve(rows: Run | Qrels) -> IdColumn:
        resolved = []
        for i, raw in enumerate(rows.doc.tolist()):
            at = table.row.get(raw)
            if at is None and raw not in known:
                _raise_no_document(rows, i, f"chunk {shown(raw)} is not in {table.name}")
            resolved.append(raw if at is None else names[at])
        return IdColumn.of(resolved)

    return resolve


def _own_documents(rows: Run | Qrels) -> IdColumn:
    if rows.passages is None or rows.passages.doc is None:
        raise UsageError(
            "no-document",
            "the documents of the chunks are unknown",
            where=rows.name,
            hint=Hint(
                "pass a table of chunks with {chunks}, or the separator between document and chunk in the ids with {separator}",
                chunks=None,
                separator=Wording("documents='#'", "--chunk-separator '#'"),
            ),
        )
    return rows.passages.doc


def _by_separator(separator: bytes) -> Resolver:
    if not separator:
        raise UsageError("no-document", "the separator of document and chunk is empty")

    def resolve(rows: Run | Qrels) -> IdColumn:
        pairs = [(raw.rpartition(separator)[0], raw) for raw in rows.doc.tolist()]
        return IdColumn.of([before or raw for before, raw in pairs])

    return resolve


def _by_function(function: Callable[[Any], Any]) -> Resolver:
    def resolve(rows: Run | Qrels) -> IdColumn:
        resolved = []
        for i, raw in enumerate(rows.doc.tolist()):
            value = function(int(raw) if rows.doc_kind == "integer" else as_text(raw))
            if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
                _raise_no_document(
                    rows,
                    i,
                    f"document of chunk {shown(raw)} must be a non-empty string or an integer, got {shown(value)}",
                )
            resolved.append(str(value).encode("utf-8", "surrogateescape"))
        return IdColumn.of(resolved)

    return resolve


def _raise_no_document(rows: Run | Qrels, row: int, problem: str) -> NoReturn:
    raise DataError("no-document", problem, where=rows.where(row), value=rows.doc[row])


# ── runs and judgments ───────────────────────────────────────────────────────────────────────────


def roll_up_run(run: Run, resolve: Resolver, how: str, policy: Policy) -> Run:
    """Replace the chunks of a run by their documents."""
    if how not in HOW:
        raise UsageError("option", f"roll_up must be one of {', '.join(HOW)}, got {shown(how)}", value=how)
    query, row = ranked_rows(run, policy)
    doc = resolve(run).take(row)
    code = _codes(query, doc)
    first = np.unique(code, return_index=True)[1]  # codes count in order of appearance
    kept = replace(run.take(row[first]), doc=doc.take(first), doc_kind=_kind(run, doc), passages=None)
    size = np.bincount(kept.query, minlength=len(run.queries))
    rank = np.arange(1, len(first) + 1) - np.repeat(np.cumsum(size) - size, size)
    if how == "first":
        return replace(kept, score=(np.repeat(size, size) + 1 - rank).astype(np.float64), rank=rank, scored=False)
    kept = replace(kept, rank=None, scored=True)
    score = _scores(run, how)[row]
    if how == "sum":
        return replace(kept, score=np.bincount(code, score, len(first)).astype(np.float64))
    top = np.full(len(first), -np.inf)
    np.maximum.at(top, code, score)
    return replace(kept, score=top)


def _kind(rows: Run | Qrels, doc: IdColumn) -> IdKind:
    """Return `integer` if the ids were integers and still are."""
    return "integer" if rows.doc_kind == "integer" and all(raw.isdigit() for raw in doc.tolist()) else "text"


def _scores(run: Run, how: str) -> NDArray[np.float64]:
    """Return the scores of the chunks; raise for a list, whose positions are not scores."""
    if run.passages is not None and run.passages.score is not None:
        return run.passages.score
    size = np.bincount(run.query, minlength=len(run.queries))
    if run.rank is not None and np.array_equal(run.score, size[run.query] + 1.0 - run.rank):
        raise DataError(
            "option",
            f"roll-up by {how} needs a score for every chunk",
            where=run.name,
            hint=Hint("use {roll_up}, which needs none", roll_up="first"),
        )
    return run.score


def _codes(query: Ints, doc: IdColumn) -> Ints:
    """Number the pairs (query, document) in order of appearance."""
    seen: dict[tuple[int, bytes], int] = {}
    pairs = zip(query.tolist(), doc.tolist(), strict=True)
    return np.fromiter((seen.setdefault(pair, len(seen)) for pair in pairs), np.int64, len(query))


def roll_up_qrels(qrels: Qrels, resolve: Resolver) -> Qrels:
    """Replace the chunks of judgments by their documents, with the highest grade of each subtopic and set."""
    doc = resolve(qrels)
    others = [[None] * len(qrels) if c is None else c.tolist() for c in (qrels.aspect, qrels.sub, qrels.choice)]
    seen: dict[Any, int] = {}
    keys = zip(qrels.query.tolist(), doc.tolist(), *others, strict=True)
    code = np.fromiter((seen.setdefault(key, len(seen)) for key in keys), np.int64, len(qrels))
    first = np.unique(code, return_index=True)[1]
    top = np.full(len(first), -np.inf)
    np.maximum.at(top, code, qrels.grade)
    return replace(qrels.take(first), doc=doc.take(first), doc_kind=_kind(qrels, doc), grade=top, passages=None)


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
    if isinstance(tokens, str) and tokens == "words":
        _check_counted(run)
    elif tokens is not None:
        run = _add_columns(run, read_chunks(tokens, "tokens"), must=False)
    if rule is not None:
        qrels, run = _roll_up(qrels, run, policy, rule, documents, table)
        steps.append(f"chunks rolled up to documents: {rule}")
    if excluded:
        parents = documents if rule is None else None
        qrels, run = _without(qrels, excluded, parents), _without(run, excluded, parents)
        steps.append("the query's own document left out" if excluded is True else "documents left out by query")
    return qrels, run, tuple(steps)


def _check_counted(run: Run) -> None:
    if run.passages is None or run.passages.tokens is None:
        count = Wording("tokens=jd.rag.count_tokens({chunk: text})", "--tokens FILE")
        raise UsageError(
            "columns",
            "words are counted only in question files with the texts of the chunks",
            where=run.name,
            hint=Hint("give the counts with {count}", count=count),
        )


def _add_columns(run: Run, table: ChunkTable, *, must: bool) -> Run:
    """Add the columns of a table of chunks to a run; `must` if every chunk must be in it."""
    rows = [table.row.get(raw, -1) for raw in run.doc.tolist()]
    at = np.array(rows, dtype=np.int64)
    if must and (at < 0).any():
        row = int(np.argmax(at < 0))
        raise DataError(
            "no-document",
            f"{int((at < 0).sum())} chunks of the run are not in {table.name}, such as {shown(run.doc[row])}",
            where=run.where(row),
            value=run.doc[row],
        )
    known, old = table.passages.take(np.maximum(at, 0)), run.passages or Passages()
    tokens = old.tokens if known.tokens is None else np.where(at < 0, -1, known.tokens)
    if not must:
        return replace(run, passages=replace(old, tokens=tokens))
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
        names = table.passages.doc.tolist()
        known |= {raw: names[row] for raw, row in table.row.items()}
    documents = set(known.values())
    ids = qrels.doc.tolist()
    resolved = [known.get(raw, raw) for raw in ids]
    lost = sum(raw not in known and raw not in documents for raw in ids)
    if lost:
        text = f"{lost} judged {'id is' if lost == 1 else 'ids are'} not among the chunks with a known document; used as {'a document id' if lost == 1 else 'document ids'}"
        qrels = replace(qrels, warnings=(*qrels.warnings, Warned("no-document", lost, text)))
    return qrels, lambda rows: IdColumn.of(resolved)


def _without(rows: Any, excluded: Any, documents: Any) -> Any:
    """Drop the documents that are excluded from their query, and chunks of such documents."""
    own = [{raw} for raw in rows.queries.tolist()]
    if isinstance(excluded, Mapping):
        out = {raw_id(query): {raw_id(one) for one in _several(docs)} for query, docs in excluded.items()}
        own = [out.get(raw, set()) for raw in rows.queries.tolist()]
    ids = [rows.doc]
    if documents is not None:
        ids.append(documents_of(documents)(rows))
    elif rows.passages is not None and rows.passages.doc is not None:
        ids.append(rows.passages.doc)
    keep = np.ones(len(rows.doc), dtype=bool)
    for column in ids:
        pairs = zip(rows.query.tolist(), column.tolist(), strict=True)
        keep &= np.fromiter((raw not in own[query] for query, raw in pairs), bool, len(keep))
    return rows if keep.all() else rows.take(keep)


def _several(docs: Any) -> list[Any]:
    return list(docs) if isinstance(docs, (list, tuple, Set, np.ndarray)) else [docs]


# ── Judgments that several question files have in common ────────────────────────────────────────────


def check_agreement(questions: Sequence[Questions]) -> None:
    """Raise `judgments-differ` if two files have different judgments for the same question."""
    first = _judgments(questions[0].qrels)
    for other in questions[1:]:
        for query, rows in _judgments(other.qrels).items():
            if query in first and rows != first[query]:
                names = f"{questions[0].run.name} and {other.run.name}"
                raise DataError(
                    "incomparable",
                    f"{names} have different judgments for the question {shown(query.decode())}",
                    hint="write the same relevant documents in both",
                    value=query.decode("utf-8", "replace"),
                )


def _judgments(qrels: Qrels) -> dict[bytes, set[tuple[Any, ...]]]:
    """The rows of each query, in no order."""
    parts = qrels.passages
    spans = [] if parts is None else [part.tolist() for part in (parts.doc, parts.start, parts.end) if part is not None]
    choice = [] if qrels.choice is None else [qrels.choice.tolist()]
    rows = zip(qrels.doc.tolist(), qrels.grade.tolist(), *choice, *spans, strict=True)
    judgments: dict[bytes, set[tuple[Any, ...]]] = {query: set() for query in qrels.queries.tolist()}
    names = qrels.queries.tolist()
    for query, row in zip(qrels.query.tolist(), rows, strict=True):
        judgments[names[query]].add(row)
    return judgments
