"""`judged demo`: the sample collection, no arguments."""

from __future__ import annotations

from pathlib import Path

import click

from judged.cli.options.output import show_table

__all__ = ["command"]

MEASURES = "nDCG@10 AP RR"


@click.command("demo", short_help="Evaluate three runs on the sample collection; a table and a page.")
@click.option("-o", "--output", metavar="FILE", default="report.html", show_default=True, help="The page to write.")
@click.pass_context
def command(ctx: click.Context, /, output: str) -> None:
    """Evaluate three real runs on the embedded sample collection, explain one query, and write a page about all of it."""
    from judged.comparison.compare import compare
    from judged.evaluation.evaluate import evaluate
    from judged.evaluation.result.tables import board
    from judged.io.sample import sample_path
    from judged.page.report import report

    qrels = sample_path("qrels.txt")
    runs = {name: sample_path(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    results = [evaluate(qrels, run, MEASURES) for run in runs.values()]
    show_table(board(results))
    click.echo("\nWhy? The arithmetic of one query under the first run:\n")
    show_table(results[0].explain("nDCG@10", "q18").table())
    asked = ctx.get_parameter_source("output") == click.core.ParameterSource.COMMANDLINE
    if not asked and _is_foreign(Path(output)):
        raise click.UsageError(f"{output} is here already, and judged did not write it: name another file with -o.")
    queries = sample_path("queries.jsonl")
    found = compare(qrels, runs, f"{MEASURES} P@10 R@100", slices=queries, by="kind", min_queries=5)
    report(found, output, texts=sample_path("documents.jsonl"), queries=queries)
    click.echo(f"\nHow sure, where and why: open {output} in a browser.")
    click.echo(f"The files are in {qrels.parent}; try: judged eval {qrels} {runs['bm25']} -m nDCG@10 AP")


def _is_foreign(path: Path) -> bool:
    """Whether a file is there that no `judged` wrote."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return b'name="generator" content="judged ' not in file.read(4_000)
