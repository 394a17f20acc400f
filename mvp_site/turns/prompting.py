"""The prompt of a turn: the assembler's header and passages, the history, state, notes and dice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from ..assembly.assembler import PromptAssembler
from ..assembly.contents import MAX_TOKENS
from ..assembly.request import MAX_HISTORY, budget_of
from ..errors import InvalidTurnError
from ..settings import Settings
from ..text.tokens import known_tokens
from ..types import AssembledTurn, Message
from . import secret_notes
from .dice import Dice
from .history import (
    MESSAGE_TOKENS,
    NO_BORDERS,
    Borders,
    PastTurn,
    borders_of,
    cost,
    messages_of,
    states_of,
)
from .routing import TurnRoute
from .state import changes
from .summaries import MAX_TOKENS as SUMMARY_TOKENS
from .summaries import summary_of

STEPS: Final = 8
"""The budget of a history that was handed in is a multiple of this part of the window, so that it
seldom changes."""
FRAME_TOKENS: Final = 500
"""Room for elements' tags and the tools' descriptions."""
TEXT_PART: Final = 64
"""Room for the turn's text is at least this part of the window: for shorter ones it is the same."""
TOOL_PART: Final = 8
"""The part of the window that is left for calls and their results: two look-ups, some rolls."""
NAMED_PART: Final = 32
"""The part of the window that is left for what was wrong with an answer."""
CONTENTS_PART: Final = 32
"""The part of the window that a table of contents of the archive may have."""
ASIDE_PART: Final = 4
"""Of the room for history, notes and a summary have at most this part each."""
SUMMARY_HEAD: Final = 20
"""What a summary's heading and message cost at most."""
STATE_PARTS: Final = 3 / 2
"""A state of earlier and what has changed since are sent if they are at most so much of the state.
"""
KEPT_AFTER_CUT: Final = 3 / 4


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is kept of a history, how many messages were dropped before it, the tokens kept."""

    messages: tuple[Message, ...]
    dropped: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Past:
    """The campaign's own past: its accepted turns, and what of it the turn before was given.

    ``taken_on`` gives the state on which the turn of a number was taken, None where there was none.
    """

    turns: tuple[PastTurn, ...] = ()
    before: Borders = NO_BORDERS
    taken_on: Callable[[int], Mapping[str, Any] | None] = lambda _: None


NO_PAST: Final = Past()


def trim(messages: Sequence[Message], budget_tokens: int) -> Trimmed:
    """The newest of ``messages`` within ``budget_tokens``, oldest dropped first.

    A user's message and the answers to it stay together. The cut follows from the history alone:
    it is where it would stand if the history had been trimmed after every one of its turns, each
    time only when the budget was exceeded, and then to three quarters of it. So the history with
    one more turn is cut at the same place in most turns, as long as it is handed in whole, and
    with the same budget. A turn that alone exceeds the budget is dropped, with all before it.
    """
    sizes = [cost(message.content) for message in messages]
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
class GivenPast:
    """What a prompt has of the campaign's past, beside its messages.

    ``states`` are the numbers of the turns whose states the history tells, none where it tells
    none, and ``update`` is what has changed since the last of them; ``notes`` are the secret ones.
    """

    borders: Borders = NO_BORDERS
    states: tuple[int, ...] = ()
    update: str = ""
    summary: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class TurnPrompt:
    """An assembled turn, the history that it was given, and what was left out of it.

    ``tool_tokens`` is the room in the window for calls of tools, ``named_tokens`` that for what is
    wrong with an answer. ``past_given`` is empty where a history was handed in.
    """

    turn: AssembledTurn
    history: Trimmed
    tray: bool
    tool_tokens: int
    named_tokens: int
    past_given: GivenPast = GivenPast()


def canonical(value: Any) -> str:
    """``value`` as compact JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def prompt_of(assembler: PromptAssembler, settings: Settings,  # noqa: PLR0913 (a turn, and options)
              turn_route: TurnRoute, text: str, *,
              state: Mapping[str, Any], tray: Dice | None, past: Past = NO_PAST,
              history: Sequence[Message] | None = None, max_tokens_retrieved: int | None = None,
              contents: bool = False) -> TurnPrompt:
    """The prompt of a turn, its history cut to what the window has room for.

    ``past`` is the campaign's own, ``history`` messages that stand in for it. ``tray`` are the
    dice that rolls come off; None where they come by calls of tools.
    ``max_tokens_retrieved`` stands for the settings' budget; ``contents`` says that a table of
    contents stands behind the header.

    Raises:
        InvalidTurnError: state and turn alone leave no room in the window for an answer, or the
            budget is none.
    """
    window, elements = settings.window_tokens, given_of(state, tray)
    budget = budget_of(max_tokens_retrieved, settings.prompt_max_tokens_retrieved)
    most = min(MAX_TOKENS, window // CONTENTS_PART) if contents else 0
    table = assembler.contents(max_tokens=most)
    spare = room(settings, assembler.header, text, elements, budget, table)
    if history is None:
        account, trimmed = _own_history(past, state, spare)
        whole = account.borders.whole
    else:
        account, whole = GivenPast(), past.turns[-1].number if past.turns else 0
        free, step = spare - _notes_room(spare), max(window // STEPS, 1)
        trimmed = trim(history[-MAX_HISTORY:], free // step * step if free >= step else free)
    scene = secret_notes.scene_of(state, past.turns, text)
    notes = secret_notes.secret_notes(past.turns, scene, whole, _notes_room(spare) - MESSAGE_TOKENS)
    spare += _size(elements) - trimmed.tokens
    elements = given_of(state, tray, account.update, notes)
    turn = assembler.assemble(
        text, turn_route.mode, turn_route.audience, trimmed.messages, state, given=elements,
        max_tokens_retrieved=budget, max_tokens_contents=most,
    )
    return TurnPrompt(
        turn, trimmed, tray is not None, window // TOOL_PART + spare - _size(elements),
        window // NAMED_PART, replace(account, notes=notes),
    )


def _size(elements: Mapping[str, str]) -> int:
    return sum(map(cost, elements.values()))


def _notes_room(spare: int) -> int:
    return min(spare // ASIDE_PART, secret_notes.MAX_TOKENS)


def _own_history(past: Past, state: Mapping[str, Any], spare: int) -> tuple[GivenPast, Trimmed]:
    """The campaign's past as a prompt has it in ``spare`` tokens, with room for notes left."""
    of_summary = min(spare // ASIDE_PART, SUMMARY_TOKENS)
    whole_state = cost(canonical(state))
    again = int(whole_state * (STATE_PARTS - 1))
    free = spare - of_summary - _notes_room(spare)
    borders = borders_of(past.turns, past.before, free - again if free > again else free)
    summary = summary_of(past.turns, borders.dropped_up_to, of_summary - SUMMARY_HEAD)
    numbers = states_of(past.turns, borders) if free > again else ()
    *layers, update = state_layers([past.taken_on(number) for number in numbers], state) or [""]
    states = dict(zip(numbers, layers, strict=False))
    messages = messages_of(past.turns, borders, summary, states)
    dropped = sum(turn.number <= borders.dropped_up_to for turn in past.turns)
    return (GivenPast(borders, tuple(states), update, summary),
            Trimmed(messages, 2 * dropped, sum(cost(part.content) for part in messages)))


def room(settings: Settings, header: str, text: str, elements: Mapping[str, str], budget: int,
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
        **{f"the {name.replace('_', ' ')}": cost(value) for name, value in elements.items()},
    }
    room_left = window - FRAME_TOKENS - sum(parts.values())
    if room_left < 0:
        listed = ", ".join(f"{name} {tokens}" for name, tokens in parts.items())
        own = cost(text) + sum(map(cost, elements.values()))
        long = "the header" if parts["the header"] > own else "the text or the state"
        raise InvalidTurnError(
            f"the turn does not fit the window of {window} tokens ({listed}): shorten {long}, "
            "lower MVP_SITE_ANSWER_TOKENS or PROMPT_MAX_TOKENS_RETRIEVED, or raise "
            "MVP_SITE_CONTEXT_TOKENS to what the model takes"
        )
    return room_left


def state_layers(earlier: Sequence[Mapping[str, Any] | None], state: Mapping[str, Any],
                 ) -> list[str]:
    """The first of the ``earlier`` states, what had changed at each later one, and since.

    Nothing where there is none or one is not known, or where that is too long beside the state.
    """
    states = [base for base in earlier if base is not None]
    if not states or len(states) < len(earlier):
        return []
    updates = [changes(before, after) for before, after in pairwise([*states, state])]
    layers = [canonical(layer) for layer in (states[0], *updates)]
    short = sum(map(cost, layers)) <= STATE_PARTS * cost(canonical(state))
    return layers if short and None not in updates else []


def given_of(state: Mapping[str, Any], tray: Dice | None,
             update: str = "", notes: str = "") -> dict[str, str]:
    """What is printed beside the turn: the state, notes and, where rolls come off it, a dice tray.

    Where the history has a state, it is the ``update`` that makes this one of it.
    """
    elements = {"state_changes": update} if update else {"state": canonical(state)}
    if notes:
        elements["secret_notes"] = notes
    if tray is not None:
        elements["dice_tray"] = tray.tray()
    return elements
