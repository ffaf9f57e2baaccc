"""A methods paragraph that can be pasted into a paper: every convention and policy, versions, inputs and what to cite."""

from __future__ import annotations

import inspect
import platform
from typing import Any

import numpy as np

from judged._version import __version__
from judged.comparison.result import Comparison
from judged.core.numeric.native import NATIVE
from judged.core.policy import Policy
from judged.core.tables import Qrels
from judged.io.fingerprint import content_of, file_hash
from judged.measures.profiles import PROFILES
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.stats.multiple.corrections import CORRECTIONS
from judged.stats.paired.registry import TESTS, PairTest

__all__ = ["citations", "inputs", "methods"]


def methods(subject: Subject, level: float, *, bounds: bool) -> list[str]:
    """The paragraphs."""
    found = [_what(subject), _measures(subject), _policy(subject.first.policy)]
    found.append(_intervals(subject, level))
    if subject.comparison is not None:
        found += [_tests(subject.comparison), *_critical(subject)]
    if bounds:
        found.append(
            "What unjudged documents could change is shown by two what-ifs: every measure as if all unjudged documents that it sees were "
            "irrelevant, and as if they had the top grade. These are not always bounds: for measures with an ideal ranking more relevant "
            "documents raise the denominator too."
        )
    return found


def _what(subject: Subject) -> str:
    n = len(subject.runs)
    runs = f"{'One run' if n == 1 else f'{n} runs'} ({', '.join(subject.runs)})"
    queries = len(subject.first)
    of = f"{queries:,} {'query' if queries == 1 else 'queries'}"
    judged = ""
    if subject.judged:
        pool = subject.judged[0]
        grades = np.unique(pool.pool_grade)
        judged = f", by {len(pool.pool_grade):,} judgments with grades {', '.join(f'{g:g}' for g in grades[:12])}{' …' if len(grades) > 12 else ''}"
    profile = subject.first.profile
    text = PROFILES[profile].text if profile in PROFILES else ""
    core = "native core" if NATIVE else "reference core"
    return (
        f"{runs} {'was' if n == 1 else 'were'} evaluated over {of}{judged}, with judged {__version__} ({core}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}) under the profile {profile}{f' ({text})' if text else ''}."
    )


def _measures(subject: Subject) -> str:
    return "Measures: " + "; ".join(_measure(m) for m in subject.measures) + "."


def _measure(m: Measure) -> str:
    d = m.definition
    formula = f" = {d.formula}" if d.formula else ""
    lower = ", lower is better" if d.lower_is_better else ""
    summed = {
        "mean": "",
        "sum": ", added up over queries",
        "geometric": ", summed up by the geometric mean",
        "none": "",
    }[d.summary]
    parameters = {k: v for k in d.parameters if k != "cutoff" and (v := m.get(k)) is not None and v is not False}
    used = f" (with {', '.join(f'{k} = {v}' for k, v in parameters.items())})" if parameters else ""
    return f"{m}{formula}{used}{lower}{summed}"


def _policy(policy: Policy) -> str:
    queries = {
        "judged": "every judged query counts, one that the run does not answer as 0",
        "both": "only queries that are judged and answered count",
        "strict": "every judged query had to be answered",
    }[policy.queries]
    empty = {
        "zero": "counts as 0", "skip": "is left out", "one": "counts as 1", "nan": "has no value", "error": "was not allowed",
    }[policy.empty]  # fmt: skip
    ties = {
        "id-desc": "documents with equal scores are ordered by their ids, descending", "id-asc": "documents with equal scores are ordered by their ids, ascending",
        "input": "documents with equal scores stay in the order of the input", "best": "equal scores are ordered in the run's favour",
        "worst": "equal scores are ordered against the run", "expected": "values are means over the orders of documents with equal scores, of which 1,000 are drawn where there are more",
    }[policy.ties]  # fmt: skip
    order = {"score": "by score", "rank": "by the rank column", "input": "by the order of the input"}[policy.order]
    unjudged = {"irrelevant": "count as not relevant", "condensed": "were taken out of the rankings first"}[
        policy.unjudged
    ]
    depth = "" if policy.depth is None else f" Of each ranking the first {policy.depth} documents were looked at."
    precision = " (compared in float32)" if policy.precision == "float32" else ""
    duplicates = {"error": "", "first": " Of a document that comes twice in a ranking the first counts.",
                  "best": " Of a document that comes twice in a ranking the better rank counts."}[policy.duplicates]  # fmt: skip
    rejudged = "" if policy.rejudged == "error" else f" Of several grades of one document the {policy.rejudged} counts."
    crossing = " The document that crosses a budget of tokens is the last one in." if policy.crossing == "in" else ""
    prepared = f" Before that: {'; '.join(policy.prepared)}." if policy.prepared else ""
    return (f"Conventions: {queries}; a query without a relevant document {empty}; rankings are ordered {order}{precision}; {ties}; "
            f"unjudged documents {unjudged}.{depth}{duplicates}{rejudged}{crossing}{prepared}")  # fmt: skip


def _intervals(subject: Subject, level: float) -> str:
    sums = [str(m) for m in subject.measures if m.definition.summary == "sum"] if subject.comparison is None else []
    but = f" ({', '.join(sums)}: sums)" if sums else ""
    return (f"Values are means over queries{but}; the intervals of means are {percent(level)} percentile bootstrap intervals over queries "
            "(2,000 resamples, fewer for more than 10,000 queries; seed 0).")  # fmt: skip


def _tests(comparison: Comparison) -> str:
    s = comparison.settings
    test = TESTS.find(s.test)
    pairs = f"each run against {comparison.baseline}" if comparison.baseline else "every pair of runs"
    clusters = (
        f" Queries were drawn, and changed sign, in {s.clusters:,} clusters; the intervals of means were not."
        if s.clusters
        else ""
    )
    margin = (
        f" Runs are called equal where the {percent(1 - 2 * s.alpha)} interval of their difference lies within ±{s.margin:g}."
        if s.margin
        else ""
    )
    slices = (f" Slices of queries ({', '.join(comparison.slices)}) were compared in the same way, p-values corrected within each; "
              f"those of fewer than {s.min_queries} queries were not tested." if comparison.slices else "")  # fmt: skip
    return (
        f"{pairs[:1].upper()}{pairs[1:]} was compared by the {test.title} (two-sided{_drawn(test, s.resamples)}, seed {s.seed}); p-values are corrected over the pairs of a "
        f"measure ({s.correction}), and differences with p ≤ {s.alpha:g} are called better or worse. Differences have {percent(1 - s.alpha)} {s.interval} intervals, which are not "
        f"corrected.{margin}{clusters}{slices}"
    )


def _drawn(test: PairTest, resamples: int | None) -> str:
    """How many resamples a test drew, where it draws."""
    if "resamples" not in test.options:
        return ""
    most = resamples or inspect.signature(test.function).parameters["resamples"].default
    exact = ", or all assignments of signs where these are fewer" if test.name == "permutation" else ""
    return f", {most:,} resamples{exact}"


def percent(share: float) -> str:
    """A share in percent, with the decimals it has."""
    return f"{round(100 * share, 6):g}%"


def _critical(subject: Subject) -> list[str]:
    if len(subject.runs) < 3:
        return []
    return [
        "The critical-difference diagram shows the mean ranks of the runs over queries; runs joined by a bar lie within Nemenyi's critical difference."
    ]


def citations(subject: Subject) -> list[str]:
    """What was used, and where it was proposed, each once."""
    found = [f"{m.name}: {m.definition.paper}." for m in subject.measures if m.definition.paper]
    found.append("Bootstrap intervals: Efron, Annals of Statistics 1979.")
    if subject.comparison is not None:
        s = subject.comparison.settings
        test, fixed = TESTS.find(s.test), CORRECTIONS.find(s.correction)
        found.append(f"{test.title[:1].upper()}{test.title[1:]}: {test.paper}.")
        if fixed.paper:
            found.append(f"Correction ({fixed.name}): {fixed.paper}.")
        if len(subject.runs) > 2:
            found.append("Critical-difference diagrams: Nemenyi 1963; Demšar, JMLR 2006.")
    return list(dict.fromkeys(found))


def inputs(subject: Subject) -> list[dict[str, Any]]:
    """The files that were read, with their SHA-256 as sha256sum has it; of what lay in memory, the hash of its content."""
    found: dict[int, dict[str, Any]] = {}
    for name, result in zip(subject.runs, subject.results, strict=True):
        if (source := result.source) is None:
            continue
        source.check_unchanged()
        for role, label, rows in (
            ("judgments", result.names[0].rpartition("/")[2], source.qrels),
            ("run", name, source.run if source.is_local else None),
        ):
            if rows is None or id(rows) in found:
                continue
            by_file = file_hash(rows.path)
            digest = by_file or content_of(rows if isinstance(rows, Qrels) else source.run_table)
            found[id(rows)] = {"role": role, "name": label, "sha256": digest, "of": "file" if by_file else "content"}
    alike = dict.fromkeys(tuple(one.items()) for one in found.values())  # judgments that were read for each result
    return [dict(pairs) for pairs in sorted(alike, key=lambda pairs: pairs[0])]
