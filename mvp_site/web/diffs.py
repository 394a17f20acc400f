"""Two texts side by side, line by line: what one has, what the other has, what changed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final

AROUND: Final = 2
"""Lines that stay on either side of a change."""
MAX_LINE: Final = 4_000
"""Characters of a line in which words are compared."""
_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")

Words = tuple[tuple[str, bool], ...]
"""Pieces of a line, each with whether it is the change."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of either text, None where it has none; or so many lines that are ``same`` in both."""

    left: Words | None = None
    right: Words | None = None
    same: int = 0

    @property
    def changed(self) -> bool:
        """Whether the two differ here."""
        return self.left != self.right


def side_by_side(left: str, right: str) -> list[DiffRow]:
    """The lines of two texts next to each other, long runs of the same folded."""
    old, new = left.splitlines(), right.splitlines()
    rows: list[DiffRow] = []
    blocks = SequenceMatcher(None, old, new).get_opcodes()
    for place, (kind, a, b, c, d) in enumerate(blocks):
        if kind == "equal":
            first, last = place == 0, place == len(blocks) - 1
            rows += _folded(old[a:b], 0 if first else AROUND, 0 if last else AROUND)
        else:
            rows += (_row(old_line, other) for old_line, other in zip_longest(old[a:b], new[c:d]))
    return rows


def _folded(lines: Sequence[str], before: int, after: int) -> Iterator[DiffRow]:
    whole = [DiffRow(((line, False),), ((line, False),)) for line in lines]
    if len(lines) <= before + after + 1:
        yield from whole
        return
    yield from whole[:before]
    yield DiffRow(same=len(lines) - before - after)
    yield from whole[len(whole) - after:]


def _row(left: str | None, right: str | None) -> DiffRow:
    if left is None or right is None or max(len(left), len(right)) > MAX_LINE:
        return DiffRow(None if left is None else ((left, True),),
                   None if right is None else ((right, True),))
    old, new = _WORDS.findall(left), _WORDS.findall(right)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return DiffRow(
        _merged(("".join(old[a:b]), kind != "equal") for kind, a, b, _, _ in blocks if b > a),
        _merged(("".join(new[c:d]), kind != "equal") for kind, _, _, c, d in blocks if d > c),
    )


def _merged(pieces: Iterable[tuple[str, bool]]) -> Words:
    """Pieces of a line, changes with nothing but blanks between them as one."""
    merged: list[tuple[str, bool]] = []
    for text, changed in pieces:
        if changed and len(merged) > 1 and merged[-2][1] and not merged[-1][0].strip():
            blank, _ = merged.pop()
            merged[-1] = f"{merged[-1][0]}{blank}{text}", True
        else:
            merged.append((text, changed))
    return tuple(merged)
