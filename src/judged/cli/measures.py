"""`judged measures`: list all measures, or describe one."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.output import emit, output_options

__all__ = ["command"]


@click.command("measures", cls=Command, short_help="List all measures, or describe one.")
@click.argument("name", required=False)
@output_options(places=False)
def command(name: str | None, **options: Any) -> None:
    """List all measures; or describe one: intuition, formula, worked example, parameters, other names, paper."""
    from judged.evaluation.explain.describe import MeasureDescription
    from judged.measures.grammar import parse
    from judged.measures.registry import MEASURES
    from judged.tables.result import RecordTable

    beyond = _beyond_accuracy()
    if name is not None:
        other = beyond.get(name.partition("@")[0].casefold())
        emit(MeasureDescription(parse(name).definition if other is None else other), options)
        return
    rows = [{"measure": d.name, "family": d.family, "meaning": d.description.split("\n")[0]} for d in MEASURES]
    rows += [
        {"measure": d.name, "family": "beyond accuracy", "meaning": d.description.split("\n")[0]}
        for d in dict.fromkeys(beyond.values())
        if d.name not in MEASURES.names
    ]
    notes = ("judged measures NAME describes one", "measures beyond accuracy: judged recommend, jd.recommenders")
    emit(RecordTable.of(rows, words=("measure", "family", "meaning"), notes=notes), options)


def _beyond_accuracy() -> dict[str, Any]:
    """Measures of recommendations, which `judged recommend` computes, by their names in lower case."""
    from judged.recommenders import registry

    declared = getattr(registry, "BEYOND", None) or registry.declared()
    return {known.casefold(): d for d in declared for known in (d.name, *d.aliases)}
