"""Texts read by the native core and by the reference, to compare both."""

from contextlib import contextmanager
from dataclasses import fields
from io import BytesIO
from unittest import mock

import numpy as np

from judged.core import unread_runs
from judged.core.tables import IdColumn
from judged.errors import JudgedError
from judged.io.read import read_qrels, read_run

READERS = {"run": read_run, "qrels": read_qrels}


@contextmanager
def only_reference():
    with mock.patch.object(unread_runs, "native", None):
        yield


def plain(value):
    if isinstance(value, IdColumn):
        return value.tolist()
    return (
        (value.dtype.kind, value.astype(value.dtype.kind + "8").tobytes()) if isinstance(value, np.ndarray) else value
    )


def outcome(kind: str, text: bytes, **options):
    """What came of it, in a form that can be compared to the last bit."""
    stream = BytesIO(text)
    stream.name = "file.txt"
    try:
        table = READERS[kind](stream, **options)
    except JudgedError as error:
        return type(error).__name__, str(error), error.where, repr(error.value)
    return described(table)


def described(table):
    found = {spec.name: plain(getattr(table, spec.name)) for spec in fields(table) if spec.name != "where"}
    return found, [table.where(row) for row in range(len(table.query))]


def check(kind: str, text: bytes, **options):
    with mock.patch.object(unread_runs, "_BYTES", 50), mock.patch.object(unread_runs, "CORES", 2):
        seen = outcome(kind, text, **options)
    with only_reference():
        assert seen == outcome(kind, text, **options)


def is_native(kind: str, text: bytes, **options) -> bool:
    """Return whether the core reads a text, and does not leave it to the reference."""
    with mock.patch.object(unread_runs, "TextRows", side_effect=unread_runs.TextRows) as made:
        outcome(kind, text, **options)
    return made.called
