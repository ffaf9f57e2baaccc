"""The page as a file: what is in it is what was computed, to the last bit, and nothing in it can be taken for markup."""

import base64
import gzip
import hashlib
import json
import math
import os
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.comparison.tables import pair_table, system_table
from judged.page.assemble import LABEL, REPORT, script, script_files, style

FILES = jd.sample_path
MEASURES = "nDCG@10 AP RR P@10"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\u202eabc\u202c",
    "x" * 1000,
    "a&b\"'",
    "{{title}}",
)


class Parsed(HTMLParser):
    """The elements of a page: their text by id, and every tag with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.stack = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "link", "img"):
            self.stack.append(dict(attributes).get("id"))

    def handle_endtag(self, tag):
        self.stack.pop()

    def handle_data(self, data):
        for name in filter(None, self.stack):
            self.texts[name] = self.texts.get(name, "") + data


def packed(parsed, name):
    return gzip.decompress(base64.b64decode(parsed.texts[name]))


def opened(path):
    """(parsed page, facts, values [measure, run, query], details [query])."""
    parsed = Parsed(path.read_text("utf-8"))
    facts = json.loads(packed(parsed, "facts"))
    values = np.frombuffer(packed(parsed, "values"), "<f8").reshape(len(facts["measures"]), len(facts["runs"]), -1)
    blocks = sorted((n for n in parsed.texts if n.startswith("details-")), key=lambda n: int(n[8:]))
    details = []
    for block in (json.loads(packed(parsed, name)) for name in blocks):
        for detail in block["queries"]:
            shown = [block["texts"].get(doc, [None, None]) for doc in detail["docs"]]
            details.append({**detail, "titles": [one[0] for one in shown], "texts": [one[1] for one in shown]})
    return parsed, facts, values, details


@pytest.fixture(scope="module")
def comparison():
    runs = {name: FILES(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    return jd.compare(FILES("qrels.txt"), runs, MEASURES, slices=FILES("queries.jsonl"), by="kind", min_queries=5)


@pytest.fixture(scope="module")
def page(comparison, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    jd.report(comparison, path, doc_texts=FILES("documents.jsonl"), query_texts=FILES("queries.jsonl"))
    return path


def test_values_in_the_page_are_those_of_the_results_to_the_last_bit(comparison, page):
    _, facts, values, _ = opened(page)
    for i, measure in enumerate(facts["measures"]):
        for k, result in enumerate(comparison.results):
            assert values[i, k].tobytes() == np.asarray(result[measure["name"]], "<f8").tobytes()


def test_means_intervals_and_pairs_are_those_of_the_comparison(comparison, page):
    _, facts, _, _ = opened(page)
    means = comparison.means()
    for i, measure in enumerate(facts["measures"]):
        for k, (run, result) in enumerate(zip(comparison.names, comparison.results, strict=True)):
            one = facts["summary"][i][k]
            assert one["mean"] == means[run][measure["name"]]
            assert (one["low"], one["high"]) == result.interval(measure["name"])
    assert [pair["difference"] for pair in facts["pairs"]] == [row.difference for row in comparison.rows]
    assert [pair["adjusted"] for pair in facts["pairs"]] == [row.adjusted for row in comparison.rows]
    assert [pair["words"] for pair in facts["pairs"]] == comparison.verdicts()
    assert [(p["part"], p["difference"]) for p in facts["parts"]] == [(r.part, r.difference) for r in comparison.parts]


def test_the_table_without_script_shows_what_the_terminal_shows(comparison, page):
    parsed, *_ = opened(page)
    shown = parsed.texts["summary"]
    for table in (system_table(comparison), pair_table(comparison, all_pairs=False)):
        for cell in (cell for row in table.rows for cell in row):
            assert cell in shown


def test_curves_are_those_of_curve(comparison, page):
    _, facts, _, _ = opened(page)
    pr = facts["pictures"][0]
    for line, wanted in zip(pr["lines"], jd.curve("pr", list(comparison.judged)), strict=True):
        assert line["at"] == wanted.at.tolist()
        assert line["y"] == wanted.y.tolist()
        assert line["low"] == wanted.low.tolist()
    at_k = next(p for p in facts["pictures"] if p["title"].startswith("nDCG"))
    at_ten = at_k["lines"][2]["at"].index(10)
    assert at_k["lines"][2]["y"][at_ten] == comparison.means()["dense"]["nDCG@10"]


def test_curves_are_at_the_level_of_the_measures(tmp_path):
    judged = FILES("qrels.txt"), FILES("runs/bm25.run")
    jd.report(jd.evaluate(*judged, "nDCG@10 AP", level=2), tmp_path / "two.html")
    _, facts, _, _ = opened(tmp_path / "two.html")
    assert (
        facts["pictures"][0]["lines"][0]["mark"]
        == f"(AP {jd.evaluate(*judged, 'AP', level=2).mean()['AP(level=2)']:.3f})"
    )


def test_rankings_grades_and_arithmetic_are_those_of_explain(comparison, page):
    _, facts, _, details = opened(page)
    for query in ("q01", "q18", "q36"):
        detail = details[facts["queries"].index(query)]
        for k, result in enumerate(comparison.results):
            for i, measure in enumerate(facts["measures"]):
                wanted = result.explain(measure["name"], query)
                ranking = detail["rankings"][k]
                assert [detail["docs"][place] for place in ranking["docs"]][: len(wanted.rows)] == [
                    r[1] for r in wanted.rows
                ]
                why = ranking["why"][i]
                assert why["closing"] == wanted.closing
                assert tuple(facts["headers"][i]) == wanted.headers[3:]
                cells = {int(row[0]): row for row in wanted.tables()[0].rows}
                for rank, row in zip(why["ranks"], why["rows"], strict=True):
                    assert tuple(row) == cells[str(rank) and rank][3:]
                    assert cells[rank][2] == f"{detail['grades'][ranking['docs'][rank - 1]]:g}"


def test_a_run_that_does_not_answer_a_query_has_no_ranking_of_it(page):
    _, facts, _, details = opened(page)
    detail = details[facts["queries"].index("q19")]
    assert [ranking is None for ranking in detail["rankings"]] == [True, True, False]


@pytest.mark.parametrize("ties", ["id-desc", "id-asc", "input", "best", "worst", "expected"])
@pytest.mark.parametrize("depth", [3, 100])
def test_rankings_keep_the_order_of_the_policy_for_ties(ties, depth, tmp_path):
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(12)]
    qrels = {f"q{q}": {doc: int(rng.integers(0, 3)) for doc in rng.permutation(docs)[:6]} for q in range(8)}
    run = {f"q{q}": {doc: float(rng.integers(0, 3)) for doc in rng.permutation(docs)[:10]} for q in range(8)}
    result = jd.evaluate(qrels, run, "AP nDCG@5", ties=ties)
    jd.report(result, tmp_path / "page.html", depth=depth)
    _, facts, _, details = opened(tmp_path / "page.html")
    for query, detail in zip(facts["queries"], details, strict=True):
        shown = [detail["docs"][place] for place in detail["rankings"][0]["docs"]]
        assert shown == [row[1] for row in result.explain("AP", query, rows=10).rows][:depth]
        assert detail["rankings"][0]["why"][0]["closing"] == result.explain("AP", query).closing
        below = {detail["docs"][place]: rank for place, rank in detail["rankings"][0]["below"]}
        assert all(rank > depth and doc in qrels[query] for doc, rank in below.items())


def test_bounds_are_those_of_evaluate(comparison, page):
    _, facts, _, _ = opened(page)
    wanted = jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), MEASURES, bounds=True)
    for i, measure in enumerate(facts["measures"]):
        one = facts["summary"][i][0]
        assert (one["irrelevant"], one["top"]) == wanted.bounds(measure["name"])


def test_queries_without_a_value_in_some_run_are_left_out_of_means_and_intervals(tmp_path):
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"c": 1}}
    runs = {"x": {q: ["a", "b", "c"] for q in qrels}, "y": {q: ["c", "b", "a"] for q in qrels}}
    found = jd.compare(qrels, runs, "RR", empty="skip")
    jd.report(found, tmp_path / "page.html")
    _, facts, values, _ = opened(tmp_path / "page.html")
    assert np.isnan(values[0, :, 1]).all()
    assert [one["mean"] for one in facts["summary"][0]] == [found.means()[run]["RR"] for run in ("x", "y")]
    assert facts["summary"][0][0]["queries"] == 2


def test_methods_name_every_convention_and_input(comparison, page):
    parsed, facts, _, _ = opened(page)
    text = parsed.texts["methods"]
    assert f"judged {jd.__version__}" in text
    for words in (
        "40 queries",
        "703 judgments",
        "queries that count: all judged queries;",
        "document id, descending",
        "paired t test",
        "3 tests, the pairs of a measure (bonferroni)",
        "The primary measure is nDCG@10",
    ):
        assert words in text
    for measure in comparison.measures:
        assert measure in text
    import hashlib

    digest = hashlib.sha256(FILES("qrels.txt").read_bytes()).hexdigest()
    assert {"role": "judgments", "name": "qrels.txt", "sha256": digest, "of": "file"} in facts["inputs"]
    assert len(facts["inputs"]) == 4


def test_a_file_that_was_written_since_is_refused(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    result = jd.evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    (tmp_path / "run").write_text("q Q0 zzz 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n")
    with pytest.raises(jd.DataError, match="file-changed"):
        jd.report(result, tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_relative_paths_are_not_read_in_another_folder(tmp_path, monkeypatch):
    for folder in ("first", "second"):  # the same names, sizes and times
        (tmp_path / folder).mkdir()
        for name, text in (("q.txt", "q1 0 a 1\n"), ("a.run", f"q1 Q0 {folder[0]} 1 1 t\n")):
            (tmp_path / folder / name).write_text(text)
            os.utime(tmp_path / folder / name, (1, 1))
    monkeypatch.chdir(tmp_path / "first")
    values = jd.evaluate("q.txt", "a.run", "AP")
    monkeypatch.chdir(tmp_path / "second")
    with pytest.raises(jd.DataError, match="first") as caught:
        jd.report(values, "page.html")
    assert caught.value.slug == "file-changed"
    monkeypatch.chdir(tmp_path / "first")
    jd.report(values, "page.html")


def test_relevant_documents_are_counted_at_the_level_of_the_measures(tmp_path):
    qrels = {"q": {"a": 1, "b": 2, "c": 2, "d": 0}}
    jd.report(jd.evaluate(qrels, {"q": ["a", "b"]}, "AP", level=2), tmp_path / "page.html")
    facts = opened(tmp_path / "page.html")[1]
    assert (facts["relevant"], facts["relevance"]) == ([2], 2)


def test_the_page_does_not_replace_what_it_is_made_from(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\n")
    result = jd.evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    for path in (tmp_path / "run", tmp_path / "qrels", "-", 5, "a\0b"):
        with pytest.raises(jd.UsageError):
            jd.report(result, path)
    assert (tmp_path / "run").read_text() == "q Q0 a 1 2 t\n"


def test_texts_that_match_nothing_are_warned_of(tmp_path):
    jd.report(
        jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR"),
        tmp_path / "page.html",
        doc_texts={"x": "other"},
        query_texts={"y": "other"},
    )
    codes = [w["code"] for w in opened(tmp_path / "page.html")[1]["warnings"]]
    assert codes == ["no-text", "no-text"]


def test_a_single_result_may_be_given_its_name(tmp_path):
    jd.report({"mine": jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR")}, tmp_path / "page.html")
    assert opened(tmp_path / "page.html")[1]["runs"] == ["mine"]


def test_what_lay_in_memory_is_hashed_by_its_content(tmp_path):
    for name, run in (
        ("one", {"q": {"a": 2.0, "b": 1.0}}),
        ("two", {"q": {"b": 1.0, "a": 2.0}}),
        ("three", {"q": {"a": 2.5, "b": 1.0}}),
    ):
        jd.report(jd.evaluate({"q": {"a": 1}}, run, "RR"), tmp_path / f"{name}.html")
    hashes = [opened(tmp_path / f"{name}.html")[1]["inputs"][1] for name in ("one", "two", "three")]
    assert hashes[0]["of"] == "content"
    assert hashes[0] == hashes[1] != hashes[2]


def test_methods_name_clusters_slices_margins_and_levels_as_they_were(tmp_path):
    queries = [f"q{i}" for i in range(40)]
    qrels = {q: {"a": 1} for q in queries}
    runs = {"good": {q: ["a"] for q in queries}, "bad": {q: ["x", "a"] for q in queries}}
    found = jd.compare(qrels, runs, "RR", clusters={q: q[-1] for q in queries}, slices={q: "odd" if i % 2 else "even" for i, q in enumerate(queries)},
                       min_queries=7, margin=0.01, alpha=0.025)  # fmt: skip
    jd.report(found, tmp_path / "page.html")
    text = " ".join(opened(tmp_path / "page.html")[1]["methods"])
    for words in (
        "10 clusters",
        "(even, odd)",
        "fewer than 7 queries",
        "the interval of their difference is within ±0.01",
        "is at most 0.025",
        "the pairs and slices of a measure together (2 tests)",
    ):
        assert words in text, words


def test_the_same_result_gives_the_same_bytes(comparison, tmp_path):
    for name in ("a.html", "b.html"):
        jd.report(comparison, tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


QUESTIONS = [
    {
        "question_id": name,
        "question": f"What is {name}?",
        "contexts": [{"id": f"{name}::{i}", "text": f"Chunk {i} of {name}."} for i in (1, 2)],
        "relevant": [f"{name}::1", {"id": f"{name}::9", "text": f"Not found for {name}."}],
    }
    for name in ("Q-1", "Q-2")
]


@pytest.mark.parametrize("form", ["file", "memory", "results", "rolled up"])
def test_a_page_of_question_files_shows_the_questions_and_the_chunks(tmp_path, form):
    source, records = tmp_path / "rag.jsonl", QUESTIONS
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    given = jd.evaluate(source, measures="R@5") if form == "results" else records if form == "memory" else source
    if form == "rolled up":
        given = jd.compare({"a": source, "b": source}, measures="RR", roll_up="first", documents="::")
    jd.report(given, tmp_path / "r.html")
    _, facts, _, details = opened(tmp_path / "r.html")
    assert facts["texts"] == ["What is Q-1?", "What is Q-2?"]
    shown = dict(zip(details[0]["docs"], details[0]["texts"], strict=True))
    if form == "rolled up":
        assert shown == {"Q-1": None}
    else:
        assert shown["Q-1::1"] == "Chunk 1 of Q-1."
        assert shown["Q-1::9"] == "Not found for Q-1."
    assert facts["warnings"] == []


def test_texts_that_are_given_replace_those_of_question_files(tmp_path):
    jd.report(QUESTIONS, tmp_path / "r.html", query_texts={"Q-1": "Given"}, doc_texts={"Q-1::1": "Chunk"})
    _, facts, _, details = opened(tmp_path / "r.html")
    assert facts["texts"] == ["Given", None]
    shown = zip(details[0]["docs"], details[0]["texts"], strict=True)
    assert {doc: text for doc, text in shown if text} == {"Q-1::1": "Chunk"}


def test_hostile_ids_and_texts_stay_text(tmp_path):
    qrels = {query: dict.fromkeys(HOSTILE, 1) for query in HOSTILE}
    runs = {name: {query: {doc: float(i) for i, doc in enumerate(HOSTILE)} for query in HOSTILE} for name in HOSTILE}
    path = tmp_path / "page.html"
    texts = dict.fromkeys(HOSTILE, "<b>bold</b></script>")
    jd.report(jd.compare(qrels, runs, "AP"), path, doc_texts=texts, query_texts=texts, title="<i>{{script}}</i>")
    parsed, facts, _, details = opened(path)
    assert facts["runs"] == list(HOSTILE)
    assert set(details[0]["docs"]) == set(HOSTILE)
    assert {tag for tag, _ in parsed.tags} <= {
        "html", "head", "meta", "title", "script", "style", "body", "a", "header", "p", "h1", "h2", "h3", "button", "main", "section", "ul", "ol", "li",
        "div", "table", "thead", "tbody", "tr", "th", "td", "strong", "code", "bdi", "footer", "noscript", "small", "dl", "dt", "dd", "details", "summary", "figure", "figcaption", "svg", "line", "circle", "text",
    }  # fmt: skip
    assert len([1 for tag, a in parsed.tags if tag == "script" and "type" not in a]) == 2
    assert parsed.texts["title"] == "<i>{{script}}</i>"


def test_ids_that_are_not_utf8_are_kept(tmp_path):
    (tmp_path / "qrels").write_bytes(b"q\x81 0 d\x8d 1\n")
    (tmp_path / "run").write_bytes(b"q\x81 Q0 d\x8d 1 1 t\n")
    jd.report(jd.evaluate(tmp_path / "qrels", tmp_path / "run", "RR"), tmp_path / "page.html")
    _, facts, _, details = opened(tmp_path / "page.html")
    assert facts["queries"] == ["q\udc81"]
    assert details[0]["docs"] == ["d\udc8d"]


@pytest.mark.parametrize("page", [REPORT, LABEL], ids=["report", "label"])
def test_names_are_declared_in_one_script_only(page):
    seen = {}
    for path in script_files(page):
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:function|const|let|class) (?:\{[^}]*\}|\[[^\]]*\]|(\w+))",
            path.read_text("utf-8"),
            re.MULTILINE,
        ):
            assert name not in seen, f"{name} in {path.name} and {seen[name]}"
            if name:
                seen[name] = path.name


def test_every_script_and_style_is_part_of_the_page():
    root = next(p for p in script_files(REPORT)[0].parents if p.name == "web")
    scripts = {path for page in (REPORT, LABEL) for path in script_files(page)}
    assert scripts == {p.resolve() for p in root.rglob("*.js")} - {
        (root / name).resolve() for name in ("theme.js", "loader.js")
    }
    styles = {root / "styles" / f"{name}.css" for page in (REPORT, LABEL) for name in page.styles}
    assert styles == set(root.rglob("*.css"))


@pytest.mark.parametrize("page", [REPORT, LABEL], ids=["report", "label"])
def test_scripts_never_read_markup_or_reach_outside(page):
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "XMLHttpRequest",
        "</script",
        "import(",
    ):
        code = re.sub(r"/\*.*?\*/|^\s*//.*$", "", script(page), flags=re.DOTALL | re.MULTILINE)
        assert word not in code, word
    assert "http" not in style(page)


def test_the_policy_allows_the_scripts_and_the_styles_of_the_page_only(comparison, tmp_path):
    jd.report(comparison, tmp_path / "page.html")
    parsed = Parsed((tmp_path / "page.html").read_text("utf-8"))
    text = (tmp_path / "page.html").read_text("utf-8")
    own = [packed(parsed, "script").decode(), *re.findall(r"<(?:script|style)>(.*?)</", text, re.DOTALL)]
    hashes = {base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in own}
    policy = next(a["content"] for tag, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes
    assert len(hashes) == 4
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not {"unsafe", "http"} & set(re.findall("unsafe|http", policy))
    assert not [a for _, a in parsed.tags if {"src", "style"} & set(a) or any(name.startswith("on") for name in a)]


def test_comments_and_layout_are_not_embedded():
    assert "@param" not in script(REPORT)
    assert not re.search(r"^\s|\n\s*//|/\*", script(REPORT))
    assert "/*" not in style(REPORT)
    assert "\n" not in style(REPORT)
    assert 'content: " ↕"' in style(REPORT)
    assert 'content: "; "' in style(REPORT)


def test_code_and_styles_stay_small(comparison, tmp_path):
    jd.report(comparison, tmp_path / "page.html")
    parsed = Parsed((tmp_path / "page.html").read_text("utf-8"))
    assert len(parsed.texts["script"]) + len(style(REPORT)) < 140_000
    assert len(style(LABEL)) < 20_000


def test_one_result_has_a_page_without_pairs(tmp_path):
    jd.report(jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), "nDCG@10 NumRelRet"), tmp_path / "page.html")
    _, facts, _, _ = opened(tmp_path / "page.html")
    assert facts["pairs"] == []
    assert facts["runs"] == ["bm25"]
    assert facts["verdicts"][0] == {"words": [0, " has a mean nDCG@10 of 0.520."], "more": [], "pair": None}
    assert facts["measures"][1]["places"] == 0


def test_saved_values_have_a_page_without_rankings(tmp_path):
    result = jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), "AP")
    result.save(tmp_path / "values.json")
    jd.report(jd.load(tmp_path / "values.json"), tmp_path / "page.html")
    _, facts, values, details = opened(tmp_path / "page.html")
    assert (facts["depth"], facts["pictures"], facts["coverage"], details) == (0, [], None, [])
    assert values[0, 0].tobytes() == result["AP"].tobytes()


def test_results_on_different_judgments_show_no_rankings_side_by_side(tmp_path):
    results = [jd.evaluate({"q": {"a": grade}}, {"q": ["a"]}, "nDCG") for grade in (1, 2)]
    jd.report(dict(zip("xy", results, strict=True)), tmp_path / "page.html")
    assert opened(tmp_path / "page.html")[1]["depth"] == 0


def test_depth_and_length_limit_what_is_shown(tmp_path):
    result = jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), "AP")
    jd.report(result, tmp_path / "page.html", depth=3, doc_texts=FILES("documents.jsonl"), length=40)
    _, facts, _, details = opened(tmp_path / "page.html")
    assert facts["depth"] == 3
    assert max(len(d["rankings"][0]["docs"]) for d in details if d["rankings"][0]) == 3
    assert max(len(text) for d in details for text in d["texts"] if text) <= 41


def test_very_many_queries_are_shown_less_deep():
    from judged.page.query_details import shown_depth
    from judged.page.subject import subject_of

    def depth_of(queries):
        qrels = {f"q{i}": {"a": 1} for i in range(queries)}
        return shown_depth(subject_of(jd.evaluate(qrels, {q: ["a"] for q in qrels}, "RR")), None)

    assert depth_of(1_000) == 100
    assert depth_of(20_001) == 20


@pytest.mark.parametrize("wrong", [None, 3, "report", {}, [], {"x": 1}, jd.Policy()])
def test_what_is_no_result_is_refused(wrong, tmp_path):
    refusal("option", jd.report, wrong, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": 1.5}, {"depth": True}, {"length": 0}, {"title": 3}])
def test_wrong_options_are_refused(wrong, tmp_path):
    with pytest.raises(jd.UsageError):
        jd.report(jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR"), tmp_path / "page.html", **wrong)


def test_an_older_page_stays_where_the_new_one_fails(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(jd.FileError):
        jd.report(jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR"), path, doc_texts=tmp_path / "missing.jsonl")
    with pytest.raises(jd.FileError):
        jd.report(jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR"), tmp_path / "no" / "page.html")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_share_of_judged_documents_is_of_those_that_have_the_rank():
    from judged.evaluation.inputs import judged_share

    judged = jd.join({"q": {"a": 1, "b": -1}, "r": {"a": 0}}, {"q": ["a", "b", "c"], "r": ["c", "a"]})
    assert judged_share(judged, np.array([1, 2, 3])).tolist() == [1 / 2, 1 / 2, 0]
    assert math.isnan(judged_share(judged, np.array([4]))[0])
