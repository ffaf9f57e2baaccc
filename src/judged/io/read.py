"""One reader of runs and one of judgments, for whatever a person has; the content decides, not a flag.

TREC files, which most people have, are read here; every other form when it is met (`_form`).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judged.core.numeric.native import NATIVE
from judged.core.tables import Qrels, Run
from judged.core.unread_runs import ScoreColumn, UnreadRun
from judged.io.files.source import file_path, read_bytes, source_name
from judged.io.formats.trec import qrels_of, run_of
from judged.io.formats.trec_mapped import lines_in, lines_of
from judged.io.tables.columns import ColumnRequest
from judged.io.text.detect import first_line, is_trec, may_be_letor
from judged.io.text.trec_columns import QRELS, RUN

if TYPE_CHECKING:
    from judged.io.forms import Opened

__all__ = ["in_parts", "is_spark", "open_whole_run", "read_qrels", "read_run"]


def read_run(
    source: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    labels: Any = None,
    name: str | None = None,
) -> Run:
    """A ranking for each query, from a file or from memory.

    A file (a path, `-` for standard input, or an open file; plain or compressed) holds TREC lines, JSON,
    JSON Lines, CSV or TSV with a header, Parquet or Arrow. In memory it is `{query: {doc: score}}`,
    `{query: [doc, …]}` with the best document first, (query, doc, score) tuples, records, or a frame of
    pandas, polars, Arrow or DuckDB. Columns are found by their usual names. Without scores, the order of
    a list or the rank column decides. In text files every id is text; elsewhere 7 and "7" are two ids. A directory, a pattern (`run/*.gz`) or
    a list of paths is one run in several files, see `parts_of`.

    A column of scores (a file with one number per line, a list or an array of numbers) becomes a run beside `labels`: the first score
    belongs to the first label, and so on. Blank lines and comments, in either file, do not count.

    Args:
        source: the file or the object.
        query: the column of query ids, where it is called otherwise.
        doc: the column of document ids.
        score: the column of scores.
        rank: the column of ranks.
        labels: the judgments that a column of scores stands beside, such as a LETOR file; other runs do not need them.
        name: what to call the run; a file is called by its path.

    Raises:
        DataError: anything that cannot be used, with its place; nothing is half read.
        FileError: a file that cannot be opened or read.

    >>> read_run({"q1": ["d2", "d1"]}).score
    array([2., 1.])
    """
    if isinstance(source, Run):
        return source
    if isinstance(source, UnreadRun):
        return _beside(source, labels) if isinstance(source, ScoreColumn) else source.read()
    named = {"query": query, "doc": doc, "score": score, "rank": rank}
    if isinstance(source, (str, os.PathLike, list, tuple)) and in_parts(source):  # a lazy frame is collected
        from judged.io.parts.parts import parts_of

        parts = parts_of(source, **named, name=name)
        assert parts is not None
        return parts.read()
    wanted = ColumnRequest("run", {role: column for role, column in named.items() if column is not None})
    run = replace(_as_run(_opened(source, wanted), labels), path=file_path(source))
    return run if name is None else replace(run, name=name)


def in_parts(source: Any) -> bool:
    """Whether a run makes sense only in parts, see `parts_of`. Most are a file, or lie in memory: these are told at once."""
    if isinstance(source, (str, os.PathLike)):
        if source == "-" or Path(source).is_file():
            return False
    elif isinstance(source, (list, tuple)):
        if not source or not isinstance(source[0], (str, os.PathLike)):
            return False
    elif not type(source).__module__.startswith(("pyarrow._dataset", "polars.lazyframe")):
        return False
    from judged.io.parts.parts import is_scattered

    return is_scattered(source)


def is_spark(source: Any) -> bool:
    """Whether this is a Spark DataFrame, of a classic session or of Spark Connect; nothing is imported to tell."""
    return type(source).__module__.startswith("pyspark.sql.") and hasattr(source, "mapInArrow")


def open_whole_run(source: Any) -> Run | UnreadRun:
    """What `read_run` reads; left unread where the native core can look through it as it lies.

    Then nothing is wrong with it yet: that shows when it is joined with judgments, or read.
    """
    if isinstance(source, (Run, UnreadRun)):
        return source
    unread = _unread(source) if NATIVE else None
    if unread is None:
        found = _opened(source, ColumnRequest("run", {}))
        if isinstance(found, ScoreColumn):
            unread = found
        elif isinstance(found, tuple) and NATIVE:
            unread = lines_in(*found)
        if unread is None:
            return replace(_as_run(found), path=file_path(source))
    return replace(unread, path=file_path(source))


def _unread(source: Any) -> UnreadRun | None:
    """What the native core takes as it lies."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return lines_of(source, partial(read_run, source))
    from judged.io.forms import unread_of

    return unread_of(source, partial(read_run, source))


def _as_run(found: Opened, labels: Any = None) -> Run:
    if isinstance(found, tuple):
        return run_of(*found)
    if isinstance(found, ScoreColumn):
        return _beside(found, labels)
    from judged.io.tables.table import as_run

    assert not isinstance(found, Qrels)
    return as_run(found)


def _beside(scores: ScoreColumn, labels: Any) -> Run:
    return scores.read() if labels is None else scores.beside(read_qrels(labels))


def read_qrels(
    source: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    grade: str | None = None,
    aspect: str | None = None,
    name: str | None = None,
) -> Qrels:
    """Judgments, from a file or from memory; the forms are those of `read_run`.

    Documents that are only listed (`{query: [doc, …]}`) are relevant, with grade 1. Judgments tell
    subtopics apart where the second column of a TREC file, or a column of that name, varies. An SVMlight or LETOR file
    (`label qid:… features # document`) is one of labels: the features are passed over, a document is what the comment names
    (`docid = …`, or its first word), else the number of its line.

    Args:
        source: the file or the object.
        query: the column of query ids, where it is called otherwise.
        doc: the column of document ids.
        grade: the column of grades.
        aspect: the column of subtopics.
        name: what to call the judgments; a file is called by its path.

    Raises:
        DataError: anything that cannot be used, with its place; nothing is half read.
        FileError: a file that cannot be opened or read.

    >>> read_qrels([("q1", "d1", 2), ("q1", "d2", 0.5)]).grade
    array([2. , 0.5])
    """
    if isinstance(source, Qrels):
        return source
    named = {"query": query, "doc": doc, "grade": grade, "aspect": aspect}
    wanted = ColumnRequest("qrels", {role: column for role, column in named.items() if column is not None})
    found = _opened(source, wanted)
    if isinstance(found, tuple):
        qrels = qrels_of(*found)
    elif isinstance(found, Qrels):
        qrels = found
    else:
        from judged.io.tables.table import as_qrels

        assert not isinstance(found, ScoreColumn)
        qrels = as_qrels(found)
    qrels = replace(qrels, path=file_path(source))
    return qrels if name is None else replace(qrels, name=name)


def _opened(source: Any, wanted: ColumnRequest) -> Opened:
    """The columns of a source; or the bytes and the name of a TREC file; labels; a column of scores."""
    if not isinstance(source, (str, bytes, os.PathLike)):
        from judged.io.forms import of_object

        return of_object(source, wanted)
    if wanted.what == "qrels" and not wanted.named and may_be_letor(source):
        from judged.io.formats.letor import letor_file

        if (labels := letor_file(source)) is not None:
            return labels
    data, name = read_bytes(source), source_name(source)
    if not wanted.named and is_trec(first_line(data)[0], RUN if wanted.what == "run" else QRELS):
        return data, name
    from judged.io.forms import of_content

    return of_content(data, name, wanted)
