"""NumPy arrays as bytes and back, never through object arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt


def to_bytes(array: npt.NDArray[Any]) -> bytes:
    """``array`` in the ``.npy`` format."""
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()


def from_bytes(content: bytes) -> npt.NDArray[Any]:
    """The array of ``.npy`` bytes."""
    array: npt.NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    return array


def minmax(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """``values`` scaled so that the least is 0 and the greatest 1; all 0 if they are equal."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
