"""Numbers out of whatever holds them: NumPy, PyTorch, JAX and anything else with DLPack or the array interface, frames' columns, lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.errors import DataError, shown

__all__ = ["Numbers", "as_numbers", "is_sparse", "like"]

_NARROW = 16  # bits of a floating-point number that many scores share


@dataclass(frozen=True, slots=True)
class Numbers:
    """An array of numbers, and whether they came in so few bits that different scores may have become equal."""

    values: NDArray[Any]
    narrow: bool = False


def as_numbers(given: Any, name: str) -> Numbers:
    """The numbers of an array, a tensor, a column or nested lists of one shape; nothing is copied that need not be.

    A tensor on another device is copied to the host, and cut off from its gradient: a measure needs none.

    Raises:
        DataError: no numbers, objects, masked values, a device without data.

    >>> as_numbers([[1, 0], [2, 1]], "labels").values.shape
    (2, 2)
    """
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        count = int(np.ma.getmaskarray(given).sum())
        raise DataError("masked", f"masked values in the array: {count}", where=name,
                        hint="pass the mask as mask, with True for items to keep")  # fmt: skip
    try:
        array = _host(given, name)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError("dtype", f"{name} as an array of numbers", got=shown(given), where=name) from error
    narrow = _bits(given, array) <= _NARROW or (array.dtype.kind in "iu" and array.size > 0 and _is_beyond(array))
    if array.dtype.kind == "V":  # bfloat16 and its like, which NumPy does not know
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf":
        raise DataError(
            "dtype", f"{name} as numbers", got=f"an array of {array.dtype}", where=name,
            hint="convert them, for example with .astype(float)",
        )  # fmt: skip
    return Numbers(array, narrow)


def _is_beyond(array: NDArray[Any]) -> bool:
    """Whether whole numbers are beyond what a double tells apart."""
    return array.dtype.itemsize == 8 and bool(max(int(array.max()), -int(array.min())) > 2**53)


def _bits(given: Any, array: NDArray[Any]) -> int:
    """How many bits a floating-point number had, as it was given."""
    if array.dtype.kind not in "fV":
        return 64
    size = given.element_size() if hasattr(given, "element_size") else array.dtype.itemsize
    return 8 * int(size)


def _host(given: Any, name: str) -> NDArray[Any]:
    """An array in the memory of this machine."""
    kind = type(given).__module__.partition(".")[0]
    if kind == "torch":
        return _of_torch(given, name)
    if kind == "cupy":
        return np.asarray(given.get())
    if kind in ("polars", "pyarrow", "pandas"):
        return np.asarray(given.to_numpy())
    if not isinstance(given, np.ndarray) and not hasattr(given, "__array__") and hasattr(given, "__dlpack__"):
        return np.from_dlpack(given)
    return np.asarray(given)


def _of_torch(tensor: Any, name: str) -> NDArray[Any]:
    if tensor.device.type == "meta":
        raise DataError("device", "the tensor is on the device meta, which holds no data", where=name)
    host = tensor.detach().to_dense().cpu() if tensor.is_sparse else tensor.detach().cpu()
    if (
        host.is_floating_point() and host.element_size() <= 2
    ):  # NumPy knows but one of the short kinds; all fit into float32
        host = host.float()
    return host.numpy()


def is_sparse(given: Any) -> bool:
    """Whether this is a sparse matrix, as SciPy has them."""
    return hasattr(given, "tocsr") and hasattr(given, "nnz")


def like(values: NDArray[np.float64], given: Any) -> Any:
    """The values as the kind of array that was given, on its device: of PyTorch or of JAX; else as they are."""
    kind = type(given).__module__.partition(".")[0]
    if kind == "torch":
        import torch

        return torch.from_numpy(np.array(values)).to(given.device)
    if kind in ("jax", "jaxlib"):
        import jax.numpy as jnp

        return jnp.asarray(values)
    return values
