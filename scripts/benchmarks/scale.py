"""How the local engine holds many entities: building, opening, memory, search, recall by size."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

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
            "queries": queries, "folder": str(work / f"many-{count}"),
        }), encoding="utf-8")
        (work / f"many-{count}").mkdir()
        measured = {"entities": count, "queries": queries, **_run(plan, count, step)}
        out.append(msgspec.convert(measured, Size))
        shutil.rmtree(work / f"many-{count}")
    return tuple(out)


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
