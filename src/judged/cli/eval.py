"""`judged eval`: evaluate runs."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.engine import engine_options, open_engine
from judged.cli.options.inputs import (
    chosen_policy,
    cluster_options,
    input_options,
    level_option,
    measures_option,
    model_judgments_option,
    named_files,
    policy_options,
    split_inputs,
    weight_options,
)
from judged.cli.options.output import emit, output_options
from judged.cli.options.rag import chunk_options


@click.command("eval", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@measures_option
@level_option
@option("--keep-names", is_flag=True, group="Measures", help="Print the names of measures as written, such as map.")
@option(
    "--bounds",
    is_flag=True,
    group="Measures",
    help="Add the values as if all unjudged documents were irrelevant, and as if they had the top grade.",
)
@weight_options
@cluster_options
@model_judgments_option
@option("-q", "--per-query", is_flag=True, group="Output", help="Add the value of each query.")
@option("-n", "--no-summary", is_flag=True, group="Output", help="Print only the values per query.")
@output_options("trec")
@option("--strict", is_flag=True, group="Policies", help="Turn every warning into an error.")
@policy_options
@engine_options
@chunk_options
@input_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Evaluate one or more RUNS with the judgments in QRELS.

    Files may be TREC, JSON, JSON Lines, CSV, TSV, Parquet or Arrow, compressed or not; - is standard input. NAME=FILE names a run. QRELS may be an
    SVMlight or LETOR file, and RUNS files with one score per line. Question files, which contain questions with retrieved and relevant
    documents, one record per line, need no QRELS. A directory or a quoted pattern is one partitioned run, scanned with little memory.

    \b
    judged eval qrels.txt bm25.run
    judged eval test.letor scores.txt -m nDCG@10
    judged eval qrels.txt *.run -m nDCG@10 AP 'R@{100,1000}' --format md
    judged eval ratings.csv run.csv --query-col "Search Term" --grade-map Exact=3
    judged eval rag.jsonl -m R@5 nDCG@10 R@2000tok
    judged eval qrels.parquet 'run/*.parquet' -m nDCG@10
    judged eval --engine spark --master yarn qrels.parquet s3://bucket/run/
    """
    from dataclasses import replace

    from judged.evaluation.evaluate import DEFAULT, evaluate
    from judged.evaluation.evaluations import Evaluations

    judgments, runs = split_inputs(qrels, runs, options, least=0)
    named = named_files(runs or (qrels,))
    files = list(named.values()) if isinstance(named, dict) else list(named)
    names = ("level", "bounds", "weights", "weight_col", "clusters", "cluster_col", "model", "strict", "keep_names")
    settings = {name: options[name] for name in names}
    with open_engine(options) as (engine, open_runs):
        policy = {**engine, **chosen_policy(options)}
        opened, policy, settings["model"] = _open(
            judgments if runs else None, open_runs(files), policy, settings["model"]
        )
        results = [evaluate(source, run, list(measures) or DEFAULT, **settings, **policy) for source, run in opened]
    if isinstance(named, dict):
        results = [replace(result, names=(result.names[0], name)) for name, result in zip(named, results, strict=True)]
    text_only = not results[0].numeric_measures
    per_query = options["per_query"] or options["no_summary"] or text_only
    result = Evaluations(tuple(results), per_query, not options["no_summary"], _compare_with_first)
    if per_query and result.summary and options["format"] in ("csv", "trec"):
        _check_all(result)
    emit(result, options, result.warnings)


def _check_all(result: Any) -> None:
    """Raise for a query called `all`: its rows look like those of the means."""
    from judged.errors import Hint, UsageError

    if any(query == "all" for values in result.results for query in values.queries):
        problem, hint = (
            "the rows of the query 'all' look like those of the means",
            "leave out the means with {no_summary}",
        )
        raise UsageError("query-all", problem, hint=Hint(hint, no_summary=True), value="all")


def _compare_with_first(results: Any, names: Any) -> Any:
    from judged.comparison.compare import compare_with_first

    return compare_with_first(results, names)


def _open(
    qrels: Any, runs: list[Any], options: dict[str, Any], model: Any
) -> tuple[list[tuple[Any, Any]], dict[str, Any], Any]:
    """Return each run with its judgments, the options that are left, and the judgments of the model.

    Runs are opened one at a time, when they are evaluated, unless their columns, judgments or names depend on each other.
    """
    from judged.evaluation.inputs import open_named
    from judged.evaluation.options import INPUT_OPTIONS
    from judged.io.read import read_qrels

    files = [run.rpartition("/")[2] for run in runs if isinstance(run, str)]
    distinct = len(set(files)) == len(files)
    if qrels is not None and distinct and not any(name in options for name in INPUT_OPTIONS):
        judgments = read_qrels(qrels)
        return [(judgments, run) for run in runs], options, None if model is None else read_qrels(model)
    inputs = open_named(qrels, [(None, run) for run in runs], options, model)
    return [(inputs.qrels, run) for _, run in inputs.runs], inputs.options, inputs.model
