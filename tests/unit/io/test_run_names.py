"""Default names of runs."""

import pytest

from judged.io.run_names import short_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/bm25.run.gz"], ["bm25"]),
        (["a/bm25.run", "a/bm25-k1=0.9.run"], ["bm25", "bm25-k1=0.9"]),
        (["x/a/r.run", "y/a/r.txt", "z/s.run"], ["x/a/r", "y/a/r", "s"]),
        (["a/r.run", "a/r.txt"], ["r.run", "r.txt"]),
        (["a/r.run", "a/r.run"], ["a/r.run (1)", "a/r.run (2)"]),
        (["a/.run"], [".run"]),
        (["runs/parts/"], ["parts"]),
        (["run", "a/b.run"], ["run", "b"]),
    ],
)
def test_a_name_has_no_extension_and_as_many_folders_as_needed(paths, names):
    assert short_names(paths) == names


def test_names_of_judges_keep_their_extensions():
    assert short_names(["x/a.txt", "y/a.txt", "b.txt"], extensions=True) == ["x/a.txt", "y/a.txt", "b.txt"]
