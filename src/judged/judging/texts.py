"""Texts that judges read: of documents to judge, and of their queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from judged.errors import DataError, Hint, Wording, shown
from judged.io.texts import Texts, read_texts
from judged.judging.todo import TodoItem
from judged.tables.text import counted

Missing = Literal["error", "skip"]


def texts_to_judge(
    items: Sequence[TodoItem], doc_texts: Any, query_texts: Any = None, missing: Missing = "error"
) -> list[tuple[str, Texts] | None]:
    """Return the text of the query and of the document, for each document to judge; None where one is missing.

    Args:
        items: documents to judge.
        doc_texts: texts of documents, as `read_texts` reads them.
        query_texts: texts of queries; None: the ids are the texts.
        missing: what to do if a text is missing: raise an error, or leave it out.

    Raises:
        DataError: a text is missing.
    """
    docs = read_texts(doc_texts, {str(item.doc) for item in items})
    ids = {str(item.query) for item in items}
    queries = None if query_texts is None else read_texts(query_texts, ids, kind="queries")
    found: list[tuple[str, Texts] | None] = []
    absent: list[str] = []
    for item in items:
        document = docs.get(str(item.doc))
        query = str(item.query) if queries is None else whole_text(queries.get(str(item.query)))
        if document is None or whole_text(document) is None or query is None:
            absent.append(f"query {shown(str(item.query))}" if query is None else f"document {shown(str(item.doc))}")
            found.append(None)
        else:
            found.append((query, document))
    if absent and missing == "error":
        problem = f"no text for {counted(len(absent), 'document or query', 'documents or queries')}: {', '.join(absent[:3])}{' …' if len(absent) > 3 else ''}"
        raise DataError(
            "no-text",
            problem,
            hint=Hint(
                "add the texts, or leave the documents out with {skip}",
                skip=Wording("missing='skip'", "--skip-missing"),
            ),
        )
    return found


def whole_text(texts: Texts | None) -> str | None:
    """Return title and text; None if there is neither."""
    parts = [] if texts is None else [part for part in (texts.title, texts.text) if part]
    return "\n".join(parts) if parts else None
