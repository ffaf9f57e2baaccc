"""Rows that the native core finds in JSON against those of the reference: the same columns, warnings and places, or the same error."""

import json
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_rows import check, is_native

from judged.core.join import join
from judged.core.native import native
from judged.core.policy import Policy
from judged.core.unread_runs import TextRun
from judged.io.columns import ColumnRequest
from judged.io.open_table import open_whole_run
from judged.io.partitions import open_partitions
from judged.io.read import read_qrels, read_run

pytestmark = pytest.mark.needs("native")

KINDS = {"run": "score", "qrels": "relevance"}
ids = st.one_of(
    st.sampled_from(["1", "q-2", "d" * 15, "d" * 16, "d" * 17, "x" * 70, "é", "日本", "a b", 'a"b', "a\\b", "a/b", "\n", "\u0001", "😀", "},", '"]', "query", "ﬀ"]),
    st.text(min_size=1, max_size=20),
    st.integers(-20, 20),
)  # fmt: skip
numbers = st.one_of(
    st.sampled_from(["0", "-0", "-0.0", "0.0", "1", "-1", "10", "1.5", "0.1", "1e5", "1E-3", "-2.5e+3", "1e400", "-1e400", "1e-400", "5e-324",
                     "0.30000000000000004", "12.345678901234567", "123456789.1234567891", "9007199254740992", "9007199254740993",
                     "-9007199254740993", "1.7976931348623157e308", "2.2250738585072014e-308", "123456789012345678901234567890"]),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps), st.integers(-(10**20), 10**20).map(str),
)  # fmt: skip
odd_numbers = st.sampled_from(["true", "false", "null", "NaN", "Infinity", "-Infinity", '"1.5"', "01", "+1", "1.", ".5", "1e", "-", "--1", "1.5.2", "0x1", "[1]",
                               "{}", "1e5e", "1_0", "00", "-01", "1/2", "5" * 5000])  # fmt: skip
odd_texts = st.sampled_from(['""', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\ud83d\\u0041"', '"a\\u00e9"', '"a\tb"', '"\\x41"', '"\\u12g4"', '"a',
                             "1.0", "1e2", "null", "true", '["a"]', '{"a": 1}', "-0", '"\\/\\b\\f\\n\\r\\t"', "'a'", '"\x7f"'])  # fmt: skip
extras = st.sampled_from(["null", "true", '"bm25"', "1.5", "[1, [2, {}], {\"a\": null}]", '{"a": {"b": [1]}}', '{"a": 1, "a": 2}', "[1,]", '"\\ud800"', "NaN", "[" * 40 + "]" * 40,
                          '{"a": "}, {"}'])  # fmt: skip
spaces = st.sampled_from(["", "", " ", "  ", "\t", "\r"])


def dumped(id: object, ascii: bool) -> str:
    return json.dumps(id, ensure_ascii=ascii)


@st.composite
def records(draw, number: str):
    """Records as text, mostly alike."""
    names = draw(
        st.permutations(["query", "doc", number, *draw(st.sampled_from([(), ("rank",), ("tag",), ("rank", "tag")]))])
    )
    comma, colon = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " :")]))
    ascii = draw(st.booleans())
    text = ids.map(partial(dumped, ascii=ascii))
    value = {"query": text, "doc": text, number: numbers, "rank": st.integers(0, 30).map(str), "tag": st.just('"bm25"')}
    rows = draw(st.lists(st.fixed_dictionaries({name: value[name] for name in names}), min_size=2, max_size=12))
    if draw(st.booleans()):
        row = draw(st.sampled_from(rows))
        name = draw(st.sampled_from(names))
        row[name] = draw(
            {"query": odd_texts, "doc": odd_texts, "rank": st.one_of(odd_numbers, numbers), "tag": extras}.get(
                name, odd_numbers
            )
        )
    out = ["{" + comma.join(f'"{name}"{colon}{cell}' for name, cell in row.items()) + "}" for row in rows]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(out) - 1))
        change = draw(st.sampled_from(["reverse", "drop", "repeat", "blank", "break", "join", "word", "empty", "key"]))
        row = dict(reversed(rows[at].items())) if change == "reverse" else dict(rows[at])
        if change == "drop":
            row.pop(draw(st.sampled_from(names)))
        out[at] = "{" + ", ".join(f'"{name}": {cell}' for name, cell in row.items()) + "}"
        pairs = {"repeat": out[at][:-1] + f', "{names[0]}": 1}}', "blank": f" {out[at]}\t\r", "break": out[at].replace(", ", ",\n", 1),
                 "join": out[at] + " " + out[at], "word": "null", "empty": "{}", "key": out[at].replace('"query"', '"qu\\u0065ry"')}  # fmt: skip
        out[at] = pairs.get(change, out[at])
    return out


@st.composite
def lines(draw, number: str):
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\n \t\n"])
    text = "".join(record + draw(ends) for record in draw(records(number)))
    return draw(_bytes(text))


@st.composite
def arrays(draw, number: str):
    items = draw(records(number))
    comma = draw(st.sampled_from([",", ", ", ",\n  ", " , "]))
    text = (
        draw(spaces)
        + "["
        + draw(spaces)
        + comma.join(items)
        + draw(st.sampled_from(["]", " ]\n", "]\n\n", "", ",]", "]]"]))
    )
    return draw(_bytes(text))


@st.composite
def documents(draw, number: str):
    """`{query: {doc: number}}` or `{query: [doc, …]}`, indented or not."""
    listed, ascii, indent = draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from([None, None, 0, 2]))
    comma, end = (", ", "") if indent is None else (",\n" + " " * indent, "\n")
    text = st.one_of(ids, ids, st.sampled_from(["query", "Doc-ID", "user_id", "score"])).map(
        partial(dumped, ascii=ascii)
    )
    key = text.filter(lambda one: one[0] == '"')
    rankings = []
    for query in draw(st.lists(key, min_size=1, max_size=6, unique=draw(st.integers(0, 3)) > 0)):
        docs = draw(
            st.lists(
                text if listed else key,
                min_size=draw(st.integers(0, 1)),
                max_size=8,
                unique=draw(st.integers(0, 5)) > 0,
            )
        )
        if docs and draw(st.integers(0, 9)) == 0:
            docs[0] = draw(odd_texts)
        cells = docs if listed else [f"{doc}: {draw(numbers)}" for doc in docs]
        if cells and draw(st.integers(0, 9)) == 0:
            cells[-1] = draw(
                st.sampled_from(
                    [f"{docs[-1]}: {draw(odd_numbers)}", "", f"{docs[-1]}", '["a", 1]', '{"doc": "a", "score": 1}']
                )
            )
        open, close = "[]" if listed != (draw(st.integers(0, 19)) == 0) else "{}"
        rankings.append(f"{query}: {open}{comma.join(cells)}{end}{close}")
    text = (
        draw(spaces)
        + "{"
        + end
        + comma.join(rankings)
        + end
        + draw(st.sampled_from(["}", "}", "}\n", "} \r\n\n", "", "}}", ",}", "} x"]))
    )
    return draw(_bytes(text))


def _bytes(text: str):
    whole = text.encode("utf-8", "surrogatepass")
    broken = st.integers(0, max(len(whole) - 1, 0)).flatmap(
        lambda at: st.sampled_from(
            [
                whole[:at],
                whole[:at] + b"\xff" + whole[at:],
                whole[:at] + b"\0" + whole[at + 1 :],
                whole[:at] + whole[at + 1 :],
            ]
        )
    )
    return st.one_of(st.just(whole), st.just(whole), st.just(b"\xef\xbb\xbf" + whole), broken)


@st.composite
def list_records(draw, names=("query", "results")):
    """Records with lists of documents as text; sometimes a value or a field is odd."""
    text = ids.map(partial(dumped, ascii=draw(st.booleans())))
    out = []
    for query in draw(st.lists(text, min_size=2, max_size=6, unique=draw(st.integers(0, 4)) > 0)):
        row = {names[0]: query}
        row |= {
            name: f"[{', '.join(draw(st.lists(text, min_size=draw(st.integers(0, 3)) > 0, max_size=5)))}]"
            for name in names[1:]
        }
        row |= draw(st.sampled_from([{}, {"tag": '"x"'}, {"tag": "null"}, {"tag": "3"}]))
        if draw(st.integers(0, 7)) == 0:
            odd = st.one_of(
                odd_texts,
                odd_numbers,
                extras,
                st.sampled_from(["[]", '["a", null]', '[["a", 1]]', '[{"id": "a"}]', '[["a"], ["b"]]', '{"a": 1}']),
            )
            row[draw(st.sampled_from([*row, "contexts", "gold"]))] = draw(odd)
        if draw(st.integers(0, 7)) == 0:
            row.pop(draw(st.sampled_from([*row])))
        out.append("{" + ", ".join(f'"{name}": {cell}' for name, cell in row.items()) + "}")
    return draw(_bytes("\n".join(out) + draw(st.sampled_from(["\n", "", "\r\n"]))))


def lists(number: str):
    return list_records(("query", "results" if number == "score" else "relevant"))


SHAPES = {"lists": lists, "lines": lines, "arrays": arrays, "documents": documents}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_json_files(shape, kind, data):
    check(kind, data.draw(SHAPES[shape](KINDS[kind])))


RECORD = {"query_id": "q1", "doc_id": "d1", "score": 1.5, "rank": 1}
RANKINGS = {"q1": {"d1": 1.5, "d2": 1}, "q2": {"d1": 2}}
ORDINARY = {
    "json lines": (json.dumps(RECORD) + "\n") * 3,
    "compact lines": (json.dumps(RECORD, separators=(",", ":")) + "\r\n") * 3,
    "lines with escapes": (json.dumps(RECORD | {"doc_id": "é😀\"\\/"}) + "\n") * 3,
    "integer ids": (json.dumps(RECORD | {"query_id": 7, "doc_id": -12}) + "\n") * 3,
    "lines with other fields": (json.dumps(RECORD | {"text": "…", "none": None, "many": [1, {"a": [2]}]}) + "\n") * 3,
    "an array": json.dumps([RECORD, RECORD]),
    "an indented array": json.dumps([RECORD, RECORD], indent=2),
    "a document": json.dumps(RANKINGS),
    "an indented document": json.dumps(RANKINGS, indent=4),
    "lines with lists": "".join(json.dumps({"query": f"q{i}", "documents": ["d1", 7, "é"], "more": {}}) + "\n" for i in range(3)),
    "lists": json.dumps({"q1": ["d1", "é", 7], "q2": ["d1"]}),
}  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_json_is_read_by_the_core(text):
    for kind, name in KINDS.items():
        data = text.replace("score", name).encode()
        assert is_native(kind, data), kind
        check(kind, data)


@pytest.mark.parametrize(
    "options", [{"query_col": "doc_id", "doc_col": "query_id"}, {"score_col": "rank"}, {"rank_col": "score"}]
)
def test_named_fields(options):
    check("run", ORDINARY["json lines"].encode(), **options)


def rows_of(queries: range, *fields: str) -> str:
    rows = ({"qid": f"q{q}", "docid": f"d{d}", "score": 9 - d, "rank": d + 1} for q in queries for d in range(5))
    return "".join(json.dumps({name: row[name] for name in ("qid", "docid", *fields)}) + "\n" for row in rows)


QRELS = {f"q{q}": {"d1": 1, "d3": 2} for q in range(9)}


def test_json_lines_in_a_directory_are_scanned_in_place(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.jsonl").write_text(rows_of(range(3 * i, 3 * i + 3), "score").replace("d0", f"x{i}"))
    parts = open_partitions(tmp_path, ColumnRequest("run"))
    batches = [batch for part in parts.partitions.parts for batch in part.batches()]
    assert {type(batch) for batch in batches} == {TextRun}
    qrels, policy = read_qrels(QRELS), Policy()
    seen, expected = join(qrels, parts, policy), join(qrels, read_run(tmp_path), policy)
    assert seen.rank.tolist() == expected.rank.tolist()
    assert seen.retrieved.tolist() == expected.retrieved.tolist()


@pytest.mark.parametrize("fields", [("score",), ("rank",), ("score", "rank")])
def test_an_unread_run_orders_as_the_columns_do(fields, tmp_path):
    (path := tmp_path / "run.jsonl").write_text(rows_of(range(3), *fields))
    qrels = read_qrels(QRELS)
    unread = open_whole_run(path)
    assert isinstance(unread, TextRun)
    seen, expected = (join(qrels, run, Policy()) for run in (unread, read_run(path)))
    assert seen.policy == expected.policy
    assert seen.policy.unscored == expected.policy.unscored == (fields == ("rank",))
    assert (seen.rank.tolist(), seen.warnings) == (expected.rank.tolist(), expected.warnings)


@pytest.mark.parametrize("field", ["subtopic", "aspect"])
@pytest.mark.parametrize("values", [["a", "b"], ["0", "0"], [0, 0], [1, "1"], [None, None], ["", ""], [None, "a"]])
def test_subtopics(field, values):
    rows = [{"qid": "q", "docid": f"d{i}", "label": 1, field: value} for i, value in enumerate(values)]
    check("qrels", "".join(json.dumps(row) + "\n" for row in rows).encode())


def test_grades_under_the_name_of_scores():
    for scores in ([1, 2], [1, 0.5], [2**53 + 2, 1]):
        rows = [{"qid": "q", "docid": f"d{i}", "score": score} for i, score in enumerate(scores)]
        check("qrels", "".join(json.dumps(row) + "\n" for row in rows).encode())


def scores_of(cells: list[str]) -> np.ndarray | None:
    text = "".join(f'{{"q": "q", "d": {i}, "s": {cell}}}\n' for i, cell in enumerate(cells)).encode()
    layout = {
        "source": "json_records",
        "listed": False,
        "query": "q",
        "doc": "d",
        "score": "s",
        "rank": None,
        "aspect": None,
    }
    found = native.read_text(np.frombuffer(text, np.uint8), 0, len(text), layout, 1, 1 << 20)
    return None if found is None else found["number"]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.one_of(
    numbers, st.tuples(st.integers(0, 10**8), st.text("0123456789", min_size=1, max_size=18)).map(lambda two: f"{two[0]}.{two[1]}"),
    st.tuples(st.integers(2**53, 2**54), st.integers(1, 30)).map(lambda two: f"{math.ldexp(two[0] + 0.5, -two[1]):.20f}"[:20]).filter(lambda cell: cell[-1] != "."),
), min_size=1, max_size=8))  # fmt: skip
def test_numbers_are_those_of_python(cells):
    expected = np.array([float(json.loads(cell)) for cell in cells])
    assert scores_of(cells).tobytes() == expected.tobytes()


@given(odd_numbers)
def test_what_is_no_number_of_json_is_not_taken(cell):
    assert scores_of(["1", cell, "2"]) is None
