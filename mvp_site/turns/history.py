"""What a prompt has of the turns before it, laid out so that its beginning seldom changes. Pure.

A provider's cache holds a prefix of the prompt. So turns go in their order: a summary of those that
have fallen out, older ones as what was typed, told and chosen, the state as it was then, the last
ones whole. The borders between these move in steps of :data:`STEP` turns; in between, a prompt
begins with all that the one before had of header and history.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final

from ..archive.delimiters import printable
from ..store.types import StoredExchange, StoredMemory
from ..text.tokens import count_tokens
from ..types import AnswerMessage, Message, StateMessage
from .memory import TurnMemory, read_memory

STEP: Final = 10
"""Turns between two moves of a border."""
STEPS: Final = (STEP, 2, 1)
"""The same, and in windows that have no room for that many whole turns."""
WHOLE: Final = 2
"""The last turns that always go whole, where there is room."""
MOST_WHOLE: Final = STEP + WHOLE
"""The last turns that can go whole."""
STATE_STEP: Final = 4
"""Whole turns between two places of a history where it is said what has changed in the state. With
2 a turn of a played campaign is billed 29 tokens less, with 12 163 more."""
KEPT_AFTER_CUT: Final = 1 / 2
"""The part of the room that is full after a cut."""
MOST_TURNS: Final = 900
"""Turns of a history: the assembler takes 2,000 messages."""
MESSAGE_TOKENS: Final = 4
"""What a message's role and marks cost, about."""


@lru_cache(maxsize=4096)
def cost(text: str) -> int:
    """The o200k tokens of a text as it is printed: escaped, in a message."""
    return count_tokens(printable(text)) + MESSAGE_TOKENS


@dataclass(frozen=True, slots=True)
class Borders:
    """Where a history is cut, as numbers of turns.

    Turns up to ``dropped_up_to`` have fallen out, those behind it up to ``whole`` are shortened,
    and those behind ``whole`` go as they were.
    """

    dropped_up_to: int = 0
    whole: int = 0


NO_BORDERS: Final = Borders()
"""Those of a history from which nothing has fallen out, and of which all goes whole."""


@dataclass(frozen=True)
class PastTurn:
    """An accepted turn before this one; ``answer`` is '' for all but the last ones."""

    number: int
    mode: str
    audience: str
    user_input: str
    memory: TurnMemory
    answer: str = ""

    @cached_property
    def short(self) -> tuple[Message, Message]:
        """What was typed with the choice that it took, and what was told, by whom it was heard."""
        memory = self.memory
        if not memory.narrative and self.answer:
            return self.full
        chosen = f"\n[The choice taken: {memory.chosen}]" if memory.chosen else ""
        people = f". There: {', '.join(memory.people.values())}" if memory.people else ""
        place = f", {memory.place}" if memory.place else ""
        return (Message("user", f"{self.user_input}{chosen}"),
                Message("assistant", f"[Turn {self.number}{place}{people}]\n{memory.narrative}"))

    @cached_property
    def full(self) -> tuple[Message, Message]:
        """What was typed, and the answer."""
        answer = compact(self.answer)
        return (Message("user", self.user_input),
                AnswerMessage("assistant", answer, narrative=self.memory.narrative or answer))

    @cached_property
    def short_cost(self) -> int:
        """The tokens of :attr:`short`."""
        return sum(cost(message.content) for message in self.short)

    @cached_property
    def full_cost(self) -> int:
        """The tokens of :attr:`full`."""
        return sum(cost(message.content) for message in self.full)


def compact(answer: str) -> str:
    """An answer with its object in one line; prose as it is."""
    head, brace, body = answer.partition("{")
    try:
        return head + json.dumps(json.loads(brace + body), ensure_ascii=False,
                                 separators=(",", ":"))
    except (ValueError, RecursionError):
        return answer


def answers_needed(memories: Sequence[StoredMemory]) -> int | None:
    """Of how many last turns the answers are read: of all, None, where one left no memory."""
    return MOST_WHOLE if all(stored.memory for stored in memories) else None


def past_turns(memories: Sequence[StoredMemory], exchanges: Sequence[StoredExchange],
               ) -> tuple[PastTurn, ...]:
    """The turns that are remembered, oldest first, with the answers of those in ``exchanges``."""
    answers = {exchange.number: exchange.answer for exchange in exchanges}
    return tuple(
        PastTurn(stored.number, stored.mode, stored.audience, stored.user_input,
                 read_memory(stored.memory), answers.get(stored.number, ""))
        for stored in memories
    )


def borders_of(past: Sequence[PastTurn], before: Borders, room: int) -> Borders:
    """Where the history of ``past`` is cut to fit into ``room`` o200k tokens.

    ``before`` are the borders of the turn before, which stay where they are while there is room:
    a border never moves back, but for the last whole turns. Where the window is full, the history
    is cut to half of its room at a multiple of :data:`STEP`; where even that leaves too much, in
    shorter steps, and then fewer turns go whole.
    """
    if not past:
        return Borders()
    newest = past[-1].number
    last_whole = past[-WHOLE].number - 1 if len(past) >= WHOLE else 0
    least = past[-MOST_TURNS].number - 1 if len(past) > MOST_TURNS else 0
    cut = max(min(before.dropped_up_to, newest), least)
    for step, short in (*((step, last_whole) for step in STEPS), (1, newest - 1), (1, newest)):
        whole = max(short // step * step, min(before.whole, short), cut)
        if _size(past, cut, whole) <= room:
            return Borders(cut, whole)
        for later in range((cut // step + 1) * step, whole + 1, step):
            if _size(past, later, whole) <= KEPT_AFTER_CUT * room:
                return Borders(later, whole)
    return Borders(newest, newest)


def _size(past: Sequence[PastTurn], cut: int, whole: int) -> int:
    return sum(turn.full_cost if turn.number > whole else turn.short_cost
               for turn in past if turn.number > cut)


def states_of(past: Sequence[PastTurn], borders: Borders) -> tuple[int, ...]:
    """Where a history has the state: the number behind the last short turn, and every few turns."""
    whole = [turn.number for turn in past if turn.number > borders.whole]
    return (borders.whole + 1, *(number + 1 for number in whole[STATE_STEP - 1 :: STATE_STEP]))


def messages_of(past: Sequence[PastTurn], borders: Borders, summary: str = "",
                states: Mapping[int, str] = MappingProxyType({})) -> tuple[Message, ...]:
    """The history as it goes to the model.

    ``summary`` tells of what has fallen out. ``states`` has the state on which the first of the
    whole turns was taken, and what had changed when later ones were, by the turns' numbers.
    """
    messages: list[Message] = []
    if summary:
        messages.append(Message(
            "assistant", f"[Turns 1 to {borders.dropped_up_to}, in short]\n{summary}"))
    sent = [turn for turn in past if turn.number > borders.dropped_up_to]
    messages += [message for turn in sent if turn.number <= borders.whole for message in turn.short]
    if messages:  # so far it stays when the border moves
        messages[-1] = replace(messages[-1], breakpoint=True)
    waiting = [(number, StateMessage("user", text, element="state_changes" if at else "state"))
               for at, (number, text) in enumerate(states.items())]
    for turn in sent:
        if turn.number > borders.whole:
            while waiting and waiting[0][0] <= turn.number:
                messages.append(waiting.pop(0)[1])
            messages += turn.full
    return (*messages, *(message for _, message in waiting))
