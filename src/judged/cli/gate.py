"""`judged gate`: decide whether a run may replace a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, check_files, option, say
from judged.cli.options.derive import EVALUATION, options
from judged.cli.options.files import emit, named_file, output_options, show_warnings

_RULES = "max_drop max_query_drop min max mode alpha min_queries slices by history"


@click.command("gate", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="[QRELS] CANDIDATE")
@options("gate", f"baseline {_RULES} {EVALUATION}")
@option(
    "--config",
    metavar="FILE",
    group="Input",
    help="File with rules in a [gate] table. Options override them, measure by measure. [default: the nearest judged.toml]",
)
@option(
    "--save", metavar="FILE", group="Output", help="Save the result of CANDIDATE as a baseline, without checking rules."
)
@option(
    "--summary",
    metavar="FILE",
    group="Output",
    help="Append a Markdown summary to a file such as $GITHUB_STEP_SUMMARY.",
)
@output_options("junit", "github")
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """Decide whether CANDIDATE may replace a baseline, evaluated with the judgments in QRELS.

    The exit code is 0 if it passes, 1 if it fails, and 2 or 3 after an error. The output gives a reason for each rule and lists the queries that got
    worse. Rules and QRELS can be set in the [gate] table of judged.toml, under the names of these options. Use NAME=FILE to name a run.
    A question file contains its judgments and needs no QRELS.

    \b
    judged gate qrels.txt main.run -m nDCG@10 AP --save baseline.json
    judged gate qrels.txt new.run --baseline baseline.json --max-drop 0.01
    judged gate qrels.txt new.run -b main.run --slices queries.csv --by category
    """
    from judged.errors import safe
    from judged.quality_gate.decision import reason_lines
    from judged.quality_gate.gate import gate
    from judged.quality_gate.rules import Rules

    if len(files) > 2:
        raise click.UsageError(f"Got {len(files)} files; expected QRELS and CANDIDATE.")
    rules, save = options["config"], options["save"]
    declared = Rules.of(rules)
    settings = {  # rules win over defaults of all commands
        name: value
        for name, value in settings.items()
        if name not in declared.sources or ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT_MAP
    }
    renewed = save and isinstance(declared.baseline, str) and ".json" in Path(declared.baseline).suffixes
    named = [declared.qrels, declared.slices]
    check_files(ctx, rules, *named, *([] if renewed else [declared.baseline]))  # a saved baseline may be saved again
    inputs = [*files[:-1], named_file(files[-1])]
    if save:
        if "baseline" in settings:
            raise click.UsageError("--save checks no rules: omit --baseline, or save in a separate step.")
        _save(inputs, Rules.of(rules, **settings), save)
        return
    if "baseline" in settings:
        settings["baseline"] = named_file(settings["baseline"])
    found = gate(*inputs, rules=rules, **settings)
    if options["summary"]:
        _append(found.to_github(), options["summary"])
    emit(found, options, found.warnings)
    if options["output"]:
        broken = [line for line in reason_lines(found) if line.startswith("FAIL")]
        say("\n".join(map(safe, (found.verdict, *broken))))
    ctx.exit(0 if found.passed else 1)


def _save(inputs: list[Any], rules: Any, path: str) -> None:
    """Save the result of the candidate as a baseline."""
    from judged.quality_gate.gate import baseline

    sources = inputs if len(inputs) == 2 or rules.qrels is None else [rules.qrels, *inputs]
    measures = list(dict.fromkeys((*rules.measures, *rules.min, *rules.max)))
    options = {**({"measures": measures} if measures else {}), **rules.policy, **rules.inputs}
    saved = baseline(*sources, level=rules.level, profile=rules.profile, **options)
    saved.save(path)
    show_warnings(saved.values.warnings)
    say(f"saved {path}: {', '.join(saved.values.columns)} of {len(saved.values)} queries")


def _append(text: str, path: str) -> None:
    """Append text to a file that other steps write to as well."""
    from judged.errors import FileError

    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise FileError("io", f"cannot append to the summary: {error.strerror or error}", where=path) from error
