"""`judged agree`: how far judges agree, and several judges made into one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import click

from judged.cli.agree_disagreements import form_of, write_adjudicable
from judged.cli.options.output import emit, show_table

__all__ = ["command"]

_MERGING = ("adjudicator", "ties", "missing")  # options that only --merge heeds
# and those that it does not: they measure agreement, or show it
_SHOWING = ("levels", "weights", "by_query", "disagreements", "runs", "measure", "interval", "confidence", "seed", "form", "places")  # fmt: skip


class _Runs(click.Command):
    """A command whose `--run`, once the judgments are named, takes one run or several: up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        valued = {name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts}
        table = any(word.split("=")[0] in ("--judges", "--judge-column") for word in args)
        spread: list[str] = []
        option, judges = "", 0
        for word in args:
            is_value = word == "-" or not word.startswith("-")
            if is_value and option in ("-r", "--run"):
                spread += ["--run", word] if spread[-1] not in ("-r", "--run") else [word]
                option = option if judges >= (1 if table else 2) else ""
                continue
            judges += is_value and not option
            option = word if word in valued and not option else ""
            spread.append(word)
        return super().parse_args(ctx, spread)


@click.command("agree", short_help="How far judges agree; merge them.", cls=_Runs)
@click.argument("sources", nargs=-1, required=True, metavar="QRELS_A QRELS_B [QRELS_C]...")
@click.option(
    "-l",
    "--level",
    "levels",
    multiple=True,
    metavar="GRADE",
    help="Make grades binary first: relevant from this one up. NAME=GRADE is the level of one judge.",
)
@click.option(
    "--judges",
    metavar="NAME,NAME",
    help="Of one table, the columns of grades: --judges human,gpt4. Empty cells are missing.",
)
@click.option(
    "--judge-column", metavar="NAME", help="Of one table with a row for each judgment, the column that names its judge."
)
@click.option(
    "--rejudged",
    type=click.Choice(["error", "max", "min", "first", "last", "mean"]),
    default="error",
    show_default=True,
    help="A document that one judge judged twice with different grades.",
)
@click.option(
    "-w",
    "--weights",
    type=click.Choice(["nominal", "linear", "quadratic", "ordinal", "ratio"]),
    default="nominal",
    show_default=True,
    help="All coefficients under these weights too.",
)
@click.option("-q", "--by-query", is_flag=True, help="Agreement on each query too, the least first.")
@click.option(
    "-d",
    "--disagreements",
    metavar="FILE",
    help="Write the documents that judges disagree on, to be adjudicated: .csv, .tsv, .json, .jsonl, ids as they are;"
    " - prints them, and nothing else.",
)
@click.option(
    "-r",
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="Rankings (--run a.run b.run, behind the judgments): whether a change of judge changes their order.",
)
@click.option(
    "-m", "--measure", default="nDCG@10", show_default=True, metavar="NAME", help="By which systems are ordered."
)
@click.option(
    "--merge",
    "how",
    type=click.Choice(["majority", "mean", "median", "max", "min", "adjudicate"]),
    help="Merge the judges into one file of judgments, named by -o.",
)
@click.option("--adjudicator", metavar="QRELS", help="Who decides where judges disagree, for --merge adjudicate.")
@click.option(
    "--ties",
    type=click.Choice(["error", "lower", "higher", "first"]),
    default="error",
    show_default=True,
    help="A majority without a winner.",
)
@click.option(
    "--missing",
    type=click.Choice(["keep", "drop", "error"]),
    default="keep",
    show_default=True,
    help="Documents that not all judges judged, when merging.",
)
@click.option(
    "--interval",
    type=click.Choice(["queries", "units", "analytic"]),
    help="Draw queries again, or documents; or closed forms of independent documents.  [default: queries; of fewer than 10, units]",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="SHARE", help="Of the intervals.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "md"]),
    default="table",
    show_default=True,
    help="The form of the output.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("-p", "--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@click.pass_context
def command(ctx: click.Context, /, sources: tuple[str, ...], **options: Any) -> None:
    """How far two or more judges agree: kappa and its relatives with intervals, and what stands behind them.

    Each QRELS holds the judgments of one judge; or one table holds those of all. What both judged is compared, and how much that
    is, is said.

    \b
    judged agree qrels.a.txt qrels.b.txt
    judged agree nist.txt llm.txt --level 2 --by-query
    judged agree nist.txt llm.txt --level nist.txt=2 --level llm.txt=1
    judged agree nist.txt llm.txt --run bm25.run dense.run -m AP
    judged agree sheet.csv --judges human,gpt4
    judged agree rows.csv --judge-column annotator
    judged agree a.txt b.txt --disagreements todo.csv
    judged agree a.txt b.txt --merge adjudicate --adjudicator todo.csv -o qrels.txt
    judged agree a.txt b.txt c.txt --merge majority --ties lower -o qrels.txt
    """
    table = _of_table(options)
    if len(sources) < 2 and not table:
        raise click.UsageError(
            "Name the judgments of two judges or more; or, of one table with all judges, --judges human,gpt4 (a column of grades"
            " for each) or --judge-column annotator (a row for each judgment)."
        )
    if (*sources, *options["runs"], options["adjudicator"]).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    _refuse_ignored(ctx, merging=options["how"] is not None)
    if options["how"] is not None:
        _merge(sources, options, table)
        return
    if len(options["runs"]) == 1:
        raise click.UsageError("An order needs two runs or more: --run a.run b.run, behind the judgments.")
    if options["disagreements"] is not None:
        form_of(options["disagreements"])
    from judged.judges.agreement import agree

    found = agree(
        *sources, level=_level(options["levels"]), weights=options["weights"], confidence=options["confidence"],
        interval=options["interval"], seed=options["seed"], runs=list(options["runs"]) or None, measure=options["measure"],
        rejudged=options["rejudged"], **table,
    )  # fmt: skip
    if options["disagreements"] is not None:
        write_adjudicable(found, options["disagreements"])
        if options["disagreements"] == "-":
            return
    if options["form"] == "table" and options["output"] is None:
        click.echo("\n".join(_conclusion(found, options)))
        for shown in _tables(found, options):
            click.echo()
            show_table(shown)
        return
    emit(_text(found, options), options["output"])


def _refuse_ignored(ctx: click.Context, *, merging: bool) -> None:
    """An option that would do nothing is a misunderstanding."""
    given = click.core.ParameterSource.COMMANDLINE
    for option in ctx.command.params:
        name = option.name or ""
        if name in (_SHOWING if merging else _MERGING) and ctx.get_parameter_source(name) is given:
            flag = max(option.opts, key=len)
            if merging:
                raise click.UsageError(
                    f"{flag} does nothing with --merge, which only writes judgments: leave one of them out."
                )
            adjudicate = " adjudicate" if name == "adjudicator" else ""
            raise click.UsageError(f"{flag} belongs to --merge{adjudicate}.")


def _level(words: tuple[str, ...]) -> Any:
    """One level for all judges, or levels by name; a number beside names is for all others."""
    levels: dict[str | None, float] = {}
    for word in words:
        name, _, number = word.rpartition("=")
        try:
            levels[name or None] = float(number)
        except ValueError:
            raise click.BadParameter(f"{word!r} is neither a grade nor NAME=GRADE.", param_hint="--level") from None
    return levels.get(None) if levels.keys() <= {None} else levels


def _of_table(options: dict[str, Any]) -> dict[str, Any]:
    """How one table tells judges apart, as arguments; none where each judge has a file."""
    judges = [name.strip() for name in (options["judges"] or "").split(",") if name.strip()]
    found = {"judges": judges or None, "judge_column": options["judge_column"]}
    return {key: value for key, value in found.items() if value is not None}


def _merge(sources: tuple[str, ...], options: dict[str, Any], table: dict[str, Any]) -> None:
    from judged.io.write import write_qrels
    from judged.judges.merge import merge_judgments
    from judged.tables.text import counted

    if options["output"] is None:
        raise click.UsageError("--merge needs -o FILE, the file of judgments to be written.")
    merged = merge_judgments(*sources, how=options["how"], adjudicator=options["adjudicator"], ties=options["ties"],
                             missing=options["missing"], rejudged=options["rejudged"], **table)  # fmt: skip
    write_qrels(merged, options["output"])
    count = f"{counted(len(merged), 'judgment')} of {counted(len(merged.queries), 'query', 'queries')}"
    click.echo(f"{count} written to {options['output']}", err=True)


def _conclusion(found: Any, options: dict[str, Any]) -> list[str]:
    from judged.errors import safe

    return [safe(line) for line in found.conclusion(places=options["places"])]


def _tables(found: Any, options: dict[str, Any]) -> list[Any]:
    places = options["places"]
    if not options["by_query"]:
        return list(found.tables(places=places))
    return [*found.tables(places=places, queries=0), found.by_query.table(places=places)]


def _text(found: Any, options: dict[str, Any]) -> str:
    if options["form"] == "json":
        return f"{found.to_json()}\n"
    if options["form"] == "csv":
        for warning in found.warnings:
            click.echo(f"warning: {warning}", err=True)
        listing = found.by_query if options["by_query"] else found.listing()
        return _csv(listing.columns, listing)
    from judged.tables.formats.markdown import table_markdown
    from judged.tables.formats.text import table_text

    tables = _tables(found, options)
    if options["form"] == "table":
        return "\n\n".join(["\n".join(_conclusion(found, options)), *map(table_text, tables)]) + "\n"
    tables[0] = replace(tables[0], notes=(*_conclusion(found, options), *tables[0].notes))
    return "\n\n".join(f"**{table.title}**\n\n{table_markdown(table)}" for table in tables) + "\n"


def _csv(headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    from judged.tables.formats.csv import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(header) for header in headers])
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()
