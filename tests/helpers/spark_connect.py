"""The program of `test_connect.py`: everything once, by a session of Spark Connect; the answers are pickled."""

import pickle
import sys
import warnings
from pathlib import Path

from on_spark import CONF, frame_of, tied_run

import judged as jd
from judged.distributed.spark_executor import Spark
from judged.errors import JudgedWarning


def main(folder: Path, measures: str) -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as sql

    builder = SparkSession.builder.remote("local[2]")
    for name, value in CONF.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", JudgedWarning)  # queries are absent from the run on purpose
    qrels, run = tied_run()
    frame, files = frame_of(spark, run), str(folder / "run")
    answers = {
        "session": type(spark).__module__,
        "table": jd.evaluate(qrels, frame, measures),
        "files": jd.evaluate(qrels, files, measures, engine="spark"),
        "shipped": jd.evaluate(qrels, files, measures, engine=Spark(spark, ship=True)),
        "qrels": len(jd.read_qrels(frame_of(spark, qrels)).query),
        "missing": raised(lambda: jd.evaluate(qrels, frame.withColumn("score", sql.lit(None).cast("double")))),
        "bug": raised(lambda: list(Spark(spark).map(lambda item: 1 / 0, [(0, None)]))),
    }
    spark.stop()
    answers["stopped"] = raised(lambda: list(Spark(spark).map(len, [(0, None)])))
    (folder / "answers").write_bytes(pickle.dumps(answers))


def raised(call) -> tuple[str, str]:
    try:
        call()
    except jd.JudgedError as error:
        return type(error).__name__, error.slug
    return "nothing", ""


main(Path(sys.argv[1]), sys.argv[2])
