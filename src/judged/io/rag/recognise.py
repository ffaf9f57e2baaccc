"""Recognise a source of questions by its first records."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from typing import Any

from judged.core.tables import Qrels, Questions, Run
from judged.core.unread_runs import UnreadRun
from judged.errors import DataError, Place
from judged.io.files.source import file_path, is_file_like, is_path, open_content
from judged.io.parts.recognise import is_spark

_STREAMS = ("/dev/", "/proc/")  # a file may be behind such a name, with one position for all readers
_SAMPLE = 20  # records by which questions are recognised


def is_questions(source: Any, **fields: str) -> bool:
    """Return whether a source has questions with retrieved and relevant documents, by its first records.

    Args:
        source: anything that `read_questions` takes; a pipe or an open file, which can be read only once, is not examined.
        fields: names of the fields, as in `read_questions`.

    >>> is_questions([{"query": "why?", "retrieved": ["c2", "c1"], "relevant": ["c1"]}])
    True
    """
    if isinstance(source, Questions):
        return True
    if not (items := _first_items(source)):
        return False
    from judged.io.rag.fields import find_fields, flatten
    from judged.io.rag.questions import as_mapping  # most inputs are not questions, and do not need them

    records = [flatten(record) for item in items if (record := as_mapping(item)) is not None]
    try:
        return bool(records) and bool(find_fields(records, fields, Place("")))
    except DataError:
        return False


def _first_items(source: Any) -> list[Any]:
    """Return the first records of a source that may contain questions; none if it has no records."""
    plain = type(source) is dict
    if not plain and is_path(source):
        return _first_in_file(source)
    if not plain and (
        source is None or isinstance(source, (Qrels, Run, UnreadRun)) or is_spark(source) or is_file_like(source)
    ):
        return []
    if isinstance(source, (list, tuple)):
        return list(source[:_SAMPLE]) if source and not isinstance(source[0], str) else []
    if isinstance(source, Mapping):
        few = dict(islice(source.items(), _SAMPLE))
        inner = [value for value in few.values() if type(value) is dict or isinstance(value, Mapping)]
        if inner and all(isinstance(next(iter(value.values()), 0), (int, float)) for value in inner):
            return []  # {query: {doc: number}}
        lists = [value for value in few.values() if isinstance(value, (list, tuple))]
        if len(lists) == len(few) and not any(isinstance(value[0], (list, tuple, Mapping)) for value in lists if value):
            return []  # {query: [doc, …]}
        if len(source) > _SAMPLE and len(inner) < len(few):
            return []
        source = few
    elif hasattr(source, "to_pylist") and hasattr(source, "slice"):  # Arrow
        return list(source.slice(0, _SAMPLE).to_pylist())
    elif hasattr(source, "to_dicts") or (hasattr(source, "iloc") and hasattr(source, "columns")):  # polars, pandas
        source = source.head(_SAMPLE)
    else:
        return []
    from judged.io.rag.questions import list_records
    from judged.io.tables.columns import ColumnRequest
    from judged.io.tables.context import Context

    return list_records(source, Context(ColumnRequest("questions")))


def _first_in_file(source: Any) -> list[Any]:
    """Return the first record of a JSON or JSON Lines file."""
    if not file_path(source) or os.fsdecode(source).startswith(_STREAMS):  # a pipe can be read only once
        return []
    with open_content(source) as content:
        text = bytes(content.head).decode("utf-8-sig", "ignore").lstrip().removeprefix("[").lstrip()
    if not text.startswith("{"):
        return []
    import json

    try:
        return [json.JSONDecoder().raw_decode(text)[0]]
    except (ValueError, RecursionError):
        return []
