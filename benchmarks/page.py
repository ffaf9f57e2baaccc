"""RESULTS.md, from the raw numbers alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from verdict import OWN, Results, Row, Target, bound, measured, own, ratio, targets

__all__ = ["page"]

HOW = """\
Each figure comes from a new process, and the tools take turns. A first run does not count: it compiles byte code
(and what numba caches), brings the files into memory, and its output is compared with that of `judged`. Then each tool runs
{repeat} times. The tables show the best time and the highest memory. CPU is user and system time of all threads and
children; peak is the largest resident memory, including mapped files (a program smaller than the harness shows the
harness's {harness:.0f} MB); × is the time as a multiple of that of the first row. *Whole process* includes starting Python
and all imports; *in process* excludes preparation: imports, dicts, frames. A target is the most that `judged` should
need, compared with that row. The last column is the precision to which the means, or the joined data, agree with
`judged`; trec_eval prints four decimals. trec_eval and pytrec_eval have no RR@10 and compute RR, which costs the
same; in ir_measures RR@10 costs a second pass in Python, so it also computes RR."""


def page(results: Results, notes: str = "") -> str:
    """The whole page: targets first, then a table for each work, then the remarks of `NOTES.md`."""
    goals = list(targets(results))
    parts = [
        "# Benchmarks",
        "Written by `make bench` (`benchmarks/run.py`) from `results.json`; remarks belong in `NOTES.md`.",
        *(["**A trial run on a fiftieth of the lines: its figures are meaningless.**"] if results["small"] else []),
        "![Time of each tool as a multiple of judged's](results.svg)",
        f"## Targets: {sum(goal.reached for goal in goals)} of {len(goals)} reached",
        _table(
            ("task", "tool", "compared with", "target", "measured", "reached"),
            ((g.work, g.who, g.what, g.goal, g.figure, _verdict([g])) for g in goals),
            numbers=range(3, 5),
        ),
        f"## Machine and versions, {results['date']}",
        _table(("component", "version"), [*results["machine"].items(), *results["versions"].items()]),
        HOW.format(repeat=results["repeat"], harness=results["harness"]),
    ]
    for work in results["works"]:
        parts += [f"## {work['title']}", _growth(work, results) if work["name"] == "growth" else _times(work, goals)]
        if work["name"] == "file":
            parts += ["### Memory", _memory_text(work), _memory(work, results)]
    return "\n\n".join([*parts, notes.strip()]).strip() + "\n"


def _times(work: Results, goals: Sequence[Target]) -> str:
    clock = "CPU" if work["clock"] == "cpu" else "wall"
    headers = ("tool", "CPU s", "wall s", "peak MB", f"× {clock}", "target", "reached", "agrees to")
    return _table(headers, [_cost(work, row, goals) for row in work["rows"]], numbers=range(1, 6))


def _cost(work: Results, row: Row, goals: Sequence[Target]) -> tuple[str, ...]:
    if not measured(row):
        return row["tool"], "", "", "", "", "", "", row["state"]
    times = ratio(work, row)
    here = [goal for goal in goals if (goal.work, goal.what) == (work["name"], row["tool"])]
    return (
        row["tool"], f"{row['cpu']:.3g}", f"{row['wall']:.3g}", f"{row['peak']:.0f}",
        "" if times is None else f"{times:.3g}", here[0].goal if here else "", _verdict(here), row["values"],
    )  # fmt: skip


def _verdict(goals: Sequence[Target]) -> str:
    """Yes or no, if it is the same for every way to use `judged`."""
    if len({goal.reached for goal in goals}) > 1:
        return ", ".join(f"{goal.who}: {_verdict([goal])}" for goal in goals)
    return ("yes" if goals[0].reached else "**no**") if goals else ""


def _memory_text(work: Results) -> str:
    size = next(row["bytes"] for row in work["rows"])
    return (
        f"In MB; the file of the run has {size / 1e6:.0f}. Beyond NumPy: the peak, mapped files included, as the kernel keeps it. "
        "Mapped and own: mapped files, and all other memory, beyond those of an interpreter with NumPy, looked at every millisecond; "
        f"the target for `judged` is at most {OWN:.0f} of its own."
    )


def _memory(work: Results, results: Results) -> str:
    base = results["baseline"]
    rows = [("interpreter with NumPy", f"{base['peak']:.0f}", "", "", "")]
    for row in filter(measured, work["rows"]):
        beyond = [max(0.0, row["memory"][name] - base[name]) for name in ("peak", "mapped")]
        figures = (row["memory"]["peak"], *beyond, own(row, results))
        rows.append((row["tool"], *(f"{figure:.0f}" for figure in figures)))
    return _table(("tool", "peak", "beyond NumPy", "mapped", "own"), rows, numbers=range(1, 5))


def _growth(work: Results, results: Results) -> str:
    headers = ("tool", "collection", "lines", "CPU s", "wall s", "CPU ns per line", "peak MB", "own MB", "allowed MB",
               "own B per line", "agrees to")  # fmt: skip
    rows = [_grown(row, results) if measured(row) else (row["tool"], row["data"], row["state"]) for row in work["rows"]]
    return _table(headers, rows, numbers=range(2, 10))


def _grown(row: Row, results: Results) -> tuple[str, ...]:
    need, lines = own(row, results), row["lines"]
    return (
        row["tool"], row["data"], f"{lines:,}", f"{row['cpu']:.3g}", f"{row['wall']:.3g}",
        f"{row['cpu'] / lines * 1e9:.0f}", f"{row['peak']:.0f}", f"{need:.0f}",
        f"{bound(row):.0f}" if row["ours"] else "", f"{need / lines * 1e6:.0f}", row["values"],
    )  # fmt: skip


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: Container[int] = ()) -> str:
    rule = ["---:" if i in numbers else ":---" for i in range(len(headers))]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in (headers, rule, *rows))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)
