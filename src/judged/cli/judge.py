"""`judged judge`: ask a language model for grades."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import options
from judged.cli.options.files import emit, write_text


@click.command("judge", cls=Command)
@click.argument("todo")
@options("label", "doc_texts query_texts missing")
@option(
    "--url",
    required=True,
    metavar="URL",
    group="Model",
    help="Address of an OpenAI-compatible API, such as http://localhost:8080/v1.",
)
@option("--model", required=True, metavar="NAME", group="Model", help="Name of the model.")
@options("model_judge", "scale")
@option(
    "--dry-run",
    is_flag=True,
    group="Output",
    help="Print the first prompts and estimate the tokens, without asking the model.",
)
@option("-o", "--output", metavar="FILE", group="Output", help="File of judgments, JSON Lines.")
def command(todo: str, url: str, model: str, output: str | None, settings: dict[str, Any], **options: Any) -> None:
    """Ask a language model to grade the documents of TODO, and write its judgments.

    The API key is read from the environment variable JUDGED_API_KEY or OPENAI_API_KEY. An answer that is not exactly one grade counts as
    no answer. Compare the grades with those of people (`judged agree`) before you rely on them.

    \b
    judged judge todo.jsonl --doc-texts corpus.jsonl --query-texts queries.jsonl \\
      --url http://localhost:8080/v1 --model NAME -o llm.jsonl
    judged judge todo.jsonl --doc-texts corpus.jsonl --url URL --model M --dry-run
    """
    from judged.judging.model_judge import model_judge

    if output is None and not options["dry_run"]:
        raise click.UsageError("Missing option '-o': name the file of judgments, or use --dry-run.")
    texts = (settings.pop("doc_texts"), settings.pop("query_texts", None))
    missing = settings.pop("missing", "error")
    if output is not None:
        settings["cache"] = f"{output}.sqlite"
    judge = model_judge(url, model=model, **settings)
    if output is None or options["dry_run"]:
        prompts = judge.dry_run(todo, *texts)
        emit(prompts, {"format": "json", "output": None})
        say("\n".join(prompts.notes))
        return
    found = judge.judge(todo, *texts, missing=missing)
    found.save(output)
    write_text(found.to_text(), None)
    say(f"Judgments written to {output}; answers kept in {settings['cache']}.")
