"""Names of measures in other tools."""

from __future__ import annotations

from typing import Any

from judged.errors import UsageError, shown
from judged.registry import Call, parse_call

NAMES: dict[str, dict[str, str]] = {  # of a tool, those that stand for a measure with parameters
    "xgboost": {"pre": "P"},
    "rax": {  # gain 2^grade - 1, precision of the items that there are
        "mrr_metric": "RR",
        "recall_metric": "R",
        "precision_metric": "P(short='shrink')",
        "ap_metric": "AP",
        "opa_metric": "OPA",
        "dcg_metric": "DCG(gain='exp')",
        "ndcg_metric": "nDCG(gain='exp')",
    },
    "sklearn": {  # equal scores together
        "dcg_score": "DCG",
        "average_precision_score": "AP(tied='together')",
        "label_ranking_average_precision_score": "AP(tied='together')",
        "roc_auc_score": "AUC",
        "precision_score": "SetP",
        "recall_score": "SetR",
        "f1_score": "SetF",
        "fbeta_score": "SetF",
        "accuracy_score": "SetAccuracy",
        "balanced_accuracy_score": "BalancedAccuracy",
        "matthews_corrcoef": "MCC",
        "top_k_accuracy_score": "Success@2",
    },
    "ragas": {  # the mean of P@r over the ranks r of relevant contexts that were retrieved
        "context_precision": "AP(norm='found')",
        "context_recall": "R",
    },
}
SPELLINGS = {  # of the other names of a tool, which are parsed as they are; k is a cutoff
    "ranx": "hits@k hit_rate@k precision@k recall@k f1@k r-precision mrr@k map@k dcg@k dcg_burges@k ndcg@k ndcg_burges@k bpref rbp.95",
    "gdeval": "ndcg@k err@k",
    "torchmetrics": "RetrievalMAP RetrievalMRR RetrievalPrecision RetrievalRecall RetrievalHitRate RetrievalFallOut RetrievalNormalizedDCG "
    "RetrievalRPrecision RetrievalAUROC",
    "sklearn": "ndcg_score coverage_error label_ranking_loss",
    "beir": "NDCG@k MAP@k Recall@k P@k MRR@k R_cap@k Hole@k Accuracy@k",
    "mteb": "ndcg_at_k map_at_k recall_at_k precision_at_k mrr_at_k hit_rate_at_k",
    "sentence-transformers": "ndcg@k map@k recall@k precision@k mrr@k accuracy@k",
    "msmarco": "MRR@k",
    "lightgbm": "ndcg@k map@k",
    "xgboost": "ndcg@k map@k pre@k",
    "catboost": "NDCG:top=k DCG:top=k MAP:top=k MRR:top=k PrecisionAt:top=k RecallAt:top=k",
    "lenskit": "NDCG@k DCG@k Precision@k Recall@k RecipRank@k Hit@k AveragePrecision@k RBP@k",
    "ntcireval": "RR O-measure P-measure P-plus AP AP@k Q-measure Q@k RBP ERR nERR@k nDCG@k MSnDCG@k P@k Hit@k",
    "mlflow": "ndcg_at_k precision_at_k recall_at_k",
}
_CATBOOST = {
    "NDCG": "nDCG",
    "DCG": "DCG",
    "MAP": "AP(norm='capped')",
    "MRR": "RR",
    "PrecisionAt": "P(short='shrink')",
    "RecallAt": "R",
    "PFound": "PFound(chance='grade')",
}
_MEANT = {name: meant for names in NAMES.values() for name, meant in names.items()}
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
    meant = parse_call(_MEANT[call.name]) if call.name in _MEANT else call
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
            raise UsageError(
                "parameter",
                f"cannot translate {shown(word)} of CatBoost",
                where=call.name,
                value=word,
                hint="write top, and type or denominator of NDCG and DCG; level= instead of border",
            )
    return Call(meant.name, {**params, **call.params}, None if at == "-1" else at)


RUN_ID = "runid"  # the only one that is not a measure: the name of the run
_PRINTED = """
    num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring recall
    infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut map_cut
    relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret
    prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg
    prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp
    prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
ORDER = (RUN_ID, *_PRINTED.split())  # in which trec_eval prints them

_ALWAYS = (RUN_ID, "num_q")
_PREFERENCES = tuple(name for name in ORDER if name.startswith("prefs_"))
_NOT_IN_ALL = {*_PREFERENCES, "dcg", "ideal_dcg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap"}
NICKNAMES = {
    "official": ORDER[: ORDER.index("P") + 1],
    "set": (*ORDER[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": tuple(name for name in ORDER if name not in _NOT_IN_ALL),
    "all_prefs": (*_ALWAYS, *_PREFERENCES),
    "prefs": (*_ALWAYS, *_PREFERENCES[:6]),
    "qrels_jg": (*_ALWAYS, "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}

_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = tuple(i / 5 for i in range(1, 11))
CUTOFFS: dict[str, tuple[float, ...]] = {  # measures that give one value per cutoff, and the usual cutoffs
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "P_avgjg"), _RANKS),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), _MULTIPLES),
    "iprec_at_recall": tuple(i / 10 for i in range(11)),
    "success": (1, 5, 10),
    "unj": (5, 10, 20),
}
