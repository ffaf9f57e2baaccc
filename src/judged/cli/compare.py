"""`judged compare`: test which run is better."""

from __future__ import annotations

from typing import Any, get_args

import click

from judged.cli.options.command import Command, option
from judged.cli.options.comparison import comparison_options, comparison_settings
from judged.cli.options.engine import engine_options, open_engine
from judged.cli.options.inputs import (
    input_options,
    model_judgments_option,
    named_files,
    policy_options,
    split_inputs,
    weight_options,
)
from judged.cli.options.output import emit, output_options, show_warnings
from judged.cli.options.rag import chunk_options
from judged.comparison.omnibus import JOINT
from judged.comparison.tables import TableName


@click.command("compare", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@comparison_options
@weight_options
@model_judgments_option
@option("--overall", is_flag=True, group="Output", help="Add Friedman's test and a two-way ANOVA of all runs.")
@option("--jointly", type=click.Choice(list(JOINT)), group="Output", help="Add a joint test of all pairs of runs.")
@option("--where", type=click.IntRange(1), metavar="N", group="Output", help="Add the N queries that changed most.")
@option("--table", type=click.Choice(get_args(TableName)), group="Output", help="Show only this table. [default: all]")
@option("--no-intervals", is_flag=True, group="Output", help="Omit the intervals of differences.")
@output_options()
@policy_options
@engine_options
@chunk_options
@input_options
def command(qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Compare two or more RUNS, evaluated with the judgments in QRELS: all pairs, or each run with a baseline.

    The output has, for each measure, the difference of means with its interval, queries won and lost, p-value and corrected p-value, effect size, and a verdict:
    better, worse, equal or no clear difference. NAME=FILE names a run. Question files, which contain their judgments, need no QRELS.

    \b
    judged compare qrels.txt bm25.run dense.run
    judged compare qrels.txt *.run -m nDCG@10 AP --baseline bm25.run --margin 0.01
    judged compare qrels.txt a.run b.run --slices queries.csv --by category
    judged compare bm25.jsonl embed.jsonl -m R@5
    judged compare qrels.txt *.run --overall --jointly randomised-tukey
    judged compare qrels.txt *.run --format latex --table systems -o table.tex
    """
    from judged.comparison.compare import compare

    judgments, runs = split_inputs(qrels, runs, options)
    weights = {name: options[name] for name in ("weights", "weight_col", "model")}
    with open_engine(options) as (engine, opened):
        found = compare(judgments, opened(named_files(runs)), **engine, **weights, **comparison_settings(runs, options))
    if options["table"] and options["format"] == "json":  # the rows of the table, without place for warnings
        show_warnings(found.warnings)
    extra = {name: options[name] for name in ("table", "overall", "jointly")}
    emit(
        found.report(**extra, where=options["where"] or 0, intervals=not options["no_intervals"]),
        options,
        found.warnings,
    )
