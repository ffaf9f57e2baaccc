"""The flags, messages and exit codes of `judged trec_eval`, on files of a few lines."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trec_eval_cases import call, options

import judged
from judged.evaluation.trec_eval_output import Options
from judged.measures.other_tools import RUN_ID
from judged.measures.registry import MEASURES
from judged.measures.trec_names import NICKNAMES, ORDER

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN = "1 Q0 b 1 3 me\n1 Q0 a 2 2 me\n1 Q0 x 3 1 me\n2 Q0 a 1 1 me\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(qrels: str = QRELS, run: str = RUN) -> tuple[str, str]:
        Path("qrels").write_text(qrels)
        Path("run").write_text(run)
        return "qrels", "run"

    return write


def test_all_57_measures_are_known_and_in_the_order_of_trec_eval():
    names = {word.rstrip(".=:") for definition in MEASURES for word in definition.trec}
    assert len(ORDER) == 57
    assert set(ORDER) - names == {RUN_ID}
    assert {name: len(names) for name, names in NICKNAMES.items()} == {
        "official": 12, "set": 11, "all_trec": 37, "all_prefs": 16, "prefs": 8, "qrels_jg": 5,
    }  # fmt: skip


@pytest.mark.parametrize(
    "argv",
    ["-q -c -l 2 -m map", "-qcl2 -mmap", "-qc -l2 --measure=map", "--query_eval_wanted --complete -l 2 --meas map"],
)
def test_flags_may_be_joined_written_out_and_cut_short(argv):
    assert options(argv) == Options(measures=("map",), per_topic=True, complete=True, level=2)


def test_the_first_parameters_of_a_measure_count(files):
    qrels, run = files()
    lines = call("-m", "P.1", "-m", "all_trec", "-m", "P.2", qrels, run)[1]
    assert [line.split()[0] for line in lines if line.startswith("P_")] == ["P_1"]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["-v"], 0, "trec_eval version 10.0"),
        ([], 1, "Usage"),
        (["qrels"], 1, "Usage"),
        (["qrels", "run", "other"], 1, "Usage"),
        (["-X", "qrels", "run"], 1, "Usage"),
        (["-m"], 1, "Usage"),
        (["-m", "nosuch", "qrels", "run"], 1, "illegal measure 'nosuch'"),
        (["-m", "P.", "qrels", "run"], 1, "illegal measure 'P'"),
        (["nofile", "run"], 2, "Quit in file 'nofile'"),
        (["qrels", "nofile"], 2, "Quit in file 'nofile'"),
        (["-R", "other", "qrels", "run"], 2, "Illegal rel_format 'other'"),
        (["-T", "other", "qrels", "run"], 2, "Illegal retrieval results format 'other'"),
        (["-m", "P.0", "qrels", "run"], 2, "Negative cutoff detected"),
        (["-m", "recall.5,5", "qrels", "run"], 2, "duplicate cutoffs detected"),
        (["-m", "ndcg.1", "qrels", "run"], 2, "malformed pair parameters"),
        (["-m", "utility.1,2", "qrels", "run"], 4, "Can't calculate measure 'utility'"),
        (["-R", "qrels_jg", "-m", "map", "qrels", "run"], 4, "rel_info format not qrels"),
        (["-m", "prefs_simp", "qrels", "run"], 4, "Can't calculate measure 'prefs_simp'"),
        (["-D", "1.nosuch", "qrels", "run"], 7, "No queries with both results and relevance info"),
        (["-Z", "nofile", "qrels", "run"], 255, "nofile"),
    ],
    ids=str,
)
def test_what_goes_wrong_has_its_exit_code_and_says_why(argv, code, said, files):
    files()
    assert (code, [], said) == (*(found := call(*argv))[:2], said if said in found[2] else found[2])


def test_help_describes_the_measures_asked_for():
    code, lines, _ = call("-h", "-m", "recip_rank")
    assert code == 0
    assert lines[0].startswith("Usage: judged trec_eval")
    assert any("One over the rank of the first relevant document" in line for line in lines)
    assert [line for line in (*lines, *call("-h", "-m", "all_trec")[1]) if len(line) > 80] == []


def test_a_topic_that_the_run_lacks_stops_it_where_it_stands(files):
    qrels, run = files(run=RUN.rsplit("2 Q0", 1)[0])
    one = ["num_ret               \t1\t3"]
    assert call("-q", "-m", "num_ret", qrels, run) == (4, one, "trec_eval: result qid '2' not found in qrels\n")
    assert call("-m", "num_ret", qrels, run)[1] == []
    assert call("-qc", "-m", "num_ret", qrels, run)[1] == [
        *one,
        "num_ret               \t2\t0",
        "num_ret               \tall\t3",
    ]


def test_a_document_twice_is_an_error_only_where_it_is_looked_at(files):
    files(run=RUN + "2 Q0 b 2 0.5 me\n2 Q0 b 3 0.4 me\n")
    code, lines, said = call("-qm", "map", "qrels", "run")
    assert (code, len(lines), said) == (
        4,
        1,
        "trec_eval.form_res_qrels: duplicate docs btrec_eval: Can't calculate measure 'map'\n",
    )
    assert call("-M2", "-m", "map", "qrels", "run")[0] == 0
    assert call("-m", "num_q", "qrels", "run")[0] == 0
    assert call("-D0.1", "-m", "map", "qrels", "run")[0] == 0


def test_a_document_judged_twice_is_an_error_for_one_judge_only(files):
    files(qrels=QRELS + "2 1 a 1\n")
    assert call("-m", "map", "qrels", "run")[0] == 4
    assert call("-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run") == (0, ["map_avgjg             \tall\t0.6250"], "")
    files(qrels=QRELS + "2 0 a 1\n")
    assert call("-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run")[0] == 2


def test_z_scores_count_standard_deviations_from_a_mean(files):
    files()
    Path("z").write_text("1 map 0.5 0.25\n1 num_ret 3 0\n2 map 1 0.5\n2 num_ret 3 0\n")
    assert call("-q", "-m", "map", "-m", "num_ret", "-Z", "z", "qrels", "run")[1] == [
        "Znum_ret               \t1\t0.0000", f"Zmap                   \t1\t{(0.25 - 0.5) / 0.25:.4f}",
        "Znum_ret               \t2\t-1000000.0000", "Zmap                   \t2\t0.0000",
        "Znum_ret               \tall\t-1000000.0000", "Zmap                   \tall\t-0.5000",
    ]  # fmt: skip


def program(*argv: str, **more) -> subprocess.CompletedProcess:
    start = "from judged.cli.main import main; main()"
    where = {**os.environ, "PYTHONPATH": str(Path(judged.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-c", start, "trec_eval", *argv], capture_output=True, env=where, check=False, **more
    )


def test_the_program_prints_bytes_as_they_stand_in_the_files(tmp_path):
    (tmp_path / "qrels").write_bytes(b"q\xff 0 \xc3\xa9 1\n")
    done = program(
        "-q", "-m", "map", "-m", "runid", "qrels", "-", cwd=tmp_path, input=b"q\xff Q0 \xc3\xa9 1 1 \xfeme\n"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (
        done.stdout
        == b"map                   \tq\xff\t1.0000\nrunid                 \tall\t\xfeme\nmap                   \tall\t1.0000\n"
    )


@pytest.mark.parametrize(("argv", "code"), [(["-h"], 0), (["-m", "nosuch"], 1)], ids=str)
def test_the_program_gives_the_exit_code(argv, code):
    done = program(*argv)
    assert (done.returncode, bool(done.stdout), bool(done.stderr)) == (code, code == 0, code != 0)
