"""Things that are declared once and found by name: measures, tests, coefficients, models, profiles, formats.

    TESTS = Registry[PairTest]("test")
    TESTS.add(PairTest(name="sign", aliases=("binomial",), ...))
    TESTS.find("Binomial")          # the declaration
    TESTS.find("sgin")              # UsageError: unknown test 'sgin'. Did you mean 'sign'?

Other distributions add declarations by entry points: each names a module, whose import declares them. They are imported when a name is not known
otherwise, or all names are listed.

`parse_call` reads the one grammar of all names, `Name(parameter=value)@k`.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from judged.errors import Hint, UsageError, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_PLUGIN: ContextVar[str] = ContextVar("plugin", default="")  # the distribution whose plug-in is imported now


class HasNames(Protocol):
    """Anything with a name and aliases."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=HasNames)


class Registry(Generic[T]):
    """Declarations of one kind in the order in which they were added, found by name or alias.

    Case, hyphens, underscores, blanks and apostrophes do not matter, unless two declarations differ only in these.

    Args:
        kind: a noun for messages; an unknown name is the error `unknown-name`.
        package: its files declare entries. They are imported in their order until one has the name that is looked up; a file of
            that name comes first. The order is that of `FILES`, if the package has it, and files that it does not list follow; else the alphabet.
        plugins: group of the entry points by which other distributions declare entries.
    """

    def __init__(self, kind: str, *, package: str = "", plugins: str = "") -> None:
        self.kind = kind
        self._package, self._loaded = package, not package
        self._plugins = plugins  # empty once they are loaded
        self.version = object()  # another one after each change: values that depend on the entries are kept for one
        self._entries: dict[str, T] = {}
        self._exact: dict[str, T] = {}
        self._files: tuple[str, ...] | None = None if package else ()
        self._file: dict[str, str] = {}  # of each entry, by its name; empty if it was declared outside of the package
        self._owner: dict[str, str] = {}  # the distribution that declared the entry, by its name

    def add(self, entry: T, *, also: Iterable[str] = ()) -> T:
        """Declare an entry; one of the same name is replaced, but not by a plug-in. `also` are further names for it."""
        names = (entry.name, *entry.aliases, *also)
        file = self._declaring_file()
        owner = "" if file else _PLUGIN.get()
        for name in names:
            other = self.get(name) if owner else self._exact.get(name)
            if other is not None and (owner or other.name != entry.name):
                taken = f"{other.name} of {self._owner[other.name]}" if owner else other.name
                raise UsageError("parameter", f"the name {name!r} of {entry.name} is already used by {taken}")
        self._file[entry.name] = file
        self._owner[entry.name] = owner or "judged"
        replaced = self._entries.get(entry.name)
        self._entries[entry.name] = entry
        self._exact.update(dict.fromkeys(names, entry))
        self._forget(replaced if replaced is not entry else None)
        return entry

    def discard(self, name: str) -> None:
        """Remove a declaration, if there is one of this name."""
        self._forget(self._entries.pop(name, None))

    def _forget(self, entry: T | None) -> None:
        """Remove the names of an entry that is declared no longer."""
        for name, other in self._exact.copy().items() if entry is not None else ():
            if other is entry:
                self._exact.pop(name, None)
        self.version = object()

    def __iter__(self) -> Iterator[T]:
        self._load()
        order = (*self.files, "")
        return iter(sorted(self._entries.copy().values(), key=lambda entry: order.index(self._file[entry.name])))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def installed(self) -> Iterator[T]:
        """Every entry, and then those of plug-ins, which are imported only if all of the others are passed."""
        yield from (known := [*self])
        self.load_plugins()
        yield from (entry for entry in self if entry not in known)

    def load_plugins(self) -> bool:
        """Import the plug-ins of this registry, once; True if they declared something. One that fails is a warning."""
        if not self._plugins or _PLUGIN.get():
            return False
        before = self.version
        for plugin in plugins(self._plugins):
            try:
                load_plugin(plugin)
            except UsageError as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        self._plugins = ""
        return self.version is not before

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every entry, without aliases."""
        return tuple(entry.name for entry in self)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the package, by name; none is imported."""
        if self._files is None:  # a `cached_property` of Python 3.11 would hold a lock while it waits for the import
            package = import_module(self._package)
            self._files = tuple(package.FILES) if hasattr(package, "FILES") else _files_of(package)
        return self._files

    def get(self, name: str) -> T | None:
        """The entry of this name or alias; None if there is none, or if the spelling fits several."""
        if name not in self._exact and not self._loaded:
            for file in sorted(self.files, key=name.__ne__):
                import_module(f"{self._package}.{file}")
                if name in self._exact:
                    break
        entry = self._exact.get(name)
        if entry is not None:
            if not self._loaded and (file := self._file[entry.name]):  # another thread may be importing the rest of it
                import_module(f"{self._package}.{file}")
            return entry
        self._load()
        found = {entry.name: entry for known, entry in self._exact.copy().items() if _plain(known) == _plain(name)}
        return next(iter(found.values())) if len(found) == 1 else None

    def find(self, name: Any, *, hint: Hint | str | None = None) -> T:
        """The entry of this name or alias.

        Raises:
            UsageError: an unknown name, with the nearest known one, or else the hint or all names.
        """
        entry = self.get(name) if isinstance(name, str) else None
        if entry is None and self.load_plugins():
            return self.find(name, hint=hint)
        if entry is not None:
            return entry
        near = self.nearest(name) if isinstance(name, str) else None
        action: Hint | str = (
            f"did you mean {near}?"
            if near
            else hint or f"choose one of {', '.join(sorted(self.names, key=str.casefold))}"
        )
        raise UsageError("unknown-name", f"unknown {self.kind} {shown(name)}", hint=action, value=name)

    def nearest(self, name: str) -> str | None:
        """The name of the entry that a misspelt name resembles most."""
        self._load()
        names = self._exact.copy()
        spelling = nearest_name(name, names)
        return None if spelling is None else names[spelling].name

    def _load(self) -> None:
        if not self._loaded:
            others = _files_of(import_module(self._package))  # a new file is found without being listed
            for file in dict.fromkeys((*self.files, *others)):
                import_module(f"{self._package}.{file}")
            self._loaded = True

    def _declaring_file(self) -> str:
        """Return the file of the package that this thread imports; empty if there is none. Other threads may import others."""
        frame = sys._getframe() if self._package else None  # noqa: SLF001 - the module `inspect` takes long to import
        while frame is not None:
            package, _, file = frame.f_globals.get("__name__", "").rpartition(".")
            if package == self._package and file in self.files and frame.f_code.co_name == "<module>":
                return file
            frame = frame.f_back
        return ""


def plugins(group: str) -> list[EntryPoint]:
    """Return the entry points of a group in the installed distributions; nothing of them is imported."""
    from importlib.metadata import entry_points

    return list(entry_points(group=group))


def owner_of(plugin: EntryPoint) -> str:
    """Return the distribution of a plug-in, and its version."""
    return f"{plugin.dist.name} {plugin.dist.version}" if plugin.dist else plugin.value


def load_plugin(plugin: EntryPoint) -> Any:
    """Import a plug-in, and return what it names.

    Raises:
        UsageError: it cannot be imported, or declares a name that is taken; the message names its distribution.
    """
    token = _PLUGIN.set(owner_of(plugin))
    try:
        return plugin.load()
    except (Exception, SystemExit) as error:  # whatever its code raises
        reason = error.message() if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        problem = f"plug-in {plugin.name!r} of {owner_of(plugin)} cannot be loaded: {reason}"
        raise UsageError("plugin", problem, hint="update or uninstall it", value=plugin.name) from error
    finally:
        _PLUGIN.reset(token)


def _files_of(package: Any) -> tuple[str, ...]:
    from pkgutil import iter_modules

    return tuple(file.name for file in iter_modules(package.__path__))


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a misspelt one resembles most; of equal ones the first."""
    from difflib import get_close_matches

    spellings = {_plain(spelling): spelling for spelling in reversed(tuple(known))}
    close = get_close_matches(_plain(name), spellings, 1, 0.6)
    return spellings[close[0]] if close else None


def choose_one(name: Any, known: Iterable[str]) -> str:
    """Return the hint for an unknown name: the known ones that begin with it, the nearest one, or else all.

    >>> choose_one("trec_eval", ["trec_eval-10", "trec_eval-9", "ranx"])
    'did you mean trec_eval-10 or trec_eval-9?'
    """
    names, plain = tuple(known), _plain(str(name))
    near = nearest_name(str(name), names)
    meant = [other for other in names if plain and _plain(other).startswith(plain)] or ([near] if near else [])
    return f"did you mean {' or '.join(meant)}?" if meant else f"choose one of {', '.join(names)}"


class Call(NamedTuple):
    """A name with its parameters and what follows the @, as written."""

    name: str
    params: dict[str, Any]
    at: str | None = None


_SHAPE = re.compile(r"\s*(?P<name>[^\s@(){}]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>\S.*?))?\s*", re.DOTALL)
_LONGEST = 1_000  # characters: the pattern is quadratic
_AROUND_AT = re.compile(r"\s*@\s*")
_BLANK_OUTSIDE = re.compile(r"\s+(?![^(]*\))(?![^{]*\})")
_COMMA_OUTSIDE = re.compile(r",\s*(?=[A-Za-z]\w*(?![\w=]))(?![^(]*\))(?![^{]*\})")


def parse_call(text: str, slug: str = "measure", *, first: str | None = None) -> Call:
    """Split `Name(parameter=value)@k` into its parts. A bare word as a value is text; `first` names the parameter of a lone value.

    >>> parse_call("rbo(p=0.9)@10")
    Call(name='rbo', params={'p': 0.9}, at='10')
    >>> parse_call("kappa(linear)", first="weights")
    Call(name='kappa', params={'weights': 'linear'}, at=None)
    """
    shape = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    if shape is None:
        raise UsageError(slug, "Name, Name@k or Name(parameter=value)@k", got=shown(text), value=text)
    params = shape["params"]
    if not params or not params.strip():
        return Call(shape["name"], {}, shape["at"])
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        if not isinstance(call, ast.Call) or len(call.args) > (first is not None):
            raise ValueError(params)
        values = {**dict(zip([first], call.args, strict=False)), **{k.arg: k.value for k in call.keywords}}
        if None in values or len(values) < len(call.args) + len(call.keywords):
            raise ValueError(params)
        return Call(shape["name"], {str(name): _value(v) for name, v in values.items()}, shape["at"])
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError(slug, "parameters as name=value", got=shown(text), value=text) from None


def split_calls(text: str) -> list[str]:
    """Split names that are separated by blanks or commas; those inside parentheses and braces stay.

    >>> split_calls("P@{1, 5} AP, rbo(p=0.9)")
    ['P@{1, 5}', 'AP', 'rbo(p=0.9)']
    """
    words = [word for word in _BLANK_OUTSIDE.split(_AROUND_AT.sub("@", text.strip())) if word]
    return [part for word in words for part in _COMMA_OUTSIDE.split(word.strip(",")) if part]


def expand_at(at: str) -> list[str]:
    """The cutoffs of `@10`, or of several in braces.

    >>> expand_at("{1, 5}")
    ['1', '5']
    """
    if not (at.startswith("{") and at.endswith("}")):
        return [at]
    parts = [part.strip() for part in at[1:-1].split(",")]
    if not all(parts):
        raise UsageError("cutoff", "numbers in the braces, as in @{1,5,10}", got=shown(at), value=at)
    return parts


def _value(node: ast.expr) -> Any:
    """A literal; the text of a bare word, or of `name()`, as a function is printed."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args and not node.keywords:
        return f"{node.func.id}()"
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _plain(name: str) -> str:
    return re.sub(r"[-_ ']", "", name.casefold())
