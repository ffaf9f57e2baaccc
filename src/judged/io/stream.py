"""Compressed text as a stream: one thread decompresses, while another uses what is ready; memory is bounded."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import Queue
from threading import Event, Thread
from typing import Any, TypeVar

import numpy as np

from judged._types import Bytes
from judged.io.decompress import decompress
from judged.io.files import limit_text
from judged.io.stored import Stored

Item = TypeVar("Item")

STRETCH = 8 << 20  # bytes of text that are scanned at a time
_LOOK = 1 << 12


def stream_queries(file: Stored, packing: str) -> Iterator[tuple[Bytes, int]]:
    """Iterate over stretches of a compressed file, each with its offset in the text.

    A stretch ends where the lines of a query do: no query is in two stretches, if all of its lines are together.
    """
    held: list[bytes] = []
    kept = size = offset = 0
    with file.open() as raw:
        for piece in limit_text(decompress(raw, packing, file.name), file.name, raw.tell):
            held.append(piece)
            size += len(piece)
            if size < max(STRETCH, kept):
                continue
            data = b"".join(held)
            cut = last_query(data)
            if cut:
                yield np.frombuffer(data, np.uint8)[:cut], offset
            held, kept, size = [data[cut:]], len(data) - cut, 0
            offset += cut
            del data
    if rest := b"".join(held):
        yield np.frombuffer(rest, np.uint8), offset


def count_lines(file: Stored, packing: str, end: int) -> int:
    """Count the lines of a compressed file that end before a byte of its text."""
    count = 0
    with file.open() as raw:
        for piece in decompress(raw, packing, file.name):
            count += piece.count(b"\n", 0, end)
            end -= len(piece)
            if end <= 0:
                break
    return count


def last_query(data: bytes) -> int:
    """Return where the lines of the last query begin, a line without an end left out: exponential, then binary search."""
    end = data.rfind(b"\n") + 1
    high = data.rfind(b"\n", 0, max(end - 1, 0)) + 1  # a line of the query
    query, low, step = _first_cell(data, high), high, _LOOK
    while low and _first_cell(data, low) == query:
        high, low, step = low, data.rfind(b"\n", 0, max(low - step, 0)) + 1, 2 * step
    if _first_cell(data, low) == query:
        return low
    while (middle := data.rfind(b"\n", low, (low + high) // 2) + 1 or _next_line(data, low)) < high:
        if _first_cell(data, middle) == query:
            high = middle
        else:
            low = middle if middle > low else _next_line(data, low)
    return high


def _next_line(data: bytes, at: int) -> int:
    return data.find(b"\n", at) + 1


def _first_cell(data: bytes, at: int) -> bytes:
    return (data[at : data.find(b"\n", at)].split(None, 1) or [b""])[0]


def read_ahead(items: Iterator[Item]) -> Generator[Item]:
    """Iterate over items that another thread makes, one ahead of the one in use."""
    ready: Queue[tuple[bool, Any]] = Queue(1)
    stop = Event()

    def make() -> None:
        try:
            for item in items:
                ready.put((True, item))
                if stop.is_set():
                    return
            ready.put((False, None))
        except BaseException as error:
            ready.put((False, error))

    thread = Thread(target=make, daemon=True)
    thread.start()
    try:
        while (result := ready.get())[0]:
            yield result[1]
        if result[1] is not None:
            raise result[1]
    finally:
        stop.set()
        while thread.is_alive():  # it may wait for space
            if not ready.empty():
                ready.get()
            thread.join(0.01)
