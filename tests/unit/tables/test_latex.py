"""Every kind of result: strict JSON, a row for each record, and LaTeX that compiles, all of them in one document."""

import csv
import importlib
import io
import json
import os
import pkgutil
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from commands import run

import judged as jd
from judged.comparison.tables import TableName
from judged.compat import ranx
from judged.correlation.correlate import correlate_all
from judged.evaluation.describe import MeasureDescription
from judged.evaluation.explain import Explanations
from judged.evaluation.values import Evaluations
from judged.judging.todo import Judgment, Judgments, Todo, TodoItem
from judged.measures.registry import MEASURES
from judged.recommenders.measures import BEYOND
from judged.tables.result import RecordTable, Result

pytestmark = pytest.mark.slow

QRELS, BM25, TFIDF, DENSE, FIRST, SECOND = (
    str(jd.sample_path(name))
    for name in ("qrels.txt", "runs/bm25.run", "runs/tfidf.run", "runs/dense.run", "qrels.a.txt", "qrels.b.txt")
)
NASTY = r"a_b & 50% \ #1 {x} $y^2$ ~ <a|b> “…·–≤≥→é” [*] -1"
RUNS = {"bm25": BM25, NASTY: TFIDF, "dense": DENSE}


@cache
def every_result() -> list[Result]:
    values = [jd.evaluate(QRELS, path, "nDCG@10 AP NumRet", bounds=True) for path in RUNS.values()]
    compared = jd.compare(QRELS, RUNS, "nDCG@10 AP", slices=jd.sample_path("queries.jsonl"), by="kind", min_queries=5)
    stream = jd.Evaluator("nDCG@10 AP")
    stream.update([[1, 0, 1]], [[3, 2, 1]])
    log = [
        (i, "q01", doc, rank, i % (rank + 1) == 0) for i in range(40) for rank, doc in enumerate(("d163", "d197"), 1)
    ]
    lists = jd.clicks.interleave(BM25, DENSE, k=3)
    agreed = jd.agree({"a": FIRST, NASTY: SECOND}, runs=RUNS)
    nasty = jd.evaluate({NASTY: {NASTY: 2, "[": 1}}, {NASTY: {"*": 3, NASTY: 2, "[": 1}}, "AP nDCG@2")
    return [
        *values, nasty, Evaluations(tuple(values), per_query=True), stream.result(),
        nasty.explain("nDCG@2", NASTY), Explanations((jd.explain("RBP", QRELS, BM25),)),
        jd.conventions("nDCG@10", QRELS, BM25, to="0.4"),
        jd.compare(QRELS, {**RUNS, "copy": BM25}, "nDCG@10", baseline="bm25"),
        compared, compared.report(where=3),
        *(compared.report(table=name) for name in get_args(TableName)),
        jd.leaderboard({"one": compared, "two": compared}), jd.power(QRELS, BM25, DENSE, "nDCG@10 AP"),
        jd.variance(QRELS, {"A": [BM25, DENSE], "B": [DENSE, BM25]}, "AP"),
        jd.gate(QRELS, DENSE, baseline=BM25, min={"AP": 0.2}),
        jd.tune_fusion(QRELS, RUNS, "wsum", "nDCG@10"), ranx.compare(ranx.Qrels({"q": {"d": 1}}), [ranx.Run({"q": {"d": 1.0}}, name=name) for name in (NASTY, "b")], ["map"]),
        jd.pool(RUNS, depth=3, n=5), compared.next_to_judge(3), jd.pool_bias(QRELS, RUNS),
        Todo((TodoItem(NASTY, NASTY, 1, (NASTY,), reason=NASTY),), notes=(NASTY,)), Judgments((Judgment(NASTY, NASTY, 2.0), Judgment("q", "d", None)), (NASTY,)),
        agreed, agreed.order, jd.correlate(BM25, DENSE), correlate_all(RUNS),
        jd.curve("ipr", QRELS, RUNS), jd.curve("at-k", QRELS, RUNS), jd.curves.classify([1, 1, 0, 0], scores=[0.9, 0.4, 0.6, 0.1], threshold=0.5),
        jd.recommenders.beyond_accuracy(BM25, items=2000), jd.recommenders.gauc(QRELS, BM25),
        jd.clicks.fit_clicks(log, "pbm"),
        jd.clicks.evaluate_from_clicks(log, DENSE, "P@3", propensity=[1, 0.5, 0.3]), lists,
        jd.clicks.score_interleaving(lists, [("s", query, doc, rank, rank == 1) for query, docs in lists.lists().items()
                                             for rank, doc in enumerate(docs, 1)][:3]),
        jd.cite("nDCG@10 t Success"), RecordTable.of([{"name": NASTY, "value": -0.5}], words=("name",)),
        *map(MeasureDescription, MEASURES), *map(MeasureDescription, BEYOND),
    ]  # fmt: skip


def test_every_kind_of_result_is_here():
    for module in pkgutil.walk_packages(jd.__path__, "judged."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds, left = set(), [Result]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        kinds |= {kind.__name__} if "tables" in vars(kind) and kind is not Result else set()
    made = {base.__name__ for result in every_result() for base in type(result).__mro__}
    assert kinds - made == set()


@pytest.mark.needs("pandas", "polars")
def test_every_result_has_strict_json_frames_and_a_row_for_each_record():
    for result in every_result():
        json.loads(result.to_json(), parse_constant=pytest.fail)
        records = result.records()
        assert len(list(csv.DictReader(io.StringIO(result.to_csv())))) == len(records)
        assert len(result.to_pandas()) == len(result.to_polars())


@pytest.mark.needs("latex")
def test_every_result_compiles(tmp_path):
    commands = [
        run("eval", QRELS, BM25, DENSE, "--format", "latex", "-q"),
        run("compare", QRELS, BM25, TFIDF, DENSE, "--format", "latex", "--where", "3"),
        run("explain", "nDCG@10 AP", QRELS, BM25, "--format", "latex"),
    ]
    bodies = [*commands, *(result.to_latex() for result in every_result())]
    packages = sorted(
        {name for body in bodies for name in re.findall(r"^% (\\usepackage\{\w+\})$", body, re.MULTILINE)}
    )
    sections = (
        body for number, text in enumerate(bodies) for body in (rf"\message{{result {number}}}", text, r"\clearpage")
    )
    document = "\n".join([r"\documentclass{article}", *packages, r"\begin{document}", *sections, r"\end{document}"])
    Path(tmp_path, "results.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "results.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, env={**os.environ, "max_print_line": "1000"}, check=False
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-1500:]
    assert Path(tmp_path, "results.pdf").stat().st_size > 10_000
