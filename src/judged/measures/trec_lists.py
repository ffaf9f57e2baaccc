"""Names of trec_eval: its measures in the order of its output, its nicknames for lists, and its usual cutoffs."""

from __future__ import annotations

RUN_ID = "runid"  # the only one that is not a measure: the name of the run
ORDER = (
    RUN_ID,
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
    "relstring",
    "recall",
    "infAP",
    "gm_bpref",
    "Rprec_mult",
    "utility",
    "11pt_avg",
    "binG",
    "G",
    "dcg",
    "ideal_dcg",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    "ndcg_cut",
    "map_cut",
    "relative_P",
    "success",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
    "map_avgjg",
    "P_avgjg",
    "Rprec_mult_avgjg",
    "yaap",
    "rbp",
    "rbp_resid",
    "unj",
)

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
