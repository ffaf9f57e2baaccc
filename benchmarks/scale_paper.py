"""What an evaluation on a large cluster would cost: arithmetic on what was measured here, every assumption named."""

from __future__ import annotations

from typing import Any

__all__ = ["paper"]

Record = dict[str, Any]

ROWS = 10_000_000_000
EXECUTORS = 100  # of one core, as the measured ones
QUERIES = 1_000_000  # of 10,000 rows each
JUDGMENTS = 22  # a query, as measured
STORE = 100e6  # bytes a second that an executor reads from the store
NETWORK = 1e9  # bytes a second into or out of the driver
SLOWEST = 1.3  # the last task ends this much after the average


def paper(records: list[Record]) -> str:
    """The section of the page; what is missing for it, where something is."""
    title = f"## Estimate: {ROWS / 1e9:g} billion rows on {EXECUTORS} executors"
    who = next((who for who in ("cluster-files", "spark-files") if len(_times(records, who)) > 1), None)
    weighed = (r for r in records if r["kind"] == "sizes" and r["state"] == "measured" and len(r["scans"]) == 2)
    sizes = max(weighed, key=lambda r: r["rows"], default=None)
    if who is None or sizes is None:
        return (
            f"{title}\n\nRequires `cluster-files` or `spark-files` at two sizes with 1,000 rows per query, and `sizes`."
        )
    return f"{title}\n\n{_text(records, who, sizes)}"


def _times(records: list[Record], who: str) -> dict[int, Record]:
    """The best of each size with 1,000 rows a query, by rows."""
    best: dict[int, Record] = {}
    for record in records:
        fits = record["kind"] in ("time", "both") and record["who"] == who and record["state"] == "measured"
        if fits and record["rows"] == 1_000 * record["queries"]:
            best[record["rows"]] = min(best.get(record["rows"], record), record, key=lambda r: r["cpu"])
    return dict(sorted(best.items()))


def _text(records: list[Record], who: str, sizes: Record) -> str:
    times = _times(records, who)
    few, many = min(times), max(times)
    a, b = times[few], times[many]
    per_row = (b["cpu"] - a["cpu"]) / (many - few)
    looks, counts = sizes["scans"]
    part = sizes["rows"] / counts["parts"]
    grown, tasks, stored = QUERIES / sizes["queries"], round(ROWS / part), b["bytes"] / many
    closure = (looks["task"] + counts["task"]) * grown
    hits, added = looks["results"] * grown, counts["results"] / counts["parts"] * grown * tasks
    taking = looks["taking"] + counts["taking"]
    driver = (sizes["driver_cpu"] - taking) * grown + taking * added / counts["results"]
    work, reading = per_row * ROWS / EXECUTORS * SLOWEST, 2 * stored * ROWS / EXECUTORS / STORE
    wall = max(work, reading) + (2 * closure + hits + added) / NETWORK + driver + a["ready_wall"]
    known = f"{sizes['queries'] * JUDGMENTS / 1e6:.2g} million judgments"
    lines = (
        ("CPU per row, both scans, including Java and Python",
         f"({b['cpu']:.0f} s − {a['cpu']:.0f} s) / ({many / 1e6:g}M − {few / 1e6:g}M rows), `{who}`", f"{per_row * 1e9:.0f} ns"),
        ("CPU of all rows", f"× {ROWS / 1e9:g} billion", f"{per_row * ROWS / 3600:.2f} core hours"),
        ("work of an executor", f"1/{EXECUTORS} of this; the slowest takes {SLOWEST:g} × as long as the average", f"{work:.0f} s"),
        ("bytes read", f"2 scans × {stored:.1f} B × rows: {reading:.0f} s at {STORE / 1e6:.0f} MB/s per executor, during the work",
         f"{2 * stored * ROWS / 1e9:.0f} GB"),
        ("judgments and hits sent", f"{(looks['task'] + counts['task']) / 1e6:.1f} MB for {known}; Spark sends them from executor to executor",
         f"{closure / 1e9:.2f} GB each"),
        ("hits returned", f"{looks['results'] / 1e6:.1f} MB for {known}", f"{hits / 1e9:.2f} GB"),
        ("counts returned", f"{counts['results'] / counts['parts'] / 1e6:.2f} MB per partition of {part:,.0f} rows for {sizes['queries']:,} queries; {tasks:,} partitions",
         f"{added / 1e9:.1f} GB"),
        ("the driver, alone", f"{taking:.2f} s of CPU to collect the results of {counts['parts']:.0f} partitions, and {sizes['driver_cpu'] - taking:.1f} s for {sizes['queries']:,} queries",
         f"{driver:.0f} s"),
        ("**wall time**", f"the longer of work and reading; transfers from and to the driver, at {NETWORK / 1e9:g} GB/s; the driver; startup", f"**{wall / 60:.1f} min**"),
    )  # fmt: skip
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"Assumed: {QUERIES / 1e6:g} million queries of {ROWS // QUERIES:,} rows with {JUDGMENTS} judgments each ({QUERIES * JUDGMENTS / 1e6:g} million, which every "
        f"executor holds); Parquet as here, {tasks:,} partitions of {part:,.0f} rows; executors with one core as fast as those measured. Transfers are compressed, as measured "
        f"with {sizes['queries']:,} queries, and grow at most linearly with the queries. Nothing is shuffled.\n\n"
        f"| quantity | calculation | result |\n| :--- | :--- | ---: |\n{rows}"
    )
