"""What each file of a run in parts is, by its beginning; all of them are of one form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from judged.errors import DataError
from judged.io.files.source import PAD, compression
from judged.io.files.stored import Stored
from judged.io.formats.delimited import Header, header_for
from judged.io.formats.parquet import MAGIC
from judged.io.tables.columns import ColumnRequest
from judged.io.tables.containers import is_flat
from judged.io.tables.context import Context
from judged.io.text.detect import first_line, is_letor, is_score, is_trec
from judged.io.text.trec_columns import RUN

__all__ = ["Known", "known", "of_one_form", "refuse_empty", "scores_or_ranks"]

_HEAD = 1 << 16
_INFINITE = re.compile(rb"[ \t][+-]?inf(?:inity)?[ \t]", re.IGNORECASE)
_WORDS = {"TREC": "TREC lines", "other": "text of another kind"}


@dataclass(frozen=True, slots=True)
class Known:
    """A file, and what its first bytes say.

    Args:
        form: Parquet, Arrow, TREC, JSON, CSV; other, which is read whole; empty.
        packing: how it is compressed.
        header: of CSV and TSV; `line` is its number.
        names: of the columns of JSON Lines, where each line is a record of one document; those of the first record.
    """

    file: Stored
    form: str
    packing: str | None = None
    header: Header | None = None
    line: int = 1
    names: tuple[str, ...] = ()


def known(file: Stored, wanted: ColumnRequest) -> Known:
    """What a file is."""
    if not file.size:
        return Known(file, "empty")
    head, packing, whole = _head(file)
    form = next((form for magic, form in MAGIC.items() if head.startswith(magic)), None)
    if form is not None:
        return Known(file, form, packing)
    line, number = first_line(head + PAD)
    if not line and whole:
        return Known(file, "empty", packing)
    if not wanted.named and _is_run_line(line) and (b"\n" in head or (whole and b"\r" not in head)):
        return Known(file, "TREC", packing)
    if not wanted.named and (is_letor(line) or is_score(line)):
        return Known(file, "other", packing)
    if line[:1] in (b"{", b"["):
        return Known(file, "JSON", packing, names=_names(line, wanted) if b"\n" in head else ())
    header = header_for(line.decode("utf-8", "surrogateescape"), wanted)
    if header is None:
        return Known(file, "other", packing)
    alone = whole and not b"".join(head.split(b"\n", number)[number:]).strip()
    return Known(file, "empty" if alone and b"\n" in head else "CSV", packing, header, number)


def _is_run_line(line: bytes) -> bool:
    """Whether a line is one of a TREC run, an infinite score included: alone such a file is read as one too."""
    return is_trec(line, RUN) or is_trec(_INFINITE.sub(b" 0 ", line), RUN)


def _head(file: Stored) -> tuple[bytes, str | None, bool]:
    """The beginning of the text of a file, how it is compressed, and whether it is all there is."""
    with file.opened() as raw:
        head = raw.read(_HEAD)
        kind = compression(head)
        if kind is None:
            return head, None, len(head) == file.size
        from judged.io.files.decompress import expanding

        raw.seek(0)
        parts, size = [], 0
        for part in expanding(raw, kind, file.name, _HEAD):
            parts.append(part)
            size += len(part)
            if size >= _HEAD:
                return b"".join(parts)[:_HEAD], kind, False
        return b"".join(parts), kind, True


def _names(line: bytes, wanted: ColumnRequest) -> tuple[str, ...]:
    """The names in the first record, where it is one of JSON Lines and of one document."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return tuple(record) if is_flat(record, Context(wanted)) else ()


def of_one_form(found: Iterable[Known], name: str) -> list[Known]:
    """The files that hold something, which are all of one form.

    Raises:
        DataError: files of two forms, or none that holds anything.
    """
    filled = [file for file in found if file.form != "empty"]
    if not filled:
        refuse_empty(name)
    first = filled[0]
    other = next((file for file in islice(filled, 1, None) if file.form != first.form), None)
    if other is not None:
        words = [f"{_WORDS.get(file.form, file.form)} ({file.file.name})" for file in (first, other)]
        raise DataError(
            "form", "files of one form in one run", got=" and ".join(words), where=name,
            hint="name those that are meant by a pattern, such as 'run/*.parquet'",
        )  # fmt: skip
    return filled


def scores_or_ranks(found: Iterable[tuple[str, bool]]) -> None:
    """Refuse files of which some have scores and others ranks alone: the two cannot be compared."""
    kinds = {scored: name for name, scored in found}
    if len(kinds) > 1:
        raise DataError(
            "columns", "scores in every file of a run, or in none", got=f"scores in {kinds[True]} and ranks alone in {kinds[False]}",
            where=kinds[False], hint="write them with the same columns, or name one that all of them have: rank='rank'",
        )  # fmt: skip


def refuse_empty(name: str) -> NoReturn:
    hint = "is this the right one, and was it filled?"
    raise DataError("empty-run", "at least one ranking", got="none", hint=hint, where=name)
