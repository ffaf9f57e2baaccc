"""Workbooks of Excel, and ZIP archives: recognised to say what to do with them."""

from __future__ import annotations

from typing import NoReturn

from judged.errors import DataError
from judged.io.columns import ColumnRequest
from judged.io.files import Content
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.origin import Context
from judged.io.text.lines import Head

_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xlsx, .xls


def _detect(head: Head, request: ColumnRequest) -> bool:
    return head.data.startswith((_ZIP, _OLD))


def _read(content: Content, detected: Detected, context: Context) -> NoReturn:
    data = detected.head.data
    if data.startswith(_OLD) or b"xl/" in data or b"[Content_Types].xml" in data:
        raise DataError("format", "this is an Excel workbook", where=context.name, hint="save it as CSV")
    raise DataError(
        "format", "this is a ZIP archive", where=context.name, hint="extract the file, or compress it with gzip"
    )


WORKBOOK = FORMATS.add(FileFormat("workbook", 1, _detect, _read))
