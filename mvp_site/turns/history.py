"""The part of a campaign's history that fits the window, cut where prompt caches keep hitting.

A provider's cache holds a prefix of the prompt. Were the oldest turn dropped every turn, no prefix
would ever come twice; so the cut stands still while the history grows, and when the window is full
it moves by a quarter of it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ..archive.delimiters import escape
from ..retrieval.text import clean
from ..retrieval.tokens import count_tokens
from ..types import Message

KEPT_AFTER_CUT: Final = 3 / 4


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is kept of a history, how many messages were dropped before it, the tokens kept."""

    messages: tuple[Message, ...]
    dropped: int
    tokens: int


known_tokens: Final = lru_cache(maxsize=4096)(count_tokens)
"""The o200k tokens of a text, counted once for the last 4,096 texts that were asked for."""


@lru_cache(maxsize=4096)
def printed_tokens(text: str) -> int:
    """The o200k tokens of a text as it is printed in a prompt: cleaned and escaped."""
    return count_tokens(escape(clean(text)))


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
