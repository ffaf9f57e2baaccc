"""Profiles: the conventions of another tool, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from judged.core.policy import Policy
from judged.errors import UsageError
from judged.measures.registry import MEASURES, Measure
from judged.registry import choose_one


class Convention(NamedTuple):
    """Conventions of a tool for some of its measures.

    Args:
        measures: their names, separated by blanks.
        params: parameters of the measures, unless they are explicit.
        policy: policies of these measures alone, unless they are given.
        instead: the measure that the tool means by these names.
        when: parameters that a measure must have; `...` means any value but the default.
    """

    measures: str
    params: Mapping[str, Any] = {}
    policy: Mapping[str, Any] = {}
    instead: str = ""
    when: Mapping[str, Any] = {}

    def fits(self, measure: Measure) -> bool:
        """True if the convention is about this measure."""
        if measure.name not in self.measures.split():
            return False
        default = {name: value for name, (_, value) in measure.definition.parameters.items()}
        return all(
            measure.get(name) != default.get(name) if value is ... else measure.get(name) == value
            for name, value in self.when.items()
        )


class Profile(NamedTuple):
    """Policies and parameters in which a tool differs from trec_eval 10 with `-c`.

    Args:
        name: its name.
        text: what it sets, for the docs.
        policy: policies of every measure.
        measures: those of the tool that were compared with it, for `has`: `P` without a cutoff, `P@` with one, `P@?` with or without, `RBP(level)` with
            this parameter; `trec` stands for all that trec_eval prints, but for those with a minus.
        conventions: those of single measures.
        except_for: where the tool gives another number all the same, and why.
    """

    name: str
    text: str
    measures: str
    policy: Mapping[str, Any] = {}
    conventions: tuple[Convention, ...] = ()
    except_for: str = ""

    def has(self, measure: Measure) -> bool:
        """True if the tool has this measure, with a cutoff if the measure has one."""
        words, at = self.measures.split(), measure.definition.at == "cutoff" and measure.get("cutoff") is not None
        if "trec" in words:
            printed = [word.endswith(".") and measure.definition.at == "cutoff" for word in measure.definition.trec]
            return at in printed and not {f"-{measure.name}", f"-{measure.definition.needs}"} & {*words}
        names = (measure.name, *(f"{measure.name}({name})" for name in measure.explicit))
        return any(f"{name}{end}" in words for name in names for end in ("@" if at else "", "@?"))

    def apply(self, measure: Measure, given: Iterable[str] = ()) -> Measure:
        """The measure under this profile; explicit parameters and `given` policies are kept.

        Parameters of the profile that have no effect are left out, such as those of a cutoff: give the measure its cutoff first.
        """
        for convention in self.conventions:
            if convention.instead and convention.fits(measure):
                written = {name: measure.get(name) for name in measure.explicit}
                measure = Measure(MEASURES.find(convention.instead))(**written)
        fitting = [convention for convention in self.conventions if not convention.instead and convention.fits(measure)]
        params = {
            n: v for c in fitting for n, v in c.params.items() if n not in measure.explicit and not measure.lacks(n, v)
        }
        policy = {n: v for c in fitting for n, v in c.policy.items() if n not in given}
        return replace(measure(**params), explicit=measure.explicit, policy=tuple(policy.items()))


_DOUBLE = {"precision": "float64"}
_ASCENDING = {"ties": "id-asc", **_DOUBLE}
_INPUT = {"ties": "input", **_DOUBLE}
_RECALL_POINTS = Convention("IPrec IPrec11", {"rounding": "trec9"})
_BURGES = Convention("nDCG DCG", {"gain": "exp"})
_CAPPED = Convention("AP", {"norm": "capped"})
_HITS = Convention("Accuracy", instead="Success")
_LOGARITHMS = "gm_map and gm_bpref of a query, which are logarithms there; their means agree"
_PYTREC = {"queries": "both", "precision": "float32"}

PROFILES = {
    p.name: p
    for p in (
        Profile(
            "trec_eval-10",
            "trec_eval 10 with -c: the defaults",
            "trec",
            except_for="fractional grades, which it truncates; inputs that are errors here; see docs/reference/trec_eval.md",
        ),
        Profile(
            "trec_eval-9",
            "trec_eval 9.0.4: scores in float32, missing queries skipped, recall levels rounded by adding 0.9",
            "trec -DCG -IDCG -RBP -RBPResidual -Unjudged",
            _PYTREC,
            (_RECALL_POINTS,),
            _LOGARITHMS,
        ),
        Profile(
            "pytrec_eval",
            "pytrec_eval 0.5: the conventions of trec_eval 9",
            "trec -DCG -IDCG -RBP -RBPResidual -Unjudged -yaap -relstring -groups -preferences",
            _PYTREC,
            (_RECALL_POINTS,),
            _LOGARITHMS,
        ),
        Profile(
            "ir_measures",
            "ir_measures 0.4: each measure as its provider has it. Most are pytrec_eval's; RR@k, Judged, Compat and measures of subtopics order "
            "equal scores by ascending id, Accuracy and measures of C/W/L in input order, all in float64. RBP has p = 0.8; the beta of SetF is a square",
            "Accuracy@? AP@? BPM@ Bpref Compat ERR@ ERR_IA@ nERR_IA@ P_IA@ alpha_DCG@ alpha_nDCG@ NRBP nNRBP AP_IA StRecall@ infAP INST INSQ IPrec Judged@? nDCG@? NERR8@ NERR9@ "
            "NERR10 NERR11 NumQ NumRel NumRet NumRelRet P@ R@ RBP(level)@? Rprec RR@? SDCG@ SetP SetRelP SetR SetF SetAP Success@",
            {"precision": "float32"},
            (
                _RECALL_POINTS,
                Convention("SetF", {"squared": True}, when={"beta": ...}),
                Convention("RR", policy=_ASCENDING, when={"cutoff": ..., "judged_only": False}),
                Convention("Judged Compat", policy=_ASCENDING),
                Convention("ERR_IA nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP AP_IA P_IA StRecall", policy=_ASCENDING),
                Convention("RBP", {"p": 0.8}, _INPUT),
                Convention("BPM SDCG NERR8 NERR9 NERR10 NERR11 INST INSQ Accuracy", policy=_INPUT),
                Convention("ERR", policy=_DOUBLE),
                Convention(
                    "nDCG", policy=_DOUBLE, when={"gain": "exp", "cutoff": ..., "gains": None, "judged_only": False}
                ),
            ),
            "Accuracy of a query without a relevant document retrieved, which has no value there; Compat with equal scores, or scores ≤ 0; NumQ and NumRel "
            "of queries that the run lacks; diversity at cutoff 1, which pyndeval does not normalise; IPrec(judged_only=True) without a relevant document or a judged one retrieved, which is NaN there; ERR and nDCG(gain='exp') have five decimals there",
        ),
        Profile(
            "ranx",
            "ranx 0.3 with make_comparable: hits averaged, RBP of raw grades, ties in input order",
            "NumRelRet@? MeanRelRet@? Success@? P@? R@? F@? Rprec RR@? AP@? DCG@? DCG_burges@? nDCG@? nDCG_burges@? Bpref RBP",
            {"ties": "input"},
            (Convention("NumRelRet", instead="MeanRelRet"), Convention("RBP", {"scale": "none", "level": 1})),
            "equal scores in rankings of more than 15 documents, whose order it shuffles; bpref, which counts negative grades as not relevant, and is "
            "NaN without judged non-relevant documents",
        ),
        Profile(
            "gdeval",
            "gdeval.pl: gain 2^grade - 1, ERR with a top grade of 4; topics that are missing or have no relevant document are left out",
            "nDCG@ ERR@",
            {"queries": "both", "empty": "skip"},
            (_BURGES,),
            "the sixth decimal, which it does not print",
        ),
        Profile(
            "torchmetrics",
            "torchmetrics retrieval: scores in float32; AP divided by the number of relevant documents found; nDCG averaged over equal scores; AUROC of a list "
            "without a non-relevant item 0, its FallOut 1 (RetrievalFallOut; the function retrieval_fall_out has 0)",
            "AP@? RR@? P@? R@? Success@? FallOut@? nDCG@? Rprec AUC@?",
            {"ties": "input", "queries": "both", "precision": "float32"},
            (
                Convention("AP", {"norm": "found"}),
                Convention("nDCG", policy={"ties": "expected"}),
                Convention("AUC", {"no_negatives": 0.0}),
                Convention("FallOut", {"no_negatives": 1.0}),
            ),
            "equal scores, which it sorts in an order of its own (all but nDCG); AUROC of scores outside of 0 to 1, which pass through a sigmoid in float32; scores ≤ 0, which count as not "
            "retrieved in MAP, MRR, Precision and Recall",
        ),
        Profile(
            "sklearn",
            "scikit-learn: ties averaged in ndcg_score and dcg_score; average_precision_score takes equal scores together",
            "nDCG@? DCG@? AP AUC LastHit RankingLoss",
            {"ties": "expected", "queries": "both"},
            (
                Convention("AP", {"tied": "together"}, {"ties": "input"}),
                Convention("AUC LastHit RankingLoss", policy={"ties": "input"}),
            ),
            "roc_auc_score of one class, which is NaN there",
        ),
        Profile(
            "beir",
            "BEIR: pytrec_eval's conventions; MRR, R_cap, Hole and Accuracy, which is Success, order equal scores by input, in float64",
            "nDCG@ AP@ R@ P@ RR@ RCap@ Accuracy@ Success@ Hole@",
            _PYTREC,
            (_HITS, Convention("RR RCap Success Hole", policy=_INPUT)),
            "MRR, R_cap and Accuracy of a run that lacks queries, which these three count as 0; R_cap without a relevant document, which fails there; "
            "Hole of documents that are judged for another query, which are no holes there; the sixth decimal",
        ),
        Profile(
            "mteb",
            "MTEB: pytrec_eval's conventions; MRR in float64; Accuracy is Success",
            "nDCG@ AP@ R@ P@ RR@ RCap@ Accuracy@ Success@",
            _PYTREC,
            (_HITS, Convention("RR RCap", policy=_DOUBLE)),
            "hit_rate and the other measures of pytrec_eval have five decimals there",
        ),
        Profile(
            "sentence-transformers",
            "InformationRetrievalEvaluator: binary gain, AP divided by min(k, relevant), Accuracy is Success; queries without a relevant document are "
            "left out; equal scores by ascending id",
            "nDCG@ AP@ R@ P@ RR@ Accuracy@ Success@",
            {"queries": "both", "empty": "skip", "ties": "id-asc"},
            (_HITS, _CAPPED, Convention("nDCG", {"gain": "binary"})),
        ),
        Profile(
            "msmarco",
            "MS MARCO's evaluation script: RR@10 over all queries with a relevant passage",
            "RR@",
            {"empty": "skip"},
        ),
        Profile(
            "lightgbm",
            "LightGBM: gain 2^grade - 1, 1 for queries without a relevant document",
            "nDCG@ AP@",
            {"empty": "one", "ties": "input"},
            (_BURGES, _CAPPED),
        ),
        Profile(
            "xgboost",
            "XGBoost: the conventions of LightGBM; scores in float32; pre@k divided by the length of a shorter list, 0 for queries without a relevant document",
            "nDCG@? AP@? P@",
            {"empty": "one", "ties": "input", "precision": "float32"},
            (_BURGES, _CAPPED, Convention("P", {"short": "shrink"}, {"empty": "zero"})),
        ),
        Profile(
            "catboost",
            "CatBoost: AP divided by min(k, relevant), precision by the length of a shorter list, nDCG and recall 1 for queries without a relevant "
            "document, the lowest grade first among equal scores",
            "nDCG@? DCG@? RR@? AP@? P@? R@?",
            {"ties": "worst"},
            (_CAPPED, Convention("P", {"short": "shrink"}), Convention("R nDCG", policy={"empty": "one"})),
            "labels above the border 0.5 are relevant there, here those of at least 1",
        ),
        Profile(
            "lenskit",
            "LensKit: binary gain, a discount of log2(rank) from rank 2 on, recall divided by min(k, relevant), precision by the length of a shorter "
            "list, RBP with p = 0.85; users without a test item are left out",
            "nDCG@? DCG@? P@? R@? RR@? Success@? AP@? RBP@?",
            {"empty": "skip"},
            (
                Convention("R", instead="RCap"),
                Convention("nDCG DCG", {"gain": "binary", "discount": "jk"}),
                Convention("P", {"short": "shrink"}),
                Convention("RBP", {"p": 0.85, "level": 1}),
                Convention("AP", {"norm": "list"}),
            ),
            "P and AP of a user without a list, which have no value there",
        ),
        Profile(
            "ntcireval",
            "NTCIREVAL with -g 1:2:3: nDCG with the original discount (MSnDCG has today's), AP@k and Q@k divided by min(k, relevant), ERR, nERR and RBP "
            "of grades up to 3 with linear gain, RBP with p = 0.95",
            "RR O_measure P_measure P_plus AP@? Q@? RBP ERR nERR@ nDCG@ MSnDCG@ P@ Success@ NCUguP NCUguBR NCUrbP NCUrbBR",
            {},
            (
                Convention("nDCG", {"discount": "jk"}),
                Convention("AP Q", {"norm": "capped"}),
                Convention("ERR nERR", {"gain": "linear", "max": 3.0}),
                Convention("RBP", {"p": 0.95, "max": 3.0}),
            ),
            "queries without a relevant document, for which it fails",
        ),
        Profile(
            "mlflow",
            "MLflow's ndcg_at_k, precision_at_k and recall_at_k: binary gain; the cutoff of nDCG and precision shrinks to the length of a shorter list",
            "nDCG@ P@ R@",
            {"ties": "input"},
            (Convention("nDCG", {"gain": "binary", "short": "shrink"}), Convention("P", {"short": "shrink"})),
            "nDCG and recall of a query without a relevant document and without a ranking, which are 1 there; nDCG computed in float32",
        ),
        Profile(
            "notes",
            "the functions of the course notes (docs/learn/notes.md): gain 2^grade - 1; AP divided by the cutoff; P, AP and ERR of lists shorter than the cutoff 0",
            "nDCG@? DCG@? P@ AP@ ERR@",
            {"ties": "input", "queries": "both"},
            (_BURGES, Convention("P ERR", {"short": "zero"}), Convention("AP", {"norm": "cutoff", "short": "zero"})),
            "labels above 0 are relevant there, here those of at least 1; nDCG of a list without a relevant item, which has no value there; all in float32",
        ),
    )
}

POLICIES = {name: Policy(**tool.policy) for name, tool in PROFILES.items()}


UNCHANGED = "trec_eval-10"  # the profile that leaves measures as they are


def profile(name: str) -> Profile:
    """A profile by its name."""
    if name not in PROFILES:
        raise UsageError("profile", f"unknown profile {name!r}", hint=choose_one(name, PROFILES), value=name)
    return PROFILES[name]
