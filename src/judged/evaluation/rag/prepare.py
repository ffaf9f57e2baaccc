"""Prepare judgments and a run before they are joined: roll up chunks, count tokens, exclude documents."""

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
from judged.errors import DataError, Hint, UsageError, Warned, Wording, shown
from judged.evaluation.rag.roll_up import Resolver, documents_of, roll_up_qrels, roll_up_run
from judged.evaluation.result.source import raw_id
from judged.io.rag.chunk_table import read_chunks
from judged.io.read import read_run

if TYPE_CHECKING:
    from judged.evaluation.options import RagOptions
    from judged.io.rag.chunk_table import ChunkTable


def prepare(
    qrels: Qrels, run: Run | UnreadRun, policy: Policy, options: RagOptions
) -> tuple[Qrels, Run | UnreadRun, tuple[str, ...]]:
    """Return the prepared judgments and run, and a description of each step for the policy."""
    steps = []
    if options.overlap is not None:
        overlap_rule(options.overlap)
        if qrels.passages is None or not qrels.passages.spans:
            raise UsageError("overlap", "option 'overlap' needs judgments that are spans, got ids", where=qrels.name)
        qrels = replace(qrels, overlap=options.overlap.replace(" ", ""))
    table = None if options.chunks is None else read_chunks(options.chunks)
    if options.roll_up is None and options.documents is not None and not options.exclude_self:
        raise UsageError(
            "roll-up",
            "documents are given without a rule to roll up chunks",
            hint=Hint("add {roll_up}, or max or sum", roll_up="first"),
        )
    if table is not None or options.tokens is not None or options.roll_up is not None or options.exclude_self:
        run = read_run(run, labels=qrels)
        if table is not None:
            run = _add_columns(run, table, must=True)
        if isinstance(options.tokens, str) and options.tokens == "words":
            _check_counted(run)
        elif options.tokens is not None:
            run = _add_columns(run, read_chunks(options.tokens, "tokens"), must=False)
        if options.roll_up is not None:
            qrels, run = _roll_up(qrels, run, policy, options, table)
            steps.append(f"chunks rolled up to documents: {options.roll_up}")
        if options.exclude_self:
            qrels, run = _without(qrels, options), _without(run, options)
            steps.append(
                "the query's own document left out" if options.exclude_self is True else "documents left out by query"
            )
    return qrels, run, tuple(steps)


def _check_counted(run: Run) -> None:
    if run.passages is None or run.passages.tokens is None:
        count = Wording("tokens=jd.rag.count_tokens({chunk: text})", "--tokens FILE")
        raise UsageError(
            "no-tokens",
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
            "no-chunk",
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
    qrels: Qrels, run: Run, policy: Policy, options: RagOptions, table: ChunkTable | None
) -> tuple[Qrels, Run]:
    assert options.roll_up is not None
    if options.documents is not None:
        resolve = documents_of(options.documents)
        return roll_up_qrels(qrels, resolve), roll_up_run(run, resolve, options.roll_up, policy)
    own = documents_of(None)
    rolled = roll_up_run(run, own, options.roll_up, policy)
    if qrels.passages is not None and qrels.passages.doc is not None:
        return roll_up_qrels(qrels, own), rolled
    return roll_up_qrels(*_resolve_judged(qrels, run, own, table)), rolled


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
        qrels = replace(qrels, warnings=(*qrels.warnings, Warned("chunk-unknown", lost, text)))
    return qrels, lambda rows: IdColumn.of(resolved)


def _without(rows: Any, options: RagOptions) -> Any:
    """Drop the documents that are excluded from their query."""
    queries = rows.queries.tolist()
    doc = rows.doc.tolist()
    own = [{raw} for raw in queries]
    if isinstance(options.exclude_self, Mapping):
        out = {raw_id(query): {raw_id(one) for one in _several(docs)} for query, docs in options.exclude_self.items()}
        own = [out.get(raw, set()) for raw in queries]
    pairs = list(zip(rows.query.tolist(), doc, strict=True))
    keep = np.array([raw not in own[query] for query, raw in pairs], dtype=bool)
    parent = (
        documents_of(options.documents)(rows) if options.documents is not None and options.roll_up is None else None
    )
    if parent is None and rows.passages is not None:
        parent = rows.passages.doc
    if parent is not None:
        keep &= np.array(
            [raw not in own[query] for query, raw in zip(rows.query.tolist(), parent.tolist(), strict=True)], dtype=bool
        )
    return rows if keep.all() else rows.take(keep)


def _several(docs: Any) -> list[Any]:
    return list(docs) if isinstance(docs, (list, tuple, Set, np.ndarray)) else [docs]
