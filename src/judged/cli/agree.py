"""`judged agree`: measure the agreement of judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import column_options, named_files
from judged.cli.options.judges import judge_options, judge_sources
from judged.cli.options.output import emit, output_options, show_warnings, write_text
from judged.stats.agreement.choices import Interval, WeightsName


class _Command(Command):
    """A command whose `--run`, after the judgments, takes several files up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        valued = {name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts}
        table = any(word.split("=")[0] in ("--judges", "--judge-col") for word in args)
        spread: list[str] = []
        flag, judges = "", 0
        for word in args:
            is_value = word == "-" or not word.startswith("-")
            if is_value and flag in ("-r", "--run"):
                spread += ["--run", word] if spread[-1] not in ("-r", "--run") else [word]
                flag = flag if judges >= (1 if table else 2) else ""
                continue
            judges += is_value and not flag
            flag = word if word in valued and not flag else ""
            spread.append(word)
        return super().parse_args(ctx, spread)


@click.command("agree", cls=_Command)
@judge_options
@column_options("score", "rank")
@option(
    "-l",
    "--level",
    "levels",
    multiple=True,
    metavar="GRADE",
    group="Measures",
    help="Lowest relevant grade, to make grades binary; NAME=GRADE for one judge.",
)
@option(
    "-r",
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    group="Input",
    help="Runs to order by the judgments of each judge; given after the judgments.",
)
@option(
    "-m",
    "--measure",
    default="nDCG@10",
    show_default=True,
    metavar="NAME",
    group="Measures",
    help="Measure to order the runs by.",
)
@option(
    "--model-judge",
    "model",
    metavar="NAME",
    group="Measures",
    help="The judge that is a model: add its bias by grade, and with --run by system. [default: a file written by `judged judge`]",
)
@option(
    "--width",
    type=float,
    default=0.1,
    show_default=True,
    metavar="W",
    group="Statistics",
    help="Width of the interval of a mean that human judgments are planned for, with --model-judge and --run.",
)
@option(
    "-w",
    "--weights",
    type=click.Choice(get_args(WeightsName)),
    default="nominal",
    show_default=True,
    group="Measures",
    help="Weights of additional coefficients.",
)
@option(
    "--interval",
    type=click.Choice(get_args(Interval)),
    group="Statistics",
    help="Bootstrap over queries or units, or closed forms. [default: queries; units if fewer than 10 queries]",
)
@option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="SHARE",
    group="Statistics",
    help="Confidence level.",
)
@option("--seed", type=click.IntRange(0), default=0, show_default=True, group="Statistics", help="Random seed.")
@option("-q", "--by-query", is_flag=True, group="Output", help="List all queries, lowest agreement first.")
@option(
    "-d",
    "--disagreements",
    metavar="FILE",
    group="Output",
    help="Write the disagreements for an adjudicator (.csv, .tsv, .json, .jsonl), or print only these (-).",
)
@output_options()
def command(sources: tuple[str, ...], **options: Any) -> None:
    """Compute the agreement of two or more judges: kappa and related coefficients, with confidence intervals.

    Each QRELS file has the judgments of one judge; NAME=FILE names the judge. A single table can contain the judgments of all judges.

    \b
    judged agree qrels.a.txt qrels.b.txt
    judged agree human=nist.txt llm=llm.txt --level human=2 --level llm=1
    judged agree nist.txt llm.txt --level 2 --by-query
    judged agree nist.txt llm.txt --run bm25.run dense.run -m AP
    judged agree nist.txt llm=llm.txt --model-judge llm --run *.run
    judged agree sheet.csv --judges human,gpt4
    judged agree rows.csv --judge-col annotator
    judged agree a.txt b.txt --disagreements todo.csv

    `judged merge` merges the judgments into one file.
    """
    from judged.judging.agreement import agree
    from judged.judging.merge import adjudication_format

    runs, target = named_files(options["runs"]), options["disagreements"]
    run_files = runs.values() if isinstance(runs, dict) else runs
    judges, settings = judge_sources(sources, options, *run_files)
    if len(runs) == 1:
        raise click.UsageError("Ordering systems needs two or more runs: --run a.run b.run, after the judgments.")
    if target is not None:
        adjudication_format(target)
    statistics = {
        name: options[name] for name in ("weights", "measure", "model", "width", "interval", "confidence", "seed")
    }
    agreement = agree(*judges, level=_level(options["levels"]), runs=runs or None, **statistics, **settings)
    if target is not None:
        _write_disagreements(agreement, target)
    if target != "-":
        emit(replace(agreement, all_queries=options["by_query"]), options, agreement.warnings)


def _level(words: tuple[str, ...]) -> Any:
    """Return one level for all judges, or levels by name; a number without a name is for all others."""
    levels: dict[str | None, float] = {}
    for word in words:
        name, _, number = word.rpartition("=")
        try:
            levels[name or None] = float(number)
        except ValueError:
            raise click.BadParameter(f"{word!r} is neither a grade nor NAME=GRADE.", param_hint="--level") from None
    return levels.get(None) if levels.keys() <= {None} else levels


def _write_disagreements(agreement: Any, target: str) -> None:
    from judged.errors import Hint, Warned
    from judged.judging.merge import adjudication_format, adjudication_text
    from judged.tables.text import counted

    table, format = agreement.adjudication_list(), adjudication_format(target)
    write_text(adjudication_text(table, format), None if target == "-" else target)
    documents = counted(len(table), "document")
    say(f"{documents} to adjudicate: fill in the column relevance, then use judged merge --how adjudicate")
    ids = {str(i) for column in ("query_id", "doc_id") for i in table[column]}
    formulas = sum(i.startswith(("=", "+", "-", "@")) for i in ids)
    if formulas and format in ("csv", "tsv"):
        text = (
            f"{counted(formulas, 'id begins', 'ids begin')} with =, +, - or @, which a spreadsheet reads as a formula"
        )
        show_warnings([Warned("formula-id", formulas, text, Hint("import the columns as text"))])
