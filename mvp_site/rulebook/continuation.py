"""The continuation of a response: what has been given, as one opaque word.

It names the rulebook's release and the question, so that it cannot be put to another one, and
carries numbers only: whatever a caller writes into it, nothing but section numbers is read.
"""

from __future__ import annotations

import base64
import zlib
from itertools import accumulate
from typing import Annotated, Final

import msgspec

from ..errors import RulebookQueryError
from ..releases.bundles import canonical, digest
from .query_parsing import BookQuery
from .selection import Given

MAX_CHARS: Final = 20_000
_MOST_BYTES: Final = 400_000
_DIGEST: Final = 12
_Number = Annotated[int, msgspec.Meta(ge=0, lt=10**9)]
_Said = tuple[str, str, list[_Number], _Number | None, _Number]


def write(given: Given, release: str, asked: BookQuery) -> str:
    """The word for ``given``."""
    numbers = sorted(given.numbers)
    steps = [b - a for a, b in zip([0, *numbers], numbers, strict=False)]
    said = [release[:_DIGEST], _question(asked), steps, given.cut, given.chars]
    return base64.urlsafe_b64encode(zlib.compress(canonical(said))).decode().rstrip("=")


def read(word: str, release: str, asked: BookQuery, sections: int) -> Given:
    """What ``word`` says has been given, for a book of so many sections.

    Raises:
        RulebookQueryError: it is none, of another question, or of another rulebook.
    """
    try:
        if not isinstance(word, str) or len(word) > MAX_CHARS:
            raise ValueError("too long")
        packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(packed, _MOST_BYTES)
        book, question, steps, cut, chars = msgspec.json.decode(content, type=_Said)
        numbers = tuple(accumulate(steps))
        if max(*numbers, cut or 0, 0) >= sections:
            raise ValueError("no number of a section")
    except (ValueError, zlib.error, RecursionError):
        raise RulebookQueryError(
            f"{str(word)[:40]!r} is no continuation: give the one that a response came with, "
            "unaltered"
        ) from None
    if book != release[:_DIGEST]:
        raise RulebookQueryError(
            "the rulebook was built anew since this continuation was given: ask the question again"
        )
    if question != _question(asked):
        raise RulebookQueryError(
            "this continuation is of another question: ask with the same intention, entities, "
            "hints, words and categories"
        )
    return Given(frozenset(numbers), cut, chars)


def _question(asked: BookQuery) -> str:
    return digest(canonical([asked.query, asked.categories, asked.intention]))[:_DIGEST]
