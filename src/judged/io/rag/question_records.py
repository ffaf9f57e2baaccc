"""Records of questions, in whatever holds them: JSON Lines, a JSON document, a list, a frame, columns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from judged.core.tables import Qrels, Run
from judged.errors import DataError, Place, shown
from judged.io.files.source import Content, is_file_like, is_path, open_content, open_stream
from judged.io.formats.json import JSON, read_values
from judged.io.formats.registry import detect_format
from judged.io.rag.fields import flat
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.frames import frame_of
from judged.io.tables.records import named_fields
from judged.io.text.lines import read_head

__all__ = ["records_of", "sample_records"]

_SAMPLE = 20  # records by which questions are recognised


def records_of(source: Any, context: Context) -> tuple[list[dict[str, Any]], Context]:
    """One record a question, its fields flat; and where they stand."""
    if is_path(source):
        with open_content(source) as content:
            items, context = _of_content(content, replace(context, path=content.name))
    elif is_file_like(source):
        content = open_stream(source, default="questions")
        items, context = _of_content(content, replace(context, path=content.name))
    else:
        items = _of_object(source, context)
    if not items:
        raise DataError("empty-questions", "at least one question", got="none", where=context.name)
    plain = [_mapping(item) for item in items]
    for i, record in enumerate(plain):
        if record is None:
            _refuse_form(shown(items[i]), context.items().place(i))
    return [flat(record) for record in plain if record is not None], context


def sample_records(source: Any) -> list[dict[str, Any]]:
    """Return the first records of a file or an object that may contain questions; none if it has no records."""
    if is_path(source):
        items = _first_in_file(source)
    elif is_file_like(source) or isinstance(source, (Qrels, Run)):
        items = []
    elif isinstance(source, Mapping):
        few = dict(islice(source.items(), _SAMPLE))
        whole = len(source) <= _SAMPLE or all(isinstance(value, Mapping) for value in few.values())
        items = _of_object(few, Context(ColumnRequest("questions"))) if whole else []
    elif isinstance(source, (list, tuple)):
        items = list(source[:_SAMPLE])
    elif hasattr(source, "to_pylist") and hasattr(source, "slice"):  # Arrow
        items = source.slice(0, _SAMPLE).to_pylist()
    elif hasattr(source, "to_dicts") or (hasattr(source, "iloc") and hasattr(source, "columns")):  # polars, pandas
        items = _of_object(source.head(_SAMPLE), Context(ColumnRequest("questions")))
    else:
        items = []
    return [flat(record) for item in items if (record := _mapping(item)) is not None]


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


def _of_content(content: Content, context: Context) -> tuple[list[Any], Context]:
    head = read_head(content)
    detected = detect_format(head, context.request)
    if not head.line:
        raise DataError("empty-questions", "the file has no questions", where=context.name)
    if detected is None or detected.format is not JSON:
        _refuse_form(shown(head.line.decode("utf-8", "replace")), Place(context.name, head.number))
    value, context = read_values(content.read(), context)
    return value if context.lines is not None else _of_object(value, context), context


def _of_object(source: Any, context: Context) -> list[Any]:
    """Records of a list, a frame, a mapping of columns, or of a mapping of questions."""
    if hasattr(source, "to_dicts"):  # polars
        return list(source.to_dicts())
    if hasattr(source, "to_pylist"):  # Arrow
        return list(source.to_pylist())
    if hasattr(source, "to_dict") and frame_of(source) is not None:  # pandas
        return list(source.to_dict("records"))
    if isinstance(source, Mapping):
        values = list(source.values())
        if (
            values
            and all(isinstance(value, Mapping) for value in values)
            and not {"inputs", "outputs"} <= source.keys()
        ):
            return [{"question_id": key, **value} for key, value in source.items()]
        lengths = {len(value) for value in values if isinstance(value, (list, tuple))}
        if len(lengths) == 1 and all(isinstance(value, (list, tuple)) for value in values) and not _is_record(source):
            return [dict(zip(source, row, strict=True)) for row in zip(*values, strict=True)]
        return [source]
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return list(source)
    return _refuse_form(f"a {type(source).__name__}", context.place)


def _is_record(source: Mapping[Any, Any]) -> bool:
    """Whether this is one record, not columns of them: its lists hold chunks, not lists of chunks."""
    return not any(isinstance(cell, (list, tuple, Mapping)) for value in source.values() for cell in value)


def _mapping(item: Any) -> Mapping[Any, Any] | None:
    if isinstance(item, Mapping):
        return item
    if hasattr(item, "model_dump"):  # pydantic, as in RAGAS
        dumped: Mapping[Any, Any] = item.model_dump()
        return dumped
    names = named_fields(type(item))
    return None if names is None else {name: getattr(item, name) for name in names}


def _refuse_form(got: str, where: Place) -> NoReturn:
    raise DataError(
        "questions", "records with a question, what was retrieved and what is relevant, in one JSON Lines file", got=got, where=where,
        hint="judgments and a run in two files are given as two: judged eval QRELS RUN",
    )  # fmt: skip
