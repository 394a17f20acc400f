"""How the local engine holds many entities: building, memory, search and recall by size."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from mvp_site.entities.build import store_of
from mvp_site.errors import MissingIndexError
from mvp_site.settings import Settings

SIZES: Final = (10_000, 100_000, 1_000_000)
QUERIES: Final = 200
RECALL: Final = 0.98
"""The part of the ten nearest that approximate search has to find."""
_QUICK_QUERIES: Final = 40
_CHILD: Final = Path(__file__).with_name("scale_child.py")
_STEP: Final = "step: "
_TAIL: Final = 20


@dataclass(frozen=True, slots=True)
class Search:
    """A search under one filter, which lets ``share`` of the entities through.

    Seconds are percentiles over queries, ``cpu`` the median of the processor's. ``recall`` is the
    part of the ten nearest by exact search that are nearest here, the mean over queries.
    """

    share: float
    median: float
    p95: float
    cpu: float
    recall: float


@dataclass(frozen=True, slots=True)
class Part:
    """Seconds of building a part, by the clock and of the processor."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Size:
    """One size: ``exact`` says that every vector is compared, ``searches`` are by their filter.

    ``resident`` are the bytes of the process that holds the index, ``peak`` the most while it was
    built.
    """

    entities: int
    exact: bool
    queries: int
    lexical: Part
    dense: Part
    fields: Part
    resident: int
    peak: int
    searches: Mapping[str, Search]

    @property
    def build_seconds(self) -> float:
        """Seconds of all parts together."""
        return self.lexical.wall + self.dense.wall + self.fields.wall

    @property
    def recall(self) -> float:
        """The least recall of all filters."""
        return min(one.recall for one in self.searches.values())


def run(settings: Settings, work: Path, step: Callable[[str], None], *, quick: bool = False,
        ) -> tuple[Size, ...]:
    """Each of :data:`SIZES`, or the first, one after the other, in a process of its own.

    Raises:
        MissingIndexError: there are no entities to make more of.
    """
    store = store_of(settings)
    shelf, release = store.folder, store.current()
    if release is None:
        raise MissingIndexError(f"there are no entities under {shelf}: mvp-site entities build")
    queries = _QUICK_QUERIES if quick else QUERIES
    out = []
    for count in SIZES[:1] if quick else SIZES:
        plan = work / f"scale-{count}.json"
        plan.write_text(json.dumps({
            "shelf": str(shelf.absolute()), "release": release, "entities": count,
            "queries": queries,
        }), encoding="utf-8")
        out.append(size_of(count, queries, _run(plan, count, step)))
    return tuple(out)


def size_of(count: int, queries: int, told: Mapping[str, Any]) -> Size:
    """What a child told of a size."""
    return Size(
        entities=count, exact=told["exact"], queries=queries,
        lexical=Part(**told["lexical_seconds"]), dense=Part(**told["dense_seconds"]),
        fields=Part(**told["field_seconds"]), resident=told["resident"], peak=told["peak"],
        searches={
            name: Search(
                one["share"], *np.percentile(one["seconds"], [50, 95]).tolist(),
                float(np.median(one["cpu"])), one["recall"],
            )
            for name, one in told["searches"].items()
        },
    )


def _run(plan: Path, count: int, step: Callable[[str], None]) -> dict[str, Any]:
    """What a child prints in the end; its steps are told on the way."""
    tail: list[str] = []
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, str(_CHILD), str(plan)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as child:
        assert child.stderr
        assert child.stdout
        try:
            for line in child.stderr:
                if line.startswith(_STEP):
                    step(f"{count:,} synthetic entities: {line.removeprefix(_STEP).strip()}")
                else:
                    tail = [*tail, line][-_TAIL:]
            said = child.stdout.read()
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        raise RuntimeError(f"the process of {count:,} entities failed:\n{''.join(tail)}")
    return dict(json.loads(said.splitlines()[-1]))
