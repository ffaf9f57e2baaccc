"""`judged correlate`: how alike two runs, or two orders of systems, are."""

from __future__ import annotations

import json
from typing import Any

import click

from judged.cli._output import Measures, emit, show_table

__all__ = ["command"]


class _Coefficients(Measures):
    """A command whose `-c` takes one coefficient or several, as `-m` takes measures."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = ["-m" if word in ("-c", "--coefficients") else word for word in args]
        if any(word == "-m" and (i + 1 == len(words) or words[i + 1].startswith("-")) for i, word in enumerate(words)):
            raise click.BadOptionUsage("-c", "-c needs the name of a coefficient, such as -c tau_b.", ctx)
        return super().parse_args(ctx, words)


@click.command("correlate", cls=_Coefficients)
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("-c", "--coefficients", "-m", "coefficients", multiple=True, metavar="NAME...", help="Coefficients, such as tau_b spearman overlap@20; --list shows them.  [default: tau_b tau_ap_b rbo overlap@10]")  # fmt: skip
@click.option("--systems", is_flag=True, help="The files hold a score for each system: lines of a system and its score, CSV, or JSON.")  # fmt: skip
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Look at the first N documents of each ranking only; a tie that begins there stays whole.")  # fmt: skip
@click.option("--p", "p", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.9, show_default=True, help="The persistence of RBO.")  # fmt: skip
@click.option("--ties", type=click.Choice(["b", "a", "w"]), default="b", show_default=True, help="Ties in RBO and overlap: corrected, so that equal rankings have 1; the mean over all orders; or at one rank.")  # fmt: skip
@click.option("--documents", type=click.Choice(["both", "union"]), default="both", show_default=True, help="Documents whose order tau and its relatives compare: those in both, or all, the missing ones tied last.")  # fmt: skip
@click.option("-q", "--per-query", is_flag=True, help="A value for each query too.")
@click.option("--format", "form", type=click.Choice(["table", "json", "csv", "md"]), default="table", show_default=True, help="The form of the output.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples behind intervals.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=lambda ctx, _, value: _list(ctx) if value else None, help="Show all coefficients, what they do with ties, and their papers.")  # fmt: skip
def command(first: str, second: str, coefficients: tuple[str, ...], **options: Any) -> None:
    """How alike two RUNs are, query by query, with means and their intervals over queries.

    Equal scores are ties, and no order is made up for them. Files may be TREC, JSON, JSON Lines, CSV, Parquet, compressed or not; - is
    standard input. tau_ap takes the ranks of the first run and holds them against the second.

    \b
    judged correlate bm25.run dense.run
    judged correlate bm25.run dense.run -c tau_b spearman rbo 'overlap@{10,100}' -q
    judged correlate old.run new.run --depth 100 --documents union --format json
    judged correlate --systems map.txt ndcg.txt -c tau_b tau_ap
    """
    from judged.engine.correlation import DEFAULT, correlate, read_scores

    if first == second == "-":
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    both: tuple[Any, Any] = (read_scores(first), read_scores(second)) if options["systems"] else (first, second)
    result = correlate(
        *both, list(coefficients) or DEFAULT, depth=options["depth"], p=options["p"], ties=options["ties"],
        documents=options["documents"], seed=options["seed"], names=(first, second) if options["systems"] else None,
    )  # fmt: skip
    shown, form, places = options["per_query"] and result.kind == "runs", options["form"], options["places"]
    if form == "csv":
        for warning in result.warnings:
            click.echo(f"warning: {warning}", err=True)
    if form == "table" and options["output"] is None:
        if shown:
            show_table(result.per_query(places=places))
            click.echo()
        show_table(result.table(places=places))
        return
    emit(_rendered(result, form, shown, places), options["output"])


def _rendered(result: Any, form: str, queries: bool, places: int) -> str:
    from judged.engine import plain
    from judged.report import markdown

    if form == "json":
        data = result.to_dict()
        kept = {key: value for key, value in data.items() if queries or key not in ("queries", "items", "values")}
        return json.dumps(kept, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return _csv(result, queries)
    drawn = markdown if form == "md" else plain
    tables = [result.per_query(places=places)] if queries else []
    return "\n\n".join(map(drawn, [*tables, result.table(places=places)])) + "\n"


def _csv(result: Any, queries: bool) -> str:
    import csv
    import io

    from judged.engine import cell, safe

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["coefficient", "query", "value", "low", "high", "p_value", "items"])
    means = result.mean()
    for name, column in result.columns.items():
        for query, value, items in (
            zip(result.queries, column.tolist(), result.items.tolist(), strict=True) if queries else ()
        ):
            writer.writerow([name, cell(safe(str(query))), cell(value), "", "", "", items])
        low, high = result.intervals[name] or ("", "")
        items = "" if result.kind == "runs" else int(result.items[0])
        writer.writerow([name, "all", cell(means[name]), low, high, cell(result.p_values.get(name)), items])
    return out.getvalue()


def _list(ctx: click.Context) -> None:
    from judged.correlation import COEFFICIENTS
    from judged.engine import Table

    rows = tuple((f"{c.name}@k" if c.cutoff else c.name, c.text, c.ties, c.paper) for c in COEFFICIENTS)
    show_table(Table(("name", "what", "ties", "paper"), rows, words=(0, 1, 2, 3)))
    ctx.exit()
