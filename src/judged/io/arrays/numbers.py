"""Numbers from NumPy, PyTorch, JAX, anything with DLPack or the array interface, columns of frames, and lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import is_masked_array
from judged.errors import DataError, Hint, shown
from judged.tables.text import counted

_NARROW = 16  # bits of a floating-point type so narrow that many scores are equal


@dataclass(frozen=True, slots=True)
class Numbers:
    """An array of numbers. `narrow`: they had few bits, so that different scores may have become equal."""

    values: NDArray[Any]
    narrow: bool = False


def as_numbers(source: Any, name: str) -> Numbers:
    """Return the numbers of an array, a tensor, a column or nested lists of one shape, without a copy if possible.

    A tensor on another device is copied to the host, without its gradient.

    Raises:
        DataError: values that are not numbers, masked values, a device without data.

    >>> as_numbers([[1, 0], [2, 1]], "labels").values.shape
    (2, 2)
    """
    if is_masked_array(source) and np.ma.is_masked(source):
        count = int(np.ma.getmaskarray(source).sum())
        hint = Hint("pass the mask as {mask} (True for items)", mask=None)
        raise DataError("masked", f"{counted(count, 'value is', 'values are')} masked", where=name, hint=hint)
    try:
        array = _host(source, name)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError("dtype", f"{name} as an array of numbers", got=shown(source), where=name) from error
    narrow = _bits(source, array) <= _NARROW
    if array.dtype.kind == "V":  # bfloat16 and others that NumPy does not have
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf":
        raise DataError(
            "dtype",
            f"{name} as numbers",
            got=f"an array of {array.dtype}",
            where=name,
            hint="cast them, for example with .astype(float)",
        )
    return Numbers(array, narrow)


def distinct_as_floats(array: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the same order, of which two are equal as doubles only if they are equal: integers beyond 2^53 become their places."""
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size > 0
    if not wide or max(int(array.max()), -int(array.min())) <= 2**53:
        return array
    return np.unique(array, return_inverse=True)[1].reshape(array.shape)


def _bits(source: Any, array: NDArray[Any]) -> int:
    """Return the number of bits of a floating-point number in the source."""
    if array.dtype.kind not in "fV":
        return 64
    size = source.element_size() if hasattr(source, "element_size") else array.dtype.itemsize
    return 8 * int(size)


def _host(source: Any, name: str) -> NDArray[Any]:
    """Return an array in the memory of the host."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "torch":
        return _of_torch(source, name)
    if kind == "cupy":
        return np.asarray(source.get())
    if kind in ("polars", "pyarrow", "pandas"):
        return np.asarray(source.to_numpy())
    if not isinstance(source, np.ndarray) and not hasattr(source, "__array__") and hasattr(source, "__dlpack__"):
        return np.from_dlpack(source)
    return np.asarray(source)


def _of_torch(tensor: Any, name: str) -> NDArray[Any]:
    if tensor.device.type == "meta":
        raise DataError("device", "a tensor on the device meta has no data", where=name)
    host = tensor.detach().to_dense().cpu() if tensor.is_sparse else tensor.detach().cpu()
    if (
        host.is_floating_point() and host.element_size() <= 2
    ):  # NumPy has only one of the short types; float32 holds all
        host = host.float()
    return host.numpy()


def is_sparse(source: Any) -> bool:
    """Return whether this is a sparse matrix of SciPy; its type says so, since a frame of Spark Connect has every attribute."""
    return hasattr(type(source), "tocsr") and hasattr(type(source), "nnz")


def like(values: NDArray[np.float64], source: Any) -> Any:
    """Return the values as a tensor of PyTorch or an array of JAX, on the device of the source, if it is one; otherwise unchanged."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "torch":
        import torch

        return torch.from_numpy(np.array(values)).to(source.device)
    if kind in ("jax", "jaxlib"):
        import jax.numpy as jnp

        return jnp.asarray(values)
    return values
