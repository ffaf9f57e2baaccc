"""Measure `judged` and its peers on the same work, in one run: `python benchmarks/run.py`.

Writes RESULTS.md, results.svg and results.json; a partial or a small run writes them beside its data instead.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from machine import machine, versions
from measure import FailedError, memory_of, run
from page import page
from plot import plot
from tool import HERE, Task, Tools
from verdict import Results, Row, differs, measured, targets
from work import Work, works

SLOW = 10.0  # seconds
NUMPY = (sys.executable, "-c", "import numpy")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def expected(tools: Tools, data: str) -> dict[str, float]:
    """The numbers that every tool is compared by on a collection."""
    task = tools.inside("judged", "everything", data, times=1)
    _, text = run(task.command or (), tools.folder, inside=True)
    return {**task.values(text), "rows": float(tools.shape(data).rows)}


def agreement(task: Task, text: str, wanted: dict[str, float]) -> str:
    """To how much the printed numbers agree with the wanted ones, or the first that does not."""
    given = task.values(text)
    for name, value in given.items():
        if not abs(value - wanted[name]) <= task.tolerance:
            return f"**differ**: {name} is {value!r}, not {wanted[name]!r}"
    return f"{task.tolerance:.0e}".replace("e-0", "e-") if given else ""


def measure(work: Work, tools: Tools, wanted: dict[str, dict[str, float]], repeat: int) -> Results:
    """A row for each tool: a round that does not count, then the others, the tools by turns, and memory at last."""
    rows = [_row(task, tools) for task in work.tasks]
    slow: set[int] = set()  # one round that counts is enough for them
    for turn in range(repeat + 1 + work.memory):
        for task, row in zip(work.tasks, rows, strict=True):
            if task.command is None or row["state"] != "measured" or (1 < turn <= repeat and id(task) in slow):
                continue
            try:
                if turn > repeat:
                    row["memory"] = asdict(memory_of(task.command, tools.folder))
                    continue
                cost, text = run(task.command, tools.folder, inside=task.inside)
                row["values"] = row["values"] if differs(row) else agreement(task, text, wanted.get(task.data, {}))
                row["rounds"] += [asdict(cost)] if turn else []
                slow |= {id(task)} if cost.wall > SLOW else set()
            except (FailedError, ValueError) as problem:
                row["state"] = f"failed: {problem}"
    for row in filter(measured, rows):
        spent = {name: [cost[name] for cost in row["rounds"]] for name in ("cpu", "wall", "peak")}
        row |= {"cpu": min(spent["cpu"]), "wall": min(spent["wall"]), "peak": max(spent["peak"])}
    return {"name": work.name, "title": work.title, "clock": work.clock, "rows": rows}


def _row(task: Task, tools: Tools) -> Row:
    row: Row = {"tool": task.tool, "data": task.data, "limit": task.limit, "lean": task.lean, "ours": task.ours}
    row["most"] = dict(task.most)
    row |= {"state": "measured" if task.command else "not installed", "values": "", "rounds": []}
    if task.data:
        shape = tools.shape(task.data)
        row |= {"lines": shape.rows, "shape": asdict(shape), "bytes": Path(tools.files(task.data)[1]).stat().st_size}
    return row


def write(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    notes = HERE / "NOTES.md"
    (folder / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (folder / "results.svg").write_text(plot(results))
    (folder / "RESULTS.md").write_text(page(results, notes.read_text() if notes.exists() else ""))
    say(f"\nwritten: {folder / 'RESULTS.md'}, results.svg, results.json")


def arguments() -> Any:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [work.name for work in works(Tools(HERE))]
    parser.add_argument(
        "--only", nargs="*", choices=names, metavar="WORK", help=f"some of the works: {', '.join(names)}"
    )
    parser.add_argument("--repeat", type=int, default=3, help="rounds that count (default: 3)")
    parser.add_argument("--small", action="store_true", help="a fiftieth of the lines, to try the harness itself")
    parser.add_argument("--data", type=Path, default=HERE / ".data", help="where the collections are kept")
    parser.add_argument("--out", type=Path, help="where the results go")
    parser.add_argument("--page", action="store_true", help="measure nothing; write the page again from results.json")
    return parser.parse_args()


def main() -> int:
    """Exit 1 if a tool failed or its values differ: then it did not do the same work."""
    args = arguments()
    tools = Tools(args.data.resolve(), args.small)
    out = args.out or (tools.folder if args.small or args.only else HERE)
    if args.page:
        write(json.loads((out / "results.json").read_text()), out)
        return 0
    chosen = [work for work in works(tools) if not args.only or work.name in args.only]
    data = list(dict.fromkeys(task.data for work in chosen for task in work.tasks if task.data))
    say(f"collections: {'; '.join(data)}")
    make = [sys.executable, str(HERE / "data.py"), str(tools.folder), *data, *(["--small"] if args.small else [])]
    subprocess.run(make, check=True)
    results: Results = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}", "small": args.small, "repeat": args.repeat,
        "machine": machine(), "versions": versions(), "works": [],
    }  # fmt: skip
    wanted = {name: expected(tools, name) for name in data if tools.shape(name).runs == 1}
    memory_of(NUMPY, tools.folder)
    results["baseline"] = asdict(memory_of(NUMPY, tools.folder))
    results["harness"] = run((sys.executable, "-c", ""), tools.folder)[0].peak
    for work in chosen:
        say(f"\n{work.title}")
        results["works"].append(measure(work, tools, wanted, max(1, args.repeat)))
        for row in results["works"][-1]["rows"]:
            say(f"  {row['tool']:<28}{row['data']:<24}{_figures(row)}")
    say("\nto reach:")
    for goal in targets(results):
        verdict = "yes" if goal.reached else "no"
        say(f"  {goal.work:<8}{goal.who:<28}{goal.what:<34}{goal.goal:<18}{goal.figure:<9}{verdict}")
    write(results, out)
    rows = [row for work in results["works"] for row in work["rows"]]
    return int(any(differs(row) or row["state"].startswith("failed") for row in rows))


def _figures(row: Row) -> str:
    if not measured(row):
        return row["state"]
    return f"{row['cpu']:9.3f} s CPU{row['wall']:9.3f} s wall{row['peak']:7.0f} MB  {row['values']}"


if __name__ == "__main__":
    sys.exit(main())
