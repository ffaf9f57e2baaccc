"""A column of ids as bytes: one buffer, a start and a length per row; no Python string per row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints, Words

_WIDE = 64  # ids longer than this are hashed and compared one by one
_BLOCK = 1 << 17  # rows at a time: their data fits into the processor's cache
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(8)] + [(1 << 64) - 1], dtype=np.uint64)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IdColumn:
    """Ids as slices of one buffer. Equality and order are those of the bytes.

    The buffer ends with eight padding bytes, so that words can be read past the end of an id.
    """

    buffer: NDArray[np.uint8]
    start: Ints
    length: Ints

    @classmethod
    def of(cls, items: Iterable[bytes]) -> IdColumn:
        blobs = list(items)
        length = np.fromiter(map(len, blobs), np.int64, len(blobs))
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)[:-1]]) if blobs else length
        return cls(np.frombuffer(b"".join(blobs) + bytes(8), np.uint8), start, length)

    @classmethod
    def concatenate(cls, columns: Sequence[IdColumn]) -> IdColumn:
        """Return the ids of several columns as one."""
        shifts = np.cumsum([0, *(len(column.buffer) for column in columns[:-1])])
        return cls(
            np.concatenate([column.buffer for column in columns]),
            np.concatenate([column.start + shift for column, shift in zip(columns, shifts, strict=True)]),
            np.concatenate([column.length for column in columns]),
        )

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> bytes:
        start = int(self.start[row])
        return self.buffer[start : start + int(self.length[row])].tobytes()

    def tolist(self) -> list[bytes]:
        pairs = zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)
        if 4 * int(self.length.sum()) > len(self.buffer):  # most of the buffer: slices of bytes are the quickest
            whole = self.buffer.tobytes()
            return [whole[a:b] for a, b in pairs]
        data = self.buffer.data
        return [bytes(data[a:b]) for a, b in pairs]

    def texts(self) -> list[str]:
        """Decode the ids; bytes that are not UTF-8 are kept."""
        if not len(self):
            return []
        # No id contains a zero byte, and no character contains the byte of another one: all are decoded in one call.
        return b"\0".join(self.tolist()).decode("utf-8", "surrogateescape").split("\0")

    def take(self, rows: Ints | Bools | slice) -> IdColumn:
        return IdColumn(self.buffer, self.start[rows], self.length[rows])

    def arrays(self) -> tuple[NDArray[np.uint8], Ints, Ints]:
        """Return the columns as the native core takes them."""
        plain = np.ascontiguousarray
        return plain(self.buffer), plain(self.start, np.int64), plain(self.length, np.int64)

    def compact(self) -> IdColumn:
        """Copy the ids into a buffer that contains nothing else."""
        end = np.cumsum(self.length)
        start = end - self.length
        size = int(end[-1]) if len(end) else 0
        buffer = np.zeros(size + 8, np.uint8)
        for row in range(0, len(self), _BLOCK):  # the position of every byte of every id takes eight times their memory
            rows = slice(row, row + _BLOCK)
            target = slice(int(start[row]), int(end[rows][-1]))
            at = np.repeat(self.start[rows] - start[rows], self.length[rows])
            buffer[target] = self.buffer[at + np.arange(target.start, target.stop)]
        return IdColumn(buffer, start, self.length)

    def words(self, rows: Ints, position: int) -> Words:
        """Bytes 8·position … 8·position+7 of each id as one little-endian word, zero-padded."""
        step = 8 * position
        view: Words = np.ndarray((len(self.buffer) - 7,), "<u8", self.buffer, strides=(1,))
        left = np.minimum(np.maximum(self.length[rows] - step, 0), 8)
        at = np.minimum(self.start[rows] + step, len(self.buffer) - 8)
        return view[at] & _MASKS[left]

    def hash(self) -> Words:
        """A 64-bit hash of each id; equal ids have equal hashes, on every machine."""
        blocks = [self.take(slice(at, at + _BLOCK)) for at in range(0, len(self), _BLOCK)]
        return np.concatenate([_hash_block(block) for block in blocks]) if blocks else np.empty(0, np.uint64)

    def same(self, rows: Ints, other: IdColumn, others: Ints) -> Bools:
        """Return whether id `rows[i]` of this column equals id `others[i]` of the other, byte for byte."""
        equal: Bools = self.length[rows] == other.length[others]
        widest = int(self.length[rows].max(initial=0))
        for position in range((min(widest, _WIDE) + 7) // 8):
            equal &= self.words(rows, position) == other.words(others, position)
        for i in np.flatnonzero(equal & (self.length[rows] > _WIDE)):
            equal[i] = self[int(rows[i])] == other[int(others[i])]
        return equal

    def order(self, *major: Ints | Floats) -> Ints:
        """Row order by the `major` keys (first is most significant), then by id, ascending by bytes."""
        widest = int(self.length.max(initial=0))
        if widest > _WIDE:
            ids = self.tolist()
            keys = list(zip(*(k.tolist() for k in major), ids, strict=True))
            return np.array(sorted(range(len(ids)), key=keys.__getitem__), dtype=np.int64)
        words = [self._word(p) for p in range((widest + 7) // 8)]
        return np.lexsort([*reversed(words), *reversed(major)]) if words or major else np.arange(len(self))

    def distinct(self) -> tuple[IdColumn, Ints]:
        """Return the distinct ids in order, and the index of each row's id among them."""
        if not len(self):
            return self, np.empty(0, np.int64)
        order = self.order()
        new = np.concatenate([[True], ~self.same(order[1:], self, order[:-1])])
        code = np.empty(len(self), np.int64)
        code[order] = np.cumsum(new) - 1
        return self.take(order[new]), code

    def _word(self, position: int) -> Words:
        """Bytes 8·position … 8·position+7 of each id as one word, ordered like the bytes."""
        out = np.empty(len(self), np.uint64)
        for row in range(0, len(self), _BLOCK):
            out[row : row + _BLOCK] = self.words(np.arange(row, min(row + _BLOCK, len(self))), position)
        return out.byteswap(inplace=True)


def _hash_block(ids: IdColumn) -> Words:
    rows = np.arange(len(ids))
    code = ids.length.astype(np.uint64) * _ODD
    widest = int(ids.length.max(initial=0))
    for position in range((min(widest, _WIDE) + 7) // 8):
        if position:  # most ids are short: later words touch fewer rows
            rows = rows[ids.length[rows] > 8 * position]
        word = (code[rows] ^ ids.words(rows, position)) * _MIX
        code[rows] = word ^ (word >> np.uint64(29))
    for row in np.flatnonzero(ids.length > _WIDE):
        import hashlib

        digest = hashlib.blake2b(ids[int(row)], digest_size=8).digest()
        code[row] ^= np.uint64(int.from_bytes(digest, "little"))
    return code
