"""`judged fuse`: fuse runs into one, and tune the fusion."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import NumberList, options
from judged.cli.options.files import emit, named_files, output_options, show_warnings, write_text


@click.command("fuse", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@options("fuse", "qrels method norm level depth")
@option(
    "--weights",
    type=NumberList("0.3,0.7 or bm25=0.3,dense=0.7"),
    metavar="W,W",
    group="Model",
    help="Weights of the runs, such as 0.3,0.7 or bm25=0.3,dense=0.7.",
)
@option(
    "--tune",
    is_flag=True,
    group="Model",
    help="Tune the weights or the parameter for --measure, and show the cross-validated value.",
)
@option("-m", "--measure", metavar="NAME", group="Measures", help="Measure to tune for. [default: nDCG@10]")
@output_options()
def command(runs: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """Fuse RUNs into one run with all their queries and documents, ordered by fused score.

    --tune chooses the weights or the parameter of the method on judged queries, and shows the value on held-out
    queries. Use NAME=FILE to name a run, and - for standard input.

    \b
    judged fuse bm25.run dense.run -o fused.run
    judged fuse bm25.run dense.run --method wsum --weights 0.3,0.7 > fused.run
    judged fuse bm25.run dense.run --method wsum --tune --qrels qrels.txt -m AP
    judged fuse bm25.run dense.run --method posfuse --qrels train.txt -o fused.run
    """
    from judged.fusion.fuse import fuse, tune_fusion

    if not options["tune"]:
        if options["measure"]:
            raise click.UsageError("--measure needs --tune.")
        fused = fuse(named_files(runs), weights=options["weights"], **settings)
        show_warnings(fused.warnings)
        _write(fused, options["output"])
        return
    if "qrels" not in settings:
        raise click.UsageError("--tune needs judgments: name them with --qrels.")
    if options["weights"] is not None:
        raise click.UsageError("--tune chooses the weights; leave out --weights.")
    tuned = tune_fusion(runs=named_files(runs), **settings, measure=options["measure"] or "nDCG@10")
    emit(tuned, {**options, "output": None}, tuned.warnings)
    if options["output"] is not None:
        _write(tuned.run, options["output"])


def _write(run: Any, output: str | None) -> None:
    """Write a run to a file, or as TREC lines to standard output."""
    if output is not None:
        from judged.io.write import write_run

        write_run(run, output)
        say(f"{len(run.query)} rows written to {output}")
        return
    from judged.io.write import trec_lines

    write_text(trec_lines(run), None)
