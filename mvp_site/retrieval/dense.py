"""The dense lane: windows of passages, a passage scoring by its best window.

Up to :data:`EXACT_WINDOWS` windows all of them are compared. Beyond, a sketch of each, a fast-scan
product quantisation (André, Kermarrec and Le Scouarnec 2015) of four bits for two dimensions, says
which are compared: several times as many as are sought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import faiss
import numpy as np
import numpy.typing as npt

from . import arrays
from .encoder import Vector, Vectors

EXACT_WINDOWS: Final = 50_000
COMPARED: Final = 8
"""For each window that is sought so many are compared: of 200,000 sums of random vectors, which
have no structure, .998 of the nearest 512 are then found, of real ones all."""
_FEW: Final = 8
"""A part as small as this of all windows is compared without their sketches."""
_FEWEST: Final = 16
"""Windows that sketches can be made of."""
_TRAINED_ON: Final = 20_000
FILES: Final = ("windows.faiss", "owners.npy", "keys.npy")
SKETCH: Final = "sketch.faiss"
"""The file that a lane of many windows has besides."""
Progress = Callable[[int, int], None]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

faiss.omp_set_num_threads(1)  # threads of a busy host cost more than they give at this size


class DenseLane:
    """Cosine similarity of a query vector to passages; ``owners[i]`` is window i's passage.

    It holds the windows' ``vectors``, and a ``sketch`` of each where there are more than
    ``exact_windows``; up to so many that come into question are compared all the same.

    A lane is built and loaded once and then only read, by any number of threads.
    """

    def __init__(self, vectors: Vectors, sketch: Any, owners: npt.NDArray[np.int32],
                 keys: npt.NDArray[np.uint8], passages: int, *,
                 exact_windows: int = EXACT_WINDOWS) -> None:
        # NumPy asks for huge pages where FAISS does not, which is worth a quarter of the time
        # that a cold read of all vectors takes.
        self._rows = np.ascontiguousarray(vectors, np.float32)
        self._sketch = sketch
        self._owners = owners
        self.passages = passages
        self._exact_windows = exact_windows
        self.keys = keys
        bounds = np.searchsorted(owners, np.arange(passages + 1)).astype(np.int64)
        self._starts, self._ends = bounds[:-1], bounds[1:]

    @classmethod
    def build(cls, vectors: Vectors, owners: Sequence[int], keys: npt.NDArray[np.uint8],
              passages: int, exact_windows: int = EXACT_WINDOWS) -> DenseLane:
        """The lane over unit ``vectors``; ``owners`` ascends and names every passage."""
        rows, sketch = np.ascontiguousarray(vectors, np.float32), None
        if len(rows) > max(exact_windows, _FEWEST):
            dimension = rows.shape[1]
            parts = dimension // 2 if dimension % 2 == 0 else dimension
            sketch = faiss.IndexPQFastScan(
                dimension, parts, 4, faiss.METRIC_INNER_PRODUCT)
            sketch.pq.cp.min_points_per_centroid = 1  # or it warns of few
            faiss.omp_set_num_threads(1)  # of this thread
            sketch.train(rows[:: -(-len(rows) // _TRAINED_ON)])
            sketch.add(rows)
        return cls(rows, sketch, np.asarray(owners, np.int32), keys, passages,
                   exact_windows=exact_windows)

    @property
    def exact(self) -> bool:
        """Whether every window is compared as it is."""
        return self._sketch is None

    def scores(self, vector: Vector) -> Vector:
        """The cosine of each passage's best window to the unit ``vector``, in [-1, 1], exactly."""
        return np.maximum.reduceat(inner_products(self._rows, vector), self._starts)

    def of(self, vector: Vector, passages: Numbers) -> Vector:
        """The cosine of the best window of each of these passages, exactly."""
        if not len(passages):
            return np.empty(0, np.float32)
        first = self._starts[passages]
        counts = self._ends[passages] - first
        starts = np.cumsum(counts) - counts
        if len(passages) == passages[-1] - passages[0] + 1 and (np.diff(passages) == 1).all():
            rows = self._rows[first[0] : self._ends[passages[-1]]]  # next to each other: faster
            return np.maximum.reduceat(inner_products(rows, vector), starts)
        windows = np.repeat(first - starts, counts) + np.arange(counts.sum())
        return np.maximum.reduceat(_inner_products_of(self._rows, windows, vector), starts)

    def nearest(self, vector: Vector, count: int, start: int, end: int,
                allowed: Mask | None = None) -> Numbers:
        """The ``count`` nearest passages from ``start`` to ``end``, of those that are ``allowed``.

        Every window that comes into question is compared, up to ``exact_windows`` or a small part
        of all; else those whose sketches are nearest. At least ``count`` are found, where there are
        as many.
        """
        if self._sketch is not None:
            passages, cosine = self._sketched(vector, count, start, end, allowed)
            if len(passages) >= count:
                return np.sort(passages[np.argpartition(-cosine, count - 1)[:count]])
        rows = np.arange(start, end) if allowed is None else np.flatnonzero(allowed) + start
        if len(rows) > count:
            cosine = self.of(vector, rows)
            rows = np.sort(rows[np.argpartition(-cosine, count - 1)[:count]])
        return rows

    def _sketched(self, vector: Vector, count: int, start: int, end: int, allowed: Mask | None,
                  ) -> tuple[Numbers, Vector]:
        """The passages with the nearest sketches, compared; none where comparing all costs less."""
        total, none = len(self._owners), (np.empty(0, np.int64), np.empty(0, np.float32))
        counts = self._ends[start:end] - self._starts[start:end]
        windows = int(counts.sum() if allowed is None else counts[allowed].sum())
        if windows <= max(self._exact_windows, total // _FEW):
            return none
        sought = COMPARED * count * total // len(self._starts) * total // windows
        faiss.omp_set_num_threads(1)  # of this thread
        nearest = self._sketch.search(vector.reshape(1, -1), min(sought, total))[1][0]
        nearest = np.sort(nearest[nearest >= 0])
        owners = self._owners[nearest].astype(np.int64)
        if windows < total:
            inside = (owners >= start) & (owners < end)
            if allowed is not None:
                inside[inside] = allowed[owners[inside] - start]
            nearest, owners = nearest[inside], owners[inside]
        if not len(owners):
            return none
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        cosine = np.maximum.reduceat(_inner_products_of(self._rows, nearest, vector), firsts)
        return owners[firsts], cosine

    def vectors(self, start: int = 0, end: int | None = None) -> Vectors:
        """The windows' vectors of the passages from ``start`` to ``end``, in order."""
        return self._rows[self._starts[start] : self._ends[start:end][-1]]

    def dump(self) -> dict[str, bytes]:
        """The lane as files."""
        index = faiss.IndexFlatIP(self._rows.shape[1])
        index.add(self._rows)
        files = {
            FILES[0]: faiss.serialize_index(index).tobytes(),
            FILES[1]: arrays.to_bytes(self._owners),
            FILES[2]: arrays.to_bytes(self.keys),
        }
        if self._sketch is not None:
            files[SKETCH] = faiss.serialize_index(self._sketch).tobytes()
        return files

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int) -> DenseLane:
        """The lane from the files of :meth:`dump`."""
        index = faiss.deserialize_index(np.frombuffer(files[FILES[0]], np.uint8))
        vectors = np.asarray(index.reconstruct_n(0, index.ntotal), np.float32)
        owners, keys = arrays.from_bytes(files[FILES[1]]), arrays.from_bytes(files[FILES[2]])
        sketch = None
        if SKETCH in files:
            sketch = faiss.deserialize_index(np.frombuffer(files[SKETCH], np.uint8))
        return cls(vectors, sketch, owners, keys, passages)


def inner_products(rows: Vectors, vector: Vector) -> Vector:
    """The inner product of each of ``rows`` with ``vector``, on one thread.

    A search for all rows would sort them first, which costs more than the products.
    """
    similar = np.empty(len(rows), np.float32)
    query = np.ascontiguousarray(vector, np.float32)
    faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]
        faiss.swig_ptr(similar), faiss.swig_ptr(query), faiss.swig_ptr(rows), *rows.shape[::-1]
    )
    return similar


def _inner_products_of(rows: Vectors, chosen: Numbers, vector: Vector) -> Vector:
    """The inner product of the ``chosen`` rows with ``vector``; none of them is copied first."""
    similar = np.empty(len(chosen), np.float32)
    query = np.ascontiguousarray(vector, np.float32)
    ids = np.ascontiguousarray(chosen, np.int64)
    faiss.omp_set_num_threads(1)  # of this thread
    faiss.fvec_inner_products_by_idx(  # type: ignore[attr-defined]
        *(faiss.swig_ptr(array) for array in (similar, query, rows, ids)), rows.shape[1], 1,
        len(ids),
    )
    return similar
