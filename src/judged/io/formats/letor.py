"""SVMlight and LETOR files, `label qid:… features # document`, as judgments; and files with one score per line.

Features are skipped, so their number costs nothing. The file is read in pieces and need not fit into memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from judged.core.tables import IdColumn, Qrels
from judged.core.unread_runs import ScoreColumn, read_rows
from judged.errors import DataError, Hint, Place, UsageError, shown
from judged.io.columns import ColumnRequest
from judged.io.files import PAD, Content
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.formats.trec import LETOR_LINE, NUMBER, parse_scores
from judged.io.lines import Head, iterate_blocks
from judged.io.origin import Context, Origin
from judged.io.text import LARGEST_GRADE, check_end, is_decimal, raise_number

_LINE = "label qid:… features # document"
_START = re.compile(rb"[ \t]*+([+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+)[ \t]++qid:([^ \t\r#]++)")
# LETOR writes `#docid = G00-1 inc = 1`, SVMlight's own example `# 1A`, others `# docid:7`, `#docid 7` or `# 7 its query`.
_DOC = re.compile(
    rb"#[ \t]*+(?:(?:docid|doc_id|docno)(?:[ \t]*+[=:][ \t]*+|[ \t]++)|(?:doc|did|id)[ \t]*+[=:][ \t]*+)?+([^ \t\r]++)",
    re.IGNORECASE,
)


def _read_letor(content: Content, detected: Detected, context: Context) -> Qrels:
    name = content.name
    if context.request.what != "qrels":
        hint, where = "pass the judgments first, then the run", Place(name, detected.head.number)
        raise DataError("swapped", "labels with features (label qid:…) cannot be a run", hint=hint, where=where)
    if context.request.grade_map is not None:
        raise UsageError(
            "option", "labels of a LETOR file are numbers", where=name, hint=Hint("omit {grade_map}", grade_map=None)
        )
    codes: dict[bytes, int] = {}  # of queries, in order of appearance
    parts, last = list[tuple[Any, Any, IdColumn, Any]](), b"\n"
    for padded, begin in iterate_blocks(content):
        block, first, last = padded[: -len(PAD)], begin.lines + 1, padded[-9:-8]
        block = block if last == b"\n" else block + b"\n"
        rows = read_rows(np.frombuffer(block, np.uint8), 0, {"source": "letor", "line": first})
        if rows is None:
            found = list(_parse_lines(block, first, name))
            qids, labels, docs, numbers = zip(*found, strict=True) if found else ((), (), (), ())
            code = np.array([codes.setdefault(qid, len(codes)) for qid in qids], np.int64)
            parts.append((code, np.array(labels, np.float64), IdColumn.of(docs), np.array(numbers, np.int64)))
        else:
            known = [codes.setdefault(qid, len(codes)) for qid in rows.queries.tolist()]
            code = np.array(known, np.int64)[rows.query]
            parts.append((code, rows.number, rows.doc, np.arange(first, first + len(code))))
    query, grade, doc, lines = zip(*parts, strict=True)
    return Qrels(
        name=name,
        queries=IdColumn.of(codes),
        query=np.concatenate(query),
        doc=IdColumn.concatenate(doc),
        grade=np.concatenate(grade),
        where=Origin(name=name, typed=False, line=np.concatenate(lines)).place,
        warnings=check_end(last, name),
    )


def _parse_lines(block: bytes, first: int, name: str) -> Iterator[tuple[bytes, float, bytes, int]]:
    """Iterate over query, label, document and number of each line with data; `first` is the number of the first line."""
    for number, line in enumerate(block.split(b"\n")[:-1], first):
        match = _START.match(line)
        if match is not None and abs(label := float(match[1])) <= LARGEST_GRADE:
            note = line.find(b"#", match.end())
            doc = _DOC.match(line, note) if note >= 0 else None
            yield match[2], label, b"%d" % number if doc is None else doc[1], number
            continue
        cells = line.partition(b"#")[0].split()
        if not cells:
            continue
        if match or not is_decimal(cells[0]):
            raise_number(cells[0], Place(name, number, 1, "label"), "grade")
        second = cells[1] if len(cells) > 1 else b""
        raise DataError(
            "columns",
            f"expected the query after the label ({_LINE}), got {shown(second) if second else 'nothing'}",
            hint="add the query to each line: 2 qid:7 1:0.5 …",
            where=Place(name, number, 2, "query"),
            value=second,
        )


LETOR = FORMATS.add(
    FileFormat(
        "LETOR",
        lambda head, request: request.is_ranking and not request.named and LETOR_LINE.match(head.line),
        _read_letor,
    )
)


# ── one score per line ────────────────────────────────────────────────────────────────────────────


def _is_scores(head: Head, request: ColumnRequest) -> bool:
    return request.is_ranking and not request.named and NUMBER.fullmatch(head.line) is not None


def _read_scores(content: Content, detected: Detected, context: Context) -> ScoreColumn:
    if context.request.what == "run":
        return parse_scores(content.read(), content.name)
    raise DataError(
        "swapped",
        "a column of scores cannot be judgments",
        hint="pass the judgments first, then the run",
        where=Place(content.name, detected.head.number),
    )


SCORES = FORMATS.add(FileFormat("scores", _is_scores, _read_scores))
