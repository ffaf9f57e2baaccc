"""Directories of TREC files: values, warnings and errors are those of one file."""

import os
from pathlib import Path

import pytest

import judged as jd
from judged.core.parts import find
from judged.io.read import read_qrels

pytestmark = pytest.mark.needs("native")

QRELS = read_qrels({f"q{q}": {f"d{d}": d % 3 for d in range(q, 30, 2)} for q in range(5)})


def write(folder: Path, cuts: list[int], *, mark: bytes = b"", last: bytes = b"\n") -> tuple[Path, ...]:
    """Write a run with ties, in files that end within rankings."""
    lines = [f"q{q} Q0 d{d} {r + 1} {(d * 7 % 5) / 2} x" for q in range(6) for r, d in enumerate(range(q, 40, 3))]
    paths = []
    for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(lines)], strict=True)):
        paths.append(folder / f"{number}.run")
        paths[-1].write_bytes(mark + "\n".join(lines[begin:end]).encode() + last)
    return tuple(paths)


@pytest.mark.parametrize("least", [1, 60, 10_000])
@pytest.mark.parametrize("cuts", [[7], [3, 20, 41], [2, 4, 6, 8, 70]])
def test_files_of_any_size_are_scanned_alone_or_together(tmp_path, monkeypatch, cuts, least):
    monkeypatch.setattr(find, "_LEAST", least)
    monkeypatch.setattr(find, "_PER_QUERY", 0)
    write(tmp_path, cuts)
    whole = tmp_path / "whole"
    whole.write_bytes(b"".join(path.read_bytes() for path in sorted(tmp_path.glob("*.run"))))
    found = jd.evaluate(QRELS, [str(path) for path in sorted(tmp_path.glob("*.run"))], "AP nDCG")
    expected = jd.evaluate(QRELS, whole, "AP nDCG")
    assert [found[name].tolist() for name in ("AP", "nDCG")] == [expected[name].tolist() for name in ("AP", "nDCG")]
    assert [w.slug for w in found.warnings] == [w.slug for w in expected.warnings]


@pytest.mark.needs("unix")
def test_few_files_are_open_at_a_time(tmp_path):
    import resource

    write(tmp_path, range(1, 71))
    expected = jd.evaluate(QRELS, tmp_path, "AP").mean()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = {int(number) for number in os.listdir("/dev/fd")}  # noqa: PTH208 - those of other tests of this process too
    free = [number for number in range(len(used) + 20) if number not in used][:20]
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[-1] + 1, limits[1]))
    try:
        assert jd.evaluate(QRELS, tmp_path, "AP").mean() == expected
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_documents_in_two_files_may_be_those_of_two_runs(tmp_path):
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("q1 Q0 d1 1 2.0 t\n")
    with pytest.raises(jd.DataError, match="If the files are different runs"):
        jd.evaluate({"q1": {"d1": 1}}, str(tmp_path / "*.run"), "AP")
