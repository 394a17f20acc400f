"""The dense lane: windows of passages in FAISS, a passage scoring by its best window.

Up to :data:`EXACT_WINDOWS` windows the search is exact (inner product over all of them); beyond,
an HNSW graph (Malkov and Yashunin 2018) finds the :data:`NEAREST` nearest, and a passage without
a window among them scores as the farthest that was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import faiss
import numpy as np
import numpy.typing as npt

from . import arrays
from .encoder import Vectors

EXACT_WINDOWS: Final = 50_000
NEAREST: Final = 2_048
EF_SEARCH: Final = 512
_LINKS: Final = 32
FILES: Final = ("windows.faiss", "owners.npy", "keys.npy")

faiss.omp_set_num_threads(1)  # threads of a busy host cost more than they give at this size


class DenseLane:
    """Cosine similarity of a query vector to passages; ``owners[i]`` is window i's passage.

    It holds the windows' ``vectors`` where the search is exact, else the ``graph`` over them.
    """

    def __init__(self, vectors: Vectors | None, graph: Any, owners: npt.NDArray[np.int32],
                 keys: npt.NDArray[np.uint8], passages: int) -> None:
        # NumPy asks for huge pages where FAISS does not, which is worth a quarter of the time
        # that a cold read of all vectors takes.
        self._vectors = None if vectors is None else np.ascontiguousarray(vectors, np.float32)
        self._graph = graph
        self._owners = owners
        self._passages = passages
        self.keys = keys
        self._starts = np.searchsorted(owners, np.arange(passages)).astype(np.int64)

    @classmethod
    def build(cls, vectors: Vectors, owners: Sequence[int], keys: npt.NDArray[np.uint8],
              passages: int, exact_windows: int = EXACT_WINDOWS) -> DenseLane:
        """The lane over unit ``vectors``; ``owners`` ascends and names every passage."""
        held = np.asarray(owners, np.int32)
        if len(vectors) <= exact_windows:
            return cls(vectors, None, held, keys, passages)
        graph = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = 200
        graph.hnsw.efSearch = EF_SEARCH
        graph.add(np.ascontiguousarray(vectors, np.float32))
        return cls(None, graph, held, keys, passages)

    @property
    def exact(self) -> bool:
        """Whether every window is compared."""
        return self._vectors is not None

    def scores(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The cosine of each passage's best window to the unit ``vector``, in [-1, 1]."""
        if self._vectors is None:
            by_window = self._nearest(vector)
        else:
            by_window = inner_products(self._vectors, vector)
        best: npt.NDArray[np.float32] = np.maximum.reduceat(by_window, self._starts)
        return best

    def between(self, vector: npt.NDArray[np.float32], start: int, end: int,
                ) -> npt.NDArray[np.float32]:
        """The cosine of the best window of each passage from ``start`` to ``end``, exactly."""
        by_window = inner_products(self.of_passages(start, end), vector)
        starts = self._starts[start:end] - self._starts[start]
        best: npt.NDArray[np.float32] = np.maximum.reduceat(by_window, starts)
        return best

    def of(self, vector: npt.NDArray[np.float32], passages: npt.NDArray[np.int64],
           ) -> npt.NDArray[np.float32]:
        """The cosine of the best window of each of these passages, exactly."""
        if not len(passages):
            return np.empty(0, np.float32)
        windows, starts = self._windows_of(passages)
        best: npt.NDArray[np.float32] = np.maximum.reduceat(
            inner_products(self._rows(windows), vector), starts
        )
        return best

    def nearest(self, vector: npt.NDArray[np.float32], count: int, start: int, end: int,
                allowed: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.int64]:
        """The ``count`` nearest passages from ``start`` to ``end``, of those that are ``allowed``.

        Every window that comes into question is compared, up to :data:`EXACT_WINDOWS`; of more,
        the graph's search is restricted to them.
        """
        held = np.arange(start, end) if allowed is None else np.flatnonzero(allowed) + start
        ends = np.append(self._starts, len(self._owners))
        windows = int((ends[held + 1] - self._starts[held]).sum())
        if self._graph is None or windows <= EXACT_WINDOWS:
            cosine = self.of(vector, held)
            if len(held) > count:
                held = held[np.argpartition(-cosine, count - 1)[:count]]
            return np.sort(held)
        options = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
            efSearch=max(EF_SEARCH, 2 * count)
        )
        if len(held) < len(self._starts):
            mask = np.zeros(len(self._starts), np.bool_)
            mask[held] = True
            bits = np.packbits(mask[self._owners], bitorder="little")
            options.sel = faiss.IDSelectorBitmap(bits)  # type: ignore[call-arg,arg-type]
        found = self._graph.search(vector.reshape(1, -1), 2 * count, params=options)[1][0]
        near: npt.NDArray[np.int64] = np.unique(self._owners[found[found >= 0]]).astype(np.int64)
        return near

    def of_passages(self, start: int, end: int) -> Vectors:
        """The windows' vectors of the passages from ``start`` to ``end``."""
        first = int(self._starts[start])
        last = int(self._starts[end]) if end < len(self._starts) else len(self._owners)
        if self._vectors is not None:
            return self._vectors[first:last]
        return np.asarray(self._graph.reconstruct_n(first, last - first), np.float32)

    def _windows_of(self, passages: npt.NDArray[np.int64],
                    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The windows of passages, one passage's after another's, and where each's begin."""
        first = self._starts[passages]
        ends = np.append(self._starts[1:], len(self._owners))
        counts = ends[passages] - first
        starts = np.cumsum(counts) - counts
        return np.repeat(first - starts, counts) + np.arange(counts.sum()), starts

    def _rows(self, windows: npt.NDArray[np.int64]) -> Vectors:
        if self._vectors is not None:
            return np.ascontiguousarray(self._vectors[windows])
        return np.asarray(self._graph.reconstruct_batch(windows), np.float32)

    def _nearest(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        count = min(NEAREST, self._graph.ntotal)
        similar, ids = self._graph.search(vector.reshape(1, -1), count)
        found, near = ids[0], similar[0]
        found, near = found[found >= 0], near[found >= 0]  # -1: the graph found fewer
        by_window = np.full(len(self._owners), near[-1] if len(near) else -1.0, np.float32)
        by_window[found] = near
        return by_window

    def vectors(self) -> Vectors:
        """All window vectors, in order."""
        if self._vectors is not None:
            return self._vectors
        return np.asarray(self._graph.reconstruct_n(0, self._graph.ntotal), np.float32)

    def dump(self) -> dict[str, bytes]:
        """The lane as files."""
        index = self._graph
        if self._vectors is not None:
            index = faiss.IndexFlatIP(self._vectors.shape[1])
            index.add(self._vectors)
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
            vectors = index.reconstruct_n(0, index.ntotal)
            return cls(np.asarray(vectors, np.float32), None, owners, keys, passages)
        return cls(None, index, owners, keys, passages)


def inner_products(rows: Vectors, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The inner product of each of ``rows`` with ``vector``, on one thread.

    A search for all rows would sort them first, which costs more than the products.
    """
    similar = np.empty(len(rows), np.float32)
    query = np.ascontiguousarray(vector, np.float32)
    faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]
        faiss.swig_ptr(similar), faiss.swig_ptr(query), faiss.swig_ptr(rows), *rows.shape[::-1]
    )
    return similar
