from collections.abc import Callable
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

_Text: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
_Ints: TypeAlias = NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float64]
_Progress: TypeAlias = Callable[[int, int], object] | None

class Pool:
    def __init__(self, queries: _Text, judged: int, query: _Ints, grade: _Floats, docs: _Text) -> None: ...

class Policy:
    def __init__(self, order: int, ties: int, duplicates: int, depth: int, single: bool) -> None: ...

def scan_lines(
    data: NDArray[np.uint8],
    start: int,
    size: int,
    pool: Pool,
    policy: Policy,
    threads: int,
    part: int,
    progress: _Progress,
) -> dict[str, Any]: ...
def scan_rows(
    queries: _Text,
    query: _Ints,
    docs: _Text,
    score: _Floats,
    rank: _Ints | None,
    pool: Pool,
    policy: Policy,
    threads: int,
    part: int,
    progress: _Progress,
) -> dict[str, Any]: ...
def scan_arrow(
    stream: object,
    columns: tuple[int, int, int, int],
    whole_queries: bool,
    whole_docs: bool,
    pool: Pool,
    policy: Policy,
    threads: int,
    part: int,
    progress: _Progress,
) -> dict[str, Any] | None: ...
def scan_dict(
    run: object, whole_queries: bool, whole_docs: bool, pool: Pool, policy: Policy
) -> dict[str, Any] | None: ...
def total(x: _Floats, segment: _Ints, count: int) -> _Floats: ...
def first(mask: NDArray[np.bool_], segment: _Ints, rank: _Ints, count: int) -> _Floats: ...
@overload
def running(x: _Ints, sizes: _Ints) -> _Ints: ...
@overload
def running(x: _Floats, sizes: _Ints) -> _Floats: ...
def falling(x: _Floats, sizes: _Ints, threads: int) -> _Ints: ...
def product_before(x: _Floats, sizes: _Ints) -> _Floats: ...
def resampled_means(x: _Floats, columns: int, resamples: int, seed: int) -> _Floats: ...
