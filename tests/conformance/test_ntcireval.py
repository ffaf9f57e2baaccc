"""NTCIREVAL: the sample with the output of the original program, and recorded answers of pyNTCIREVAL."""

import re

import pytest
from recorded import DATA, Pair, differences, pairs, table

from judged.core.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.io.formats.trec import parse_qrels, parse_run
from judged.measures.registry import Measure, parse, ranked

WORKED = {
    "O_measure": (1 + 1) / (2 + 4),
    "O_measure(beta=10)": (1 + 10 * 1) / (2 + 10 * 4),
    "P_measure": (2 + 4) / (3 + 4),
    "P_plus": ((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2,
    "NCUguP": (1 * 1 / 2 + 3 * 2 / 3) / (1 + 3),
    "NCUguBR": (1 * 2 / 6 + 3 * 6 / 7) / (1 + 3),
    "NCUguP(stops={3: 1})": (1 * 1 / 2 + 1 * 2 / 3) / (1 + 1),
    "NCUrbP(gamma=0.5)": (1 * 1 / 2 + 0.5 * 2 / 3) / (1 + 0.5),
    "NCUrbBR(gamma=0.5)": (1 * 2 / 6 + 0.5 * 6 / 7) / (1 + 0.5),
}


@pytest.mark.parametrize(("name", "value"), WORKED.items(), ids=WORKED)
def test_the_worked_example_comes_out(name, value):
    assert parse(name).on(ranked([0, 1, 3]))[0] == pytest.approx(value, rel=1e-15)


def translated(name: str, gains: dict[int, int]) -> Measure:
    """AP@k and Q@k divide by at most k; MSnDCG has today's discount, nDCG the original one; RBP is graded."""
    word, _, cutoff = name.partition("@")
    top = max(gains.values())
    word, p = ("RBP", float(word[4:-1])) if word.startswith("RBP(") else (word.partition("(")[0], 0.95)
    measure = {
        "Hit": parse("Success"),
        "MSnDCG": parse("nDCG")(gains=gains),
        "nDCG": parse("nDCG(discount='jk', log_base=2)")(gains=gains),
        "RBP": parse("RBP")(p=p, max=top, gains=gains),
        "ERR": parse("ERR(gain='linear')")(max=max(gains)),
        "nERR": parse("nERR(gain='linear')")(max=max(gains)),
    }.get(word) or parse(word)
    if "gains" in measure.definition.parameters:
        measure = measure(gains=gains)
    if not cutoff:
        return measure
    return (measure(norm="capped") if measure.name in ("AP", "Q") else measure) @ int(cutoff)


def sample(condensed: bool) -> Judged:
    folder = DATA / "ntcireval_sample"
    levels = [line.split() for line in (folder / "sample.rel").read_text().splitlines()]
    ranking = (folder / "sample.res").read_text().split()
    qrels = "".join(f"q 0 {doc} {level[1:]}\n" for doc, level in levels)
    run = "".join(f"q Q0 {doc} {rank} {-rank} t\n" for rank, doc in enumerate(ranking, 1))
    policy = Policy(unjudged="condensed" if condensed else "irrelevant")
    return join(
        parse_qrels(qrels.encode() + bytes(8), "sample.rel"), parse_run(run.encode() + bytes(8), "sample.res"), policy
    )


LINEAR = {1: 1, 2: 2, 3: 3}
SAMPLES = {"": LINEAR, "_cutoff": LINEAR, "_grade": {1: 1, 2: 4, 3: 9}, "_label_j": LINEAR}


@pytest.mark.needs("collections")
@pytest.mark.conformance
@pytest.mark.parametrize("variant", SAMPLES)
def test_every_value_the_original_program_prints_for_its_sample_is_met(variant, compared):
    judged, gains = sample(condensed=variant == "_label_j"), SAMPLES[variant]
    text = (DATA / "ntcireval_sample" / f"res_test_compute{variant}.txt").read_text()
    wanted = re.findall(r"^ (\S+)= +(\S+)$", text, re.MULTILINE)
    ours = {name: translated(name, gains).on(judged)[0] for name, _ in wanted}
    compared("NTCIREVAL (recorded, 4 decimals)", len(wanted))
    assert [(n, ours[n], v) for n, v in wanted if not abs(ours[n] - float(v)) <= 0.5e-4 + 1e-12] == []
    assert len(wanted) == 19


@pytest.mark.needs("collections")
@pytest.mark.conformance
@pytest.mark.parametrize("pair", pairs("ntcireval") or [None], ids=str)
def test_every_value_of_pyntcireval_is_met(pair: Pair, compared):
    judged = pair.judged(Policy())
    count, wrong = differences(judged, table(pair.answers("ntcireval")), 1e-14, lambda name: translated(name, LINEAR))
    compared("pyNTCIREVAL (recorded, 1e-14)", count)
    assert wrong == []
    assert count == 17 * len(judged)
