"""Names in: `nDCG(gain='exp')@10`, several cutoffs at once, and the spellings of other tools.

Name    Name@k    Name(param=value, …)@k    Name@{1,5,10}    Name@2000tok
trec_eval   ndcg_cut_10   ndcg_cut.10   P.5,10   set_F.0.5   ndcg.1=3,2=9
ranx        ndcg@10-l2    rbp.95
ir_measures nDCG(dcg='exp-log2')@10   P(rel=2)@5
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from judged.errors import UsageError, shown
from judged.measures.registry import Definition, Measure, find, nearest

__all__ = ["parse", "parse_all"]

_SHAPE = re.compile(r"\s*(?P<name>[^\s@(){}]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>\S.*?))?\s*", re.DOTALL)
_LEVEL = re.compile(r"(?P<rest>.+)-l(?P<level>\d+)")
_COMMA_OUTSIDE = re.compile(r",\s*(?=[A-Za-z]\w*(?![\w=]))(?![^(]*\))(?![^{]*\})")
_LONGEST = 1_000
_AROUND_AT = re.compile(r"\s*@\s*")
_SPACE_OUTSIDE = re.compile(r"\s+(?![^(]*\))(?![^{]*\})")


def parse(text: str | Measure) -> Measure:
    """One measure from its name.

    >>> parse("ndcg_cut_10")
    nDCG@10
    """
    found = parse_all(text)
    if len(found) != 1:
        raise UsageError("measure", "one measure", got=f"{len(found)} in {shown(text)}", value=text)
    return found[0]


def parse_all(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from a name, several names separated by blanks, or a list; each once.

    >>> parse_all("P@{1,5} map")
    [P@1, P@5, AP]
    """
    if isinstance(names, Measure):
        return [names]
    if not isinstance(names, Iterable):
        raise UsageError("measure", "the name of a measure, or a list of them", got=shown(names), value=names)
    if isinstance(names, str):
        words = [word for word in _SPACE_OUTSIDE.split(_AROUND_AT.sub("@", names.strip())) if word]
        parts = [part for word in words for part in _by_comma(word)]
        if not parts:
            raise UsageError("measure", "the name of a measure", got=shown(names), hint="for example nDCG@10")
        return _each_once(m for part in parts for m in _expanded(part))
    return _each_once(m for part in names for m in ([part] if isinstance(part, Measure) else parse_all(part)))


def _by_comma(word: str) -> list[str]:
    """Names between commas, unless the whole is one: NTCIREVAL has `NCUgu,P`."""
    name = re.split(r"[@(]", word)[0]
    if "," in name and find(name) is not None:
        return [word]
    return [part for part in _COMMA_OUTSIDE.split(word.strip(",")) if part]


def _each_once(found: Iterable[Measure]) -> list[Measure]:
    return list(dict.fromkeys(found))


def _expanded(text: str) -> list[Measure]:
    """One name, which may stand for several cutoffs."""
    shape = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    if shape is None:
        raise UsageError("measure", "Name, Name@k or Name(param=value)@k", got=shown(text), value=text)
    name, at, extra = shape["name"], shape["at"], {}
    level = _LEVEL.fullmatch(at or name)  # ranx: map@10-l2
    if level and (at is not None or find(name) is None):
        name, at = (name, level["rest"]) if at else (level["rest"], at)
        extra["level"] = float(level["level"])
    definition = find(name)
    if definition is not None:
        given = _keywords(shape["params"], text)
        clash = {"tokens", definition.at, "k"} if at and _is_budget(at) else {definition.at, "k"}
        if extra.keys() & given.keys() or (at and clash & given.keys()):
            raise UsageError("parameter", "each parameter once", got=shown(text), value=text)
        base = Measure(definition)(**given, **extra)
        return [base @ _at(value, text) for value in _several(at)] if at else [base]
    if at is None and shape["params"] is None:
        listed = _listed(name)
        if listed:
            return [m(**extra) if extra and "level" in m.definition.parameters else m for m in listed]
    dotted = _dotted(name)
    if dotted is None or at or shape["params"]:
        close = nearest(re.split(r"[._]\d", name)[0])
        suffix = text[len(name) :] if close else ""
        raise UsageError(
            "metric",
            f"no measure is called {shown(name)}",
            hint=f"did you mean {close}{suffix}?" if close else "`judged measures` lists all",
            value=text,
        )
    return [m(**extra) for m in dotted]


def _several(at: str) -> list[str]:
    if at.startswith("{") and at.endswith("}"):
        parts = [part.strip() for part in at[1:-1].split(",")]
        if not all(parts):
            raise UsageError("cutoff", "numbers in the braces, as in @{1,5,10}", got=shown(at), value=at)
        return parts
    return [at]


def _is_budget(text: str) -> bool:
    return re.search(r"\dtok", text, re.IGNORECASE) is not None


def _at(text: str, whole: str) -> Any:
    if _is_budget(text) and len(text) <= 20:
        return text  # which the measure reads
    if len(text) > 20:
        raise UsageError("cutoff", "a number behind the @", got=shown(whole), value=whole)
    if re.fullmatch(r"0\d+", text):
        raise UsageError(
            "cutoff", "a cutoff without leading zeros", got=shown(whole), hint=f"write @{int(text)}", value=whole
        )
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise UsageError("cutoff", "a number behind the @", got=shown(whole), value=whole) from None


def _keywords(text: str | None, whole: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError(text)
        pairs = {str(k.arg): _literal(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError("measure", "parameters as name=value", got=shown(whole), value=whole) from None
    return _translated(pairs)


def _literal(node: ast.expr) -> Any:
    return (
        node.id if isinstance(node, ast.Name) and node.id not in ("None", "True", "False") else ast.literal_eval(node)
    )


def _translated(pairs: dict[str, Any]) -> dict[str, Any]:
    """ir_measures writes the gain into its `dcg`."""
    style = pairs.pop("dcg", None)
    if style is not None:
        styles = {"log2": "linear", "exp-log2": "exp"}
        if not isinstance(style, str) or style not in styles:
            raise UsageError("parameter", "dcg to be 'log2' or 'exp-log2'", got=shown(style), value=style)
        pairs["gain"] = styles[style]
    return pairs


# ── names with parameters behind a dot or an underscore ──────────────────────────────────────────


def _listed(name: str) -> list[Measure]:
    """trec_eval's lists: `official`, `set`, `all_trec` …; nothing for other names."""
    from judged.measures.trec_names import CUTOFFS, NICKNAMES, RUN_ID

    names = [known for known in NICKNAMES.get(name, ()) if known != RUN_ID]
    return [
        m
        for known in names
        for m in ([parse(known) @ at for at in CUTOFFS[known]] if known in CUTOFFS else [parse(known)])
    ]


def _dotted(name: str) -> list[Measure] | None:
    """`P.5,10`, `P_5`, `rbp.95`, `ndcg.1=3,2=9`, `set_F.0.5`."""
    for cut in (m.start() for m in re.finditer(r"[._](?=[\d.p+-])", name)):
        definition = find(name[:cut])
        if definition is not None:
            return _with_list(definition, name[:cut], name[cut + 1 :], name)
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
        raise UsageError("measure", f"numbers behind {name}.", got=shown(whole), value=whole) from None
    if form == "=" and text.isdigit():  # ranx: rbp.95
        return [base(p=float(f"0.{text}"))]
    return [base @ _at(value, whole) for value in values]


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
