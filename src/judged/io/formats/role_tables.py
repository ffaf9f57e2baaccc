"""Tables whose columns have roles of their own, in any form: files and frames are opened as those of runs and judgments are."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import DataError, Place, shown
from judged.io.files.source import read_bytes, read_stream, source_name
from judged.io.formats.delimited import Header, _batches
from judged.io.formats.jsonl import _BATCH, _is_whole, _loaded, _records
from judged.io.formats.parquet import _READERS, MAGIC, _library
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.context import Context
from judged.io.tables.frames import Frame, frame_of
from judged.io.tables.ids import Column
from judged.io.tables.origin import CellOrigin, ItemOrigin, LineOrigin, Origin, RowOrigin
from judged.io.tables.records import named_fields, names_of, values
from judged.io.tables.roles import Batch, Roles, RoleTable, find_roles, gathered, match, refuse_empty
from judged.io.text.detect import first_line, is_trec
from judged.io.text.encoding import Raw, check_encoding, decoded
from judged.io.text.trec_columns import RUN

__all__ = ["table_of_roles"]


def table_of_roles(source: Any, what: str, roles: Roles, named: Mapping[str, str]) -> RoleTable:
    """The columns of a source.

    Args:
        source: a path, an open file, a frame, a mapping of columns, or a list of records or of tuples in the order of the roles.
        what: what the source is called in messages.
        roles: the columns to find.
        named: the names of columns that the caller gave.
    """
    wanted: Any = what  # only shown, never looked up
    context = Context(ColumnRequest(wanted, named))
    if isinstance(source, (str, bytes, os.PathLike)):
        return _of_content(read_bytes(source), replace(context, path=source_name(source)), roles)
    if hasattr(source, "read") and not isinstance(source, type):
        label = getattr(source, "name", None)
        name = label if isinstance(label, str) else what
        return _of_content(read_stream(source, name), replace(context, path=name), roles)
    frame = frame_of(source)
    if frame is None and isinstance(source, Mapping):
        frame = Frame(list(source), lambda names: [_plain_column(source[name]) for name in names])
    if frame is not None:
        return _of_frame(frame, context, roles)
    if isinstance(source, Iterable):
        return _of_items(list(source), context, roles)
    raise DataError(
        "form", f"{what}: a path, a frame, columns or records", got=f"a {type(source).__name__}", where=what
    )


# ── forms ────────────────────────────────────────────────────────────────────────────────────────


def _of_content(data: Raw, context: Context, roles: Roles) -> RoleTable:
    form = next((name for magic, name in MAGIC.items() if data.startswith(magic)), None)
    if form is not None:
        library, module = _library(form, context)
        try:
            frame = _READERS[form, library](module, memoryview(data)[:-8])
            return _of_frame(frame, replace(context, columnar=True), roles)
        except (DataError, MemoryError):
            raise
        except Exception as error:  # each library has exceptions of its own
            got = f"a damaged one ({error})".replace("\n", " ")
            raise DataError("damaged", f"a whole {form} file", got=got, where=context.name) from error
    line, number = first_line(data)
    if not line:
        refuse_empty(context)
    if line[:1] in (b"{", b"["):
        return _of_json(data, context, roles)
    return _of_delimited(data, line.decode("utf-8", "surrogateescape"), number, context, roles)


def _of_delimited(data: Raw, line: str, number: int, context: Context, roles: Roles) -> RoleTable:
    if "team" in roles and is_trec(line.encode("utf-8", "surrogateescape"), RUN):  # a run whose tags are teams
        header, number = (
            Header("\t" if "\t" in line else " ", ("query", "Q0", "doc", "rank", "score", "team")),
            number - 1,
        )
    else:
        header = _header(line, context, roles, Place(context.name, number))
    found = find_roles(header.names, context, roles, Place(context.name, number))
    position = {role: header.names.index(name) for role, name in found.items()}
    size = len(data) - 8
    text = bytes(data[check_encoding(data, size, context.name) : size]).decode("utf-8", "surrogateescape")
    lines: list[Ints] = []

    def batches() -> Iterator[Batch]:
        for rows, at in _batches(text, header, number, context.name):
            lines.append(at)
            yield {role: [row[column] for row in rows] for role, column in position.items()}

    columns = {role: (at + 1, found[role]) for role, at in position.items()}
    return gathered(batches(), lambda: LineOrigin(context.name, np.concatenate(lines), columns), context, roles, found)


def _header(line: str, context: Context, roles: Roles, where: Place) -> Header:
    """The separator by which most roles are found."""
    best, most = None, 0
    for delimiter in "\t,;":
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration):
            continue
        names = tuple(cell.strip() for cell in cells)
        count = sum(match(role, names) is not None for role in roles.values())
        count += sum(name in names for name in context.wanted.named.values())
        if count > most:
            best, most = Header(delimiter, names, any(cell.startswith(" ") for cell in cells[1:])), count
    if best is None:
        usual = ",".join(name for name, role in roles.items() if role.required or name == "rank")
        raise DataError(
            "columns",
            "a header line with the names of the columns",
            got=shown(line),
            where=where,
            hint=f"such as {usual}",
        )
    return best


def _of_json(data: Raw, context: Context, roles: Roles) -> RoleTable:
    text = decoded(data, context.name)
    lines = text.split("\n" if "\n" in text else "\r")
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if len(filled) == 1 or not _is_whole(lines[filled[0]]):
        value = _loaded(text, context.place)
        if isinstance(value, Mapping) and all(isinstance(v, list) for v in value.values()):
            return _of_frame(Frame(list(value), lambda names: [value[name] for name in names]), context, roles)
        return _of_items(value if isinstance(value, list) else [value], context, roles)
    first = _loaded(lines[filled[0]], Place(context.name, filled[0] + 1))
    if not isinstance(first, Mapping):
        raise DataError("columns", "one record a line", got=shown(first), where=Place(context.name, filled[0] + 1))
    found = find_roles(names_of(first), context, roles, context.place)

    def batches() -> Iterator[Batch]:
        for at in range(0, len(filled), _BATCH):
            part = replace(context, lines=np.array(filled[at : at + _BATCH]) + 1)
            records = _records(lines, filled[at : at + _BATCH], part)
            yield {role: values(records, name, role, part) for role, name in found.items()}

    return gathered(batches(), lambda: LineOrigin(context.name, np.array(filled) + 1), context, roles, found)


def _of_items(items: list[Any], context: Context, roles: Roles) -> RoleTable:
    if not items:
        refuse_empty(context)
    if all(isinstance(item, Mapping) or named_fields(type(item)) is not None for item in items):
        found = find_roles(names_of(items[0]), context, roles, context.place)
        columns: Batch = {role: values(items, name, role, context) for role, name in found.items()}
    else:
        found = {role: role for role in roles}
        short = [i for i, item in enumerate(items) if not isinstance(item, (tuple, list)) or len(item) != len(roles)]
        if short:
            got, where = shown(items[short[0]]), context.items().place(short[0])
            raise DataError("columns", f"({', '.join(roles)}) in each row", got=got, where=where)
        columns = {role: [item[at] for item in items] for at, role in enumerate(roles)}
    origin = ItemOrigin(context.wanted.what, found, path=context.path, typed=context.typed)
    return gathered(iter([columns]), lambda: origin, context, roles, found)


def _of_frame(frame: Frame, context: Context, roles: Roles) -> RoleTable:
    names = list(frame.names)
    found = find_roles(names, context, roles, context.place)
    columns = dict(zip(found, frame.columns(list(found.values())), strict=True))
    lengths = {found[role]: len(column) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
        raise DataError("columns", "columns of one length", got=got, where=context.place)
    origin: Origin = CellOrigin(context.name, found)
    if context.path is not None:
        origin = RowOrigin(context.path, found, {name: i for i, name in enumerate(names)}, context.typed)
    return gathered(iter([columns]), lambda: origin, context, roles, found)


def _plain_column(column: Any) -> Column:
    return column if isinstance(column, (list, np.ndarray)) else list(getattr(column, "tolist", column.__iter__)())
