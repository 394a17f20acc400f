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
