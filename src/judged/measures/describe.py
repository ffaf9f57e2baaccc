"""All about one measure, as text: from its declaration and nothing else."""

from __future__ import annotations

import numpy as np

from judged.core.judged import Judged
from judged.core.pool import Pool
from judged.measures.registry import Definition, Measure, _written

__all__ = ["describe", "ranked"]

_LAWS = {
    "unit": "lies between 0 and 1",
    "perfect": "the ideal ranking scores 1",
    "capped": "at every cutoff too",
    "swap": "moving a better document up never lowers it",
    "cutoff": "nothing below the cutoff matters",
    "tail": "unjudged documents at the end never raise it",
    "additive": "each document adds its share, by its rank alone",
}


def ranked(grades: list[float]) -> Judged:
    """A ranking of one query in which every document is judged: its grades, best rank first."""
    grade = np.array(grades, dtype=float)
    place = np.empty(len(grade), np.int64)
    place[np.argsort(-grade, kind="stable")] = np.arange(len(grade))
    rank, zeros = np.arange(1, len(grade) + 1), np.zeros(len(grade), np.int64)
    return Judged(
        pool=Pool(queries=("example",), query=zeros, grade=np.sort(grade)[::-1]),
        retrieved=np.array([len(grade)]),
        answered=np.array([True]),
        query=zeros,
        rank=rank,
        grade=grade,
        judgment=place,
        tie_first=rank,
        tie_last=rank,
    )


def describe(d: Definition) -> str:
    """The page of a measure: what it says, its formula, parameters, laws, other names, paper, an example."""
    lines = [d.name, "=" * len(d.name), "", d.description, ""]
    if d.formula:
        lines += ["formula", f"  {d.formula}", ""]
    lines.append("parameters")
    for name, (spec, default) in d.parameters.items():
        mark = " (behind the @)" if spec.at else ""
        others = f"; also called {', '.join(spec.aliases)}" if spec.aliases else ""
        lines.append(f"  {name} = {_written(default)}{mark}: {spec.text}{others}")
    facts = [text for law, text in _LAWS.items() if law in d.laws]
    facts += ["lower is better"] * d.lower_is_better
    facts.append({"mean": "queries are averaged", "sum": "queries are added up", "none": "not summed up over queries",
                  "geometric": "queries are summed up by their geometric mean"}[d.summary])  # fmt: skip
    if d.needs != "grades":
        facts.append(f"needs judgments with {d.needs}")
    lines += ["", "what holds", *(f"  {fact}" for fact in facts)]
    names = [*(f"trec_eval: {t.rstrip('.=:')}" for t in d.trec), *d.aliases]
    if names:
        lines += ["", "also called", f"  {', '.join(names)}"]
    if d.paper:
        lines += ["", "proposed in", f"  {d.paper}"]
    if d.example:
        grades, _ = d.example
        value = Measure(d)(**d.example_params).on(ranked(grades))[0]
        lines += [
            "",
            "example",
            f"  grades {', '.join(f'{g:g}' for g in grades)} from rank 1 down, all judged: {value:.4f}",
        ]
    return "\n".join(lines)
