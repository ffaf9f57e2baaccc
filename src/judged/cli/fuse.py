"""`judged fuse`: fuse runs into one, and tune the fusion."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import TableReader, check_stdin, column_options, level_option, named_files
from judged.cli.options.output import emit, show_warnings, write_text
from judged.tables.formats import FORMATS


def _weights(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Read `0.3,0.7` or `NAME=0.3,NAME=0.7`."""
    if text is None:
        return None
    pairs = [word.rpartition("=") for word in text.split(",")]
    try:
        numbers = [float(number) for _, _, number in pairs]
    except ValueError:
        numbers = []
    named = {name.strip() for name, sign, _ in pairs if sign}
    if not numbers or (named and (len(named) < len(pairs) or "" in named)):
        raise click.BadParameter(f"{text!r} is not a list such as 0.3,0.7 or bm25=0.3,dense=0.7.", ctx, parameter)
    return dict(zip((name.strip() for name, _, _ in pairs), numbers, strict=True)) if named else numbers


def _complete(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    from judged.fusion.aligned import NORMALISATIONS
    from judged.fusion.method import FUSIONS

    names = FUSIONS.names if parameter.name == "method" else NORMALISATIONS.names
    return [name for name in names if name.startswith(begun)]


@click.command("fuse", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@option("--qrels", metavar="QRELS", group="Input", help="Judgments, for --tune and for methods that are trained.")
@column_options("query", "doc", "score", "grade", "rank")
@option(
    "--method",
    metavar="NAME",
    default="rrf",
    show_default=True,
    group="Model",
    shell_complete=_complete,
    help="Method with its parameters, such as 'rrf(k=10)', mnz or wsum; see --list.",
)
@option(
    "--norm",
    metavar="NAME",
    group="Model",
    shell_complete=_complete,
    help="Normalisation of scores; see --list. [default: min-max, for methods that use scores]",
)
@option(
    "--weights",
    metavar="W,W",
    callback=_weights,
    group="Model",
    help="Weights of the runs, such as 0.3,0.7 or bm25=0.3,dense=0.7.",
)
@option(
    "--missing",
    type=click.Choice(["skip", "lowest"]),
    default="skip",
    show_default=True,
    group="Model",
    help="Score of a document that a run lacks: by the rule of the method, or its lowest of the query.",
)
@option(
    "--tune",
    is_flag=True,
    group="Model",
    help="Choose the weights or the parameter that are best by --measure, and show the cross-validated value.",
)
@option(
    "-m", "--measure", "measure", metavar="NAME", group="Measures", help="Measure that is tuned. [default: nDCG@10]"
)
@level_option
@option(
    "--depth", type=click.IntRange(1), metavar="N", group="Policies", help="Use the first N documents of each ranking."
)
@option(
    "--ties",
    type=click.Choice(["id-desc", "id-asc", "input"]),
    default="id-desc",
    show_default=True,
    group="Policies",
    help="Order of documents with equal scores.",
)
@option(
    "--duplicates",
    type=click.Choice(["error", "first", "best"]),
    default="error",
    show_default=True,
    group="Policies",
    help="Duplicate documents in a ranking.",
)
@option(
    "--order",
    type=click.Choice(["score", "rank", "input"]),
    default="score",
    show_default=True,
    group="Policies",
    help="What rankings are ordered by.",
)
@option(
    "--folds", type=click.IntRange(2), metavar="N", group="Statistics", help="Number of folds of --tune. [default: 5]"
)
@option(
    "--step",
    type=float,
    metavar="W",
    group="Statistics",
    help="Distance between the weights that --tune tries. [default: 0.1]",
)
@option("--seed", type=int, metavar="N", group="Statistics", help="Random seed of the folds. [default: 0]")
@option(
    "-o",
    "--output",
    metavar="FILE",
    group="Output",
    help="File of the fused run; the extension sets its format. [default: TREC lines on standard output; none with --tune]",
)
@option(
    "--format",
    type=click.Choice(list(FORMATS.files)),
    default="table",
    show_default=True,
    group="Output",
    help="Format of what --tune shows.",
)
@option(
    "-p",
    "--places",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    group="Output",
    help="Number of decimals.",
)
@option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, value: _list(ctx) if value else None,
    group="Output",
    help="List all methods and normalisations.",
)
def command(runs: tuple[str, ...], **options: Any) -> None:
    """Fuse RUNs into one run. It has the queries and documents of all RUNs, in the order of their fused scores.

    --tune chooses the weights or the parameter of the method on judged queries, and shows the value on queries that were held
    out. NAME=FILE names a run, and - is standard input.

    \b
    judged fuse bm25.run dense.run -o fused.run
    judged fuse bm25.run dense.run --method wsum --weights 0.3,0.7 > fused.run
    judged fuse bm25.run dense.run --method wsum --tune --qrels qrels.txt -m AP
    judged fuse bm25.run dense.run --method posfuse --qrels train.txt -o fused.run
    judged fuse --list
    """
    sources, qrels = _sources(runs, options)
    names = ("method", "norm", "missing", "depth", "ties", "duplicates", "order")
    settings = {name: options[name] for name in names if options[name] is not None}
    if options["tune"]:
        _tune(qrels, sources, settings, options)
        return
    for name in ("measure", "folds", "step", "seed"):
        if options[name] is not None:
            raise click.UsageError(f"--{name} needs --tune.")
    from judged.fusion.fuse import fuse

    level = {} if options["level"] is None else {"level": options["level"]}
    fused = fuse(sources, weights=options["weights"], qrels=qrels, **settings, **level)
    show_warnings(fused.warnings)
    _write(fused, options["output"])


def _sources(runs: tuple[str, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the runs, by name if one is named, and the judgments."""
    if len(runs) < 2:
        raise click.UsageError("Missing argument 'RUN': name two or more files.")
    files = named_files(runs)
    check_stdin(
        *(files.values() if isinstance(files, dict) else files), *([options["qrels"]] if options["qrels"] else [])
    )
    read = TableReader(options)
    sources = (
        {name: read.run(file) for name, file in files.items()}
        if isinstance(files, dict)
        else list(map(read.run, files))
    )
    qrels = read.qrels(options["qrels"])
    read.check_used()
    return sources, qrels


def _tune(qrels: Any, sources: Any, settings: dict[str, Any], options: dict[str, Any]) -> None:
    from judged.fusion.tune import tune_fusion

    if qrels is None:
        raise click.UsageError("--tune needs judgments: name them with --qrels.")
    if options["weights"] is not None:
        raise click.UsageError("--tune chooses the weights; leave out --weights.")
    given = {name: options[name] for name in ("measure", "folds", "step", "seed", "level") if options[name] is not None}
    tuned = tune_fusion(qrels, sources, **settings, **given)
    emit(tuned, {**options, "output": None}, tuned.warnings)
    if options["output"] is not None:
        _write(tuned.run, options["output"])


def _write(run: Any, output: str | None) -> None:
    """Write a run to a file, or as TREC lines to standard output."""
    if output is not None:
        from judged.errors import UsageError
        from judged.io.write import write_run

        try:
            write_run(run, output)
        except UsageError as error:
            if error.slug != "format":
                raise
            raise error.changed(
                hint="use .run, .json, .jsonl, .csv, .tsv or .parquet"
            ) from error  # --format is that of --tune
        say(f"{len(run)} rows written to {output}")
        return
    from judged.io.write import trec_lines

    write_text(trec_lines(run), None)


def _list(ctx: click.Context) -> None:
    """Print every method and normalisation, wrapped at the width of the terminal."""
    import shutil
    from textwrap import fill

    from judged.fusion.aligned import NORMALISATIONS
    from judged.fusion.method import FUSIONS
    from judged.references import short_form

    width = min(max(shutil.get_terminal_size().columns, 60), 100)
    for m in FUSIONS:
        needs = {"needed": "needs --weights", "optional": "takes --weights"}.get(m.weights, "") or (
            "needs --qrels" if m.train else ""
        )
        click.echo(f"{m.usage}" + (f"  ({needs})" if needs else ""))
        for part in filter(None, (m.text, f"a document that a run lacks: {m.missing}", short_form(m.paper))):
            click.echo(fill(part, width, initial_indent="    ", subsequent_indent="      "))
    click.echo("\nNormalisations (--norm)")
    for n in NORMALISATIONS:
        click.echo(fill(f"{n.name}: {n.text}", width, initial_indent="    ", subsequent_indent="      "))
    ctx.exit()
