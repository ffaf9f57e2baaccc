"""`ComparisonReport`: a comparison with further tests and the queries that changed most, or one table of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from judged.comparison.tables import change_table, important_rows, pair_table, slice_table, system_table
from judged.errors import fold_warnings
from judged.stats.checks import check_choice
from judged.tables.result import Result
from judged.tables.table import Detail, Table

if TYPE_CHECKING:
    from judged.comparison.changes import Change
    from judged.comparison.difference import Difference
    from judged.comparison.result import Comparison

TableName = Literal["systems", "pairs", "slices", "overall", "jointly", "where"]


def summary_markdown(comparison: Comparison) -> str:
    """Return the answer and the table of runs as Markdown, to be pasted into a chat or a ticket."""
    return ComparisonReport(comparison, "systems", answer=True).to_markdown()


@dataclass(frozen=True, slots=True)
class _Section:
    tables: Callable[[int], list[Table]]
    records: Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonReport(Result):
    """The tables of a comparison that were requested; see `Comparison.report`."""

    comparison: Comparison
    table: TableName | None = None
    overall: bool = False
    jointly: str | None = None
    where: int = 0
    intervals: bool = True
    answer: bool = False  # show the answer above a requested table

    def __post_init__(self) -> None:
        if self.table is not None:
            check_choice(self.table, TableName, "table")

    def headline(self) -> list[str]:
        """The verdicts, unless one table was requested."""
        return self.comparison.headline() if self.table is None or self.answer else []

    def details(self) -> list[Detail]:
        """Size, certainty and place of the difference, unless one table was requested."""
        return self.comparison.details() if self.table is None or self.answer else []

    def tables(self, *, places: int = 4) -> list[Table]:
        """The requested tables; warnings are below the last one, and above them settings and policy unless one table was requested."""
        tables = [table for section in self._sections().values() for table in section.tables(places)]
        comparison, notes = self.comparison, tables[-1].notes
        if self.table is None:
            settings = comparison.settings
            notes += (
                *filter(None, [settings.about_intervals]),
                str(settings),
                *settings.remarks,
                f"policy: {comparison.results[0].policy}",
            )
        tables[-1] = tables[-1]._replace(notes=(*notes, *(f"warning: {w}" for w in fold_warnings(comparison.warnings))))
        return tables

    def records(self) -> list[dict[str, Any]]:
        """The rows of the requested tables; if further ones were requested, `table` names the table of each row."""
        sections = self._sections()
        if self.table is not None:
            return sections[self.table].records()
        rows = {name: sections[name].records() for name in sections if name != "systems"}
        if not rows.keys() - {"pairs", "slices"}:
            return self.comparison.records()
        return [{"table": name, **record} for name, records in rows.items() for record in records]

    def to_data(self) -> Any:
        """The comparison with the further results; or the rows of one table."""
        if self.table is not None:
            return self.records()
        further = {n: s.records() for n, s in self._sections().items() if n in ("overall", "jointly", "where")}
        return {**self.comparison.to_data(), **further}

    def _sections(self) -> dict[str, _Section]:
        comparison = self.comparison
        sections = {
            "systems": _Section(lambda p: [system_table(comparison, places=p)], self._means),
            "pairs": _Section(
                lambda p: [pair_table(comparison, places=p, intervals=self.intervals, all_pairs=self.table == "pairs")],
                lambda: [row.to_dict() for row in comparison.rows],
            ),
        }
        if comparison.parts or self.table == "slices":
            sections["slices"] = _Section(
                lambda p: [
                    slice_table(comparison, places=p, intervals=self.intervals, all_pairs=self.table == "slices")
                ],
                lambda: [row.to_dict() for row in comparison.parts],
            )
        if self.overall or self.table == "overall":
            tests = comparison.overall()
            sections["overall"] = _Section(lambda p: tests.tables(places=p), tests.records)
        if self.jointly or self.table == "jointly":
            joint = comparison.jointly(self.jointly or "randomised-tukey")
            sections["jointly"] = _Section(lambda p: joint.tables(places=p), joint.records)
        if self.where or self.table == "where":
            sections["where"] = self._changes()
        return sections if self.table is None else {self.table: sections[self.table]}

    def _means(self) -> list[dict[str, Any]]:
        return [{"run": name, **means} for name, means in self.comparison.means().items()]

    def _changes(self) -> _Section:
        """The queries of each pair that changed most: of all pairs as records, of the important ones as tables."""
        comparison, n = self.comparison, self.where or 10

        def changes(row: Difference) -> tuple[Change, ...]:
            return comparison.where(row.measure, row.a, row.b, n=n)

        shown = comparison.rows if self.table == "where" else important_rows(comparison)
        return _Section(
            lambda p: [change_table(changes(r), r.a, r.b, measure=r.measure, places=p) for r in shown],
            lambda: [
                {"measure": r.measure, "a": r.a, "b": r.b, **asdict(c)} for r in comparison.rows for c in changes(r)
            ],
        )
