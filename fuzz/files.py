"""Files that Python alone reads and writes: saved results, baselines, questions, and every writer with its reader.

    python -m fuzz.files --seconds 60            all targets, in turn; fails with the input in build/fuzz/found
    python -m fuzz.files --replay saved FILE     the error of such an input

An input is read back as it was written or refused by an error of ours; anything else is a finding. No sanitizer and no compiler is needed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import judged as jd
from judged.errors import JudgedError
from judged.io.write import WRITERS
from judged.quality_gate.baseline import read_baseline

__all__ = ["TARGETS", "seeds", "wrong"]

FOUND = Path(__file__).resolve().parent.parent / "build" / "fuzz" / "found"
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = {"q1": ["b", "a"], "q2": ["x", "a"]}
WORDS = (
    b"10000000000000000000000000000000000000000 1e308 -5 1e400 NaN null true [] {} [[[[[[ {\"a\": \"\\udcff\" \\u0000 , : \" # ' = - @ \n \r \t \x00 "
    b"\xff \xef\xbb\xbf q1 AP judged values queries checksum question retrieved relevant ids [1] {\"id\":1}"
).split(b" ")  # fmt: skip


def saved(data: bytes) -> None:
    """A saved result is the one that was saved, or refused."""
    text = data.decode("utf-8", "surrogateescape")
    values = jd.Values.from_json(text)
    assert jd.Values.from_json(values.to_json()).to_json() == values.to_json()


def baseline(data: bytes) -> None:
    """So is a baseline, which is compared without a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "base.json")
        path.write_bytes(data)
        found = read_baseline(path)
        if found is not None:
            jd.gate(QRELS, RUN, baseline=found, allow_changed_judgments=True)


def questions(data: bytes) -> None:
    """Questions are read from any text, or refused."""
    jd.evaluate(jd.rag.read_questions(io.BytesIO(data)), measures="AP")


def written(data: bytes) -> None:
    """Ids are read back from every format that takes them; two ids never become one."""
    cells = [cell for cell in data.split(b"\0") if cell] or [b"x"]
    names = [name for name, writer in WRITERS.items() if writer.endings]
    format = names[len(data) % len(names)]
    half = len(cells) // 2 + 1
    run = jd.read_run(
        {query: {doc: float(i) for i, doc in enumerate(cells[half:] or [b"d"])} for query in cells[:half]}
    )
    with tempfile.TemporaryDirectory() as folder:
        for table, write, read in ((run, jd.write_run, jd.read_run), (_as_qrels(run), jd.write_qrels, jd.read_qrels)):
            path = Path(folder, f"a.{format}")
            write(table, path)
            again = read(path)
            assert again.queries.take(again.query).tolist() == table.queries.take(table.query).tolist()
            assert again.doc.tolist() == table.doc.tolist()
            path.unlink()


def _as_qrels(run: jd.Run) -> jd.Qrels:
    return jd.Qrels(name="qrels", queries=run.queries, query=run.query, doc=run.doc, grade=run.score)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "saved": saved, "baseline": baseline, "questions": questions, "written": written,
}  # fmt: skip


def seeds(target: str) -> list[bytes]:
    """What a target starts from."""
    values = jd.evaluate(QRELS, RUN, "AP nDCG@10 NumRet relstring", bounds=True)
    if target == "saved":
        return [values.to_json().encode(), json.dumps({**json.loads(values.to_json()), "judged": 1}).encode()]
    if target == "baseline":
        return [jd.baseline(QRELS, RUN, "AP P@1").to_json().encode(), values.to_json().encode(), b'{"q1": {"a": 1}}']
    if target == "questions":
        record = b'{"question": "why?", "retrieved": ["c2", {"id": "c1", "score": 0.5}], "relevant": ["c1"]}\n'
        return [
            record,
            record + record.replace(b"why", b"how"),
            b"[" + record.strip() + b"]",
            record.replace(b'"relevant"', b'"relevant_ids"'),
        ]
    return [b"q1\0q2\0a\0b", b'=1\0-5\0\'-5\0@a\0#q\0"x"', "é\0\u2028\0 a\0a \0\ta".encode(), b"\xff\0a\xfe"]


def wrong(target: str, data: bytes) -> str | None:
    """What is wrong with an input: any error that is not ours."""
    try:
        TARGETS[target](data)
    except JudgedError as error:
        return None if error.exit_code == 2 else f"exit code {error.exit_code}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _mutate(data: bytes, source: random.Random) -> bytes:
    for _ in range(source.choice((1, 1, 2, 4, 8))):
        at, to = sorted(source.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + source.choice((0, 1, 1, 4, 40)))
        piece = source.choice(
            (source.choice(WORDS), source.randbytes(1), b"", data[at:to] * 2, b"[" * source.choice((1, 3000)))
        )
        data = data[:at] + piece + data[to:]
    return data[:20_000]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", nargs=2, metavar=("TARGET", "FILE"))
    chosen = parser.parse_args()
    if chosen.replay:
        TARGETS[chosen.replay[0]](Path(chosen.replay[1]).read_bytes())
        return
    os.fsync = lambda file: None  # ten times as many inputs
    good = [_fuzz(target, chosen.seconds / len(TARGETS), chosen.seed) for target in TARGETS]
    sys.exit(not all(good))


def _fuzz(target: str, seconds: float, seed: int) -> bool:
    """Try inputs for some time; those that are accepted are kept and mutated further."""
    source, corpus = random.Random(f"{target} {seed}"), seeds(target)
    end, count, found = time.monotonic() + seconds, 0, set[str]()
    while time.monotonic() < end:
        data = _mutate(source.choice(corpus), source)
        count += 1
        told = wrong(target, data)
        if told is not None and told[:40] not in found:
            found.add(told[:40])
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / f"{target}-{len(found)}"
            path.write_bytes(data)
            print(f"{target}: {told[:300]}\n    python -m fuzz.files --replay {target} {path}", flush=True)
        elif told is None and len(corpus) < 500 and source.random() < 0.02:
            corpus.append(data)
    print(f"{target}: {count:,} inputs, {len(found)} findings", flush=True)
    return not found


if __name__ == "__main__":
    main()
