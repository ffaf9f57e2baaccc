"""Spark for tests: sessions in this process, and a cluster of a master and two workers on the loopback interface."""

from pathlib import Path

import pytest
from on_spark import EXECUTORS, PATIENCE, SOURCE, Cluster, session


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.needs("java", "pyspark", "pyarrow"))


@pytest.fixture(scope="session")
def jvm():
    """The JVM of all sessions, which is ended with the tests."""
    yield
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if (last := SparkSession.getActiveSession()) is not None:
        last.stop()
    if (gateway := SparkContext._gateway) is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(PATIENCE)


@pytest.fixture(scope="module")
def spark(jvm):
    return session("local[2]")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.add_worker()
        made.add_worker()
        made.wait()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def clustered(jvm, cluster):
    """A session on the cluster, whose workers find judged; slow tasks are begun a second time."""
    speculation = {
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.3",
        "spark.speculation.minTaskRuntime": "500ms",
    }
    impatient = {"spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "1s"}
    return session(cluster.address, **EXECUTORS, **speculation, **impatient, **{"spark.executorEnv.PYTHONPATH": SOURCE})
