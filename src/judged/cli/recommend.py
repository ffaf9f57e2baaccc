"""`judged recommend`: measure coverage, novelty and diversity of recommendations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import (
    TableReader,
    check_stdin,
    chosen_columns,
    column_options,
    level_option,
    named_files,
)
from judged.cli.options.output import emit, output_options
from judged.tables.result import RecordTable
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.recommenders.result import BeyondAccuracy


@click.command("recommend", cls=Command)
@click.argument("files", nargs=-1, metavar="RUN... [HISTORY]")
@option(
    "--history",
    metavar="FILE",
    group="Input",
    help="Past interactions, if their content does not tell them from a run.",
)
@option(
    "--items", metavar="N|FILE", group="Input", help="Catalogue: the number of items, or a file with one id per line."
)
@option("--qrels", metavar="FILE", group="Input", help="Relevant items of each user, for Serendipity.")
@option(
    "--categories",
    metavar="FILE",
    group="Input",
    help="JSON file, {item: category or list of categories}, for Calibration.",
)
@option("--slices", metavar="FILE", group="Input", help="Table of users, for results per group; needs --by.")
@option("--by", metavar="COLUMN", group="Input", help="Column of --slices to group users by.")
@option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    group="Measures",
    help="Measures, such as Coverage 'Gini(over=recommended)@5'; see --list. [default: all that the input allows]",
)
@option(
    "-k",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    group="Measures",
    help="Number of recommendations per user.",
)
@level_option
@column_options("query", "doc", "score", "grade", "rank")
@output_options()
@option("--list", "listing", is_flag=True, group="Measures", help="List all measures with their inputs and papers.")
def command(files: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Evaluate the recommendations in RUN beyond accuracy: coverage, concentration, popularity, novelty, calibration.

    RUN has columns user, item and score; HISTORY, past interactions such as the training data, has columns user and item, and may have ratings.
    Of several files, those with scores or ranks are runs; JSON objects are too if their numbers are fractions or they come first. Several runs make
    a table with one row per run. Files may be CSV, JSON, Parquet or TREC files, compressed or not; - is standard input. Accuracy is measured by
    `judged eval QRELS RUN`, where users are queries. For measures that need vectors or similarities, use Python:
    jd.recommenders.beyond_accuracy.

    \b
    judged recommend als.csv train.csv
    judged recommend als.csv knn.csv train.csv
    judged recommend als.csv --items 9066 --history train.csv
    judged recommend als.csv -m Coverage@20 Gini --items movies.txt
    judged recommend als.csv train.csv --qrels test.csv --level 4
    judged recommend als.csv train.csv --slices users.csv --by group
    """
    from judged.recommenders.beyond_accuracy import beyond_accuracy

    if options["listing"]:
        emit(_measures(), options)
        return
    if not files:
        raise click.UsageError("Missing argument 'RUN'.")
    if (options["slices"] is None) != (options["by"] is None):
        raise click.UsageError("--slices and --by must be used together: a table of users, and its column of groups.")
    check_stdin(*(file for file in (*files, options["history"], options["qrels"]) if file is not None))
    read = TableReader(options)
    runs, past = _tell_apart(files, options, read)
    if len(runs) > 1 and options["by"] is not None:
        raise click.UsageError(f"--by needs a single run, got {len(runs)}.")
    seen, relevant = read.qrels(past), read.qrels(options["qrels"])
    read.check_used()
    level = 1 if options["level"] is None else options["level"]
    side = {
        "items": _items(options["items"]),
        "history": seen,
        "qrels": relevant,
        "categories": _categories(options["categories"]),
    }
    results = [beyond_accuracy(run, list(measures) or None, k=options["k"], level=level, **side) for run in runs]
    if len(results) > 1:
        emit(
            _one_row_per_run(results, [file for file in files if file != past]),
            options,
            [w for result in results for w in result.warnings],
        )
        return
    groups = None if options["slices"] is None else results[0].by((options["slices"], options["by"]))
    emit(results[0] if groups is None else groups, options, results[0].warnings)


def _tell_apart(files: tuple[str, ...], options: dict[str, Any], read: TableReader) -> tuple[list[Any], str | None]:
    """Return the runs, and the file of the history: the one without scores and ranks."""
    if len(files) == 1 or options["history"] is not None:
        return [read.run(file) for file in files], options["history"]
    columns = chosen_columns(options)
    found = [(file, _run_of(file, columns, first=at == 0)) for at, file in enumerate(files)]
    runs = [run if not columns else read.run(file) for file, run in found if run is not None]
    others = [file for file, run in found if run is None]
    if len(others) > 1 and runs:
        raise click.UsageError(f"{' and '.join(others)} have neither scores nor ranks; name one history.")
    return runs or [read.run(files[0])], others[-1] if others else None


def _run_of(word: str, columns: dict[str, Any], *, first: bool) -> Any:
    """Read a file as a run; None for a history: a file that cannot be a run, or one that can be both and is not the first."""
    from judged.errors import DataError
    from judged.evaluation.options import RagOptions
    from judged.io.columns import UsedColumns
    from judged.io.read import read_requested_run

    if not first and (word == "-" or {"grade_col", "grade_map"} & columns.keys()):
        return None  # standard input can be read only once; grades are those of the history
    files = named_files((word,))
    [(name, file)] = files.items() if isinstance(files, dict) else [(None, word)]
    used = UsedColumns()
    request = RagOptions.of(columns).columns.request("run")._replace(used=used)
    try:
        run = read_requested_run(file, request, name=name)
    except DataError as error:
        if error.slug in ("columns", "swapped"):
            return None
        raise
    is_table = bool(used.names)  # so it has a column of scores or ranks
    return run if first or is_table or not _may_be_history(file, run) else None


def _may_be_history(file: str, run: Any) -> bool:
    """True for JSON without names of columns, if it has lists or whole numbers."""
    from judged.errors import DataError
    from judged.io.read import read_qrels

    try:
        read_qrels(file)
    except DataError:
        return False
    return bool((run.score % 1 == 0).all())


def _one_row_per_run(results: Sequence[BeyondAccuracy], files: Sequence[str]) -> RecordTable:
    """The values of each run; if files have the same name, their folders are part of the name."""
    from judged.io.run_names import short_names

    labels = [result.name for result in results]
    names = labels if len(set(labels)) == len(labels) else short_names(files, extensions=True)
    rows = [{"run": name, **result.summary()} for name, result in zip(names, results, strict=True)]
    users = [f"{name} {counted(len(result.users), 'user')}" for name, result in zip(names, results, strict=True)]
    several = [f"warning: {name}: {w}" for name, result in zip(names, results, strict=True) for w in result.warnings]
    notes = (f"{', '.join(users)} · at most {results[0].k} recommendations each", *several)
    return RecordTable.of(rows, words=("run",), title="beyond accuracy", notes=notes)


def _items(text: str | None) -> Any:
    """The number of items, or the ids of a file with one per line."""
    if text is None or text.isdigit():
        return None if text is None else int(text)
    from judged.io.files import read_text

    return [line.strip() for line in read_text(text).splitlines() if line.strip()]


def _categories(path: str | None) -> Any:
    if path is None:
        return None
    from judged.errors import DataError
    from judged.io.files import read_text

    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(
            "json", f"not JSON: {error}", where=path, hint="write {item: category or list of categories}"
        ) from error


def _measures() -> RecordTable:
    """All measures beyond accuracy, with their input and paper."""
    from judged.recommenders.registry import BEYOND
    from judged.references import short_form

    words = ("measure", "of", "needs", "summary", "formula", "paper")
    rows = [
        (
            d.name,
            "each user" if d.of == "user" else "the run",
            ", ".join(d.needs) or "the run",
            d.summary,
            d.formula,
            short_form(d.paper),
        )
        for d in sorted(BEYOND, key=lambda d: d.of)
    ]
    return RecordTable(dict(zip(words, zip(*rows, strict=True), strict=True)), words)
