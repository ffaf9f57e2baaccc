"""A metric of torchmetrics that measures as we do: batches, collections, processes."""

import copy
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from needs import optional

import judged as jd

torch = optional("torch")
torchmetrics = optional("torchmetrics")

pytestmark = pytest.mark.needs("torch", "torchmetrics")
RankingMetric = jd.integrations.torchmetrics.RankingMetric if torchmetrics else torchmetrics
MAKE = torch.Generator().manual_seed(5)
SCORES = torch.rand((40, 15), generator=MAKE)
LABELS = torch.randint(0, 3, (40, 15), generator=MAKE) * (torch.rand((40, 15), generator=MAKE) < 0.3)
LABELS[7] = 0
INDEXES = torch.arange(40)[:, None].expand(40, 15) * 1_000_000_007


def batches(metric, rows=range(40), size=6, *, named=True):
    rows = list(rows)
    for i in range(0, len(rows), size):
        some = rows[i : i + size]
        metric.update(SCORES[some], LABELS[some], *([INDEXES[some]] if named else []))
    return metric


def wanted(measure, **options):
    """Means of fractions, rounded once."""
    columns = jd.score(LABELS, SCORES, measure, **options).columns
    known = {name: column[~np.isnan(column)].tolist() for name, column in columns.items()}
    return {name: float(sum(map(Fraction, values)) / len(values)) for name, values in known.items()}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
def test_batches_come_to_the_exact_mean_in_any_order(named, empty):
    backwards = batches(RankingMetric("nDCG@10", empty=empty), reversed(range(40)), named=named)
    found = batches(RankingMetric("nDCG@10", empty=empty), named=named).compute()
    assert found.shape == ()
    assert found.item() == backwards.compute().item() == wanted("nDCG@10", empty=empty)["nDCG@10"]
    assert found.item() == pytest.approx(jd.score(LABELS, SCORES, "nDCG@10", empty=empty).mean()["nDCG@10"], rel=1e-14)


def test_several_measures_are_a_dict():
    found = batches(RankingMetric("nDCG@10 AP RR", profile="torchmetrics", level=2)).compute()
    assert {name: value.item() for name, value in found.items()} == wanted("nDCG@10 AP RR", profile="torchmetrics", level=2)  # fmt: skip


def test_padding_masks_and_missing_items_are_those_of_score():
    metric = RankingMetric("R@2")
    metric.update(torch.tensor([[0.9, 0.8, 0.7]]), torch.tensor([[1, 1, -1]]), pad=-1)
    metric.update(torch.tensor([[0.9, 0.8]]), torch.tensor([[1, 1]]), mask=torch.tensor([[True, False]]))
    metric.update(torch.tensor([[0.9, 0.8]]), torch.tensor([[1, 0]]), total_relevant=[4])
    assert metric.compute().item() == (1 + 1 + 1 / 4) / 3


def test_forward_gives_the_value_of_the_batch_and_keeps_all():
    metric = RankingMetric("AP")
    first = metric(SCORES[:10], LABELS[:10], INDEXES[:10])
    assert first.item() == pytest.approx(jd.score(LABELS[:10], SCORES[:10], "AP").mean()["AP"], rel=1e-14)
    metric(SCORES[10:], LABELS[10:], INDEXES[10:])
    assert metric.compute().item() == wanted("AP")["AP"]


def test_measures_that_agree_on_the_first_batch_stay_apart_in_a_collection():
    found = torchmetrics.MetricCollection({"p": RankingMetric("P@1"), "success": RankingMetric("Success@3")})
    found.update(torch.tensor([[0.9, 0.1, 0.2]]), torch.tensor([[1, 0, 0]]))
    found.update(torch.tensor([[0.1, 0.9, 0.2]]), torch.tensor([[1, 0, 0]]))
    assert {name: value.item() for name, value in found.compute().items()} == {"p": 0.5, "success": 1.0}


def test_a_collection_holds_metrics_of_both_kinds():
    both = torchmetrics.MetricCollection({"ours": RankingMetric("nDCG@10"), "theirs": torchmetrics.retrieval.RetrievalNormalizedDCG(top_k=10)})  # fmt: skip
    for i in range(0, 40, 8):
        both.update(SCORES[i : i + 8], LABELS[i : i + 8], indexes=INDEXES[i : i + 8])
    found = both.compute()
    assert found["ours"].item() == pytest.approx(found["theirs"].item(), rel=1e-6)


def test_a_list_that_comes_twice_is_an_error_or_counts_once():
    metric = batches(RankingMetric("AP"))
    metric.update(SCORES[:2], LABELS[:2], INDEXES[:2])
    with pytest.raises(jd.DataError, match="index 0") as caught:
        metric.compute()
    assert caught.value.slug == "duplicate-query"
    once = batches(RankingMetric("AP", repeated="first"))
    once.update(SCORES[:2], LABELS[:2], INDEXES[:2])
    assert once.compute().item() == wanted("AP")["AP"]


def test_lists_with_and_without_indexes_do_not_mix():
    metric = batches(RankingMetric("AP"), range(10))
    metric.update(SCORES[:2], LABELS[:2])
    with pytest.raises(jd.UsageError):
        metric.compute()


def test_reset_begins_anew():
    metric = batches(RankingMetric("AP"))
    metric.reset()
    assert batches(metric).compute().item() == wanted("AP")["AP"]


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
def test_nothing_has_no_value():
    with pytest.raises(jd.DataError):
        RankingMetric("AP").compute()


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, lambda m: m.clone()])
def test_a_metric_is_copied_with_its_state(copied):
    metric = batches(RankingMetric("AP"), range(20))
    other = batches(copied(metric), range(20, 40))
    assert other.compute().item() == wanted("AP")["AP"]
    assert metric.compute().item() != other.compute().item()


def test_states_merge():
    a, b = batches(RankingMetric("AP"), range(20)), batches(RankingMetric("AP"), range(20, 40))
    a.merge_state(b)
    assert a.compute().item() == wanted("AP")["AP"]


def test_a_metric_says_which_way_is_better():
    assert RankingMetric("AP").higher_is_better
    assert not RankingMetric("FirstHit").higher_is_better


def test_options_of_torchmetrics_are_handed_on_and_wrong_ones_refused():
    assert RankingMetric("AP", compute_on_cpu=True).compute_on_cpu
    for wrong in ({"tie": "best"}, {"repeated": "last"}, {"profile": "x"}):
        with pytest.raises(jd.UsageError):
            RankingMetric("AP", **wrong)


def test_gradients_and_short_floats_are_no_obstacle():
    metric = RankingMetric("AP")
    metric.update(SCORES.bfloat16().requires_grad_(), LABELS)
    assert 0 < metric.compute().item() < 1


_PROCESS = """
import sys
import torch, torch.distributed as dist
import judged as jd
rank, size, store = int(sys.argv[1]), 3, sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
make = torch.Generator().manual_seed(5)
scores, labels = torch.rand((40, 15), generator=make), torch.randint(0, 2, (40, 15), generator=make)
indexes = torch.arange(40)[:, None].expand(40, 15)
metric = jd.integrations.torchmetrics.RankingMetric("nDCG@10 AP", repeated="first")
if rank < 2:                                       # the third process never gets a batch
    rows = list(range(rank, 40, 2)) + [0]          # and list 0 comes three times
    for i in range(0, len(rows), 4):
        some = rows[i : i + 4]
        metric.update(scores[some], labels[some], indexes[some])
print([value.item().hex() for value in metric.compute().values()])
"""


@pytest.mark.slow
@pytest.mark.needs("unix")  # processes meet at a file
def test_processes_come_to_the_bits_of_one_pass(tmp_path):
    commands = [
        [sys.executable, "-W", "ignore", "-c", _PROCESS, str(rank), str(tmp_path / "store")] for rank in range(3)
    ]
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for c in commands]
    said = [process.communicate(timeout=120) for process in running]
    make = torch.Generator().manual_seed(5)
    scores, labels = torch.rand((40, 15), generator=make), torch.randint(0, 2, (40, 15), generator=make)
    columns = jd.score(labels, scores, "nDCG@10 AP").columns.values()
    means = [float(sum(map(Fraction, column.tolist())) / len(column)) for column in columns]
    assert [out.strip() for out, _ in said] == [str([value.hex() for value in means])] * 3, said[0][1]


def test_values_do_not_depend_on_how_wide_the_batch_is():
    metric = RankingMetric("nDCG@10")
    for i in range(40):
        metric.update(SCORES[i], LABELS[i])
    assert metric.compute().item() == wanted("nDCG@10")["nDCG@10"]
    assert np.isfinite(metric.compute().item())
