"""`judged recommend`: measure coverage, novelty and diversity of recommendations."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.derive import options
from judged.cli.options.files import emit, named_files, output_options


@click.command("recommend", cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@options("judged.recommenders.beyond_accuracy:beyond_accuracy", "history qrels measures k level")
@option(
    "--items", metavar="N|FILE", group="Input", help="Catalogue: the number of items, or a file with one id per line."
)
@output_options()
def command(runs: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """Measure the coverage, concentration, popularity and novelty of the recommendations in RUN.

    RUN has the columns user, item and score. The history has past interactions, such as the training data, in the columns user and item; ratings
    are optional. Several runs give a table with one row per run. Files can be CSV, JSON, Parquet or TREC, plain or compressed; - is standard input. To
    measure accuracy, use `judged eval QRELS RUN`, with users as queries. For groups of users, and measures that need vectors, similarities or categories, use
    jd.recommenders.beyond_accuracy in Python.

    \b
    judged recommend als.csv --history train.csv
    judged recommend als.csv knn.csv --history train.csv
    judged recommend als.csv -m Coverage@20 Gini --items movies.txt
    judged recommend als.csv --history train.csv --qrels test.csv --level 4
    """
    from judged.io.run_names import short_names
    from judged.recommenders.beyond_accuracy import beyond_accuracy
    from judged.tables.result import RecordTable
    from judged.tables.table import counted

    files = named_files(runs)
    named = files if isinstance(files, dict) else dict(zip(short_names(files), files, strict=True))
    results = {name: beyond_accuracy(file, items=_items(options["items"]), **settings) for name, file in named.items()}
    warnings = [warning for result in results.values() for warning in result.warnings]
    if len(results) == 1:
        emit(next(iter(results.values())), options, warnings)
        return
    rows = [{"run": name, **result.summary()} for name, result in results.items()]
    users = ", ".join(f"{name} {counted(len(result.users), 'user')}" for name, result in results.items())
    several = [f"warning: {name}: {w}" for name, result in results.items() for w in result.warnings]
    notes = (f"{users} · at most {settings.get('k', 10)} recommendations each", *several)
    emit(RecordTable.of(rows, words=("run",), title="beyond accuracy", notes=notes), options, warnings)


def _items(text: str | None) -> Any:
    """The number of items, or the ids of a file with one per line."""
    if text is None or text.isdigit():
        return None if text is None else int(text)
    from judged.io.files import read_text

    return [line.strip() for line in read_text(text).splitlines() if line.strip()]
