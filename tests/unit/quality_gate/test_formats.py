"""A gate as text, Markdown, JUnit XML and JSON: what stands in them, and that ids of any kind do no harm."""

import json
from xml.etree import ElementTree

import pytest

import judged as jd
from judged.tables.formats import FORMATS

N = 12
QRELS = {f"q{i:02}": {"good": 1} for i in range(N)}
BEST = {q: ["good"] for q in QRELS}
HALF = {q: ["x", "good"] for q in QRELS}
KINDS = {q: "a" if i < 10 else "b" for i, q in enumerate(QRELS)}

# junit-10.xsd of Jenkins' xUnit plugin: the attributes of each element, and what may stand in it, in this order
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "version"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "time", "classname", "group"},
    "skipped": {"type", "message"},
    "failure": {"type", "message"},
    "system-out": set(),
}  # fmt: skip
INSIDE = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure", "system-out", "system-err"],
}


def valid(text):
    """The root of JUnit XML that keeps to the schema."""
    root = ElementTree.fromstring(text.encode())
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.tag
        order = [INSIDE.get(element.tag, []).index(child.tag) for child in element]
        assert order == sorted(order)
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases)
        for count, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert int(suite.get(count)) == sum(case.find(tag) is not None for case in cases)
    return root


@pytest.fixture
def failed():
    return jd.gate(
        QRELS, HALF, baseline=BEST, measures="RR P@1", max_drop={"RR": 0.5, "P@1": 0.1}, slices=KINDS, min={"RR": 0.5}
    )


@pytest.fixture
def passed():
    return jd.gate(QRELS, BEST, baseline=HALF, measures="RR")


def test_text_begins_with_the_verdict_and_what_is_broken(failed):
    lines = failed.render("table").split("\n")
    assert lines[0] == "FAIL  candidate against baseline: 2 of 5 rules failed"
    assert [line[:4] for line in lines[2:8]] == ["FAIL", "FAIL", "pass", "pass", "pass", "skip"]
    assert lines[2].startswith("FAIL  P@1 fell by 1.0000 (1.0000 → 0.0000), more than the 0.1 allowed")
    assert lines[7] == "skip  b: not tested (2 queries; at least 10 are required)."  # once, not for each measure
    assert "12 queries got worse on P@1; the 10 worst" in lines
    assert not any("got worse on RR" in line for line in lines)


def test_text_shows_the_differences_behind_the_reasons(passed):
    assert passed.render("table", places=2).split("\n")[2:7] == [
        "pass  RR is better by 0.5000 (0.5000 → 1.0000).",
        "",
        "measure  slice        queries  baseline  candidate  difference        interval  won/tied/lost       p  max_drop",
        "───────  ───────────  ───────  ────────  ─────────  ──────────  ──────────────  ─────────────  ──────  ────────",
        f"RR       all queries       12      0.50       1.00       +0.50  [+0.50, +0.50]         12/0/0  {1 - 1 / 2**12:.4f}  pass",
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "no correction, alpha 0.05; each end of an interval is one-sided at that level: a candidate not worse by more than max_drop fails with"),
        ({"measures": "RR P@1"}, "no correction, alpha 0.05; each end of an interval is one-sided at that level: a candidate not worse by more than max_drop fails by each rule with"),
        ({"slices": KINDS, "min_queries": 2}, "bonferroni correction over 3 tests (the rules of a measure), alpha 0.05; each end of an interval is one-sided at that level: a candidate not worse by more than max_drop fails with"),
        ({"measures": "RR P@1", "slices": KINDS}, "bonferroni correction over 2 tests (the rules of a measure), alpha 0.05; each end of an interval is one-sided at that level: a candidate not worse by more than max_drop fails by each measure with"),
        ({"slices": KINDS, "correction": "none"}, "no correction, alpha 0.05; each end of an interval is one-sided at that level: a candidate not worse by more than max_drop fails by each rule with"),
    ],
)  # fmt: skip
def test_text_says_over_how_many_tests_p_was_corrected(asked, said):
    gate = jd.gate(QRELS, HALF, baseline=BEST, **{"measures": "RR", **asked})
    assert f"one-sided t test, {said} a probability of at most 0.05" in gate.render("table")
    corrected = "bonferroni" in said
    assert ("corrected p" in gate.render("table")) == ("corrected p" in gate.reasons[0].sentence) == corrected


def test_markdown_is_a_job_summary(failed, passed):
    text = failed.render("github")
    assert text.startswith("## judged gate: FAIL\n\n|  | reason |\n| :-- | :-- |\n| **FAIL** | P@1 fell by 1.0000")
    assert "- candidate against baseline: 2 of 5 rules failed" in text
    assert "### Differences" in text
    assert "<details><summary>12 queries got worse on P@1; the 10 worst</summary>\n\n| query |" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert passed.render("github").startswith("## judged gate: PASS\n")


def test_junit_has_a_case_for_each_rule_measure_and_slice(failed):
    root = valid(failed.render("junit"))
    cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
    assert list(cases) == [
        ("judged.gate.max_drop", "RR"), ("judged.gate.max_drop", "RR, a"), ("judged.gate.max_drop", "RR, b"),
        ("judged.gate.max_drop", "P@1"), ("judged.gate.max_drop", "P@1, a"), ("judged.gate.max_drop", "P@1, b"),
        ("judged.gate.min", "RR"),
    ]  # fmt: skip
    failure = cases["judged.gate.max_drop", "P@1"].find("failure")
    assert failure.get("message") == failed.reasons[3].words
    assert failure.get("type") == "max_drop"
    assert failure.text.split("\n")[1] == "q00: 1.0000 → 0.0000"
    assert cases["judged.gate.max_drop", "P@1, b"].find("skipped") is not None
    facts = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert (facts["baseline"], facts["candidate"], facts["mode"]) == ("baseline", "candidate", "significant")


def test_a_gate_without_a_baseline_has_all_forms():
    gate = jd.gate(QRELS, HALF, min={"RR": 0.9})
    assert gate.render("table").split("\n")[:3] == [
        "FAIL  run: 1 of 1 rules failed",
        "",
        "FAIL  RR is 0.5000; at least 0.9 is required.",
    ]
    assert "policy: all judged queries" in gate.render("table")
    assert "at least 0.9 is required" in gate.render("github")
    assert valid(gate.render("junit")).find(".//failure") is not None
    assert json.loads(gate.render("json"))["comparison"] is None


HOSTILE = [
    b"\x1b[31mred",
    b"q\x81",
    b"<b>&\"'",
    b"]]>",
    b"|pipe|",
    b"`*_#",
    b"</details>",
    "\u202eevil".encode(),
    b"\x01\x08\x7f",
    "\ufffe".encode(),
]


@pytest.fixture
def hostile(tmp_path):
    """A failed gate whose ids, slices and file names are trouble."""
    qrels, base, candidate = (tmp_path / name for name in ("qrels", "a|<b>.run", "b&`*.run"))
    qrels.write_bytes(b"".join(q + b" 0 " + q + b" 1\n" for q in HOSTILE))
    base.write_bytes(b"".join(q + b" Q0 " + q + b" 1 2 t\n" for q in HOSTILE))
    candidate.write_bytes(b"".join(q + b" Q0 x 1 3 t\n" + q + b" Q0 " + q + b" 2 2 t\n" for q in HOSTILE))
    names = [q.decode("utf-8", "surrogateescape") for q in HOSTILE]
    return jd.gate(
        qrels,
        candidate,
        baseline=base,
        measures="RR",
        slices={n: n for n in names},
        min_queries=1,
        mode="mean",
        max_query_drop=0.1,
    )


def test_junit_holds_any_id(hostile):
    root = valid(hostile.render("junit"))
    names = [case.get("name") for case in root.iter("testcase")]
    assert len(names) == len(HOSTILE) + 2
    assert "RR, <b>&\"'" in names
    assert "RR, \\x1b[31mred" in names
    assert "RR, q\\udc81" in names
    assert "RR, ]]>" in names
    assert {p.get("name"): p.get("value") for p in root.iter("property")}["baseline"] == "a|<b>"


def test_no_form_lets_a_control_character_or_half_a_character_through(hostile):
    for form in (*FORMATS.names, "junit", "github"):
        text = hostile.render(form)
        assert not any(c != "\n" and not c.isprintable() for c in text), form
        text.encode()


def test_markdown_holds_any_id(hostile):
    text = hostile.render("github")
    assert text.count("</details>") == 1  # the one of an id is escaped
    widths = {
        line.replace("\\|", "").count("|") for line in text.split("\n") if line.startswith("| ") and "\\<b" in line
    }
    assert widths
    assert all(count > 2 for count in widths)
    assert "<b>" not in text


def test_json_is_strict_and_holds_all_of_it(failed):
    data = json.loads(failed.render("json"), parse_constant=pytest.fail)
    assert data["rules"]["max_drop"] == {"RR": 0.5, "P@1": 0.1}
    assert [r["passed"] for r in data["reasons"]] == [r.passed for r in failed.reasons]
    assert data["comparison"]["rows"][0]["measure"] == "RR"
