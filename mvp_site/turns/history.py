"""The part of a campaign's history that fits the window, cut where prompt caches keep hitting.

A provider's cache holds a prefix of the prompt. Were the oldest turn dropped every turn, no prefix
would ever come twice; so the cut stands still while the history grows, and when the window is full
it moves by a quarter of it at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from cachetools import LRUCache

from ..retrieval.tokens import count_tokens
from ..types import Message

KEPT_AFTER_CUT: Final = 3 / 4
_KNOWN: Final[LRUCache[tuple[int, int, bool], int]] = LRUCache(maxsize=32_768)
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is kept of a history, how many messages were dropped before it, the tokens kept."""

    messages: tuple[Message, ...]
    dropped: int
    tokens: int


def known_tokens(text: str, printed: Callable[[str], str] | None = None) -> int:
    """The o200k tokens of ``text``, counted once for the last 32,768 texts that were asked for.

    With ``printed``, of what it makes of the text: that is looked up by the text alone, so that a
    history need not be printed in order to be counted, and only one such function may be in use.
    Texts are known by length and hash, so that none is held (about 6 MB when full). Python keys its
    hash anew in every process, so nobody can write a text that is taken for another.
    """
    key = len(text), hash(text), printed is not None
    with _LOCK:
        known = _KNOWN.get(key)
    if known is None:
        known = count_tokens(printed(text) if printed else text)
        with _LOCK:
            _KNOWN[key] = known
    return known


def trim(messages: Sequence[Message], budget_tokens: int,
         count: Callable[[str], int] = known_tokens) -> Trimmed:
    """The newest of ``messages`` within ``budget_tokens`` of contents, oldest dropped first.

    A user's message and the answers to it stay together. The cut follows from the history alone:
    it is where it would stand if the history had been trimmed after every one of its turns, each
    time only when the budget was exceeded, and then to three quarters of it. So the history with
    one more turn is cut at the same place in most turns, as long as it is handed in whole, and
    with the same budget. A turn that alone exceeds the budget is dropped, with all before it.

    ``count`` gives the tokens of a text; the messages' roles and frames are the caller's to add.
    """
    sizes = [count(message.content) for message in messages]
    starts = [i for i, m in enumerate(messages) if i == 0 or m.role == "user"]
    turns = [
        (start, sum(sizes[start:end])) for start, end in pairwise([*starts, len(messages)])
    ]
    first = tokens = 0
    for newest, (_, size) in enumerate(turns):
        tokens += size
        if tokens <= budget_tokens:
            continue
        while first < newest and tokens > KEPT_AFTER_CUT * budget_tokens:
            tokens -= turns[first][1]
            first += 1
        if tokens > budget_tokens:
            first, tokens = newest + 1, 0
    dropped = turns[first][0] if first < len(turns) else len(messages)
    return Trimmed(tuple(messages[dropped:]), dropped, tokens)
