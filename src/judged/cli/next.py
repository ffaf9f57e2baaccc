"""`judged next`: list the unjudged documents that should be judged next."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.comparison import statistics_options
from judged.cli.options.inputs import (
    chosen_policy,
    input_options,
    level_option,
    measures_option,
    named_files,
    policy_options,
    split_inputs,
)
from judged.cli.options.output import output_options
from judged.cli.pool import save_or_emit


@click.command("next", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@option(
    "-n",
    "n",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    group="Output",
    help="Number of documents.",
)
@option(
    "--strategy",
    metavar="NAME",
    default="depth",
    show_default=True,
    group="Policies",
    help="Order: depth (best rank first), bounds (what can move the difference most), expected, move-to-front, random.",
)
@option(
    "--search-depth",
    type=click.IntRange(1),
    metavar="N",
    group="Policies",
    help="Ranks to search. [default: the cutoff of the measure, or 100]",
)
@measures_option
@level_option
@statistics_options()
@policy_options
@input_options
@output_options(places=False)
def command(qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """List the unjudged documents of RUNs that should be judged next, and say whether any can change the verdict.

    The first measure counts. A file that ends in .jsonl is the input of `judged label` and `judged judge`.

    \b
    judged next qrels.txt bm25.run dense.run -n 50
    judged next qrels.txt *.run -m nDCG@10 --strategy expected -o todo.jsonl
    """
    from judged.comparison.compare import compare

    judgments, files = split_inputs(qrels, runs, options, 2)
    settings = {name: options[name] for name in ("test", "correction", "alpha", "margin", "resamples", "seed", "level")}
    measures = list(options["measures"]) or ["nDCG@10"]
    board = compare(judgments, named_files(files), measures, **settings, **chosen_policy(options))
    todo = board.next_to_judge(
        options["n"], strategy=options["strategy"], depth=options["search_depth"], seed=options["seed"]
    )
    save_or_emit(todo, options)
