"""`report`: one HTML file of a result or a comparison."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from judged.errors import UsageError, Warned, shown
from judged.io.files.atomic import write_atomically
from judged.io.rag.texts import read_texts
from judged.page.assemble import document
from judged.page.facts import facts_of
from judged.page.query_details import Rankings, block_size, blocks, shown_depth, shown_documents
from judged.page.static_html import slots_of
from judged.page.subject import Subject, subject_of

__all__ = ["report", "write_page"]

_MOST = 1_000_000


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
        texts: what documents say, in any form that `read_texts` takes (JSON Lines, TSV, CSV, Parquet, {id: text}, frames).
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
    write_page(result, path, texts=texts, queries=queries, title=title, depth=depth, length=length)


def write_page(
    result: Any, path: Any, *, texts: Any, queries: Any, title: str | None, depth: int | None, length: int = 500
) -> tuple[Warned, ...]:
    """What `report` does; gives the warnings of the page, those about texts included."""
    subject = subject_of(result)
    _check(title, depth, length)
    _refuse_input(path, subject, texts, queries)
    last = shown_depth(subject, depth)
    size = block_size(subject, last)
    rankings: Rankings = shown_documents(subject, last) if last else []
    wanted = _wanted(subject, rankings) if texts is not None else set()
    prose = read_texts(texts, wanted, length=length) if wanted else {}
    spoken = _spoken(queries, subject)
    ids = {str(query) for query in subject.first.queries}
    warnings = (
        *subject.warnings,
        *_unmatched(texts, "documents", wanted, len(prose)),
        *_unmatched(queries, "queries", ids, sum(text is not None for text in spoken or ())),
    )
    facts = facts_of(subject, warnings, _title(subject) if title is None else title, spoken, last, size)
    values = np.stack([[np.asarray(r[m], float) for r in subject.results] for m in subject.measures])
    details = blocks(subject, rankings, prose, last, size) if last else ()
    with write_atomically(path) as file:
        for part in document(slots_of(facts), facts, values, details):
            file.write(part)
    return warnings


def _unmatched(given: Any, what: str, wanted: set[str], found: int) -> tuple[Warned, ...]:
    """A warning where texts were given, and none is of what the page shows."""
    if given is None or found or not wanted:
        return ()
    text = f"no text was found for any of {len(wanted):,} {what}, such as {shown(min(wanted))}: are the ids the same?"
    return (Warned("texts-missing", len(wanted), text),)


def _refuse_input(path: Any, subject: Subject, *texts: Any) -> None:
    """An error where the page would replace what it is made from."""
    if not isinstance(path, str | os.PathLike) or str(path) in ("", "-") or "\0" in str(path):
        raise UsageError("parameter", "the path of a file, such as report.html", got=shown(path), value=path)
    read = [file for r in subject.results if r.source is not None for file, *_ in r.source.file_stamps]
    named = [one for one in texts if isinstance(one, str | os.PathLike)]
    for other in (*read, *named):
        if Path(path).exists() and Path(other).exists() and Path(path).samefile(other):
            raise UsageError(
                "parameter", "a file of its own for the page", got=f"{path}, which it is made from", value=str(path)
            )


def _check(title: Any, depth: Any, length: Any) -> None:
    for name, value in (("depth", depth), ("length", length)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if value is not None and not (whole and 1 <= value <= _MOST):
            raise UsageError("parameter", f"{name}, a whole number from 1 to {_MOST:,}", got=shown(value), value=value)
    if title is not None and not isinstance(title, str):
        raise UsageError("parameter", "a title, as text", got=shown(title), value=title)


def _title(subject: Subject) -> str:
    names = subject.runs if len(subject.runs) <= 4 else (*subject.runs[:3], f"{len(subject.runs) - 3} more")
    runs = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{runs}, judged by {subject.first.names[0].rpartition('/')[2]}"


def _wanted(subject: Subject, rankings: Rankings) -> set[str]:
    """The documents that the page shows."""
    found = {doc for run in rankings for docs in run for doc in docs}
    pool = subject.judged[0].pool_doc if rankings else None
    return found if pool is None else found | {doc.decode("utf-8", "surrogateescape") for doc in pool.tolist()}


def _spoken(queries: Any, subject: Subject) -> list[str | None] | None:
    """The text of each query."""
    if queries is None:
        return None
    ids = [str(q) for q in subject.first.queries]
    found = read_texts(queries, set(ids))
    return [(prose.text or prose.title) if (prose := found.get(query)) else None for query in ids]
