"""The narrative as it arrives: what an unfinished answer has told so far.

What is shown is not yet checked: a stream's last event says whether the answer was accepted. Until
then a :class:`~mvp_site.turns.attempts.Stage` ``rolled``, ``looked_up``, ``failed`` or ``rejected``
takes back what was told since the attempt was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import jiter

from ..types import Mode

STRIDE: Final = 128
"""An answer is read again when a part of this share has come: the work then grows as its length."""
_OBJECT: Final = re.compile(r"(?:\A|\n)[^\S\n]*(?=\{)")
_BRACE: Final = re.compile(r"(?=\{)")


class ProseReader:
    """Reads plain prose as it comes, as :class:`NarrativeReader` does JSON.

    With ``place`` the prose may stand in an object, under these keys.
    """

    def __init__(self, *, mode_line: bool, place: Sequence[str] = ()) -> None:
        self._mode_line = mode_line
        self._within = NarrativeReader("story", place) if place else None
        self._head = ""
        self._told = 0

    def feed(self, piece: str) -> str:
        """What ``piece`` adds to the prose below the mode line, if there is one."""
        if self._told:
            self._told += len(piece)
            return piece
        self._head += piece
        if self._within and self._head.lstrip().startswith("{"):
            return self._within.feed(piece)
        return self.finish(self._head)

    def finish(self, text: str) -> str:
        """What the whole text adds to what was told."""
        prose = text.lstrip()
        if self._within and prose.startswith("{"):
            return self._within.finish(prose)
        if self._mode_line:
            prose = prose.partition("\n")[2].lstrip()
        added, self._told = prose[self._told :], max(self._told, len(prose))
        return added


class NarrativeReader:
    """Reads one answer: :meth:`feed` its pieces, at last :meth:`finish` with the whole of it.

    Both give what that adds to the narrative; in god mode to ``god_mode_response``. Text that does
    not look like an answer tells nothing. ``place`` are the keys of another text of the answer,
    which then needs no mode line.
    """

    def __init__(self, mode: Mode, place: Sequence[str] = ()) -> None:
        self._place = place or ("god_mode_response" if mode == "god" else "narrative",)
        self._opening = _BRACE if place else _OBJECT
        self._pieces: list[str] = []
        self._size = 0
        self._read = 0
        self._told = ""
        self._ended = False

    def feed(self, piece: str) -> str:
        """What ``piece`` adds to the narrative; '' where it adds nothing yet."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._ended or self._size - self._read < self._size // STRIDE:
            return ""
        self._pieces = ["".join(self._pieces)]
        self._read = self._size
        return self.finish(self._pieces[0])

    def finish(self, text: str) -> str:
        """What an answer adds, whole or as far as it has come, to what its pieces have told."""
        opened = self._opening.search(text)
        parsed: Any = None
        if opened and f'"{self._place[-1]}"' in text:
            with suppress(ValueError):  # it ends within an escape, or is no object
                encoded = text[opened.end() :].encode("utf-8", "replace")
                parsed = jiter.from_json(encoded, partial_mode="trailing-strings")
        ended = False
        for key in self._place:
            partial = parsed if isinstance(parsed, dict) else {}
            parsed = partial.get(key)
            ended = ended or next(reversed(partial), key) != key
        if not isinstance(parsed, str):
            return ""
        self._ended = ended
        if not parsed.startswith(self._told):  # a second field of this name: it is rejected anyway
            return ""
        added, self._told = parsed[len(self._told) :], parsed
        return added


Reader = NarrativeReader | ProseReader
