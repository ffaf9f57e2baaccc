"""SCALE.md, from the file of measurements alone."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scale_paper import paper

__all__ = ["Records", "latest", "page", "table"]

Record = dict[str, Any]
Records = list[Record]

NAMES = {
    "memory": "judged, all in memory",
    "local": "judged, out of core",
    "duckdb": "DuckDB, SQL window",
    "duckdb-512": "DuckDB, the same in 512 MB",
    "polars": "polars, streaming group by",
    "spark-files": "judged on Spark local, files",
    "spark-table": "judged on Spark local, a table",
    "spark-sql": "Spark local, SQL window",
    "cluster-files": "judged on Spark standalone, files",
    "cluster-table": "judged on Spark standalone, a table",
    "cluster-sql": "Spark standalone, SQL window",
}
OURS = ("memory", "local", "spark-files", "spark-table", "cluster-files", "cluster-table")
# Who needs at most how much of whose CPU time.
SHARES = (
    ("local", "duckdb", 1 / 2), ("local", "duckdb", 1 / 3), ("spark-files", "spark-sql", 1 / 4), ("spark-table", "spark-sql", 0.45),
    ("cluster-files", "cluster-sql", 1 / 4), ("cluster-table", "cluster-sql", 0.45),
)  # fmt: skip
DEPTH = 1_000  # rows a query of the runs on which these are to be reached: 20 and 200 million rows
PEAK, LARGEST_PEAK = (
    600.0,
    1000.0,
)  # MB, of judged out of core: with up to 20,000 queries (440,000 judgments), and with more
FEW_QUERIES = 20_000
FLAT = 1.1  # memory of many rows as a multiple of that of few
LINEAR = 1.1  # time may grow by this much more than the rows
DRIVER = ("main", "driver")  # the processes on the driver's machine

HOW = """\
Each figure comes from a new process on {threads} cores. Each contender evaluates nDCG@10, AP and RR of every query from the
same Parquet files, with ties ordered by document id, descending, and writes the values of every query. CPU is user and system time of the whole process tree, as
accounted by the kernel (the harness reaps all processes that are left behind: Java, its Python workers, the master and workers of a cluster). It includes starting
Python, Java and the cluster; *ready* is the CPU and wall time spent before the engine could begin. Peak is the largest sum of PSS over the tree, sampled every
0.2 s in a separate run whose times do not count; a contender that takes more than a minute runs once, with its memory sampled for at most a twentieth of the time. The tables show the best of {repeat} rounds, in which the contenders take turns; files were read once before. *Others* is the number of cores that
other processes kept busy. The largest difference is over all values of all queries, compared with `judged` in memory. DuckDB and Spark run the same SQL
(`scale_work.py`). Spark local: one Java process with 4 GB of heap; standalone: a master, two workers with one core and executors with 2 GB on the loopback interface; all other settings are the defaults."""


def latest(path: Path) -> Records:
    """The measurements of the last run in the file."""
    lines = path.read_text().splitlines() if path.exists() else []
    records: Records = [json.loads(line) for line in lines]
    return [record for record in records if record["run"] == records[-1]["run"]]


@dataclass(frozen=True)
class Row:
    """A contender on a run: the best times, the highest memory, the largest difference."""

    who: str
    shape: str
    rows: int
    problem: str = ""
    cpu: float = 0.0
    wall: float = 0.0
    ready_cpu: float = 0.0
    ready_wall: float = 0.0
    peak: float = 0.0
    driver: float = 0.0
    others: float = 0.0
    difference: float | None = None
    differing: int = 0


def rows_of(records: Records) -> list[Row]:
    """By size, and in the order of the contenders."""
    groups: dict[tuple[str, str], Records] = {}
    for record in records:
        if record["kind"] in ("time", "memory", "both"):
            groups.setdefault((record["shape"], record["who"]), []).append(record)
    places = list(NAMES)
    return sorted((_row(group) for group in groups.values()), key=lambda row: (row.rows, places.index(row.who)))


def _row(group: Records) -> Row:
    first = group[0]
    base = {"who": first["who"], "shape": first["shape"], "rows": first["rows"]}
    if problem := next((record["problem"] for record in group if record["state"] == "failed"), ""):
        return Row(**base, problem=problem)
    timed = [record for record in group if record["kind"] in ("time", "both")]
    best = min(timed, key=lambda record: record["cpu"], default={})
    spent = {name: best.get(name, 0.0) for name in ("cpu", "ready_cpu", "ready_wall", "others")}
    looked = [record for record in group if record["kind"] in ("memory", "both")]
    apart = [record["difference"] for record in group if "difference" in record]
    return Row(
        **base, **spent,
        wall=min((record["wall"] for record in timed), default=0.0),
        peak=max((record["peak"] for record in looked), default=0.0),
        driver=max((sum(record["kinds"].get(kind, 0.0) for kind in DRIVER) for record in looked), default=0.0),
        difference=max(apart) if apart else None,
        differing=max((record.get("differing", 0) for record in group), default=0),
    )  # fmt: skip


@dataclass(frozen=True)
class Target:
    """One thing to reach, what it is, and whether it is reached."""

    what: str
    goal: str
    figure: str
    reached: bool


def targets(rows: Sequence[Row]) -> Iterator[Target]:
    """All targets whose contenders were measured."""
    fine = [row for row in rows if not row.problem]
    for shape in dict.fromkeys(row.shape for row in fine if row.shape.endswith(f"x{DEPTH}")):
        yield from _shares({row.who: row for row in fine if row.shape == shape})
    for row in fine:
        if row.who == "local" and row.peak:
            what = f"{_millions(row.rows)}: memory, {NAMES['local']}"
            most = PEAK if int(row.shape.split("x")[0]) <= FEW_QUERIES else LARGEST_PEAK
            yield Target(what, f"≤ {most:.0f} MB", f"{row.peak:.0f} MB", row.peak <= most)
    yield from _growth(fine)
    differ = [row for row in fine if row.who in OURS and row.difference]
    compared = [row for row in fine if row.who in OURS and row.difference is not None]
    if compared:
        most = max(row.difference or 0.0 for row in compared)
        yield Target(f"per-query differences, {len(compared)} evaluations by judged", "0.0", f"{most!r}", not differ)


def _shares(rows: dict[str, Row]) -> Iterator[Target]:
    for who, peer, most in SHARES:
        if who in rows and peer in rows and rows[who].cpu and rows[peer].cpu:
            needed = rows[who].cpu / rows[peer].cpu
            what = f"{_millions(rows[who].rows)}: CPU, {NAMES[who]} to {NAMES[peer]}"
            yield Target(what, f"≤ {_share(most)}", f"{_share(needed)} ({needed:.2f})", needed <= most)


def _growth(rows: Sequence[Row]) -> Iterator[Target]:
    """Memory where the judgments stay the same, time where the queries grow with the rows."""
    for who in OURS[1:]:
        mine = sorted((row for row in rows if row.who == who), key=lambda row: row.rows)
        for few, many in _pairs(mine, same="queries"):
            for name, what in (("peak", "memory"), ("driver", "memory of the driver")):
                a, b = getattr(few, name), getattr(many, name)
                if a and b and (name == "peak" or who.startswith("cluster")):
                    grown, where = b / a, f"{_millions(few.rows)} to {_millions(many.rows)}"
                    yield Target(
                        f"{where}: {what}, {NAMES[who]}",
                        f"≤ {FLAT:g} ×",
                        f"{grown:.2f} × ({a:.0f} to {b:.0f} MB)",
                        grown <= FLAT,
                    )
        for few, many in _pairs(mine, same="depth"):
            if few.cpu and many.cpu:
                grown, most, where = (
                    many.cpu / few.cpu,
                    many.rows / few.rows * LINEAR,
                    f"{_millions(few.rows)} to {_millions(many.rows)}",
                )
                yield Target(f"{where}: CPU, {NAMES[who]}", f"≤ {most:g} ×", f"{grown:.2f} ×", grown <= most)


def _pairs(rows: Sequence[Row], *, same: str) -> Iterator[tuple[Row, Row]]:
    """The smallest and the largest of those with the same number of queries, or the same depth."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.shape.split("x")[same == "depth"], []).append(row)
    return ((group[0], group[-1]) for group in groups.values() if len(group) > 1)


# ── the page ─────────────────────────────────────────────────────────────────────────────────────


def page(records: Records) -> str:
    """The whole page: targets, machine, a table for each run, the calculation."""
    head, rows = records[0], rows_of(records)
    goals = list(targets(rows))
    repeat = max((record.get("turn", 0) for record in records), default=0)
    parts = [
        "# Benchmarks of partitioned runs",
        "Written by `make bench-scale` (`benchmarks/scale.py`) from `scale.jsonl`.",
        f"## Targets: {sum(goal.reached for goal in goals)} of {len(goals)} reached",
        _table(
            ("quantity", "target", "measured", "reached"),
            ((g.what, g.goal, g.figure, "yes" if g.reached else "**no**") for g in goals),
            (1, 2),
        ),
        f"## Machine and versions, {head['run']}",
        _table(("component", "version"), [*head["machine"].items(), *head["versions"].items()]),
        HOW.format(threads=head["threads"], repeat=repeat),
        *_sizes(records, rows),
        paper(records),
    ]
    return "\n\n".join(parts).strip() + "\n"


def table(records: Records) -> str:
    """All figures as text for a terminal."""
    rows = rows_of(records)
    lines = [f"{_millions(row.rows):>6}  {NAMES[row.who]:<38}{row.problem or _figures(row)}" for row in rows]
    goals = [
        f"  {goal.what:<88}{goal.goal:>12}  {goal.figure:<30}{'yes' if goal.reached else 'no'}"
        for goal in targets(rows)
    ]
    return "\n".join([*lines, "", "targets:", *goals])


def _figures(row: Row) -> str:
    apart = "" if row.difference is None else f"  largest difference {row.difference:.3g}"
    return f"{row.cpu:9.2f} s CPU{row.wall:9.2f} s wall{row.peak:8.0f} MB  ready after {row.ready_cpu:.1f} s CPU{apart}"


def _sizes(records: Records, rows: Sequence[Row]) -> Iterator[str]:
    for shape in dict.fromkeys(row.shape for row in rows):
        first = next(record for record in records if record.get("shape") == shape)
        queries, depth = shape.split("x")
        yield f"## {_millions(first['rows'])} rows: {int(queries):,} queries × {int(depth):,}, {first['bytes'] / 1e6:,.0f} MB of Parquet"
        here = [row for row in rows if row.shape == shape]
        headers = (
            "contender",
            "CPU s",
            "wall s",
            "ready, CPU / wall s",
            "peak MB",
            "ns per row",
            "× CPU",
            "largest difference",
            "others",
        )
        yield _table(headers, (_cells(row, here) for row in here), range(1, 9))
        if missing := [name for who, name in NAMES.items() if who not in {row.who for row in here}]:
            yield f"Not measured in this run: {'; '.join(missing)}."


def _cells(row: Row, here: Sequence[Row]) -> tuple[str, ...]:
    if row.problem:
        return NAMES[row.who], *[""] * 6, row.problem, ""
    base = next((other.cpu for other in here if other.who == "local"), 0.0)
    apart = (
        ""
        if row.difference is None
        else f"{row.difference:.2g}" + (f" ({row.differing:,} values)" if row.differing else "")
    )
    ready = f"{row.ready_cpu:.1f} / {row.ready_wall:.1f}"
    times = (f"{row.cpu:.2f}", f"{row.wall:.2f}", ready) if row.cpu else ("", "", "")
    shares = (f"{row.cpu / row.rows * 1e9:.0f}", f"{row.cpu / base:.2f}" if base else "") if row.cpu else ("", "")
    others = f"{row.others:.1f}" if row.cpu else ""
    return NAMES[row.who], *times, f"{row.peak:.0f}" if row.peak else "", *shares, apart, others


def _millions(rows: int) -> str:
    return f"{rows / 1e6:g}M"


def _share(x: float) -> str:
    return f"{x:.2g}" if x in (0.45,) else f"1/{1 / x:.3g}" if x < 0.95 else f"{x:.3g} ×"


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: Container[int] = ()) -> str:
    rule = ["---:" if i in numbers else ":---" for i in range(len(headers))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headers, rule, *rows))
