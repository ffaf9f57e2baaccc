"""The names of ir_measures: `from judged.compat import ir_measures`, `from judged.compat.ir_measures import nDCG, AP`.

Values are those of the profile `ir_measures`: each measure as its provider has it. No provider has to be installed.
See `docs/migration/ir_measures.md`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar

from judged.compat._errors import as_type, whole
from judged.compat.pytrec_eval import split_name, supported_nicknames
from judged.core.tables import decoded
from judged.errors import JudgedError, UsageError, shown
from judged.evaluation.evaluate import evaluate
from judged.evaluation.values import Values
from judged.io.read import read_qrels, read_run
from judged.measures.other_tools import CUTOFFS
from judged.measures.registry import parse
from judged.registry import choose_one, parse_call

Row = TypeVar("Row", bound=tuple[Any, ...])


class Qrel(NamedTuple):
    """A judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document."""

    query_id: str
    doc_id: str
    score: float


class TrecRows(Generic[Row]):
    """The rows of a file, read when they are needed; a calculation takes the file itself, which is faster than its rows.

    Args:
        source: a path, an open file, or the text of a file, which has at least one line end.
        rows: reads them, once the first is asked for.
    """

    def __init__(self, source: Any, rows: Callable[[Any], Iterator[Row]]) -> None:
        # The file, or the remaining rows once one of them was taken.
        self.unread: Any = io.StringIO(source) if isinstance(source, str) and "\n" in source else source
        self._rows = rows(self.unread)

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        self.unread = self
        return next(self._rows)


def read_trec_qrels(file: Any) -> TrecRows[Qrel]:
    r"""Read judgments from a TREC file: a path, an open file, or its text.

    >>> list(read_trec_qrels("q1 0 d1 2\n"))
    [Qrel(query_id='q1', doc_id='d1', relevance=2, iteration='0')]
    """
    return TrecRows(file, _qrel_rows)


def _qrel_rows(source: Any) -> Iterator[Qrel]:
    table = read_qrels(source)
    ids, docs = decoded(table.queries, table.query_kind), decoded(table.doc, table.doc_kind)
    aspects = ["0"] * len(table) if table.aspect is None else decoded(table.aspect, "text")
    for at, doc, grade, aspect in zip(table.query.tolist(), docs, table.grade.tolist(), aspects, strict=True):
        yield Qrel(str(ids[at]), str(doc), whole(grade), str(aspect))


def read_trec_run(file: Any) -> TrecRows[ScoredDoc]:
    r"""Read a run from a TREC file: a path, an open file, or its text.

    >>> list(read_trec_run("q1 Q0 d1 1 2.5 bm25\n"))
    [ScoredDoc(query_id='q1', doc_id='d1', score=2.5)]
    """
    return TrecRows(file, _run_rows)


def _run_rows(source: Any) -> Iterator[ScoredDoc]:
    table = read_run(source)
    ids, docs = decoded(table.queries, table.query_kind), decoded(table.doc, table.doc_kind)
    for at, doc, score in zip(table.query.tolist(), docs, table.score.tolist(), strict=True):
        yield ScoredDoc(str(ids[at]), str(doc), score)


class Metric(NamedTuple):
    """The value of a measure for a query."""

    query_id: str
    measure: PeerMeasure
    value: float


class CalcResults(NamedTuple):
    """Values over all queries, and of each query."""

    aggregated: Any
    per_query: list[Metric]


# ── measures ─────────────────────────────────────────────────────────────────────────────────────

_DEFAULTS = {
    "rel": 1,
    "judged_only": False,
    "dcg": "log2",
    "relative": False,
    "alpha": 0.5,
    "T": 1.0,
    "min_rel": 0,
    "normalize": True,
    "beta": 1.0,
}
_OWN: dict[str, dict[str, Any]] = {
    "RBP": {"p": 0.8, "rel": None},
    "NumRet": {"rel": None},
    "Compat": {"p": 0.95},
    "NERR10": {"p": 0.9},
    "NRBP": {"beta": 0.5},
    "nNRBP": {"beta": 0.5},
}


class PeerMeasure:
    """A measure with parameters, which prints as ir_measures prints it: `nDCG @ 10`, `P(rel=2) @ 5`.

    >>> PeerMeasure("P")(rel=2) @ 5
    P(rel=2)@5
    >>> (PeerMeasure("P") @ 1).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 0.5}})
    1.0
    """

    def __init__(self, name: str, /, **params: Any) -> None:
        self.NAME = self.__name__ = name
        self.params = params
        self.AT_PARAM = parse(name).definition.at or "cutoff"
        defaults = {**_DEFAULTS, **_OWN.get(name, {})}
        changed = {k: v for k, v in params.items() if k != self.AT_PARAM and v != defaults.get(k)}
        inside = ",".join(f"{key}={_literal(value)}" for key, value in changed.items())
        after = f"@{params[self.AT_PARAM]}" if self.AT_PARAM in params else ""
        self._text = name + (f"({inside})" if inside else "") + after
        parse(self._text)  # which refuses parameters that the measure does not have

    def __call__(self, **params: Any) -> PeerMeasure:
        """The same measure with other parameters."""
        return PeerMeasure(self.NAME, **{**self.params, **params})

    def __matmul__(self, at: float) -> PeerMeasure:
        """The measure at a cutoff; IPrec at a recall."""
        return self(**{self.AT_PARAM: at})

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PeerMeasure) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """The value of each query."""
        return iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The value over all queries."""
        return calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """The value over all queries, and of each."""
        found = calc([self], qrels, run)
        return CalcResults(found.aggregated[self], found.per_query)

    def evaluator(self, qrels: Any) -> RunEvaluator:
        """An evaluator of runs with these judgments."""
        return evaluator([self], qrels)


def _literal(value: Any) -> str:
    """A parameter as ir_measures writes it; gains without those that equal their grade."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in sorted(value.items()) if grade != gain) + "}"
    return repr(value)


_NAMES = (
    "AP",
    "AP_IA",
    "Accuracy",
    "BPM",
    "Bpref",
    "Compat",
    "ERR",
    "ERR_IA",
    "INSQ",
    "INST",
    "IPrec",
    "Judged",
    "NERR10",
    "NERR11",
    "NERR8",
    "NERR9",
    "NRBP",
    "NumQ",
    "NumRel",
    "NumRet",
    "P",
    "P_IA",
    "R",
    "RBP",
    "RR",
    "Rprec",
    "SDCG",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "StRecall",
    "Success",
    "alpha_DCG",
    "alpha_nDCG",
    "infAP",
    "nDCG",
    "nERR_IA",
    "nNRBP",
)
_ALIASES = {
    "MAP": "AP",
    "MAP_IA": "AP_IA",
    "BPref": "Bpref",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "MRR": "RR",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
    "NumRelRet": "NumRet(rel=1)",
    "SetRelP": "SetP(relative=True)",
}


def __getattr__(name: str) -> Any:
    """A measure, made when it is first used."""
    if name not in (*_NAMES, *_ALIASES):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = parse_measure(name)
    return globals()[name]


def parse_measure(measure: Any) -> PeerMeasure:
    """The measure of a name such as `P(rel=2)@5`.

    Raises:
        ValueError: a text that is not a measure with parameters.
        NameError: an unknown measure.

    >>> parse_measure("nDCG(dcg='exp-log2')@10")
    nDCG(dcg='exp-log2')@10
    """
    if isinstance(measure, PeerMeasure):
        return measure
    call = parse_call(measure, "measure")
    if call.name not in (*_NAMES, *_ALIASES):
        hint = choose_one(call.name, (*_NAMES, *_ALIASES))
        error = UsageError("unknown-name", f"unknown measure {shown(call.name)}", value=measure, hint=hint)
        raise as_type(error, NameError)
    base = parse_measure(_ALIASES[call.name]) if call.name in _ALIASES else PeerMeasure(call.name)
    found = base(**call.params)
    return found if call.at is None else found @ (float(call.at) if found.AT_PARAM == "recall" else int(call.at))


_TREC = {  # a name with an @ takes the parameters of trec_eval's measure after it
    "P": "P@",
    "map_cut": "AP@",
    "recall": "R@",
    "ndcg_cut": "nDCG@",
    "success": "Success@",
    "iprec_at_recall": "IPrec@",
    "set_F": "SetF",
    "ndcg": "nDCG",
    "map": "AP",
    "set_map": "SetAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_relative_P": "SetRelP",
    "infAP": "infAP",
    "bpref": "Bpref",
    "num_rel_ret": "NumRelRet",
    "recip_rank": "RR",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "Rprec": "Rprec",
    "num_q": "NumQ",
}


def parse_trec_measure(measure: str) -> list[PeerMeasure]:
    """The measures of a name of trec_eval, or of a nickname of several; those that ir_measures lacks are left out of a nickname.

    >>> parse_trec_measure("P_5,10")
    [P@5, P@10]
    """
    if measure in supported_nicknames:
        kept = sorted(name for name in supported_nicknames[measure] if name in _TREC)
        return [found for name in kept for found in parse_trec_measure(name)]
    base, given = split_name(measure)
    ours = _TREC.get(base)
    if ours is None or (given and not ours.endswith("@") and base != "set_F"):
        raise UsageError("unknown-name", f"ir_measures has no measure for {shown(measure)} of trec_eval", value=measure)
    if not ours.endswith("@"):
        return [parse_measure(ours)(beta=float(x)) for x in given] or [parse_measure(ours)]
    return [parse_measure(f"{ours}{x}") for x in given or CUTOFFS[base]]


# ── calculations ─────────────────────────────────────────────────────────────────────────────────


class RunEvaluator:
    """Evaluate several runs with the same judgments and measures, see `evaluator`."""

    def __init__(self, measures: Iterable[PeerMeasure | str], qrels: Any) -> None:
        self.measures = list(dict.fromkeys(map(parse_measure, measures)))
        self._qrels = read_qrels(_source(qrels))
        self.qrel_qids = set(decoded(self._qrels.queries, self._qrels.query_kind))

    def _values(self, run: Any) -> Values:
        names = tuple(map(repr, self.measures)) or ("NumQ",)
        try:
            return evaluate(self._qrels, _source(run), names, profile="ir_measures", keep_names=True)
        except JudgedError as error:
            if error.slug not in ("no-common-query", "empty-run"):
                raise
            nothing: Any = {query: {} for query in self.qrel_qids}  # every value is 0, as of queries that a run lacks
            return evaluate(self._qrels, nothing, names, profile="ir_measures", keep_names=True)

    def _means(self, values: Values) -> dict[PeerMeasure, float]:
        means = values.mean()
        return {m: means[repr(m)] for m in self.measures}

    def _rows(self, values: Values) -> Iterator[Metric]:
        columns = {m: values[repr(m)].tolist() for m in self.measures}
        queries: tuple[Any, ...] = values.queries
        for row, query in enumerate(queries):
            yield from (Metric(query, m, column[row]) for m, column in columns.items())

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of each query and measure, queries by id."""
        return self._rows(self._values(run))

    def calc_aggregate(self, run: Any) -> dict[PeerMeasure, float]:
        """The value of each measure over all queries: the mean; counts are summed."""
        return self._means(self._values(run))

    def calc(self, run: Any) -> CalcResults:
        """Values over all queries, and of each query."""
        values = self._values(run)
        return CalcResults(self._means(values), list(self._rows(values)))


def _source(rows: Any) -> Any:
    return rows.unread if isinstance(rows, TrecRows) else rows


def iter_calc(measures: Iterable[PeerMeasure | str], qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of each query and measure."""
    return RunEvaluator(measures, qrels).iter_calc(run)


def calc_aggregate(measures: Iterable[PeerMeasure | str], qrels: Any, run: Any) -> dict[PeerMeasure, float]:
    """The value of each measure over all queries.

    >>> calc_aggregate(["P@1"], {"q": {"a": 1}}, {"q": {"a": 0.5}})
    {P@1: 1.0}
    """
    return RunEvaluator(measures, qrels).calc_aggregate(run)


def calc(measures: Iterable[PeerMeasure | str], qrels: Any, run: Any) -> CalcResults:
    """Values over all queries, and of each query."""
    return RunEvaluator(measures, qrels).calc(run)


evaluator = RunEvaluator
# All measures, each with the conventions of its provider. Providers whose measures no other has are the same by name.
DefaultPipeline = SimpleNamespace(evaluator=evaluator, iter_calc=iter_calc, calc_aggregate=calc_aggregate, calc=calc)
accuracy = compat = judged = msmarco = pyndeval = pytrec_eval = DefaultPipeline
parse_trec_qrels, parse_trec_run, convert_trec_name = read_trec_qrels, read_trec_run, parse_trec_measure  # older names
GenericQrel, GenericScoredDoc, Measure, BaseMeasure, Evaluator = Qrel, ScoredDoc, PeerMeasure, PeerMeasure, RunEvaluator
__all__ = [
    "BaseMeasure",
    "CalcResults",
    "DefaultPipeline",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "Measure",
    "Metric",
    "Qrel",
    "ScoredDoc",
    "calc",
    "calc_aggregate",
    "convert_trec_name",
    "evaluator",
    "iter_calc",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "read_trec_qrels",
    "read_trec_run",
    *_NAMES,
    *_ALIASES,
]
