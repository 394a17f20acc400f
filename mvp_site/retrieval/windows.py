"""Windows: texts of the encoder's size that together cover a passage.

A window holds at most :data:`WINDOW_PIECES` word pieces of the passage, cut at its lines, long
lines at words, and opens with the passage's heading path, so that no part of a passage is
invisible to the dense lane and none stands without its subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from .encoder import Encoder

WINDOW_PIECES: Final = 180
PREFIX_PIECES: Final = 48
_SPECIAL: Final = 2


def windows(heading: Sequence[str], text: str, encoder: Encoder,
            most: int = WINDOW_PIECES) -> list[str]:
    """The windows of ``text`` in order, at least one, each of at most ``most`` word pieces."""
    prefix, prefix_pieces = _prefix(heading, encoder)
    room = min(most, encoder.window - _SPECIAL - prefix_pieces)
    out: list[str] = []
    window: list[str] = []
    size = 0
    lines = (line.strip() for line in text.split("\n") if line.strip())
    for line, pieces in chain.from_iterable(_cut(line, room, encoder) for line in lines):
        if window and size + pieces > room:
            out.append("\n".join(window))
            window, size = [], 0
        window.append(line)
        size += pieces
    if window or not out:
        out.append("\n".join(window))
    return [f"{prefix}\n{window}" if prefix else window for window in out]


def _prefix(heading: Sequence[str], encoder: Encoder) -> tuple[str, int]:
    """The heading path, its outermost parts left out where it is too long, and its word pieces."""
    parts = [part for part in heading if part]
    while (pieces := encoder.pieces(prefix := " > ".join(parts))) > PREFIX_PIECES:
        parts = parts[1:] or [prefix[: len(prefix) // 2]]
    return prefix, pieces


def _cut(line: str, room: int, encoder: Encoder) -> Iterator[tuple[str, int]]:
    """Parts of a line that have room in a window, each with its word pieces."""
    pieces = encoder.pieces(line)
    if pieces <= room or len(line) < 2:
        yield line, pieces
        return
    middle = len(line) // 2
    cut = next((i for i in range(middle, 0, -1) if line[i].isspace()), middle)
    yield from _cut(line[:cut].strip(), room, encoder)
    yield from _cut(line[cut:].strip(), room, encoder)
