"""`judged demo`: evaluate the sample collection and write an HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from judged.cli.options.command import Command, option
from judged.cli.options.files import emit, write_text

MEASURES = "nDCG@10 AP RR"
COLLECTIONS = ("shop", "rag", "recommender", "lightgbm", "assessors")  # folders of the sample; each has a tutorial


@click.command("demo", cls=Command)
@click.argument("collection", metavar="[NAME]", required=False, type=click.Choice(COLLECTIONS))
@option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    show_default=True,
    group="Output",
    help="HTML page to write.",
)
@option(
    "--copy",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    group="Output",
    help="Copy the files of a collection to a folder, and do nothing else.",
)
@click.pass_context
def command(ctx: click.Context, /, collection: str | None, output: str, copy: Path | None) -> None:
    """Evaluate three runs of the sample collection, explain one query, and write an HTML page. With --copy, copy its files or those of a tutorial."""
    if copy is not None:
        _copy_files(collection, copy)
        return
    if collection is not None:
        raise click.UsageError(f"Name a folder for the files: judged demo {collection} --copy {collection}")
    from judged.comparison.compare import compare, compare_with_first
    from judged.evaluation.evaluate import evaluate
    from judged.evaluation.values import Evaluations
    from judged.io.sample import sample_path
    from judged.page.report import report

    table = {"format": "table", "output": None}
    qrels = sample_path("qrels.txt")
    runs = {name: sample_path(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    results = [evaluate(qrels, run, MEASURES) for run in runs.values()]
    emit(Evaluations(tuple(results), compare=compare_with_first), table)
    write_text("\nThe arithmetic of one query of the first run:\n\n", None)
    emit(results[0].explain("nDCG@10", "q18"), table)
    explicit = ctx.get_parameter_source("output") == click.core.ParameterSource.COMMANDLINE
    if not explicit and _is_foreign(Path(output)):
        raise click.UsageError(f"{output} exists and was not written by judged; name another file with -o.")
    queries = sample_path("queries.jsonl")
    comparison = compare(qrels, runs, f"{MEASURES} P@10 R@100", slices=queries, by="kind", min_queries=5)
    report(comparison, output, doc_texts=sample_path("documents.jsonl"), query_texts=queries)
    write_text(
        f"\nOpen {output} in a browser to see how certain the differences are, where they arise and why.\n", None
    )
    write_text(
        "`judged demo --copy .` copies its files here; then try: judged eval qrels.txt bm25.run -m nDCG@10 AP\n", None
    )


def _copy_files(collection: str | None, folder: Path) -> None:
    """Copy the sample, or one of its collections, into one folder; a file that differs stays as it is, with an error before any is written."""
    from judged.io.atomic import write_atomically
    from judged.io.sample import sample_path

    root = sample_path().parent
    sources = [root / collection] if collection else [root, root / "runs"]
    files = [path for source in sources for path in sorted(source.glob("*.*")) if path.suffix != ".md"]
    for path in files:
        target = folder / path.name
        if target.exists() and target.read_bytes() != path.read_bytes():
            raise click.UsageError(f"{target} exists and is another file; choose another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        with write_atomically(folder / path.name, "wb") as file:
            file.write(path.read_bytes())
    place = "the current folder" if str(folder) == "." else str(folder)
    write_text(f"Copied {', '.join(path.name for path in files)} to {place}.\n", None)


def _is_foreign(path: Path) -> bool:
    """True if a file exists that judged did not write."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return b'name="generator" content="judged ' not in file.read(4_000)
