"""Real judgments and rankings with the answers of other tools: where they lie, and how to read them."""

import csv
import gzip
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from needs import COLLECTIONS

from judged.core.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.io.files import PAD, open_content
from judged.io.formats.trec import parse_qrels, parse_run

DATA = COLLECTIONS


def read_bytes(path: Path) -> Any:
    """Return the content of a file, decompressed, with the bytes that the parsers expect after it."""
    with open_content(path) as content:
        return content.read()


@dataclass(frozen=True)
class Pair:
    """One run with its judgments, and the name under which answers are filed."""

    collection: str
    name: str
    qrels: str
    run: str

    def __str__(self) -> str:
        return f"{self.collection}/{self.name}"

    def judged(self, policy: Policy, *, aspects: bool = False) -> Judged:
        return join(_qrels(self.collection, self.qrels, aspects), _run(self.collection, self.run), policy)

    def inputs(self) -> tuple[Qrels, Run]:
        """The judgments and the run."""
        return _qrels(self.collection, self.qrels, False), _run(self.collection, self.run)

    def queries_with_equal_scores(self) -> set[str]:
        run = _run(self.collection, self.run)
        order = np.lexsort((run.score, run.query))
        same = (np.diff(run.score[order]) == 0) & (np.diff(run.query[order]) == 0)
        ids = run.queries.tolist()
        return {ids[q].decode() for q in np.unique(run.query[order][1:][same])}

    def answers(self, tool: str, suffix: str = ".tsv.gz") -> Path:
        return DATA / self.collection / tool / f"{self.name}{suffix}"


@lru_cache(maxsize=4)
def _qrels(collection: str, name: str, aspects: bool) -> Qrels:
    if collection == "ltr_lightgbm":
        return parse_qrels(_scores(lambda r: f"{r['qid']} 0 {r['docid']} {r['label']}\n"), name)
    return parse_qrels(read_bytes(DATA / collection / name), name, aspects=aspects)


@lru_cache(maxsize=4)
def _run(collection: str, name: str) -> Run:
    if collection == "ltr_lightgbm":
        return parse_run(_scores(lambda r: f"{r['qid']} Q0 {r['docid']} 1 {r[name]} {name}\n"), name)
    return parse_run(read_bytes(DATA / collection / name), name)


def _scores(line) -> bytes:
    with gzip.open(DATA / "ltr_lightgbm" / "scores.tsv.gz", "rt") as file:
        return "".join(map(line, csv.DictReader(file, delimiter="\t"))).encode() + PAD


_NIST = {"test": "qrels.test.gz", "rel_level": "qrels.rel_level.gz"}


def pairs(tool: str, suffix: str = ".tsv.gz") -> list[Pair]:
    """Every pair for which the tool's answers are recorded."""
    found = {}
    for path in sorted(DATA.glob(f"*/{tool}/*{suffix}")):
        collection, name = path.parent.parent.name, path.name[: -len(suffix)]
        if name.endswith(".c"):
            continue  # another variant of the same pair
        prefix, _, run = name.rpartition("__")
        if collection == "trec_eval_own":
            pair = Pair(collection, name, f"nist/{_NIST[name]}", "nist/results.test.gz")
        elif collection == "ltr_lightgbm":
            pair = Pair(collection, name, "labels", name)
        elif collection == "web2013_diversity":
            pair = Pair(collection, name, f"qrels.{prefix or 'ndeval'}.txt.gz", f"runs/{run}.run.gz")
        elif collection == "dlmia_diversity":
            pair = Pair(
                collection, name, "qrels_intents.txt.gz" if prefix else "qid_iid_qrel.txt.gz", f"runs/{run}.run.gz"
            )
        else:
            pair = Pair(collection, name, f"{prefix or 'qrels'}.txt.gz", f"runs/{run}.run.gz")
        found[str(pair)] = pair
    return list(found.values())


def table(path: Path) -> dict[str, dict[str, float]]:
    """A recorded table measure → topic → value, at full precision."""
    rows: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(path, "rt") as file:
        next(file)
        for measure, topic, value in csv.reader(file, delimiter="\t"):
            rows[measure][topic] = float(value)
    return rows


def lines(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt") as file:
        yield from csv.reader(io.StringIO(file.read()))


def differences(judged: Judged, answers, tolerance: float, measure_of=lambda measure: measure) -> tuple[int, list]:
    """How many recorded values {measure: {query: value}} were compared, and those that differ."""
    place = {query: row for row, query in enumerate(judged.queries)}
    count, wrong = 0, []
    for name, wanted in answers.items():
        values = measure_of(name).on(judged)
        wrong += [
            (name, q, values[place[q]], v) for q, v in wanted.items() if not abs(values[place[q]] - v) <= tolerance
        ]
        count += len(wanted)
    return count, wrong
