"""The dense lane: windows of passages in FAISS, a passage scoring by its best window.

Up to :data:`EXACT_WINDOWS` windows all of them are compared; beyond, an HNSW graph (Malkov and
Yashunin 2018) finds the nearest. A search that is restricted to some passages is exact as long as
to compare them costs less than to walk the graph past the others.
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
EF_SEARCH: Final = 512
_EF_BUILD: Final = 100
_LINKS: Final = 32
_BLOCK: Final = 10_000
"""Windows that the graph takes in at once, between two reports."""
_STEP: Final = 25
"""How many windows are compared in the time that the graph's search takes for one of its ``ef``."""
FILES: Final = ("windows.faiss", "owners.npy", "keys.npy")
Progress = Callable[[int, int], None]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

faiss.omp_set_num_threads(1)  # threads of a busy host cost more than they give at this size


class DenseLane:
    """Cosine similarity of a query vector to passages; ``owners[i]`` is window i's passage.

    It holds the windows' ``vectors`` where the search is exact, else the ``graph`` over them;
    up to ``exact_windows`` that come into question are compared all the same.

    A lane is built and loaded once and then only read, by any number of threads.
    """

    def __init__(self, vectors: Vectors | None, graph: Any, owners: npt.NDArray[np.int32],
                 keys: npt.NDArray[np.uint8], passages: int, *,
                 exact_windows: int = EXACT_WINDOWS) -> None:
        # NumPy asks for huge pages where FAISS does not, which is worth a quarter of the time
        # that a cold read of all vectors takes.
        self._rows = (
            np.asarray(_GraphRows(graph)) if vectors is None
            else np.ascontiguousarray(vectors, np.float32)
        )
        self._graph = graph
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
        numbers = np.asarray(owners, np.int32)
        if len(vectors) <= exact_windows:
            return cls(vectors, None, numbers, keys, passages, exact_windows=exact_windows)
        graph = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = _EF_BUILD
        graph.hnsw.efSearch = EF_SEARCH
        faiss.omp_set_num_threads(1)  # of this thread: several would not give the same bytes
        for start in range(0, len(vectors), _BLOCK):
            graph.add(np.ascontiguousarray(vectors[start : start + _BLOCK], np.float32))
        return cls(None, graph, numbers, keys, passages, exact_windows=exact_windows)

    @property
    def exact(self) -> bool:
        """Whether every window is compared as it is."""
        return self._graph is None

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

        Every window that comes into question is compared, up to ``exact_windows`` or as long as
        it costs less than the graph; else the graph's search is restricted to them, and looks as
        much farther as they are fewer than all. At least ``count`` are found, where there are as
        many.
        """
        if self._graph is not None:
            walked = self._walked(vector, count, start, end, allowed)
            if len(walked) >= count:
                return walked
        rows = np.arange(start, end) if allowed is None else np.flatnonzero(allowed) + start
        if len(rows) > count:
            cosine = self.of(vector, rows)
            rows = np.sort(rows[np.argpartition(-cosine, count - 1)[:count]])
        return rows

    def _walked(self, vector: Vector, count: int, start: int, end: int,
                allowed: Mask | None) -> Numbers:
        """The passages that the graph finds nearest; none where comparing all costs less."""
        total, first, last = len(self._owners), self._starts[start], self._ends[end - 1]
        counts = self._ends[start:end] - self._starts[start:end]
        mine = None if allowed is None else np.repeat(allowed, counts)
        windows = int(last - first if mine is None else np.count_nonzero(mine))
        sought = count + count * total // len(self._starts)  # a passage has several windows
        ef = max(EF_SEARCH, sought + sought * total // max(windows, 1))
        if windows <= max(self._exact_windows, _STEP * ef):
            return np.empty(0, np.int64)
        options = faiss.SearchParametersHNSW(efSearch=ef)  # type: ignore[attr-defined]
        if windows < total:
            mask = np.zeros(total, np.bool_)
            mask[first:last] = True if mine is None else mine
            # Held here until the search is over: not every FAISS holds what it is given.
            bits = np.packbits(mask, bitorder="little")
            chosen = faiss.IDSelectorBitmap(bits)  # type: ignore[call-arg,arg-type]
            options.sel = chosen
        labels = self._graph.search(vector.reshape(1, -1), sought, params=options)[1][0]
        return np.unique(self._owners[labels[labels >= 0]]).astype(np.int64)

    def vectors(self, start: int = 0, end: int | None = None) -> Vectors:
        """The windows' vectors of the passages from ``start`` to ``end``, in order."""
        return self._rows[self._starts[start] : self._ends[start:end][-1]]

    def dump(self) -> dict[str, bytes]:
        """The lane as files."""
        index = self._graph
        if index is None:
            index = faiss.IndexFlatIP(self._rows.shape[1])
            index.add(self._rows)
        return {
            FILES[0]: faiss.serialize_index(index).tobytes(),
            FILES[1]: arrays.to_bytes(self._owners),
            FILES[2]: arrays.to_bytes(self.keys),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int) -> DenseLane:
        """The lane from the files of :meth:`dump`."""
        index = faiss.deserialize_index(np.frombuffer(files[FILES[0]], np.uint8))
        owners, keys = arrays.from_bytes(files[FILES[1]]), arrays.from_bytes(files[FILES[2]])
        if isinstance(index, faiss.IndexFlat):
            vectors = np.asarray(index.reconstruct_n(0, index.ntotal), np.float32)
            return cls(vectors, None, owners, keys, passages)
        return cls(None, index, owners, keys, passages)


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


class _GraphRows:
    """The vectors as a graph keeps them: an array of it holds the graph."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        flat: Any = faiss.downcast_index(graph.storage)
        rows = faiss.rev_swig_ptr(flat.get_xb(), graph.ntotal * graph.d)
        self.__array_interface__ = rows.reshape(graph.ntotal, graph.d).__array_interface__
