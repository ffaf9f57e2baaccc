"""Read runs and judgments; the content, not a flag, determines the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from judged.core.tables import READERS
from judged.core.tables import Qrels as Qrels  # from here `Qrels(source)` can read
from judged.core.tables import Run as Run
from judged.core.unread_runs import ScoreColumn, UnreadRun
from judged.io.columns import ColumnRequest, Split
from judged.io.open_table import as_read_run, read_one_run, read_requested_qrels
from judged.io.outputs import located
from judged.io.recognise import Input, are_files


def read_run(
    source: Any,
    *,
    query_col: str | Sequence[str] | None = None,
    doc_col: str | Sequence[str] | None = None,
    score_col: str | Sequence[str] | None = None,
    rank_col: str | Sequence[str] | None = None,
    split: str | None = None,
    tag: str | None = None,
    labels: Any = None,
    name: str | None = None,
) -> Run:
    """Read a run: a ranking for each query, from a file or from memory.

    A file (a path, `-` for standard input, or an open file; plain or compressed) has TREC lines, JSON,
    JSON Lines, CSV or TSV with a header, Parquet, Arrow, responses of a search engine, or predictions of an evaluation tool (see `docs/reference/formats.md`). In memory, a run is `{query: {doc: score}}`,
    `{query: [doc, …]}` with the best document first, (query, doc, score) tuples, records, a frame of
    pandas, polars, Arrow or DuckDB, or a dataset of ir_datasets. Columns are found by their known names. Without scores, the order of
    a list or the rank column decides. In text files every id is text; elsewhere 7 and "7" are two ids. A directory, a pattern (`run/*.gz`) or
    a list of paths is one run in several files, see `open_partitions`.

    A column of scores (a file with one number per line, a list or an array of numbers) is a run together with `labels`: the first score
    belongs to the first label, and so on. Blank lines and comments do not count in either file.

    Args:
        source: the file or the object.
        query_col: the column of query ids, if its name is not known. Of several names, the first that the table has is used, as for the other columns.
        doc_col: the column of document ids.
        score_col: the column of scores.
        rank_col: the column of ranks.
        split: the split to read, if MTEB predictions have several.
        tag: the tag (sixth column) of the run to read, if a TREC file has several runs.
        labels: the judgments that a column of scores belongs to, such as a LETOR file; other runs do not need them.
        name: the name of the run; that of a file is its path.

    Raises:
        DataError: invalid input; the message names the place, and nothing is read in part.
        FileError: a file that cannot be opened or read.

    >>> read_run({"q1": ["d2", "d1"]}).score
    array([2., 1.])
    """
    columns = {"query": query_col, "doc": doc_col, "score": score_col, "rank": rank_col}
    named = {role: column for role, column in columns.items() if column is not None}
    request = ColumnRequest("run", named, split=Split.of(split), tag=Split.of(tag, "tag"))
    return read_requested_run(source, request, labels=labels, name=name)


def read_requested_run(source: Any, request: ColumnRequest, *, labels: Any = None, name: str | None = None) -> Run:
    """Read a run as `read_run` does, with the columns of a request."""
    source = source.source if isinstance(source, Input) else source
    if isinstance(source, Run):
        return source
    judged = None if labels is None else partial(read_qrels, labels)
    if isinstance(source, UnreadRun):
        return as_read_run(source, judged) if isinstance(source, ScoreColumn) else source.read()
    if are_files(source):
        from judged.io.partitions import open_partitions

        partitions = open_partitions(source, request, name)
        assert partitions is not None
        return located(partitions.read(), source)
    run = read_one_run(source, request, judged, name=name)
    if request.used is None:
        request.check_parts()
    return run


def read_qrels(
    source: Any,
    *,
    query_col: str | Sequence[str] | None = None,
    doc_col: str | Sequence[str] | None = None,
    grade_col: str | Sequence[str] | None = None,
    aspect_col: str | Sequence[str] | None = None,
    grade_map: Mapping[str, float] | None = None,
    split: str | None = None,
    name: str | None = None,
) -> Qrels:
    """Read judgments from a file or from memory, in the formats of `read_run`.

    Documents without grades (`{query: [doc, …]}`) are relevant, with grade 1; so are the rows of a log, which has a column of
    times but no grades. The second column of a TREC file is a subtopic if it
    varies, and so is a column of that name. An SVMlight or LETOR file (`label qid:… features # document`) gives its labels; the
    document id comes from the comment (`docid = …`, or its first word), or else is the line number. A BEIR folder gives
    `qrels/test.tsv`.

    Args:
        source: the file or the object.
        query_col: the column of query ids, if its name is not known. Of several names, the first that the table has is used, as for the other columns.
        doc_col: the column of document ids.
        grade_col: the column of grades.
        aspect_col: the column of subtopics.
        grade_map: grades for words, such as `{"Exact": 3, "Substitute": 2}`.
        split: the split to read, if a BEIR folder has several.
        name: the name of the judgments; that of a file is its path.

    Raises:
        DataError: invalid input; the message names the place, and nothing is read in part.
        FileError: a file that cannot be opened or read.

    >>> read_qrels([("q1", "d1", 2), ("q1", "d2", 0.5)]).grade
    array([2. , 0.5])
    >>> read_qrels({"q1": {"d1": "Exact", "d2": "Irrelevant"}}, grade_map={"Exact": 3, "Irrelevant": 0}).grade
    array([3., 0.])
    """
    columns = {"query": query_col, "doc": doc_col, "grade": grade_col, "aspect": aspect_col}
    named = {role: column for role, column in columns.items() if column is not None}
    request = ColumnRequest("qrels", named, grade_map=grade_map, split=Split.of(split))
    return read_requested_qrels(source, request, name=name)


READERS.update(Run=read_run, Qrels=read_qrels)
