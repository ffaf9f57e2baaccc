"""Inverse of the observed information if all parameters depend on a few shared ones.

Parameters of different documents interact only within a query, or not at all, while a few parameters (examination by
rank, persistence) are shared by all. Such a matrix is an arrowhead matrix, and its inverse follows from the Schur
complement of the shared block, so the full matrix is never built. Parameters without information are excluded: their
variance is NaN, and they do not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints

_CHUNK = 1 << 15


def _inverse(matrix: Floats) -> Floats:
    """Invert one matrix or a stack; rows without information count as known, and a singular matrix gives NaN."""
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
    """Replace values that are not positive by NaN."""
    return np.where(diagonal > 0, diagonal, np.nan)


@dataclass(frozen=True, slots=True)
class CellArrow:
    """The inverse if local parameters do not interact."""

    alone: Floats  # 1 / information of each local parameter; 0 without information
    scaled: Any  # sparse: mixed information divided by the local one
    centre: Floats

    def variances(self) -> tuple[Floats, Floats]:
        """Return the variances of the local and of the shared parameters."""
        parts = [self.scaled[at : at + _CHUNK] for at in range(0, len(self.alone), _CHUNK)]
        through = [np.asarray((part @ self.centre) * part.toarray()).sum(axis=1) for part in parts]
        total = self.alone + (np.concatenate(through) if through else 0.0)
        return _variance(np.where(self.alone > 0, total, np.nan)), _variance(np.diagonal(self.centre))

    def solve(self, local: Floats, shared: Floats) -> tuple[Floats, Floats]:
        """Multiply the inverse by a vector."""
        move = self.centre @ (shared - self.scaled.T @ local)
        return self.alone * local - self.scaled @ move, move


def cell_arrow(local: Floats, shared: Floats, row: Ints, column: Ints, cross: Floats) -> CellArrow:
    """Compute the inverse if each cell connects one local and one shared parameter.

    Args:
        local: information of each local parameter.
        shared: information of each shared parameter; 0 if it is fixed.
        row: local parameter of each cell.
        column: shared parameter of each cell; -1 for none.
        cross: mixed information of each cell.
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
    """Square blocks of different sizes in one buffer: block b has `size[b]`² numbers."""

    size: Ints

    @property
    def start(self) -> Ints:
        """Start of each block in the buffer, followed by the length of the buffer."""
        return np.append(0, np.cumsum(self.size**2))

    @property
    def first(self) -> Ints:
        """First parameter of each block, followed by the number of parameters."""
        return np.append(0, np.cumsum(self.size))

    def feasible(self) -> bool:
        """Return whether the blocks fit into memory and can be inverted within seconds."""
        return bool(self.size.max(initial=0) <= 1500 and (self.size.astype(float) ** 2).sum() <= 5e7)


@dataclass(frozen=True, slots=True)
class BlockArrow:
    """The inverse where local parameters come in blocks."""

    blocks: Blocks
    inverse: Floats  # inverse of each block, in one buffer
    mixed: Floats
    through: Floats  # inverse of the blocks times the mixed information
    centre: Floats

    def covariance(self, i: Ints, j: Ints) -> Floats:
        """Return the covariances of local parameters i and j, which must be in the same block."""
        owner = np.repeat(np.arange(len(self.blocks.size)), self.blocks.size)[i]
        first, size = self.blocks.first[owner], self.blocks.size[owner]
        inside = self.inverse[self.blocks.start[owner] + (i - first) * size + (j - first)]
        return inside + np.einsum("nk,kl,nl->n", self.through[i], self.centre, self.through[j])

    def variances(self) -> tuple[Floats, Floats]:
        """Return the variances of the local and of the shared parameters."""
        every = np.arange(len(self.mixed))
        return _variance(self.covariance(every, every)), _variance(np.diagonal(self.centre))

    def solve(self, local: Floats, shared: Floats) -> tuple[Floats, Floats]:
        """Multiply the inverse by a vector."""
        alone = np.empty_like(local)
        for where, own, size in _by_size(self.blocks):
            alone[own] = np.einsum("bij,bj->bi", self.inverse[where].reshape(-1, size, size), local[own])
        move = self.centre @ (shared - self.mixed.T @ alone)
        return alone - self.through @ move, move


def block_arrow(blocks: Blocks, local: Floats, mixed: Floats, shared: Floats) -> BlockArrow:
    """Compute the inverse if local parameters form blocks.

    Args:
        blocks: sizes of the blocks.
        local: half of the information in each block, in one buffer; the other half is its transpose.
        mixed: local parameters × shared parameters.
        shared: information of the shared parameters, square.
    """
    inverse, through, left = np.empty_like(local), np.zeros_like(mixed), shared.copy()
    for where, own, size in _by_size(blocks):
        half = local[where].reshape(-1, size, size)
        block = _inverse(half + half.transpose(0, 2, 1))
        inverse[where] = block.reshape(len(own), -1)
        if mixed.shape[1]:
            through[own] = block @ mixed[own]
            left -= np.einsum("bik,bil->kl", mixed[own], through[own])
    dead = np.diagonal(shared) <= 0
    left[dead], left[:, dead] = 0.0, 0.0
    return BlockArrow(blocks, inverse, mixed, through, _inverse(left) if len(left) else left)


def _by_size(blocks: Blocks) -> list[tuple[Ints, Ints, int]]:
    """Group blocks of equal size: their cells in the buffer, and their parameters."""
    parts = []
    for size in np.unique(blocks.size[blocks.size > 0]).tolist():
        chosen = np.flatnonzero(blocks.size == size)
        cells = blocks.start[chosen][:, None] + np.arange(size * size)
        parts.append((cells, blocks.first[chosen][:, None] + np.arange(size), size))
    return parts
