"""Papers to cite for a result: those behind its measures, tests, corrections, intervals and methods, and judged itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import judged.recommenders.measures  # noqa: F401 - declares measures
from judged._version import __version__
from judged.clicks.interleaving import PAPERS as INTERLEAVING_PAPERS
from judged.clicks.models import PAPERS as CLICK_PAPERS
from judged.clicks.off_policy import PAPERS as ESTIMATOR_PAPERS
from judged.errors import DataError, Place, UsageError, shown
from judged.fusion.method import FUSIONS
from judged.io.files import read_text
from judged.io.json_parser import load_json
from judged.measures.registry import MEASURES, Measure, parse
from judged.references import Reference, keys_in, references
from judged.registry import Registry, nearest_name, parse_call, split_calls
from judged.stats.agreement import AGREEMENT_COEFFICIENTS
from judged.stats.corrections import CORRECTIONS
from judged.stats.effect_sizes import PAPERS as EFFECT_PAPERS
from judged.stats.intervals import PAPERS as INTERVAL_PAPERS
from judged.stats.paired.registry import TESTS
from judged.stats.rank_correlation import RANK_COEFFICIENTS
from judged.stats.two_phase import PAPER as MODEL_PAPER
from judged.tables.result import Result
from judged.tables.table import Table

_JUDGED = "judged"
_REGISTRIES: dict[str, Registry[Any]] = {  # where a name is looked up, in this order
    "measure": MEASURES,
    "test": TESTS,
    "correction": CORRECTIONS,
    "rank correlation": RANK_COEFFICIENTS,
    "agreement": AGREEMENT_COEFFICIENTS,
    "fusion": FUSIONS,
}
_PAPERS = {
    "effect size": EFFECT_PAPERS,
    "interval": INTERVAL_PAPERS,
    "interleaving": INTERLEAVING_PAPERS,
    "click model": CLICK_PAPERS,
    "estimator": ESTIMATOR_PAPERS,
}
_KINDS = (*_REGISTRIES, *_PAPERS)
_NAMED = {  # fields of results whose text, texts or keys name something
    "measure": ("measure",),
    "measures": ("measure",),
    "test": ("test",),
    "correction": ("correction",),
    "interval": ("interval",),
    "method": ("fusion", "interleaving"),
    "model": ("click model",),
    "estimator": ("estimator",),
    "summary": ("measure", "rank correlation"),
    "coefficients": ("agreement", "rank correlation"),
}

Use = tuple[str, str]  # what is cited, such as "measure nDCG", and its papers


@dataclass(frozen=True, slots=True, repr=False)
class Citations(Result):
    """Papers by key, each with what it is cited for."""

    uses: dict[str, tuple[str, ...]]
    without: tuple[str, ...] = ()  # what was used and has no paper

    def to_bibtex(self) -> str:
        """One BibTeX entry per paper, in ASCII."""
        return "\n".join(reference.bibtex for reference in self._references())

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per paper."""
        rows = tuple((row["key"], row["for"], row["paper"]) for row in self.records())
        notes = (f"without a paper: {', '.join(self.without)}",) if self.without else ()
        return [Table(("key", "for", "paper"), rows, words=(0, 1, 2), notes=notes)]

    def records(self) -> list[dict[str, Any]]:
        """One row per paper."""
        return [
            {"key": r.key, "for": ", ".join(self.uses[r.key]), "paper": r.short, "bibtex": r.bibtex}
            for r in self._references()
        ]

    def _references(self) -> Iterator[Reference]:
        for key in self.uses:
            found = references()[key]
            yield found if key != _JUDGED else found._replace(fields={**found.fields, "note": f"Version {__version__}"})


def cite(*sources: Any) -> Citations:
    """Return the papers behind all measures and methods used, and the entry for judged itself.

    Args:
        sources: results of any function; files of results (.json); names of measures, tests, corrections,
            intervals, effect sizes, coefficients, fusion methods, click models and strategies.

    Raises:
        UsageError: an unknown name.
        DataError: a file that names no measure, test or method.

    >>> [row["paper"] for row in cite("nDCG@10 t").records()[1:]]
    ['Järvelin and Kekäläinen, TOIS 2002', 'Student, Biometrika 1908']
    """
    uses: dict[str, list[str]] = {_JUDGED: ["the software"]}
    without: dict[str, None] = {}
    for used, paper in dict.fromkeys(use for source in sources for use in _uses(source)):
        for key in keys_in(paper):
            uses.setdefault(key, []).append(used)
        if not keys_in(paper):
            without[f"{used} ({paper})" if paper else used] = None
    return Citations({key: tuple(names) for key, names in uses.items()}, tuple(without))


def _uses(source: Any) -> Iterator[Use]:
    if isinstance(source, Measure):
        yield f"measure {source.name}", source.definition.paper
    elif isinstance(source, Result):
        yield from _of_data(source.to_data())
    elif isinstance(source, os.PathLike) or (isinstance(source, str) and ".json" in Path(source).suffixes):
        yield from _of_file(os.fspath(source))
    elif isinstance(source, str):
        for word in split_calls(source):
            yield _of_name(word)
    elif isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        for one in source:
            yield from _uses(one)
    else:
        raise UsageError("unknown-name", "results, files of results, or names", got=shown(source), value=source)


def _of_file(path: str) -> list[Use]:
    found = list(_of_data(load_json(read_text(path), Place(path))))
    if not found:
        raise DataError(
            "values-file",
            "no measure, test or method found",
            where=path,
            hint="name a result that judged wrote as JSON",
        )
    return found


def _of_name(word: str) -> Use:
    found = [use for kind in _KINDS if (use := _find(kind, word)) is not None]
    if found:  # a name rather than an alias of another kind
        return next((use for use in found if use[0].endswith(f" {word}")), found[0])
    known = [name for registry in _REGISTRIES.values() for name in registry.names]
    near = nearest_name(word, [*known, *(name for papers in _PAPERS.values() for name in papers)])
    hint = f"did you mean {near}?" if near else "name a measure, a test, a correction, a method, or a file of a result"
    raise UsageError("unknown-name", f"nothing is called {shown(word)}", hint=hint, value=word)


def _find(kind: str, word: str) -> Use | None:
    """The entry of a kind with this name, which may have parameters and a cutoff."""
    try:
        name = parse_call(word.partition(",")[0], first="weights").name
    except UsageError:
        return None
    if kind in _PAPERS:
        return (f"{kind} {name}", _PAPERS[kind][name]) if name in _PAPERS[kind] else None
    declared: Any = _REGISTRIES[kind].get(name)
    if kind == "measure":
        with suppress(UsageError):  # which also reads the names of other tools
            declared = parse(word).definition
    return None if declared is None else (f"{kind} {declared.name}", declared.paper)


def _of_data(data: Any) -> Iterator[Use]:
    """Walk through the plain data of a result."""
    if isinstance(data, list | tuple):
        for item in data:
            if not isinstance(item, Mapping | list | tuple):
                return  # a column
            yield from _of_data(item)
    elif isinstance(data, Mapping):
        for field, value in data.items():
            names = [value] if isinstance(value, str) else value if isinstance(value, Mapping | list | tuple) else ()
            for name in names if field in _NAMED else ():
                yield from _known(name, _NAMED[field])
            if field == "model" and value and not isinstance(value, str):
                yield "human and model judgments", MODEL_PAPER
            if field == "intervals" and isinstance(data.get("summary"), Mapping) and "policy" in data:
                yield "interval t", INTERVAL_PAPERS["t"]
                if any({*column} <= {0, 1} for column in data.get("values", {}).values()):
                    yield "interval wilson", INTERVAL_PAPERS["wilson"]
            yield from _of_data(value)


def _known(name: Any, kinds: tuple[str, ...]) -> Iterator[Use]:
    for kind in kinds if isinstance(name, str) else ():
        if (found := _find(kind, name)) is not None:
            yield found
            if kind == "test" and TESTS.find(found[0].removeprefix("test ")).interval is None:
                yield "interval t", INTERVAL_PAPERS["t"]
            return
