"""Reading and writing: judgments and rankings in any form, to and from columns."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.io.arrays.layouts import Lists, lists_of
    from judged.io.arrays.numbers import as_numbers, like
    from judged.io.click_logs import read_click_rows, read_list_rows, write_columns
    from judged.io.files.atomic import write_atomically
    from judged.io.files.source import read_text
    from judged.io.judges import read_judges
    from judged.io.parts.parts import parts_of
    from judged.io.query_attributes import read_attribute
    from judged.io.rag.chunk_table import ChunkTable, any_of, count_tokens, read_chunks
    from judged.io.rag.questions import Questions, read_questions
    from judged.io.rag.texts import Prose, read_prose
    from judged.io.read import in_parts, is_spark, open_run, read_qrels, read_run
    from judged.io.sample import sample_path
    from judged.io.tables.columns import is_usual
    from judged.io.write import convert, write_qrels, write_run

# Most evaluations read two TREC files and write nothing: the rest of the room is opened when it is asked for.
_HOME = {
    "ChunkTable": "judged.io.rag.chunk_table",
    "Lists": "judged.io.arrays.layouts",
    "Prose": "judged.io.rag.texts",
    "Questions": "judged.io.rag.questions",
    "any_of": "judged.io.rag.chunk_table",
    "as_numbers": "judged.io.arrays.numbers",
    "convert": "judged.io.write",
    "count_tokens": "judged.io.rag.chunk_table",
    "in_parts": "judged.io.read",
    "is_spark": "judged.io.read",
    "is_usual": "judged.io.tables.columns",
    "like": "judged.io.arrays.numbers",
    "lists_of": "judged.io.arrays.layouts",
    "open_run": "judged.io.read",
    "parts_of": "judged.io.parts.parts",
    "read_attribute": "judged.io.query_attributes",
    "read_chunks": "judged.io.rag.chunk_table",
    "read_click_rows": "judged.io.click_logs",
    "read_judges": "judged.io.judges",
    "read_list_rows": "judged.io.click_logs",
    "read_prose": "judged.io.rag.texts",
    "read_qrels": "judged.io.read",
    "read_questions": "judged.io.rag.questions",
    "read_run": "judged.io.read",
    "read_text": "judged.io.files.source",
    "sample_path": "judged.io.sample",
    "write_atomically": "judged.io.files.atomic",
    "write_columns": "judged.io.click_logs",
    "write_qrels": "judged.io.write",
    "write_run": "judged.io.write",
}

__all__ = [
    "ChunkTable",
    "Lists",
    "Prose",
    "Questions",
    "any_of",
    "as_numbers",
    "convert",
    "count_tokens",
    "in_parts",
    "is_spark",
    "is_usual",
    "like",
    "lists_of",
    "open_run",
    "parts_of",
    "read_attribute",
    "read_chunks",
    "read_click_rows",
    "read_judges",
    "read_list_rows",
    "read_prose",
    "read_qrels",
    "read_questions",
    "read_run",
    "read_text",
    "sample_path",
    "write_atomically",
    "write_columns",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
