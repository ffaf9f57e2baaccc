"""`judged trec_eval`: evaluate a run with the flags and output of trec_eval."""

from __future__ import annotations

import getopt
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from judged.cli.options.command import say, show_steps
from judged.cli.options.files import write_text
from judged.errors import UsageError

if TYPE_CHECKING:
    from judged.evaluation.trec_eval_output import Options

_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}
_VERSION = "trec_eval version 10.0-rc3 (reproduced by judged)"
_USAGE = """\
Usage: judged trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: all options, and a description of the measures given with -m
   -q: print values per topic in addition to the summary
   -m: a measure, with parameters after a dot (-m P.5,10), or one of the lists
       official (the default), set, all_trec, prefs, all_prefs, qrels_jg
"""
_HELP = f"""\
{_USAGE}
Judgments come first, then the run; - is a run from standard input. Values,
names and order are those of trec_eval 10.

   -c, --complete_rel_info_wanted    count judged topics that are missing from
                                     the run (without -c they are an error)
   -l, --level_for_rel N             lowest relevant grade (default 1)
   -M, --Max_retrieved_per_topic N   use only the first N documents
   -J, --Judged_docs_only            remove unjudged documents from the ranking
   -N, --Number_docs_in_coll N       number of documents in the collection, for
                                     utility (default 0)
   -n, --nosummary                   do not print the summary
   -R, --Rel_info_format FORMAT      qrels, qrels_jg, prefs or qrels_prefs
   -T, --Results_format FORMAT       trec_results
   -Z, --Zscore FILE                 z-scores, from a file of: topic name mean
                                     deviation
   -D, --Debug_level N.TOPIC         evaluate this topic only
   -o                                accepted, no effect
   -v, --version                     print the version

Exit codes: 0 success, 1 usage error, 2 bad input, 4 a topic or measure that
cannot be evaluated, 7 nothing to evaluate.
"""


@click.command(
    "trec_eval",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> int:
    """Evaluate a run with the flags and output of trec_eval."""
    with show_steps():
        return main(words)


def main(argv: Sequence[str]) -> int:
    """Print the output of trec_eval for these arguments, and return its exit code."""
    try:
        flags, files = flags_of(argv)
    except getopt.GetoptError as error:
        return _say(f"trec_eval: {error}\n{_USAGE}", 1)
    names, words = {name for name, _ in flags}, [value for name, value in flags if name == "-m"]
    wrong = next((word for word in words if not _known(word)), None)
    if "-v" in names:
        return _say(f"{_VERSION}\n", 0)
    if wrong is not None:
        return _say(f"trec_eval: illegal measure '{wrong.partition('.')[0]}'\n", 1)
    if "-h" in names:
        return _print(_help(words))
    if len(files) != 2:
        return _say(_USAGE, 1)
    return _evaluate(flags, *files)


def flags_of(argv: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Flags by their short names, with their values, and the files."""
    given, files = getopt.gnu_getopt(list(argv), _SHORT, [*_LONG])
    return [(_LONG.get(f"{name[2:]}=", _LONG.get(name[2:], name)), value) for name, value in given], files


def options_of(flags: list[tuple[str, str]]) -> Options:
    """Options from flags; of a flag given twice the last counts, except that measures accumulate."""
    from judged.evaluation.trec_eval_output import Options

    meant: dict[str, Any] = {}
    for name, value in flags:
        meant |= _MEANING[name](value) if name in _MEANING else {}
    words = tuple(value for name, value in flags if name == "-m")
    return Options(measures=words or ("official",), **meant)


def _evaluate(flags: list[tuple[str, str]], qrels: str, run: str) -> int:
    from judged.evaluation.trec_eval_output import evaluate_files
    from judged.io.outputs import check_output

    last = dict(flags)
    check_output(sys.stdout, [qrels, run, last.get("-Z")])
    if last.get("-T", "trec_results") != "trec_results":
        return _say(f"trec_eval: Illegal retrieval results format '{last['-T']}'\n", 2)
    outcome = evaluate_files(options_of(flags), qrels, run, last.get("-Z"))
    _print("".join(f"{line}\n" for line in outcome.lines))
    return _say(outcome.message, outcome.exit_code)


def _whole(text: str) -> int:
    from judged.measures.trec_names import leading_int

    return leading_int(text)


_MEANING: dict[str, Callable[[str], dict[str, Any]]] = {
    "-q": lambda _: {"per_topic": True},
    "-c": lambda _: {"complete": True},
    "-n": lambda _: {"summary": False},
    "-J": lambda _: {"judged_only": True},
    "-l": lambda text: {"level": _whole(text)},
    "-M": lambda text: {"depth": _whole(text)},
    "-N": lambda text: {"collection": _whole(text)},
    "-R": lambda text: {"form": text},
    "-D": lambda text: {"topic": text.partition(".")[2] if "." in text else None},
}


def _known(word: str) -> bool:
    from judged.measures.trec_names import parse_requests

    try:
        return bool(parse_requests([word]))
    except UsageError:
        return False


def _help(words: list[str]) -> str:
    from judged.measures.other_tools import RUN_ID
    from judged.measures.registry import parse
    from judged.measures.trec_names import parse_requests

    names = [name for name in parse_requests(words) if name != RUN_ID]
    text = _HELP
    for name in names:
        described = parse(name).definition.description
        text += f"\n{name}\n{click.wrap_text(described, 79, '    ', '    ', preserve_paragraphs=True)}\n"
    return text


def _print(text: str) -> int:
    write_text(text, None)
    return 0


def _say(text: str, code: int) -> int:
    if text:
        say(text.removesuffix("\n"))
    return code
