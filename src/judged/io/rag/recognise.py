"""Recognise a source of questions by its first records."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from judged.core.tables import Qrels, Run
from judged.errors import DataError, Place
from judged.io.files.source import is_file_like, is_path, open_content
from judged.io.rag.fields import find_fields, flatten
from judged.io.rag.questions import Questions, as_mapping, list_records
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context

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
    records = _sample_records(source)
    try:
        return bool(records) and bool(find_fields(records, fields, Place("")))
    except DataError:
        return False


def _sample_records(source: Any) -> list[dict[str, Any]]:
    """Return the first records of a file or an object that may contain questions; none if it has no records."""
    if is_path(source):
        items = _first_in_file(source)
    elif is_file_like(source) or isinstance(source, (Qrels, Run)):
        items = []
    elif isinstance(source, Mapping):
        few = dict(islice(source.items(), _SAMPLE))
        whole = len(source) <= _SAMPLE or all(isinstance(value, Mapping) for value in few.values())
        items = list_records(few, Context(ColumnRequest("questions"))) if whole else []
    elif isinstance(source, (list, tuple)):
        items = list(source[:_SAMPLE])
    elif hasattr(source, "to_pylist") and hasattr(source, "slice"):  # Arrow
        items = source.slice(0, _SAMPLE).to_pylist()
    elif hasattr(source, "to_dicts") or (hasattr(source, "iloc") and hasattr(source, "columns")):  # polars, pandas
        items = list_records(source.head(_SAMPLE), Context(ColumnRequest("questions")))
    else:
        items = []
    return [flatten(record) for item in items if (record := as_mapping(item)) is not None]


def _first_in_file(source: Any) -> list[Any]:
    """Return the first record of a JSON or JSON Lines file."""
    if source == "-" or not Path(os.fsdecode(source)).is_file():  # a pipe can be read only once
        return []
    with open_content(source) as content:
        text = bytes(content.head).decode("utf-8-sig", "ignore").lstrip().removeprefix("[").lstrip()
    try:
        return [json.JSONDecoder().raw_decode(text)[0]] if text.startswith("{") else []
    except ValueError:
        return []
