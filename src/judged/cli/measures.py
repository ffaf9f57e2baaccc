"""`judged measures`: the list, or all about one."""

from __future__ import annotations

import click

from judged.cli._output import show_table

__all__ = ["command"]


@click.command("measures")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List every measure; or show one's formula, parameters, other names, paper and an example."""
    from judged.engine import Table
    from judged.measures import definitions, describe, parse

    if name is not None:
        click.echo(describe(parse(name).definition))
        return
    rows = [(d.name, d.family, ", ".join([*(t.rstrip(".=:") for t in d.trec), *d.aliases]), d.description.split("\n")[0]) for d in definitions()]
    show_table(Table(("measure", "family", "also called", "what it says"), tuple(rows), left=4, notes=("judged measures NAME tells more",)))
