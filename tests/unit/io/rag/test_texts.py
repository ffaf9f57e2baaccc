"""Texts of documents and queries: every form they come in, and what is told where one is wrong."""

import gzip
import io
import json
import lzma
from collections import namedtuple

import numpy as np
import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.errors import DataError, FileError
from judged.io import files as limits
from judged.io import texts as prose_file
from judged.io.texts import Texts, read_texts

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
pq = optional("pyarrow.parquet")

TWO = {"d1": Texts("Salt", "Too much of it."), "d2": Texts("Rice", "Chill it, then reheat.")}
RECORDS = [{"_id": k, "title": p.title, "text": p.text, "metadata": {}} for k, p in TWO.items()]
JSONL = "".join(json.dumps(r) + "\n" for r in RECORDS)
Doc = namedtuple("Doc", "doc_id title text")


def refused(slug, source, **options):
    return refusal(slug, read_texts, source, **options)


FILES = {
    "corpus.jsonl": JSONL,
    "crlf.jsonl": JSONL.replace("\n", "\r\n"),
    "cr.jsonl": JSONL.replace("\n", "\r"),
    "bom.jsonl": "\ufeff" + JSONL,
    "unended.jsonl": JSONL.rstrip("\n"),
    "gaps.jsonl": "\n  \n" + JSONL.replace("\n", "\n\n"),
    "indented.json": json.dumps(RECORDS, indent=2),
    "list.json": json.dumps(RECORDS),
    "by_id.json": json.dumps({k: {"title": p.title, "text": p.text} for k, p in TWO.items()}),
    "marco.tsv": "d1\thttp://x\tSalt\tToo much of it.\nd2\thttp://y\tRice\tChill it, then reheat.\n",
    "header.tsv": "doc_id\ttitle\tbody\nd1\tSalt\tToo much of it.\nd2\tRice\tChill it, then reheat.\n",
    "other_order.tsv": "text\ttitle\tdocno\nToo much of it.\tSalt\td1\nChill it, then reheat.\tRice\td2\n",
    "header.csv": 'id, title, text\nd1, Salt, Too much of it.\nd2, Rice, "Chill it, then reheat."\n',
    "semicolons.csv": "id;title;text\nd1;Salt;Too much of it.\nd2;Rice;Chill it, then reheat.\n",
}


@pytest.mark.parametrize("name", FILES)
def test_every_text_form_gives_the_same_texts(name, save):
    path = save(name, FILES[name])
    assert read_texts(path) == TWO
    assert read_texts(path, {"d2", "absent"}) == {"d2": TWO["d2"]}


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("name", ["texts.parquet", "texts.arrow"])
def test_files_of_columns(name, tmp_path, monkeypatch):
    monkeypatch.setattr(prose_file, "_BATCH", 1)
    table = pa.table({"docid": list(TWO), "title": ["Salt", "Rice"], "text": [p.text for p in TWO.values()]})
    path = tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    assert read_texts(path) == TWO
    assert read_texts(path, {"d2"}) == {"d2": TWO["d2"]}
    assert read_texts(io.BytesIO(path.read_bytes())) == TWO
    path.write_bytes(path.read_bytes()[:-20])
    refused("damaged", path)


def test_queries_in_their_usual_files(save):
    sample = read_texts(jd.sample_path("queries.jsonl"))
    assert sample["q01"] == Texts(None, "why didn't my bread dough rise")
    assert read_texts(save("queries.tsv", "101\twhat is bm25\n102\t\"quoted\" words\n")) == {
        "101": Texts(None, "what is bm25"), "102": Texts(None, '"quoted" words')}  # fmt: skip
    assert read_texts(save("q.jsonl", '{"qid": 7, "query": "salt"}\n{"qid": 8, "query": "rice"}\n'), {"7"}) == {
        "7": Texts(None, "salt")
    }
    assert refused("columns", save("q.csv", '1,"salt, and pepper"\n2,rice\n')).hint
    topics = read_texts([{"number": 301, "title": "Crime", "description": "Find crime.", "narrative": "…"}])
    assert topics == {"301": Texts("Crime", "Find crime.")}


def test_one_record_is_a_text_and_not_texts_by_id(save):
    assert read_texts(save("one.json", '{"id": "d1", "text": "Salt"}')) == {"d1": Texts(None, "Salt")}
    assert read_texts(save("two.json", '{"d1": "Salt", "d2": "Rice"}')) == {"d1": Texts(None, "Salt"), "d2": Texts(None, "Rice")}  # fmt: skip


def test_the_surest_name_is_that_of_ids(save):
    passage = {"pid": "p1", "docid": "D9", "passage": "words", "spans": "(0,3)"}
    assert read_texts([passage]) == {"p1": Texts(None, "words")}
    assert read_texts([{"docid": 3, "docno": "FT-1", "text": "words"}]) == {"FT-1": Texts(None, "words")}


def test_records_that_lack_a_field_have_none():
    assert read_texts([{"id": 1, "text": "a"}, {"id": 2, "title": "T"}, {"id": 3}, {"id": 4, "text": None}]) == {
        "1": Texts(None, "a"), "2": Texts("T", None), "3": Texts(None, None), "4": Texts(None, None)}  # fmt: skip


@pytest.mark.needs("pandas", "polars", "pyarrow")
@pytest.mark.parametrize(
    "source",
    [
        {k: {"title": p.title, "text": p.text} for k, p in TWO.items()},
        TWO,
        RECORDS,
        iter(RECORDS),
        [Doc(k, p.title, p.text) for k, p in TWO.items()],
        [(k, p.title, p.text) for k, p in TWO.items()],
        pd.DataFrame(RECORDS),
        pl.DataFrame([{k: v for k, v in r.items() if k != "metadata"} for r in RECORDS]),
        pa.table({"docno": ["d1", "d2"], "title": ["Salt", "Rice"], "contents": [p.text for p in TWO.values()]}),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_form_in_memory_gives_the_same_texts(source):
    assert read_texts(source) == TWO


@pytest.mark.needs("pandas", "polars")
def test_ids_are_compared_as_text():
    assert read_texts({7: "seven", "8": "eight"}, {"7", "8"}) == {"7": Texts(None, "seven"), "8": Texts(None, "eight")}
    assert read_texts(pd.DataFrame({"id": [7, 8], "text": ["seven", "eight"]}), {"8"}) == {"8": Texts(None, "eight")}
    assert read_texts(pl.DataFrame({"id": np.array([7]), "text": ["seven"]})) == {"7": Texts(None, "seven")}


def test_of_an_id_that_comes_twice_the_first_text_is_kept(save):
    assert read_texts([("a", "first"), ("a", "second")]) == {"a": Texts(None, "first")}
    assert read_texts(save("twice.tsv", "a\tfirst\na\tsecond\n"), ["a"]) == {"a": Texts(None, "first")}


@pytest.mark.needs("pandas", "pyarrow")
def test_missing_values_of_frames_are_none_and_lists_are_paragraphs():
    frame = pd.DataFrame({"id": ["a", "b", "c"], "title": [None, float("nan"), pd.NA], "text": [["x", "y"], "z", None]})
    assert read_texts(frame) == {"a": Texts(None, "x\ny"), "b": Texts(None, "z"), "c": Texts(None, None)}
    assert read_texts(pa.table({"id": ["a"], "text": [["x", "y"]]})) == {"a": Texts(None, "x\ny")}


def test_nothing_gives_nothing():
    assert read_texts({}) == read_texts([]) == read_texts(TWO, set()) == {}


HARD = [
    {"title": "t", "id": "a", "text": 'says \\"id\\": \\"x\\"'},
    {"meta": {"id": "x"}, "id": "b", "text": "one"},
    {"id": 'c"quoted', "text": "two"},
    {"id": 12, "text": "three"},
    {"id": "ü", "text": "four"},
    {"text": '{"id": "b2"}', "id": "d"},
    {"id": "12e3", "text": "five"},
]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", " : ")])
def test_passing_over_a_line_by_its_id_never_loses_a_wanted_one(save, ascii_only, separators):
    text = "".join(json.dumps(r, ensure_ascii=ascii_only, separators=separators) + "\n" for r in HARD)
    path = save("hard.jsonl", text)
    everything = read_texts(path)
    assert list(everything) == ["a", "b", 'c"quoted', "12", "ü", "d", "12e3"]
    for key in [*everything, "x", "b2", "none"]:
        assert read_texts(path, {key}) == {k: p for k, p in everything.items() if k == key}


def test_lines_that_are_not_wanted_are_not_parsed(save):
    path = save("broken.jsonl", '{"id": "a", "text": "one"}\n{"id": "b", "text": \n{"id": "c", "text": "three"}\n')
    assert read_texts(path, {"c"}) == {"c": Texts(None, "three")}
    assert refused("json", path).where.line == 2
    assert refused("json", path, wanted={"b"}).where.line == 2


def test_nothing_is_read_behind_the_last_text_that_is_wanted(save):
    path = save("cut.jsonl", '{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n{"text": "no id"}\n')
    assert list(read_texts(path, {"a", "b"})) == ["a", "b"]
    refused("columns", path)


def test_lines_longer_than_what_is_read_at_once(save, monkeypatch):
    from judged.io import lines as _stream

    monkeypatch.setattr(_stream, "_STEP", 7)
    for name in ("corpus.jsonl", "crlf.jsonl", "cr.jsonl", "bom.jsonl", "unended.jsonl", "marco.tsv", "indented.json"):
        assert read_texts(save(name, FILES[name])) == TWO


def test_quotes_of_csv_hold_separators_line_breaks_and_paragraphs(save):
    text = 'id,text\na,"x, ""y""\n\nz"\n\nb,plain\n'
    assert read_texts(save("q.csv", text)) == {"a": Texts(None, 'x, "y"\n\nz'), "b": Texts(None, "plain")}
    assert read_texts(save("q.csv", text), {"b"}) == {"b": Texts(None, "plain")}


def test_a_stray_quote_below_a_header_is_refused_with_its_line(save):
    assert refused("csv", save("q.tsv", 'id\ttext\na\t"x" said he\nb\tplain\n')).where.line == 2
    assert refused("csv", save("q.tsv", 'id\ttext\na\tx\nb\t"open\n')).where.line == 3


def test_cells_longer_than_the_csv_module_takes(save):
    long = "word " * 50_000
    assert read_texts(save("q.csv", f'id,text\na,"{long}"\n'))["a"].text == long


def test_a_tab_in_the_last_column_belongs_to_the_text(save):
    assert read_texts(save("q.tsv", "a\tx\nb\ty\tz\n"))["b"].text == "y\tz"


def test_bytes_that_are_no_utf8_stay_in_ids_and_are_replaced_in_texts(save):
    raw = b"d\xff\tcaf\xe9\n"
    assert read_texts(save("q.tsv", raw), {"d\udcff"}) == {"d\udcff": Texts(None, "caf\ufffd")}
    assert read_texts(save("h.tsv", b"id\ttext\n" + raw)) == {"d\udcff": Texts(None, "caf\ufffd")}
    assert (
        read_texts([{"id": "a", "text": "\ud83d half, \ud83d\ude00 whole"}])["a"].text
        == "\ufffd half, \U0001f600 whole"
    )


@pytest.mark.parametrize(
    ("text", "length", "cut"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two three", 7, "one two…"),
        ("one two three", 8, "one two…"),
        ("調理した米は冷やす", 4, "調理した…"),
        ("x" * 10, 3, "xxx…"),
        ("a " + "x" * 20, 10, "a xxxxxxxx…"),
    ],
)
def test_texts_are_cut_at_the_end_of_a_word(text, length, cut):
    assert read_texts({"a": {"title": text, "text": text}}, length=length) == {"a": Texts(cut, cut)}


@pytest.mark.needs("pandas")
def test_columns_that_are_not_there_are_named(save):
    error = refused("columns", save("x.jsonl", '{"url": "u", "text": "t"}\n{"url": "v", "text": "t"}\n'))
    assert "ids" in str(error)
    assert error.value == "'url', 'text'"
    assert error.where.line == 1
    refused("columns", save("x.jsonl", '{"id": 1, "url": "u"}\n{"id": 2, "url": "u"}\n'))
    refused("columns", [{"id": 1, "text": "t"}, {"docno": 2, "text": "t"}])
    refused("columns", pd.DataFrame({"id": [1], "url": ["u"]}))
    assert refused("columns", save("x.tsv", "a\tb\tc\n")).where.line == 1
    assert refused("columns", save("x.txt", "some words in a file\n")).hint
    assert refused("columns", save("x.tsv", "a\tb\nc\n")).where.line == 2
    assert refused("columns", save("x.csv", "id,title,text\na,b,c\nd,e\n")).where.line == 3


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    ("slug", "source"),
    [
        ("id-type", [{"id": None, "text": "t"}]),
        ("id-type", pd.DataFrame({"id": ["a", None], "text": ["x", "y"]})),
        ("id-type", [("", "t")]),
        ("id-type", [(["a"], "t")]),
        ("columns", ["just a text"]),
        ("columns", [("a", "b", "c", "d")]),
        ("form", 7),
    ],
)
def test_what_is_no_text_with_an_id_is_refused_with_its_place(slug, source):
    assert "texts" in str(refused(slug, source).where)


def test_a_broken_line_is_named(save):
    assert refused("json", save("x.jsonl", '{"id": 1, "text": "a"\n{"id": 2, "text": "b"}\n')).where.line == 2
    assert refused("json", save("x.jsonl", '\n{"id": 1, "text": "a"}\n\n{"id": 2, "text": "b"\n')).where.line == 4
    assert refused("json", save("x.json", '[\n{"id": 1, "text": "a"},\n\n{"id": 2 "text": "b"}]\n')).where.line == 4
    assert refused("duplicate-key", save("x.jsonl", '{"id": 1, "text": "a", "text": "b"}\n{"id": 2}\n')).where.line == 1
    assert refused("json", save("x.json", '["a", 7')).slug


def test_what_is_no_text_file_is_refused_for_what_it_is(save, tmp_path):
    assert "UTF-16" in str(refused("encoding", save("x.jsonl", JSONL.encode("utf-16"))))
    assert refused("encoding", save("x.jsonl", JSONL.encode() + b'{"_id": "caf\xe9"}\n')).where.line == 3
    assert refused("nul", save("x.bin", b"a\tb\nc\0d\te\n")).where.line == 2
    assert refused("columns", save("x.tsv", "")).where
    assert refused("columns", save("x.tsv", "\n \n")).where
    assert isinstance(refused("io", tmp_path), FileError)
    assert isinstance(refused("io", tmp_path / "absent.tsv"), FileError)
    assert isinstance(refused("io", "a\0b"), FileError)
    assert isinstance(refused("damaged", save("x.gz", gzip.compress(JSONL.encode() * 100)[:-9])), DataError)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(save, monkeypatch):
    from judged.io import lines as _stream

    monkeypatch.setattr(limits, "LONGEST_LINE", 1 << 12)
    monkeypatch.setattr(_stream, "_STEP", 1 << 10)
    assert refused("too-large", save("x.tsv", "a\tb\n" + "x" * (1 << 14))).where.line == 2
    long = json.dumps({"a": "x" * (1 << 14)})
    assert len(read_texts(save("long.json", long))["a"].text) == 1 << 14
    bomb = json.dumps({"a": "x" * (1 << 20)}).encode()
    refused("too-large", save("bomb.json.xz", lzma.compress(bomb)))


@pytest.mark.parametrize("options", [{"length": 0}, {"length": True}, {"length": 1.5}, {"wanted": "d1"}])
def test_wrong_options_are_refused(options):
    assert isinstance(refused("parameter", TWO, **options), jd.UsageError)
