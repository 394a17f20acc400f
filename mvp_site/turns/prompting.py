"""The prompt of a turn: the assembler's header and passages, the trimmed history, state and dice.

A provider's cache holds a prefix of the prompt. Were the oldest turn dropped every turn, no prefix
would ever come twice; so the cut of the history stands still while it grows, and when the window
is full it moves by a quarter of it at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from ..archive.delimiters import escape
from ..assembly.assembler import PromptAssembler
from ..assembly.contents import MOST
from ..assembly.request import MAX_HISTORY, budget_of
from ..errors import InvalidTurnError
from ..settings import Settings
from ..store.types import StoredExchange
from ..text.normalising import clean
from ..text.tokens import count_tokens
from ..types import AssembledTurn, Message
from .dice import Dice
from .routing import TurnRoute

HISTORY_STRIDE: Final = 64
"""History is read from a turn that is a multiple of this: the cut then moves only with it."""
TOKENS_A_TURN: Final = 100
"""A turn in the history is hardly ever shorter than this."""
STEPS: Final = 8
"""The history's budget is a multiple of this part of the window, so that it seldom changes."""
FRAME_TOKENS: Final = 500
"""Room for elements' tags and the tools' descriptions."""
MESSAGE_TOKENS: Final = 4
"""What a message's role and marks cost, about."""
TEXT_PART: Final = 64
"""Room for the turn's text is at least this part of the window: for shorter ones it is the same."""
TOOL_PART: Final = 8
"""The part of the window that is left for calls and their results: two look-ups, some rolls."""
NAMED_PART: Final = 32
"""The part of the window that is left for what was wrong with an answer."""
CONTENTS_PART: Final = 32
"""The part of the window that a table of contents of the archive may have."""
KEPT_AFTER_CUT: Final = 3 / 4


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is kept of a history, how many messages were dropped before it, the tokens kept."""

    messages: tuple[Message, ...]
    dropped: int
    tokens: int


known_tokens: Final = lru_cache(maxsize=4096)(count_tokens)
"""The o200k tokens of a text, counted once for the last 4,096 texts that were asked for."""


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


@dataclass(frozen=True, slots=True)
class TurnPrompt:
    """An assembled turn, the history that it was given, and what was left out of it.

    ``tool_tokens`` is the room in the window for calls of tools, ``named_tokens`` that for what is
    wrong with an answer.
    """

    turn: AssembledTurn
    history: Trimmed
    tray: bool
    tool_tokens: int
    named_tokens: int


def canonical(value: Any) -> str:
    """``value`` as compact JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def history_turns(turns: int, context_tokens: int) -> int:
    """How many of a campaign's last turns can matter for its prompt, of ``turns`` so far."""
    most = MAX_HISTORY // 2 // HISTORY_STRIDE - 1
    blocks = min(context_tokens // (TOKENS_A_TURN * HISTORY_STRIDE) + 1, most)
    return turns - max(0, (turns // HISTORY_STRIDE - blocks) * HISTORY_STRIDE)


def messages_of(exchanges: Sequence[StoredExchange]) -> tuple[Message, ...]:
    """The conversation so far, as it goes to the model: answers stand as they were accepted."""
    return tuple(
        message for exchange in exchanges
        for message in (Message("user", exchange.user_input), Message("assistant", exchange.answer))
    )


def prompt_of(assembler: PromptAssembler, settings: Settings,  # noqa: PLR0913 (a turn, and options)
              where: TurnRoute, text: str, *,
              state: Mapping[str, Any], history: Sequence[Message], tray: Dice | None,
              max_tokens_retrieved: int | None = None, contents: bool = False) -> TurnPrompt:
    """The prompt of a turn, its history trimmed to what the window has room for.

    ``tray`` are the dice that rolls come off; None where they come by calls of tools.
    ``max_tokens_retrieved`` stands for the settings' budget; ``contents`` says that a table of
    contents stands behind the header.

    Raises:
        InvalidTurnError: state and turn alone leave no room in the window for an answer, or the
            budget is none.
    """
    window, elements = settings.window_tokens, given_of(state, tray)
    budget = budget_of(max_tokens_retrieved, settings.prompt_max_tokens_retrieved)
    most = min(MOST, window // CONTENTS_PART) if contents else 0
    table = assembler.contents(where.mode, where.audience, most)
    spare = room(settings, assembler.header, text, elements, budget, table)
    step = max(window // STEPS, 1)
    trimmed = trim(
        history[-MAX_HISTORY:], spare // step * step if spare >= step else spare, cost
    )
    turn = assembler.assemble(
        text, where.mode, where.audience, trimmed.messages, state, given=elements,
        max_tokens_retrieved=budget, max_tokens_contents=most,
    )
    return TurnPrompt(
        turn, trimmed, tray is not None,
        tool_tokens=window // TOOL_PART + spare - trimmed.tokens, named_tokens=window // NAMED_PART,
    )


def room(settings: Settings, header: str, text: str, beside: Mapping[str, str], budget: int,
         contents: str = "") -> int:
    """Tokens of the window that are left for history, beside all that a turn may come to.

    That is the answer, and with it calls of tools, a failed answer and what was wrong with it.
    ``contents`` is the archive's table of contents.

    Raises:
        InvalidTurnError: nothing is left, not even for those.
    """
    window = settings.window_tokens
    parts = {
        "the header": known_tokens(header),
        "the table of contents": known_tokens(contents) + MESSAGE_TOKENS if contents else 0,
        "the retrieved context": budget,
        "answers": 2 * settings.mvp_site_answer_tokens + window // TOOL_PART + window // NAMED_PART,
        "the turn's text": max(cost(text), window // TEXT_PART),
        **{f"the {name.replace('_', ' ')}": cost(value) for name, value in beside.items()},
    }
    room_left = window - FRAME_TOKENS - sum(parts.values())
    if room_left < 0:
        listed = ", ".join(f"{name} {tokens}" for name, tokens in parts.items())
        own = cost(text) + sum(map(cost, beside.values()))
        long = "the header" if parts["the header"] > own else "the text or the state"
        raise InvalidTurnError(
            f"the turn does not fit the window of {window} tokens ({listed}): shorten {long}, "
            "lower MVP_SITE_ANSWER_TOKENS or PROMPT_MAX_TOKENS_RETRIEVED, or raise "
            "MVP_SITE_CONTEXT_TOKENS to what the model takes"
        )
    return room_left


@lru_cache(maxsize=4096)
def cost(text: str) -> int:
    """The o200k tokens of a text as it is printed: escaped, in a message."""
    return count_tokens(escape(clean(text))) + MESSAGE_TOKENS


def given_of(state: Mapping[str, Any], tray: Dice | None) -> dict[str, str]:
    """What is printed beside the turn: the state and, where rolls come off it, the dice's tray."""
    elements = {"state": canonical(state)}
    if tray is not None:
        elements["dice_tray"] = tray.tray()
    return elements
