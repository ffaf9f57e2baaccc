"""`judged demo`: the sample collection, no arguments."""

from __future__ import annotations

import click

from judged.cli._output import show_table

__all__ = ["command"]

MEASURES = "nDCG@10 AP RR"


@click.command("demo", short_help="Evaluate three runs on the sample collection.")
def command() -> None:
    """Evaluate three real runs on the embedded sample collection, and explain one query."""
    from judged.engine import evaluate
    from judged.render import board
    from judged.sources import sample_path

    qrels = sample_path("qrels.txt")
    runs = [sample_path(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")]
    results = [evaluate(qrels, run, MEASURES) for run in runs]
    show_table(board(results))
    click.echo("\nWhy? The arithmetic of one query under the first run:\n")
    show_table(results[0].explain("nDCG@10", "q18").table())
    click.echo(f"\nThe files are in {qrels.parent}; try: judged eval {qrels} {runs[0]} -m nDCG@10 AP")
