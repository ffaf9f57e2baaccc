"""Your rankings, judged.

    import judged as jd
    from judged import nDCG, AP

    result = jd.evaluate("qrels.txt", "bm25.run", [nDCG @ 10, AP, "RR@10"])
    print(result)

Every measure is an attribute of this module under its own name, and a function of labels and scores in lower case:
`jd.ndcg(labels, scores, k=10)`. `judged measures` lists them. The other public names are in `__init__.pyi`. Each is imported
when it is first used.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing is imported before `__main__` handles signals
    from typing import Any

_ELSEWHERE = {  # names in other libraries
    **dict.fromkeys(("roc_auc_score", "auc", "confusion_matrix", "classification_report"), "jd.curves.classify"),
    "precision_recall_curve": "jd.curves.pr_curve",
    "cohen_kappa_score": "jd.agree",
    "kappa": "jd.agree",
    "rbo": "jd.stats.rbo",
    "kendalltau": "jd.stats.kendall",
    "spearmanr": "jd.stats.spearman",
    "ttest_rel": "jd.compare",
    "ndcg_score": 'jd.ndcg(labels, scores), with ties="expected" for the mean over ties',
    "dcg_score": 'jd.dcg(labels, scores), with ties="expected" for the mean over ties',
    **dict.fromkeys(
        ("average_precision_score", "label_ranking_average_precision_score"),
        'jd.average_precision(labels, scores, tied="together")',
    ),
    "label_ranking_loss": 'jd.ranking_loss(labels, scores), with ties="worst" for equal scores as errors',
    "coverage_error": 'jd.last_hit(labels, scores), with ties="worst" for the last of equal scores',
    "calc_aggregate": "jd.evaluate(qrels, run, measures), whose result has .mean(); or jd.compat.ir_measures",
    "EvaluateRetrieval": "jd.compat.beir",
    "RelevanceEvaluator": "jd.evaluate(qrels, run, measures), whose result has .to_dict(); or jd.compat.pytrec_eval",
    "iter_calc": "jd.evaluate(qrels, run, measures), whose result has .records() and .to_dict(); or jd.compat.ir_measures",
    "gauc": "jd.recommenders.gauc",
    **dict.fromkeys(("read_trec_qrels", "parse_qrel"), "jd.read_qrels"),
    **dict.fromkeys(("read_trec_run", "parse_run"), "jd.read_run"),
}


def __getattr__(name: str) -> Any:
    if not _STUB:
        import lazy_loader

        _STUB[:] = lazy_loader.attach_stub(__name__, __file__)
    public, _, names = _STUB
    if name in names or name == "__all__":
        value = names if name == "__all__" else public(name)
    else:
        value = None if name.startswith("_") or name in _ELSEWHERE else _measure(name)
        if value is None:
            raise AttributeError(f"module 'judged' has no attribute {name!r}{_suggestion(name)}")
    globals()[name] = value
    return value


_STUB: list[Any] = []


def _measure(name: str) -> Any:
    """A measure under its own name, an array function, or a measure under an alias."""
    measures = import_module("judged.measures")
    definition = next((d for d in measures.MEASURES if name in (d.name, *d.aliases)), None)
    if definition is None or name != definition.name:
        function = import_module("judged.evaluation.array_functions").array_function(name)
        if function is not None:
            return function
    return None if definition is None else measures.Measure(definition)


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    known = __getattr__("__all__")
    longer = [other for other in known if other.startswith(f"{name}_")]
    near = next(iter(longer + get_close_matches(name, known, 1)), None)
    return f"; use {_ELSEWHERE[name]}" if name in _ELSEWHERE else f"; did you mean jd.{near}?" if near else ""


def __dir__() -> list[str]:
    names = {d.name for d in import_module("judged.measures").MEASURES if d.name.isidentifier()}
    return sorted(
        {*__getattr__("__all__"), *names, *import_module("judged.evaluation.array_functions").array_function_names()}
    )
