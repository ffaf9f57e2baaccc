"""`judged judge`: ask a language model for grades."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.output import emit, write_text


def _prices(ctx: click.Context, parameter: click.Parameter, word: str | None) -> tuple[float, float] | None:
    if word is None:
        return None
    try:
        read, written = map(float, word.split(","))
    except ValueError:
        raise click.BadParameter(f"{word!r} is not two numbers such as 2.5,10.", ctx, parameter) from None
    return read, written


@click.command("judge", cls=Command)
@click.argument("todo")
@option(
    "--doc-texts",
    required=True,
    metavar="FILE",
    group="Input",
    help="Texts of documents: JSON Lines, TSV, CSV, Parquet or a BEIR folder.",
)
@option("--query-texts", metavar="FILE", group="Input", help="Texts of queries. [default: the ids are the texts]")
@option(
    "--url",
    required=True,
    metavar="URL",
    group="Model",
    help="Address of an OpenAI-compatible API, such as http://localhost:8080/v1.",
)
@option("--model", required=True, metavar="NAME", group="Model", help="Name of the model.")
@option(
    "--prompt",
    default="umbrela",
    show_default=True,
    metavar="NAME|FILE",
    group="Input",
    help="Prompt: umbrela, brief, or a file with {query}, {document} and {scale}.",
)
@option(
    "--scale",
    default="graded",
    show_default=True,
    metavar="NAME|FILE",
    group="Input",
    help="Grades: graded (0 to 3), binary, or a JSON file of {number: name}.",
)
@option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    group="Model",
    help="Answers per document; the most frequent grade counts.",
)
@option(
    "--temperature",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    group="Model",
    help="Temperature of the model.",
)
@option(
    "--concurrency",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    metavar="N",
    group="Model",
    help="Number of concurrent requests.",
)
@option(
    "--retries",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    group="Model",
    help="Number of retries after a timeout or a 429 or 5xx response.",
)
@option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    group="Model",
    help="Timeout of a request.",
)
@option(
    "--cache",
    metavar="FILE",
    group="Output",
    help="SQLite file of answers, from which an interrupted run continues. [default: the output with .sqlite]",
)
@option("--skip-missing", is_flag=True, group="Input", help="Leave out documents and queries without a text.")
@option(
    "--prices",
    callback=_prices,
    metavar="READ,WRITTEN",
    group="Model",
    help="Prices per million input and output tokens, to report the cost.",
)
@option(
    "--dry-run",
    is_flag=True,
    group="Output",
    help="Print the first prompts and estimate the tokens, without asking the model.",
)
@option("-o", "--output", metavar="FILE", group="Output", help="File of judgments, JSON Lines.")
def command(todo: str, **options: Any) -> None:
    """Ask a language model to grade the documents of TODO, and write its judgments.

    The API key is read from the environment variable JUDGED_API_KEY or OPENAI_API_KEY. Answers that are not exactly one grade are counted as no
    answer. Compare the grades with those of people (`judged agree`) before you rely on them.

    \b
    judged judge todo.jsonl --doc-texts corpus.jsonl --query-texts queries.jsonl \\
      --url http://localhost:8080/v1 --model NAME -o llm.jsonl
    judged judge todo.jsonl --doc-texts corpus.jsonl --url URL --model M --dry-run
    """
    from judged.judging.model_judge import model_judge

    output = options["output"]
    if output is None and not options["dry_run"]:
        raise click.UsageError("Missing option '-o': name the file of judgments, or use --dry-run.")
    cache = options["cache"] or (None if output is None else f"{output}.sqlite")
    chosen = ("model", "prompt", "scale", "repeat", "temperature", "retries", "timeout")
    judge = model_judge(options["url"], **{name: options[name] for name in chosen}, cache=cache)
    texts = (options["doc_texts"], options["query_texts"])
    if options["dry_run"]:
        prompts = judge.dry_run(todo, *texts)
        emit(prompts, {"format": "json", "output": None})
        say("\n".join(prompts.notes))
        return
    found = judge.judge(
        todo,
        *texts,
        concurrency=options["concurrency"],
        missing="skip" if options["skip_missing"] else "error",
        prices=options["prices"],
    )
    found.save(output)
    write_text(found.to_text(), None)
    say(f"Judgments written to {output}; answers kept in {cache}.")
