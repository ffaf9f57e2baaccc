"""`judged recommend`: what recommendations are worth beyond accuracy."""

from __future__ import annotations

import json
from typing import Any

import click

from judged.cli.options.output import emit, output_options, show_table

__all__ = ["command"]


@click.command("recommend", short_help="Coverage, novelty, diversity … of recommendations.")
@click.argument("run", required=False)
@click.option("-m", "--measures", "measures", multiple=True, metavar="NAME", help="A measure, such as 'Gini(over=recommended)@5' (may be repeated); --list shows them.  [default: all for which there is what they need]")  # fmt: skip
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Recommendations of each user that count.")  # fmt: skip
@click.option("--history", metavar="FILE", help="Interactions from before: users and items, as CSV, JSON, Parquet or judgments.")  # fmt: skip
@click.option("--items", metavar="N|FILE", help="The catalogue: how many items, or a file with one id a line.")
@click.option("--qrels", metavar="FILE", help="What is relevant to whom, for Serendipity.")
@click.option("--level", type=click.FloatRange(0), default=1, show_default=True, help="With --qrels: the lowest grade that counts as relevant.")  # fmt: skip
@click.option("--categories", metavar="FILE", help="JSON, {item: category, or a list of them}, for Calibration.")
@click.option("--slices", metavar="FILE", help="A table of users, to show groups of them; --by names its column.")
@click.option("--by", metavar="COLUMN", help="With --slices: the column of groups.")
@output_options("table", "json", "csv", "md")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=lambda ctx, _, value: _list(ctx) if value else None, help="Show all measures, what they need, and their papers.")  # fmt: skip
def command(run: str | None, measures: tuple[str, ...], **options: Any) -> None:
    """What the recommendations in RUN are worth beyond accuracy: how they spread over items, how novel and how calibrated they are.

    How good they are is `judged eval QRELS RUN`; users are its queries. RUN may be TREC, JSON, CSV, Parquet, compressed or not; - is
    standard input. Measures of vectors and similarities are in Python: jd.recommenders.beyond_accuracy.

    \b
    judged recommend als.csv --items 9066 --history train.csv
    judged recommend als.csv -m Coverage@20 -m 'ExposureGini(discount=geometric)' --items movies.txt
    judged recommend als.csv --history train.csv --qrels test.csv --level 4 --categories genres.json
    judged recommend als.csv --history train.csv --slices users.csv --by group
    """
    from judged.recommenders.beyond_accuracy import beyond_accuracy

    if run is None:
        raise click.UsageError("Missing argument 'RUN'.")
    if (options["slices"] is None) != (options["by"] is None):
        raise click.UsageError("--slices and --by belong together: a table of users, and its column of groups.")
    given = {name: options[name] for name in ("k", "history", "qrels", "level")}
    found = beyond_accuracy(run, list(measures) or None, items=_items(options["items"]), categories=_categories(options["categories"]), **given)  # fmt: skip
    result: Any = found if options["slices"] is None else found.by((options["slices"], options["by"]))
    _show(result, found.warnings, options)


def _items(text: str | None) -> Any:
    """A number; or the ids of a file, one a line."""
    if text is None or text.isdigit():
        return None if text is None else int(text)
    from judged.io.files.source import read_text

    return [line.strip() for line in read_text(text).splitlines() if line.strip()]


def _categories(path: str | None) -> Any:
    if path is None:
        return None
    from judged.errors import DataError
    from judged.io.files.source import read_text

    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise DataError("json", "JSON, {item: category, or a list of them}", got=f"something else ({error})", where=path) from error  # fmt: skip


def _show(result: Any, warnings: Any, options: dict[str, Any]) -> None:
    form, places = options["form"], options["places"]
    table = result.table(places=places)
    if form == "table" and options["output"] is None:
        show_table(table)
        return
    if form in ("csv", "json"):
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
    emit(_rendered(result, table, form), options["output"])


def _rendered(result: Any, table: Any, form: str) -> str:
    from judged.tables.formats.markdown import table_markdown
    from judged.tables.formats.text import table_text

    if form == "json":
        return str(result.to_json()) + "\n"
    if form == "csv":
        return _csv(result.listing() if hasattr(result, "listing") else result)
    return (table_markdown if form == "md" else table_text)(table) + "\n"


def _csv(listing: Any) -> str:
    import csv
    import io

    from judged.tables.formats.csv import cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(listing.columns)
    writer.writerows([cell(value) for value in row] for row in listing)
    return text.getvalue()


def _list(ctx: click.Context) -> None:
    """Every measure in a paragraph of its own."""
    from judged.recommenders.registry import declared

    for d in declared():
        needs = ", ".join(d.needs) or "nothing more"
        click.echo(f"{d.name}  ({'of each user' if d.of == 'user' else 'of the run'}; needs {needs})")
        for line in (d.description.partition("\n")[0], d.formula, d.paper):
            click.echo(f"    {line}")
    ctx.exit()
