"""`judged trec_eval` prints what trec_eval 10.0 prints, byte for byte, with its exit codes."""

from __future__ import annotations

import csv
import gzip
import json
import shlex
import subprocess
import sys
from pathlib import Path

import _trec_eval as known
import pytest
from recorded import DATA, need_data

from judged.cli.trec_eval import flags_of, main, options_of
from judged.engine.trec_eval import Options, evaluate

pytestmark = pytest.mark.conformance


def options(args: str) -> Options:
    return options_of(flags_of(shlex.split(args))[0])


# ── recorded outputs ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("case", known.edge_cases(), ids=lambda case: case.name)
def test_every_edge_case_comes_out_as_trec_eval_prints_it(case: Path, capfdbinary, compared):
    qrels, run = (str(known.present(case / name)) for name in ("qrels", "run"))
    for call in known.recorded_calls(case):
        code = main([*shlex.split(call["args"]), qrels, run])
        ours = capfdbinary.readouterr().out.decode().split("\n")[:-1]
        theirs = call["stdout"].split("\n")[:-1]
        wrong, _ = known.differences(case.name, call["args"], ours, theirs)
        assert (call["args"], code, wrong) == (call["args"], call["exit"], [])
        compared("trec_eval 10.0, lines of edge cases", len(theirs))


@pytest.mark.parametrize("pair", known.pairs() or [None], ids=str)
def test_every_collection_comes_out_as_trec_eval_prints_it(pair, compared):
    need_data()
    run = pair.run()
    for args, path in pair.outputs.items():
        chosen = options(args)
        outcome = evaluate(chosen, pair.qrels(chosen.form), run)
        theirs = known.lines(path)
        wrong, _ = known.differences("", args, [*outcome.lines], theirs)
        assert (path.name, outcome.exit_code, wrong[:5]) == (path.name, 0, [])
        compared("trec_eval 10.0, lines of collections", len(theirs))
