"""`judged gate`: whether a run may replace another, for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judged.cli.options.output import Measures, chosen_policy, emit, policy_options, show_table

if TYPE_CHECKING:
    from judged.quality_gate.result import Gate

__all__ = ["command"]

_CONFIG = "judged.toml"
_RULES = (
    "mode",
    "alpha",
    "max_query_drop",
    "min_queries",
    "test",
    "interval",
    "correction",
    "resamples",
    "seed",
    "level",
    "baseline",
)


@click.command("gate", short_help="Whether a run may replace a baseline.", cls=Measures)
@click.argument("files", nargs=-1, required=True, metavar="[QRELS] CANDIDATE")
@click.option(
    "-b", "--baseline", metavar="FILE", help="What CANDIDATE is compared with: a run, or a result that --save wrote."
)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    help="Measures, such as nDCG@10 AP.  [default: those of a saved baseline]",
)
@click.option(
    "--max-drop",
    multiple=True,
    metavar="[NAME=]D",
    help="How much worse a mean may get; NAME=D for one measure.  [default: 0]",
)
@click.option(
    "--mode",
    type=click.Choice(["significant", "mean", "sure"]),
    help="A drop fails where it is more than that and no noise; where it is more; where it may be more.  [default: significant]",
)
@click.option(
    "--alpha",
    type=float,
    help="The chance of a false alarm that is accepted, over all measures and slices.  [default: 0.05]",
)
@click.option("--min", "least", multiple=True, metavar="NAME=V", help="The least value of a measure.")
@click.option("--max", "most", multiple=True, metavar="NAME=V", help="The largest value of a measure.")
@click.option(
    "--max-query-drop", metavar="D[:N]", help="At most N queries (none, if not said) may get worse by more than D."
)
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="FILE:COLUMN",
    help="Groups of queries that must not get worse either: a column of a table of queries; or `relevant`, the number of relevant documents.",
)
@click.option(
    "--min-queries",
    type=click.IntRange(1),
    metavar="N",
    help="Slices of fewer are not held to anything.  [default: 10]",
)
@click.option("--save", metavar="FILE", help="Save the result of CANDIDATE as a baseline, and decide nothing.")
@click.option(
    "--allow-changed-judgments",
    is_flag=True,
    default=None,
    help="Warn, rather than refuse, where a saved baseline was made with other judgments.",
)
@click.option(
    "--allow-missing-queries",
    is_flag=True,
    default=None,
    help="Let queries go that the baseline answers and CANDIDATE does not, where only queries in both count.",
)
@click.option(
    "--config",
    metavar="FILE",
    help=f"Rules in a table [gate]; options win, measure by measure.  [default: {_CONFIG}, where it exists]",
)
@click.option("--test", metavar="NAME", help="permutation, t, wilcoxon, sign or bootstrap.  [default: permutation]")
@click.option(
    "--correction",
    metavar="NAME",
    help="Of p-values over measures and slices: holm, bonferroni, bh, none …  [default: holm]",
)
@click.option(
    "--interval", type=click.Choice(["bca", "percentile", "t"]), help="Of the difference of means.  [default: bca]"
)
@click.option("--resamples", type=click.IntRange(1), metavar="N", help="Of the permutation and bootstrap tests.")
@click.option("--seed", type=click.IntRange(0), help="Of everything that is drawn.  [default: 0]")
@click.option(
    "-l",
    "--level",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many of the queries that got worse are shown.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "md", "json", "junit"]),
    default="table",
    show_default=True,
    help="The form of the output.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file; the verdict goes to standard error.")
@click.option(
    "--summary", metavar="FILE", help="Also add Markdown to the end of this file, such as $GITHUB_STEP_SUMMARY."
)
@click.option("-p", "--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@policy_options
def command(files: tuple[str, ...], **options: Any) -> None:
    """Say whether CANDIDATE may replace a baseline, by the judgments in QRELS.

    The exit code is 0 if it passes and 1 if not; 2 and 3 are errors. It comes with reasons in words, and the queries that got worse.
    Rules may stand in judged.toml: a table [gate], with the names of these options (QRELS may stand there too).

    \b
    judged gate qrels.txt main.run -m nDCG@10 AP --save baseline.json
    judged gate qrels.txt new.run --baseline baseline.json --max-drop 0.01
    judged gate qrels.txt new.run -b main.run -m nDCG@10 --slice queries.csv:category --min nDCG@10=0.5
    """
    from judged.quality_gate.gate import gate

    ctx = click.get_current_context()
    given = _given(ctx, options)
    rules = options["config"] or (_CONFIG if Path(_CONFIG).exists() else None)
    qrels, candidate = _inputs(files, rules)
    if (qrels, candidate, options["baseline"]).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name files for the others.")
    if options["save"]:
        _save(qrels, candidate, rules, given, options["save"])
        return
    found = gate(qrels, candidate, rules=rules, worst=options["worst"], **given)
    _show(found, options)
    ctx.exit(0 if found.passed else 1)


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """The rules that stand on the command line; what is not said is left to the file."""
    rules = {name: options[name] for name in _RULES if options[name] is not None}
    policy = chosen_policy(options)
    if ctx.get_parameter_source("profile") is not click.core.ParameterSource.COMMANDLINE:
        policy.pop("profile", None)
    several = {
        "measures": list(options["measures"]),
        "max_drop": _once("--max-drop", [_drop(word) for word in options["max_drop"]]),
        "min": _once("--min", [_bound("--min", word) for word in options["least"]]),
        "max": _once("--max", [_bound("--max", word) for word in options["most"]]),
        "slices": list(options["slices"]),
    }
    allowed = {name: True for name in ("allow_changed_judgments", "allow_missing_queries") if options[name]}
    return {**rules, **policy, **{name: value for name, value in several.items() if value}, **allowed}


def _once(option: str, bounds: list[tuple[str, float]]) -> dict[str, float]:
    """Bounds by measure; which of two would hold is not guessed."""
    found = dict(bounds)
    for name, value in bounds:
        if found[name] != value:
            who = "all measures" if name == "default" else name
            raise click.BadParameter(f"{who} cannot have two: {value:g} and {found[name]:g}.", param_hint=f"'{option}'")
    return found


def _drop(word: str) -> tuple[str, float]:
    try:
        return "default", float(word)
    except ValueError:
        return _bound("--max-drop", word)


def _bound(option: str, word: str) -> tuple[str, float]:
    name, _, value = word.rpartition("=")  # a name may hold = too: AP(level=2)=0.5
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not name.strip() or number != number:
        also = ", or a number" if option == "--max-drop" else ""
        raise click.BadParameter(
            f"{word!r} is not a measure with a number, such as nDCG@10=0.5{also}.", param_hint=f"'{option}'"
        )
    return name.strip(), number


def _inputs(files: tuple[str, ...], rules: str | None) -> tuple[Any, str]:
    from judged.quality_gate.rules import Rules

    if len(files) > 2:
        raise click.UsageError(f"Got {len(files)} files; expected QRELS and CANDIDATE.")
    if len(files) == 2:
        return files[0], files[1]
    qrels = None if rules is None else Rules.of(rules).qrels
    if qrels is None:
        raise click.UsageError(f"Missing QRELS: name the judgments before CANDIDATE, or in {rules or _CONFIG}.")
    return qrels, files[0]


def _save(qrels: Any, candidate: str, rules: str | None, given: dict[str, Any], path: str) -> None:
    from judged.quality_gate.gate import baseline
    from judged.quality_gate.rules import Rules

    if "baseline" in given:
        raise click.UsageError("--save decides nothing: leave out --baseline, or save in a second step.")
    asked = Rules.of(rules, **given)
    measures = list(dict.fromkeys((*asked.measures, *asked.min, *asked.max)))
    chosen = {"measures": measures} if measures else {}
    saved = baseline(qrels, candidate, level=asked.level, profile=asked.profile, **chosen, **asked.policy)
    saved.save(path)
    for warning in saved.values.warnings:
        click.echo(f"warning: {warning}", err=True)
    click.echo(f"saved {path}: {', '.join(saved.values.columns)} of {len(saved.values)} queries", err=True)


def _show(found: Gate, options: dict[str, Any]) -> None:
    from judged.errors import safe
    from judged.quality_gate.tables import head, reason_lines, tables

    form, places = options["form"], options["places"]
    if options["summary"]:
        _append(found, options["summary"], places)
    if form != "table" or options["output"]:
        from judged.quality_gate.formats import render_gate

        emit(render_gate(found, form, places=places), options["output"])
        if options["output"]:
            broken = [line for line in reason_lines(found) if line.startswith("FAIL")]
            click.echo("\n".join(map(safe, (found.headline, *broken))), err=True)
        return
    first, *lines = map(safe, head(found))
    click.secho(first, fg="green" if found.passed else "red", bold=True)
    click.echo("\n".join(lines))
    for table in tables(found, places=places):
        click.echo()
        show_table(table)


def _append(found: Gate, path: str, places: int) -> None:
    """Add a job summary to a file that other steps write to as well."""
    from judged.errors import FileError
    from judged.quality_gate.formats import render_gate

    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(render_gate(found, "md", places=places))
    except OSError as error:
        raise FileError("io", "a file that can be added to", got=error.strerror or str(error), where=path) from error
