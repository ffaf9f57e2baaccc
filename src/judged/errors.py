"""Errors, and warnings with a count."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

_LONG_PATH = 1000
_SEVERAL = 3  # warnings of one kind that are shown one by one
IN_COMMAND: ContextVar[bool] = ContextVar("in_command", default=False)  # then options are flags: --ties best


def shown(value: object, width: int = 60) -> str:
    """Quote a value for a message: control characters are escaped, long values are cut."""
    if isinstance(value, int) and value.bit_length() > 4 * width:
        return f"an integer of {value.bit_length()} bits"  # Python limits the digits of an integer
    text = repr(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def safe(text: str, keep: str = "") -> str:
    """Escape control characters, so that text cannot move the cursor of a terminal or reverse the order of letters; `keep` is left as it is."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape", "backslashreplace").decode() for c in text
    )


class Place(NamedTuple):
    """Place of a problem: a file with line and column, or an object with a key."""

    path: str
    line: int | None = None
    column: int | None = None
    column_name: str | None = None

    def __str__(self) -> str:
        text = safe(self.path) or "''"
        text = text if len(text) <= _LONG_PATH else f"{text[:100]}…{text[-100:]}"  # the text of a file, not its name
        if self.line is not None:
            text += f":{self.line}"
        if self.column is not None:
            name = f" ({self.column_name})" if self.column_name else ""
            text += f": column {self.column}{name}"
        return text


@dataclass(frozen=True, slots=True, init=False)
class Hint:
    """One action that solves a problem, with the options it names as data.

    Python shows an option as `ties='best'`, the command line as `--ties best`.

    >>> hint = Hint("keep one of them with {duplicates}", duplicates="first")
    >>> print(hint)
    keep one of them with duplicates='first'
    >>> print(hint.render(flags=True))
    keep one of them with --duplicates first

    Args:
        text: the sentence, with `{name}` where an option belongs.
        options: values of the options; None for an option whose value the user chooses; a `Wording` for other names.
    """

    text: str
    options: tuple[tuple[str, Any], ...] = ()

    def __init__(self, text: str, **options: Any) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "options", tuple(options.items()))

    def __str__(self) -> str:
        return self.render(flags=IN_COMMAND.get())

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Hint, self.text, **dict(self.options)), ()

    def render(self, *, flags: bool = False) -> str:
        """The sentence for Python, or with flags for the command line."""
        if not self.options:
            return self.text
        text = self.text.replace("}, {", "} {") if flags else self.text  # flags can be copied to a command
        words: dict[str, str] = {}
        for name, value in self.options:
            if isinstance(value, Wording):
                words[name] = value.command if flags else value.python
            elif flags:
                words[name] = _as_flag(name, value)
            else:
                words[name] = f"{name}={'' if value is None else repr(value)}"
        return text.format_map(words)


class Wording(NamedTuple):
    """A name in a `Hint` that differs between Python and the command line, such as `jd.evaluate` and `judged eval`."""

    python: str
    command: str


def to_choose(option: str, kind: str = "NAME", given: Iterable[str] = ()) -> Wording:
    """An option in a `Hint` whose value the user chooses: `doc_col=…`, `--doc-col NAME`; after the values that were `given`, another one."""
    listed = f"[{', '.join([*map(repr, given), '…'])}]" if given else "…"
    return Wording(f"{option}={listed}", f"{_as_flag(option, [*given, ''])[:-2]}{kind}")


def _as_flag(name: str, value: Any) -> str:
    flag = f"--{name.replace('_', '-')}"
    if value is None or value is True:
        return flag
    if isinstance(value, list):
        return " ".join(_as_flag(name, one) for one in value)
    if str(value).isalnum():  # most are, also those in the warnings of a small evaluation
        return f"{flag} {value}"
    import shlex

    quoted = f'"{value}"' if " " in str(value) and not set('"$`\\\\!') & set(str(value)) else shlex.quote(str(value))
    return f"{flag} {quoted}"


class JudgedError(Exception):
    """A problem with its place, one action that solves it, and a slug: `<place>: <problem>. <action>.  [slug]`.

    The slug is listed in `docs/reference/errors.md`; all parts are attributes.

    Args:
        slug: an identifier of the problem: two or three words joined by hyphens.
        problem: the problem, in a sentence; with `got`, the expected type or range.
        got: the value of a wrong type or range. The message is then "expected <problem>, got <got>".
        hint: one action, in the imperative; a `Hint` if it names options.
        where: the place.
        value: the offending value.
    """

    exit_code = 2

    def __init__(
        self,
        slug: str,
        problem: str,
        *,
        got: str | None = None,
        hint: Hint | str | None = None,
        where: Place | str | None = None,
        value: object = None,
    ) -> None:
        self.slug, self.problem, self.got = slug, problem, got
        self.hint = Hint(hint) if isinstance(hint, str) else hint
        self.where = Place(where) if isinstance(where, str) else where
        self.value = value
        super().__init__(self.render())

    def parts(self) -> dict[str, Any]:
        """The arguments that make this error."""
        return {name: getattr(self, name) for name in ("slug", "problem", "got", "hint", "where", "value")}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts, so that errors of other processes can be raised again."""
        value = self.value if isinstance(self.value, str | bytes | int | float | None) else shown(self.value)
        return partial(type(self), **{**self.parts(), "value": value}), ()

    def render(self, *, flags: bool = False) -> str:
        """The whole message, for Python, or with flags for the command line."""
        return f"{_with_hint(self.message(), self.hint, flags=flags)}  [{self.slug}]"

    def message(self) -> str:
        """Place and problem."""
        place = f"{self.where}: " if self.where else ""
        problem = (
            self.problem if not self.got else f"expected {self.problem.removeprefix('expected ')}, got {self.got}."
        )
        return safe(f"{place}{_closed(problem)}")

    def changed(self, **parts: Any) -> Self:
        """The same error with other parts, such as the place that only a caller knows."""
        return type(self)(**{**self.parts(), **parts})

    def fields(self) -> dict[str, object]:
        """The parts as plain data, for `--format json`."""
        place = self.where or Place("")
        return {
            "code": self.slug,
            "path": place.path or None,
            "line": place.line,
            "column": place.column,
            "column_name": place.column_name,
            "value": self.value if isinstance(self.value, str | None) else shown(self.value).strip("'"),
            "message": self.message(),
            "hint": None if self.hint is None else str(self.hint),
        }


def _with_hint(sentence: str, hint: Hint | None, *, flags: bool) -> str:
    """A sentence and the action after it, as two sentences."""
    if hint is None:
        return sentence
    action = hint.render(flags=flags)
    # An action may begin with a name, whose case matters: only a plain word is capitalised.
    first = action.split(maxsplit=1)[0].rstrip(",:;") if action.split() else ""
    action = action[:1].upper() + action[1:] if first.isalpha() and first.islower() else action
    return f"{sentence} {_closed(safe(action))}"


def _closed(sentence: str) -> str:
    """A sentence with a mark at its end."""
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


class DataError(JudgedError, ValueError):
    """Invalid judgments or rankings."""


class UsageError(JudgedError, ValueError):
    """Incorrect usage: an unknown measure, a parameter out of range, a policy that does not exist."""


class FileError(JudgedError, OSError):
    """A file that cannot be opened, read or written."""

    exit_code = 3


class EngineError(JudgedError, RuntimeError):
    """The engine failed: a lost cluster, a dead worker."""

    exit_code = 3


class JudgedWarning(UserWarning):
    """A warning that changes how a number must be read, such as queries that count as 0."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning that leaves the values valid: a slug, a count, a sentence, and an optional action."""

    slug: str
    count: int
    text: str
    hint: Hint | None = None

    def __str__(self) -> str:
        return self.render(flags=IN_COMMAND.get())

    def render(self, *, flags: bool = False) -> str:
        """The whole message, for Python, or with flags for the command line."""
        return f"{_with_hint(_closed(safe(self.text)), self.hint, flags=flags)}  [{self.slug}]"

    def to_dict(self) -> dict[str, Any]:
        """The parts as plain data, for JSON."""
        text = self.text if self.hint is None else _with_hint(f"{self.text}.", self.hint, flags=False)
        return {"code": self.slug, "count": self.count, "text": text}


CHANGE_READING = [  # slugs of warnings that change how a number must be read, the most important first
    "incomparable",
    "no-overlap",
    "query-missing",
    "queries-differ",
    "empty-list",
    "encoding",
    "tags",
    "level",
    "partial-response",
    "no-grades",
]


def fold_warnings(warnings: Iterable[Warned]) -> tuple[Warned, ...]:
    """Return each distinct warning, the most important first; many of one kind, as of sixty runs, become one with their total count."""
    by_slug: dict[str, list[Warned]] = {}
    for warned in (distinct := dict.fromkeys(warnings)):
        by_slug.setdefault(warned.slug, []).append(warned)
    folded = {}
    for slug, alike in by_slug.items():
        if len(alike) > _SEVERAL:
            text = f"{alike[0].text} (and {len(alike) - 1} more warnings like this)"
            folded[slug] = replace(alike[0], count=sum(warned.count for warned in alike), text=text)
    rank = {slug: i for i, slug in enumerate(CHANGE_READING)}
    told = dict.fromkeys(folded.get(warned.slug, warned) for warned in distinct)
    return tuple(sorted(told, key=lambda warned: rank.get(warned.slug, len(rank))))


def issue_warnings(warned: Iterable[Warned]) -> None:
    """Issue `JudgedWarning` for what changes how a number must be read, at the line that called this package.

    Commands print their warnings themselves, and drop-ins have those of the tools that they replace.
    """
    import sys
    import warnings

    frame: Any = sys._getframe()  # noqa: SLF001 - the module `inspect` takes long to import
    level = 1
    while frame and (name := frame.f_globals.get("__name__", "")).split(".")[0] in ("judged", "contextlib"):
        if name.startswith(("judged.cli", "judged.compat")):
            return
        frame, level = frame.f_back, level + 1
    for one in warned:
        if one.slug in CHANGE_READING:
            warnings.warn(str(one), JudgedWarning, stacklevel=level)
