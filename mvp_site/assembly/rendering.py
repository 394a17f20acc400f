"""Rendering: a prompt as segments, as one text and as messages. Pure.

All three hold the same content. What stays the same from turn to turn comes first (header, then
history), so that a provider's prompt cache hits; the retrieved context opens the last user message.
All foreign text is escaped (``archive.delimiters``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from ..archive.delimiters import (
    CLOSING_TAG,
    CONTEXT_END,
    CUT,
    GIVEN,
    context_open,
    opening_tag,
    printable,
)
from ..types import AssembledTurn, Message, PromptSegment, StateMessage, SystemText
from .budget import with_cuts

SINCE: Final = (
    "That was the state then. What has changed since stands in each state_changes below, the last "
    'one before the turn, nested like the state; "__DELETE__" marks what is gone.\n'
)


def passage(chunk_id: str, path: tuple[str, ...], parts: Mapping[int, str], size: int,
            tokens: int | None = None) -> PromptSegment:
    """One passage: ``parts`` are the texts of its pieces by index in order, of ``size`` in all."""
    laid = [CUT if index is None else parts[index] for index in with_cuts(list(parts), size)]
    lines = [opening_tag(chunk_id, path), *filter(None, laid), CLOSING_TAG]
    return PromptSegment("passage", "\n".join(lines) + "\n", chunk_id, tokens)


def context(version: str, passages: Sequence[PromptSegment]) -> tuple[PromptSegment, ...]:
    """The retrieved context: the passages in their frame, nothing where there is none."""
    if not passages:
        return ()
    return (PromptSegment("frame", f"{context_open(version)}\n"), *passages,
            PromptSegment("frame", f"{CONTEXT_END}\n"))


def asked(text: str, mode: str, audience: str, given: Mapping[str, str] | None = None,
          ) -> tuple[PromptSegment, ...]:
    """What the caller gives beside the turn, each in its element in a fixed order, and the turn."""
    return (
        *(PromptSegment(name, _element(name, given[name]))
          for name in GIVEN if given and name in given),
        PromptSegment(
            "turn", f'<turn mode="{mode}" audience="{audience}">\n{printable(text)}\n</turn>\n'
        ),
    )


def prompt(header: str, history: Sequence[Message], last: Sequence[PromptSegment],
           header_tokens: int | None = None, mode_header: str = "", contents: str = "",
           ) -> tuple[str, tuple[Message, ...], tuple[PromptSegment, ...]]:
    """A prompt as one text that begins with the header, byte for byte; messages; and segments.

    The messages are the header as system message, the table of ``contents`` and ``mode_header`` as
    others where there are such, the history, and ``last`` as the user's. Breakpoints end all that
    is the system's, and the history, and stand where the history has them.
    """
    past = [Message(m.role, _state(m) if isinstance(m, StateMessage) else printable(m.content),
                    m.breakpoint) for m in history]
    gap = _gap(header)
    heads = [PromptSegment("header", f"{header}{gap}", tokens=header_tokens)]
    system = [Message("system", header, breakpoint=True)]
    more: tuple[tuple[Literal["contents", "mode"], str], ...] = (
        ("contents", contents), ("mode", mode_header))
    for kind, text in more:
        if text:
            gap = _gap(text)
            heads.append(PromptSegment(kind, f"{text}{gap}"))
            system.append(Message("system", text, breakpoint=True))
    if past:
        past[-1] = Message(past[-1].role, past[-1].content, breakpoint=True)
        quoted = "".join(f'<message role="{m.role}">\n{m.content}\n</message>\n' for m in past)
        heads[-1] = replace(heads[-1], text=heads[-1].text.removesuffix(gap))
        heads.append(PromptSegment("history", f"{gap}<history>\n{quoted}</history>\n"))
    segments = (*heads, *last)
    messages = (*system, *past, Message("user", text_of(last)))
    return text_of(segments), messages, segments


def _state(message: StateMessage) -> str:
    since = SINCE if message.element == "state" else ""
    return f"{_element(message.element, message.content)}{since}"


def _element(name: str, text: str) -> str:
    return f"<{name}>\n{printable(text)}\n</{name}>\n"


def system_text(turn: AssembledTurn) -> SystemText:
    """The header and the retrieved context of a turn, as one text and as messages."""
    block = text_of([part for part in turn.segments if part.kind in {"frame", "passage"}])
    heads = sum(part.kind in {"header", "contents", "mode"} for part in turn.segments)
    parts = [*turn.messages[:heads], *([Message("system", block)] if block else [])]
    text = "".join(f"{part.content}{_gap(part.content)}" for part in parts[:-1])
    return SystemText(text + parts[-1].content, tuple(parts), turn)


def _gap(text: str) -> str:
    """What stands between a text and the next part of a prompt."""
    return "\n" if text.endswith("\n") else "\n\n"


def text_of(segments: Sequence[PromptSegment]) -> str:
    """The segments as one text."""
    return "".join(segment.text for segment in segments)
