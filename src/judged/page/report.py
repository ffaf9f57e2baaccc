"""Write a result or a comparison as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from judged.errors import Hint, Warned, shown
from judged.io.atomic import write_atomically
from judged.io.texts import read_texts
from judged.page.assemble import check_path, check_title, document
from judged.page.facts import facts_of
from judged.page.inline import Page
from judged.page.query_details import Rankings, arithmetic, block_size, detail_blocks, shown_depth, shown_documents
from judged.page.static_html import slots_of
from judged.page.subject import Subject, subject_of
from judged.stats.checks import check_count
from judged.steps import step


def report(
    result: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    doc_texts: Any = None,
    query_texts: Any = None,
    title: str | None = None,
    depth: int | None = None,
    length: int = 500,
) -> Page | None:
    """Write one self-contained HTML page: means and intervals, comparisons, every query, curves, warnings and methods.

    The page needs no network access. The file is written atomically, and the same result always gives the same bytes. Without a
    path, the page is returned: notebooks show it in a frame of its own, or its first lines if it is larger than 5 MB.

    Args:
        result: a result of `evaluate` or `compare`; or several results of `evaluate`, or question files, which are compared first.
        path: output file, such as `report.html`. [default: none, return the page]
        doc_texts: texts of the documents; in any format that `read_texts` accepts (JSON Lines, TSV, CSV, Parquet, {id: text}, frames).
        query_texts: texts of the queries, in the same formats.
        title: title of the page. [default: the names of the runs and the judgments]
        depth: number of ranks shown per ranking; by default 100, fewer for many queries.
        length: maximum number of characters of a document text.

    >>> import judged as jd, tempfile, pathlib
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> report(jd.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "RR"), page)
    >>> page.stat().st_size > 10_000
    True
    """
    options = {"doc_texts": doc_texts, "query_texts": query_texts, "title": title, "depth": depth, "length": length}
    if path is not None:
        write_page(result, path, **options)
        return None
    subject = subject_of(result)
    parts, _, _ = _parts(subject, **options)
    return Page("".join(parts), subject.comparison or subject.first)


@step("preparing the page")
def write_page(result: Any, path: Any, **options: Any) -> tuple[Warned, ...]:
    """Write the page as `report` does, with its options, and return its warnings."""
    subject = subject_of(result)
    texts = (options.get("doc_texts"), options.get("query_texts"))
    check_path(path, [*(file for one in subject.results for file in one.input_files), *texts])
    parts, total, warnings = _parts(subject, **options)
    with write_atomically(path) as file, step("writing the page") as progress:
        for done, part in enumerate(parts):
            file.write(part)
            if progress is not None:
                progress(min(done, total), total)
    return warnings


def _parts(
    subject: Subject,
    *,
    doc_texts: Any = None,
    query_texts: Any = None,
    title: str | None = None,
    depth: int | None = None,
    length: int = 500,
) -> tuple[Iterable[str], int, tuple[Warned, ...]]:
    """Return the page in parts, the number of those that take time, and its warnings."""
    for name, value in (("depth", depth), ("length", length)):
        if value is not None:
            check_count(value, name)
    check_title(title)
    last = shown_depth(subject, depth)
    size = block_size(subject, last)
    rankings: Rankings = shown_documents(subject, last) if last else []
    docs: set[str] = set()  # the documents shown on the page
    if doc_texts is not None:
        docs = {doc for run in rankings for found in run for doc in found}
        pool = subject.judged[0].pool_doc if rankings else None
        docs |= set(pool.texts()) if pool is not None else set()
    found = read_texts(doc_texts, docs, length=length) if docs else {}
    queries = _query_texts(query_texts, subject)
    ids = {str(query) for query in subject.first.queries}
    warnings = (
        *subject.warnings,
        *_warn_unmatched(doc_texts, "documents", docs, len(found)),
        *_warn_unmatched(query_texts, "queries", ids, sum(text is not None for text in queries or ())),
    )
    facts = facts_of(subject, warnings, _title(subject) if title is None else title, queries, last, size)
    values = np.stack([[np.asarray(r[m], float) for r in subject.results] for m in subject.measures])
    with step("explaining the queries"):
        steps = arithmetic(subject, last) if last else []
    facts["headers"] = [by[0].headers if by else () for by in steps[0]] if last else []
    blocks = detail_blocks(subject, rankings, found, steps, last, size) if last else ()
    return document(slots_of(facts, subject), facts, values, blocks), -(-len(subject.first) // size), warnings


def _warn_unmatched(texts: Any, noun: str, ids: set[str], matched: int) -> tuple[Warned, ...]:
    """Warn if texts were passed but none of their ids occurs on the page."""
    if texts is None or matched or not ids:
        return ()
    text = f"no text for any of {len(ids):,} {noun}, such as {shown(min(ids))}"
    return (Warned("no-text", len(ids), text, Hint("check that the texts use the same ids")),)


def _title(subject: Subject) -> str:
    names = subject.runs if len(subject.runs) <= 4 else [*subject.runs[:3], f"{len(subject.runs) - 3} more"]
    runs = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{runs}; judgments: {subject.first.names[0].rpartition('/')[2]}"


def _query_texts(queries: Any, subject: Subject) -> list[str | None] | None:
    """Return the text of each query."""
    if queries is None:
        return None
    ids = [str(q) for q in subject.first.queries]
    texts = read_texts(queries, set(ids), kind="queries")
    return [(one.text or one.title) if (one := texts.get(query)) else None for query in ids]
