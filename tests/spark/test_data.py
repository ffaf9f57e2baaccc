"""Real collections, in partitions at random: the same bits as one process."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from needs import optional
from on_spark import same
from recorded import DATA

import judged as jd
from judged.distributed.spark_executor import Spark

pa = optional("pyarrow")

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ADHOC = "nDCG@10 nDCG AP RR P@5 P@1000 R@100 Rprec Bpref infAP ERR@20 RBP Judged@10 GMAP NumRelRet iprec_at_recall.0.1 Success@1"
DIVERSITY = "alpha-nDCG@20 ERR-IA@20 P-IA@10 NRBP strec@10"


def scattered(spark, path: Path, partitions: int):
    run = jd.read_run(str(path))
    rows = np.random.default_rng(0).permutation(len(run.query))
    text = [raw.decode() for raw in run.queries.tolist()]
    table = pa.table({
        "query": [text[code] for code in run.query[rows].tolist()],
        "doc": [raw.decode() for raw in run.doc.take(rows).tolist()],
        "score": run.score[rows],
        "rank": run.rank[rows],
    })  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spark.createDataFrame(table).repartition(partitions)


@pytest.mark.needs("collections")
@pytest.mark.parametrize(
    ("collection", "run", "qrels", "measures"),
    [("robust03", "uic0301", "qrels", ADHOC), ("dl21_passage", "p_bm25", "qrels", ADHOC), ("web2013_diversity", "cedr", "qrels.ndeval", DIVERSITY)],
)  # fmt: skip
def test_a_real_run_gives_the_bits_of_one_process(spark, collection, run, qrels, measures, compared):
    judgments, path = str(DATA / collection / f"{qrels}.txt.gz"), DATA / collection / "runs" / f"{run}.run.gz"
    wanted = jd.evaluate(judgments, str(path), measures)
    frame = scattered(spark, path, 7)
    same(jd.evaluate(judgments, frame, measures), wanted)
    same(jd.evaluate(judgments, str(path), measures, engine=Spark(spark)), wanted)
    compared("one process, on Spark", 2 * len(wanted) * len(wanted.columns))
