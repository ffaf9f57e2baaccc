"""`Gate`: the decision on a candidate, with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judged.comparison.changes import Change
from judged.comparison.difference import tracked_differences
from judged.comparison.result import Comparison
from judged.errors import Warned
from judged.evaluation.result.values import Values
from judged.io.run_names import short_names
from judged.quality_gate.history import Build
from judged.quality_gate.reasons import Reason
from judged.quality_gate.rules import Rules
from judged.tables.result import Tracked
from judged.tables.table import Table


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
    build: Build | None = None  # of the history
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
        from judged.quality_gate.tables import notes, reason_lines

        return [self.verdict, "", *reason_lines(self), *(["", *notes(self)] if self.comparison is None else [])]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The differences behind the reasons, and the queries that got worse."""
        from judged.quality_gate.tables import tables

        return tables(self, places=places)

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
            "build": None if self.build is None else asdict(self.build),
            "reasons": self.records(),
            "worse": {m: [asdict(change) for change in changes] for m, changes in self.worse.items()},
            "candidate": self.candidate.mean(),
            "comparison": None if self.comparison is None else self.comparison.to_data(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_github(self, *, places: int = 4) -> str:
        """A job summary in GitHub-flavoured Markdown: details are folded, except those of a failure."""
        from judged.quality_gate.summaries import github

        return github(self, places=places)

    def to_junit(self) -> str:
        """JUnit XML, with one test case per rule, measure and slice."""
        from judged.quality_gate.summaries import junit

        return junit(self)
