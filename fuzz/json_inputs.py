"""Bytes as JSON: any text, or well-formed rows in one of the shapes that the native core takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.io.open_table import open_whole_run
from judged.io.read import read_run

__all__ = ["json_text", "opened"]

ODD_CELLS = ("null", "true", "NaN", "-Infinity", '"1.5"', "01", "1.", "1e400", "-0", "-0.0", "0.30000000000000004", "12.345678901234567", '""', '"\\u0000"', '"\\ud800"',
             '"\\ud83d\\ude00"', '"a\\/b"', "[1]", '{"a": 1}', "123456789012345678901", '"\xff"', '"a\tb"', "1e-05", "7", "x")  # fmt: skip
ENDS = ("\n", "\r\n", "\n\n", " \n")
COMMAS = (", ", ",", ",\n  ", " ,")


def json_text(body: bytes, head: bytes, ids: Sequence[Sequence[bytes]], scores: Sequence[float]) -> bytes:
    """The bytes as they are, or four bytes a row as records, an array, a document, lists or records with lists, with odd values among them."""
    form = head[6] % 6
    if form == 0:
        return body
    rows = [body[i : i + 4] for i in range(0, len(body) - 3, 4)]
    text = _text(form, [_cells(row, head[7], ids, scores) for row in rows], head[7])
    return (b"\xef\xbb\xbf" if head[7] >= 250 else b"") + text.encode("utf-8", "surrogateescape")


Cells = tuple[str, str, str, str]  # query, document, score and rank as they are written


def _cells(row: bytes, style: int, ids: Sequence[Sequence[bytes]], scores: Sequence[float]) -> Cells:
    query, doc = (_quoted(some[byte % len(some)], style) for some, byte in zip(ids, row, strict=False))
    cells = [query, doc, json.dumps(scores[row[2] % len(scores)]), str(row[3] % 64)]
    if style % 8 == 7 and row[3] >= 250:
        cells[row[0] % 4] = ODD_CELLS[row[2] % len(ODD_CELLS)]
    return cells[0], cells[1], cells[2], cells[3]


def _quoted(id: bytes, style: int) -> str:
    text = id.decode("utf-8", "surrogateescape")
    return json.dumps(text) if style % 2 else f'"{text}"'


def _text(form: int, rows: list[Cells], style: int) -> str:
    comma = COMMAS[style // 2 % 4]
    if form <= 2:
        names = ["query", "doc", "score", "rank"][: 3 + style // 8 % 2]
        blank = comma if form == 2 or "\n" not in comma else ","
        records = [
            "{" + blank.join(f'"{name}": {cell}' for name, cell in zip(names, row, strict=False)) + "}" for row in rows
        ]
        return (
            "".join(record + ENDS[style // 16 % 4] for record in records) if form == 1 else f"[{comma.join(records)}]"
        )
    rankings: dict[str, list[str]] = {}
    for query, doc, score, _ in rows:
        cells = rankings.setdefault(query, [])
        if form >= 4 or style % 16 == 15 or not any(cell.startswith(f"{doc}:") for cell in cells):
            cells.append(doc if form >= 4 else f"{doc}: {score}")
    if form == 5:
        comma = comma.replace("\n", "")
        records = [f'{{"query":{query}{comma}"results": [{comma.join(docs)}]}}' for query, docs in rankings.items()]
        return "".join(record + ENDS[style // 16 % 4] for record in records)
    marks = "{}" if form == 3 else "[]"
    return (
        "{" + comma.join(f"{query}:{marks[0]}{comma.join(cells)}{marks[1]}" for query, cells in rankings.items()) + "}"
    )


def opened(text: bytes) -> tuple[Callable[[], Run | UnreadRun], Callable[[], Run]]:
    """A stream of this text as the native core takes it, and as the reference does."""

    def stream() -> Any:
        file = BytesIO(text)
        file.name = "run.json"
        return file

    return lambda: open_whole_run(stream()), lambda: read_run(stream())
