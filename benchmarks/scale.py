"""Measure evaluations of runs in parts beside those of SQL engines on the same files: `python benchmarks/scale.py`.

Every measurement is appended to a file as soon as it is there; SCALE.md is made of that file. An interrupted run goes on with `--continue`.
A full run writes both beside this program, any other one beside its data.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from machine import machine
from scale_data import Data, Shape, difference, make
from scale_page import OURS, Records, latest, page, table
from scale_tree import FailedError, adopt, memory_of, run
from scale_work import THREADS, WORKS

HERE = Path(__file__).resolve().parent
ROWS = (5.0, 20.0, 40.0, 200.0)
SLOW = 60.0  # seconds
# Rows, in millions, above which a contender is left out: hours for what the smaller runs tell, since all of them are linear in the rows.
MOST = {"duckdb-512": 40, "polars": 40, "spark-table": 20, "spark-sql": 20, "cluster-table": 20, "cluster-sql": 20}
PACKAGES = ("judged", "numpy", "pyarrow", "duckdb", "polars", "pyspark")
CORE = "import judged.core as c; print('native core' if c.NATIVE else 'no native core')"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Log:
    """The file of measurements, one JSON object a line; a run's lines have its number."""

    def __init__(self, path: Path, *, go_on: bool) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.records: Records = latest(path) if go_on else []
        self.run = self.records[0]["run"] if self.records else f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        if not self.records:
            self.add(kind="run", machine=machine(), versions=versions(), threads=THREADS)

    def add(self, **record: Any) -> None:
        self.records.append({"run": self.run, **record})
        with self.path.open("a") as file:
            file.write(json.dumps(self.records[-1], ensure_ascii=False) + "\n")

    def has(self, **wanted: Any) -> bool:
        return any(all(record.get(name) == value for name, value in wanted.items()) for record in self.records)


def measure(shape: Shape, data: Data, chosen: list[str], repeat: int, log: Log) -> None:
    """Memory of each contender first, which also compiles byte code; then the rounds that count, the contenders by turns.

    One run of a slow contender is enough for both.
    """
    size = {"shape": str(shape), "rows": shape.rows, "queries": shape.queries, "bytes": data.bytes}
    for turn in range(repeat + 1):
        for who in chosen:
            done = log.has(shape=str(shape), who=who, turn=turn) or (turn and who == "sizes")
            if done or any(
                log.has(shape=str(shape), who=who, **ended) for ended in ({"state": "failed"}, {"kind": "both"})
            ):
                continue
            found = _measured(who, data, sample=not turn)
            first = "both" if found.get("wall", 0.0) > SLOW else "memory"
            kind = "sizes" if who == "sizes" else "time" if turn else first
            record = {**size, "who": who, "kind": kind, "turn": turn, **found}
            log.add(**record)
            say(f"  {who:<16}{_figures(record)}")


def _measured(who: str, data: Data, *, sample: bool) -> dict[str, Any]:
    values = data.folder / "values"
    values.mkdir(exist_ok=True)
    target = values / f"{who}.parquet"
    target.unlink(missing_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=data.folder))
    places = (str(data.qrels), str(data.run), str(scratch), str(target))
    command = (sys.executable, str(HERE / "scale_work.py"), who, *places)
    try:
        cost, text = (memory_of if sample else run)(command, scratch)
        said = json.loads(text.splitlines()[-1])
        return {"state": "measured", **asdict(cost), **said, **_agreement(target, values)}
    except (FailedError, ValueError) as problem:
        return {"state": "failed", "problem": str(problem)}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _agreement(target: Path, values: Path) -> dict[str, Any]:
    """How far the values are from those of judged in memory; where these are too many, from its others'."""
    wanted = next((path for who in OURS if (path := values / f"{who}.parquet").exists()), None)
    if wanted is None or not target.exists():
        return {}
    largest, count = difference(target, wanted)
    return {"difference": largest, "differing": count, "compared": wanted.stem}


def _figures(record: dict[str, Any]) -> str:
    if record["state"] != "measured":
        return f"failed: {record['problem']}"
    times, memory = f"{record['cpu']:9.2f} s CPU{record['wall']:9.2f} s wall", f"{record['peak']:9.0f} MB"
    cost = {"time": times, "both": memory + times}.get(record["kind"], memory)
    apart = f"  largest difference {record['difference']:.3g}" if "difference" in record else ""
    return f"{cost}  others {record['others']:.1f} cores{apart}"


def versions() -> dict[str, str]:
    """Of everything, whether Python installed it or not."""
    found = {name: _version(name) for name in PACKAGES}
    core = _said(sys.executable, "-c", CORE)
    java = _said("java", "-version")
    return found | {
        "judged": f"{found['judged']} ({core or 'cannot be imported'})",
        "Java": java or "not installed",
    }


def _said(*command: str) -> str:
    """The first line that a program prints, wherever it prints it."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout or done.stderr).splitlines()), "")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "from the source tree" if name == "judged" else "not installed"


def contenders(only: list[str] | None) -> list[str]:
    """Those whose names begin with one of the words, after judged in memory, with which all are compared."""
    wanted = only or list(WORKS)
    return [who for who in WORKS if who == "memory" or any(who.startswith(word) for word in wanted)]


def arguments() -> Any:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--rows",
        type=float,
        nargs="+",
        default=list(ROWS),
        metavar="M",
        help="sizes in millions of rows (default: 5 20 40 200)",
    )
    parser.add_argument(
        "--depth",
        type=int,
        help="rows a query (default: 20,000 queries up to 40 million rows, 1,000 rows a query above)",
    )
    parser.add_argument(
        "--only", nargs="+", metavar="WHO", help=f"some contenders, by how their names begin: {', '.join(WORKS)}"
    )
    parser.add_argument(
        "--repeat", type=int, default=2, help="rounds that count, of which the best is taken (default: 2)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(tempfile.gettempdir()) / "judged-scale",
        help="where the runs are kept (default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, help="where SCALE.md and scale.jsonl go")
    parser.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="the last run of scale.jsonl goes on: what it has is not measured again",
    )
    parser.add_argument("--page", action="store_true", help="measure nothing; write SCALE.md again")
    return parser.parse_args()


def shapes(args: Any) -> Iterator[Shape]:
    """The sizes asked for, the smallest first."""
    return (Shape.of(millions, args.depth) for millions in sorted(args.rows))


def main() -> int:
    """Exit 1 if a contender failed, or one of ours differs from another in a single bit."""
    args = arguments()
    folder = args.data.resolve()
    full = not args.only and args.depth is None and args.rows == list(ROWS)
    out = (args.out or (HERE if full or args.page else folder)).resolve()
    if not args.page:
        adopt(THREADS)
        log = Log(out / "scale.jsonl", go_on=args.go_on)
        for shape in shapes(args):
            say(f"\n{shape.rows / 1e6:g} million rows: {shape.queries:,} queries × {shape.depth:,}")
            data = make(shape, folder, say)
            data.warm()
            chosen = [
                who for who in contenders(args.only) if args.only or shape.rows <= MOST.get(who, shape.rows) * 1e6
            ]
            measure(shape, data, chosen, max(1, args.repeat), log)
    records = latest(out / "scale.jsonl")
    say(f"\n{table(records)}")
    (out / "SCALE.md").write_text(page(records))
    say(f"\nwritten: {out / 'SCALE.md'}, from scale.jsonl beside it")
    wrong = [r for r in records if r.get("state") == "failed" or (r.get("who") in OURS and r.get("difference"))]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
