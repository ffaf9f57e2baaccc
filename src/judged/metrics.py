"""Measures as functions of labels and scores: `from judged.metrics import ndcg, average_precision`.

>>> from judged.metrics import ndcg
>>> ndcg([1, 0, 1], [0.9, 0.8, 0.7], k=2)
0.6131471927654584

Each is generated from the declaration of its measure when it is first used. `metrics.pyi` has their parameters for editors and
type checkers; `tools/make_stubs.py` writes it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any

import numpy as np

from judged.core.policy import Policy
from judged.errors import UsageError, shown
from judged.evaluation.arrays import array_policy, measure_columns
from judged.io.arrays import like, lists_of
from judged.measures.registry import MEASURES, Definition, Measure

_FAMILIES = ("ranked", "graded", "cascade", "user model", "overlap", "set")
_OTHERS = {
    "auc",
    "coverage_error",
    "label_ranking_loss",
    "ndcg_score",  # of scikit-learn: they return means, and treat ties otherwise
    "compat",  # the namespace
}
ELSEWHERE = {  # names in other libraries, and what does the same here
    **dict.fromkeys(("roc_auc_score", "auc", "confusion_matrix", "classification_report"), "jd.curves.classify"),
    "precision_recall_curve": "jd.curves.pr_curve",
    "cohen_kappa_score": "jd.agree",
    "kappa": "jd.agree",
    "rbo": "jd.stats.rbo",
    "kendalltau": "jd.stats.kendall",
    "spearmanr": "jd.stats.spearman",
    "ttest_rel": "jd.compare",
    "ndcg_score": 'judged.metrics.ndcg(labels, scores), with ties="expected" for the mean over ties',
    "dcg_score": 'judged.metrics.dcg(labels, scores), with ties="expected" for the mean over ties',
    **dict.fromkeys(
        ("average_precision_score", "label_ranking_average_precision_score"),
        'judged.metrics.average_precision(labels, scores, tied="together")',
    ),
    "label_ranking_loss": 'judged.metrics.ranking_loss(labels, scores), with ties="worst" for equal scores as errors',
    "coverage_error": 'judged.metrics.last_hit(labels, scores), with ties="worst" for the last of equal scores',
    "calc_aggregate": "jd.evaluate(qrels, run, measures), whose result has .mean(); or jd.compat.ir_measures",
    "EvaluateRetrieval": "jd.compat.beir",
    "RelevanceEvaluator": "jd.evaluate(qrels, run, measures), whose result has .to_dict(); or jd.compat.pytrec_eval",
    "iter_calc": "jd.evaluate(qrels, run, measures), whose result has .records() and .to_dict(); or jd.compat.ir_measures",
    "gauc": "jd.recommenders.gauc",
    **dict.fromkeys(("read_trec_qrels", "parse_qrel"), "jd.read_qrels"),
    **dict.fromkeys(("read_trec_run", "parse_run"), "jd.read_run"),
}
_HIDDEN = ("cutoff", "judged_only", "tokens")  # k is the cutoff; the others mean nothing for arrays

# Parameters of every function.
_COMMON = ("mask", "pad", "group", "qid", "total_relevant", "same_kind", "ties", "empty")


@cache
def _definitions() -> dict[str, Definition]:
    """Functions by name: the formula's name, aliases in lower case, and the measure's own name in lower case if it is one word."""
    suitable = [d for d in MEASURES if d.needs == "grades" and not d.text and d.family in _FAMILIES]
    aliases = ((alias, d) for d in suitable for alias in d.aliases if alias.islower())
    words = ((d.name.lower(), d) for d in suitable if d.name.isupper() or d.name.istitle())
    names = [*aliases, *words, *((d.function.__name__, d) for d in suitable)]
    taken = {*_OTHERS, *(d.name for d in suitable)}  # the name of a measure is the measure
    return {name: d for name, d in names if name.isidentifier() and len(name) > 1 and name not in taken}


def __dir__() -> list[str]:
    return sorted(_definitions())


def __getattr__(name: str) -> Callable[..., Any]:
    if name == "__all__":  # of `from judged.metrics import *`
        return __dir__()  # type: ignore[return-value]
    definition = None if name.startswith("_") else _definitions().get(name)
    if definition is None:
        near = [] if name.startswith("_") else get_close_matches(name, __dir__(), 1)
        hint = f"; use {ELSEWHERE[name]}" if name in ELSEWHERE else f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    function = globals()[name] = _generate(name, definition)
    return function


def _generate(name: str, definition: Definition) -> Callable[..., Any]:
    def function(
        labels: Any,
        scores: Any = None,
        k: int | Iterable[int] | None = None,
        *,
        mask: Any = None,
        pad: float | None = None,
        group: Any = None,
        qid: Any = None,
        total_relevant: Any = None,
        same_kind: bool = False,
        ties: str = "input",
        empty: str = "zero",
        **parameters: Any,
    ) -> Any:
        several = isinstance(k, Iterable)
        plain = not parameters and type(ties) is type(empty) is str and (k is None or type(k) is int)
        measures, policy = (_plain_request if plain else _request)(definition, k, ties, empty, **parameters)
        lists = lists_of(labels, scores, mask=mask, pad=pad, group=group, qid=qid)
        columns = measure_columns(lists, measures, policy, total_relevant)[1]
        values = np.stack([columns[str(m)] for m in measures], axis=1) if several else columns[str(measures[0])].copy()
        out = values[0] if lists.single else values
        if same_kind:
            return like(np.asarray(out), labels if scores is None else scores)
        return float(out) if lists.single and not several else out

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _describe(definition)
    function.__signature__ = _signature(function, definition)  # type: ignore[attr-defined]
    return function


def _request(definition: Definition, k: Any, ties: Any, empty: Any, **parameters: Any) -> tuple[list[Measure], Policy]:
    """The measures, one for each cutoff, and the policy."""
    if k is not None and definition.at != "cutoff":
        raise UsageError("cutoff", f"{definition.name} takes no cutoff, got k={shown(k)}", value=k)
    try:
        measure = Measure(definition)(**parameters)
    except UsageError as error:
        near = get_close_matches(str(error.value), _COMMON, 1) if str(error.value) in parameters else []
        raise (error.changed(hint=f"did you mean {near[0]!r}?") if near else error) from None
    cutoffs = list(k) if isinstance(k, Iterable) else [k]
    if not cutoffs:
        raise UsageError("cutoff", "k must be a cutoff or a list of cutoffs, got an empty list", value=k)
    return [measure if cutoff is None else measure(cutoff=cutoff) for cutoff in cutoffs], array_policy(
        ties=ties, empty=empty
    )


_plain_request = lru_cache(maxsize=256, typed=True)(
    _request
)  # of calls in a loop, whose arguments are few and immutable


def _signature(function: Callable[..., Any], definition: Definition) -> inspect.Signature:
    """The parameters of the function, with those of the measure in place of `**parameters`."""
    common = list(inspect.signature(function).parameters.values())[:-1]
    shown_parameters = [p for p in common if p.name != "k" or definition.at == "cutoff"]
    formula = inspect.signature(definition.function).parameters
    own = [
        formula[name].replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name in definition.parameters
        if name not in _HIDDEN
    ]
    return inspect.Signature([*shown_parameters, *own])


def _describe(d: Definition) -> str:
    parameters = "".join(
        f"\n        {name}: {spec.text}." for name, (spec, _) in d.parameters.items() if name not in _HIDDEN
    )
    cutoff = "\n        k: last rank that counts, or several of them." if d.at == "cutoff" else ""
    return inspect.cleandoc(f"""{d.description}

    {d.name}: {d.formula or d.description}. Returns one value per list: an array, or a number for a single list; several k give one column each.

    Args:
        labels: grades of the items; layouts as in `score`.
        scores: scores of the items; without them, labels are in the order of the ranking.{cutoff}
        mask, pad, group, qid, total_relevant: as in `score`.
        same_kind: return the kind of array that the scores are (PyTorch, JAX).
        ties: input order (`input`), `best`, `worst`, or `expected`: the mean over all orders.
        empty: value of a list without a relevant item.{parameters}
    """)
