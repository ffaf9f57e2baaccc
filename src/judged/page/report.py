"""Write a result or a comparison as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from judged.errors import Hint, Warned, shown
from judged.evaluation.explain import steps_of
from judged.io.atomic import write_atomically
from judged.io.texts import read_texts
from judged.page.assemble import REPORT, assembled, check_path, check_title, json_bytes
from judged.page.facts import facts_of
from judged.page.inline import Page
from judged.page.query_details import Rankings, detail_blocks, shown_depth
from judged.page.static_html import slots_of
from judged.page.subject import Subject, subject_of
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.table import listed

_BLOCK = 10_000  # documents per block; a block is decoded when one of its queries is opened or explained


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

    The page needs no network access. The file is written atomically, and the same result always gives the same bytes. Without
    a path, the page is returned. Notebooks show it in its own frame, or only its first lines if it is larger than 5 MB.

    Args:
        result: a result of `evaluate` or `compare`; or several results of `evaluate`, or question files, which are compared first.
        path: output file, such as `report.html`. [default: none, return the page]
        doc_texts: texts of the documents; in any format that `read_texts` accepts (JSON Lines, TSV, CSV, Parquet, {id: text}, frames).
            [default: those in question files]
        query_texts: texts of the queries, in the same formats. [default: those in question files]
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
    last, ids = shown_depth(subject, depth), [str(query) for query in subject.first.queries]
    size = max(1, min(100, _BLOCK // max(1, last * len(subject.runs))))  # queries per block
    rankings: Rankings = []
    if last:
        rows = range(len(ids))
        rankings = [r.source.documents(rows, last) for r in subject.results if r.source is not None]
    asked: dict[str, str] = {}  # texts in question files
    chunks: dict[str, str] = {}
    for source in filter(None, (result.source for result in subject.results)):
        if (read := getattr(source.run, "texts", None)) is not None:
            source.check_unchanged()
            some = read()
            asked, chunks = {**some[0], **asked}, {**some[1], **chunks}
    docs: set[str] = set()  # the documents shown on the page
    if doc_texts is not None or chunks:
        docs = {doc for run in rankings for found in run for doc in found}
        pool = subject.judged[0].pool_doc if rankings else None
        docs |= set(pool.texts()) if pool is not None else set()
    texts = read_texts(chunks if doc_texts is None else doc_texts, docs, length=length) if docs else {}
    queries: list[str | None] | None = None
    if query_texts is not None or asked:
        known = read_texts(asked if query_texts is None else query_texts, set(ids), kind="queries")
        queries = [(one.text or one.title) if (one := known.get(query)) else None for query in ids]
    warnings = list(subject.warnings)
    for given, noun, wanted, found in (
        (doc_texts, "documents", docs, bool(texts)),
        (query_texts, "queries", ids, any(text is not None for text in queries or ())),
    ):
        if given is not None and wanted and not found:
            text = f"no text for any of {len(set(wanted)):,} {noun}, such as {shown(min(wanted))}"
            warnings.append(Warned("no-text", len(set(wanted)), text, Hint("check that the texts use the same ids")))
    if title is None:
        names = subject.runs if len(subject.runs) <= 4 else (*subject.runs[:3], f"{len(subject.runs) - 3} more")
        title = f"{listed(names)}; judgments: {subject.first.names[0].rpartition('/')[2]}"
    facts = facts_of(subject, warnings, title, queries, last, size)
    blocks: Iterable[dict[str, Any]] = ()
    facts["headers"] = []
    if last:
        with step("explaining the queries"):
            steps = [[steps_of(result, m, last) for m in subject.measures] for result in subject.results]
        facts["headers"] = [by[0].headers if by else () for by in steps[0]]
        blocks = detail_blocks(subject, rankings, texts, steps, last, size)
    values = np.stack([[np.asarray(r[m], float) for r in subject.results] for m in subject.measures])
    own = [("facts", json_bytes(facts)), ("values", np.ascontiguousarray(values, "<f8").tobytes())]
    details = ((f"details-{i}", json_bytes(block)) for i, block in enumerate(blocks))  # encoded one at a time
    page = assembled(REPORT, slots_of(facts, subject), chain(own, details))
    return page, -(-len(ids) // size), tuple(warnings)
