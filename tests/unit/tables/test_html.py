"""Tables as HTML: the same text as in fixed width, well formed, and nothing that an id could break."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import judged as jd
from judged.correlation import correlate_all
from judged.errors import safe
from judged.tables.formats.html import table_html
from judged.tables.formats.table import table_text
from judged.tables.result import RecordTable
from judged.tables.table import Table

HOSTILE = [
    '<script>alert("x")</script>',
    "a&amp;b",
    "'\" onload=x",
    "line\nbreak",
    "\x1b[31mred",
    "d\udcff",
    "\u202eright",
    "-->",
]


class Parsed(HTMLParser):
    """The cells of each table, and whether what was opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.paragraphs: list[str] = []
        self.captions: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
        elif tag in ("p", "dt", "dd"):
            self.paragraphs.append("")
        elif tag == "caption":
            self.captions.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "th" in self.open or "td" in self.open:
            self.tables[-1][-1][-1] += data
        elif {"p", "dt", "dd"} & {*self.open}:
            self.paragraphs[-1] += data
        elif "caption" in self.open:
            self.captions[-1] += data


def words(text: str) -> list[str]:
    return re.sub(r"[─\s]+", " ", text).split()


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 1}, "q3": {"b": 2, "c": 1}}
RUNS = {
    "x": {"q1": ["a", "b", "c"], "q2": ["d", "a"], "q3": ["c", "a", "b"]},
    "y": {"q1": ["c", "a", "b"], "q2": ["b", "a"], "q3": ["b", "c"]},
}
RESULTS = {name: jd.evaluate(QRELS, run, "nDCG@2 RR AP") for name, run in RUNS.items()}
JUDGES = {"h1": {"q1": {"a": 1, "b": 0, "c": 2}}, "h2": {"q1": {"a": 1, "b": 1, "c": 2}}}


def _shown() -> dict[str, object]:
    return {
        "Values": RESULTS["x"],
        "Explanation": RESULTS["x"].explain("AP", "q1"),
        "Comparison": jd.compare(RESULTS),
        "Leaderboard": jd.leaderboard({"c1": RESULTS}, "AP"),
        "RecordTable": RecordTable({"name": ("a", "b"), "value": (0.5, np.nan)}, words=("name",), title="some", notes=("a note",)),
        "Gate": jd.gate(QRELS, RUNS["x"], baseline=RUNS["y"], measures="AP RR"),
        "Power": jd.power(QRELS, RUNS["x"], RUNS["y"], "AP RR"),
        "Agreement": jd.agree(JUDGES),
        "Correlation": jd.correlate(RUNS["x"], RUNS["y"]),
        "Correlations": correlate_all({"x": [1, 2, 3], "y": [1, 3, 2], "z": [3, 2, 1]}),
        "Classification": jd.curves.classify([1, 0, 1, 1], scores=[0.9, 0.4, 0.2, 0.8], threshold=0.5),
    }  # fmt: skip


@pytest.mark.parametrize("kind", list(_shown()))
def test_every_result_shows_in_a_notebook_what_it_prints(kind):
    result = _shown()[kind]
    assert type(result).__name__ == kind
    parsed = Parsed(result._repr_html_())
    printed = words(str(result))
    assert parsed.tables
    found = [*parsed.paragraphs, *parsed.captions, *(cell for table in parsed.tables for row in table for cell in row)]
    assert sorted(words(" ".join(found))) == sorted(printed)


def test_a_table_holds_the_same_cells_as_in_fixed_width():
    table = Table(
        ("run", "AP"), (("x", "0.5000"), ("y", "0.7500 a")), title="T", notes=("n1", "n2"), strong=frozenset({(1, 1)})
    )
    parsed = Parsed(table_html(table))
    assert parsed.tables == [[["run", "AP"], ["x", "0.5000"], ["y", "0.7500 a"]]]
    assert parsed.captions == ["T"]
    assert parsed.paragraphs == ["n1", "n2"]
    assert all(word in table_text(table) for row in parsed.tables[0] for word in row)


def test_headers_say_what_they_head_and_numbers_stand_to_the_right():
    html = table_html(Table(("run", "AP", ""), (("x", "0.5", "good"),), words=(0, 2), strong=frozenset({(0, 1)})))
    assert '<tr><th scope="col">run</th><th scope="col" class="number">AP</th><td></td></tr>' in html
    assert '<tr><th scope="row">x</th><td class="number"><strong>0.5</strong></td><td>good</td></tr>' in html
    assert "<caption>" not in html


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_read_as_html(text):
    table = Table((text, "b"), ((text, text),), title=text, notes=(text,), strong=frozenset({(0, 1)}))
    html = table_html(table)
    parsed = Parsed(html)
    assert parsed.tables == [[[safe(text), "b"], [safe(text), safe(text)]]]
    assert parsed.captions == parsed.paragraphs == [safe(text)]
    assert {tag for tag, _ in parsed.tags} <= {
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "strong",
        "p",
        "small",
    }
    assert {name for _, attributes in parsed.tags for name in attributes} <= {"class", "scope"}
    html.encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", html)


def test_a_notebook_shows_the_beginning_of_a_long_table_and_says_so():
    long = RecordTable({"n": tuple(range(1203))})
    parsed = Parsed(long._repr_html_())
    assert len(parsed.tables[0]) == 101
    assert parsed.paragraphs == ["… and 1103 more rows"]
