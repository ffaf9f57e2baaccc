"""`judged measures`: list all measures, or describe one."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.files import emit, output_options

_FIRST = ("nDCG", "AP", "RR", "P", "R")
_COMMON = ("ranked", "graded", "cascade", "coverage", "diversity", "own")  # families; the others are rare


@click.command("measures", cls=Command)
@click.argument("name", required=False)
@option("--all", "everything", is_flag=True, group="Measures", help="List rarely used measures too.")
@output_options()
def command(name: str | None, everything: bool, **options: Any) -> None:
    """List all measures, or describe one: intuition, formula, worked example, parameters, other names, paper.

    NAME can also be a coefficient that `judged agree` or `judged correlate` computes.
    """
    import judged.recommenders.measures  # noqa: F401 - declares measures
    from judged.measures.registry import MEASURES
    from judged.tables.result import RecordTable

    if name is not None:
        emit(_description(name), options)
        return
    known = [(d, "beyond accuracy" if d.needs == "recommendations" else d.family) for d in MEASURES.installed()]
    rows = [
        {"measure": d.name, "family": family, "meaning": d.description.split("\n")[0]}
        for d, family in known
        if everything or family in _COMMON
    ]
    order = {name: i for i, name in enumerate((*_FIRST, *_COMMON))}
    rows.sort(key=lambda row: order.get(row["measure"], order.get(row["family"], len(order))))
    hidden = len(known) - len(rows)
    more = f"{hidden} more, of sets, counts, users, preferences, passages and recommendations: judged measures --all"
    notes = (
        "judged measures NAME describes one",
        *((more,) if hidden else ()),
        "coefficients: judged agree, judged correlate",
    )
    emit(RecordTable.of(rows, words=("measure", "family", "meaning"), notes=notes), options)


def _description(name: str) -> Any:
    """Find a measure, a measure beyond accuracy or a coefficient by name."""
    from judged.evaluation.describe import describe
    from judged.measures.registry import find
    from judged.stats.agreement import AGREEMENT_COEFFICIENTS
    from judged.stats.rank_correlation import RANK_COEFFICIENTS

    plain = name.partition("@")[0].partition("(")[0]
    if find(plain) is None:
        if (agreement := AGREEMENT_COEFFICIENTS.get(plain)) is not None:
            symbols = (f"{symbol}: {text}" for symbol, text in agreement.symbols.items())
            return _coefficient(agreement, agreement.label, agreement.formula, *symbols, "judged agree computes it")
        if (rank := RANK_COEFFICIENTS.get(plain)) is not None:
            return _coefficient(rank, rank.usage, rank.text, "judged correlate computes it")
    return describe(name)


def _coefficient(declared: Any, title: str, meaning: str, *notes: str) -> Any:
    from judged.references import short_form
    from judged.tables.result import RecordTable

    record = {
        "coefficient": declared.name,
        "meaning": meaning,
        "other names": ", ".join(declared.aliases),
        "paper": short_form(declared.paper),
    }
    return RecordTable.of([record], words=tuple(record), title=title, notes=notes)
