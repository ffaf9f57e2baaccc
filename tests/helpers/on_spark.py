"""What the tests of Spark share: sessions, a cluster, and data."""

import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from needs import optional

import judged as jd
from judged.core.parts.run import LocalPartitions, PartitionedRun

pa = optional("pyarrow")
pq = optional("pyarrow.parquet")

SOURCE = str(Path(jd.__file__).parents[1])
PATIENCE = 1800  # seconds that a test waits for an event
CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "OFF",
    # A busy machine is not a broken one: nothing is given up because it is late. Processes that die are noticed at once, by their connections.
    "spark.network.timeout": f"{PATIENCE}s",
    "spark.executor.heartbeatInterval": "60s",
    "spark.python.authenticate.socketTimeout": f"{PATIENCE}s",
}
EXECUTORS = {"spark.executor.memory": "512m", "spark.cores.max": "2"}


def environment() -> dict[str, str]:
    """What a process of Spark is started with."""
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = os.pathsep.join(dict.fromkeys([SOURCE, *inherited]))
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"}


def session(master: str, python: str = sys.executable, **conf: str):
    """A classic session. There is one at a time, in one JVM: the one before is stopped."""
    from pyspark.sql import SparkSession

    if (before := SparkSession.getActiveSession()) is not None:
        before.stop()
    os.environ.update(environment(), PYSPARK_PYTHON=python)
    builder = SparkSession.builder.master(master).appName("judged tests")
    for name, value in {**CONF, **conf}.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.getOrCreate()


class Cluster:
    """A standalone master and its workers, of one core each."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder, self.home = folder, Path(pyspark.__file__).parent
        port = free_port()
        self.address = f"spark://127.0.0.1:{port}"
        self.workers: list[subprocess.Popen] = []
        self.master = self._start("master", "master.Master", "--host", "127.0.0.1", "--port", str(port))

    def add_worker(self) -> None:
        """One on a host of its own: Spark tries no task twice on one host, where it has a choice."""
        name = f"worker{len(self.workers)}"
        work = str(self.folder / name)
        options = (
            "--host",
            f"127.0.0.{len(self.workers) + 1}",
            "--cores",
            "1",
            "--memory",
            "1g",
            "--work-dir",
            work,
            self.address,
        )
        self.workers.append(self._start(name, "worker.Worker", *options))

    def wait(self) -> None:
        """Until every worker is known to the master."""
        for number, worker in enumerate(self.workers):
            if worker.poll() is None:
                self._wait(f"worker{number}", "Successfully registered with master")

    def kill_worker(self) -> None:
        """SIGKILL, for a worker and its executor."""
        worker = next(process for process in self.workers if process.poll() is None)
        for pid in [worker.pid, *descendants(worker.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait(PATIENCE)

    def stop(self) -> None:
        processes = [*self.workers, self.master]
        pids = [pid for process in processes if process.poll() is None for pid in descendants(process.pid)]
        for process in processes:
            process.kill()
            process.wait(PATIENCE)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _start(self, name: str, kind: str, *options: str) -> subprocess.Popen:
        daemon = {
            "SPARK_HOME": str(self.home),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": f"-Dspark.worker.timeout={PATIENCE}",
            "SPARK_LOCAL_DIRS": str(self.folder),
        }
        others = {key: value for key, value in environment().items() if key not in ("PYTHONPATH", "SPARK_LOCAL_IP")}
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", "--webui-port", "0"]
        with (self.folder / f"{name}.log").open("w") as log:
            return subprocess.Popen([*command, *options], env={**others, **daemon}, stdout=log, stderr=log)

    def _wait(self, name: str, words: str) -> None:
        log = self.folder / f"{name}.log"
        until = time.monotonic() + PATIENCE
        while words not in log.read_text():
            assert time.monotonic() < until, f"{name} did not start:\n{log.read_text()}"
            time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def descendants(pid: int) -> list[int]:
    """Children of a process, theirs, and so on."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        children = [child for child, of in parents.items() if of == parent]
        found += children
        todo += children
    return found


def tied_run(queries: int = 120, depth: int = 60, seed: int = 3):
    """Judgments and a run with few different scores; some queries are on one side only."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for q in range(queries):
        docs = rng.permutation(200)[:depth].tolist()
        scores = np.round(rng.random(depth), 1).tolist()
        run[f"q{q}"] = {f"d{doc}": score for doc, score in zip(docs, scores, strict=True)}
        pool = rng.permutation(200)[:15].tolist()
        qrels[f"q{q}"] = {f"d{doc}": int(grade) for doc, grade in zip(pool, rng.integers(-1, 4, 15), strict=True)}
    for q in range(0, queries, 10):
        del qrels[f"q{q}"]
        del run[f"q{q + 3}"]
    return qrels, run


def arrow_of(run) -> pa.Table:
    """A run or judgments {query: {doc: number}} as a table, its rows in no order."""
    rows = [(query, doc, number) for query, docs in run.items() for doc, number in docs.items()]
    rows = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    query, doc, number = zip(*rows, strict=True)
    return pa.table({"query": query, "doc": doc, "score" if isinstance(number[0], float) else "grade": number})


def frame_of(spark, run, partitions: int = 5):
    """The same in Spark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spark.createDataFrame(arrow_of(run)).repartition(partitions)


def same(found, wanted) -> None:
    """The same queries, and the same bits for every value."""
    assert found.queries == wanted.queries
    assert list(found) == list(wanted)
    for measure in wanted:
        assert found[measure].tobytes() == np.asarray(wanted[measure]).tobytes(), measure


def written(run, folder: Path, parts: int = 6) -> Path:
    """A run in Parquet files, its rows in no order."""
    table = arrow_of(run)
    step = -(-table.num_rows // parts)
    for part in range(parts):
        pq.write_table(table.slice(part * step, step), folder / f"part-{part}.parquet")
    return folder


def each_a_part(folder: Path) -> PartitionedRun:
    """Files as parts of a run, one by one: small ones are taken together otherwise."""
    from judged.io.columns import ColumnRequest
    from judged.io.partitions import open_partitions

    runs = [open_partitions(str(path), ColumnRequest("run")) for path in sorted(folder.iterdir())]
    parts = tuple(part for run in runs for part in run.partitions.parts)
    return replace(runs[0], name="run", partitions=LocalPartitions(parts))
