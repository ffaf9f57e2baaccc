"""`judged measures`: the list, or all about one."""

from __future__ import annotations

import click

from judged.cli.options.output import show_table

__all__ = ["command"]


@click.command("measures", short_help="List every measure, or show one.")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List every measure; or show one's formula, parameters, other names, paper and an example."""
    from judged.measures.describe import describe
    from judged.measures.grammar import parse
    from judged.measures.registry import definitions
    from judged.tables.table import Table

    if name is not None:
        click.echo(describe(parse(name).definition))
        return
    rows = tuple((d.name, d.family, d.description.split("\n")[0]) for d in definitions())
    notes = ("judged measures NAME tells more: formula, parameters, other names, an example",)
    show_table(Table(("measure", "family", "what it says"), rows, words=(0, 1, 2), notes=notes))
