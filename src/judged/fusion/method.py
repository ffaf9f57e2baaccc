"""Fusion methods, each declared once in a file of `methods/`: name, formula, parameters, treatment of missing documents, and paper.

`jd.fuse`, `jd.tune_fusion`, the command line and the docs take their lists from `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.errors import DataError, Hint, UsageError, shown
from judged.fusion.aligned import AlignedRuns
from judged.io.read import read_qrels
from judged.measures.parameters import literal
from judged.registry import Registry, parse_call


class FusionParameter(NamedTuple):
    """A parameter of a method: its default, its range, and the values that tuning tries."""

    name: str
    default: float
    low: float
    high: float
    trials: tuple[float, ...]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class FusionSettings:
    """Values of the parameters, a weight per run, and what a trained method learnt of each run."""

    values: dict[str, float] = field(default_factory=dict)
    weights: Floats | None = None
    trained: tuple[Floats, ...] = ()

    def __getitem__(self, parameter: str) -> float:
        return self.values[parameter]

    def of_runs(self, runs: AlignedRuns) -> Floats:
        """The weight of each run: 1 without weights."""
        return np.ones(len(runs.names)) if self.weights is None else self.weights

    def weight(self, runs: AlignedRuns) -> Floats:
        """The weight of the run of each row."""
        return self.of_runs(runs)[runs.run]

    def learnt(self, runs: AlignedRuns, at: Ints, beyond: float = 0.0) -> Floats:
        """The entry of each row in what was learnt of its run; `beyond` past the end and for a negative position."""
        out = np.full(len(at), beyond)
        for run, known in enumerate(self.trained):
            rows = np.flatnonzero((runs.run == run) & (at >= 0) & (at < len(known)))
            out[rows] = known[at[rows]]
        return out


class Training(NamedTuple):
    """Training data of a method: the rows of queries with judgments.

    Args:
        runs: the rows of all queries.
        relevant: whether the document of each row is relevant.
        queries: the queries to learn from.
        place: the place of each query in the order of ids, in which values of queries are added.
        judged_relevant: number of relevant documents of the query in each place, in the runs or not.
    """

    runs: AlignedRuns
    relevant: Bools
    queries: Bools
    place: Ints
    judged_relevant: Ints

    def rows(self, run: int) -> Ints:
        """The rows of a run for the queries to learn from."""
        query = self.runs.query[self.runs.document]
        rows = np.flatnonzero((self.runs.run == run) & (self.runs.rank > 0) & self.queries[query])
        return rows[np.argsort(self.place[query[rows]], kind="stable")]


class Fusion(NamedTuple):
    """A method: a score per document from the rows of all runs.

    Args:
        name: its name; `aliases` has others, such as that of the paper.
        uses: the scores of the runs, after normalisation, or only their ranks.
        score: returns the fused score of each document.
        weights: whether a weight per run is needed, optional or not possible.
        train: learns an array from the judgments and the rows of a run; None if the method needs none.
        missing: what a run that lacks the document adds.
    """

    name: str
    text: str
    score: Callable[[AlignedRuns, FusionSettings], Floats]
    aliases: tuple[str, ...] = ()
    uses: Literal["scores", "ranks"] = "ranks"
    weights: Literal["none", "optional", "needed"] = "none"
    parameters: tuple[FusionParameter, ...] = ()
    train: Callable[[Training, Ints, FusionSettings], Floats] | None = None
    missing: str = "adds nothing"
    paper: str = ""

    @property
    def usage(self) -> str:
        """The name with its parameters: rrf(k=60)."""
        listed = ", ".join(f"{p.name}={p.default:g}" for p in self.parameters)
        return f"{self.name}({listed})" if listed else self.name

    def learn(self, training: Training, settings: FusionSettings) -> FusionSettings:
        """The settings with what a trained method learns of each run."""
        if self.train is None:
            return settings
        runs = range(len(training.runs.names))
        return replace(settings, trained=tuple(self.train(training, training.rows(run), settings) for run in runs))


FUSIONS: Registry[Fusion] = Registry("fusion method", package="judged.fusion.methods")


def parse_method(text: object) -> tuple[Fusion, dict[str, float]]:
    """Parse a method with its parameters; those that are not given have their defaults.

    Raises:
        UsageError: an unknown name, an unknown parameter, or a value out of range.

    >>> method, values = parse_method("RRF(k=10)")
    >>> method.name, values
    ('rrf', {'k': 10})
    """
    hint = "pass the runs in one list, before the method; docs/guides/fusion.md lists all methods"
    if not isinstance(text, str):
        raise UsageError("unknown-name", "the name of a fusion method", got=shown(text), value=text, hint=hint)
    call = parse_call(text, "parameter")
    method = FUSIONS.find(call.name, hint=hint)
    if call.at is not None:
        action = Hint("cut the runs with {depth}", depth=100)
        raise UsageError("cutoff", f"{method.name} takes no cutoff", hint=action, value=text)
    known = {p.name: p for p in method.parameters}
    for name, value in call.params.items():
        if name not in known:
            names = f"only {', '.join(known)}" if known else "no parameters"
            raise UsageError("parameter", f"{method.name} takes {names}, got {name}", value=text)
        p, whole = known[name], isinstance(known[name].default, int)
        if not (type(value) is int or (type(value) is float and not whole)) or not p.low <= value <= p.high:
            kind = "an integer" if whole else "a number"
            problem = f"{name} must be {kind} from {p.low:g} to {p.high:g}, got {shown(value)}"
            raise UsageError("parameter", problem, value=value)
    return method, {name: call.params.get(name, p.default) for name, p in known.items()}


def call_of(method: str, values: dict[str, float]) -> str:
    """The method with its parameters, as it is written: rrf(k=10)."""
    listed = ", ".join(f"{name}={literal(value)}" for name, value in values.items())
    return f"{method}({listed})" if listed else method


def training_of(aligned: AlignedRuns, qrels: Any, level: float = 1.0) -> Training:
    """Find the relevant documents, grade ≥ `level`, among those of the runs, for all queries with judgments.

    Raises:
        DataError: runs and judgments have no query in common.
    """
    judgments = read_qrels(qrels)
    pool = pool_of(judgments, Policy())
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in aligned.queries.tolist()], dtype=np.int64)
    if not (code >= 0).any():
        problem = "runs and judgments have no query in common"
        raise DataError("no-common-query", problem, hint="check the query ids", where=judgments.name)
    good = np.flatnonzero(pool.grade >= level)
    pairs = set(zip(pool.query[good].tolist(), pool.doc.take(good).tolist(), strict=True))
    documents = zip(code[aligned.query].tolist(), aligned.doc.tolist(), strict=True)
    relevant = np.fromiter((document in pairs for document in documents), bool, len(aligned.query))
    count = np.bincount(pool.query[good], minlength=len(codes))
    return Training(aligned, relevant[aligned.document], code >= 0, code, count)
