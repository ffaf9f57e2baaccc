"""`judged correlate`: how alike runs, or orders of systems, are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from judged.cli.options.output import Measures, emit, show_table

__all__ = ["command"]


class _Coefficients(Measures):
    """A command whose `-c` takes one coefficient or several, as `-m` takes measures."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = ["-m" if word in ("-c", "--coefficients") else word for word in args]
        if any(word == "-m" and (i + 1 == len(words) or words[i + 1].startswith("-")) for i, word in enumerate(words)):
            raise click.BadOptionUsage("-c", "-c needs the name of a coefficient, such as -c tau_b.", ctx)
        return super().parse_args(ctx, words)


@click.command("correlate", short_help="How alike rankings are.", cls=_Coefficients)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@click.option("-c", "--coefficients", "-m", "coefficients", multiple=True, metavar="NAME...", help="Coefficients, such as tau_b 'rbo(p=0.98)' overlap@20; --list shows them.  [default: tau_b tau_ap_b rbo overlap@10; no overlap with --systems]")  # fmt: skip
@click.option("--systems", is_flag=True, help="The files hold a score for each system: lines of a system and its score, CSV, or JSON.")  # fmt: skip
@click.option("--columns", metavar="NAME,NAME", help="With --systems: one table with a header, and the columns of scores to compare.")  # fmt: skip
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Look at the first N documents of each ranking only; a tie that begins there stays whole.")  # fmt: skip
@click.option("--p", "p", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.9, show_default=True, help="The persistence of RBO, where its name has none of its own.")  # fmt: skip
@click.option("--ties", type=click.Choice(["b", "a", "w"]), default="b", show_default=True, help="Ties in RBO and overlap: corrected, so that equal rankings have 1; the mean over all orders; or at one rank.")  # fmt: skip
@click.option("--documents", type=click.Choice(["both", "union"]), default="both", show_default=True, help="Documents whose order tau and its relatives compare: those in both, or all, the missing ones tied last.")  # fmt: skip
@click.option(
    "-q",
    "--per-query",
    is_flag=True,
    help="A value for each query too, the most changed first (lowest first coefficient).",
)
@click.option("--format", "form", type=click.Choice(["table", "json", "csv", "md"]), default="table", show_default=True, help="The form of the output.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples behind intervals.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=lambda ctx, _, value: _list(ctx) if value else None, help="Show all coefficients, what they do with ties, and their papers.")  # fmt: skip
def command(runs: tuple[str, ...], coefficients: tuple[str, ...], **options: Any) -> None:
    """How alike two RUNs are, query by query, with means and their intervals over queries; of more than two, every pair.

    Equal scores are ties, and no order is made up for them. Files may be TREC, JSON, JSON Lines, CSV, Parquet, compressed or not; - is
    standard input. tau_ap takes the ranks of the first run and holds them against the second.

    \b
    judged correlate bm25.run dense.run
    judged correlate bm25.run dense.run -c tau_b spearman 'rbo(p=0.98)' 'overlap@{10,100}' -q
    judged correlate old.run new.run --depth 100 --documents union --format json
    judged correlate bm25.run dense.run tfidf.run
    judged correlate --systems map.txt ndcg.txt -c tau_b tau_ap
    judged correlate --systems scores.csv --columns map,ndcg
    """
    from judged.correlation.correlate import correlate, correlate_all

    sources = _sources(runs, options)
    asked = {name: options[name] for name in ("depth", "p", "ties", "documents", "seed")}
    wanted = list(coefficients) or None
    if len(sources) > 2:
        if options["per_query"]:
            raise click.UsageError("-q compares two runs; there are more.")
        if len(dict(sources)) < len(sources):
            raise click.UsageError("A file is named twice.")
        _show(_hinted(lambda: correlate_all(dict(sources), wanted, **asked), runs, options), options)
        return
    (a, first), (b, second) = sources
    names = (a, b) if options["systems"] else None
    result = _hinted(lambda: correlate(first, second, wanted, **asked, names=names), runs, options)
    _show(result, options)


def _sources(runs: tuple[str, ...], options: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is compared, each with its name; files of scores are read, runs are not."""
    from judged.io.system_scores import read_scores

    if runs.count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    if options["columns"] is not None:
        names = [name.strip() for name in options["columns"].split(",")]
        if not options["systems"] or len(runs) != 1 or len(set(names)) < 2 or len(set(names)) < len(names):
            raise click.UsageError("--columns names two columns or more, each once, of one file behind --systems.")
        return [(name, read_scores(runs[0], name)) for name in names]
    if len(runs) < 2:
        columns = "; of one file with several scores, --columns names them" if options["systems"] and runs else ""
        raise click.UsageError(f"Missing argument 'RUN': two files or more are compared{columns}.")
    return [(run, read_scores(run) if options["systems"] else run) for run in runs]


def _hinted(call: Callable[[], Any], runs: tuple[str, ...], options: dict[str, Any]) -> Any:
    """The result; where a file is no run but one of scores for systems, the error says how to read it."""
    from judged.errors import DataError, JudgedError
    from judged.io.system_scores import read_scores

    try:
        return call()
    except DataError as error:
        path = error.where.path if error.where else ""
        if options["systems"] or path not in runs or path == "-" or error.slug == "swapped":
            raise
        try:
            read_scores(path)
        except JudgedError:
            raise error from None
        hint = "does it hold a score for each system? then --systems"
        raise DataError(
            error.slug, error.problem, got=error.got, hint=hint, where=error.where, value=error.value
        ) from error


def _show(result: Any, options: dict[str, Any]) -> None:
    queries, form, places = options["per_query"] and result.kind == "runs", options["form"], options["places"]
    if form == "csv":
        for warning in result.warnings:
            click.echo(f"warning: {warning}", err=True)
    if form == "table" and options["output"] is None:
        if queries:
            show_table(result.per_query(places=places))
            click.echo()
        show_table(result.table(places=places))
        return
    emit(_rendered(result, form, queries, places), options["output"])
    if form == "table" and Path(options["output"]).suffix not in ("", ".txt"):
        click.echo(f"note: {options['output']} holds a table as text; --format writes json, csv or md", err=True)


def _rendered(result: Any, form: str, queries: bool, places: int) -> str:
    from judged.tables.formats.markdown import table_markdown
    from judged.tables.formats.text import table_text

    if form == "json":
        data = result.to_dict()
        for one in data.get("pairs", [data]):
            for key in () if queries else ("queries", "items", "values"):
                del one[key]
        return json.dumps(data, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return _csv(result, queries)
    drawn = table_markdown if form == "md" else table_text
    tables = [result.per_query(places=places)] if queries else []
    return "\n\n".join(map(drawn, [*tables, result.table(places=places)])) + "\n"


def _csv(result: Any, queries: bool) -> str:
    """A row for each coefficient, and for each query before it; with the names of the two where there are several pairs."""
    import csv
    import io

    from judged.errors import safe
    from judged.tables.formats.csv import cell

    pairs = getattr(result, "pairs", None)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["a", "b"] if pairs else []
    writer.writerow([*head, "coefficient", "query", "value", "low", "high", "p_value", "items"])
    for pair in pairs or (result,):
        names = [cell(safe(name)) for name in pair.names] if pairs else []
        writer.writerows([*names, *row] for row in _rows(pair, queries))
    return out.getvalue()


def _rows(result: Any, queries: bool) -> list[list[Any]]:
    from judged.errors import safe
    from judged.tables.formats.csv import cell

    rows: list[list[Any]] = []
    means = result.mean()
    for name, column in result.columns.items():
        if queries:
            each = zip(result.queries, column.tolist(), result.items.tolist(), strict=True)
            rows += [[name, cell(safe(str(query))), cell(value), "", "", "", items] for query, value, items in each]
        low, high = result.intervals[name] or ("", "")
        items = "" if result.kind == "runs" else int(result.items[0])
        rows.append([name, "all", cell(means[name]), low, high, cell(result.p_values.get(name)), items])
    return rows


def _list(ctx: click.Context) -> None:
    """Every coefficient in a paragraph of its own, as wide as the terminal but not too wide to read."""
    import shutil
    from textwrap import fill

    from judged.stats.rank_correlation.registry import COEFFICIENTS

    width = min(max(shutil.get_terminal_size().columns, 60), 100)
    for c in COEFFICIENTS:
        name = c.name + ("@k" if c.cutoff else "(p=0.9)" if c.persistence else "")
        parts = (c.text, f"ties: {c.ties}", c.paper)
        click.echo(name)
        for part in filter(None, parts):
            click.echo(fill(part, width, initial_indent="    ", subsequent_indent="      "))
    ctx.exit()
