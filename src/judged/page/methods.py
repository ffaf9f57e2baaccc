"""A methods section to paste into a paper: conventions, policies, versions, inputs and references."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from judged._version import __version__
from judged.comparison.comparison import Comparison
from judged.core.native import NATIVE
from judged.core.policy import POLICY_OPTIONS, Policy
from judged.core.tables import Qrels
from judged.evaluation.values import relevant_grades
from judged.io.fingerprint import content_of, file_hash
from judged.measures.profiles import PROFILES
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.references import short_form
from judged.stats.corrections import CORRECTIONS
from judged.stats.intervals import PAPERS as INTERVAL_PAPERS
from judged.stats.paired.registry import TESTS
from judged.stats.two_phase import PAPER as MODEL_PAPER

EMPTY = {
    "zero": "counts as 0",
    "skip": "is excluded",
    "one": "counts as 1",
    "error": "is an error",
}  # a query without relevant documents


def methods(subject: Subject, level: float, *, bounds: bool) -> list[str]:
    """Return the paragraphs."""
    measures = "Measures: " + "; ".join(map(_measure, subject.measures)) + "."
    paragraphs = [
        _overview(subject),
        measures,
        _policy(subject.first.policy, subject.measures),
        _intervals(subject, level),
    ]
    if subject.comparison is not None:
        paragraphs.append(_tests(subject.comparison))
    if bounds:
        paragraphs.append(
            "The effect of unjudged documents is shown by two scenarios: all unjudged documents are irrelevant, or all have the highest grade. "
            "These are not always bounds: for measures with an ideal ranking, more relevant documents also increase the denominator."
        )
    return paragraphs


def _overview(subject: Subject) -> str:
    n = len(subject.runs)
    runs = f"{'One run' if n == 1 else f'{n} runs'} ({', '.join(subject.runs)})"
    queries = len(subject.first)
    of = f"{queries:,} {'query' if queries == 1 else 'queries'}"
    judged = ""
    if subject.judged:
        pool = subject.judged[0]
        grades = np.unique(pool.pool_grade)
        judged = f" with {len(pool.pool_grade):,} judgments (grades {', '.join(f'{g:g}' for g in grades[:12])}{' …' if len(grades) > 12 else ''})"
    profile = subject.first.profile
    text = PROFILES[profile].text if profile in PROFILES else ""
    core = "native core" if NATIVE else "reference core"
    return (
        f"{runs} {'was' if n == 1 else 'were'} evaluated on {of}{judged} by judged {__version__} ({core}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}), profile {profile}{f' ({text})' if text else ''}."
    )


def _measure(m: Measure) -> str:
    d = m.definition
    formula = f" = {d.formula}" if d.formula else ""
    lower = ", lower is better" if d.lower_is_better else ""
    summed = {"mean": "", "sum": ", summed over queries", "geometric": ", geometric mean over queries", "none": ""}[
        d.summary
    ]
    parameters = {k: v for k in d.parameters if k != "cutoff" and (v := m.get(k)) is not None and v is not False}
    used = f" ({', '.join(f'{k} = {v}' for k, v in parameters.items())})" if parameters else ""
    return f"{m}{formula}{used}{lower}{summed}"


_ALWAYS = ("queries", "empty", "order", "ties", "unjudged")  # policies that are named even if they are the default


def _policy(policy: Policy, measures: Sequence[Measure]) -> str:
    """The choices that matter, in the words of the documentation."""
    words = list(filter(None, [relevant_grades(measures)]))
    for option in POLICY_OPTIONS:
        value = policy.used_order if option.name == "order" else getattr(policy, option.name)
        if option.name in _ALWAYS or value != option.default:
            words.append(f"{option.help[:1].lower()}{option.help[1:-1]}: {option.meanings.get(value, value)}")
    prepared = f" Preprocessing: {'; '.join(policy.prepared)}." if policy.prepared else ""
    return f"Conventions: {'; '.join(words)}.{prepared}"


def _intervals(subject: Subject, level: float) -> str:
    sums = [str(m) for m in subject.measures if m.definition.summary == "sum"] if subject.comparison is None else []
    but = f" ({', '.join(sums)}: totals)" if sums else ""
    clusters = subject.first.clusters
    units = None if clusters is None else len(np.unique(clusters))
    ends = (
        f"Student's t, within the range of the measure. Queries are in {units:,} clusters, which count as units here and in tests"
        if units
        else "Student's t, within the range of the measure, or Wilson's if every value is 0 or 1"
    )
    if subject.first.model is not None:
        ends = (
            "Student's t with HC3 standard errors. People judged some of the queries and a model all of them: means and differences are estimates of those by people over all queries "
            "(the regression estimator of two-phase sampling), which need a random sample of the queries to be judged by people"
        )
    return (
        f"Values are means over queries{but}, with {level:.0%} confidence intervals: {ends}. Compare runs by the intervals of their "
        "differences, not by these."
    )


def _tests(comparison: Comparison) -> str:
    s = comparison.settings
    test = TESTS.find(s.test)
    pairs = (
        f"Each run is compared with {comparison.baseline}" if comparison.baseline else "All pairs of runs are compared"
    )
    margin = f" Runs are called equal if the interval of their difference is within ±{s.margin:g}." if s.margin else ""
    slices = (
        f" Slices of queries ({', '.join(comparison.slices)}) are compared in the same way, with p-values corrected for {s.slice_family} together ({s.slice_tests:,} tests); "
        f"slices of fewer than {s.min_queries} queries are not tested."
        if comparison.slices
        else ""
    )
    seed = f", random seed {s.seed}" if "seed" in test.options else ""
    resamples = ""
    if "resamples" in test.options:
        most = s.resamples or inspect.signature(test.function).parameters["resamples"].default
        exact = ", or all sign assignments if fewer" if test.name == "permutation" else ""
        resamples = f", {most:,} resamples{exact}"
    about = f"; {s.about_intervals}" if s.about_intervals else ""
    told = "wins or loses more queries" if test.direction else "better or worse"
    number = (
        f"for {s.tests:,} tests, {s.pairs_in_words} ({s.correction})" if s.tests > 1 and s.correction != "none" else ""
    )
    corrected = f" P-values are corrected {number}." if number else ""
    decided = "the p-value" if not number else "the corrected p-value"
    interval = (
        "Differences have the interval of the t test"
        if test.interval is None
        else f"Differences have the interval of the test, which excludes 0 exactly then{about}"
    )
    remarks = "".join(f" {text[:1].upper()}{text[1:]}." for text in s.remarks)
    return (
        f"{pairs} by the {test.title} (two-sided{resamples}{seed}).{corrected} A run is called {told} if {decided} is at "
        f"most {s.alpha:g}. {interval}.{margin}{slices}{remarks}"
    )


def citations(subject: Subject) -> list[str]:
    """Return the references of the measures and methods used."""
    references = [f"{m.name}: {short_form(m.definition.paper)}." for m in subject.measures if m.definition.paper]
    references.append(f"Intervals of proportions: {short_form(INTERVAL_PAPERS['wilson'])}.")
    if subject.first.model is not None:
        references.append(f"Human and model judgments: {short_form(MODEL_PAPER)}.")
    if subject.comparison is not None:
        s = subject.comparison.settings
        test, fixed = TESTS.find(s.test), CORRECTIONS.find(s.correction)
        references.append(f"{test.title[:1].upper()}{test.title[1:]}: {short_form(test.paper)}.")
        if fixed.paper:
            references.append(f"Correction ({fixed.name}): {short_form(fixed.paper)}.")
    return list(dict.fromkeys(references))


def inputs(subject: Subject) -> list[dict[str, Any]]:
    """Return the inputs with the SHA-256 of each file, or of the content of data in memory."""
    entries: dict[int, dict[str, Any]] = {}
    for name, result in zip(subject.runs, subject.results, strict=True):
        if (source := result.source) is None:
            continue
        source.check_unchanged()
        for role, label, rows in (
            ("judgments", result.names[0].rpartition("/")[2], source.qrels),
            ("run", name, source.run if source.is_local else None),
        ):
            if rows is None or id(rows) in entries:
                continue
            by_file = file_hash(rows.opened)
            digest = by_file or content_of(rows if isinstance(rows, Qrels) else source.run_table)
            entries[id(rows)] = {"role": role, "name": label, "sha256": digest, "of": "file" if by_file else "content"}
    distinct = dict.fromkeys(tuple(one.items()) for one in entries.values())  # judgments may be read once per result
    return [dict(pairs) for pairs in sorted(distinct, key=lambda pairs: pairs[0])]
