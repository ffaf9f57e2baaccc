"""Parse names of measures: `nDCG(gain='exp')@10`, several cutoffs at once, and the spellings of other tools.

Name    Name@k    Name(parameter=value, …)@k    Name@{1,5,10}    Name@1,5,10    Name@2000tok
trec_eval   ndcg_cut_10   ndcg_cut.10   P.5,10   set_F.0.5   ndcg.1=3,2=9
ranx        ndcg@10-l2    rbp.95
ir_measures nDCG(dcg='exp-log2')@10   P(rel=2)@5   (and its objects)
CatBoost    NDCG:top=5;type=Exp
others      ndcg_at_10    recall_at_k with a number    ndcg_metric (rax)    average_precision_score (scikit-learn)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from judged.errors import Hint, UsageError, Wording, shown
from judged.measures.other_tools import CUTOFFS, NICKNAMES, RUN_ID, in_our_words
from judged.measures.parameters import DEEPEST
from judged.measures.registry import MEASURES, Definition, Measure, find
from judged.registry import expand_at, parse_call, split_calls

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
    **dict.fromkeys(("coverage", "diversity", "ild", "novelty"), _BEYOND),
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
    if definition is not None:
        return _with_parameters(definition, call.params, at, extra, text)
    if at is None and "(" not in text:
        listed = _trec_list(name)
        if listed:
            return [m(**extra) if extra and "level" in m.definition.parameters else m for m in listed]
        suffixed = _with_suffix(name)
        if suffixed is not None:
            return [m(**extra) for m in suffixed]
    raise _unknown(name, text)


def _with_parameters(
    definition: Definition, given: dict[str, Any], at: str | None, extra: dict[str, Any], text: str
) -> list[Measure]:
    twice = {"tokens", definition.at, "k"} if at and _BUDGET.search(at) else {definition.at, "k"}
    if extra.keys() & given.keys() or (at and twice & given.keys()):
        raise UsageError("parameter", f"a parameter is given twice in {shown(text)}", value=text)
    base = Measure(definition)
    if given or extra:
        base = base(**given, **extra)
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
