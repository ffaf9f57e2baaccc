"""How well parameters are known: the inverse of the observed information, where all parameters depend on a few shared ones.

The parameters of one document touch those of other documents only within a query, or not at all, while a few
(examination by rank, persistence) are shared by all. Such a matrix has the form of an arrow, and its inverse follows from the
Schur complement of the shared part: no matrix of all parameters is ever built. Parameters with no information are left
out: their variance is NaN, and they do not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.clicks.data.log import Floats, Ints

__all__ = ["BlockArrow", "Blocks", "CellArrow", "block_arrow", "cell_arrow"]

_CHUNK = 1 << 15


def _inverse(matrix: Floats) -> Floats:
    """The inverse of one matrix or of a stack, where rows without information count as known; NaN where there is none."""
    dead = np.diagonal(matrix, axis1=-2, axis2=-1) <= 0
    alive = ~(dead[..., :, None] | dead[..., None, :])
    filled = np.where(alive, matrix, 0.0) + dead[..., None] * np.eye(matrix.shape[-1])
    try:
        return np.where(alive, np.linalg.inv(filled), 0.0)
    except np.linalg.LinAlgError:
        if matrix.ndim == 2:
            return np.full_like(matrix, np.nan)
        return np.array([_inverse(one) for one in matrix])


def _variance(diagonal: Floats) -> Floats:
    """What is not positive is no variance."""
    return np.where(diagonal > 0, diagonal, np.nan)


@dataclass(frozen=True, slots=True)
class CellArrow:
    """The inverse where local parameters do not touch each other."""

    alone: Floats  # 1 / information of each local parameter, 0 where there is none
    scaled: Any  # sparse: the mixed information over the local one
    centre: Floats

    def variances(self) -> tuple[Floats, Floats]:
        """Of the local and of the shared parameters."""
        parts = [self.scaled[at : at + _CHUNK] for at in range(0, len(self.alone), _CHUNK)]
        through = [np.asarray((part @ self.centre) * part.toarray()).sum(axis=1) for part in parts]
        total = self.alone + (np.concatenate(through) if through else 0.0)
        return _variance(np.where(self.alone > 0, total, np.nan)), _variance(np.diagonal(self.centre))

    def solve(self, local: Floats, shared: Floats) -> tuple[Floats, Floats]:
        """The inverse times a vector."""
        move = self.centre @ (shared - self.scaled.T @ local)
        return self.alone * local - self.scaled @ move, move


def cell_arrow(local: Floats, shared: Floats, row: Ints, column: Ints, cross: Floats) -> CellArrow:
    """The inverse where each cell joins one local and one shared parameter.

    Args:
        local: the information of each local parameter by itself.
        shared: that of each shared one; 0 for one that is fixed.
        row: the local parameter of each cell.
        column: the shared one of each cell; -1 where there is none.
        cross: the mixed information of each cell.
    """
    from scipy.sparse import csr_array

    free = column >= 0
    alone = np.divide(1.0, local, out=np.zeros(len(local)), where=local > 0)
    where = (row[free], column[free])
    mixed = csr_array((cross[free], where), shape=(len(local), len(shared)))
    scaled = csr_array((cross[free] * alone[row[free]], where), shape=mixed.shape)
    left = np.diag(shared) - (mixed.T @ scaled).toarray()
    left[shared <= 0] = 0.0
    left[:, shared <= 0] = 0.0
    return CellArrow(alone, scaled, _inverse(left))


@dataclass(frozen=True, slots=True)
class Blocks:
    """Square blocks of different sizes in one buffer: block b holds `size[b]`² numbers."""

    size: Ints

    @property
    def start(self) -> Ints:
        """Where each block begins in the buffer, and behind the last, the length of it."""
        return np.append(0, np.cumsum(self.size**2))

    @property
    def first(self) -> Ints:
        """The first parameter of each block, and behind the last, their number."""
        return np.append(0, np.cumsum(self.size))

    def feasible(self) -> bool:
        """Whether the blocks fit into memory and can be inverted in seconds."""
        return bool(self.size.max(initial=0) <= 1500 and (self.size.astype(float) ** 2).sum() <= 5e7)


@dataclass(frozen=True, slots=True)
class BlockArrow:
    """The inverse where local parameters come in blocks."""

    blocks: Blocks
    inverse: Floats  # of each block, in one buffer
    mixed: Floats
    through: Floats  # the blocks' inverse times the mixed information
    centre: Floats

    def covariance(self, i: Ints, j: Ints) -> Floats:
        """Of local parameters i and j, which must share a block."""
        owner = np.repeat(np.arange(len(self.blocks.size)), self.blocks.size)[i]
        first, size = self.blocks.first[owner], self.blocks.size[owner]
        inside = self.inverse[self.blocks.start[owner] + (i - first) * size + (j - first)]
        return inside + np.einsum("nk,kl,nl->n", self.through[i], self.centre, self.through[j])

    def variances(self) -> tuple[Floats, Floats]:
        """Of the local and of the shared parameters."""
        everyone = np.arange(len(self.mixed))
        return _variance(self.covariance(everyone, everyone)), _variance(np.diagonal(self.centre))

    def solve(self, local: Floats, shared: Floats) -> tuple[Floats, Floats]:
        """The inverse times a vector."""
        alone = np.empty_like(local)
        for where, own, size in _by_size(self.blocks):
            alone[own] = np.einsum("bij,bj->bi", self.inverse[where].reshape(-1, size, size), local[own])
        move = self.centre @ (shared - self.mixed.T @ alone)
        return alone - self.through @ move, move


def block_arrow(blocks: Blocks, local: Floats, mixed: Floats, shared: Floats) -> BlockArrow:
    """The inverse where local parameters come in blocks.

    Args:
        blocks: the sizes.
        local: the information within each block, in one buffer: half of it, to be added to its own transpose.
        mixed: one row a local parameter, one column a shared one.
        shared: the information of the shared ones, square.
    """
    inverse, through, left = np.empty_like(local), np.zeros_like(mixed), shared.copy()
    for where, own, size in _by_size(blocks):
        half = local[where].reshape(-1, size, size)
        found = _inverse(half + half.transpose(0, 2, 1))
        inverse[where] = found.reshape(len(own), -1)
        if mixed.shape[1]:
            through[own] = found @ mixed[own]
            left -= np.einsum("bik,bil->kl", mixed[own], through[own])
    dead = np.diagonal(shared) <= 0
    left[dead], left[:, dead] = 0.0, 0.0
    return BlockArrow(blocks, inverse, mixed, through, _inverse(left) if len(left) else left)


def _by_size(blocks: Blocks) -> list[tuple[Ints, Ints, int]]:
    """All blocks of one size at once: where they lie in the buffer, and their parameters."""
    parts = []
    for size in np.unique(blocks.size[blocks.size > 0]).tolist():
        chosen = np.flatnonzero(blocks.size == size)
        parts.append(
            (
                blocks.start[chosen][:, None] + np.arange(size * size),
                blocks.first[chosen][:, None] + np.arange(size),
                size,
            )
        )
    return parts
