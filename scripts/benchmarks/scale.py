"""How the local engine holds many entities: building, opening, memory, search, recall by size."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from mvp_site.entities.build import store_of
from mvp_site.errors import MissingIndexError
from mvp_site.settings import Settings

from .processes import child_values

SIZES: Final = (10_000, 100_000, 1_000_000)
QUERIES: Final = 200
RECALL: Final = 0.98
"""The part of the ten nearest that approximate search has to find."""
_CHILD: Final = Path(__file__).with_name("scale_child.py")


@dataclass(frozen=True, slots=True)
class Search:
    """A search under one filter, which lets ``share`` of the entities through.

    Seconds are percentiles over queries. ``recall`` is the part of the ten nearest by exact search
    that are nearest here, the mean over queries.
    """

    share: float
    median: float
    p95: float
    recall: float


@dataclass(frozen=True, slots=True)
class Size:
    """One size: ``exact`` says that every vector is compared, ``searches`` are by their filter.

    ``lexical``, ``dense`` and ``fields`` are the seconds that each part took to build, ``open``
    those to the first answer of what was written, its fields made anew. ``resident`` are the bytes
    of the process that holds the index, ``peak`` the most while it was built.
    """

    entities: int
    exact: bool
    queries: int
    lexical: float
    dense: float
    fields: float
    open: float
    resident: int
    peak: int
    searches: Mapping[str, Search]

    @property
    def build_seconds(self) -> float:
        """Seconds of all parts together."""
        return self.lexical + self.dense + self.fields

    @property
    def recall(self) -> float:
        """The least recall of all filters."""
        return min(one.recall for one in self.searches.values())


def run(settings: Settings, work: Path, step: Callable[[str], None]) -> tuple[Size, ...]:
    """Each of :data:`SIZES`, one after the other, in a process of its own.

    Raises:
        MissingIndexError: there are no entities to make more of.
    """
    store = store_of(settings)
    shelf, release = store.folder, store.current()
    if release is None:
        raise MissingIndexError(f"there are no entities under {shelf}: mvp-site entities build")
    sizes = []
    for count in SIZES:
        step(f"{count:,} synthetic entities")
        folder = work / f"many-{count}"
        folder.mkdir()
        measured = child_values(_CHILD, shelf.absolute(), release, count, QUERIES, folder)
        sizes.append(msgspec.convert({"entities": count, "queries": QUERIES, **measured}, Size))
        shutil.rmtree(folder)
    return tuple(sizes)
