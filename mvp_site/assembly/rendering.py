"""Rendering: the retrieved block, the prompt and the messages as text. Pure.

The prompt and the messages hold the same content. What stays the same from turn to turn comes
first (header, then history), so that a provider's prompt cache hits; the retrieved context opens
the last user message. All foreign text is escaped (``archive.delimiters``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..archive.delimiters import (
    CLOSING_TAG,
    CONTEXT_END,
    CUT,
    GIVEN,
    context_open,
    escape,
    opening_tag,
)
from ..text.normalising import clean
from ..types import Message
from .budget import with_cuts


def passage(chunk_id: str, path: tuple[str, ...], parts: Mapping[int, str], size: int) -> str:
    """One passage: ``parts`` are the texts of its pieces by index in order, of ``size`` in all."""
    laid = [CUT if index is None else parts[index] for index in with_cuts(list(parts), size)]
    lines = [opening_tag(chunk_id, path), *filter(None, laid), CLOSING_TAG]
    return "\n".join(lines) + "\n"


def block(version: str, passages: Sequence[str]) -> str:
    """The retrieved context, or '' where no passage is printed."""
    if not passages:
        return ""
    return f"{context_open(version)}\n{''.join(passages)}{CONTEXT_END}\n"


def turn_element(text: str, mode: str, audience: str) -> str:
    """The turn's text in its delimiters."""
    return f'<turn mode="{mode}" audience="{audience}">\n{escape(clean(text))}\n</turn>\n'


def given_elements(given: Mapping[str, str]) -> str:
    """What the caller gives beside the turn, each in its element, in a fixed order."""
    return "".join(
        f"<{name}>\n{escape(clean(given[name]))}\n</{name}>\n" for name in GIVEN if name in given
    )


def messages(header: str, history: Sequence[Message], context: str, turn: str,
             ) -> tuple[Message, ...]:
    """Header as system message, history, and the turn; breakpoints end header and history."""
    past = [Message(m.role, escape(clean(m.content))) for m in history]
    if past:
        past[-1] = Message(past[-1].role, past[-1].content, breakpoint=True)
    return (
        Message("system", header, breakpoint=True), *past, Message("user", f"{context}{turn}"),
    )


def prompt(sent: Sequence[Message]) -> str:
    """The content of :func:`messages` as one text that begins with the header, byte for byte."""
    header, *history, last = sent
    gap = "" if header.content.endswith("\n") else "\n"
    past = ""
    if history:
        said = "".join(f'<message role="{m.role}">\n{m.content}\n</message>\n' for m in history)
        past = f"<history>\n{said}</history>\n"
    return f"{header.content}{gap}\n{past}{last.content}"
