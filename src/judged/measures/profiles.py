"""Profiles: the conventions of another tool, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judged.errors import UsageError
from judged.measures.registry import Measure


@dataclass(frozen=True, slots=True)
class Profile:
    """Policies and parameters in which a tool differs from trec_eval 10 with `-c`."""

    name: str
    text: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def apply(self, measure: Measure) -> Measure:
        """The measure under this profile; explicit parameters are kept."""
        own = self.params.get(measure.name, {})
        return measure(**{name: value for name, value in own.items() if name not in measure.explicit})


_BURGES = {"nDCG": {"gain": "exp"}, "DCG": {"gain": "exp"}}
_CAPPED = {"AP": {"norm": "capped"}}

PROFILES = {
    p.name: p
    for p in (
        Profile("trec_eval-10", "trec_eval 10 with -c: the defaults"),
        Profile(
            "trec_eval-9",
            "trec_eval 9.0.4 and pytrec_eval: scores in float32, missing queries skipped, recall levels rounded by adding 0.9",
            {"queries": "both", "precision": "float32"},
            {"IPrec": {"rounding": "trec9"}, "IPrec11": {"rounding": "trec9"}},
        ),
        Profile(
            "ir_measures",
            "ir_measures 0.4: pytrec_eval's conventions, RBP with p = 0.8",
            {"precision": "float32"},
            {"IPrec": {"rounding": "trec9"}, "IPrec11": {"rounding": "trec9"}, "RBP": {"p": 0.8}},
        ),
        Profile("ranx", "ranx 0.3: ties in input order", {"ties": "input", "queries": "both"}),
        Profile("gdeval", "gdeval.pl: gain 2^grade - 1, ERR with a top grade of 4", {}, _BURGES),
        Profile(
            "torchmetrics",
            "torchmetrics retrieval: AP divided by the number of relevant documents found; only documents in the list exist",
            {"ties": "input", "queries": "both"},
            {"AP": {"norm": "found"}},
        ),
        Profile("sklearn", "scikit-learn: linear gain, ties averaged", {"ties": "expected", "queries": "both"}),
        Profile(
            "beir",
            "BEIR and MTEB: pytrec_eval's conventions, missing queries skipped",
            {"queries": "both", "precision": "float32"},
        ),
        Profile("sentence-transformers", "AP divided by min(k, relevant)", {"queries": "both"}, _CAPPED),
        Profile(
            "lightgbm",
            "LightGBM: gain 2^grade - 1, 1 for queries without a relevant document",
            {"empty": "one", "ties": "input"},
            {**_BURGES, **_CAPPED},
        ),
        Profile(
            "xgboost",
            "XGBoost: the conventions of LightGBM",
            {"empty": "one", "ties": "input"},
            {**_BURGES, **_CAPPED, "P": {"short": "shrink"}},
        ),
        Profile("ntcireval", "NTCIREVAL: RBP with p = 0.95", {}, {"RBP": {"p": 0.95}}),
    )
}


def profile(name: str) -> Profile:
    """A profile by its name."""
    if name not in PROFILES:
        raise UsageError(
            "profile", f"unknown profile {name!r}", hint=f"choose one of {', '.join(PROFILES)}", value=name
        )
    return PROFILES[name]
