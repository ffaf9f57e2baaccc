"""Every writer and its reader: ids and numbers come back exactly, or the writer refuses them; from the registries."""

import csv
import io
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from for_each import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

import judged as jd
from judged.clicks.log_columns import LISTS
from judged.errors import JudgedError
from judged.io.open_table import open_role_table
from judged.io.write import WRITERS as ALL
from judged.tables.formats.csv import csv_text

HOSTILE = (
    "=1+1", "+1", "-1", "-5", "'-5", "''-5", "@ann", "'@ann", "'", '"', '"a"', 'a"b', "#", "#1", "# 1", "//", ";", ",", "a,b", "a;b", "\\", "\\N",
    " ", " a", "a ", "a b", "\ta", "a\tb", "\x0b", "\x0c", "a\x1cb", "\x85", "\u2028", "\xa0", "\u200b", "\ufeff", "\ufeffq", "é", "e\u0301", "𝄞",
    "007", "7", "7.0", "1e5", "NaN", "nan", "None", "null", "true", "inf", "0x10", "all", "query_id", "q1", "Q0", "2024-01-01", "{}", "[1]", "{", "a\x1b[31m",
    "a\nb", "a\rb", "a\r\nb", "x" * 5000, "\udcff", "a\udc80b",
)  # fmt: skip
TEXTS = [word for word in HOSTILE if not any("\ud800" <= letter <= "\udfff" for letter in word)]
KINDS = {"run": (jd.write_run, jd.read_run), "qrels": (jd.write_qrels, jd.read_qrels)}
FORMATS = [name for name, writer in ALL.items() if not writer.kind]
# Every format with every kind of table that it can have: those of other programs have one, and no ending of their own.
CASES = [(format, kind) for format, writer in ALL.items() for kind in ([writer.kind] if writer.kind else KINDS)]
REFUSED = {"format"}
WORDS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=4),
)
TABLES = st.dictionaries(
    WORDS, st.dictionaries(WORDS, st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=3
)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk():
    """Thousands of small files: whether they survive a power failure is not tested here."""
    with patch("os.fsync"):
        yield


def encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")


def rows(table) -> list[tuple[bytes, bytes, float]]:
    numbers = table.score if hasattr(table, "score") else table.grade
    ids = table.queries.take(table.query).tolist(), table.doc.tolist()
    return sorted(zip(*ids, np.asarray(numbers).tolist(), strict=True))


def check(write, read, table, path: Path) -> bool:
    """Write a table and read it again; return whether the format took it."""
    try:
        write(table, path)
    except JudgedError as error:
        assert error.slug in REFUSED, error  # noqa: PT017
        assert not path.exists()
        return False
    assert rows(read(path)) == rows(table)
    return True


def functions(format: str, kind: str):
    """The writer of a format, and the reader of its files."""
    write, read = KINDS[kind]
    return (lambda table, path: write(table, path, format=format)) if ALL[format].kind else write, read


@pytest.mark.parametrize(("format", "kind"), CASES)
def test_every_format_keeps_each_hostile_id_or_refuses_it(format, kind, tmp_path):
    write, read = functions(format, kind)
    taken = []
    for i, word in enumerate(HOSTILE):
        for j, (query, doc) in enumerate([(word, "d"), ("q", word), (word, word)]):
            table = read({encoded(query): {encoded(doc): 2, b"other": 1}, b"second": {b"d": 0}})
            taken.append(check(write, read, table, tmp_path / f"{i}-{j}.{format}"))
    assert sum(taken) > len(HOSTILE)


@pytest.mark.parametrize("format", FORMATS)
def test_ids_that_differ_stay_different(format, tmp_path):
    words = [
        word for word in HOSTILE if not set(word) & set(" \t\n\r\v\f\ufeff") and word.isprintable() and word != "#"
    ]
    path = tmp_path / f"all.{format}"
    run = jd.read_run({encoded(q): {encoded(d): float(i) for i, d in enumerate(words)} for q in words})
    jd.write_run(run, path)
    assert rows(jd.read_run(path)) == rows(run)
    qrels = {q: dict.fromkeys(words, 1) for q in words}
    assert jd.evaluate(qrels, str(path), "nDCG").to_dict() == jd.evaluate(qrels, run, "nDCG").to_dict()


@pytest.mark.parametrize(("format", "kind"), CASES)
@settings(max_examples=25)
@given(table=TABLES)
def test_any_table_reads_back_exactly_or_is_refused(format, kind, table, tmp_path_factory):
    write, read = functions(format, kind)
    encoded_table = {encoded(q): {encoded(d): n for d, n in docs.items()} for q, docs in table.items()}
    check(write, read, read(encoded_table), tmp_path_factory.mktemp("any") / f"a.{format}")


@pytest.mark.parametrize("format", ["csv", "json"])
def test_interleaved_lists_keep_hostile_ids(format, tmp_path):
    path = tmp_path / f"lists.{format}"
    for word in (word for word in TEXTS if not set(word) & set("\n\r")):
        lists = jd.clicks.interleave({word: [word, "a"]}, {word: ["a", word]})
        path.write_text(lists.to_csv() if format == "csv" else lists.to_json(), encoding="utf-8")
        again = open_role_table(path, "lists", LISTS).ids
        assert [again["query"].ids[i] for i in again["query"].code] == list(lists.query), word
        assert [again["doc"].ids[i] for i in again["doc"].code] == list(lists.doc), word


def test_adjudication_lists_keep_hostile_ids(tmp_path):
    words = [word for word in TEXTS if not set(word) & set("\n\r")]
    path = tmp_path / "todo.csv"
    for word in words:
        judges = [{word: {word: 1, "d": 0}}, {word: {word: 0, "d": 0}}]
        table = jd.agree(*judges).adjudication_list()
        filled = type(table)({**table.columns, "relevance": (1,) * len(table)})
        path.write_text(csv_text(filled.records(), exact=("query_id", "doc_id")), encoding="utf-8", newline="")
        assert rows(jd.read_qrels(path)) == [(encoded(word), encoded(word), 1)], word


def test_a_csv_for_spreadsheets_computes_nothing_and_can_be_restored():
    words = [word for word in HOSTILE if word.isprintable()]
    plain, safe = (
        list(csv.DictReader(io.StringIO(csv_text([{"id": w} for w in words], spreadsheet_safe=flag))))
        for flag in (False, True)
    )
    assert [row["id"] for row in plain] == words
    assert not [row["id"] for row in safe if row["id"].startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [row["id"].removeprefix("'") for row in safe] == words


JUDGMENTS = [name for name, writer in ALL.items() if writer.kind == "qrels"]


@pytest.mark.parametrize("name", JUDGMENTS)
def test_what_a_format_cannot_hold_is_refused(name, tmp_path):
    path = tmp_path / "a.out"
    refusal("format", jd.write_run, {"q": {"a": 1.0}}, path, format=name)
    refusal("format", jd.write_qrels, [("q", "s1", "a", 1), ("q", "s2", "a", 1)], path, format=name)
    refusal("format", jd.write_qrels, [("q", "a", 1), ("q", "a", 1)], path, format=name)
    assert not path.exists()


@for_each("name", JUDGMENTS)
@for_each("grade", [0.5, -1, 1e15, 1 / 3])
def test_grades_are_kept_or_refused(name, grade, tmp_path):
    path = tmp_path / "a.out"
    try:
        jd.write_qrels({"q": {"a": grade}}, path, format=name)
    except JudgedError as error:
        assert error.slug == "format"  # noqa: PT017
        assert name == "beir"  # it has integers
        assert grade % 1
    else:
        assert jd.read_qrels(path).grade.tolist() == [grade]
