"""Reading and writing: judgments and rankings in any form, to and from columns."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.sources._atomic import write_atomically
    from judged.sources._columns import is_usual
    from judged.sources._file import read_text
    from judged.sources.array import as_numbers, like
    from judged.sources.attribute import read_attribute
    from judged.sources.chunk import ChunkTable, any_of, count_tokens, read_chunks
    from judged.sources.clicks import read_click_rows, read_list_rows, write_columns
    from judged.sources.judge import read_judges
    from judged.sources.lists import Lists, lists_of
    from judged.sources.parts import parts_of
    from judged.sources.prose import Prose, read_prose
    from judged.sources.question import Questions, read_questions
    from judged.sources.read import in_parts, is_spark, open_run, read_qrels, read_run
    from judged.sources.sample import sample_path
    from judged.sources.write import convert, write_qrels, write_run

# Most evaluations read two TREC files and write nothing: the rest of the room is opened when it is asked for.
_HOME = {
    "ChunkTable": "judged.sources.chunk",
    "Lists": "judged.sources.lists",
    "Prose": "judged.sources.prose",
    "Questions": "judged.sources.question",
    "any_of": "judged.sources.chunk",
    "as_numbers": "judged.sources.array",
    "convert": "judged.sources.write",
    "count_tokens": "judged.sources.chunk",
    "in_parts": "judged.sources.read",
    "is_spark": "judged.sources.read",
    "is_usual": "judged.sources._columns",
    "like": "judged.sources.array",
    "lists_of": "judged.sources.lists",
    "open_run": "judged.sources.read",
    "parts_of": "judged.sources.parts",
    "read_attribute": "judged.sources.attribute",
    "read_chunks": "judged.sources.chunk",
    "read_click_rows": "judged.sources.clicks",
    "read_judges": "judged.sources.judge",
    "read_list_rows": "judged.sources.clicks",
    "read_prose": "judged.sources.prose",
    "read_qrels": "judged.sources.read",
    "read_questions": "judged.sources.question",
    "read_run": "judged.sources.read",
    "read_text": "judged.sources._file",
    "sample_path": "judged.sources.sample",
    "write_atomically": "judged.sources._atomic",
    "write_columns": "judged.sources.clicks",
    "write_qrels": "judged.sources.write",
    "write_run": "judged.sources.write",
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
