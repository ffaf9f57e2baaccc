"""What was reached: every question that the page, the plot and the terminal ask of the raw numbers.

The results are plain data, as in `results.json`. A target reads "judged needs at most `limit` times as much as …".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from measure import Memory

__all__ = ["Target", "bound", "differs", "measured", "own", "ratio", "targets"]

Row = dict[str, Any]
Results = dict[str, Any]

OWN = 60.0  # MB beyond an interpreter with NumPy, mapped files not counted
# The issue bounds memory by the largest query and the hits; this is how many bytes each of their items may take.
ITEM = 100
EACH = 0.005  # s of CPU per run beyond the first
LINEAR = 1.1  # doubling the lines may take this much more than double the time


@dataclass(frozen=True)
class Target:
    """One thing to reach: who, against whom or on what, at most how much, how much it is, and whether it is reached."""

    work: str
    who: str
    what: str
    goal: str
    figure: str
    reached: bool


def share(x: float) -> str:
    """A factor as people say it: 1/15, 1.3 ×."""
    return f"1/{1 / x:.3g}" if x < 0.95 else f"{x:.3g} ×"


def measured(row: Row) -> bool:
    return row["state"] == "measured"


def differs(row: Row) -> bool:
    """Whether other values came out, so that it was not the same work."""
    return row["values"].startswith("**differ**")


def ours(work: Results) -> list[Row]:
    return [row for row in work["rows"] if row["ours"] and measured(row)]


def ratio(work: Results, row: Row) -> float | None:
    """How many times what `judged` needs; None if one of the two is missing."""
    base = work["rows"][0]
    return row[work["clock"]] / base[work["clock"]] if measured(row) and measured(base) else None


def own(row: Row, results: Results) -> float:
    """MB beyond an interpreter with NumPy, mapped files not counted."""
    return Memory(**row["memory"]).beyond(Memory(**results["baseline"]))


def bound(row: Row) -> float:
    """MB that the largest query, the queries and the judgments allow."""
    shape = row["shape"]
    return OWN + ITEM * (shape["depth"] + shape["queries"] * (1 + shape["judgments"])) / 1e6


def targets(results: Results) -> Iterator[Target]:
    """All targets whose tools were measured."""
    for work in results["works"]:
        yield from _times(work)
        yield from _bounds(work)
        if work["name"] == "runs":
            yield from _each_run(work)
        if work["name"] == "file":
            for row in ours(work):
                yield _memory(row, "beyond NumPy and the mapped file", OWN, results)
        if work["name"] == "growth":
            yield from _growth(work)
            for row in ours(work):
                yield _memory(row, row["data"], bound(row), results)


def _times(work: Results) -> Iterator[Target]:
    for row in work["rows"]:
        for mine in ours(work) if row["limit"] and measured(row) else ():
            if mine is row:
                continue
            needed = mine[work["clock"]] / row[work["clock"]]
            goal, held = f"≤ {share(row['limit'])}", needed <= row["limit"] and not (differs(row) or differs(mine))
            yield Target(work["name"], mine["tool"], row["tool"], goal, share(needed), held)


def _bounds(work: Results) -> Iterator[Target]:
    """Absolute bounds, and memory compared with that of another tool."""
    units = {"cpu": "s CPU", "wall": "s", "peak": "MB"}
    for mine in ours(work):
        for name, most in mine.get("most", {}).items():
            goal, figure = f"≤ {most:g} {units[name]}", f"{mine[name]:.3g} {units[name]}"
            yield Target(work["name"], mine["tool"], mine["data"], goal, figure, mine[name] <= most)
        for row in work["rows"]:
            if row.get("lean") and measured(row):
                needed = mine["peak"] / row["peak"]
                goal = f"≤ {share(row['lean'])} memory"
                yield Target(work["name"], mine["tool"], row["tool"], goal, share(needed), needed <= row["lean"])


def _each_run(work: Results) -> Iterator[Target]:
    """CPU per run beyond the first: the first two rows are all runs and the first of them."""
    every, one = work["rows"][:2]
    if measured(every) and measured(one):
        each = (every["cpu"] - one["cpu"]) / (every["shape"]["runs"] - 1)
        yield Target(
            work["name"],
            every["tool"],
            "each run beyond the first",
            f"≤ {EACH * 1e3:g} ms",
            f"{each * 1e3:.3g} ms",
            each <= EACH,
        )


def _memory(row: Row, what: str, most: float, results: Results) -> Target:
    need = own(row, results)
    return Target("memory", row["tool"], what, f"≤ {most:.0f} MB", f"{need:.0f} MB", need <= most)


def _growth(work: Results) -> Iterator[Target]:
    rows = {row["data"]: row for row in ours(work)}
    for data, row in rows.items():
        whole = rows.get(data.partition(",")[0])
        if whole and whole is not row:
            grown, most = whole["cpu"] / row["cpu"], whole["lines"] / row["lines"] * LINEAR
            yield Target("growth", row["tool"], data, f"≤ {most:.2g} × for all", f"{grown:.3g} ×", grown <= most)
