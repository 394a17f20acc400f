"""Which passages a request may print: those it pins, those it searches among, those it leaves out.

A name is that of a file of the version (``combat.md`` or ``combat``), of a chunk (``combat#2``) or
of a section: its heading, or the last headings of its path (``Combat > Cover``), which the file's
name may stand above (``fights > Combat > Cover``), whatever the case. A section brings what stands
under it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..archive.chunks import Chunk
from ..archive.own_modes import OwnMode
from ..archive.release import ArchiveRelease
from ..errors import InvalidTurnError, UnknownSectionError
from ..text.typos import near
from ..types import AUDIENCES

MOST: Final = 100
"""How many names a request may give of each kind."""
BETWEEN: Final = " > "


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a request gives: what is always printed, searched among, and left out."""

    pin: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    of_mode: frozenset[str] = frozenset()
    """Names that the mode gives: what the audience may not see of them is left out."""


EVERYTHING: Final = Scope()


@dataclass(frozen=True, slots=True, eq=False)
class Scoped:
    """A scope in a release: the pinned pieces of each chunk, and whether each piece is searched.

    ``searched`` is None where every piece is.
    """

    pinned: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    searched: npt.NDArray[np.bool_] | None = None


def scope_of(pin: Iterable[str], only: Iterable[str], without: Iterable[str]) -> Scope:
    """The scope of these names.

    Raises:
        InvalidTurnError: one of the three is no list of texts, or is too long.
    """
    kinds = {"pin": pin, "only": only, "without": without}
    for kind, names in kinds.items():
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise InvalidTurnError(f"{kind} must be a list of files or sections")
    pin, only, without = (tuple(dict.fromkeys(names)) for names in kinds.values())
    scope = Scope(pin, only, without)
    if most := next((kind for kind in kinds if len(getattr(scope, kind)) > MOST), None):
        raise InvalidTurnError(f"{most} has more than {MOST} names")
    return scope


def within(mode: OwnMode, scope: Scope) -> Scope:
    """The scope of a request in a version's own mode: its files, and what the request names."""
    return replace(scope, pin=tuple(dict.fromkeys((*mode.always, *scope.pin))),
                   only=scope.only or mode.search,
                   of_mode=frozenset((*mode.always, *mode.search)))


def scoped(release: ArchiveRelease, scope: Scope, audience: str) -> Scoped:
    """What a scope means in a release, for an audience.

    Raises:
        UnknownSectionError: a name is that of nothing this audience may see; names what comes near.
    """
    if scope == EVERYTHING:
        return Scoped()
    places = {name: pieces_of(release, name, audience, hidden=name in scope.of_mode)
             for name in (*scope.pin, *scope.only, *scope.without)}
    searched = np.full(release.manifest.passages, not scope.only)
    for names, allowed in ((scope.only, True), (scope.without, False)):
        for name in names:
            rows = [release.first_piece[chunk] + piece for chunk, piece in places[name]]
            searched[rows] = allowed
    pinned: dict[int, list[int]] = {}
    for chunk, piece in sorted({place for name in scope.pin for place in places[name]}):
        pinned.setdefault(chunk, []).append(piece)
    return Scoped({chunk: tuple(pieces) for chunk, pieces in pinned.items()}, searched)


def pieces_of(release: ArchiveRelease, name: str, audience: str, *, hidden: bool = False,
              ) -> list[tuple[int, int]]:
    """The chunks and pieces of a name that the audience may see.

    Raises:
        UnknownSectionError: there are none, and they are not ``hidden`` on purpose.
    """
    rank = AUDIENCES.index(audience)
    visible = [(number, chunk) for number, chunk in enumerate(release.chunks)
            if release.audience_rank[number] <= rank]
    key = _folded(name)
    pieces = [(number, piece) for number, chunk in visible for piece in _named(chunk, key)]
    if not (pieces or hidden):
        names = {key for _, chunk in visible for key in ((chunk.id,) if "#" in name else (
            chunk.file, *(title for piece in chunk.pieces for title in piece.path)))}
        hint = "".join(f"; did you mean {other!r}?" for other in near(name, names, 1))
        raise UnknownSectionError(
            f"no file or section is called {name!r:.80} in version {release.manifest.version}{hint}"
        )
    return pieces


def _named(chunk: Chunk, name: str) -> Iterator[int]:
    """The pieces of a chunk that a name is of."""
    whole = name in (_folded(chunk.id), _folded(chunk.file))
    part, stem = f"{BETWEEN}{name}{BETWEEN}", chunk.file.removesuffix(".md")
    for index, piece in enumerate(chunk.pieces):
        path = BETWEEN.join(("", *map(_folded, (stem, *piece.path)), ""))
        if whole or part in path:
            yield index


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
