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
from typing import Any

import lazy_loader

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)

_ELSEWHERE = {  # names in other libraries
    "roc_auc_score": "curves.classify", "auc": "curves.classify", "confusion_matrix": "curves.classify",
    "classification_report": "curves.classify", "precision_recall_curve": "curves.pr_curve", "cohen_kappa_score": "agree",
    "kappa": "agree", "rbo": "stats.rbo", "kendalltau": "stats.kendall", "spearmanr": "stats.spearman", "ttest_rel": "compare",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        value = _public(name)
    else:
        value = None if name.startswith("_") else _measure(name)
        if value is None:
            raise AttributeError(f"module 'judged' has no attribute {name!r}{_suggestion(name)}")
    globals()[name] = value
    return value


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

    near = _ELSEWHERE.get(name) or next(iter(get_close_matches(name, __all__, 1)), None)
    return f"; did you mean judged.{near}?" if near else ""


def __dir__() -> list[str]:
    names = {d.name for d in import_module("judged.measures").MEASURES if d.name.isidentifier()}
    return sorted({*__all__, *names, *import_module("judged.evaluation.array_functions").array_function_names()})
