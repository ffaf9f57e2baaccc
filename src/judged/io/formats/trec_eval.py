"""TREC files as trec_eval reads them: numbers as in C, more columns in a run, no blank line in judgments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from judged.core.native import NATIVE
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import Layout, TextRun
from judged.errors import DataError, Place, Warned, shown
from judged.io.files import (
    HEAD,
    PAD,
    Raw,
    Source,
    file_path,
    open_content,
    open_later,
)
from judged.io.formats.trec import PREFS, QRELS, TrecColumns, parse_qrels, parse_run, read_lines
from judged.io.text import check_end, number_as_in_c

_QRELS_PREFS = TrecColumns("qrels", QRELS.columns, QRELS.number)  # the same columns, with grades like 0.5
_JUDGMENTS: Layout = {"source": "trec_judgments", "lenient": True}
FORMATS = {
    "qrels": (QRELS, False),
    "qrels_jg": (QRELS, True),
    "prefs": (PREFS, True),
    "qrels_prefs": (_QRELS_PREFS, True),
}


def read_judgments(source: Source, form: str = "qrels") -> Qrels:
    """Read judgments in one of trec_eval's four formats."""
    with open_content(source) as content:
        if form == "qrels" and (qrels := read_lines(content, _JUDGMENTS)) is not None:
            assert isinstance(qrels, Qrels)
            return replace(qrels, aspect=None)
        return parse_judgments(content.read(), content.name, form)


def read_ranking(source: Source) -> Run:
    """Read a run."""
    with open_content(source) as content:
        return parse_ranking(content.read(), content.name)


def open_ranking(source: Source, leave: Callable[[], NoReturn]) -> tuple[TextRun, str] | None:
    """Return a run for the native core, and its tag; None if it has to be read. `leave` is called for rows that the core does not take."""
    if not NATIVE or file_path(source) is None:
        return None  # a pipe cannot be opened twice
    with open_content(source) as content:
        if content.file is None or b"\n" not in content.head:
            return None
        opened, warnings = open_later(content), check_end(content.last_bytes(), content.name)
        with opened() as (data, start):
            tag = _last_tag(
                data[max(start, len(data) - HEAD) :].tobytes(), content.name, whole=len(data) - start <= HEAD
            )
    run = TextRun(name=content.name, read=leave, open=opened, layout={"source": "trec_lenient"}, warnings=warnings)
    return None if tag is None else (run, tag)


def _last_tag(text: bytes, name: str, *, whole: bool) -> str | None:
    """Return the tag of the last row of a text, of which the first line may be cut."""
    try:
        return parse_ranking((text if whole else text.partition(b"\n")[2]) + PAD, name).tag
    except DataError:  # which the reader of the whole file reports
        return None


def read_zscores(source: Source) -> dict[tuple[str, str], tuple[float, float]]:
    """Read mean and standard deviation of each (query, measure), for `-Z`."""
    with open_content(source) as content:
        data = content.read()
    _check_lines(data, content.name, 4, "query name mean deviation", comments=False)
    rows = [line.split() for line in bytes(data[: -len(PAD)]).split(b"\n") if line]
    zscores = {}
    for query, label, mean, deviation in rows:
        key = query.decode("utf-8", "surrogateescape"), label.decode("utf-8", "surrogateescape")
        zscores[key] = number_as_in_c(mean, whole=False), number_as_in_c(deviation, whole=False)
    return zscores


def parse_judgments(data: Raw, name: str, form: str = "qrels") -> Qrels:
    layout, aspects = FORMATS[form]
    if len(data) > len(PAD):
        _check_lines(data, name, len(layout.columns), " ".join(layout.columns), comments=True)
    qrels = parse_qrels(data, name, layout, aspects=aspects, lenient=True)
    if form == "qrels_jg":
        assert qrels.aspect is not None
        seen = set()
        for row, judged in enumerate(zip(qrels.query.tolist(), qrels.aspect.tolist(), qrels.doc.tolist(), strict=True)):
            if judged in seen:
                problem = f"duplicate document {shown(judged[2])} of one judge"
                raise DataError("duplicate-judgment", problem, where=qrels.where(row))
            seen.add(judged)
    return qrels


def parse_ranking(data: Raw, name: str) -> Run:
    if any(mark in data for mark in (b" #", b"\t#")):  # a comment may be indented
        data = re.sub(rb"(?m)^[ \t\r]+#", b"#", data)
    run = parse_run(data, name, lenient=True)
    nan = np.isnan(run.score)
    count = int(nan.sum())
    if not count:
        return run
    warned = Warned("score-nan", count, f"{count} scores of {name} are NaN and cannot be compared; ranked last")
    return replace(run, score=np.where(nan, -np.inf, run.score), warnings=(*run.warnings, warned))


def _check_lines(data: Raw, name: str, columns: int, names: str, *, comments: bool) -> None:
    """Raise at a line of another number of columns, blank lines included."""
    cells = rb"[^\S\n]*" + rb"[^\S\n]+".join([rb"\S+"] * columns) + rb"[^\S\n]*"
    good = cells + (rb"|#.*" if comments else b"")
    end = len(data) - len(PAD)
    odd = re.compile(rb"^(?!(?:" + good + rb")$)", re.MULTILINE).search(data, 0, end - data.endswith(b"\n", 0, end))
    if odd:
        line = data.count(b"\n", 0, odd.start()) + 1
        raise DataError("columns", f"the line does not have {columns} columns ({names})", where=Place(name, line))
