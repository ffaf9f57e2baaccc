"""The contenders, each in a process of its own: `python scale_work.py NAME QRELS RUN SCRATCH VALUES`.

Each evaluates nDCG@10, AP and RR of every query, equal scores in falling order of ids, and writes the values to a file. What is printed, as
JSON, is what it knows of itself: when its engine was ready.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scale_tree import spent_below

THREADS = 2
MEASURES = "nDCG@10 AP RR"

# The same text for DuckDB and for Spark: windows over the run, then arithmetic on its judged documents.
SQL = """
WITH ranked AS (
  SELECT query, doc, row_number() OVER (PARTITION BY query ORDER BY score DESC, doc DESC) AS rank FROM run
), hits AS (
  SELECT query, rank, grade,
         sum(CASE WHEN grade >= 1 THEN 1 ELSE 0 END) OVER (PARTITION BY query ORDER BY rank) AS found
  FROM ranked JOIN qrels USING (query, doc)
), gained AS (
  SELECT query, sum(CASE WHEN rank <= 10 THEN grade / log2(rank + 1) ELSE 0e0 END) AS dcg,
         sum(CASE WHEN grade >= 1 THEN found / rank ELSE 0e0 END) AS precisions,
         min(CASE WHEN grade >= 1 THEN rank END) AS first
  FROM hits GROUP BY query
), placed AS (
  SELECT query, grade, row_number() OVER (PARTITION BY query ORDER BY grade DESC) AS place FROM qrels
), ideal AS (
  SELECT query, sum(CASE WHEN place <= 10 THEN grade / log2(place + 1) ELSE 0e0 END) AS dcg,
         sum(CASE WHEN grade >= 1 THEN 1 ELSE 0 END) AS relevant
  FROM placed GROUP BY query
)
SELECT query, coalesce(gained.dcg / nullif(ideal.dcg, 0), 0e0) AS nDCG_10,
       coalesce(precisions / nullif(relevant, 0), 0e0) AS AP, coalesce(1e0 / first, 0e0) AS RR
FROM ideal LEFT JOIN gained USING (query)
"""


class Work:
    """One contender's data, where it may put things, and its account of itself."""

    def __init__(self, qrels: str, run: str, scratch: str, values: str) -> None:
        self.qrels, self.run, self.scratch, self.values = qrels, run, Path(scratch), values
        self.begun = time.perf_counter()
        self.said: dict[str, Any] = {}

    def ready(self) -> None:
        """The engine is there, and has done nothing yet."""
        self.said |= {"ready_wall": time.perf_counter() - self.begun, "ready_cpu": spent_below(os.getppid())}

    def evaluate(self, run: Any, **engine: Any) -> None:
        """By judged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        import judged as jd

        if not self.said:
            self.ready()
        values = jd.evaluate(self.qrels, run, MEASURES, **engine)
        columns = {str(measure): values[str(measure)] for measure in values.measures}
        pq.write_table(pa.table({"query": list(values.queries), **columns}), self.values)


# ── one machine ──────────────────────────────────────────────────────────────────────────────────


def memory(work: Work) -> None:
    """judged, all of the run in memory: what every other value is compared with."""
    import pyarrow.parquet as pq

    work.ready()
    work.evaluate(pq.read_table(work.run))


def local(work: Work) -> None:
    """judged out of core, on threads."""
    work.evaluate(work.run, engine="local")


class Weigher:
    """An executor that does one part after the other, and weighs what Spark would send out and bring back, compressed as there."""

    def __init__(self) -> None:
        self.scans: list[dict[str, float]] = []
        self.elsewhere = 0.0  # CPU seconds of what the driver would not do

    def map(self, task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """The results, each as it is wanted; `taking` is what it costs to unpack them and take them in."""
        scan = {"parts": len(items), "task": len(_packed((task, items))), "results": 0, "largest": 0, "taking": 0.0}
        self.scans.append(scan)
        for item in items:
            before = time.process_time()
            packed = _packed(task(item))
            done = time.process_time()
            self.elsewhere += done - before
            scan |= {"results": scan["results"] + len(packed), "largest": max(scan["largest"], len(packed))}
            yield _unpacked(packed)
            scan["taking"] += time.process_time() - done


def _packed(thing: Any) -> bytes:
    import zstandard

    return zstandard.compress(pickle.dumps(thing))


def _unpacked(packed: bytes) -> Any:
    import zstandard

    return pickle.loads(zstandard.decompress(packed))  # noqa: S301 - packed above


def sizes(work: Work) -> None:
    """judged, to weigh what is sent: no contender."""
    weigher, before = Weigher(), time.process_time()
    work.evaluate(work.run, engine=weigher)
    work.said |= {"scans": weigher.scans, "driver_cpu": time.process_time() - before - weigher.elsewhere}


def duckdb(work: Work, limit: str | None = None) -> None:
    """DuckDB, windows in SQL."""
    import duckdb

    settings: dict[str, Any] = {
        "threads": THREADS,
        "temp_directory": str(work.scratch),
        "preserve_insertion_order": False,
    }
    connection = duckdb.connect(config=settings | ({"memory_limit": limit} if limit else {}))
    work.ready()
    connection.execute(f"CREATE VIEW run AS FROM read_parquet('{work.run}/*.parquet')")
    connection.execute(f"CREATE VIEW qrels AS FROM read_parquet('{work.qrels}')")
    connection.execute(f"COPY ({SQL}) TO '{work.values}' (FORMAT parquet)")


def duckdb_512(work: Work) -> None:
    """The same, which may hold 512 MB."""
    duckdb(work, "512MB")


def polars(work: Work) -> None:
    """polars, streaming: the grades of each query in the order of its ranking, then arithmetic on the judged ones."""
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    import polars as pl

    work.ready()
    qrels, run = pl.scan_parquet(work.qrels), pl.scan_parquet(f"{work.run}/*.parquet")
    best_first: dict[str, Any] = {"by": ["score", "doc"], "descending": True}
    lists = run.join(qrels, on=["query", "doc"], how="left").group_by("query").agg(
        pl.col("grade").sort_by(**best_first).drop_nulls(),
        rank=(pl.col("grade").sort_by(**best_first).is_not_null().arg_true() + 1).cast(pl.Float64),
    )  # fmt: skip
    relevant = pl.col("grade") >= 1
    gain = pl.when(pl.col("rank") <= 10).then(pl.col("grade") / (pl.col("rank") + 1).log(2)).otherwise(0.0)
    precision = relevant.cum_sum() / pl.col("rank")
    gained = lists.explode("grade", "rank").group_by("query").agg(
        dcg=gain.sum(), precisions=precision.filter(relevant).sum(), first=pl.col("rank").filter(relevant).min()
    )  # fmt: skip
    top = pl.col("grade").sort(descending=True).head(10)
    ideal = qrels.group_by("query").agg(
        best=(top / (pl.int_range(2, top.len() + 2)).cast(pl.Float64).log(2)).sum(), relevant=relevant.sum()
    )
    table = ideal.join(gained, on="query", how="left").select(
        "query",
        pl.when(pl.col("best") > 0).then(pl.col("dcg") / pl.col("best")).fill_null(0.0).alias("nDCG_10"),
        pl.when(pl.col("relevant") > 0).then(pl.col("precisions") / pl.col("relevant")).fill_null(0.0).alias("AP"),
        (1 / pl.col("first")).fill_null(0.0).alias("RR"),
    )
    table.collect(engine="streaming").write_parquet(work.values)


# ── Spark ────────────────────────────────────────────────────────────────────────────────────────


def files(work: Work, session: Any) -> None:
    """judged on Spark, which reads the files in the tasks."""
    import judged as jd

    work.evaluate(work.run, engine=jd.Spark(session))


def table(work: Work, session: Any) -> None:
    """judged on a table of Spark's."""
    work.evaluate(session.read.parquet(work.run))


def sql(work: Work, session: Any) -> None:
    """Spark, windows in SQL."""
    import pyarrow.parquet as pq

    session.read.parquet(work.run).createOrReplaceTempView("run")
    session.read.parquet(work.qrels).createOrReplaceTempView("qrels")
    pq.write_table(session.sql(SQL).toArrow(), work.values)


def on_spark(work: Work, act: Callable[[Work, Any], None]) -> None:
    """In one Java process with two threads."""
    session = _session(work, f"local[{THREADS}]", {"spark.driver.memory": "4g"})
    act(work, session)
    session.stop()


def on_cluster(work: Work, act: Callable[[Work, Any], None]) -> None:
    """On a master and two workers of one core each, on the loopback interface."""
    with _cluster(work.scratch) as master:
        session = _session(work, master, {"spark.driver.memory": "2g", "spark.executor.memory": "2g"})
        act(work, session)
        session.stop()


def _session(work: Work, master: str, settings: dict[str, str]) -> Any:
    from pyspark.sql import SparkSession

    settings |= {
        "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(work.scratch), "spark.sql.warehouse.dir": str(work.scratch / "warehouse"),
    }  # fmt: skip
    builder = SparkSession.builder.master(master).appName("judged, scale")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    work.ready()
    return session


@contextmanager
def _cluster(scratch: Path) -> Iterator[str]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(scratch), "SPARK_NO_DAEMONIZE": "1"}
    log = scratch / "cluster.log"
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str, *arguments: str) -> None:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        common = ["--host", "127.0.0.1", "--webui-port", "0"]
        with log.open("ab") as out:
            started.append(subprocess.Popen([*command, *common], env=environment, stdout=out, stderr=out))

    try:
        start("master.Master", "--port", "0")
        master = "spark://" + _logged(log, "Starting Spark master at spark://", 1)
        for _ in range(THREADS):
            start("worker.Worker", "--cores", "1", "--memory", "3g", "--work-dir", str(scratch / "work"), master)
        _logged(log, "Registering worker", THREADS)
        yield master
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def _logged(log: Path, words: str, times: int) -> str:
    """What follows the words, once they are in the log as often as wanted."""
    deadline = time.perf_counter() + 120
    while time.perf_counter() < deadline:
        parts = log.read_text().split(words)
        if len(parts) > times and "\n" in parts[times]:
            return parts[times].splitlines()[0].strip()
        time.sleep(0.05)
    raise TimeoutError(f"{words!r} is not in {log} after two minutes")


WORKS: dict[str, Callable[[Work], None]] = {
    "memory": memory,
    "local": local,
    "duckdb": duckdb,
    "duckdb-512": duckdb_512,
    "polars": polars,
    "spark-files": lambda work: on_spark(work, files),
    "spark-table": lambda work: on_spark(work, table),
    "spark-sql": lambda work: on_spark(work, sql),
    "cluster-files": lambda work: on_cluster(work, files),
    "cluster-table": lambda work: on_cluster(work, table),
    "cluster-sql": lambda work: on_cluster(work, sql),
    "sizes": sizes,
}


def main(name: str, *places: str) -> None:
    """Do it, and print the account."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    work = Work(*places)
    WORKS[name](work)
    print(json.dumps(work.said))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
