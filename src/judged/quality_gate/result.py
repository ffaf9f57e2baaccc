"""`Gate`: the answer, with its reasons, as plain data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judged.comparison.result import Change, Comparison
from judged.errors import Warned
from judged.evaluation.result.values import Values
from judged.io.run_names import short_names
from judged.quality_gate.reasons import Reason
from judged.quality_gate.rules import Rules
from judged.tables.result import Result
from judged.tables.table import Table

__all__ = ["Gate"]


@dataclass(frozen=True, eq=False)
class Gate(Result):
    """Whether a candidate passes, and why. True as a condition where it does: `assert jd.gate(…)`."""

    passed: bool
    reasons: tuple[Reason, ...]
    rules: Rules
    candidate: Values
    comparison: Comparison | None = None  # None without a baseline
    worse: Mapping[str, tuple[Change, ...]] = field(
        default_factory=dict
    )  # by measure, the queries that got worse, the worst first
    warnings: tuple[Warned, ...] = ()

    def __bool__(self) -> bool:
        return self.passed

    @property
    def broken(self) -> tuple[Reason, ...]:
        """The reasons that speak against it."""
        return tuple(r for r in self.reasons if not r.passed)

    @property
    def doubts(self) -> tuple[Reason, ...]:
        """The reasons that speak for it, but hardly: the data can show little."""
        return tuple(r for r in self.reasons if r.note)

    @property
    def names(self) -> tuple[str | None, str]:
        """Of the baseline, if there is one, and of the candidate."""
        if self.comparison is None:
            return None, short_names([self.candidate.names[1]])[0]
        return self.comparison.names[0], self.comparison.names[1]

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        a, b = self.names
        who = b if a is None else f"{b} against {a}"
        held, skipped = len(self.reasons), sum(r.skipped for r in self.reasons)
        if not self.passed:
            return f"FAIL  {who}: {len(self.broken)} of {held - skipped} rules broken"
        rules = "the rule holds" if held - skipped == 1 else f"all {held - skipped} rules hold"
        doubts = len(self.doubts)
        few = "it is" if held - skipped == 1 else f"{doubts} of them {'is' if doubts == 1 else 'are'}"
        but = f", but {few} hardly tested" if doubts else ""
        return f"PASS  {who}: {rules}{but}"

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def records(self) -> list[dict[str, Any]]:
        """One mapping a reason."""
        return [asdict(reason) for reason in self.reasons]

    def to_pandas(self) -> Any:
        """A pandas frame, one row a reason."""
        import pandas as pd

        return pd.DataFrame(self.records())

    def to_polars(self) -> Any:
        """A polars frame, one row a reason."""
        import polars as pl

        return pl.DataFrame(self.records(), infer_schema_length=None)

    def to_json(self) -> str:
        """All of it as strict JSON: what is missing is null."""
        data = {
            "judged-gate": 1,
            "passed": self.passed,
            "headline": self.headline,
            "rules": self.rules.plain(),
            "reasons": [{key: _finite(value) for key, value in record.items()} for record in self.records()],
            "worse": {m: [asdict(change) for change in changes] for m, changes in self.worse.items()},
            "candidate": {key: _finite(value) for key, value in self.candidate.mean().items()},
            "comparison": None if self.comparison is None else json.loads(self.comparison.to_json()),
            "warnings": [w.to_dict() for w in self.warnings],
        }
        return json.dumps(data, allow_nan=False)

    def _tables(self) -> list[Table]:
        from judged.quality_gate.tables import tables

        return tables(self)

    def _lines(self) -> list[str]:
        from judged.quality_gate.tables import head

        return head(self)

    __repr__ = Result.__str__


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
