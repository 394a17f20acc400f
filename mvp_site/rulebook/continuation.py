"""What earlier pages of a response gave, as the word that asks for the next page."""

from __future__ import annotations

import base64
import zlib
from typing import Annotated, Final

import msgspec

from ..errors import RulebookQueryError
from ..releases.bundles import canonical, digest
from .paging import Delivered
from .query_parsing import BookQuery

CONTINUATION_CHARS: Final = 20_000
_DIGEST: Final = 12
_Number = Annotated[int, msgspec.Meta(ge=0, lt=10**9)]
_State = tuple[str, str, list[_Number], _Number | None, _Number]


def continuation_of(given: Delivered, release: str, query: BookQuery) -> str:
    """What has been given, as one opaque word, which :func:`.response.respond` goes on from.

    It names the rulebook's release and the question, so that it cannot be put to another one, and
    carries numbers only: whatever a caller writes into it, only section numbers are read.
    """
    numbers = sorted(given.numbers)
    state = [release[:_DIGEST], _question(query), numbers, given.cut, given.chars]
    return base64.urlsafe_b64encode(zlib.compress(canonical(state))).decode().rstrip("=")


def read_continuation(word: str, release: str, query: BookQuery, sections: int) -> Delivered:
    """What ``word`` says has been given, for a book of so many sections.

    Raises:
        RulebookQueryError: it is none, of another question, or of another rulebook.
    """
    try:
        if not isinstance(word, str) or len(word) > CONTINUATION_CHARS:
            raise ValueError("too long")
        packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        content = zlib.decompressobj().decompress(packed, 400_000)
        book, question, numbers, cut, chars = msgspec.json.decode(content, type=_State)
        if max(*numbers, cut or 0, 0) >= sections:
            raise ValueError("no number of a section")
    except (ValueError, zlib.error, RecursionError):
        raise RulebookQueryError(f"{str(word)[:40]!r} is no continuation: give the one that a "
                                 "response came with, unaltered") from None
    if book != release[:_DIGEST]:
        raise RulebookQueryError("the rulebook was built anew since this continuation was given: "
                                 "ask the question again")
    if question != _question(query):
        raise RulebookQueryError("this continuation is of another question: ask with the same "
                                 "intention, entities, hints, words and categories")
    return Delivered(frozenset(numbers), cut, chars)


def _question(query: BookQuery) -> str:
    return digest(canonical([query.query, query.categories, query.intention]))[:_DIGEST]
