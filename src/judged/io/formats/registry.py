"""The registry of file formats, and the one detector."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.files import COLUMNAR
from judged.registry import Registry

if TYPE_CHECKING:
    from judged.core.tables import Qrels, Run
    from judged.core.unread_runs import ScoreColumn, UnreadRun
    from judged.io.columns import ColumnRequest
    from judged.io.files import Content
    from judged.io.formats.columnar import Rows
    from judged.io.frames import Frame
    from judged.io.lines import Head
    from judged.io.origin import Context
    from judged.io.stored import Stored
    from judged.io.table import ColumnBatches, SourceTable

    OpenTable = SourceTable | ColumnBatches | Run | Qrels | ScoreColumn


class FileFormat(NamedTuple):
    """A file format: one declaration, used for whole files, open files and partitions of every kind of table.

    Args:
        name: in messages.
        detect: takes the beginning of a file and the request; returns what `read` needs, such as a header, or None. Files that are no text
            are recognised by their first bytes.
        read: returns the table of an open file.
        unread: returns a run as the native core takes it, without reading it first; None if the file has to be read. Its last argument reads
            the file again.
        row_groups: returns the groups of rows of a file of columns, which can be cut between them.
        open_frame: returns the bytes of such a file as a frame.
    """

    name: str
    detect: Callable[[Head, ColumnRequest], Any] | None
    read: Callable[[Content, Detected, Context], OpenTable]
    unread: Callable[[Content, Detected, Context, Callable[[], Run]], UnreadRun | None] | None = None
    row_groups: Callable[[Stored, ColumnRequest], list[Rows]] | None = None
    open_frame: Callable[[Any], Frame] | None = None
    aliases: tuple[str, ...] = ()


class Detected(NamedTuple):
    """The format of a file, and what its detector found: a header, say."""

    format: FileFormat
    header: Any
    head: Head


FORMATS = Registry[FileFormat]("format", package="judged.io.formats", plugins="judged.formats")
# Files that are no text, by their first bytes: also .xlsx, as every ZIP archive, and .xls.
_BINARY = {**COLUMNAR, b"PK\x03\x04": "workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "workbook"}
# The formats of text and their files, in the order in which they are tried: most files are TREC files. Other formats follow.
_TEXT = {"TREC": "trec", "LETOR": "letor", "scores": "letor", "JSON": "json", "CSV": "delimited"}


def detect_format(head: Head, request: ColumnRequest) -> Detected | None:
    """Return the format of a file by its beginning; None if no format recognises it."""
    for magic, name in _BINARY.items():
        if head.data.startswith(magic):
            import_module(f"{__package__}.columnar")
            return Detected(FORMATS.find(name), None, head)
    for name, file in _TEXT.items():
        import_module(f"{__package__}.{file}")
        if (detected := _detect(FORMATS.find(name), head, request)) is not None:
            return detected
    others = (format for format in FORMATS.installed() if format.name not in _TEXT)  # of this folder, then of plug-ins
    return next((found for format in others if (found := _detect(format, head, request)) is not None), None)


def _detect(format: FileFormat, head: Head, request: ColumnRequest) -> Detected | None:
    header = format.detect(head, request) if format.detect else None
    return None if header is None or header is False else Detected(format, header, head)


def raise_undetected(head: Head, context: Context) -> NoReturn:
    """Raise an error for a table without a header."""
    from judged.io.table import raise_empty

    if not head.line:
        raise_empty(context)
    columns = ",".join(name for name, role in context.request.roles.items() if role.required or name == "rank")
    raise DataError(
        "columns",
        f"no header line with the names of the columns: {shown(head.line.decode('utf-8', 'surrogateescape'))}",
        where=Place(context.name, head.number),
        hint=f"write a header such as {columns}",
    )
