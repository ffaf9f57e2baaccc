"""Measures: each is declared once, by one decorator on one function, and found by the one grammar of names; everything else is derived from the declaration."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, overload

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.errors import Hint, UsageError, Wording, shown
from judged.measures.other_tools import CUTOFFS, NICKNAMES, RUN_ID, in_our_words
from judged.measures.parameters import DEEPEST, LENGTHS, Budget, Cutoff, Flag, Only, Spec, budget_in, literal
from judged.registry import Registry, expand_at, parse_call, split_calls

Formula = Callable[..., Column]
Summary = Literal["mean", "sum", "geometric", "none"]
LAWS = frozenset(["unit", "perfect", "capped", "swap", "cutoff", "tail", "additive", "residual"])
Needs = Literal["grades", "subtopics", "groups", "preferences", "spans", "recommendations"]

_JUDGED_ONLY = Spec("remove unjudged documents from the ranking first", Spec.of("judged_only", Flag).check)


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """Declaration of a measure: its formula, names, properties and documentation.

    Args:
        name: the usual spelling in papers.
        function: from `Judged` and parameters to one value per query.
        family: the section of the documentation.
        aliases: names in other papers and tools.
        trec: trec_eval's names; a trailing `.` means that a cutoff follows, `=` that pairs follow, `:` that a list follows.
        laws: properties that are tested, separated by blanks: unit (values are between 0 and 1), perfect (the ideal ranking has the value 1), capped (at every
            cutoff too), swap (moving a better document up never lowers the value), cutoff (nothing below the cutoff matters), tail
            (unjudged documents at the end never raise the value), additive (a sum over documents, each by its rank alone), residual (the same over unjudged ones).
        example: grades of a ranking from rank 1 down, and the value; these documents are the pool.
        summary: how the values of queries are summarised.
        needs: what the judgments must contain.
        paper: keys of `judged.references`, separated by blanks; a text for a user's own measure.
        formula: in plain mathematics; `latex` has the same, typeset, in the notation of `judged.measures.notation`.
        intuition: two sentences for readers who have never seen the measure.
        ideal: the measure that the ideal ranking is explained with, beside the actual one.
    """

    name: str
    function: Formula
    family: str
    aliases: tuple[str, ...] = ()
    trec: tuple[str, ...] = ()
    laws: frozenset[str] = frozenset()
    example: tuple[list[float], float] | None = None
    example_params: dict[str, Any] = field(default_factory=dict)
    summary: Summary = "mean"
    needs: Needs = "grades"
    whole: bool = False  # counts, printed without decimals
    text: bool = False  # a string per query
    lower_is_better: bool = False
    paper: str = ""
    formula: str = ""
    latex: str = ""
    intuition: str = ""
    ideal: str = ""
    ideal_only: bool = False  # the value is that of the ideal ranking
    always_defined: bool = False  # also for queries without a relevant document, so that no policy decides
    range: tuple[float, float] | None = None  # the smallest and the largest value, of measures of recommendations
    of: Literal["user", "run"] = "user"  # what has a value: each user, or only the whole run
    arguments: tuple[str, ...] = ()  # those of `beyond_accuracy` that the measure needs

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name, and the module that declares it; a user's own must be importable where it is unpickled."""
        return _declared, (self.name, self.function.__module__)

    @cached_property
    def parameters(self) -> dict[str, tuple[Spec, Any]]:
        """Name → (description, default), in the order of the signature."""
        hints = inspect.get_annotations(self.function, eval_str=True)
        signature = inspect.signature(self.function).parameters
        found = {n: (Spec.of(n, hints[n]), p.default) for n, p in list(signature.items())[1:]}
        if self.needs == "recommendations":
            return {"cutoff": (Spec.of("cutoff", Cutoff), None), **found}
        return {**found, "judged_only": (_JUDGED_ONLY, False), "tokens": (Spec.of("tokens", Budget), None)}

    @property
    def binary(self) -> bool:
        """True if a document is either relevant or not, decided by a level."""
        return self.parameters.get("level", (None, None))[1] == 1

    @property
    def limits(self) -> tuple[float, float] | None:
        """The range of its values, if it is declared; intervals are kept within it."""
        return (0.0, 1.0) if "unit" in self.laws else self.range

    @cached_property
    def at(self) -> str | None:
        """The parameter that is written after the @."""
        return next((name for name, (spec, _) in self.parameters.items() if spec.at), None)

    @property
    def description(self) -> str:
        """The docstring of the function."""
        return inspect.cleandoc(self.function.__doc__ or "")


@dataclass(frozen=True, slots=True, repr=False)
class Measure:
    """A measure with its parameters: `nDCG @ 10`, `AP(level=2)`. Printing and parsing are inverse."""

    definition: Definition
    given: tuple[tuple[str, Any], ...] = ()  # parameters that differ from their defaults, in signature order
    explicit: frozenset[str] = field(default=frozenset(), compare=False)  # parameters that were written, default or not
    label: str = field(default="", compare=False)  # printed instead of the canonical name
    policy: tuple[tuple[str, Any], ...] = field(default=(), compare=False)  # of this measure alone, by a profile
    _text: str = field(default="", init=False, compare=False)  # the canonical name, once it was asked for

    def __call__(self, /, **params: Any) -> Measure:
        """The same measure with other parameters."""
        known = self.definition.parameters
        values: dict[str, Any] = dict(self.given)
        resolved: dict[str, str] = {}
        if "dcg" in params or "logb" in params:
            params = _translate(params, known)
        for name, value in params.items():
            key = name if name in known else next((k for k, (s, _) in known.items() if name in s.aliases), None)
            if key is None:
                from difflib import get_close_matches

                close = get_close_matches(name, list(known), 1, 0.6)
                action = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(known)}"
                raise UsageError("parameter", f"{self.name} has no parameter {name!r}", hint=action, value=name)
            if key in resolved.values():
                raise UsageError(
                    "parameter", f"{self.name}: parameter {key!r} given twice, under two names", value=name
                )
            try:
                values[key] = known[key][0].check(value)
            except UsageError as error:
                place = f"{self.name}({name}={shown(value)})" if error.slug == "parameter" else error.where
                raise error.changed(where=place) from None
            resolved[name] = key
        explicit = self.explicit | set(resolved.values())
        kept = [k for k, (_, default) in known.items() if k in values and values[k] != default]
        for key in kept:
            only = known[key][0].only
            facts = {name: values.get(name, default) for name, (_, default) in known.items()}
            if only is None or only.late or not only.lacks(values[key], facts):
                continue
            if only.implied is None or only.other in explicit:
                raise self._no_effect(key, values[key], only)
            values[only.other], explicit = only.implied, explicit | {only.other}
        given = tuple((k, values[k]) for k, (_, default) in known.items() if k in values and values[k] != default)
        return Measure(self.definition, given, explicit, policy=self.policy)

    def _no_effect(self, name: str, value: Any, only: Only) -> UsageError:
        place = f"{self.name}({name}={literal(value)})"
        return UsageError(
            "parameter", f"{name!r} has no effect {only.text}", where=place, value=value, hint=f"leave out {name!r}"
        )

    def lacks(self, name: str, value: Any, judged: Judged | None = None) -> Only | None:
        """The condition that this value of a parameter does not meet in the measure as it is now; None if it has an effect."""
        only = self.definition.parameters[name][0].only
        if only is None or not only.late:
            return None
        from judged.core.passages import tokens_of

        fact = self.get(only.other) if only.other != LENGTHS else judged is not None and tokens_of(judged) is not None
        return only if only.lacks(value, {only.other: fact}) else None

    def __matmul__(self, at: float | str) -> Measure:
        """Set the cutoff (`P @ 10`), or the parameter that this measure writes after its @; `P @ "2000tok"` is a token budget."""
        if isinstance(at, str):
            return self(tokens=budget_in(at), **({"cutoff": None} if self.definition.at == "cutoff" else {}))
        if self.definition.at is None:
            raise UsageError("cutoff", f"{self.name} takes no cutoff, got @{at}", value=at)
        return self(**{self.definition.at: at})

    @property
    def name(self) -> str:
        """The name without parameters."""
        return self.definition.name

    def get(self, name: str) -> Any:
        """The value of a parameter, given or default; None if the measure has no such parameter."""
        return dict(self.given).get(name, self.definition.parameters.get(name, (None, None))[1])

    def on(self, judged: Judged) -> Column:
        """One value per query. Explicit parameters without an effect are refused."""
        definition, params = self.definition, dict(self.given)
        for name in self.explicit & params.keys() if params else ():
            if definition.parameters[name][0].only and (only := self.lacks(name, params[name], judged)) is not None:
                raise self._no_effect(name, params[name], only)
        if "judged_only" in params or "tokens" in params:
            judged = self.seen(judged)
            params = {name: value for name, value in self.given if name not in ("judged_only", "tokens")}
        if definition.needs != "grades":
            _check_needs(self, judged)
        if definition.family == "own":
            judged = judged.read_only()
        with np.errstate(divide="ignore", invalid="ignore"):
            values = definition.function(judged, **params)
        return values if definition.text else np.asarray(values, dtype=np.float64)

    def seen(self, judged: Judged) -> Judged:
        """The rankings that the formula sees: without unjudged documents, or cut to a token budget, if requested."""
        given = dict(self.given)
        seen = judged.condensed() if given.get("judged_only") else judged
        if given.get("tokens") is None:
            return seen
        from judged.core.passages import cut_to_budget

        return cut_to_budget(seen, given["tokens"])

    def __str__(self) -> str:
        if self.label or self._text:
            return self.label or self._text
        at, given = self.definition.at, dict(self.given)
        after = literal(given.pop(at)) if at and given.get(at) is not None else None
        if after is None and given.get("tokens") is not None and (at != "cutoff" or self.get("cutoff") is None):
            after = f"{given.pop('tokens')}tok"  # in place of the cutoff
            given.pop("cutoff", None)
        inside = ", ".join(f"{name}={literal(value)}" for name, value in given.items())
        text = self.definition.name + (f"({inside})" if inside else "") + (f"@{after}" if after is not None else "")
        object.__setattr__(self, "_text", text)
        return text

    __repr__ = __str__


def _check_needs(measure: Measure, judged: Judged) -> None:
    needs = measure.definition.needs
    if needs == "recommendations":
        action = Hint("use {beyond}", beyond=Wording("jd.recommenders.beyond_accuracy", "judged recommend"))
        raise UsageError("measure", f"{measure} needs recommendations, not judgments", hint=action, value=measure.name)
    if needs == "spans" and (judged.reading is None or judged.reading.gold is None):
        problem = f"{measure} needs judgments and chunks that are spans of documents"
        hint = "write both as {'doc': id, 'start': a, 'end': b}"
    elif needs != "spans" and judged.aspects is None:
        problem = f"{measure} needs judgments with {needs}, but they have no second column, or 0 in all of it"
        hint = "use the diversity (or preference) judgments of the collection"
    else:
        return
    raise UsageError("columns", problem, where=judged.names[0], hint=hint)


def ranked(grades: list[float]) -> Judged:
    """A ranking of one query in which every document is judged, from its grades at rank 1, 2, …"""
    from judged.core.labelled import rank_lists

    grade = np.array(grades, dtype=float)
    return rank_lists(grade, -np.arange(len(grade), dtype=float), np.array([len(grade)]), ("example",))


# ── the registry ─────────────────────────────────────────────────────────────────────────────────

MEASURES: Registry[Definition] = Registry("measure", package="judged.measures.families", plugins="judged.measures")


@overload
def measure(name: Formula, /) -> Formula: ...
@overload
def measure(
    name: str = "",
    *,
    family: str = "own",
    aliases: tuple[str, ...] = (),
    trec: str = "",
    laws: str = "",
    **documentation: Any,
) -> Callable[[Formula], Formula]: ...
def measure(
    name: str | Formula = "",
    *,
    family: str = "own",
    aliases: tuple[str, ...] = (),
    trec: str = "",
    laws: str = "",
    **documentation: Any,
) -> Formula | Callable[[Formula], Formula]:
    """Declare a measure: a function from `Judged` to one value per query. Without a name it has that of the function.

    >>> @measure("Depth", aliases=("list_length",))
    ... def depth(j):
    ...     '''Number of retrieved documents.'''
    ...     return j.retrieved
    """
    if callable(name):
        return measure()(name)
    if unknown := set(laws.split()) - LAWS:
        problem = f"unknown laws {', '.join(sorted(unknown))} of {name}"
        raise UsageError("parameter", problem, hint=f"choose from {', '.join(sorted(LAWS))}")

    def declare(function: Formula) -> Formula:
        definition = Definition(
            name or function.__name__,
            function,
            family,
            aliases=aliases,
            trec=tuple(trec.split()),
            laws=frozenset(laws.split()),
            **documentation,
        )
        names = [word.rstrip(".=:") for word in definition.trec]
        own = [function.__name__]  # the name of the array function
        if family == "own":
            own = []
            len(MEASURES)  # the names of the built-in measures are taken
            assert definition.parameters is not None  # a wrong signature fails here, not at the first use
        MEASURES.add(definition, also=[*names, *own])
        return function

    return declare


def find(name: str) -> Definition | None:
    """The measure of a name or alias, regardless of case, hyphens and underscores inside it."""
    inside = name[:1].isalnum() and name[-1:].isalnum()
    return MEASURES.get(name) if inside or any(name in (d.name, *d.aliases) for d in MEASURES) else None


def _translate(params: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """Translate the `dcg` of ir_measures to the gain, and the `logb` of NTCIREVAL to its discount and base."""
    styles, out = {"log2": "linear", "exp-log2": "exp"}, dict[str, Any]()
    for name, value in params.items():
        meant = {name: value}
        if name == "dcg" and "gain" in known:
            if not isinstance(value, str) or value not in styles:
                raise UsageError("parameter", f"dcg must be 'log2' or 'exp-log2', got {shown(value)}", value=value)
            meant = {"gain": styles[value]}
        elif name == "logb" and "log_base" in known:
            meant = {"log_base": value, **({} if "discount" in params else {"discount": "jk"})}
        if meant.keys() & out.keys():
            raise UsageError("parameter", f"{name!r} repeats another parameter", value=name)
        out |= meant
    return out


def _declared(name: str, module: str = "") -> Definition:
    definition = find(name)
    if definition is None and module:
        with suppress(ImportError):
            import_module(module)  # which declares it
        definition = find(name)
    if definition is None:
        raise UsageError("unknown-name", f"measure {name!r} is not declared in this process", value=name)
    return definition


# ── names, and how they are parsed ────────────────────────────────────────────────────────────────

_LEVEL = re.compile(r"(?P<rest>.+)-l(?P<level>\d+)")
_SEVERAL = re.compile(r"\d+(,\d+)+")
_BUDGET = re.compile(r"\dtok", re.IGNORECASE)
_SYNTAX = "measure"
_BEYOND = Hint("use {beyond}", beyond=Wording("jd.recommenders.beyond_accuracy", "judged recommend"))
_MEANT: dict[str, str | Hint] = {  # names with another meaning elsewhere, or with none for rankings
    **dict.fromkeys(
        ("faithfulness", "answerrelevancy", "answerrelevance", "answercorrectness", "groundedness", "hallucination"),
        "use another tool: it judges answers, not rankings",
    ),
    "auc": "use jd.curves.classify for the area under the ROC curve of all documents",
    "gauc": "use jd.recommenders.gauc, in Python",
    **dict.fromkeys(("coverage", "ils", "novelty"), _BEYOND),
    **dict.fromkeys(("diversity", "ild"), "use ILS of jd.recommenders.beyond_accuracy: diversity is 1 - ILS"),
}


def parse(text: Any) -> Measure:
    """Parse the name of one measure.

    >>> parse("ndcg_cut_10")
    nDCG@10
    """
    measures = parse_all(text)
    if len(measures) != 1:
        raise UsageError(_SYNTAX, f"expected one measure, got {len(measures)} in {shown(text)}", value=text)
    return measures[0]


def parse_averaged(text: Any) -> Measure:
    """Parse the name of one measure whose values are averaged over queries."""
    chosen = parse(text)
    if chosen.definition.summary != "mean" or chosen.definition.text:
        problem, name = f"{chosen} is not averaged over queries", str(chosen)
        raise UsageError("summary", problem, hint="choose a measure such as nDCG@10", value=name)
    return chosen


def parse_all(names: Any, *, keep_names: bool = False) -> list[Measure]:
    """Parse a name, several names separated by blanks or commas, or a list; duplicates are dropped.

    >>> parse_all("P@{1,5} map")
    [P@1, P@5, AP]
    >>> parse_all("map", keep_names=True)
    [map]
    """
    if isinstance(names, Measure):
        return [names]
    if type(names).__module__.partition(".")[0] == "ir_measures":
        names = str(names)
    if (
        isinstance(names, Mapping) or hasattr(names, "columns") or hasattr(names, "to_dict")
    ):  # judgments, a run, a frame
        raise UsageError(
            _SYNTAX,
            "measures as names, such as 'nDCG@10 AP'",
            got=type(names).__name__,
            value=type(names).__name__,
            hint="pass qrels, run, measures in this order, and several runs as a list or {name: run}",
        )
    if callable(names) and (declared := next((d for d in MEASURES if d.function is names), None)) is not None:
        return [Measure(declared)]  # a function under `@measure`
    if not isinstance(names, Iterable):
        raise UsageError(_SYNTAX, "the name of a measure, or a list of them", got=shown(names), value=names)
    if not isinstance(names, str):
        return list(dict.fromkeys(m for part in names for m in parse_all(part, keep_names=keep_names)))
    parts: list[str] = []
    for part in split_calls(names):
        whole = f"{parts[-1]},{part}" if parts else ""  # names of NTCIREVAL that contain a comma, such as `NCUgu,P`
        stem = re.split(r"[@(]", whole)[0] if whole in names else ""
        joined = "," in stem and find(stem) is not None
        parts = [*parts[:-1], whole] if joined else [*parts, part]
    if not parts:
        raise UsageError("measure", "the name of the measure is empty", hint="name one, such as nDCG@10", value=names)
    measures = []
    for part in parts:
        expanded = _expand(part)
        measures += [replace(expanded[0], label=part)] if keep_names and len(expanded) == 1 else expanded
    return list(dict.fromkeys(measures))


def _expand(text: str) -> list[Measure]:
    """Parse one name, which may list several cutoffs."""
    call = parse_call(text, _SYNTAX)
    if call.params or find(call.name) is None:
        call = in_our_words(call)
    name, at, extra = call.name, call.at, {}
    level = _LEVEL.fullmatch(at or name)  # ranx: map@10-l2
    if level and (at is not None or find(name) is None):
        name, at = (name, level["rest"]) if at else (level["rest"], at)
        extra["level"] = float(level["level"])
    definition = None if text in NICKNAMES else find(name)  # `set` and `prefs` are lists, SET and Prefs are measures
    if definition is None:
        if at is None and "(" not in text:
            listed = _trec_list(name)
            if listed:
                return [m(**extra) if extra and "level" in m.definition.parameters else m for m in listed]
            suffixed = _with_suffix(name)
            if suffixed is not None:
                return [m(**extra) for m in suffixed]
        if MEASURES.load_plugins():
            return _expand(text)
        raise _unknown(name, text)
    twice = {"tokens", definition.at, "k"} if at and _BUDGET.search(at) else {definition.at, "k"}
    if extra.keys() & call.params.keys() or (at and twice & call.params.keys()):
        raise UsageError("parameter", f"a parameter is given twice in {shown(text)}", value=text)
    base = Measure(definition)
    if call.params or extra:
        base = base(**call.params, **extra)
    if at is None:
        return [base]
    if _SEVERAL.fullmatch(at):
        at = f"{{{at}}}"
    return [base @ _cutoff(value, text) for value in (expand_at(at) if "{" in at else [at])]


def _unknown(name: str, text: str) -> UsageError:
    word = re.split(r"[._]\d", name)[0]
    action = _MEANT.get(re.sub(r"[-_]", "", word.casefold()))
    if action is None:
        stem, digits = re.fullmatch(r"(.*?)(\d*)", word).groups()  # type: ignore[union-attr]  # it always matches
        known = find(stem) if digits and text == name else None  # ndcg10
        near = MEASURES.nearest(word) if known is None or known.at != "cutoff" else f"{known.name}@{digits}"
        action = f"did you mean {near}{text[len(name) :]}?" if near else "see `judged measures` for all names"
    return UsageError("unknown-name", f"unknown measure {shown(name)}", hint=action, value=text)


def _cutoff(text: str, whole: str) -> Any:
    """The number, or the token budget, after an @."""
    if len(text) <= 20 and _BUDGET.search(text):
        return text  # which the measure reads
    long = len(text) > 20 and not text.isdigit()  # is not read at all
    if long or re.fullmatch(r"0\d+", text) or not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", text):
        hint = "write an integer without leading zeros, as in @10"
        raise UsageError(
            "cutoff", f"{shown(text)} after the @ in {shown(whole)} is not a cutoff", hint=hint, value=whole
        )
    value = float(text)
    if value > DEEPEST:
        problem = f"cutoff must be at most {DEEPEST:,}, got {shown(text)}"
        raise UsageError("cutoff", problem, hint="leave out the cutoff for all documents", value=whole)
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else value


# ── names with parameters after a dot or an underscore ───────────────────────────────────────────


def _trec_list(name: str) -> list[Measure]:
    """The measures of one of trec_eval's lists: `official`, `set`, `all_trec` …; none for other names."""
    names = [known for known in NICKNAMES.get(name, ()) if known != RUN_ID]
    return [
        m
        for known in names
        for m in ([parse(known) @ at for at in CUTOFFS[known]] if known in CUTOFFS else [parse(known)])
    ]


def _with_suffix(name: str) -> list[Measure] | None:
    """Parse `P.5,10`, `P_5`, `recall_at_5`, `rbp.95`, `ndcg.1=3,2=9`, `set_F.0.5`."""
    for cut in (m.start() for m in re.finditer(r"[._](?=[\d.p+-])", name)):
        stem = name[:cut] if find(name[:cut]) is not None else name[:cut].removesuffix("_at")
        definition = find(stem)
        if definition is not None:
            return _with_list(definition, stem, name[cut + 1 :], name)
    return None


def _with_list(definition: Definition, name: str, text: str, whole: str) -> list[Measure]:
    base, values = Measure(definition), text.split(",")
    form = next((t[-1] for t in definition.trec if t.rstrip(".=:") == name), "")
    try:
        if "=" in text:
            return [_with_pairs(base, [v.split("=", 1) for v in values])]
        if form == ":" or definition.name in ("SetF",):
            return [_with_positional(base, [float(v) for v in values])]
    except ValueError:
        raise UsageError(_SYNTAX, f"numbers after {name}.", got=shown(whole), value=whole) from None
    if form == "=" and text.isdigit() and "p" in definition.parameters:  # ranx: rbp.95
        return [base(p=float(f"0.{text}"))]
    return [base @ _cutoff(value, whole) for value in values]


def _with_pairs(base: Measure, pairs: list[list[str]]) -> Measure:
    named = {k: float(v) for k, v in pairs if not re.fullmatch(r"[+-]?\d+", k)}
    gains = {float(k): float(v) for k, v in pairs if re.fullmatch(r"[+-]?\d+", k)}
    if "gains" in named and gains:
        raise ValueError("gains twice")
    return base(**named, **({"gains": gains} if gains else {}))


def _with_positional(base: Measure, values: list[float]) -> Measure:
    if "beta" in base.definition.parameters:  # trec_eval's x is beta squared
        return base(beta=values[0] ** 0.5)
    name = next(n for n in ("weights", "points") if n in base.definition.parameters)
    return base(**{name: values})
