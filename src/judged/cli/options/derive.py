"""Options made from the signatures and docstrings of public functions: each parameter is declared once, in Python.

The source of a function is read, not imported: importing it would import NumPy, which takes longer than `--help`.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import Any, NamedTuple, TypeVar

import click

from judged.cli.options.command import Option

F = TypeVar("F", bound=Callable[..., Any])

# Parameters that many commands have.
COLUMNS = "query_col doc_col score_col grade_col rank_col grade_map"
POLICIES = "profile ties queries depth unjudged"
EVALUATION = f"measures level {COLUMNS} {POLICIES}"
STATISTICS = "test correction alpha margin resamples seed"
COMPARISON = f"baseline {STATISTICS} family slices by"
QUESTIONS = "question retrieved relevant"
CHUNKS = "roll_up chunks documents tokens split"

_GROUPS = {  # parameters that are not of the group Input
    "Measures": "measures measure level bounds average query points k",
    "Policies": f"{POLICIES} order empty duplicates rejudged strict how missing n strategy overlap judges allow_changed_judgments",
    "Statistics": f"{STATISTICS} family difference power n_queries mode max_drop max_query_drop min max min_queries",
    "Model": "prompt scale repeat method norm",
    "Output": "title",
}
_METAVARS = {
    "FILE": "slices clusters weights model chunks tokens history adjudicator without doc_texts query_texts qrels",
    "NAME...": "measures",
    "COLUMN": "by",
    "FIELD": "question retrieved relevant",
    "RUN": "baseline",
    "ID": "query",
    "GRADE": "level",
    "WORD=GRADE,...": "grade_map",
    "TEXT": "title documents",
    "NAME,NAME": "judges",
    "NAME=MEAN,...": "min max",
    "DROP": "max_drop",
    "N": "depth resamples seed n k n_queries min_queries repeat",
}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names.split()}
_METAVAR_OF = {name: metavar for metavar, names in _METAVARS.items() for name in names.split()}
_FLAGS = {  # of parameters that have a letter, or another name
    "measures": ("-m", "--measures"),
    "measure": ("-m", "--measure"),
    "level": ("-l", "--level"),
    "baseline": ("-b", "--baseline"),
    "unjudged": ("--judged-only",),
    "model": ("--model-judgments",),
    "documents": ("--chunk-separator",),
    "k": ("-k",),
    "n": ("-n",),
}
_REPEATED = ("measures", "query")
_NUMBERS = {  # examples
    "grade_map": "Exact=3,Substitute=2",
    "max_drop": "0.01 or nDCG@10=0.01",
}
_REGISTRIES = {
    "measures": "judged.measures.registry:MEASURES",
    "measure": "judged.measures.registry:MEASURES",
    "profile": "judged.measures.profiles:PROFILES",
    "test": "judged.stats.paired.registry:TESTS",
    "correction": "judged.stats.corrections:CORRECTIONS",
    "method": "judged.fusion.method:FUSIONS",
    "norm": "judged.fusion.method:NORMALISATIONS",
}
_SHARED = (  # where parameters are described that functions pass on
    "evaluate",
    "Policy",
    *(
        f"judged.evaluation.options:{name}"
        for name in ("EvaluateOptions", "InputOptions", "ColumnOptions", "JudgmentColumns")
    ),
    "compare",
)
_ROOT = os.path.dirname(__file__).removesuffix(os.path.join("judged", "cli", "options"))  # noqa: PTH118, PTH120 - see `main`


def options(function: str, names: str) -> Callable[[F], F]:
    """Declare options for parameters of a function. `Command` passes those that are given on, as `settings`.

    Type and default are those of the signature; the help is the first clause of the parameter's description in the docstring.

    Args:
        function: a public name, such as `evaluate`, or module and name, such as `judged.io.write:convert`.
        names: the parameters, separated by blanks.
    """

    def declare(command: F) -> F:
        for name in reversed(names.split()):
            flags = _FLAGS.get(name, (f"--{name.replace('_', '-')}",))
            settings = {"group": _GROUP_OF.get(name, "Input"), "metavar": _METAVAR_OF.get(name, "NAME")}
            settings |= _settings(function, name)
            command = click.option(*flags, name, cls=_Derived, derived=True, **settings)(command)
        return command

    return declare


class NumberList(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """`0.3,0.7` as a list, `0.3` as a number, `a=0.3,b=0.7` as {name: number}; `example` is shown in errors, and if it has names, names are needed."""

    name = "numbers"

    def __init__(self, example: str) -> None:
        self._example = example

    def convert(self, value: Any, parameter: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the numbers of one word."""
        pairs = [word.rpartition("=") for word in str(value).split(",")]
        names = [name.strip() for name, sign, _ in pairs if sign]
        try:
            numbers = [float(number) for _, _, number in pairs]
        except ValueError:
            numbers = []
        complete = len({*names} - {""}) == len(pairs) if names or "=" in self._example.partition(" or ")[0] else True
        if not numbers or not complete:
            self.fail(f"{value!r} is not a list such as {self._example}.", parameter, ctx)
        if names:
            return dict(zip(names, numbers, strict=True))
        return numbers if len(numbers) > 1 else numbers[0]


class _Derived(Option):
    """An option whose value may be a name of a registry, which is imported only for completion and help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """List the tests and corrections."""
        record = super().get_help_record(ctx)
        if record is None or self.name not in ("test", "correction", "method", "norm"):
            return record
        return record[0], record[1].replace(".", f": {', '.join(_names(self.name))}.", 1)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete a name."""
        from click.shell_completion import CompletionItem

        if self.name not in _REGISTRIES:
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(n) for n in _names(self.name) if n.lower().startswith(incomplete.lower())]


def _names(parameter: str) -> list[str]:
    module, _, name = _REGISTRIES[parameter].partition(":")
    return [getattr(entry, "name", entry) for entry in getattr(import_module(module), name)]


class _Parameter(NamedTuple):
    """A parameter as the source declares it; `default` is `...` if it has none."""

    annotation: str
    default: Any
    text: str


def _settings(function: str, name: str) -> dict[str, Any]:
    """Type and help of an option."""
    found = [(place, declared[name]) for place in (function, *_SHARED) if name in (declared := _declared(place))]
    place, first = found[0]
    module = _split(place)[0]
    text = next(" ".join(p.text.split()) for _, p in found if p.text and "as in `" not in p.text)
    stated = re.search(r"\[default: [^]]*\]", text)
    none = first.default is None or first.default is False or first.default is ...
    default = stated[0] if stated else "" if none else f"[default: {first.default}]"
    clause = re.sub(",? see `[^`]+`", "", re.split(r"[.;](?: |$)| \[default", text)[0])  # names of Python
    settings: dict[str, Any] = {"help": f"{clause[:1].upper()}{clause[1:]}. {default}".rstrip()}
    if name == "unjudged":
        return settings | {"flag_value": "condensed", "help": "Remove unjudged documents from the rankings first."}
    kind = first.annotation.removesuffix(" | None")
    if kind.startswith("bool"):
        return settings | {"is_flag": True}
    if kind in ("int", "float"):
        number = {"type": {"int": int, "float": float}[kind]}
        return settings | number | ({} if name in _METAVAR_OF else {"metavar": "X"})
    if isinstance(choices := _literal(module, kind), list):
        return settings | {"type": click.Choice(choices), "metavar": None}
    if "Mapping[" in kind:
        return settings | {"type": NumberList(_NUMBERS.get(name, "nDCG@10=0.5"))}
    if name == "judges":
        return settings | {"callback": lambda ctx, parameter, text: text and _judges(text)}
    return settings | {"multiple": name in _REPEATED or kind == "str | Sequence[str]", "required": first.default is ...}


def _judges(text: str) -> int | list[str]:
    """Names of judges, or their number."""
    return int(text) if text.isdecimal() else [name.strip() for name in text.split(",")]


@cache
def _declared(place: str) -> dict[str, _Parameter]:
    """The parameters of a function, or the fields of a class."""
    module, name = _split(place)
    text = re.search(rf"^(?:def|class) {name}\b.*?(?=^[\w@]|\Z)", _source(module), re.MULTILINE | re.DOTALL)
    assert text is not None, place
    node = ast.parse(text[0]).body[0]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    pairs: list[tuple[str, Any, Any]]
    if isinstance(node, ast.ClassDef):
        fields = [n for n in node.body if isinstance(n, ast.AnnAssign)]
        missing = ast.Constant(None) if node.keywords else None  # the keys of a typed dict may be left out
        pairs = [(ast.unparse(n.target), n.annotation, n.value or missing) for n in fields]
    else:
        every = [*node.args.args, *node.args.kwonlyargs]
        defaults = [None] * (len(every) - len(node.args.defaults) - len(node.args.kw_defaults))
        defaults += [*node.args.defaults, *node.args.kw_defaults]  # type: ignore[list-item]
        pairs = [(n.arg, n.annotation, default) for n, default in zip(every, defaults, strict=True)]
    section = cleandoc(ast.get_docstring(node) or "").partition("Args:\n")[2].partition("\n\n")[0]
    texts = {
        word: text
        for words, text in re.findall(r"^    (\w[\w, ]*): (.*(?:\n     .*)*)", section, re.MULTILINE)
        for word in words.split(", ")
    }
    return {
        word: _Parameter(
            annotation=ast.unparse(annotation) if annotation else "",
            default=_literal(module, ast.unparse(default)) if default else ...,
            text=texts.get(word, ""),
        )
        for word, annotation, default in pairs
    }


def _literal(module: str, text: str) -> Any:
    """The value of an expression: a constant, the choices of a `Literal`, or what a module of judged assigns to a name; None for anything else."""
    with suppress(ValueError, SyntaxError):
        return ast.literal_eval(text.removeprefix("Literal"))
    if not text.isidentifier() or not module.startswith("judged."):
        return None
    if assigned := re.search(rf"^{text} = (Literal\[[^]]*\]|.*)$", _source(module), re.MULTILINE):
        return _literal(module, assigned[1])
    imported = re.search(rf"^from (\S+) import (?:\([^)]*|.*)\b{text}\b", _source(module), re.MULTILINE)
    return _literal(imported[1], text) if imported else None


def _split(place: str) -> tuple[str, str]:
    """Module and name; `__init__.pyi` lists the modules of public names."""
    module, _, name = place.rpartition(":")
    if not module:
        found = re.search(rf"^from (\.\S+) import {name} as", _source("judged.__init__", "pyi"), re.MULTILINE)
        assert found is not None, place
        module = f"judged{found[1]}"
    return module, name


@cache
def _source(module: str, extension: str = "py") -> str:
    with open(f"{_ROOT}{module.replace('.', '/')}.{extension}", encoding="utf-8") as file:  # noqa: PTH123
        return file.read()
