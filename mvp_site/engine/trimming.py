"""Long passages in less room: whole paragraphs of them, else lines, else sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ..archive.delimiters import CUT
from ..assembly.budget import with_cuts
from ..text.normalising import content_words
from ..text.tokens import printed_tokens

_BREAKS: Final = (
    ("\n\n", re.compile(r"\n[^\S\n]*\n\s*")), ("\n", re.compile(r"\n")),
    (" ", re.compile(r"(?<=[.!?;])\s+")),
)
PART: Final = 3
"""What is larger than one part in so many of the room is looked at in smaller parts."""


def trimmed(text: str, query_words: Collection[str], tokens: int) -> str:
    """``text`` within so many o200k tokens; '' where nothing of it fits.

    The first part stays, then those with most of the words ``asked`` (of
    :func:`~mvp_site.text.normalising.content_words`), all in order, ``[...]`` in place of others.
    """
    if printed_tokens(text) <= tokens:
        return text
    parts = list(_parts(text, tokens // PART))
    cut = printed_tokens(CUT) + 1
    lines: list[int] = []
    room = tokens - cut
    for at in sorted(range(len(parts)), key=lambda at: (
            at != 0, -len(content_words(parts[at][1]).intersection(query_words)), at)):
        cost = printed_tokens(parts[at][1]) + 1 + cut
        if cost <= room:
            lines.append(at)
            room -= cost
    laid = [("\n", CUT) if at is None else parts[at] for at in with_cuts(sorted(lines), len(parts))]
    return "".join(f"{lead if at else ''}{sentence}" for at, (lead, sentence) in enumerate(laid)) \
        if lines else ""


def _parts(text: str, most: int, breaks: Sequence[tuple[str, re.Pattern[str]]] = _BREAKS,
           ) -> Iterator[tuple[str, str]]:
    """The parts of a text, each behind what joins it to the one before."""
    (joint, pattern), *finer = breaks
    for at, part in enumerate(pattern.split(text)):
        smaller = list(_parts(part, most, finer)) \
            if finer and printed_tokens(part) > most else [("", part)]
        yield joint if at else "", smaller[0][1]
        yield from smaller[1:]
