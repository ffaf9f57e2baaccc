"""Roll up chunks to their documents, so that results do not depend on how documents are chunked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, NoReturn, overload

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.ranking import ranked_rows
from judged.core.ids import IdColumn
from judged.core.policy import Policy, PolicyOptions
from judged.core.tables import IdKind, Qrels, Run
from judged.errors import DataError, Hint, UsageError, Wording, shown
from judged.evaluation.options import check_options
from judged.evaluation.result.source import as_text
from judged.io.rag.chunk_table import read_chunks
from judged.io.read import read_run

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
        raise UsageError("roll-up", f"roll_up must be one of {', '.join(HOW)}, got {shown(how)}", value=how)
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
            "roll-up",
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
