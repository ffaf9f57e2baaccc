"""Describe a measure: intuition, formula, worked example, edge cases, parameters, other names, paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from judged.core.policy import Empty
from judged.evaluation.evaluate import evaluate
from judged.evaluation.explain import cell_text, explain_ideal, plain_number, shown_columns, trace
from judged.evaluation.tool_differences import Peer, peers_of
from judged.measures.parameters import literal
from judged.measures.registry import Definition, Measure, parse, ranked
from judged.references import keys_in, short_form
from judged.tables.result import Result
from judged.tables.table import Table, number

_BESIDE = "other"  # a query that is judged and answered, so that neither input is empty
_DEPTH = 5


class EdgeCase(NamedTuple):
    """A case in words, and the value of the query; None if it has none."""

    case: str
    value: float | None


def edge_cases(definition: Definition) -> list[EdgeCase]:
    """Compute the value for queries without results or relevant documents, for short rankings, and for perfect ones.

    Measures of text, of spans and of users have no such cases.

    >>> from judged.measures.registry import MEASURES
    >>> edge_cases(MEASURES.find("P"))[0]
    EdgeCase(case='the query is not in the run', value=0.0)
    """
    if definition.text or definition.needs == "spans" or definition.family == "own":
        return []
    measure = Measure(definition)
    at = measure @ _DEPTH if definition.at == "cutoff" else measure
    two, one = {"a": 1.0, "b": 0.0}, {"a": 1.0}
    cases = [
        EdgeCase("the query is not in the run", _value(at, two, [])),
        EdgeCase("only documents that nobody judged are retrieved", _value(at, two, ["x", "y"])),
        EdgeCase("every retrieved document is relevant, and none is missing", _value(measure, two, ["a"])),
    ]
    if at is not measure:
        text = f"the only relevant document is at rank 1 of one, with the cutoff {_DEPTH}"
        cases.append(EdgeCase(text, _value(at, one, ["a"])))
    none = {"a": 0.0, "b": 0.0}
    cases += [
        EdgeCase(f"no document is relevant (empty={empty})", _value(at, none, ["a"], empty))
        for empty in get_args(Empty)
        if empty != "error"
    ]
    return cases


def _value(measure: Measure, grades: dict[str, float], ranking: list[str], empty: Empty = "zero") -> float | None:
    docs = [*grades.items(), ("a", 1.0), ("b", 0.0)]
    queries = [*(["q"] * len(grades)), _BESIDE, _BESIDE]
    qrels = {
        "query": queries,
        "doc": [doc for doc, _ in docs],
        "grade": [grade for _, grade in docs],
        "aspect": [1] * len(docs),
    }
    scores = {doc: float(-rank) for rank, doc in enumerate(ranking)}
    run = {_BESIDE: {"a": 1.0}, **({"q": scores} if scores else {})}
    values = evaluate(qrels, run, measure, empty=empty)
    row = dict(zip(map(str, values.queries), values[str(measure)].tolist(), strict=True))
    value = row.get("q")
    return None if value is None or value != value else value


_LAWS = {
    "unit": "values are between 0 and 1",
    "perfect": "the ideal ranking has the value 1",
    "capped": "the ideal ranking has the value 1 at every cutoff",
    "swap": "moving a better document up never lowers the value",
    "cutoff": "documents below the cutoff do not matter",
    "tail": "unjudged documents at the end never raise the value",
    "additive": "a sum over documents, each weighted by its rank alone",
    "residual": "a sum over unjudged documents, each weighted by its rank alone",
}
_SUMMARIES = {
    "mean": "mean over queries",
    "sum": "sum over queries",
    "none": "no summary over queries",
    "geometric": "geometric mean over queries",
}


def describe(name: str | Measure) -> MeasureDescription:
    """Describe a measure: intuition, definition, formula, worked example, parameters, other names, paper.

    >>> print(describe("RR").to_data()["formula"])
    1 / rank of the first relevant document
    """
    return MeasureDescription(parse(name).definition)


@dataclass(frozen=True, slots=True, repr=False)
class MeasureDescription(Result):
    """The declaration of a measure as text."""

    declaration: Definition

    def headline(self) -> tuple[str, ...]:
        """Name, intuition, definition and formula."""
        d = self.declaration
        first, *others = d.description.split("\n")
        lines = [d.name, "", *([d.intuition, "", f"Definition: {first}"] if d.intuition else [first]), *others]
        lines += ["", f"Formula: {d.formula}"] if d.formula else []
        return tuple(lines) if d.parameters else (*lines, "", *self._notes())

    def tables(self, *, places: int = 4) -> list[Table]:
        """The worked example, the parameters with further facts below, edge cases, and other tools."""
        parameters = [self._parameter_table()] if self.declaration.parameters else []
        return [*self._example(), *parameters, *self._edge_cases(places), *self._other_tools()]

    def records(self) -> list[dict[str, Any]]:
        """One row per parameter."""
        return [{"measure": self.declaration.name, **row} for row in self._parameters()]

    def to_data(self) -> dict[str, Any]:
        """Everything that is declared."""
        d = self.declaration
        return {
            "name": d.name,
            "intuition": d.intuition,
            "description": d.description,
            "formula": d.formula,
            "latex": d.latex,
            "parameters": self._parameters(),
            "properties": self._facts(),
            "aliases": self._names(),
            "paper": short_form(d.paper),
            "references": keys_in(d.paper),
            "edge_cases": [c._asdict() for c in self._cases()],
            "other_tools": [p._asdict() for p in self._peers()],
        }

    def _parameters(self) -> list[dict[str, Any]]:
        rows = []
        for name, (spec, default) in self.declaration.parameters.items():
            also = f"; also called {', '.join(spec.aliases)}" if spec.aliases else ""
            rows.append(
                {
                    "parameter": f"{name} (after @)" if spec.at else name,
                    "default": literal(default),
                    "meaning": f"{spec.text}{also}",
                }
            )
        return rows

    def _parameter_table(self) -> Table:
        rows = tuple(tuple(row.values()) for row in self._parameters())
        return Table(("parameter", "default", "meaning"), rows, words=(0, 1, 2), notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        notes = [f"Properties: {'; '.join(self._facts())}"]
        if names := self._names():
            notes.append(f"Other names: {', '.join(names)}")
        if self.declaration.paper:
            notes.append(f"Paper: {short_form(self.declaration.paper)}")
        return tuple(notes)

    def _facts(self) -> list[str]:
        d = self.declaration
        facts = ["lower is better"] if d.lower_is_better else []
        if d.needs == "recommendations":
            return [*facts, f"needs {', '.join(d.arguments) or 'nothing but the lists'}"]
        facts = [text for law, text in _LAWS.items() if law in d.laws] + facts + [_SUMMARIES[d.summary]]
        return facts if d.needs == "grades" else [*facts, f"needs judgments with {d.needs}"]

    def _names(self) -> list[str]:
        d = self.declaration
        return [*(f"{word.rstrip('.=:')} (trec_eval)" for word in d.trec), *d.aliases]

    def _cases(self) -> list[EdgeCase]:
        return edge_cases(self.declaration)

    def _peers(self) -> list[Peer]:
        return peers_of(self.declaration)

    def _edge_cases(self, places: int) -> list[Table]:
        rows = tuple((case, number(value, places)) for case, value in self._cases())
        return [Table(("if", "value"), rows, title="Edge cases", words=(0,))] if rows else []

    def _other_tools(self) -> list[Table]:
        names: dict[tuple[str, str], list[str]] = {}
        for tool, name, difference in self._peers():
            names.setdefault((tool, difference), []).append(name)
        rows = tuple((tool, ", ".join(known), text or "the same") for (tool, text), known in names.items())
        return [Table(("tool", "name", "difference"), rows, title="In other tools", words=(0, 1, 2))] if rows else []

    def _example(self) -> list[Table]:
        """The arithmetic of the declared example, and of its ideal ranking."""
        d = self.declaration
        if not d.example:
            return []
        measure, judged = Measure(d)(**d.example_params), ranked(d.example[0])
        steps = trace(measure, judged)
        columns, _ = shown_columns(steps, judged)
        last_sum = float(columns["sum"][-1]) if "sum" in columns else 0.0
        rows = [
            tuple(
                cell_text(plain_number(cell))
                for cell in (judged.rank[i], judged.grade[i], *(c[i] for c in columns.values()))
            )
            for i in range(len(judged.rank))
        ]
        title = f"Example: {measure} of a ranking with the grades {', '.join(f'{grade:g}' for grade in d.example[0])}, all judged"
        closing = steps.closing(0, float(steps.value[0]) if d.ideal_only else last_sum)
        ideal = explain_ideal(measure, judged, steps, None)
        tables = [Table(("rank", "grade", *columns), tuple(rows), title=title, words=(), notes=(closing,))]
        if ideal is not None:
            cells = tuple(tuple(cell_text(cell) for cell in (row[0], *row[2:])) for row in ideal.rows)
            headers = (ideal.headers[0], *ideal.headers[2:])
            if d.ideal_only:
                return [Table(headers, cells, title=f"{title}: ideal ranking", words=(), notes=(closing,))]
            tables.append(Table(headers, cells, title="Ideal ranking", words=(), notes=(ideal.closing,)))
        return tables
