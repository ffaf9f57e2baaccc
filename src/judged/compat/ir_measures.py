"""The names of ir_measures: `from judged.compat import ir_measures`, `from judged.compat.ir_measures import nDCG, AP`.

Values are those of the profile `ir_measures`: each measure as its provider has it. No provider has to be installed.
The modules `measures`, `providers` and `util` are importable, and each has every name.
See `docs/migration/ir_measures.md`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from judged.compat._errors import Closed, Partial, as_type, left_out, whole
from judged.compat.pytrec_eval import split_name, supported_nicknames
from judged.core.tables import decoded
from judged.errors import JudgedError, UsageError, shown
from judged.evaluation.evaluate import evaluate
from judged.evaluation.values import Values
from judged.io.read import read_qrels, read_run
from judged.measures.other_tools import CUTOFFS
from judged.measures.registry import parse
from judged.registry import choose_one, parse_call
from judged.stats.intervals import SUMMARIES, mean

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
    aspects = ["0"] * len(table.query) if table.aspect is None else decoded(table.aspect, "text")
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


Asked = Iterable["PeerMeasure | str"]
Means = dict["PeerMeasure", float]


class PeerMeasure(Closed):
    """A measure with parameters, which prints as ir_measures prints it: `nDCG @ 10`, `P(rel=2) @ 5`.

    >>> PeerMeasure("P")(rel=2) @ 5
    P(rel=2)@5
    >>> (PeerMeasure("P") @ 1).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 0.5}})
    1.0
    """

    _lacks = "PRETTY_NAME SHORT_DESC SUPPORTED_PARAMS validate_params validated"
    _instead = "use params, or judged.describe"
    DEFAULT = 0.0  # of a query that the run lacks
    RUN_INPUTS: Iterable[str] = ("query_id", "doc_id", "score")

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

    def aggregator(self) -> Any:
        """An object that summarises the values of queries: `add(value)`, `result()`; the mean of none is NaN."""
        values: list[float] = []
        summary = SUMMARIES["sum" if self.NAME.startswith("Num") else "mean"]
        return SimpleNamespace(add=values.append, result=lambda: summary(np.array(values)))


class DefinedMeasure(PeerMeasure):
    """A measure of your own, see `define`."""

    def __init__(self, name: str, impl: Any, inputs: Iterable[str], cutoff: int | None = None) -> None:
        self.NAME = self.__name__ = name
        self.AT_PARAM, self.RUN_INPUTS, self._impl = "cutoff", inputs, impl
        self.params = {} if cutoff is None else {"cutoff": cutoff}
        self._text = name if cutoff is None else f"{name}@{cutoff}"

    def __call__(self, *, cutoff: int) -> DefinedMeasure:  # type: ignore[override]  # it has no other parameter
        """The same measure at another cutoff."""
        return DefinedMeasure(self.NAME, self._impl, self.RUN_INPUTS, cutoff)

    def rows(self, qrels: Any, run: Any, queries: set[Any]) -> list[Metric]:
        """The value of each query, from frames in order; those without one have `DEFAULT`."""
        if self.params:
            run = run.groupby("query_id").head(self.params["cutoff"]).reset_index(drop=True)
        found = dict(self._impl(qrels, run))
        found |= dict.fromkeys(sorted(queries - found.keys()), self.DEFAULT)
        return [Metric(query, self, value) for query, value in found.items()]


def define(
    impl: Callable[..., Any],
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: Iterable[str] | None = None,
    **texts: Any,
) -> DefinedMeasure:
    """Define a measure of all queries: a function of two pandas frames, judgments and run, that returns (query, value) pairs.

    Args:
        impl: the function; rankings are in order, and cut at the cutoff.
        name: name of the measure.
        support_cutoff: has no effect; each measure can have a cutoff.
        run_inputs: columns of the run that the function needs.
        texts: `qrel_inputs`, `pretty_name` and `short_desc`, which have no effect.
    """
    return DefinedMeasure(name or repr(impl), impl, run_inputs or PeerMeasure.RUN_INPUTS)


def define_byquery(impl: Callable[..., Any], name: str | None = None, *args: Any, **options: Any) -> DefinedMeasure:
    """Define a measure of one query: a function of two pandas frames, judgments and run, that returns a number; see `define`."""

    def of_all(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        return ((query, impl(qrels[qrels["query_id"] == query], rows)) for query, rows in run.groupby("query_id"))

    return define(of_all, name or str(getattr(impl, "__name__", impl)), *args, **options)


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


MEASURES = {name: PeerMeasure(name) for name in _NAMES}


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
    if call.name not in MEASURES:
        hint = choose_one(call.name, MEASURES)
        error = UsageError("unknown-name", f"unknown measure {shown(call.name)}", value=measure, hint=hint)
        raise as_type(error, NameError)
    found = MEASURES[call.name](**call.params)
    return found if call.at is None else found @ (float(call.at) if found.AT_PARAM == "recall" else int(call.at))


MEASURES |= {name: parse_measure(measure) for name, measure in _ALIASES.items()}


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


class QrelsConverter(Partial):
    """Judgments in another form."""

    _lacks = "as_sorted_namedtuple_iter as_sorteddict as_tmp_file predict_type qrels run strict tee"
    _instead = "use as_dict_of_dict"
    _read: Any = staticmethod(_qrel_rows)

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def as_namedtuple_iter(self) -> Any:
        """One tuple per document."""
        return self._read(_source(self._rows))

    def as_dict_of_dict(self) -> dict[str, dict[str, Any]]:
        """{query: {document: number}}."""
        found: dict[str, dict[str, Any]] = {}
        for row in self.as_namedtuple_iter():
            found.setdefault(row.query_id, {})[row.doc_id] = row[2]
        return found

    def as_pd_dataframe(self) -> Any:
        """A pandas frame; one that was given is not changed."""
        import pandas as pd

        return self._rows if hasattr(self._rows, "itertuples") else pd.DataFrame(self.as_namedtuple_iter())


class RunConverter(QrelsConverter):
    """A run in another form."""

    _read = staticmethod(_run_rows)


class RunEvaluator:
    """Evaluate several runs with the same judgments and measures, see `evaluator`."""

    def __init__(self, measures: Asked, qrels: Any) -> None:
        self.measures = list(dict.fromkeys(map(parse_measure, measures)))
        self._defined = [m for m in self.measures if isinstance(m, DefinedMeasure)]
        self._named = [m for m in self.measures if m not in self._defined]
        if self._defined:  # which may need other columns than those of judgments
            qrels = QrelsConverter(qrels).as_pd_dataframe()
            self._frame = qrels.sort_values([c for c in ("query_id", "doc_id") if c in qrels.columns])
            self.qrel_qids = set(qrels["query_id"])
        if self._named or not self._defined:
            self._qrels = read_qrels(_source(qrels))
            self.qrel_qids = set(decoded(self._qrels.queries, self._qrels.query_kind))

    def _values(self, run: Any) -> Values:
        names = tuple(map(repr, self._named))
        try:
            return evaluate(self._qrels, _source(run), names, profile="ir_measures", keep_names=True)
        except JudgedError as error:
            if error.slug not in ("no-common-query", "empty-run"):
                raise
            return self._values({query: {} for query in self.qrel_qids})  # 0, as of queries that a run lacks

    def _found(self, run: Any) -> tuple[Means, Iterator[Metric]]:
        """The value of each measure over all queries, and of each query."""
        means: Means = {}
        rows: Iterator[Metric] = iter(())
        if self._defined:
            run = RunConverter(run).as_pd_dataframe()
            by = [c for c in ("query_id", "score") if c in run.columns]
            ranked = run.sort_values(by, ascending=[c == "query_id" for c in by])
            found = {m: m.rows(self._frame, ranked, self.qrel_qids) for m in self._defined}
            means = {m: mean(np.array([row.value for row in column])) for m, column in found.items()}
            rows = chain.from_iterable(found.values())
        if self._named:
            values = self._values(run)
            averages = values.mean()
            means |= {m: averages[repr(m)] for m in self._named}
            rows = chain(rows, self._rows(values))
        return {m: means[m] for m in self.measures}, rows

    def _rows(self, values: Values) -> Iterator[Metric]:
        columns = {m: values[repr(m)].tolist() for m in self._named}
        queries: tuple[Any, ...] = values.queries
        for row, query in enumerate(queries):
            yield from (Metric(query, m, column[row]) for m, column in columns.items())

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of each query and measure, those of `define` first, then queries by id."""
        return self._found(run)[1]

    def calc_aggregate(self, run: Any) -> Means:
        """The value of each measure over all queries: the mean; counts are summed."""
        return self._found(run)[0]

    def calc(self, run: Any) -> CalcResults:
        """Values over all queries, and of each query."""
        means, rows = self._found(run)
        return CalcResults(means, list(rows))


def _source(rows: Any) -> Any:
    return rows.unread if isinstance(rows, TrecRows) else rows


_OTHERS = ("cwl_eval", "gdeval", "ranx", "trectools")  # which define some measures differently from the default


class Provider(Closed):
    """All measures, each with the conventions that ir_measures prefers; `name` is that of a provider.

    >>> Provider("pytrec_eval").calc_aggregate(["P@1"], {"q": {"a": 1}}, {"q": {"a": 0.5}})
    {P@1: 1.0}
    """

    _lacks = "SUPPORTED_MEASURES calc_ctxt initialize install_instructions is_available qrel_inputs supports"
    _instead = "use evaluator, which refuses what it cannot compute"

    def __init__(self, name: str) -> None:
        self.NAME = name

    def evaluator(self, measures: Asked, qrels: Any) -> RunEvaluator:
        """An evaluator of runs with these judgments.

        Raises:
            RuntimeError: a provider whose conventions this drop-in does not have.
        """
        if self.NAME in _OTHERS:
            left_out(__name__, self.NAME, self.NAME, "use ir_measures itself, or the default", RuntimeError)
        return RunEvaluator(measures, qrels)

    def iter_calc(self, measures: Asked, qrels: Any, run: Any) -> Iterator[Metric]:
        """The value of each query and measure."""
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(self, measures: Asked, qrels: Any, run: Any) -> Means:
        """The value of each measure over all queries."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(self, measures: Asked, qrels: Any, run: Any) -> CalcResults:
        """Values over all queries, and of each query."""
        return self.evaluator(measures, qrels).calc(run)

    def run_inputs(self, measures: Iterable[PeerMeasure]) -> list[str]:
        """The columns of the run that these measures need."""
        return list(dict.fromkeys(name for m in measures for name in m.RUN_INPUTS))


PROVIDERS = {
    name: Provider(name)
    for name in ("accuracy", "compat", "judged", "msmarco", "pyndeval", "pytrec_eval", "runtime", *_OTHERS)
}
DefaultPipeline = Provider("default")
evaluator, iter_calc, calc = DefaultPipeline.evaluator, DefaultPipeline.iter_calc, DefaultPipeline.calc
calc_aggregate, run_inputs = DefaultPipeline.calc_aggregate, DefaultPipeline.run_inputs
parse_trec_qrels, parse_trec_run, convert_trec_name = read_trec_qrels, read_trec_run, parse_trec_measure  # older names
GenericQrel, GenericScoredDoc, Measure, BaseMeasure, Evaluator = Qrel, ScoredDoc, PeerMeasure, PeerMeasure, RunEvaluator

_REGISTRIES: dict[str, Any] = {"measures": MEASURES, "providers": PROVIDERS, "util": {}}
__version__ = "0.4.3"  # of ir_measures, whose names these are
__all__ = [
    "BaseMeasure",
    "CalcResults",
    "DefaultPipeline",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "Measure",
    "Metric",
    "Provider",
    "Qrel",
    "ScoredDoc",
    "calc",
    "calc_aggregate",
    "convert_trec_name",
    "define",
    "define_byquery",
    "evaluator",
    "iter_calc",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "read_trec_qrels",
    "read_trec_run",
    "run_inputs",
    *MEASURES,
    *PROVIDERS,
    *_REGISTRIES,
]


def __getattr__(name: str) -> Any:
    left_out(
        __name__,
        name,
        "AccuracyProvider CompatProvider CwlEvalProvider CwlMetric FallbackProvider GdevalProvider JudgedProvider MeanAgg"
        " MsMarcoProvider ParamInfo PyNdEvalProvider PytrecEvalProvider RanxProvider RuntimeProvider SumAgg"
        " TrectoolsProvider calc_ctxt lazylibs qrel_inputs register",
        "use ir_measures itself",
    )


globals().update(MEASURES, **PROVIDERS)
for _name, _registry in _REGISTRIES.items():
    # Modules that programs import: each has every name, and a registry.
    _module = ModuleType(f"{__name__}.{_name}")
    vars(_module).update({**globals(), **vars(_module)}, registry=_registry)
    globals()[_name] = sys.modules[_module.__name__] = _module
