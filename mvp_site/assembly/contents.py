"""A table of contents of the archive, for models that can look something up. Pure.

As fine as the tokens allow: each section with what it is about, else each heading above with the
titles below it, up to the files. What a section is about is its first sentence, else its first
`when:` line. :func:`titled` finds the section that a text names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..archive.chunks import Chunk
from ..archive.delimiters import escape
from ..archive.front_matter import WHOLE_FILE
from ..archive.release import only_for
from ..text.names import title_key
from ..text.normalising import clean
from ..text.sentences import sentences
from ..text.tokens import count_tokens
from ..text.typos import closest
from ..types import AUDIENCES
from .plan import Redactor, redacted
from .request import closed_modes
from .scope import BETWEEN

MAX_TOKENS: Final = 600
"""The most o200k tokens of a table of contents."""
_OPENING: Final = (
    "<contents>\nThe archive, by title. What this turn needs and its passages lack, look up: by a "
    "title as it stands here, or in a few words.\n"
)
_CLOSING: Final = "</contents>\n"
_FEWEST: Final = 6
"""Words about a section, or titles' words, that are worth a line of its own;"""
_MOST: Final = 24
"""and how many it has at most."""
_MARKUP: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|[*`]|(?<!\w)_|_(?!\w)")
_NO_PROSE: Final = re.compile(r"\s*(?:#|\||<!--|\[\.\.\.\]|$)")

Path = tuple[str, ...]
_Entries = Mapping[Path, str]
"""What each section is about, by its headings, in the archive's order."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: its title, and the parts of what stands behind it, of which some may be left out."""

    title: str
    parts: tuple[str, ...]
    between: str

    def text(self, words: int) -> str:
        """The line, with at most so many words behind the title."""
        fitting: list[str] = []
        for part in self.parts:
            if (size := len(part.split())) <= words:
                fitting.append(part)
                words -= size
        about = self.between.join(fitting)
        about += "…" if about and len(fitting) < len(self.parts) else ""
        return f"- {self.title}: {about}\n" if about else f"- {self.title}\n"


def contents(chunks: Sequence[Chunk], audience: str, mode: str, budget: int = MAX_TOKENS, *,
             searched: npt.NDArray[np.bool_] | None = None,
             redactors: Sequence[Redactor] = ()) -> str:
    """The table of a release's chunks in ``budget`` tokens, in its element; '' if nothing fits.

    It names what an audience may look up in a mode, of the pieces that are ``searched``.
    """
    roots: dict[str, set[Path]] = {}
    for chunk in chunks:
        roots.setdefault(chunk.file, set()).update(piece.path[:1] for piece in chunk.pieces)
    entries: dict[Path, str] = {}
    for chunk, index in _sections(chunks, audience, mode, searched):
        piece = redacted(chunk, redactors)[index] if redactors else chunk.pieces[index]
        if piece.text:
            # Where a file has not one heading above all, it stands for it.
            alone = len(roots[chunk.file]) == 1 and piece.path
            path = piece.path if alone else (chunk.file.removesuffix(".md"), *piece.path)
            if path not in entries:
                entries[path] = _about(chunk, piece.path, piece.text)
    budget -= count_tokens(_OPENING) + count_tokens(_CLOSING)
    for depth in range(max(map(len, entries), default=0), 0, -1):
        rows = _rows(entries, depth)
        if depth > 1 and 2 * len(rows) > budget:  # no line has fewer
            continue
        words = _widest(rows, budget)
        if words >= _FEWEST or (depth == 1 and words >= 0):
            return f"{_OPENING}{_text(rows, words)}{_CLOSING}"
    lines = _first([row.text(0) for row in _rows(entries, 1)], budget)
    return f"{_OPENING}{lines}{_CLOSING}" if lines else ""


def titles(chunks: Sequence[Chunk], audience: str, mode: str, *,
           searched: npt.NDArray[np.bool_] | None = None) -> dict[str, str]:
    """The titles, and the files, that an audience may look up in a mode, by their keys."""
    names = dict.fromkeys(
        name for chunk, index in _sections(chunks, audience, mode, searched)
        for name in (*chunk.pieces[index].path, chunk.file, chunk.file.removesuffix(".md"))
    )
    return {title_key(name): name for name in reversed(names)}


def titled(text: str, names: Mapping[str, str]) -> str | None:
    """What a text names of :func:`titles`, or must be a misspelling of; None where it does not.

    It may be a title below another ("Combat > Cover").
    """
    path = []
    for part in text.split(">"):
        key = title_key(part)
        nearest = key if key in names else closest(key, names) if key else None
        if not nearest:
            return None
        path.append(names[nearest])
    return BETWEEN.join(path)


def _sections(chunks: Sequence[Chunk], audience: str, mode: str,
              searched: npt.NDArray[np.bool_] | None) -> Iterator[tuple[Chunk, int]]:
    """Each passage that may be looked up: its chunk, and its place in it."""
    rank, first, closed = AUDIENCES.index(audience), 0, closed_modes(mode)
    for chunk in chunks:
        visible = AUDIENCES.index(chunk.audience) <= rank and only_for(chunk) not in closed
        for index in range(len(chunk.pieces)):
            if (visible and not chunk.duplicate_of
                    and (searched is None or searched[first + index])):
                yield chunk, index
        first += len(chunk.pieces)


def _about(chunk: Chunk, path: Path, text: str) -> str:
    """The first sentence of prose, else the author's first line for the heading, or ''."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not _NO_PROSE.match(line):
            prose = " ".join(_MARKUP.sub("", line).split())
            return escape(clean(sentences(prose)[0].rstrip()))
    keys = {WHOLE_FILE, *path[-1:]}
    lines = (entry.partition("\t") for entry in chunk.when)
    return next((escape(line) for key, _, line in lines if key in keys), "")


def _rows(entries: _Entries, depth: int) -> list[_Row]:
    """A line for each heading at ``depth``, and for each section above."""
    groups: dict[Path, dict[str, str]] = {}
    for path, about in entries.items():
        below = groups.setdefault(path[:depth], {})
        below.setdefault(path[depth] if len(path) > depth else "", about)
    titles = Counter(path[-1] for path in groups)
    common = Counter(child for below in groups.values() for child in below)
    rows = []
    for path, below in groups.items():
        shared = titles[path[-1]] > 1 and len(path) > 1
        title = BETWEEN.join(path[-2:]) if shared else path[-1]
        # A title that stands below many says least of each.
        children = tuple(escape(clean(child)) for child in sorted(
            filter(None, below), key=lambda child: common[child] > 1))
        parts = children or tuple(below.get("", "").split())
        rows.append(_Row(escape(clean(title)), parts, "; " if children else " "))
    return rows


def _text(rows: Sequence[_Row], words: int) -> str:
    return "".join(row.text(words) for row in rows)


def _widest(rows: Sequence[_Row], budget: int) -> int:
    """How many words each line may have for all to fit, -1 where not even the titles do."""
    return bisect_right(range(_MOST + 1), budget,
                        key=lambda words: count_tokens(_text(rows, words))) - 1


def _first(lines: Sequence[str], budget: int) -> str:
    """As many lines as fit, and how many do not."""
    count = len(lines)
    while count > 0:
        text = "".join(lines[:count]) + f"- and {len(lines) - count} more\n"
        if (tokens := count_tokens(text)) <= budget:
            return text
        count = min(count - 1, count * budget // tokens)
    return ""
