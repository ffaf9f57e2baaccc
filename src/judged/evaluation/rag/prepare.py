"""Prepare judgments and a run before they are joined: roll up chunks, count tokens, leave out documents."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.find.spans import overlap_rule
from judged.core.ids import IdColumn
from judged.core.policy import Policy
from judged.core.tables import Passages, Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.rag.roll_up import Resolver, documents_of, rolled_qrels, rolled_run
from judged.io.rag.chunk_table import read_chunks
from judged.io.read import read_run
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.evaluation.options import RagOptions
    from judged.io.rag.chunk_table import ChunkTable

__all__ = ["prepare"]


def prepare(
    qrels: Qrels, run: Run | UnreadRun, policy: Policy, asked: RagOptions
) -> tuple[Qrels, Run | UnreadRun, tuple[str, ...]]:
    """Judgments and run as they are to be joined, and what was done to them in words."""
    words = []
    if asked.overlap is not None:
        overlap_rule(asked.overlap)
        if qrels.passages is None or not qrels.passages.spans:
            raise UsageError("overlap", "overlap needs judgments that are spans, and these are ids", where=qrels.name)
        qrels = replace(qrels, overlap=asked.overlap.replace(" ", ""))
    table = None if asked.chunks is None else read_chunks(asked.chunks)
    if asked.roll_up is None and asked.documents is not None and not asked.exclude_self:
        raise UsageError("roll-up", "documents were given without a way to roll up", hint=Hint("set {roll_up}", roll_up="first"))
    if table is not None or asked.tokens is not None or asked.roll_up is not None or asked.exclude_self:
        run = read_run(run, labels=qrels)
        if table is not None:
            run = _described(run, table, must=True)
        if isinstance(asked.tokens, str) and asked.tokens == "words":
            _refuse_uncounted(run)
        elif asked.tokens is not None:
            run = _described(run, read_chunks(asked.tokens, "tokens"), must=False)
        if asked.roll_up is not None:
            qrels, run = _rolled(qrels, run, policy, asked, table)
            words.append(f"chunks rolled up to documents: {asked.roll_up}")
        if asked.exclude_self:
            qrels, run = _without(qrels, asked), _without(run, asked)
            words.append(
                "the query's own document left out" if asked.exclude_self is True else "documents left out by query"
            )
    return qrels, run, tuple(words)


def _refuse_uncounted(run: Run) -> None:
    if run.passages is None or run.passages.tokens is None:
        raise UsageError("no-tokens", "tokens='words' needs the texts of the chunks in the same file", where=run.name,
                         hint="count them with jd.rag.count_tokens({chunk: text})")  # fmt: skip


def _described(run: Run, table: ChunkTable, *, must: bool) -> Run:
    """The run with what a table says of its chunks."""
    rows = [table.row.get(raw, -1) for raw in run.doc.tolist()]
    at = np.array(rows, dtype=np.int64)
    if must and (at < 0).any():
        row = int(np.argmax(at < 0))
        raise DataError("no-chunk", f"{int((at < 0).sum())} chunks of the run are not in {table.name}, such as {shown(run.doc[row])}",
                        where=run.where(row), value=run.doc[row])  # fmt: skip
    known, old = table.passages.take(np.maximum(at, 0)), run.passages or Passages()
    tokens = old.tokens if known.tokens is None else np.where(at < 0, -1, known.tokens)
    if not must:
        return replace(run, passages=replace(old, tokens=tokens))
    told = {name: column for name in ("doc", "start", "end") if (column := getattr(known, name)) is not None}
    return replace(run, passages=replace(old, tokens=tokens, **told))


def _rolled(qrels: Qrels, run: Run, policy: Policy, asked: RagOptions, table: ChunkTable | None) -> tuple[Qrels, Run]:
    assert asked.roll_up is not None
    if asked.documents is not None:
        resolve = documents_of(asked.documents)
        return rolled_qrels(qrels, resolve), rolled_run(run, resolve, asked.roll_up, policy)
    said = documents_of(None)
    rolled = rolled_run(run, said, asked.roll_up, policy)
    if qrels.passages is not None and qrels.passages.doc is not None:
        return rolled_qrels(qrels, said), rolled
    return rolled_qrels(*_as_retrieved(qrels, run, said, table)), rolled


def _as_retrieved(qrels: Qrels, run: Run, said: Resolver, table: ChunkTable | None) -> tuple[Qrels, Resolver]:
    """Judged ids as documents: of chunks that were retrieved, or stand in a table, it is known; the others must be documents themselves."""
    known = dict(zip(run.doc.tolist(), said(run).tolist(), strict=True))
    if table is not None and table.passages.doc is not None:
        names = table.passages.doc.tolist()
        known |= {raw: names[row] for raw, row in table.row.items()}
    documents = set(known.values())
    ids = qrels.doc.tolist()
    found = [known.get(raw, raw) for raw in ids]
    lost = sum(raw not in known and raw not in documents for raw in ids)
    if lost:
        text = f"{counted(lost, 'judged id belongs', 'judged ids belong')} to no chunk with a known document; treated as documents"
        qrels = replace(qrels, warnings=(*qrels.warnings, Warned("chunk-unknown", lost, text)))
    return qrels, lambda rows: IdColumn.of(found)


def _without(rows: Any, asked: RagOptions) -> Any:
    """Rows without the documents that are left out of their query."""
    queries = rows.queries.tolist()
    doc = rows.doc.tolist()
    own = [{raw} for raw in queries]
    if isinstance(asked.exclude_self, Mapping):
        out = {_raw(query): {_raw(one) for one in _several(docs)} for query, docs in asked.exclude_self.items()}
        own = [out.get(raw, set()) for raw in queries]
    pairs = list(zip(rows.query.tolist(), doc, strict=True))
    keep = np.array([raw not in own[query] for query, raw in pairs], dtype=bool)
    parent = documents_of(asked.documents)(rows) if asked.documents is not None and asked.roll_up is None else None
    if parent is None and rows.passages is not None:
        parent = rows.passages.doc
    if parent is not None:
        keep &= np.array(
            [raw not in own[query] for query, raw in zip(rows.query.tolist(), parent.tolist(), strict=True)], dtype=bool
        )
    return rows if keep.all() else rows.take(keep)


def _several(docs: Any) -> list[Any]:
    return list(docs) if isinstance(docs, (list, tuple, Set, np.ndarray)) else [docs]


def _raw(name: Any) -> bytes:
    return str(name).encode("utf-8", "surrogateescape")
