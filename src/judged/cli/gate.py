"""`judged gate`: decide whether a run may replace a baseline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.comparison import slice_options, statistics_options
from judged.cli.options.files import check_files
from judged.cli.options.inputs import (
    check_stdin,
    chosen_policy,
    cluster_options,
    input_options,
    level_option,
    measures_option,
    model_judgments_option,
    named_files,
    policy_options,
)
from judged.cli.options.output import emit, output_options, show_warnings
from judged.quality_gate.rules import Mode

if TYPE_CHECKING:
    from judged.quality_gate.decision import Gate

_CONFIG = "judged.toml"
_RULES = (
    "mode",
    "alpha",
    "max_query_drop",
    "min_queries",
    "test",
    "correction",
    "resamples",
    "seed",
    "level",
    "slices",
    "clusters",
    "cluster_col",
    "model",
)


@click.command("gate", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="[QRELS] CANDIDATE")
@option(
    "-b",
    "--baseline",
    metavar="FILE",
    group="Input",
    help="Run, or result written by --save, to compare CANDIDATE with.",
)
@option(
    "--anchor",
    metavar="FILE",
    group="Input",
    help="Earlier baseline, so that small drops do not add up. [default: the first baseline of --history]",
)
@option(
    "--history",
    metavar="FILE",
    group="Input",
    help="File of builds, to which this one is added.",
)
@option(
    "--config",
    metavar="FILE",
    group="Input",
    help=f"File with rules in a table [gate]; options take precedence, per measure. [default: {_CONFIG}, if it exists]",
)
@slice_options(defaults=False)
@cluster_options
@model_judgments_option
@measures_option
@level_option
@option(
    "--max-drop",
    multiple=True,
    metavar="[NAME=]D",
    group="Statistics",
    help="Largest allowed drop of a mean; NAME=D for one measure. [default: 0]",
)
@option(
    "--max-total-drop",
    multiple=True,
    metavar="[NAME=]D",
    group="Statistics",
    help="Largest allowed drop since the anchor. [default: --max-drop]",
)
@option(
    "--mode",
    type=click.Choice(get_args(Mode)),
    group="Statistics",
    help="Which drops fail: significantly more than --max-drop, a mean that dropped by more (mean), or more than it cannot be ruled out (sure). [default: significant]",
)
@option("--min", "least", multiple=True, metavar="NAME=V", group="Statistics", help="Lowest allowed mean of a measure.")
@option("--max", "most", multiple=True, metavar="NAME=V", group="Statistics", help="Highest allowed mean of a measure.")
@option(
    "--max-query-drop",
    metavar="D[:N]",
    group="Statistics",
    help="At most N queries may drop by more than D. [default N: 0]",
)
@statistics_options(gate=True)
@option(
    "--allow-changed-judgments",
    is_flag=True,
    default=None,
    group="Policies",
    help="Only warn if the judgments of a saved baseline are different.",
)
@option(
    "--allow-missing-queries",
    is_flag=True,
    default=None,
    group="Policies",
    help="Accept a candidate that lacks queries of the baseline.",
)
@option(
    "--save", metavar="FILE", group="Output", help="Save the result of CANDIDATE as a baseline; no rules are checked."
)
@option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    group="Output",
    help="Number of queries to show that got worse.",
)
@option(
    "--summary",
    metavar="FILE",
    group="Output",
    help="Append a Markdown summary to a file such as $GITHUB_STEP_SUMMARY.",
)
@output_options("junit", "github")
@policy_options
@input_options
def command(files: tuple[str, ...], **options: Any) -> None:
    """Decide whether CANDIDATE may replace a baseline, evaluated with the judgments in QRELS.

    The exit code is 0 if it passes and 1 if not; 2 and 3 are errors. The output has a reason for each rule, and the queries that got worse.
    Rules and QRELS can be set in the table [gate] of judged.toml, under the names of these options. NAME=FILE names a run.
    A question file contains its judgments and needs no QRELS.

    \b
    judged gate qrels.txt main.run -m nDCG@10 AP --save baseline.json
    judged gate qrels.txt new.run --baseline baseline.json --max-drop 0.01
    judged gate qrels.txt new.run -b main.run --slices queries.csv --by category
    """
    from judged.quality_gate.gate import gate
    from judged.quality_gate.rules import Rules

    ctx = click.get_current_context()
    rules = options["config"] or (_CONFIG if Path(_CONFIG).exists() else None)
    qrels, candidate = _inputs(files, rules, options)
    declared = Rules.of(rules)
    named = [
        declared.qrels,
        declared.model,
        declared.slices,
        declared.clusters,
        declared.anchor,
        *([] if _renews(declared.baseline, options) else [declared.baseline]),
    ]
    check_files(ctx, rules, *named)
    check_stdin(*(str(file) for file in (qrels, candidate, options["baseline"], options["anchor"], options["model"])))
    settings = _rules(ctx, options)
    if options["save"]:
        _save(qrels, candidate, rules, settings, options["save"])
        return
    found = gate(qrels, _named(candidate), rules=rules, worst=options["worst"], **settings)
    _show(found, options)
    ctx.exit(0 if found.passed else 1)


def _renews(baseline: Any, options: dict[str, Any]) -> bool:
    """True if --save writes the baseline that the rules name again; a run is never replaced."""
    return bool(options["save"]) and isinstance(baseline, str) and ".json" in Path(baseline).suffixes


def _named(file: str) -> Any:
    """{name: file} for NAME=FILE, or the file."""
    files = named_files((file,))
    return files if isinstance(files, dict) else file


def _rules(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """The rules of the command line; others are left to the file."""
    rules = {name: options[name] for name in _RULES if options[name] is not None}
    policy = chosen_policy(options)
    if ctx.get_parameter_source("profile") is not click.core.ParameterSource.COMMANDLINE:
        policy.pop("profile", None)
    several = {
        "baseline": options["baseline"] and _named(options["baseline"]),
        "measures": list(options["measures"]),
        "anchor": options["anchor"] and _named(options["anchor"]),
        "history": options["history"],
        **{
            key: _once(flag, [_drop(flag, word) for word in options[key]])
            for key, flag in (("max_drop", "--max-drop"), ("max_total_drop", "--max-total-drop"))
        },
        "min": _once("--min", [_bound("--min", word) for word in options["least"]]),
        "max": _once("--max", [_bound("--max", word) for word in options["most"]]),
        "by": list(options["by"]),
        **{name: options[name] for name in ("allow_changed_judgments", "allow_missing_queries")},
    }
    return {**rules, **policy, **{name: value for name, value in several.items() if value}}


def _once(option: str, bounds: list[tuple[str, float]]) -> dict[str, float]:
    """Bounds by measure; raise if a measure has two."""
    found = dict(bounds)
    for name, value in bounds:
        if str(found[name]) != str(value):  # NaN, which the rules refuse, is not equal to itself
            who = "all measures" if name == "default" else name
            raise click.BadParameter(f"{who} cannot have two: {value:g} and {found[name]:g}.", param_hint=f"'{option}'")
    return found


def _drop(option: str, word: str) -> tuple[str, float]:
    try:
        return "default", float(word)
    except ValueError:
        return _bound(option, word)


def _bound(option: str, word: str) -> tuple[str, float]:
    name, _, value = word.rpartition("=")  # a name may contain = too: AP(level=2)=0.5
    try:
        number = float(value)
    except ValueError:
        number = None
    if re.fullmatch(r"[\d.]+\s*%", value):
        share = f"{float(value.rstrip(' %')) / 100:g}" if value.count(".") < 2 else "0.01"
        raise click.BadParameter(
            f"{word!r} is a percentage; write a difference of means, such as {share}.", param_hint=f"'{option}'"
        )
    if not name.strip() or number is None:
        also = ", or a number" if option.endswith("-drop") else ""
        raise click.BadParameter(
            f"{word!r} is not a measure with a number, such as nDCG@10=0.5{also}.", param_hint=f"'{option}'"
        )
    return name.strip(), number


def _inputs(files: tuple[str, ...], rules: str | None, options: dict[str, Any]) -> tuple[Any, str]:
    from judged.quality_gate.rules import Rules

    if len(files) > 2:
        raise click.UsageError(f"Got {len(files)} files; expected QRELS and CANDIDATE.")
    if len(files) == 2:
        return files[0], files[1]
    from judged.evaluation.inputs import are_questions

    found = None if rules is None else Rules.of(rules)
    qrels = None if found is None else found.qrels
    if qrels is None and not are_questions(
        _named(files[0]), {**(found.inputs if found else {}), **chosen_policy(options)}
    ):
        raise click.UsageError(f"Missing QRELS: name the judgments before CANDIDATE, or in {rules or _CONFIG}.")
    return qrels, files[0]


def _save(qrels: Any, candidate: str, config: str | None, settings: dict[str, Any], path: str) -> None:
    from judged.quality_gate.gate import baseline
    from judged.quality_gate.rules import Rules

    if "baseline" in settings:
        raise click.UsageError("--save checks no rules: omit --baseline, or save in a separate step.")
    rules = Rules.of(config, **settings)
    measures = list(dict.fromkeys((*rules.measures, *rules.min, *rules.max)))
    chosen: dict[str, Any] = {"measures": measures} if measures else {}
    first, second = (candidate, None) if qrels is None else (qrels, candidate)
    options = {**chosen, **rules.policy, **rules.inputs}
    saved = baseline(first, second, level=rules.level, profile=rules.profile, model=rules.model, **options)
    saved.save(path)
    show_warnings(saved.values.warnings)
    say(f"saved {path}: {', '.join(saved.values.columns)} of {len(saved.values)} queries")


def _show(found: Gate, options: dict[str, Any]) -> None:
    from judged.errors import safe
    from judged.quality_gate.decision import reason_lines

    if options["summary"]:
        _append(found.to_github(places=options["places"]), options["summary"])
    emit(found, options, found.warnings)
    if options["output"]:
        broken = [line for line in reason_lines(found) if line.startswith("FAIL")]
        say("\n".join(map(safe, (found.verdict, *broken))))


def _append(text: str, path: str) -> None:
    """Append text to a file that other steps write to as well."""
    from judged.errors import FileError

    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise FileError("io", f"cannot append to the summary: {error.strerror or error}", where=path) from error
