"""A standalone cluster: a master and two workers, tasks begun twice, and a worker that is killed."""

import os
import subprocess
import threading
import time
import venv
from pathlib import Path

import pytest
from on_spark import EXECUTORS, PATIENCE, each_a_part, same, session, tied_run, written
from refusals import refusal

import judged as jd
from judged.distributed.spark_executor import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MEASURES = "nDCG@10 AP RR P@5 R@100 Bpref Judged@10"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Judgments, a run with ties, and the same run in several files."""
    qrels, run = tied_run(200)
    return qrels, run, written(run, tmp_path_factory.mktemp("run"))


def test_files_and_tables_give_the_bits_of_one_process(clustered, files):
    qrels, run, folder = files
    wanted = jd.evaluate(qrels, run, MEASURES)
    same(jd.evaluate(qrels, str(folder), MEASURES, engine=Spark(clustered)), wanted)
    same(jd.evaluate(qrels, each_a_part(folder), MEASURES, engine=Spark(clustered)), wanted)
    same(jd.evaluate(qrels, clustered.read.parquet(str(folder)), MEASURES), wanted)


@pytest.fixture
def wait_until():
    """Wait on an event, however busy the machine is; what the test then asserts shows whether it came."""

    def wait(condition, seconds=PATIENCE):  # a function in a function: it goes to the workers by value
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)

    return wait


def test_both_workers_take_part(clustered, wait_until, tmp_path):
    def meet(item):
        (tmp_path / str(os.getppid())).touch()
        wait_until(lambda: len(list(tmp_path.iterdir())) >= 2)  # an executor may come late
        return len(list(tmp_path.iterdir()))

    assert list(Spark(clustered).map(meet, [(0, None), (1, None)])) == [2, 2]


def test_a_task_that_is_begun_twice_counts_once(clustered, files, wait_until, tmp_path):
    qrels, run, folder = files
    once, twice = tmp_path / "once", tmp_path / "twice"

    class Begun(Spark):
        def map(self, task, items):
            def late(item):
                if item[0] == 2:
                    try:
                        once.touch(exist_ok=False)
                    except FileExistsError:
                        twice.touch()
                    wait_until(twice.exists)
                return task(item)

            return super().map(late, items)

    found = jd.evaluate(qrels, each_a_part(folder), MEASURES, engine=Begun(clustered))
    same(found, jd.evaluate(qrels, run, MEASURES))
    assert twice.exists()


def test_a_worker_killed_in_the_middle_changes_nothing(cluster, clustered, files, wait_until, tmp_path):
    qrels, run, folder = files
    begun, killed = tmp_path / "begun", tmp_path / "killed"
    begun.mkdir()

    def both_begun():
        return len({path.name.partition("-")[2] for path in begun.iterdir()}) >= 2

    class Slow(Spark):
        def map(self, task, items):
            def slowly(item):
                (begun / f"{item[0]}-{os.getppid()}").touch()  # the executor's daemon: one for each worker
                wait_until(killed.exists)
                return task(item)

            return super().map(slowly, items)

    def kill():
        wait_until(both_begun)
        cluster.kill_worker()
        killed.touch()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = jd.evaluate(qrels, each_a_part(folder), MEASURES, engine=Slow(clustered))
    killer.join()
    same(found, jd.evaluate(qrels, run, MEASURES))
    assert both_begun()
    assert sum(worker.poll() is not None for worker in cluster.workers) == 1


def test_a_cluster_that_is_gone_is_an_error_of_the_engine(clustered):
    clustered.stop()
    with pytest.raises(jd.EngineError) as caught:
        list(Spark(clustered).map(len, [(0, None)]))
    assert caught.value.exit_code == 3


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Python that has numpy and pyarrow, and nothing else."""
    import numpy
    import pyarrow

    home = tmp_path_factory.mktemp("bare")
    venv.create(home, with_pip=False)
    links = home / "links"
    links.mkdir()
    for package in (numpy, pyarrow):
        source = Path(package.__file__).parent
        for folder in (source, source.with_name(f"{source.name}.libs")):
            if folder.is_dir():
                (links / folder.name).symlink_to(folder)
    [site] = home.glob("lib/python*/site-packages")
    (site / "links.pth").write_text(str(links))
    python = str(home / "bin" / "python")
    lacks = "import numpy, pyarrow, importlib.util as u; print([n for n in ('judged', 'scipy', 'pandas', 'isal') if u.find_spec(n)])"  # fmt: skip
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    assert subprocess.run([python, "-c", lacks], capture_output=True, text=True, env=clean).stdout.strip() == "[]"
    return python


def test_judged_is_sent_along_to_workers_that_have_none(jvm, cluster, files, bare):
    qrels, run, folder = files
    spark = session(cluster.address, bare, **EXECUTORS, **{"spark.executorEnv.PYTHONPATH": ""})
    refusal("needs", jd.evaluate, qrels, str(folder), engine=Spark(spark))
    wanted = jd.evaluate(qrels, run, MEASURES)
    shipping = Spark(spark, ship=True)
    same(jd.evaluate(qrels, str(folder), MEASURES, engine=shipping), wanted)
    same(jd.evaluate(qrels, spark.read.parquet(str(folder)), MEASURES, engine=shipping), wanted)

    def core(item):
        from judged.core.native import NATIVE

        return NATIVE

    from judged.core.native import NATIVE

    assert list(shipping.map(core, [(0, None)])) == [NATIVE]
