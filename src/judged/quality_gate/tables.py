"""A gate as tables: the reasons, the differences behind them, the queries that got worse."""

from __future__ import annotations

import math
from dataclasses import replace

from judged.comparison.tables import change_table
from judged.errors import safe
from judged.quality_gate.reasons import FEW
from judged.quality_gate.result import Gate
from judged.tables.formats.text import table_text
from judged.tables.table import Table
from judged.tables.text import p_text

__all__ = ["difference_table", "head", "reason_lines", "reason_table", "tables", "text", "worse_tables"]


def text(gate: Gate, *, places: int = 4) -> str:
    """The verdict, the reasons in words, then the tables."""
    return "\n\n".join(["\n".join(map(safe, head(gate))), *map(table_text, tables(gate, places=places))])


def head(gate: Gate) -> list[str]:
    """The lines above the tables; with what else is to be said, where there is no table to say it."""
    notes = ["", *_notes(gate)] if gate.comparison is None else []
    return [gate.headline, "", *reason_lines(gate), *notes]


def _notes(gate: Gate) -> list[str]:
    return [f"policy: {gate.candidate.policy}", *(f"warning: {w}" for w in gate.warnings)]


def reason_lines(gate: Gate) -> list[str]:
    """Each reason in words: what is broken first, then what is doubtful, then what holds, then what was left out."""
    order = {"FAIL": 0, "pass": 2, "skip": 3}
    ranked = sorted(gate.reasons, key=lambda r: 1 if r.note else order[r.verdict])
    return list(
        dict.fromkeys(f"{r.verdict}  {r.words}" for r in ranked)
    )  # a slice is left out once, not for each measure


def tables(gate: Gate, *, places: int = 4) -> list[Table]:
    """The differences that the reasons rest on, and the queries that got worse."""
    shown = [difference_table(gate, places=places)] if gate.comparison is not None else []
    return [*shown, *worse_tables(gate, places=places)]


def reason_table(gate: Gate) -> Table:
    """One row a reason, in words."""
    rows = tuple((line[:4], line[6:]) for line in reason_lines(gate))
    broken = frozenset((i, 0) for i, row in enumerate(rows) if row[0] == "FAIL")
    notes = (gate.headline[6:], *(_notes(gate) if gate.comparison is None else ()))
    return Table(("", "reason"), rows, notes=notes, words=(0, 1), strong=broken)


def difference_table(gate: Gate, *, places: int = 4) -> Table:
    """One row a measure and slice: both means, the difference with its interval, p-values, and what the rule says."""
    found = gate.comparison
    assert found is not None
    by = {(r.measure, r.slice): r for r in gate.reasons if r.rule == "max_drop"}
    rows = []
    for (measure, part), reason in by.items():
        row = next(r for r in (*found.rows, *found.parts) if (r.measure, r.part) == (measure, part))
        between = "–" if math.isnan(row.low) else f"[{row.low:+.{places}f}, {row.high:+.{places}f}]"
        rows.append((measure, part or "all queries", str(row.queries), f"{row.mean_a:.{places}f}", f"{row.mean_b:.{places}f}",
                     f"{row.difference:+.{places}f}", between, f"{row.wins}/{row.ties}/{row.losses}",
                     "–" if reason.skipped else p_text(row.p), p_text(reason.p), reason.verdict))  # fmt: skip
    level = f"{1 - found.settings.alpha:.0%} interval"
    headers = (
        "measure",
        "queries of",
        "queries",
        *found.names,
        "difference",
        level,
        "won/tied/lost",
        "p",
        "corrected p",
        "max_drop",
    )
    rules, settings = gate.rules, found.settings
    few = any(r.queries < FEW and r.verdict != "too few" for r in (*found.rows, *found.parts))
    t_too = few and rules.mode == "sure" and settings.interval != "t"
    interval = f"{settings.interval} intervals{f' (t below {FEW} queries)' if t_too else ''}"
    how = f"mode {rules.mode} · {settings.test} test, {rules.correction} correction over measures and slices, {interval}, alpha {rules.alpha:g}, seed {rules.seed}"
    return Table(headers, tuple(rows), notes=(how, *_notes(gate)), words=(0, 1, 10))


def worse_tables(gate: Gate, *, places: int = 4) -> list[Table]:
    """For each measure that broke a rule, or else for the first: the queries that got worse, the worst first."""
    found = gate.comparison
    if found is None:
        return []
    broken = {r.measure for r in gate.broken if r.rule in ("max_drop", "max_query_drop")}
    shown = [m for m in gate.worse if m in broken] or list(gate.worse)[:1]
    drawn = []
    for m in shown:
        changes = gate.worse[m]
        lost = next(row.losses for row in found.rows if row.measure == m)
        if changes:
            title = f"{lost} {'query' if lost == 1 else 'queries'} got worse by {m}" + (
                f"; the {len(changes)} worst" if lost > len(changes) else ""
            )
            drawn.append(replace(_known(change_table(changes, *found.names, places=places)), title=title))
    return drawn


def _known(table: Table) -> Table:
    """Without the documents that moved, where a saved result does not know them."""
    if any(row[-1] for row in table.rows):
        return table
    return replace(table, headers=table.headers[:-1], rows=tuple(row[:-1] for row in table.rows), words=(0,))
