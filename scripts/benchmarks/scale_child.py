"""A process that builds and searches so many synthetic entities and prints what that costs.

Run as a script: ``scale_child.py SHELF RELEASE ENTITIES QUERIES FOLDER``. Prints one line of JSON.
One process a size, so that none inherits another's memory.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
import synthetic
from child import peak_bytes

from mvp_site.releases.bundles import read_bundle, write_bundle
from mvp_site.retrieval.collection import SearchRequest
from mvp_site.retrieval.columns import Columns
from mvp_site.retrieval.dense import DenseLane
from mvp_site.retrieval.index import HybridIndex, spans_of
from mvp_site.retrieval.lexical import LexicalLane

TYPE: Final = "monsters"
DEPTH: Final = 512
"""How many candidates each lane gives, as in a search of entities."""
BEST: Final = 10
_WARM: Final = 5

Made = TypeVar("Made")
Best = npt.NDArray[np.int64]


def main() -> None:
    """Build, open, search, compare with exact search, tell."""
    shelf, release, *numbers, folder = sys.argv[1:]
    count, queries = map(int, numbers)
    import psutil  # noqa: PLC0415 - of the extra `bench`, and for this alone

    bundle = read_bundle(Path(shelf), release, "")
    source = synthetic.source(bundle.files, int(bundle.manifest["entities"]))
    del bundle
    backend, exact, built = build(source, count)
    asked = synthetic.queries(source, queries, count)
    write_bundle(Path(folder), "many", {}, backend.dump())
    del backend
    gc.collect()
    backend, built["open"] = _timed(partial(opened, Path(folder), asked[0]), count)
    gc.collect()
    _give_back()
    resident = psutil.Process().memory_info().rss
    searches = search(backend, asked)
    truth = nearest(backend, source, count, asked)
    for name, found in searches.items():
        found["recall"] = recall(found.pop("found"), truth[name])
        found["median"], found["p95"] = np.percentile(found.pop("seconds"), [50, 95]).tolist()
        allowed = backend.search(SearchRequest((TYPE,), where=synthetic.FILTERS[name]))
        found["share"] = len(allowed.numbers) / count
    print(json.dumps({
        "exact": exact, "resident": resident, "peak": peak_bytes(), "searches": searches, **built,
    }))


def build(source: synthetic.Source, count: int) -> tuple[HybridIndex, bool, dict[str, Any]]:
    """The backend, whether its search compares every vector, and the seconds of each of its parts.

    What a part is made of is made before its clock starts, and is gone before the next.
    """
    lexical, words = _timed(LexicalLane.build, synthetic.texts(source, count))
    columns, fields = _timed(Columns, synthetic.fields(count))
    vectors = np.empty((count, source.windows.shape[1]), np.float32)
    start = 0
    for block in synthetic.vectors(source, count):
        vectors[start : start + len(block)] = block
        start += len(block)

    def lane(rows: npt.NDArray[np.float32]) -> DenseLane:
        return DenseLane.build(rows, range(count), np.zeros((count, 16), np.uint8), count)

    dense, graph = _timed(lane, vectors)
    spans = spans_of([TYPE] * count)
    seconds = {"lexical": words, "fields": fields, "dense": graph}
    return HybridIndex(lexical, dense, columns, spans), dense.exact, seconds


def opened(shelf: Path, first: synthetic.Asked, count: int) -> HybridIndex:
    """The backend from files, verified, once it has answered a query."""
    columns = Columns(synthetic.fields(count))
    index = HybridIndex.load(read_bundle(shelf, "many", "").files, count, columns,
                             spans_of([TYPE] * count))
    index.search(SearchRequest((TYPE,), first.vector, first.terms, limit=DEPTH))
    return index


def search(backend: HybridIndex, asked: list[synthetic.Asked]) -> dict[str, dict[str, Any]]:
    """Seconds of each query under each filter, and what its vector alone finds.

    The filters take turns query by query, so that what disturbs one disturbs all.
    """
    out: dict[str, dict[str, Any]] = {
        name: {"seconds": [], "found": []} for name in synthetic.FILTERS
    }
    for number, one in enumerate([*asked[:_WARM], *asked]):
        for name, where in synthetic.FILTERS.items():
            wanted = SearchRequest((TYPE,), one.vector, one.terms, where, limit=DEPTH)
            started = time.process_time()
            backend.search(wanted)
            taken = time.process_time() - started
            if number >= _WARM:
                near = backend.search(SearchRequest((TYPE,), one.vector, (), where, limit=DEPTH))
                best = np.lexsort((near.numbers, -near.cosine))[:BEST]
                out[name]["seconds"].append(taken)
                out[name]["found"].append(near.numbers[best])
    return out


def nearest(backend: HybridIndex, source: synthetic.Source, count: int,
            asked: list[synthetic.Asked]) -> dict[str, list[Best]]:
    """The entities nearest to each query under each filter, every one compared, in blocks."""
    queries = np.stack([one.vector for one in asked])
    held = {name: (np.empty((len(asked), 0), np.float32), np.empty((len(asked), 0), np.int64))
            for name in synthetic.FILTERS}
    masks = {name: np.zeros(count, np.bool_) for name in synthetic.FILTERS}
    for name, where in synthetic.FILTERS.items():
        masks[name][backend.search(SearchRequest((TYPE,), where=where)).numbers] = True
    start = 0
    for block in synthetic.vectors(source, count):
        cosine = queries @ block.T
        for name, (best, numbers) in held.items():
            allowed = np.flatnonzero(masks[name][start : start + len(block)])
            merged = np.hstack([best, cosine[:, allowed]])
            ids = np.hstack([numbers, np.broadcast_to(allowed + start, (len(asked), len(allowed)))])
            if merged.shape[1] > BEST:
                order = np.argpartition(-merged, BEST - 1, axis=1)[:, :BEST]
                merged, ids = (np.take_along_axis(of, order, axis=1) for of in (merged, ids))
            held[name] = merged, ids
        start += len(block)
    return {name: list(ids) for name, (_, ids) in held.items()}


def recall(found: list[Best], truth: list[Best]) -> float:
    """The mean part of the truth that was found; where there is none, nothing was missed."""
    parts = [
        len(set(mine.tolist()) & set(all_.tolist())) / len(all_) if len(all_) else 1.0
        for mine, all_ in zip(found, truth, strict=True)
    ]
    return float(np.mean(parts))


def _timed(make: Callable[[Any], Made], of: object) -> tuple[Made, float]:
    started = time.process_time()
    return make(of), time.process_time() - started


def _give_back() -> None:
    """Return to the system what is freed but kept for later, where the C library can."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main()
