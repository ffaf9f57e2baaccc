"""`judged eval`: evaluate runs."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.engine import engine_options, open_engine
from judged.cli.options.inputs import (
    check_stdin,
    chosen_policy,
    level_option,
    measures_option,
    named_files,
    policy_options,
)
from judged.cli.options.output import emit, output_options
from judged.cli.options.progress import progress
from judged.cli.options.rag import chunk_options, field_options

__all__ = ["command"]


@click.command("eval", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@measures_option
@level_option
@option("--keep-names", is_flag=True, group="Measures", help="Print the names of measures as written, such as map.")
@option("--bounds", is_flag=True, group="Measures", help="Add the values if all unjudged documents were irrelevant, or of the top grade.")  # fmt: skip
@option("-q", "--per-query", is_flag=True, group="Output", help="Add the value of each query.")
@option("-n", "--no-summary", is_flag=True, group="Output", help="Print values per query only.")
@output_options("trec")
@option("--strict", is_flag=True, group="Policies", help="Turn every warning into an error.")
@policy_options
@engine_options
@chunk_options
@field_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Evaluate one or more RUNS with the judgments in QRELS.

    Files may be TREC, JSON, JSON Lines, CSV or Parquet, compressed or not; - is standard input. NAME=FILE names a run. QRELS may be an
    SVMlight or LETOR file, and RUNS files with one score per line. A single file contains questions with retrieved and relevant
    documents, one record per line. A directory or a quoted pattern is one partitioned run, scanned in little memory.

    \b
    judged eval qrels.txt bm25.run
    judged eval test.letor scores.txt -m nDCG@10
    judged eval qrels.txt *.run -m nDCG@10 AP 'R@{100,1000}' --format md
    judged eval rag.jsonl -m R@5 nDCG@10 R@2000tok
    judged eval qrels.parquet 'run/*.parquet' -m nDCG@10
    judged eval --engine spark --master spark://host:7077 qrels.parquet s3://bucket/run/
    """
    from dataclasses import replace

    from judged.evaluation.evaluate import DEFAULT, evaluate
    from judged.evaluation.result.evaluations import Evaluations
    from judged.io.read import read_qrels

    named = named_files(runs)
    files = list(named.values()) if isinstance(named, dict) else list(named)
    check_stdin(qrels, *files)
    judgments: Any = read_qrels(qrels) if runs else qrels
    settings = {name: options[name] for name in ("level", "bounds", "strict", "keep_names")}
    results = []
    with open_engine(options) as (engine, open_runs):
        for file, run in zip(files or [qrels], open_runs(files) or [None], strict=True):
            with progress(file) as report:
                results.append(evaluate(judgments, run, list(measures) or DEFAULT, progress=report, **settings, **engine, **chosen_policy(options)))  # fmt: skip
    if isinstance(named, dict):
        results = [replace(result, names=(result.names[0], name)) for name, result in zip(named, results, strict=True)]
    text_only = not results[0].numeric_measures
    per_query = options["per_query"] or options["no_summary"] or text_only
    result = Evaluations(tuple(results), per_query=per_query, summary=not options["no_summary"])
    emit(result, options, result.warnings)
