"""Outputs of trec_eval 10.0, recorded: where they lie, with which flags they came, and where ours may differ."""

import contextlib
import csv
import gzip
import io
import json
import re
import shlex
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from recorded import DATA, read_bytes

from judged.cli.trec_eval import flags_of, main, options_of
from judged.core.tables import Qrels, Run
from judged.evaluation.trec_eval_output import Options, evaluate_files
from judged.io.files import PAD
from judged.io.formats.trec_eval import parse_judgments, parse_ranking

EDGE_CASES = Path(__file__).parents[1] / "data" / "edge_cases"
OWN = DATA / "trec_eval_own"


def options(args: str) -> Options:
    """What a command line means."""
    return options_of(flags_of(shlex.split(args))[0])


def call(*argv: str) -> tuple[int, list[str], str]:
    """Exit code, lines and standard error of a call, in this process."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(argv)
    return code, out.buffer.getvalue().decode("utf-8", "surrogateescape").split("\n")[:-1], err.getvalue()


# Where trec_eval is undefined, or answers what was not asked: the case, the flags, the names of the values, what it
# prints, and why (the sentence stands in docs/reference/trec_eval.md). Everything else is equal, byte for byte.
EXCEPTIONS = [
    (r".*", r".*(-J|-M 0).*", r"iprec_at_recall_.*|11pt_avg", r"\s*-nan",
     "an empty list gives 0/0 in `iprec_at_recall` and `11pt_avg`, printed as `-nan`, and so does their mean"),
    (r"nan_score", r".*", r".*", r".*",
     "a NaN score compares equal to every other, so the order is undefined"),
    (r"ndcg_gain_params", r".*=0\.\d.*", r"R?ndcg_.*", r".*",
     "gains that differ by less than 1 are left unsorted"),
    (r"option_values", r".*-l -1.*", r"map|gm_map|Rprec|recip_rank|P_\d+", r".*",
     "`-l` below 0 makes unjudged documents relevant for some measures only"),
    (r"negative_rels|web2011/.*|web2013_diversity/.*", r".*qrels_prefs.*", r"prefs_avgjg_Rnonrel", r".*",
     "`prefs_avgjg_Rnonrel` reads past the end of its array if the lowest of several grades ≤ 0 has fewer documents than there are relevant ones"),
    (r"duplicate_in_qrels_same", r".*qrels_prefs.*", r"prefs_num_.*", r".*",
     "a duplicate preference is counted twice"),
]  # fmt: skip


def reason(case: str, args: str, wanted: str) -> str | None:
    """Why a line may differ."""
    label, _, value = wanted.split("\t")
    asked = (case, args, label.rstrip(), value)
    return next((why for *patterns, why in EXCEPTIONS if all(map(re.fullmatch, patterns, asked))), None)


def could_differ(case: str, args: str) -> bool:
    return any(re.fullmatch(c, case) and re.fullmatch(a, args) for c, a, *_ in EXCEPTIONS)


def differences(case: str, args: str, ours: list[str], theirs: list[str]) -> tuple[list[tuple[str, str]], set[str]]:
    """Lines that differ without a reason, and the reasons of the others; name and topic are always the same."""
    if ours == theirs:
        return [], set()
    if len(ours) != len(theirs):
        return [(f"{len(ours)} lines", f"{len(theirs)} lines")], set()
    wrong, reasons = [], set()
    for line, wanted in zip(ours, theirs, strict=True):
        if line != wanted:
            why = reason(case, args, wanted)
            if why is None or line.rpartition("\t")[0] != wanted.rpartition("\t")[0]:
                wrong.append((line, wanted))
            else:
                reasons.add(why)
    return wrong, reasons


def edge_cases() -> list[Path]:
    return sorted(path for path in EDGE_CASES.iterdir() if path.is_dir())


def recorded_calls(case: Path) -> list[dict]:
    """Flags, exit code and outputs of each call."""
    plain = case / "trec_eval.json"
    text = plain.read_bytes() if plain.exists() else gzip.decompress((case / "trec_eval.json.gz").read_bytes())
    return json.loads(text)["results"]


def outcome(options: Options, qrels: Path, run: Path) -> list[str]:
    return [*evaluate_files(options, str(qrels), str(run)).lines]


def present(path: Path) -> Path:
    """The file, or its compressed form."""
    return path if path.exists() else path.with_name(f"{path.name}.gz")


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
            return parse_ranking(_scores(lambda row: f"{row['qid']} Q0 {row['docid']} 1 {row[run]} {run}\n"), run)
        return parse_ranking(read_bytes(DATA / self.collection / "runs" / f"{run}.run.gz"), run)


@lru_cache(maxsize=2)
def _qrels(collection: str, name: str, form: str) -> Qrels:
    if collection == "ltr_lightgbm":
        return parse_judgments(_scores(lambda row: f"{row['qid']} 0 {row['docid']} {row['label']}\n"), name, form)
    return parse_judgments(read_bytes(DATA / collection / f"{name}.txt.gz"), name, form)


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
