"""Outputs of trec_eval 10.0, recorded: where they lie, with which flags they came, and where ours may differ."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from recorded import DATA

from judged.core import Qrels, Run
from judged.sources._file import PAD, read_bytes
from judged.sources.trec_eval import judgments_of, ranking_of

EDGE_CASES = Path(__file__).parents[1] / "data" / "edge_cases"
OWN = DATA / "trec_eval_own"

# Where trec_eval is undefined, or answers what was not asked: (case, flags, names of the values), and why.
# Everything else is equal, byte for byte; and each of these differs, or the test says so.
EXCEPTIONS = [
    (r".*", r".*(-J|-M 0).*", r"iprec_at_recall_.*|11pt_avg", "0/0 for an empty list: `-nan`; a mean of nothing is 0"),
    (r"nan_score", r".*", r".*", "NaN compares with nothing, so the order is undefined; here such a document is last"),
    (r"ndcg_gain_params", r".*(=0\.\d).*", r"R?ndcg_.*", "gains that differ by less than 1 are not sorted; here they are"),
    (r"option_values", r".*-l -1.*", r"map|gm_map|Rprec|recip_rank|P_\d+", "below 0, unjudged documents are relevant to some measures; here -l 0"),
    (r"negative_rels", r".*qrels_prefs.*", r"prefs_avgjg_Rnonrel", "reads past the end of the lowest class of documents"),
    (r"duplicate_in_qrels_same", r".*qrels_prefs.*", r"prefs_num_.*", "a document judged twice is counted twice; here once"),
]  # fmt: skip


def excepted(case: str, args: str, label: str) -> bool:
    return any(re.fullmatch(c, case) and re.fullmatch(a, args) and re.fullmatch(n, label) for c, a, n, _ in EXCEPTIONS)


def differences(case: str, args: str, ours: list[str], theirs: list[str]) -> tuple[list[tuple[str, str]], int]:
    """Lines that differ without a reason, and how many do so with one; label and topic never may."""
    if ours == theirs:
        return [], 0
    wrong, reasoned = [], 0
    if len(ours) != len(theirs):
        return [(f"{len(ours)} lines", f"{len(theirs)} lines")], 0
    for line, wanted in zip(ours, theirs, strict=True):
        if line != wanted:
            label, topic, _ = wanted.split("\t")
            fine = line.startswith(f"{label}\t{topic}\t") and excepted(case, args, label.rstrip())
            reasoned += fine
            wrong += [] if fine else [(line, wanted)]
    return wrong, reasoned


# ── edge cases ───────────────────────────────────────────────────────────────────────────────────


def edge_cases() -> list[Path]:
    return sorted(path for path in EDGE_CASES.iterdir() if path.is_dir())


def recorded_calls(case: Path) -> list[dict]:
    """Flags, exit code and outputs of each call."""
    plain = case / "trec_eval.json"
    text = plain.read_bytes() if plain.exists() else gzip.decompress((case / "trec_eval.json.gz").read_bytes())
    return json.loads(text)["results"]


def present(path: Path) -> Path:
    """The file, or its compressed form."""
    return path if path.exists() else path.with_name(f"{path.name}.gz")


# ── collections ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Pair:
    """One run with its judgments, and the outputs recorded for it, by flags."""

    collection: str
    name: str
    outputs: dict[str, Path] = field(compare=False)

    def __str__(self) -> str:
        return f"{self.collection}/{self.name}"

    def qrels(self, form: str) -> Qrels:
        prefix = self.name.rpartition("__")[0]
        names = {"adhoc": "qrels.adhoc", "intents": "qrels_intents", "": "qrels"}
        return _qrels(self.collection, names.get(prefix, prefix), form)

    def run(self) -> Run:
        run = self.name.rpartition("__")[2]
        if self.collection == "ltr_lightgbm":
            return ranking_of(_scores(lambda row: f"{row['qid']} Q0 {row['docid']} 1 {row[run]} {run}\n"), run)
        return ranking_of(read_bytes(DATA / self.collection / "runs" / f"{run}.run.gz"), run)


@lru_cache(maxsize=2)
def _qrels(collection: str, name: str, form: str) -> Qrels:
    if collection == "ltr_lightgbm":
        return judgments_of(_scores(lambda row: f"{row['qid']} 0 {row['docid']} {row['label']}\n"), name, form)
    return judgments_of(read_bytes(DATA / collection / f"{name}.txt.gz"), name, form)


def _scores(line) -> bytes:
    with gzip.open(DATA / "ltr_lightgbm" / "scores.tsv.gz", "rt") as file:
        return "".join(map(line, csv.DictReader(file, delimiter="\t"))).encode() + PAD


_TABLE_ROW = re.compile(r"^\| `(\w+)` \| `([^`]*)` \|$", re.MULTILINE)
_SENTENCE = re.compile(r"`(?:trec_eval/)?<run>\.(\w+)\.txt\.gz`: `([^`]+)`")


def flags_by_variant(collection: Path) -> dict[str, str]:
    """What the folder's README says about the flags behind each kind of file."""
    text = (collection / "README.md").read_text()
    return dict(_TABLE_ROW.findall(text) + _SENTENCE.findall(text))


def pairs() -> list[Pair]:
    """Every pair of judgments and run for which an output of trec_eval 10.0 is recorded."""
    found: dict[tuple[str, str], dict[str, Path]] = defaultdict(dict)
    for path in sorted(DATA.glob("*/trec_eval/*.txt.gz")):
        collection = path.parent.parent
        name, _, variant = path.name.removesuffix(".txt.gz").partition(".")
        if collection != OWN and "by_9.0.8" not in variant:
            found[collection.name, name][flags_by_variant(collection)[variant]] = path
    return [Pair(*key, outputs) for key, outputs in found.items()]


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "surrogateescape").split("\n")[:-1]
