"""`report`: one HTML file of a result or a comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from judged.errors import UsageError, shown
from judged.render.page.assemble import document
from judged.render.page.detail import Rankings, block_size, blocks, shown_depth, shown_documents
from judged.render.page.facts import facts_of
from judged.render.page.static import slots_of
from judged.render.page.subject import Subject, subject_of
from judged.sources import Prose, read_prose, write_atomically

__all__ = ["report"]


def report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    texts: Any = None,
    queries: Any = None,
    title: str | None = None,
    depth: int | None = None,
    length: int = 500,
) -> None:
    """Write one HTML page that says how good rankings are, how sure that is, where they differ, and why.

    The file holds all it needs, opens from disk without a network, and appears whole or not at all. The same result gives the same bytes.

    Args:
        result: what `evaluate` or `compare` gave; or several results of `evaluate`, which are then compared.
        path: where to write it, such as `report.html`.
        texts: what documents say, in any form that `read_prose` takes (JSON Lines, TSV, CSV, Parquet, {id: text}, frames).
        queries: what queries say, likewise.
        title: of the page; made from the names of the runs unless given.
        depth: the last rank that is shown of each ranking; 100 unless there are very many queries.
        length: documents' texts are cut at so many characters.

    >>> import judged as jd, tempfile, pathlib
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> report(jd.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "RR"), page)
    >>> page.stat().st_size > 10_000
    True
    """
    subject = subject_of(result)
    _check(title, depth, length)
    last = shown_depth(subject, depth)
    size = block_size(subject, last)
    rankings: Rankings = shown_documents(subject, last) if last else []
    prose = _prose(texts, subject, rankings, length)
    spoken = _spoken(queries, subject)
    facts = facts_of(subject, _title(subject) if title is None else title, spoken, last, size)
    values = np.stack([[np.asarray(r[m], float) for r in subject.results] for m in subject.measures])
    details = blocks(subject, rankings, prose, last, size) if last else ()
    with write_atomically(path) as file:
        for part in document(slots_of(facts), facts, values, details):
            file.write(part)


def _check(title: Any, depth: Any, length: Any) -> None:
    for name, value in (("depth", depth), ("length", length)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError("parameter", f"{name}, a whole number from 1 on", got=shown(value), value=value)
    if title is not None and not isinstance(title, str):
        raise UsageError("parameter", "a title, as text", got=shown(title), value=title)


def _title(subject: Subject) -> str:
    names = subject.runs if len(subject.runs) <= 4 else (*subject.runs[:3], f"{len(subject.runs) - 3} more")
    runs = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{runs}, judged by {subject.first.names[0].rpartition('/')[2]}"


def _prose(texts: Any, subject: Subject, rankings: Rankings, length: int) -> Mapping[str, Prose]:
    """The texts of the documents that the page shows."""
    if texts is None or not rankings:
        return {}
    wanted = {doc for run in rankings for docs in run for doc in docs}
    pool = subject.judged[0].pool_doc
    if pool is not None:
        wanted |= {doc.decode("utf-8", "surrogateescape") for doc in pool.tolist()}
    return read_prose(texts, wanted, length=length)


def _spoken(queries: Any, subject: Subject) -> list[str | None] | None:
    """The text of each query."""
    if queries is None:
        return None
    ids = [str(q) for q in subject.first.queries]
    found = read_prose(queries, set(ids))
    return [(prose.text or prose.title) if (prose := found.get(query)) else None for query in ids]
