"""The first calls that new users make, with the files and names that they bring along."""

import json
import re
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from commands import called
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.cli.main import cli
from judged.stats.agreement import AGREEMENT_COEFFICIENTS

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 1.0}}
RATINGS = "search_term,sku,human_grade\nq1,a,1\nq1,b,0\nq2,c,2\n"
ODD = "Such Wort,Artikel Nr,Note\nq1,a,Exact\nq1,b,Irrelevant\nq2,c,Exact\n"
NAMES = ("--query-col", "Such Wort", "--doc-col", "Artikel Nr", "--grade-col", "Note")
QUESTIONS = '{{"question":"q1","retrieved":["{}","{}"],"relevant":["a"]}}\n{{"question":"q2","retrieved":["c","d"],"relevant":["d"]}}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ratings.csv").write_text(RATINGS)
    Path("odd.csv").write_text(ODD)
    Path("run.json").write_text('{"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 1.0}}')
    Path("q").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    Path("x.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")
    Path("bm25.jsonl").write_text(QUESTIONS.format("a", "b"))
    Path("embed.jsonl").write_text(QUESTIONS.format("b", "a"))


@for_each("words", [
    ("eval", "odd.csv", "run.json", "-m", "RR"), ("compare", "odd.csv", "run.json", "A=run.json", "-m", "RR"),
    ("report", "odd.csv", "run.json"), ("curve", "pr", "odd.csv", "run.json"), ("explain", "RR", "odd.csv", "run.json"),
    ("gate", "odd.csv", "run.json", "--min", "RR=0.1"), ("power", "odd.csv", "run.json", "A=run.json"),
    ("convert", "odd.csv", "odd.qrels"), ("agree", "odd.csv", "odd.csv"), ("agree", "odd.csv", "odd.csv", "--run", "x.run", "run.json"),
    ("merge", "odd.csv", "odd.csv", "-o", "merged.txt"),
])  # fmt: skip
def test_columns_and_grades_are_named_in_every_command(words: tuple[str, ...]) -> None:
    result = called(*words, *NAMES, "--grade-map", "Exact=3,Irrelevant=0")
    assert result.returncode == 0, result.stderr


def test_an_option_is_repeated_for_files_with_other_names() -> None:
    Path("run.csv").write_text("Query,Produkt,score\nq1,a,0.2\nq1,b,0.9\nq2,c,1\n")
    words = ("eval", "odd.csv", "run.csv", "-m", "RR", "--query-col", "Query", "--doc-col", "Produkt", *NAMES)
    assert "0.7500" in called(*words, "--grade-map", "Exact=3,Irrelevant=0").stdout


ODD_CALLS = [
    ("agree", "odd.csv", "odd.csv"), ("agree", "q", "q", "--run", "odd.csv", "odd.csv"), ("merge", "odd.csv", "odd.csv", "-o", "x"),
    ("clicks", "fit", "odd.csv"), ("clicks", "score", "odd.csv", "--run", "x.run"), ("clicks", "interleave", "odd.csv", "odd.csv"), ("compare", "q", "odd.csv", "x.run"),
    ("convert", "odd.csv", "x.run"), ("correlate", "odd.csv", "x.run"), ("curve", "pr", "q", "odd.csv"), ("eval", "q", "odd.csv"),
    ("eval", "odd.csv", "x.run"), ("explain", "AP", "q", "odd.csv"), ("gate", "q", "odd.csv"), ("power", "q", "odd.csv", "x.run"),
    ("recommend", "odd.csv"), ("report", "q", "odd.csv"),
]  # fmt: skip


@for_each("words", ODD_CALLS, ids=" ".join)
def test_an_error_names_only_options_that_the_command_has(words: tuple[str, ...]) -> None:
    Path("odd.csv").write_text(ODD.replace("Exact", "x1").replace("Irrelevant", "x2"))
    result = called(*words)
    assert result.returncode == 2
    command: Any = cli
    for word in words[: 1 + (words[0] == "clicks")]:
        command = command.get_command(click.Context(command), word)
    known = {flag for parameter in command.params for flag in parameter.opts}
    named = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", result.stderr))
    assert named
    assert named <= known or "Use `judged convert`: " in result.stderr


def test_an_unknown_column_is_answered_with_the_columns_and_the_nearest() -> None:
    for name, near in (("such wrot", '"Such Wort"'), ("Wort", '"Such Wort"')):
        result = called(
            "eval", "odd.csv", "run.json", "--query-col", name, *NAMES[2:], "--grade-map", "Exact=3,Irrelevant=0"
        )
        assert result.returncode == 2
        assert f"{name!r} is not one of the columns 'Such Wort', 'Artikel Nr', 'Note'" in result.stderr
        assert f"--query-col {near}" in result.stderr
    result = called("eval", "ratings.csv", "run.json", "--query-col", "terms", "--score-col", "x")
    assert "the columns are 'search_term', 'sku', 'human_grade'" in result.stderr


def test_swapped_files_whose_columns_are_named_are_called_swapped() -> None:
    Path("scored.csv").write_text("Such Wort,Artikel Nr,Wert\nq1,a,0.2\nq2,c,1\n")
    named = (*NAMES, "--score-col", "Wert", "--grade-map", "Exact=3,Irrelevant=0")
    assert called("eval", "odd.csv", "scored.csv", *named).returncode == 0
    swapped = called("eval", "scored.csv", "odd.csv", *named).stderr
    assert swapped.startswith("error: scored.csv:1: no column of grades")
    assert "[swapped]" in swapped
    Path("both.csv").write_text("Such Wort,Artikel Nr,Wert,Note\nq1,a,0.2,1\nq2,c,1,0\n")
    typo = [word.replace("Note", "Noet") for word in named]
    assert "--grade-col Note.  [columns]" in called("eval", "both.csv", "scored.csv", *typo).stderr
    alone = called("eval", "scored.csv", "odd.csv", *NAMES).stderr
    assert "'Note' is not one of the columns" in alone
    assert "--grade-col Note" not in alone


def test_names_of_columns_and_words_match_in_any_case_if_only_one_is_meant() -> None:
    names = ("--query-col", "such_wort", "--doc-col", "ARTIKEL NR", "--grade-col", "note")
    assert called("eval", "odd.csv", "run.json", *names, "--grade-map", "exact=3,IRRELEVANT=0").returncode == 0
    rows = [{"Doc": "a", "DOC": "b", "q": "q1", "rel": 1}]
    assert jd.read_qrels(rows, query_col="Q", doc_col="DOC").doc.tolist() == [b"b"]  # exact first
    refusal("columns", jd.read_qrels, rows, query_col="Q", doc_col="doc")
    grades = {"exact": 3, "Exact": 2}
    assert jd.read_qrels({"q": {"a": "Exact"}}, grade_map=grades).grade.tolist() == [2.0]
    refusal("grade-type", jd.read_qrels, {"q": {"a": "EXACT"}}, grade_map=grades)


def test_judges_in_one_table_have_columns_and_words_of_their_own() -> None:
    Path("sheet.csv").write_text("Wort,Ding,ann,bob\nq1,a,Ja,nein\nq1,b,nein,nein\nq2,a,ja,JA\n")
    Path("rows.csv").write_text("Wort,Ding,Note,wer\nq1,a,ja,ann\nq1,a,nein,bob\nq1,b,ja,bob\nq1,b,ja,ann\n")
    names = ("--query-col", "wort", "--doc-col", "ding", "--grade-map", "ja=1,nein=0")
    assert called("agree", "sheet.csv", "--judges", "ann,bob", *names).returncode == 0
    assert (
        called(
            "merge", "rows.csv", "--judge-col", "wer", "--grade-col", "note", *names, "--how", "max", "-o", "m.txt"
        ).returncode
        == 0
    )
    assert Path("m.txt").read_text() == "q1 0 a 1\nq1 0 b 1\n"
    wrong = called("agree", "sheet.csv", "--judges", "ann,bbo", *names)
    assert "Did you mean 'bob'?" in wrong.stderr
    unnamed = called("agree", "sheet.csv", "--judges", "ann,bob")
    assert "--query-col NAME --doc-col NAME" in unnamed.stderr


@pytest.mark.needs("pandas")
def test_a_column_is_used_in_every_table_that_has_it() -> None:
    judgments = [{"Wort": "q1", "doc": "a", "rel": 1}]
    run = [{"Wort": "q1", "doc": "a", "Punkte": 1.0}]
    assert jd.evaluate(judgments, run, "RR", query_col="Wort", score_col="Punkte").mean() == {"RR": 1.0}
    runs = {"x": {"q1": ["a"]}, "y": import_module("pandas").DataFrame(run)}
    assert jd.compare(judgments, runs, "RR", query_col="Wort", score_col="Punkte").names == ("x", "y")


@for_each("words", [
    ("eval", "bm25.jsonl", "embed.jsonl", "-m", "R@5"), ("compare", "bm25.jsonl", "embed.jsonl", "-m", "R@5"),
    ("compare", "A=bm25.jsonl", "B=embed.jsonl", "-b", "B"), ("report", "bm25.jsonl", "embed.jsonl"), ("report", "bm25.jsonl"),
    ("gate", "bm25.jsonl", "-b", "embed.jsonl", "-m", "RR", "--mode", "mean"), ("gate", "bm25.jsonl", "--save", "saved.json"),
    ("power", "bm25.jsonl", "embed.jsonl"), ("curve", "pr", "bm25.jsonl", "embed.jsonl"), ("explain", "RR", "bm25.jsonl"),
    ("convert", "bm25.jsonl", "bm25.run"), ("convert", "bm25.jsonl", "gold.qrels"),
])  # fmt: skip
def test_a_question_file_is_a_run_with_its_judgments(words: tuple[str, ...]) -> None:
    result = called(*words)
    assert result.returncode == 0, result.stderr


@pytest.mark.needs("pandas")
def test_frames_of_questions_are_taken_by_every_function() -> None:
    import pandas as pd

    a, b = (pd.DataFrame([{"question": f"q{i}", "retrieved": docs, "relevant": ["a"]} for i in range(3)])
            for docs in (["a", "b"], ["b", "a"]))  # fmt: skip
    b.at[0, "retrieved"] = ["a"]
    assert jd.compare({"a": a, "b": b}, measures="RR").names == ("a", "b")
    assert jd.power(a, b, measures="RR")["RR"].observed == 3
    assert jd.gate(a, baseline=b, measures="RR", mode="mean").passed
    assert len(jd.curve("pr", {"a": a, "b": b})) == 2
    jd.report({"a": a, "b": b}, "page.html")
    assert Path("page.html").stat().st_size > 10_000


OTHER = {"q1": {"c": 0.5}, "q2": {"d": 1.0}}  # no document of RUN: the two could be merged unnoticed


@for_each("runs", [[RUN, OTHER], (RUN, OTHER), [RUN, {"q1": ["z"]}]], ids=str)
@for_each("call", [jd.evaluate, jd.join, lambda qrels, run: jd.explain("RR", qrels, run)])
def test_several_runs_in_place_of_one_are_refused(call: Any, runs: Any) -> None:
    assert "jd.compare" in str(refusal("runs", call, QRELS, runs))


@for_each(("words", "slug"), [
    (("eval", "bm25.jsonl", "-m", "R@100tok"), "columns"), (("eval", "q", "x.run", "--roll-up", "first"), "no-document"),
    (("recommend", "x.run", "-m", "nDCG"), "measure"), (("agree", "q", "q", "--judge-col", "who"), "judges"),
    (("board", "means.json"), "values-file"), (("board", "two.json"), "values-file"), (("board", "other.json"), "values-file"),
    (("board", "x.run"), "values-file"), (("curve", "pr", "sets.jsonl"), "alternatives"),
])  # fmt: skip
def test_errors_name_no_python(words: tuple[str, ...], slug: str) -> None:
    Path("other.json").write_text('{"a": 1}')
    Path("sets.jsonl").write_text('{"question": "q1", "retrieved": ["a"], "relevant": [["a"], ["b"]]}\n')
    called("eval", "q", "x.run", "--format", "json", "-o", "means.json")
    called("eval", "q", "x.run", "run.json", "-q", "--format", "json", "-o", "two.json")
    result = called(*words)
    assert result.returncode == 2
    assert f"[{slug}]" in result.stderr
    assert not re.search(r"\bjd\.|[a-z_]=|[a-z]\(|\bevaluate\b|indices|KeyError|'values'", result.stderr), result.stderr


SHOP = "Search Term,Product SKU,Grade\nred shoe,a,1\nred shoe,b,0\nred shoe,c,2\n"
RESULTS = "Search Term,Product SKU,{}\nred shoe,c,1\nred shoe,a,2\nred shoe,b,3\n"


@pytest.mark.needs("polars")
@for_each("name", ["Rank", "Position", "POS", "place"])
def test_ranks_have_several_names_and_the_policy_says_that_they_were_used(name: str) -> None:
    import polars as pl

    Path("shop.csv").write_text(SHOP)
    Path("results.csv").write_text(RESULTS.format(name))
    result = called("eval", "shop.csv", "results.csv", "-m", "nDCG")
    assert "1.0000" in result.stdout
    assert "order by rank" in result.stdout
    values = jd.evaluate("shop.csv", pl.read_csv("results.csv"), "nDCG")
    assert values.mean()["nDCG"] == 1
    assert "order by rank" in str(values.policy)


def _workbook(name: str, *entries: str) -> None:
    with zipfile.ZipFile(name, "w") as file:
        for entry in entries:
            file.writestr(entry, "<xml/>")


@for_each("words", [("a.xlsx", "x.run"), ("q", "a.xlsx"), ("q", "a.zip"), ("q", "old.xls")], ids=" ".join)
def test_a_workbook_is_told_to_be_saved_as_csv(words: tuple[str, ...]) -> None:
    _workbook("a.xlsx", "[Content_Types].xml", "xl/workbook.xml")
    _workbook("a.zip", "run.txt")
    Path("old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    error = called("eval", *words).stderr
    assert "[format]" in error
    assert ("ZIP archive" if "a.zip" in words else "CSV") in error


@for_each("first", ["", "sep=;\n", "sep=;\r\n", '"sep=;"\n'])
def test_excel_writes_its_separator_and_decimal_commas(first: str) -> None:
    Path("excel.csv").write_text(f"{first}query;doc;score\nq1;a;0,5\nq1;b;1,25\nq2;c;12\n", newline="")
    run = jd.read_run("excel.csv")
    assert run.score.tolist() == [0.5, 1.25, 12]
    assert str(run.where(1, "score")) == f"excel.csv:{4 if first else 3}: column 3 (score)"


@for_each("scores", [("1,000", "999"), ("1,5", "1.5"), ("1,234,567", "0,5")])
def test_commas_that_may_separate_thousands_are_refused(scores: tuple[str, str]) -> None:
    Path("excel.csv").write_text("query;doc;score\nq1;a;{}\nq1;b;{}\n".format(*scores))
    refusal("score-type", jd.read_run, "excel.csv")


GOLD = '{"id":"q1","question":"Why?","relevant":["c1","c4"]}\n{"id":"q2","question":"How?","relevant":["c7"]}\n'


@for_each("field", ["contexts", "retrieved", "retrieved_chunks", "results", "documents"])
def test_relevant_and_retrieved_chunks_are_in_two_files(field: str) -> None:
    chunks = {
        "q1": [{"chunk_id": "c4", "score": 0.9}, {"chunk_id": "c2", "score": 0.5}],
        "q2": [{"chunk_id": "c7", "score": 1}],
    }
    records = [{"id": query, "question": "so?", field: found} for query, found in chunks.items()]
    Path("gold.jsonl").write_text(GOLD)
    Path("found.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert jd.evaluate("gold.jsonl", "found.jsonl", "R@5").to_dict() == {"q1": {"R@5": 1 / 2}, "q2": {"R@5": 1.0}}
    assert jd.evaluate(list(map(json.loads, GOLD.splitlines())), records, "R@5").mean() == {"R@5": 3 / 4}
    assert "0.7500" in called("eval", "gold.jsonl", "found.jsonl", "-m", "R@5").stdout
    if field not in ("results", "documents"):
        assert "[swapped]" in called("eval", "found.jsonl", "gold.jsonl").stderr


@for_each("words", [
    ("eval", "q"), ("compare", "q"), ("curve", "pr", "q"), ("power", "q"), ("report", "q"), ("gate", "q", "-m", "RR", "-b"),
], ids=" ".join)  # fmt: skip
def test_warnings_name_runs_as_tables_do(words: tuple[str, ...]) -> None:
    for folder in ("one", "two"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "x.run").write_text("q1 Q0 a 1 2 x\n")  # without q2
    result = called(*words, "one/x.run", "two/x.run")
    assert result.returncode in (0, 1), result.stderr
    lines = [line for line in (result.stdout + result.stderr).splitlines() if "[query-missing]" in line]
    assert [name in line for name, line in zip(("one/x", "two/x"), lines, strict=True)] == [True, True]


def _commands(group: Any = cli, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    ctx = click.Context(group)
    found = []
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        found += _commands(command, (*path, name)) if isinstance(command, click.Group) else [((*path, name), command)]
    return found


@for_each(("path", "command"), _commands(), ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_every_argument_has_a_line_in_the_help(path: tuple[str, ...], command: Any) -> None:
    help_text = called(*path, "--help").stdout
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    if path != ("trec_eval",):  # prints the help of trec_eval
        assert bool(arguments) == ("\nArguments:\n" in help_text)
        assert re.search(r"^  -h, --help +\S", help_text, re.MULTILINE)
    options = help_text.partition("\nOptions:\n")[2]
    assert [line for line in options.splitlines() if line.strip() and "  " not in line.strip()] == []


@for_each("coefficient", list(AGREEMENT_COEFFICIENTS), ids=lambda c: c.name)
def test_every_symbol_of_a_formula_is_defined(coefficient: Any) -> None:
    letters = set(re.findall(r"\b[A-Z](?:_[a-z])?\b|\b[a-zπ](?=\()|\b[wq]\b|Σ", coefficient.formula))
    defined = " ".join(coefficient.symbols)
    assert [letter for letter in letters if letter not in defined] == []
    shown = called("measures", coefficient.name).stdout
    assert all(f"{symbol}: " in shown for symbol in coefficient.symbols)


def _choices() -> list[tuple[str, str, str]]:
    found = []
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                found += [(name, option.opts[0], max(map(str, option.type.choices), key=len))]
    return found


@for_each(("command", "option", "choice"), _choices())
def test_a_misspelt_choice_is_answered_with_the_one_that_was_meant(command: str, option: str, choice: str) -> None:
    assert f"Did you mean {choice}?" in called(command, "q", "x.run", option, f"{choice}e").stderr
