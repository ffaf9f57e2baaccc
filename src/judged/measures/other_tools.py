"""Names of measures in other tools that stand for a measure with parameters."""

from __future__ import annotations

from typing import Any

from judged.errors import UsageError, shown
from judged.registry import Call, parse_call

_NAMES = {
    # XGBoost
    "pre": "P",
    # rax: gain 2^grade - 1, precision of the items that there are
    "mrr_metric": "RR", "recall_metric": "R", "precision_metric": "P(short='shrink')", "ap_metric": "AP", "opa_metric": "OPA",
    "dcg_metric": "DCG(gain='exp')", "ndcg_metric": "nDCG(gain='exp')",
    # scikit-learn: equal scores together
    "dcg_score": "DCG", "average_precision_score": "AP(tied='together')", "label_ranking_average_precision_score": "AP(tied='together')",
    "roc_auc_score": "AUC", "precision_score": "SetP", "recall_score": "SetR", "f1_score": "SetF", "fbeta_score": "SetF",
    "accuracy_score": "SetAccuracy", "balanced_accuracy_score": "BalancedAccuracy", "matthews_corrcoef": "MCC", "top_k_accuracy_score": "Success@2",
    # RAGAS: the mean of P@r over the ranks r of relevant contexts that were retrieved
    "context_precision": "AP(norm='found')", "context_recall": "R",
}  # fmt: skip
_CATBOOST = {
    "NDCG": "nDCG", "DCG": "DCG", "MAP": "AP(norm='capped')", "MRR": "RR", "PrecisionAt": "P(short='shrink')", "RecallAt": "R",
    "PFound": "PFound(chance='grade')",
}  # fmt: skip
_CATBOOST_PARAMETERS: dict[str, dict[str, tuple[str, str]]] = {
    "type": {"Base": ("gain", "linear"), "Exp": ("gain", "exp")},
    "denominator": {"LogPosition": ("discount", "log2"), "Position": ("discount", "rank")},
}


def in_our_words(call: Call) -> Call:
    """Translate a name of XGBoost, rax, scikit-learn, RAGAS, CatBoost or ir_measures; any other stays.

    >>> in_our_words(parse_call("NDCG:top=5;type=Exp"))
    Call(name='nDCG', params={'gain': 'exp'}, at='5')
    """
    name, colon, rest = call.name.partition(":")
    if colon and name in _CATBOOST:
        return _of_catboost(name, rest, call)
    meant = parse_call(_NAMES[call.name]) if call.name in _NAMES else call
    if meant is not call:
        at = meant.at if call.at is None and not {"k", "cutoff"} & call.params.keys() else call.at
        return Call(meant.name, {**meant.params, **call.params}, at)
    if call.name == "NumRet" and {"rel", "level"} & call.params.keys():
        return call._replace(name="NumRelRet")
    if call.name == "SetP" and isinstance(call.params.get("relative"), bool):
        others = {key: value for key, value in call.params.items() if key != "relative"}
        return Call("SetRelP" if call.params["relative"] else "SetP", others, call.at)
    return call


def _of_catboost(name: str, text: str, call: Call) -> Call:
    meant = parse_call(_CATBOOST[name])
    params, at = dict[str, Any](meant.params), call.at
    for word in text.split(";"):
        key, _, value = word.partition("=")
        if key == "top" and at is None:
            at = value
        elif key == "decay" and name == "PFound":
            params |= parse_call(f"PFound(decay={value})").params
        elif name in ("NDCG", "DCG") and value in _CATBOOST_PARAMETERS.get(key, {}):
            params |= [_CATBOOST_PARAMETERS[key][value]]
        else:
            raise UsageError("parameter", f"cannot translate {shown(word)} of CatBoost", where=call.name, value=word,
                             hint="write top, and type or denominator of NDCG and DCG; level= instead of border")  # fmt: skip
    return Call(meant.name, {**params, **call.params}, None if at == "-1" else at)
