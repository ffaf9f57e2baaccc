"""TREC files: the parser, which is the specification of the native core, and the format. A run in a plain file is mapped and left to the native core; nothing is copied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from judged._types import Bytes, Floats
from judged.core.tables import NO_SUBTOPIC, IdColumn, Qrels, Run, are_subtopics
from judged.core.unread_runs import Layout, ScoreColumn, TextRun, TextStream, UnreadRun, read_rows, row_begins
from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io import files as limits
from judged.io.columns import ColumnRequest, Split, choose_split, list_columns
from judged.io.files import (
    PAD,
    Content,
    Raw,
    TextLines,
    file_path,
    in_memory,
    line_at,
    line_of,
    open_content,
    open_later,
)
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.origin import Context, Origin
from judged.io.text import (
    LARGEST_GRADE,
    SCORE_PATTERN,
    WHOLE,
    Begin,
    What,
    check_end,
    number_as_in_c,
    parse_number,
    raise_nul,
    raise_number,
    text_start,
)
from judged.tables.table import counted

if TYPE_CHECKING:
    from judged.io.lines import Head


class TrecColumns(NamedTuple):
    """The columns of a kind of TREC file."""

    what: str
    columns: tuple[str, ...]
    number: int  # index of the score or grade
    whole: bool = False  # a lenient reader takes an integer there (C's `atol`)


RUN = TrecColumns("run", ("query", "Q0", "doc", "rank", "score", "tag"), 4)
QRELS = TrecColumns("qrels", ("query", "0", "doc", "grade"), 3, whole=True)
PREFS = TrecColumns("preferences", ("query", "group", "subgroup", "doc", "grade"), 4)
SCORES = TrecColumns("scores", ("score",), 0)

_CELL = re.compile(rb"[^ \t\r]+")
# A number, infinite or NaN too, which has an error of its own.
NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)
# A line of an SVMlight or LETOR file: a label and a query; or the first feature, if the query is missing.
LETOR_LINE = re.compile(rb"\s*+[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s++(?:qid:|\d+:)")
_HASHED = re.compile(rb"(?m)^#[^ \t\n]*+[ \t].+$")
_EMPTY = "check the path, and that the file is not empty"
_BATCH = (
    1 << 11
)  # rows whose cells are Python objects at a time: few enough to be freed before the garbage collector visits them twice


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


def read_hash_line(line: bytes, layout: TrecColumns) -> bool | None:
    """Return whether a line that begins with # is data: it has the columns, and a number where one belongs; None if it is unclear.

    A comment with as many words begins with # alone, and so would the query #, which no file can have.
    """
    cells = _split(line, len(layout.columns))
    if len(cells) != len(layout.columns) or not all(cells) or not NUMBER.fullmatch(cells[layout.number]):
        return False
    return None if cells[0] == b"#" else True


def _warn_hash_lines(data: Raw, layout: TrecColumns, name: str) -> Iterator[Warned]:
    """Warn of lines that begin with # and can be data.

    Those of a run need no warning: if they are taken wrongly, a query without judgments or without documents has one.
    """
    lines = [line[0] for line in _HASHED.finditer(data, 0, len(data) - 8)] if b"#" in data else []
    kinds = [read_hash_line(line, layout) for line in lines]
    for kind, fate in ((True, "read as data"), (None, "skipped as comments")):
        if count := kinds.count(kind):
            text = f"{counted(count, 'line')} of {name} beginning with # can be data or comments ({fate})"
            yield Warned("hash-lines", count, text, Hint("remove comments, or rename queries"))


def _split(line: bytes, width: int) -> list[bytes]:
    """Return the cells of a line, separated by blanks; or by tabs, if exactly the right number of them separates ids with blanks."""
    cells = _CELL.findall(line)
    if line.count(b"\t") == width - 1 and (len(cells) != width or b" " in line):
        return [cell.strip() for cell in line.split(b"\t")]
    return cells


def _iterate_rows(
    data: Raw,
    layout: TrecColumns,
    name: str,
    start: int,
    begin: Begin,
    *,
    first: bool,
    lenient: bool,
    grades: Mapping[bytes, float] = MappingProxyType({}),
) -> Iterator[tuple[int, list[bytes], float]]:
    """Iterate over the rows with the numbers of their lines, their cells and their scores or grades.

    Blank lines and comments are skipped. `first`: no row comes before, so the whole file may be of another kind. `grades` are those of words.
    """
    size, width = len(data) - 8, len(layout.columns)
    what: What = "score" if layout.columns[layout.number] == "score" else "grade"
    # Other blanks than these are letters.
    split = _CELL.findall if b"\v" in data or b"\f" in data else bytes.split
    nul = data.find(b"\0", 0, size)
    at, number, stop = start, begin.lines, size if nul < 0 else data.rfind(b"\n", 0, nul) + 1
    while at < stop:
        end = data.find(b"\n", at, stop)
        end = stop if end < 0 else end
        line = bytes(data[at:end])
        number, at = number + 1, end + 1
        if len(line) > limits.LONGEST_LINE:
            limits.raise_long_line(Place(name, number))
        cells = split(line)
        if cells and (len(cells) != width or (b"\t" in line and b" " in line)):
            cells = cells if lenient and len(cells) >= width else _split(line, width)
        if not cells or (line.startswith(b"#") and (lenient or len(cells) == 1 or not read_hash_line(line, layout))):
            continue
        if len(cells) < width or (len(cells) > width and not lenient) or not all(cells):
            _raise_columns(line, Place(name, number), layout, other_kind=first)
        cell = cells[layout.number]
        value = number_as_in_c(cell, whole=layout.whole) if lenient else grades.get(cell, parse_number(cell, what))
        if value is None or (layout.whole and abs(value) > LARGEST_GRADE):
            raise_number(cell, Place(name, number, layout.number + 1, what), what)
        yield number, cells, value
        first = False
    if nul >= 0:
        raise_nul(name, begin.offset + nul, number + 1)


def _raise_columns(line: bytes, where: Place, layout: TrecColumns, *, other_kind: bool) -> NoReturn:
    """Raise an error for a line with a wrong number of columns; `other_kind`: the file may be of another kind."""
    count, width = len(_CELL.findall(line)), len(layout.columns)
    slug, hint = "columns", "check whether an id contains a blank, or the file is of another kind"
    if other_kind and (layout.what, count) in (("run", 4), ("qrels", 6)):
        slug = "swapped"
        looks, needed = ("judgments", "a run") if layout is RUN else ("a run", "judgments")
        hint = f"this looks like {looks}, not {needed}; where both are needed, the judgments come first"
    elif layout is RUN and count == 5:
        hint = "if the tag is missing, add any word as a sixth column"
    elif count < width:
        hint = "check whether the file is truncated, or the file is of another kind"
    problem = f"expected {counted(width, 'column')} ({' '.join(layout.columns)}), got {count}: {shown(line)}"
    raise DataError(slug, problem, hint=hint, where=where, value=line)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def tags_of(data: Raw) -> list[str]:
    """Return the tags in a run: each is a run of its own."""
    rows = map(bytes.split, bytes(data[: -len(PAD)]).split(b"\n"))
    tags = dict.fromkeys(cells[5] for cells in rows if len(cells) == len(RUN.columns))
    return [tag.decode("utf-8", "surrogateescape") for tag in tags]


ENDS = 512  # bytes, in which a first and a last line have their ends


def check_ends(head: Raw | Bytes, end: Raw | Bytes, name: str) -> tuple[Warned, ...]:
    """Warn if the last line of a file, padded or not, has no end, and of tags of several runs in its first and its last lines."""
    end = bytes(end[-ENDS:]).removesuffix(PAD)
    tags = tags_of(bytes(head[:ENDS]).rpartition(b"\n")[0] + b"\n" + end.partition(b"\n")[2] + PAD)
    warnings = check_end(end[-1:], name)
    if len(tags) < 2:
        return warnings
    text = f"{name} has the runs {list_columns(tags)}, which count as one"
    return (*warnings, Warned("tags", len(tags), text, Hint("choose one with {tag}", tag=tags[0])))


def parse_run(
    data: Raw, name: str, *, lenient: bool = False, begin: Begin | None = None, tag: Split | None = None
) -> Run:
    """Parse a run. As trec_eval, `lenient` reads numbers as C does, and allows more than six columns.

    With `begin` the data are a stretch of a file, which may have no line with data; with `tag`, only the lines of one run are read.
    """
    tags = [] if tag is None else tags_of(data)
    chosen = None if tag is None or len(tags) == 1 else choose_split(tags, tag, Place(name))
    keys, [doc], number, own = _read(data, name, RUN, (2,), begin, lenient=lenient, tag=chosen)
    return Run(**keys, **own, doc=doc, score=number)


def parse_qrels(
    data: Raw,
    name: str,
    layout: TrecColumns = QRELS,
    *,
    aspects: bool | None = None,
    lenient: bool = False,
    grades: Mapping[str, float] | None = None,
) -> Qrels:
    """Parse judgments. `aspects` says whether the second column is a subtopic; by default `are_subtopics` decides. `grades` are those of words."""
    texts = range(1, layout.columns.index("doc") + 1)
    words = {str(word).encode(): float(grade) for word, grade in (grades or {}).items()}
    keys, [aspect, *others], number, _ = _read(data, name, layout, texts, lenient=lenient, grades=words)
    if not lenient:
        keys["warnings"] += tuple(_warn_hash_lines(data, layout, name))
    if grades and not any(word in data for word in words):
        from judged.io.table import warn_unused_words

        keys["warnings"] += (warn_unused_words(grades, name),)
    return Qrels(
        **keys,
        doc=others[-1],
        grade=number,
        aspect=aspect if (are_subtopics(aspect) if aspects is None else aspects) else None,
        sub=others[0] if layout is PREFS else None,
    )


_SCORE_LINE = rb"[ \t]*+%b[ \t]*+\r?+" % SCORE_PATTERN
_ONLY_SCORES = re.compile(rb"%b(?:\n%b)*+\n?+" % (_SCORE_LINE, _SCORE_LINE), re.IGNORECASE)


def parse_scores(data: Raw, name: str) -> ScoreColumn:
    """Parse one score per line; blank lines and lines that begin with # are skipped."""
    read, warnings = partial(raise_alone, name), check_end(data[-9:-8], name)
    start, end = text_start(data, name), len(data) - 8
    if _ONLY_SCORES.fullmatch(data, start, end):  # most files: a model may have scored millions of documents
        score = np.array(list(map(float, bytes(data[start:end]).split())))
        origin = Origin(name=name, typed=False, line=range(1, len(score) + 1))
        return ScoreColumn(name=name, read=read, score=score, where=origin.place, warnings=warnings)
    keys, _, score, _ = _read(data, name, SCORES, (), WHOLE)
    return ScoreColumn(name=name, read=read, score=score, where=keys["where"], warnings=warnings)


def raise_alone(name: str) -> NoReturn:
    """Raise an error: scores without ids need labels."""
    hint = "pass the labels too, in the same order: evaluate('test.letor', 'scores.txt'), or read_run(…, labels='test.letor')"
    raise DataError("form", "a column of scores has no query and document ids", where=name, hint=hint)


def _read(
    data: Raw,
    name: str,
    layout: TrecColumns,
    texts: Sequence[int],
    part: Begin | None = None,
    *,
    lenient: bool = False,
    grades: Mapping[bytes, float] = MappingProxyType({}),
    tag: str | None = None,
) -> tuple[dict[str, Any], list[IdColumn], Floats, dict[str, Any]]:
    """Read a file, or a part of one that begins there and may have no rows, in batches of rows.

    Returns the arguments of every table, the columns of text, the scores or grades, and the arguments that only runs have.
    """
    begin = part or WHOLE
    start = text_start(data, name, begin)
    if not begin.offset and b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    rows = _iterate_rows(data, layout, name, start, begin, first=not begin.offset, lenient=lenient, grades=grades)
    if tag is not None:
        own_tag = tag.encode("utf-8", "surrogateescape")
        rows = (row for row in rows if row[1][5] == own_tag)
    codes: dict[bytes, int] = {}
    query, line, rank = ([np.empty(0, np.int64)] for _ in range(3))
    number = [np.empty(0)]
    columns = [[IdColumn.of([])] for _ in texts]
    wrong_rank, last_tag = None, ""
    while batch := list(islice(rows, _BATCH)):
        numbers, cells, values = zip(*batch, strict=True)
        column = list(zip(*cells, strict=False))  # a lenient reader takes rows of different lengths
        line.append(np.array(numbers, np.int64))
        number.append(np.array(values, np.float64))
        query.append(np.array([codes.setdefault(cell, len(codes)) for cell in column[0]], np.int64))
        for known, at in zip(columns, texts, strict=True):
            known.append(IdColumn.of(column[at]))
        if layout is RUN:
            last_tag = column[5][-1].decode("utf-8", "surrogateescape")
            wrong = next((i for i, cell in enumerate(column[3]) if not cell.isdigit() or len(cell) > 18), None)
            if wrong is None:
                rank.append(np.array(list(map(int, column[3])), np.int64))
            elif wrong_rank is None:
                wrong_rank = Place(name, numbers[wrong]), shown(column[3][wrong])
    if not codes and part is None:
        slug, noun = ("empty-run", "rankings") if layout is RUN else ("empty-qrels", "judgments")
        raise DataError(slug, f"the file has no {noun} (lines of {' '.join(layout.columns)})", hint=_EMPTY, where=name)
    keys = {
        "name": name,
        "queries": IdColumn.of(codes),
        "query": np.concatenate(query),
        "where": Origin(name=name, typed=False, line=np.concatenate(line)).place,
        "warnings": check_ends(data, data, name) if tag is None else check_end(data[-9:-8], name),
    }
    ranks = np.concatenate(rank) if wrong_rank is None else None
    own = {"rank": ranks, "wrong_rank": wrong_rank, "tag": last_tag}
    return keys, [IdColumn.concatenate(column) for column in columns], np.concatenate(number), own


# ── TREC runs and judgments. A run in a plain file is mapped and left to the native  ────────────────────

_RUN: Layout = {"source": "trec"}
_JUDGMENTS: Layout = {"source": "trec_judgments", "lenient": False}
Counted = Callable[[], Begin]  # the beginning of a stretch: its lines are counted only when a message needs them


def _detect(head: Head, request: ColumnRequest) -> bool:
    if not request.is_ranking or request.named:
        return False
    layout = RUN if request.what == "run" else QRELS
    cells = _split(head.line, len(layout.columns))
    number = cells[layout.number] if len(cells) == len(layout.columns) else b""
    return NUMBER.fullmatch(number) is not None and not LETOR_LINE.match(head.line)


def read_trec(content: Content, detected: Detected | None, context: Context) -> Run | Qrels:
    """Read a run or judgments."""
    if context.request.what == "run":
        tag = context.request.tag
        run = read_lines(content, _RUN) if tag is None else None
        return parse_run(content.read(), content.name, tag=tag) if run is None else run
    grades = context.request.grade_map
    table = read_lines(content, _JUDGMENTS) if grades is None else None
    return parse_qrels(content.read(), content.name, grades=grades) if table is None else table


def read_lines(content: Content, layout: Layout) -> Run | Qrels | None:
    """Read a run or judgments by the native core; None if only the reference can."""
    opened = open_later(content)
    with opened() as (data, start):
        rows = read_rows(data, start, layout)
        if rows is None:
            return None
        keys: dict[str, Any] = {"name": content.name, "queries": rows.queries, "query": rows.query, "doc": rows.doc}
        where = Origin(name=content.name, typed=False, line=TextLines(opened, layout)).place
        keys |= {"where": where, "warnings": check_ends(data, data, content.name)}
        if layout is not _RUN:
            plain = len(rows.aspect) == 1 and rows.aspect[0] in NO_SUBTOPIC
            return Qrels(**keys, grade=rows.number, aspect=None if plain else rows.aspects())
        wrong = None
        if rows.rank is None:
            begin = int(row_begins(data, start, layout)[rows.unranked])
            wrong = where(rows.unranked), shown(_split(line_at(data, begin), 6)[3])
        tag = _split(line_at(data, rows.last), 6)[5].decode("utf-8", "surrogateescape")
        return Run(**keys, score=rows.number, rank=rows.rank, wrong_rank=wrong, tag=tag)


def _unread(content: Content, detected: Detected, context: Context, read: Callable[[], Run]) -> UnreadRun | None:
    if content.packed is not None and b"\n" in content.head and not content.complete:
        return _unread_stream(content, content.packed, read)
    if b"\n" not in content.head or content.file is None:
        return unread_bytes(content.read(), content.name)
    warnings = check_ends(content.head, content.last_bytes(ENDS), content.name)
    return unread_lines(content.name, open_later(content), warnings, read=read)


TREC = FORMATS.add(FileFormat("TREC", _detect, read_trec, unread=_unread))


def name_tags(error: DataError) -> DataError:
    """Return an error about a duplicate document; if the file has several runs, with their tags."""
    path = None if error.where is None else file_path(error.where.path)
    if path is None:
        return error
    with open_content(path) as content:
        line = bytes(content.head).partition(b"\n")[0]
        tags = (
            tags_of(content.read())
            if line[:1] != b"{" and len(_split(line, len(RUN.columns))) == len(RUN.columns)
            else []
        )
    if len(tags) < 2:
        return error
    text = f"{error.problem}; the file has the runs {list_columns(tags)}"
    return error.changed(problem=text, hint=Hint("choose one with {tag}", tag=tags[0]))


# ── lines for the native core ────────────────────────────────────────────────────────────────────


def unread_bytes(data: Raw, name: str) -> TextRun | None:
    """Return the TREC lines of a whole file in memory for the native core."""
    if data.find(b"\n") < 0:
        return None
    opened = partial(nullcontext, in_memory(data, text_start(data, name)))
    return unread_lines(name, opened, check_ends(data, data, name), read=partial(parse_run, data, name))


def unread_lines(
    name: str,
    opened: Any,
    warnings: tuple[Warned, ...],
    begin: Counted = lambda: WHOLE,
    read: Callable[[], Run] | None = None,
) -> TextRun:
    """Return TREC lines for the native core, with the functions that report what is wrong with a line; without `read`, they are a stretch of a file."""
    return TextRun(
        name=name,
        read=read or partial(_read_stretch, name, opened, begin),
        open=opened,
        layout=_RUN,
        raise_row=partial(_raise_line, name, begin),
        place=partial(_place, name, begin),
        warnings=warnings,
    )


def _unread_stream(content: Content, packed: IO[bytes], read: Callable[[], Run]) -> TextStream:
    """Return the lines of a compressed file, which is decompressed while they are scanned."""
    from judged.io.stored import Stored, read_ahead, stream_queries

    assert content.opened is not None
    name, packing = content.name, content.packing or ""
    file = Stored(content.opened.path, content.stamp)

    def stretches() -> Iterator[TextRun]:
        head = bytes(content.head[:ENDS])
        with closing(read_ahead(stream_queries(file, packing))) as texts:
            for data, offset in texts:
                start = text_start(data[:3].tobytes(), name, Begin(offset))
                begin = partial(file.begin, offset, packing)
                yield unread_lines(name, partial(nullcontext, (data, start)), check_ends(head, data, name), begin)

    def whole() -> TextRun | None:
        with open_content(file.path) as again:
            return unread_bytes(again.read(), name)

    return TextStream(name=name, read=read, stretches=stretches, whole=whole)


def _read_stretch(name: str, opened: Any, begin: Counted) -> Run:
    with opened() as (data, _):
        raw = data.tobytes() + PAD
    return parse_run(raw, name, begin=begin())


def _place(name: str, begin: Counted, data: Bytes, at: int) -> Place:
    return Place(name, begin().lines + line_of(data, at))


def _raise_line(name: str, begin: Counted, data: Bytes, at: int, first: bool) -> NoReturn:
    """Report the line that begins at this byte of a stretch, as the parser does."""
    text, before = line_at(data, at), begin()
    here = Begin(before.offset + at, before.lines + line_of(data, at) - 1)
    first = first and not before.offset
    list(_iterate_rows(text + PAD, RUN, name, 0, here, first=first, lenient=False))
    raise AssertionError(text)
