"""`Gate`: the decision on a candidate, with its reasons, tables, and summaries for continuous integration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

from judged.comparison.comparison import Comparison
from judged.comparison.difference import tracked_differences
from judged.comparison.tables import Change, change_table
from judged.errors import Warned, safe
from judged.evaluation.values import Values, policy_notes
from judged.io.run_names import short_names
from judged.quality_gate.reasons import Reason
from judged.quality_gate.rules import Rules
from judged.stats.paired.registry import TESTS
from judged.tables.formats.md import table_markdown
from judged.tables.result import Tracked
from judged.tables.table import Table, counted, number, p_text


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Tracked):
    """The decision on a candidate with its reasons. It is true in a condition if the candidate passes: `assert
    jd.gate(…)`.
    """

    passed: bool
    reasons: tuple[Reason, ...]
    rules: Rules
    candidate: Values
    comparison: Comparison | None = None  # None without a baseline
    worse: Mapping[str, tuple[Change, ...]] = field(default_factory=dict)  # by measure, the worst query first
    warnings: tuple[Warned, ...] = ()
    build: int | None = None  # its number in the history
    remarks: tuple[str, ...] = ()  # about the test

    def __bool__(self) -> bool:
        return self.passed

    @property
    def broken(self) -> tuple[Reason, ...]:
        """The reasons of rules that are broken."""
        return tuple(r for r in self.reasons if not r.passed)

    @property
    def doubts(self) -> tuple[Reason, ...]:
        """The reasons of rules that hold, but on weak evidence."""
        return tuple(r for r in self.reasons if r.note)

    @property
    def names(self) -> tuple[str | None, str]:
        """The names of the baseline, if there is one, and of the candidate."""
        if self.comparison is None:
            return None, short_names([self.candidate.names[1]])[0]
        return self.comparison.names[0], self.comparison.names[1]

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        a, b = self.names
        who = b if a is None else f"{b} against {a}"
        tested = len(self.reasons) - sum(r.skipped for r in self.reasons)
        if not self.passed:
            return f"FAIL  {who}: {len(self.broken)} of {tested} rules failed"
        rules = "the rule holds" if tested == 1 else f"all {tested} rules hold"
        doubts = len(self.doubts)
        which = "" if tested == 1 else f"for {doubts} of them "
        return f"PASS  {who}: {rules}{f', but the evidence {which}is weak' if doubts else ''}"

    def tracked(self) -> dict[str, float]:
        """1 if the candidate passes, else 0, the means of the candidate, and the differences from the baseline."""
        rows = () if self.comparison is None else self.comparison.rows
        return {"gate": float(self.passed), **self.candidate.tracked(), **tracked_differences(rows)}

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def headline(self) -> list[str]:
        """The verdict and the reasons; policy and warnings too if there is no table to put them below."""
        return [
            self.verdict,
            "",
            *reason_lines(self),
            *(["", *_policy(self), *_warnings(self)] if self.comparison is None else []),
        ]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The differences behind the reasons, and the queries that got worse; warnings are below the last table."""
        if self.comparison is None:
            return []
        shown = [difference_table(self, places=places), *worse_tables(self, places=places)]
        return [*shown[:-1], shown[-1]._replace(notes=(*shown[-1].notes, *_warnings(self)))]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per reason."""
        return [asdict(reason) for reason in self.reasons]

    def to_data(self) -> dict[str, Any]:
        """The verdict, the rules, the reasons and the comparison."""
        return {
            "judged-gate": 1,
            "passed": self.passed,
            "headline": self.verdict,
            "rules": self.rules.plain(),
            "build": self.build,
            "reasons": self.records(),
            "worse": {m: [asdict(change) for change in changes] for m, changes in self.worse.items()},
            "candidate": self.candidate.mean(),
            "comparison": None if self.comparison is None else self.comparison.to_data(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_github(self, *, places: int = 4) -> str:
        """A job summary in GitHub-flavoured Markdown: the verdict and the reasons; the differences are folded, unless the gate failed."""
        below = (self.verdict[6:], *((*_policy(self), *_warnings(self)) if self.comparison is None else ()))
        rows = tuple((line[:4], line[6:]) for line in reason_lines(self))
        broken = frozenset((i, 0) for i, row in enumerate(rows) if row[0] == "FAIL")
        reasons = Table(("", "reason"), rows, notes=below, words=(0, 1), strong=broken)
        parts = [f"## judged gate: {'PASS' if self.passed else 'FAIL'}", table_markdown(reasons)]
        if self.comparison is not None:
            table = difference_table(self, places=places)
            figures = table_markdown(table._replace(notes=(*table.notes, *_warnings(self))))
            parts += [_fold("Differences", figures)] if self.passed else ["### Differences", figures]
            for worse in worse_tables(self, places=places):
                parts.append(_fold(worse.title, table_markdown(worse._replace(title=""))))
        return "\n\n".join(parts) + "\n\n"  # the text of another step begins a new paragraph

    def to_junit(self) -> str:
        r"""JUnit XML by the schema of Jenkins' xUnit plugin (junit-10.xsd), with one test case per rule, measure and slice.

        Control characters, which XML cannot contain, are escaped (`\x07`). It contains no time: the same gate gives the same bytes.
        """
        from xml.etree import ElementTree as Xml

        counts = {"tests": str(len(self.reasons)), "failures": str(len(self.broken)), "errors": "0"}
        skipped = {"skipped": str(sum(r.skipped for r in self.reasons)), "time": "0"}
        root = Xml.Element("testsuites", {"name": "judged gate", **counts})
        suite = Xml.SubElement(root, "testsuite", {"name": "judged gate", **counts, **skipped})
        baseline, candidate = self.names
        facts = {} if baseline is None else {"baseline": baseline}
        facts |= {
            "candidate": candidate,
            "policy": _policy(self)[0].removeprefix("policy: "),
            "profile": self.candidate.profile,
        }
        facts |= {"mode": self.rules.mode, **{f"warning {i}": str(w) for i, w in enumerate(self.warnings, 1)}}
        properties = Xml.SubElement(suite, "properties")
        for name, value in facts.items():
            Xml.SubElement(properties, "property", {"name": name, "value": safe(value)})
        for reason in self.reasons:
            name = f"{reason.measure}, {reason.slice}" if reason.slice is not None else reason.measure
            about = {"classname": f"judged.gate.{reason.rule}", "name": safe(name), "time": "0"}
            case, words = Xml.SubElement(suite, "testcase", about), safe(reason.words)
            if reason.skipped:
                Xml.SubElement(case, "skipped", {"message": words})
            elif reason.passed:
                Xml.SubElement(case, "system-out").text = words
            else:
                worst = [f"{c.query}: {c.value_a:.4f} → {c.value_b:.4f}" for c in self.worse.get(reason.measure, ())]
                failure = Xml.SubElement(case, "failure", {"message": words, "type": reason.rule})
                failure.text = "\n".join([words, *map(safe, worst)])
        Xml.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _policy(gate: Gate) -> list[str]:
    return policy_notes(gate.candidate.policy, gate.candidate.numeric_measures)


def _warnings(gate: Gate) -> list[str]:
    return [f"warning: {w}" for w in gate.warnings]


def _fold(title: str, body: str) -> str:
    return f"<details><summary>{escape(safe(title))}</summary>\n\n{body}\n\n</details>"


def reason_lines(gate: Gate) -> list[str]:
    """Each reason as a line: broken rules first, then doubtful ones, then those that hold, then skipped ones."""
    order = {"FAIL": 0, "pass": 2, "skip": 3}
    ranked = sorted(gate.reasons, key=lambda r: 1 if r.note else order[r.verdict])
    return list(dict.fromkeys(f"{r.verdict}  {r.words}" for r in ranked))  # a slice is skipped once, not per measure


def difference_table(gate: Gate, *, places: int = 4) -> Table:
    """One row per measure and slice: both means, the difference with its interval, p-values, and the outcome of the rule."""
    comparison, rules = gate.comparison, gate.rules
    assert comparison is not None
    reasons = {(r.measure, r.slice): r for r in gate.reasons if r.rule == "max_drop"}
    differences = {(row.measure, row.part): row for row in (*comparison.rows, *comparison.parts)}
    rows = []
    for key, reason in reasons.items():
        row = differences[key]
        interval = replace(row, low=reason.low, high=reason.high).columns(places)[1]
        means = (number(row.mean_a, places), number(row.mean_b, places), number(row.difference, places, sign="+"))
        counts = f"{row.wins}/{row.ties}/{row.losses}"
        where = (row.measure, row.part or "all queries", str(row.queries))
        rows.append((*where, *means, interval, counts, p_text(reason.p), reason.verdict))
    headers = ("measure", "slice", "queries", *comparison.names, "difference", "interval", "won/tied/lost")
    build = () if gate.build is None else (f"build {gate.build} of the history",)
    table = Table(
        (*headers, "corrected p" if _family(gate) > 1 else "p", "max_drop"),
        tuple(rows),
        notes=(_how(gate), *build, *gate.remarks, *_policy(gate)),
        words=(0, 1, 9),
        optional=(7, 2, 8, 3, 4),
    )
    return table.without(frozenset({8})) if rules.mode == "sure" else table


def _how(gate: Gate) -> str:
    """The test, the levels of the intervals, and the error that the mode controls."""
    rules, alpha = gate.rules, f"{gate.rules.alpha:.2g}"
    test = f"{rules.paired_test} test"
    seed = f", seed {rules.seed}" if "seed" in TESTS.find(rules.paired_test).options else ""
    if rules.mode == "sure":
        level, error = f"{1 - rules.alpha:.4g} intervals of the {test}{seed}", f"{rules.alpha / 2:.2g}"
        return (
            f"mode sure · {level}: a candidate worse by more than max_drop passes with a probability of at most {error}"
        )
    tests, family = len(_tested(gate)), _family(gate)
    corrected = f"{rules.correction} correction over {family} tests (the rules of a measure)"
    over = corrected if family > 1 else "no correction"
    how = f"mode {rules.mode} · one-sided {test}, {over}, alpha {alpha}{seed}; each end of an interval is one-sided at that level"
    if rules.mode == "mean":
        return how
    by = f" by each {'measure' if family > 1 else 'rule'}" if tests > family else ""
    return f"{how}: a candidate not worse by more than max_drop fails{by} with a probability of at most {alpha}"


def _tested(gate: Gate) -> list[str]:
    """The measure of each rule that was tested."""
    return [r.measure for r in gate.reasons if r.rule in ("max_drop", "max_total_drop") and not r.skipped]


def _family(gate: Gate) -> int:
    """The largest number of tests that were corrected together: the rules of a measure; 1 without a correction."""
    return 1 if gate.rules.correction == "none" else max(Counter(_tested(gate)).values(), default=1)


def worse_tables(gate: Gate, *, places: int = 4) -> list[Table]:
    """The queries that got worse, the worst first, for each measure that broke a rule, or else for the first measure."""
    comparison = gate.comparison
    assert comparison is not None
    broken = {r.measure for r in gate.broken if r.rule in ("max_drop", "max_query_drop")}
    shown = []
    for m in [m for m in gate.worse if m in broken] or list(gate.worse)[:1]:
        changes, lost = gate.worse[m], next(row.losses for row in comparison.rows if row.measure == m)
        if changes:
            more = f"; the {len(changes)} worst" if lost > len(changes) else ""
            table = change_table(changes, *comparison.names, places=places)
            if not any(row[-1] for row in table.rows):  # saved results contain no documents
                table = table.without(frozenset({4}))
            shown.append(table._replace(title=f"{counted(lost, 'query')} got worse on {m}{more}"))
    return shown
