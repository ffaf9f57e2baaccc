"""The tools: how each is started on a collection, and how the numbers it prints are read."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from inside import FIVE, PYTREC_EVAL, RANX
from shape import SHAPES, Shape

__all__ = ["Task", "Tools", "trec_eval_path"]

HERE = Path(__file__).resolve().parent
OURS = tuple(FIVE.split())
PLAIN = tuple(name.replace("RR@10", "RR") for name in OURS)

JUDGED = f"""
import sys, judged as jd
print(*jd.evaluate(*sys.argv[1:], {FIVE!r}).mean().values(), sep="\\n")
"""
PYTREC_EVAL_CODE = f"""
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    qrels, run = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
values = pytrec_eval.RelevanceEvaluator(qrels, {set(PYTREC_EVAL)}).evaluate(run).values()
print(*(sum(v[name] for v in values) / len(values) for name in {list(PYTREC_EVAL)}), sep="\\n")
"""
IR_MEASURES = """
import sys, ir_measures
measures = [ir_measures.parse_measure(name) for name in sys.argv[3:]]
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
values = ir_measures.calc_aggregate(measures, qrels, run)
print(*(values[measure] for measure in measures), sep="\\n")
"""
RANX_CODE = f"""
import sys, ranx
qrels, run = ranx.Qrels.from_file(sys.argv[1], kind="trec"), ranx.Run.from_file(sys.argv[2], kind="trec")
print(*ranx.evaluate(qrels, run, {list(RANX)}).values(), sep="\\n")
"""
POLARS = """
import sys, polars as pl
text, number = pl.String, pl.Float64
names = dict(query=text, iteration=text, doc=text, grade=number)
qrels = pl.scan_csv(sys.argv[1], separator=" ", has_header=False, schema=names)
names = dict(query=text, q0=text, doc=text, rank=text, score=number, tag=text)
run = pl.scan_csv(sys.argv[2], separator=" ", has_header=False, schema=names).select("query", "doc", "score")
hits = run.join(qrels.select("query", "doc", "grade"), on=["query", "doc"]).collect(engine="streaming")
print(len(hits), hits["grade"].sum(), sep="\\n")
"""
READS = {
    "orjson.loads": ("orjson", "print(sum(map(len, orjson.loads(open(sys.argv[2], 'rb').read()).values())))"),
    "polars.read_csv": ("polars", "print(len(polars.read_csv(sys.argv[2])))"),
    "polars.read_ndjson": ("polars", "print(len(polars.read_ndjson(sys.argv[2])))"),
    "polars.read_parquet": ("polars", "print(len(polars.read_parquet(sys.argv[2])))"),
}
ZCAT = 'gzip -dc "$0" | wc -l'
FOR_EACH = 'judgments="$1"; shift; for run; do "$0" -m map -m ndcg_cut.10 "$judgments" "$run"; done'
IMPORT = """
import time
cpu, wall = time.process_time(), time.perf_counter()
STATEMENT
print(f'{{"cpu": {time.process_time() - cpu}, "wall": {time.perf_counter() - wall}, "values": {{}}}}')
"""

Command = tuple[str, ...]


def _last_column(text: str) -> list[float]:
    return [float(line.split()[-1]) for line in text.splitlines()]


def _fourth_cell(text: str) -> list[float]:
    return [float(line.split(",")[3]) for line in text.splitlines()[1:]]


def _nothing(text: str) -> list[float]:
    return []


def _first_cell(text: str) -> list[float]:
    return [float(text.split()[0])]


@dataclass(frozen=True)
class Task:
    """One tool on one collection.

    `names` are the numbers it prints, in their order, and `tolerance` how exactly; `limit`: `judged` may need at most
    this many times as much, and `lean` times the memory; `most` are absolute bounds; `inside`: it times a part of itself.
    No command: the tool is not installed.
    """

    tool: str
    data: str
    command: Command | None
    names: tuple[str, ...] = ()
    read: Callable[[str], list[float]] = _last_column
    tolerance: float = 1e-9
    limit: float | None = None
    lean: float | None = None
    most: tuple[tuple[Literal["cpu", "wall", "peak"], float], ...] = ()
    inside: bool = False

    @property
    def ours(self) -> bool:
        return "judged" in self.tool

    def values(self, text: str) -> dict[str, float]:
        """The numbers it printed, by their names here."""
        if self.inside:
            return json.loads(text)["values"]
        return dict(zip(self.names, self.read(text), strict=True))


def trec_eval_path() -> str | None:
    """The trec_eval program: `TREC_EVAL=path`, or one on the path."""
    return shutil.which(os.environ.get("TREC_EVAL", "trec_eval"))


def _script(name: str) -> str | None:
    path = Path(sys.executable).with_name(name)
    return str(path) if path.exists() else shutil.which(name)


@dataclass(frozen=True)
class Tools:
    """The tools on the collections in a folder. Further arguments are fields of the `Task`."""

    folder: Path
    small: bool = False

    def shape(self, data: str) -> Shape:
        return SHAPES[data].small() if self.small else SHAPES[data]

    def files(self, data: str) -> Command:
        qrels, run = self.shape(data).files(self.folder, data)
        return str(qrels), str(run)

    def judged(self, data: str, **rest: Any) -> Task:
        return Task("judged", data, self._python("judged", JUDGED, data), OURS, **rest)

    def judged_eval(self, data: str, tool: str = "judged eval", **rest: Any) -> Task:
        command = self._program(_script("judged"), "eval", *self.files(data), "-m", *OURS, "--format", "csv")
        return Task(tool, data, command, OURS, _fourth_cell, **rest)

    def judged_trec_eval(self, data: str, **rest: Any) -> Task:
        return replace(
            self.trec_eval(data, **rest),
            tool="judged trec_eval",
            command=self._program(_script("judged"), "trec_eval", *self._asked(data)),
        )

    def judged_runs(
        self, command: str, data: str, *options: str, first: int | None = None, tool: str = "", **rest: Any
    ) -> Task:
        """A command of `judged` on several runs, or on the first few of them."""
        words = self._program(_script("judged"), command, *self._runs(data, first), *options)
        return Task(tool or f"judged {command}", data, words, read=_nothing, **rest)

    def trec_eval_each(self, data: str, **rest: Any) -> Task:
        """trec_eval once per run."""
        path = trec_eval_path()
        command = None if path is None else ("sh", "-c", FOR_EACH, path, *self._runs(data))
        return Task("trec_eval, once per run", data, command, read=_nothing, **rest)

    def reading(self, tool: str, data: str, **rest: Any) -> Task:
        """A library that only reads the run's file."""
        module, code = READS[tool]
        return Task(
            tool, data, self._python(module, f"import sys, {module}; {code}", data), ("rows",), _first_cell, **rest
        )

    def zcat(self, data: str, **rest: Any) -> Task:
        command = ("sh", "-c", ZCAT, self.files(data)[1]) if shutil.which("gzip") else None
        return Task("gzip -dc | wc -l", data, command, ("rows",), _first_cell, **rest)

    def trec_eval(self, data: str, **rest: Any) -> Task:
        """trec_eval has no cutoff for the reciprocal rank, and prints in an order of its own, with four decimals."""
        command = self._program(trec_eval_path(), *self._asked(data))
        return Task("trec_eval", data, command, ("AP", "RR", "P@10", "R@1000", "nDCG@10"), tolerance=5.1e-5, **rest)

    def pytrec_eval(self, data: str, **rest: Any) -> Task:
        command = self._python("pytrec_eval", PYTREC_EVAL_CODE, data)
        return Task("pytrec_eval", data, command, tuple(PYTREC_EVAL.values()), **rest)

    def ir_measures(self, data: str, *, cut: bool = True, **rest: Any) -> Task:
        """`cut=False` asks for RR without a cutoff: RR@10 makes ir_measures call a second tool, in Python."""
        names = OURS if cut else PLAIN
        command = self._python("ir_measures", IR_MEASURES, data, *names)
        return Task("ir_measures" if cut else "ir_measures, RR for RR@10", data, command, names, **rest)

    def ir_measures_script(self, data: str, **rest: Any) -> Task:
        command = self._program(_script("ir_measures"), *self.files(data), *OURS, "-p", "12")
        return Task("ir_measures, its program", data, command, OURS, **rest)

    def ranx(self, data: str, **rest: Any) -> Task:
        return Task("ranx", data, self._python("ranx", RANX_CODE, data), tuple(RANX.values()), **rest)

    def polars(self, data: str, **rest: Any) -> Task:
        command = self._python("polars", POLARS, data)
        return Task("polars, read and join only", data, command, ("hits", "grades"), **rest)

    def wc(self, data: str, **rest: Any) -> Task:
        command = self._program(shutil.which("wc"), "-l", self.files(data)[1])
        return Task("wc -l", data, command, ("rows",), _first_cell, **rest)

    def inside(self, tool: str, work: str, data: str, *needs: str, times: int = 3, **rest: Any) -> Task:
        """A work of `inside.py`; -P, so that no file of this folder is taken for a module of a tool."""
        command = (sys.executable, "-P", str(HERE / "inside.py"), work, *self.files(data), str(times))
        return Task(tool, data, command if all(map(find_spec, needs)) else None, inside=True, **rest)

    def importing(self, statement: str, module: str, **rest: Any) -> Task:
        command = (sys.executable, "-c", IMPORT.replace("STATEMENT", statement))
        return Task(statement, "", command if find_spec(module) else None, inside=True, **rest)

    def whole_import(self, module: str, **rest: Any) -> Task:
        """A whole process that only imports a module."""
        command = (sys.executable, "-c", f"import {module}") if find_spec(module) else None
        return Task(f"python -c 'import {module}'", "", command, read=_nothing, **rest)

    def _asked(self, data: str) -> Command:
        asked = [word for name in ("map", "recip_rank", "P.10", "recall.1000", "ndcg_cut.10") for word in ("-m", name)]
        return (*asked, *self.files(data))

    def _runs(self, data: str, first: int | None = None) -> Command:
        shape = self.shape(data)
        return (self.files(data)[0], *map(str, shape.run_files(self.folder, data)[:first]))

    def _python(self, module: str, code: str, data: str, *more: str) -> Command | None:
        return (sys.executable, "-c", code, *self.files(data), *more) if find_spec(module) else None

    @staticmethod
    def _program(path: str | None, *words: str) -> Command | None:
        return (path, *words) if path else None
