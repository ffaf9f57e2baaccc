"""Tables of a gate: the reasons, the differences behind them, the queries that got worse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from judged.comparison.tables import ESTIMATED, change_table
from judged.stats.paired.registry import TESTS
from judged.tables.table import Table
from judged.tables.text import counted, number, p_text

if TYPE_CHECKING:
    from judged.quality_gate.result import Gate


def notes(gate: Gate) -> list[str]:
    """The policy and the warnings."""
    return [f"policy: {gate.candidate.policy}", *_warnings(gate)]


def _warnings(gate: Gate) -> list[str]:
    return [f"warning: {w}" for w in gate.warnings]


def reason_lines(gate: Gate) -> list[str]:
    """Each reason as a line: broken rules first, then doubtful ones, then those that hold, then skipped ones."""
    order = {"FAIL": 0, "pass": 2, "skip": 3}
    ranked = sorted(gate.reasons, key=lambda r: 1 if r.note else order[r.verdict])
    return list(dict.fromkeys(f"{r.verdict}  {r.words}" for r in ranked))  # a slice is skipped once, not per measure


def tables(gate: Gate, *, places: int = 4) -> list[Table]:
    """The differences behind the reasons, and the queries that got worse; warnings are below the last table."""
    if gate.comparison is None:
        return []
    shown = [difference_table(gate, places=places), *worse_tables(gate, places=places)]
    return [*shown[:-1], shown[-1]._replace(notes=(*shown[-1].notes, *_warnings(gate)))]


def reason_table(gate: Gate) -> Table:
    """One row per reason."""
    rows = tuple((line[:4], line[6:]) for line in reason_lines(gate))
    broken = frozenset((i, 0) for i, row in enumerate(rows) if row[0] == "FAIL")
    below = (gate.verdict[6:], *(notes(gate) if gate.comparison is None else ()))
    return Table(("", "reason"), rows, notes=below, words=(0, 1), strong=broken)


def difference_table(gate: Gate, *, places: int = 4) -> Table:
    """One row per measure and slice: both means, the difference with its interval, p-values, and the outcome of the rule."""
    comparison, rules = gate.comparison, gate.rules
    assert comparison is not None
    reasons = {(r.measure, r.slice): r for r in gate.reasons if r.rule == "max_drop"}
    differences = {(row.measure, row.part): row for row in (*comparison.rows, *comparison.parts)}
    rows = []
    for key, reason in reasons.items():
        row = differences[key]
        shown = replace(row, low=reason.low, high=reason.high)
        rows.append(
            (
                row.measure,
                row.part or "all queries",
                str(row.queries),
                number(row.mean_a, places),
                number(row.mean_b, places),
                number(row.difference, places, sign="+"),
                shown.columns(places)[1],
                f"{row.wins}/{row.ties}/{row.losses}",
                p_text(reason.p),
                reason.verdict,
            )
        )
    headers = (
        "measure",
        "slice",
        "queries",
        *comparison.names,
        "difference",
        "interval",
        "won/tied/lost",
        "corrected p",
        "max_drop",
    )
    build = () if gate.build is None else (str(gate.build),)
    estimated = (ESTIMATED,) if comparison.settings.model else ()
    below = (_how(gate), *estimated, *build, *gate.remarks, f"policy: {gate.candidate.policy}")
    without = frozenset({8}) if rules.mode == "sure" else frozenset()
    return Table(headers, tuple(rows), notes=below, words=(0, 1, 9), optional=(7, 2, 8, 3, 4)).without(without)


def _how(gate: Gate) -> str:
    """The test, the levels of the intervals, and the error that the mode controls."""
    rules, comparison = gate.rules, gate.comparison
    assert comparison is not None
    test, alpha = rules.paired_test, f"{rules.alpha:.2g}"
    seed = f", seed {rules.seed}" if "seed" in TESTS.find(test).options else ""
    seed += f", {counted(comparison.settings.clusters, 'cluster')} of queries" if comparison.settings.clusters else ""
    seed += ", human judgments with the help of a model's" if comparison.settings.model else ""
    if rules.mode == "sure":
        return (
            f"mode sure · {1 - rules.alpha:.4g} intervals of the {test} test{seed}: a candidate worse by more than max_drop passes with a probability "
            f"of at most {rules.alpha / 2:.2g}"
        )
    tests = sum(not r.skipped for r in gate.reasons if r.rule in ("max_drop", "max_total_drop"))
    over = f"{rules.correction} correction over {tests} rules, " if tests > 1 else ""
    how = f"one-sided {test} test, {over}alpha {alpha}{seed}; each end of an interval is one-sided at that level"
    if rules.mode == "mean":
        return f"mode mean, about these queries only · {how}"
    return f"mode significant · {how}: a candidate not worse by more than max_drop fails with a probability of at most {alpha}"


def worse_tables(gate: Gate, *, places: int = 4) -> list[Table]:
    """The queries that got worse, the worst first, for each measure that broke a rule, or else for the first measure."""
    comparison = gate.comparison
    if comparison is None:
        return []
    broken = {r.measure for r in gate.broken if r.rule in ("max_drop", "max_query_drop")}
    shown = []
    for m in [m for m in gate.worse if m in broken] or list(gate.worse)[:1]:
        changes, lost = gate.worse[m], next(row.losses for row in comparison.rows if row.measure == m)
        if changes:
            more = f"; the {len(changes)} worst" if lost > len(changes) else ""
            table = change_table(changes, *comparison.names, places=places)
            table = (
                table if any(row[-1] for row in table.rows) else table.without(frozenset({4}))
            )  # saved results contain no documents
            shown.append(table._replace(title=f"{counted(lost, 'query')} got worse on {m}{more}"))
    return shown
