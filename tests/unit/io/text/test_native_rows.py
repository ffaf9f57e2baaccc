"""Rows that the native core finds in text against those of the reference: the same columns, warnings and places, or the same error."""

from io import BytesIO
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_rows import READERS, check, is_native, only_reference

from judged.evaluation import trec_eval_output
from judged.evaluation.trec_eval_output import Options, evaluate_files
from judged.io.formats import trec_eval
from judged.io.read import read_qrels

pytestmark = pytest.mark.needs("native")


queries, docs = (
    st.sampled_from(["1", "10", "q-2", "é", "#1"]),
    st.sampled_from(["a", "b", "d" * 15, "d" * 17, "é", "x" * 70]),
)
numbers = st.sampled_from(
    ["0", "1", "2", "-1", "0.5", "1e-3", "3.", ".5", "+2", "9007199254740992", "123456789.123456789"]
)
odd = st.sampled_from(["", "  ", "# note", "#", "# 0 a 1", "1 0 a 1\r", "1\t0\tb\t2", "1\t0\ta b\t2", "1  0 c   2 ", " 1 0 d 1", "1\t0 b 2",
                       "1 Q0 a x 2 t", "1\tQ0\ta b\t1\t2\tt"])  # fmt: skip
bad = st.sampled_from(["1 0 a", "1 0 a 1 2", "1 0 a inf", "1 0 a nan", "1 0 a x", "1 0 a 1e17", "1 0 a\0 1", "1 0 a 1,5", "1 Q0 a 1 nan t",
                       "1 Q0 a 1 2 t u", "1 Q0 a 1 2"])  # fmt: skip
lines = {
    "run": st.builds("{} Q0 {} {} {} tag{}".format, queries, docs, st.integers(0, 99), numbers, st.integers(0, 1)),
    "qrels": st.builds("{} {} {} {}".format, queries, st.sampled_from(["0", "0", "0", "1", "Q0"]), docs, numbers),
}


def files_of(line):
    """Texts of such lines, with odd ones and at most one bad one."""
    return st.builds(
        lambda lines, bad, at, end, mark: mark + end.join([*lines[:at], *bad, *lines[at:], ""]).encode(),
        st.lists(st.one_of(line, line, line, line, odd), max_size=30), st.lists(bad, max_size=1), st.integers(0, 30),
        st.sampled_from(["\n", "\n", "\r\n", "\r"]), st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
    ).flatmap(lambda text: st.sampled_from([text, text, text[:-1]]))  # fmt: skip


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=70, deadline=None, derandomize=True)
@given(data=st.data())
def test_trec_files(kind, data):
    check(kind, data.draw(files_of(lines[kind])))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_ordinary_trec_files_are_read_by_the_core(blank, ending):
    rows = {"run": "1 Q0 a 1 2.5 t", "qrels": "1 0 a 1"}
    for kind, row in rows.items():
        text = (row.replace(" ", blank) + ending).encode() * 300
        assert is_native(kind, text), (kind, text[:40])


def test_a_constant_subtopic_other_than_zero_is_kept():
    check("qrels", b"1 2 a 1\n1 2 b 0\n")
    assert read_qrels(BytesIO(b"1 2 a 1\n1 2 b 0\n")).aspect.tolist() == [b"2", b"2"]


HEADERS = {
    "run": [("query_id", "doc_id", "score"), ("qid", "docno", "rank", "score", "title"), ("query", "doc", "rank")],
    "qrels": [("query_id", "doc_id", "relevance"), ("query-id", "corpus-id", "score"), ("qid", "docid", "subtopic", "label"), ("query", "doc")],
}  # fmt: skip
CELLS = {
    "id": ["1", "10", "q2", "é", "a b", "d" * 17, "x" * 70, "a", "b", " c"],
    "number": ["0", "1", "2", "3", "1", "2", "1e-3", "0.5", " 2 ", "12.50"],
    "rank": ["1", "2", "3", "10"],
    "text": ["", "word", "two words", "é", "1;2", "it's"],
}
ODD_CELLS = ["", " ", "-1", "x", "nan", "inf", "1,5", "+3", "1_0", "\xff".encode("latin-1").decode("utf-8", "surrogateescape"), "9" * 17,
             'a"b', 'say ""hi""', "\ttab", "0x1", "1.0", "#1", "9007199254740993"]  # fmt: skip
ODD_QUOTED = ["a\nb", "a\r\nb", 'a"b', '"', "", "a,b;c\td", "\r"]
ROLES = {"query": "id", "qid": "id", "doc": "id", "corpus": "id", "title": "text", "rank": "rank", "subtopic": "id"}


@st.composite
def tables(draw, kind: str) -> bytes:
    names = draw(st.sampled_from(HEADERS[kind]))
    separator, ending = draw(st.sampled_from([",", ",", "\t", ";"])), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    quoting = draw(st.sampled_from([0, 0, 3, 10]))  # in ten cells
    odd = draw(st.sampled_from([0, 0, 0, 1]))
    gap = draw(st.sampled_from(["", "", "", " "]))
    lines = [(separator + gap).join(names)]
    for _ in range(draw(st.integers(0, 25))):
        cells = []
        for name in names:
            values = CELLS[next((cell for word, cell in ROLES.items() if name.startswith(word)), "number")]
            cell = draw(st.sampled_from(values))
            if odd and draw(st.integers(0, 30)) == 0:
                cell = draw(st.sampled_from(ODD_CELLS))
            if draw(st.integers(0, 9)) < quoting:
                if draw(st.integers(0, 9 if name == "title" else 60)) == 0:
                    cell = draw(st.sampled_from(ODD_QUOTED))
                cell = '"' + cell.replace('"', '""') + '"'
            cells.append(cell)
        if odd and draw(st.integers(0, 40)) == 0:
            cells = draw(st.sampled_from([[], [*cells, "1"], cells[1:], [" "], ["\r"], ['"open'], ["\0", *cells[1:]]]))
        lines.append((separator + gap).join(cells))
    text = ending.join([*lines, ""])
    mark = draw(st.sampled_from(["", "", "\ufeff", "# note\n", "\n"]))
    end = draw(st.sampled_from(["", "", "\n\n", "cut"]))
    return (mark + (text[: -len(ending)] if end == "cut" else text + end)).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data())
def test_delimited_files(kind, data):
    check(kind, data.draw(tables(kind)))


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_delimited_files_with_named_columns(kind, data):
    text = data.draw(tables(kind))
    number = {"run": "score_col", "qrels": "grade_col"}[kind]
    named = {"query_col": "docno", "doc_col": "qid", number: "rank"}
    check(kind, text, **named)
    check(kind, text, **{number: data.draw(st.sampled_from(["score", "rank", "label", "title"]))})


@pytest.mark.parametrize(
    "text", ["{0},{1},{2}\n", '"{0}","{1}",{2}\r\n', "{0};{1};{2}\n", "{0}\t{1}\t{2}\n", "{0}, {1}, {2}\n"]
)
def test_ordinary_delimited_files_are_read_by_the_core(text):
    header = text.format("query_id", "doc_id", "score").replace('"', "")
    rows = [text.format(f"q{i // 50}", f"d{i}", i / 4) for i in range(2000)]
    for mark in ("", "\ufeff"):
        content = (mark + header + "".join(rows)).encode()
        assert is_native("run", content)
        check("run", content)


def test_texts_in_quotes_are_passed_over_by_the_core():
    rows = [f'q{i // 9},d{i},"a ""quoted"" text,\r\nof two lines",{i}\n' for i in range(3000)]
    content = ("qid,docno,title,score\n" + "".join(rows)).encode()
    assert is_native("run", content)
    check("run", content[:20_000])
    check("run", content[:20_000] + b'"')


labels = st.sampled_from(["0", "1", "2.0", "-1", "+3", "0.5", "1e2", ".5"])
notes = st.sampled_from(["", " # docid = a1 inc = 1", "#docid:7", "# doc_id 8 x", "#DOCNO= 9", "# id: b", "#id c", "# 1A", "#", "# docid = ", "#docid",
                         "#docidx", "# Doc  =  d", "#did=5", "#docid\t=\te", "# doc id=5", "#doc_ID=f", "#é"])  # fmt: skip
letor_lines = st.builds("{} qid:{} 1:0.5 46:1{}".format, labels, st.sampled_from(["1", "10", "q#2", "é"]), notes)
odd_letor = st.sampled_from(["", " ", "# note", "1\tqid:1\t1:1", " 1 qid:1", "2 qid:1", "1  qid:2#x", "1 qid:1\r"])
bad_letor = st.sampled_from(["x qid:1", "1 1:0.5", "1 qid:", "inf qid:1", "1e17 qid:1", "1", "nan qid:1", "1 qid:1\0"])


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    lines=st.lists(st.one_of(letor_lines, letor_lines, letor_lines, odd_letor), max_size=20),
    bad=st.lists(bad_letor, max_size=1), end=st.sampled_from(["\n", "\n", "\r\n", "\r"]), cut=st.booleans(),
)  # fmt: skip
def test_letor_files(lines, bad, end, cut):
    text = end.join(["1 qid:1 1:2", *lines, *bad, ""]).encode()
    check("qrels", text[:-1] if cut else text)


def test_ordinary_letor_files_are_read_by_the_core():
    assert is_native("qrels", b"".join(b"%d qid:%d 1:0.5 2:1 #docid = d%d\n" % (i % 3, i // 9, i) for i in range(3000)))


lenient_lines = st.sampled_from(
    ["1 Q0 a 1 0x1p3 t", "1 Q0 b 1 nan t", "1 Q0 c 1 2 t u", "# 0 a 1 1 t", " # 0 a 1 1 t", "#1 Q0 d 1 1 t", "1\tQ 0\td\t1\t2\tt", "1 Q0 e 1 x t",
     "", "1\tQ0\tf\t1\t2\tt", "1 Q0 \x0b 1 1 t", "2 Q0 a 1", "1 Q0 g x 2 t", "1 Q0 a 1 9 t"]
)  # fmt: skip
lenient_judgments = st.sampled_from(
    ["1 0 x 1.5", "1 0 y 1e2", "# 0 a 1", "", "1 0 z 0x1", "1 0 a\x0bb 1", "1 1 w 2", "1 0 a", "1\t0 v 1", "1 0 a 2"]
)


@settings(max_examples=70, deadline=None, derandomize=True)
@given(
    run=st.lists(st.one_of(lines["run"], lines["run"], lines["run"], lenient_lines), min_size=1, max_size=25, unique_by=lambda line: line[:9]),
    qrels=st.lists(st.one_of(*[st.integers(0, 60)] * 5, lenient_judgments), min_size=1, max_size=12, unique=True),
    ending=st.sampled_from(["\n", "\r\n"]), complete=st.booleans(),
)  # fmt: skip
def test_trec_eval_prints_the_same_without_the_core(tmp_path_factory, run, qrels, ending, complete):
    folder = tmp_path_factory.mktemp("trec_eval")
    judged = [
        line
        if isinstance(line, str)
        else f"{'1' if line % 3 else 'q-2'} 0 {'abcd'[line % 4]}{line % 2 * 'x'} {line % 3}"
        for line in qrels
    ]
    paths = [folder / "qrels", folder / "run"]
    for path, content in zip(paths, (dict.fromkeys(judged), run), strict=True):
        path.write_bytes("".join(line + ending for line in content).encode())
    options = Options(per_topic=True, complete=complete)
    seen = evaluate_files(options, *map(str, paths))
    with only_reference(), mock.patch.object(trec_eval, "NATIVE", False):
        assert seen == evaluate_files(options, *map(str, paths))


def test_trec_eval_reads_no_ordinary_run(tmp_path):
    (tmp_path / "qrels").write_bytes(b"1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 2.5 t\n1 Q0 c 2 1 t\n")
    with mock.patch.object(trec_eval_output, "read_ranking", side_effect=AssertionError):
        lines = evaluate_files(Options(), str(tmp_path / "qrels"), str(tmp_path / "run")).lines
    assert lines[0].split() == ["runid", "all", "t"]
