"""Sums under signs: the native core and NumPy give the same bits, whatever the blocks and cores."""

from itertools import combinations, product

import numpy as np
import pytest

from judged.core import resample
from judged.core.resample import SignFlips


def whole(n: int, columns: int = 5) -> np.ndarray:
    x = np.rint(np.random.default_rng(n).normal(0.2, 1, (n, columns)) * 2**40)
    x[:, -1] = 0
    return x


def outcomes(flips: SignFlips) -> list:
    """Everything that a permutation test asks of its signs."""
    n, k = flips.columns.shape
    total, slack, sizes = flips.columns.sum(axis=0), np.full(k, 3.0), np.arange(n) % 3 + 1.0
    pairs = np.array(list(combinations(range(k), 2)))
    counts = [
        [part.tolist() for part in flips.count_reached(which, np.linspace(0, 2**42, size), np.linspace(0, 1, size))]
        for which, size in ((None, k), (pairs, len(pairs)))
    ]
    ranks = [lambda column, hits, some=some: min(some, flips.rows) for some in (0, 1, 3, flips.rows // 2, flips.rows)]
    seen: list[tuple[int, int]] = []
    ends = [[end.tolist() for end in flips.shifts(sizes, total, slack, rank)] for rank in ranks]
    flips.shifts(sizes, total, slack, lambda column, hits: seen.append((column, hits)) or 0)
    return [flips.all_sums().tolist(), counts, ends, sorted(seen)]


@pytest.mark.parametrize(("n", "rows", "seed"), [(0, 1, None), (1, 2, None), (9, 512, None), (17, 301, 0), pytest.param(64, 4_100, 1, marks=pytest.mark.slow), (65, 100, 2**64 + 5), (200, 333, 7)])  # fmt: skip
def test_the_native_core_gives_the_bits_of_the_reference(n, rows, seed, monkeypatch):
    flips = SignFlips(whole(n), rows, seed)
    found = outcomes(flips)
    monkeypatch.setattr(resample, "native", None)
    assert outcomes(flips) == found
    monkeypatch.setattr(resample, "_SIGNS", 1)
    monkeypatch.setattr(resample, "_COLUMNS", 2)
    monkeypatch.setattr(resample, "CORES", 3)
    assert outcomes(flips) == found


@pytest.mark.parametrize(("n", "rows", "seed"), [(50, 20_000, 3), (14, 2**14, None)])
def test_ends_of_many_rows_are_those_of_the_reference(n, rows, seed, monkeypatch):
    flips = SignFlips(whole(n), rows, seed)
    found = outcomes(flips)
    monkeypatch.setattr(resample, "native", None)
    assert outcomes(flips) == found


def test_without_a_seed_rows_are_all_assignments():
    x = whole(6)
    sums = {tuple(column) for column in SignFlips(x, 2**6, None).all_sums().T.tolist()}
    assert sums == {tuple((np.array(signs) @ x).tolist()) for signs in product((1.0, -1.0), repeat=6)}
