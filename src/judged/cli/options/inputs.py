"""Options of inputs: runs with names, columns, question files, measures, the level, and the policies."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.command import option, path_exists
from judged.cli.options.rag import field_options, preparation

F = TypeVar("F", bound=Callable[..., Any])


def _complete_measure(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    from judged.measures.registry import MEASURES

    return [d.name for d in MEASURES if d.name.lower().startswith(begun.lower())]


def _complete_profile(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    from judged.measures.profiles import PROFILES

    return [name for name in PROFILES if name.startswith(begun)]


measures_option = option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    group="Measures",
    shell_complete=_complete_measure,
    help="Measures, such as nDCG@10 AP 'P@{1,5}'; see `judged measures`.",
)
level_option = option(
    "-l",
    "--level",
    type=float,
    metavar="GRADE",
    group="Measures",
    help="Lowest relevant grade of binary measures. [default: 1]",
)


def cluster_options(command: F) -> F:
    """Declare the clusters of queries."""
    command = option("--cluster-col", metavar="NAME", group="Input", help="Column of --clusters. [default: cluster]")(
        command
    )
    return option(
        "--clusters",
        metavar="FILE",
        group="Input",
        help="Table of queries with their clusters, such as users, which statistics count as units.",
    )(command)


def weight_options(command: F) -> F:
    """Declare the weights of queries."""
    command = option("--weight-col", metavar="NAME", group="Input", help="Column of --weights. [default: weight]")(
        command
    )
    return option(
        "--weights",
        metavar="FILE",
        group="Input",
        help="Table of queries with their weights in means, such as traffic.",
    )(command)


def model_judgments_option(command: F) -> F:
    """Declare the judgments of a model, of more queries than people judged."""
    return option(
        "--model-judgments",
        "model",
        metavar="FILE",
        group="Input",
        help="Judgments of a model, of more queries than QRELS: means are estimates of those by QRELS, over all queries.",
    )(command)


_COLUMNS = {
    "query": "query id",
    "doc": "document id",
    "score": "score",
    "grade": "grade",
    "rank": "rank",
    "session": "session",
    "click": "click",
}
_RANKINGS = ("query", "doc", "score", "grade", "rank")


def _grade_map(ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> dict[str, float] | None:
    """Read `WORD=GRADE,WORD=GRADE`; the option may be repeated."""
    pairs = [pair.rpartition("=") for word in words for pair in word.split(",")]
    try:
        grades = {word.strip(): float(grade) for word, _, grade in pairs}
    except ValueError:
        grades = {"": 0.0}
    if "" in grades:
        raise click.BadParameter(f"{','.join(words)!r} is not a list such as Exact=3,Substitute=2.", ctx, parameter)
    return grades or None


def column_options(*roles: str) -> Callable[[F], F]:
    """Declare the names of the columns of these roles; with grades also the grades of words, of runs and judgments also the split."""

    def declare(command: F) -> F:
        if "grade" in roles:
            command = option(
                "--grade-map",
                multiple=True,
                metavar="WORD=GRADE,...",
                group="Input",
                callback=_grade_map,
                help="Grades for words, such as Exact=3,Substitute=2.",
            )(command)
        if {"doc", "grade"} <= set(roles) or {"doc", "score"} <= set(roles):
            command = option(
                "--split",
                metavar="NAME",
                group="Input",
                help="Split to read, of a BEIR folder or MTEB predictions with several.",
            )(command)
        for role in reversed(roles):
            command = option(
                f"--{role}-col",
                metavar="NAME",
                group="Input",
                help=f"Name of the {_COLUMNS[role]} column, in all input tables.",
            )(command)
        return command

    return declare


def chosen_columns(options: dict[str, Any]) -> dict[str, Any]:
    """The columns and grades that were chosen, as arguments of the functions that read the inputs."""
    names = (*(f"{role}_col" for role in _COLUMNS), "grade_map", "split")
    return {name: options[name] for name in names if options.get(name) is not None}


def input_options(command: F) -> F:
    """Declare the names of columns, and of the fields of question files."""
    return column_options(*_RANKINGS)(field_options(command))


def split_inputs(
    qrels: str, runs: tuple[str, ...], options: dict[str, Any], least: int = 1
) -> tuple[Any, tuple[str, ...]]:
    """Return judgments and runs; a question file as the first input is a run with its own judgments.

    Args:
        qrels: the first input.
        runs: the other inputs.
        options: all options of the command.
        least: number of runs that the command needs.
    """
    from judged.io.recognise import recognise

    fields = {name: options[name] for name in ("question", "retrieved", "relevant") if options.get(name)}
    files = named_files((qrels,))
    first = next(iter(files.values())) if isinstance(files, dict) else qrels
    judgments: Any = recognise(first, **fields)
    if judgments.kind == "questions":
        judgments, runs = None, (qrels, *runs)
    if len(runs) < least:
        raise click.UsageError(f"Missing argument '{'RUNS...' if least == 1 else 'RUN'}'.")
    if not runs and not _may_be_questions(first):
        raise click.UsageError(
            f"Missing argument 'RUN': {qrels} has no questions, which are records of JSON or JSON Lines; name judgments and a run."
        )
    check_stdin(qrels, *runs)
    return judgments, runs


def _may_be_questions(file: str) -> bool:
    """True unless a file exists that is not JSON, or maps queries to documents with numbers."""
    from judged.io.files import open_content

    if file == "-" or not os.path.isfile(file):  # noqa: PTH113 - `Path` raises if the name is too long
        return True
    with open_content(file) as content:
        head = bytes(content.head).lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith((b"{", b"[")) and not _NUMBERS.match(head)


_NUMBERS = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*[-\d]')  # {query: {doc: number
_POLICIES = ("ties", "duplicates", "rejudged", "empty", "order", "queries")


def policy_options(command: F) -> F:
    """Declare the policies and the profile as options."""
    command = option(
        "--profile",
        metavar="NAME",
        default="trec_eval-10",
        show_default=True,
        group="Policies",
        shell_complete=_complete_profile,
        help="Conventions of another tool, such as trec_eval-9 or ranx.",
    )(command)
    return single_policy_options(command)


def single_policy_options(command: F) -> F:
    """Declare the policies as options, without a profile; choices, defaults and help texts come from `POLICY_OPTIONS`."""
    from judged.core.policy import POLICY_OPTIONS

    command = option(
        "--judged-only", is_flag=True, group="Policies", help="Remove unjudged documents from the rankings first."
    )(command)
    command = option(
        "--depth", type=int, metavar="N", group="Policies", help="Use the first N documents of each ranking."
    )(command)
    for policy in reversed(POLICY_OPTIONS):
        if policy.name in _POLICIES:
            command = option(
                f"--{policy.name}",
                type=click.Choice(policy.choices),
                group="Policies",
                help=f"{policy.help} [default: {policy.default}]",
            )(command)
    return command


def chosen_policy(options: dict[str, Any]) -> dict[str, Any]:
    """The policies and names of columns that were chosen, as arguments of `evaluate`."""
    names = (*_POLICIES, "depth", "profile")
    policy = (
        {name: options[name] for name in names if options.get(name) is not None}
        | preparation(options)
        | chosen_columns(options)
    )
    return {**policy, "unjudged": "condensed"} if options.get("judged_only") else policy


def named_files(runs: tuple[str, ...]) -> Any:
    """Split `NAME=FILE`: a list of files, or {name: file} if any run is named."""
    pairs = [run.partition("=") if "=" in run and not path_exists(run) else ("", "", run) for run in runs]
    if not any(name for name, _, _ in pairs):
        return list(runs)
    from judged.io.run_names import short_names

    unnamed = [file for name, _, file in pairs if not name]
    short = dict(zip(unnamed, short_names(unnamed), strict=True))
    named = {name or short[file]: file for name, _, file in pairs}
    if len(named) < len(runs):
        raise click.UsageError("Two runs have the same name.")
    return named


class TableReader:
    """Reads runs and judgments with the columns that were named on the command line, and without them leaves files as they are."""

    def __init__(self, options: dict[str, Any]) -> None:
        from judged.evaluation.options import RagOptions

        self._columns = RagOptions.of(chosen_columns(options)).columns
        self.check_used = self._columns.check_used

    def run(self, word: str) -> Any:
        """The run of `[NAME=]FILE`, as an input of `read_run`."""
        files = named_files((word,))
        if isinstance(files, list) and not self._columns:
            return word
        from judged.io.read import read_requested_run

        [(name, file)] = files.items() if isinstance(files, dict) else [(None, word)]
        return read_requested_run(file, self._columns.request("run"), name=name)

    def qrels(self, file: str | None) -> Any:
        """Judgments or interactions, as an input of `read_qrels`; None stays."""
        if file is None or not self._columns:
            return file
        from judged.io.read import read_requested_qrels

        return read_requested_qrels(file, self._columns.request("qrels"))


def check_stdin(*files: str) -> None:
    """Raise if standard input (-) is named twice."""
    if files.count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other input.")
