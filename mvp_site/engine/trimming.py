"""Long passages in less room: whole paragraphs of them, else lines, else sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ..archive.delimiters import CUT
from ..retrieval.names import words
from ..retrieval.tokens import printed_tokens

_BREAKS: Final = (
    ("\n\n", re.compile(r"\n[^\S\n]*\n\s*")), ("\n", re.compile(r"\n")),
    (" ", re.compile(r"(?<=[.!?;])\s+")),
)
PART: Final = 3
"""Of what is larger than one part in so many of the room, the smaller parts are looked at."""
SHORT: Final = 120
"""Characters of a quote's sentence that another may follow."""


def trimmed(text: str, asked: Collection[str], tokens: int) -> str:
    """``text`` within so many o200k tokens; '' where nothing of it fits.

    The first part stays, then those with most of the words ``asked``; all in their order, and
    ``[...]`` stands where some are left out.
    """
    if printed_tokens(text) <= tokens:
        return text
    parts = list(_parts(text, tokens // PART))
    gap = printed_tokens(CUT) + 1
    ranked = sorted(
        range(len(parts)),
        key=lambda at: (at != 0, -len({*words(parts[at][1])}.intersection(asked)), at),
    )
    kept: set[int] = set()
    room = tokens - gap
    for at in ranked:
        cost = printed_tokens(parts[at][1]) + 1 + gap
        if cost <= room:
            kept.add(at)
            room -= cost
    return _joined(parts, sorted(kept))


def quoted(text: str, asked: Collection[str], most: int) -> str:
    """The sentence with most of the words ``asked``, on one line of at most ``most`` characters."""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    sentences = [one for line in lines for one in _BREAKS[-1][1].split(line) if one.strip("#*-| ")]
    if not sentences:
        return ""
    best = max(
        range(len(sentences)),
        key=lambda at: (len({*words(sentences[at])}.intersection(asked)), -at),
    )
    said = sentences[best]
    if len(said) < SHORT and best + 1 < len(sentences):
        said = f"{said} {sentences[best + 1]}"
    return said if len(said) <= most else f"{said[:most].rsplit(' ', 1)[0]} …"


def _parts(text: str, most: int, breaks: Sequence[tuple[str, re.Pattern[str]]] = _BREAKS,
           ) -> Iterator[tuple[str, str]]:
    """The parts of a text, each behind what joins it to the one before."""
    (joint, pattern), *finer = breaks
    for at, part in enumerate(pattern.split(text)):
        lead = joint if at else ""
        if finer and printed_tokens(part) > most:
            for place, (own, smaller) in enumerate(_parts(part, most, finer)):
                yield (own if place else lead), smaller
        else:
            yield lead, part


def _joined(parts: Sequence[tuple[str, str]], kept: Sequence[int]) -> str:
    if not kept:
        return ""
    said = CUT if kept[0] else ""
    following = 0
    for at in kept:
        lead, part = parts[at]
        said += (lead if at == following else f" {CUT}\n" if said != CUT else "\n") + part
        following = at + 1
    return f"{said} {CUT}" if following < len(parts) else said
