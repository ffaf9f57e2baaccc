"""`judged eval`: evaluate runs."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.derive import CHUNKS, EVALUATION, QUESTIONS, options
from judged.cli.options.files import chosen_format, emit, evaluate_files, output_options

_MORE = "tag order empty duplicates rejudged strict weights clusters model engine"


@click.command("eval", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@options("evaluate", f"{EVALUATION} {QUESTIONS} {CHUNKS} {_MORE}")
@option("-q", "--per-query", is_flag=True, group="Output", help="Add the value of each query.")
@option(
    "--worst",
    type=click.IntRange(1),
    metavar="N",
    group="Output",
    help="Add the N queries with the worst values of the first measure.",
)
@output_options("trec")
def command(qrels: str, runs: tuple[str, ...], settings: dict[str, Any], **shown: Any) -> None:
    """Evaluate one or more RUNS with the judgments in QRELS.

    Files can be TREC, JSON, JSON Lines, CSV, TSV, Parquet or Arrow, plain or compressed. Use - for standard input, and NAME=FILE to name a run.
    QRELS can also be an SVMlight or LETOR file, with one score per line in RUNS. A question file has one record per question, with its
    retrieved and relevant documents, and needs no QRELS. A directory or a quoted pattern is one partitioned run, scanned with little memory.

    \b
    judged eval qrels.txt bm25.run
    judged eval qrels.txt *.run -m nDCG@10 AP 'R@{100,1000}'
    judged eval test.letor scores.txt -m nDCG@10 --format md
    judged eval ratings.csv run.csv --query-col "Search Term" --grade-map Exact=3
    judged eval rag.jsonl -m R@5 nDCG@10 R@2000tok
    judged eval qrels.txt bm25.run -m nDCG@10 --worst 10
    judged eval qrels.parquet 'run/*.parquet' -m nDCG@10
    judged eval --engine spark:yarn qrels.parquet /shared/run/
    """
    from judged.evaluation.values import Evaluations

    results = evaluate_files(qrels, runs, settings)
    per_query = shown["per_query"] or not results[0].numeric_measures
    worst = shown["worst"] or 0
    result = Evaluations(tuple(results), per_query, compare=_compare_with_first, worst=worst)
    if (per_query or worst) and chosen_format(shown) in ("csv", "trec"):
        _check_all(result)
    emit(result, shown, (warning for one in results for warning in one.warnings))


def _check_all(result: Any) -> None:
    """Raise for a query called `all`: its rows look like those of the means."""
    from judged.errors import Hint, UsageError

    if any(query == "all" for values in result.results for query in values.queries):
        problem = "the rows of the query 'all' look like those of the means"
        raise UsageError("query-all", problem, hint=Hint("use {format}", format="json"), value="all")


def _compare_with_first(results: Any, names: Any) -> Any:
    from judged.comparison.compare import compare_with_first

    return compare_with_first(results, names)
