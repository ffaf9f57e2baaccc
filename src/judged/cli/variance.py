"""`judged variance`: variance from queries, judges and replicates."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import chosen_policy, input_options, level_option, measures_option, policy_options
from judged.cli.options.output import emit, output_options


def _pairs(words: tuple[str, ...], what: str) -> list[tuple[str, str]]:
    pairs = [word.partition("=") for word in words]
    if unnamed := [word for word, sign, _ in pairs if not sign]:
        raise click.UsageError(f"{what} {unnamed[0]!r} has no name; write NAME={unnamed[0]}.")
    return [(name, file) for name, _, file in pairs]


@click.command("variance", cls=Command)
@click.argument("inputs", nargs=-1, required=True, metavar="[QRELS] NAME=RUN...")
@option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME=QRELS",
    group="Input",
    help="Judgments of one judge; repeat it for each, and leave out QRELS.",
)
@measures_option
@level_option
@option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    group="Statistics",
    help="Significance level.",
)
@output_options()
@policy_options
@input_options
def command(inputs: tuple[str, ...], judges: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Compare systems that have several runs each (seeds), and show how much queries, seeds and judges vary.

    Runs with the same NAME are replicates of one system. The default measure is nDCG@10.

    \b
    judged variance qrels.txt A=a1.run A=a2.run B=b1.run B=b2.run
    judged variance --judge ann=ann.txt --judge bob=bob.txt A=a.run B=b.run
    """
    from judged.comparison.variance import variance

    qrels, runs = (None, inputs) if judges else (inputs[0], inputs[1:])
    groups: dict[str, list[str]] = {}
    for name, file in _pairs(runs, "Run"):
        groups.setdefault(name, []).append(file)
    by_judge = dict(_pairs(judges, "Judge")) or None
    settings = {"alpha": options["alpha"], "level": options["level"], **chosen_policy(options)}
    result = variance(qrels, groups, list(measures) or "nDCG@10", judges=by_judge, **settings)
    emit(result, options, result.warnings)
