"""TREC files as trec_eval reads them: numbers like C, more columns in a run, no blank line in judgments."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from judged.core.ids import IdColumn
from judged.core.tables import Qrels, Run
from judged.errors import DataError, Place, Warned
from judged.io.files.source import PAD, Source, read_bytes, source_name
from judged.io.formats.trec import PREFS, QRELS, qrels_of, run_of
from judged.io.text.decimals import numbers
from judged.io.text.trec_columns import TrecColumns

__all__ = ["FORMATS", "Raw", "judgments_of", "ranking_of", "read_judgments", "read_ranking", "read_zscores"]

Raw = bytes | bytearray

_QRELS_PREFS = TrecColumns("qrels", QRELS.columns, QRELS.number)  # the same columns, with grades like 0.5
FORMATS = {
    "qrels": (QRELS, False),
    "qrels_jg": (QRELS, True),
    "prefs": (PREFS, True),
    "qrels_prefs": (_QRELS_PREFS, True),
}


def read_judgments(source: Source, form: str = "qrels") -> Qrels:
    """Judgments in one of trec_eval's four formats."""
    return judgments_of(read_bytes(source), source_name(source), form)


def read_ranking(source: Source) -> Run:
    """A run."""
    return ranking_of(read_bytes(source), source_name(source))


def read_zscores(source: Source) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation of each (query, name of a value), for `-Z`."""
    data, name = read_bytes(source), source_name(source)
    _refuse_odd_lines(data, name, 4, "query name mean deviation", comments=False)
    rows = [line.split() for line in bytes(data[: -len(PAD)]).split(b"\n") if line]
    query, label = ([row[i].decode("utf-8", "surrogateescape") for row in rows] for i in (0, 1))
    mean, deviation = (_as_numbers([row[i] for row in rows]) for i in (2, 3))
    return dict(zip(zip(query, label, strict=True), zip(mean, deviation, strict=True), strict=True))


def _as_numbers(cells: list[bytes]) -> list[float]:
    found = numbers(IdColumn.of(cells), lenient=True, whole=False)
    assert isinstance(found, np.ndarray)  # a lenient reader refuses nothing
    return [float(number) for number in found]


def judgments_of(data: Raw, name: str, form: str = "qrels") -> Qrels:
    layout, aspects = FORMATS[form]
    if len(data) > len(PAD):
        _refuse_odd_lines(data, name, len(layout.columns), " ".join(layout.columns), comments=True)
    qrels = qrels_of(data, name, layout, aspects=aspects, lenient=True)
    if form == "qrels_jg":
        _refuse_repeats(qrels)
    return qrels


def ranking_of(data: Raw, name: str) -> Run:
    if any(mark in data for mark in (b" #", b"\t#")):  # a comment may be indented
        data = re.sub(rb"(?m)^[ \t\r]+#", b"#", data)
    run = run_of(data, name, lenient=True, extra_columns=True)
    nan = np.isnan(run.score)
    count = int(nan.sum())
    if not count:
        return run
    warned = Warned("score-nan", count, f"{count} scores of {name} are NaN, which compares with nothing; ranked last")
    return replace(run, score=np.where(nan, -np.inf, run.score), warnings=(*run.warnings, warned))


def _refuse_odd_lines(data: Raw, name: str, columns: int, wanted: str, *, comments: bool) -> None:
    """Every line has exactly these columns: a blank line is an error, and so is one column more."""
    cells = rb"[^\S\n]*" + rb"[^\S\n]+".join([rb"\S+"] * columns) + rb"[^\S\n]*"
    good = cells + (rb"|#.*" if comments else b"")
    end = len(data) - len(PAD)
    odd = re.compile(rb"^(?!(?:" + good + rb")$)", re.MULTILINE).search(data, 0, end - data.endswith(b"\n", 0, end))
    if odd:
        line = data.count(b"\n", 0, odd.start()) + 1
        raise DataError(
            "columns", f"{columns} columns ({wanted})", got="another number of them", where=Place(name, line)
        )


def _refuse_repeats(qrels: Qrels) -> None:
    assert qrels.aspect is not None
    judge = np.unique(np.array(qrels.aspect.tolist()), return_inverse=True)[1]
    order = qrels.doc.order(qrels.query, judge)
    same = (qrels.query[order][1:] == qrels.query[order][:-1]) & (judge[order][1:] == judge[order][:-1])
    again = np.flatnonzero(same & qrels.doc.same(order[1:], qrels.doc, order[:-1]))
    if len(again):
        row = int(order[again[0] + 1])
        raise DataError(
            "duplicate-judgment", "each document once for a judge", got=repr(qrels.doc[row].decode("utf-8", "replace")),
            where=qrels.where(row),
        )  # fmt: skip
