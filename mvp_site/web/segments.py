"""A prompt cut into what it is made of, so that each part can have its own colour. Pure.

The parts together are the prompt, character for character. Foreign text in a prompt is escaped, so
that no line of it can pass for a delimiter.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Final, Literal

from ..archive.delimiters import CLOSING_TAG, CONTEXT_END, GIVEN
from ..types import AssembledTurn

Kind = Literal["header", "history", "frame", "passage", "state", "dice_tray", "turn"]

_PART: Final = re.compile(
    rf'^(?P<frame><retrieved_context version="[^"]*">\n|{re.escape(CONTEXT_END)}\n)'
    rf'|^(?P<passage><passage id="(?P<id>[^"]*)" section="[^"]*">\n(?:.*\n)*?'
    rf"{re.escape(CLOSING_TAG)}\n)",
    re.MULTILINE,
)
_GIVEN: Final = re.compile(rf"<(?P<name>{'|'.join(GIVEN)})>\n(?:.*\n)*?</(?P=name)>\n")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt. ``number`` is a passage's place, from 1, and 0 for all else.

    ``tokens`` are what telemetry counts for the part, None where it does not count it.
    """

    kind: Kind
    text: str
    number: int = 0
    chunk_id: str = ""
    section: str = ""
    tokens: int | None = None


def segments(turn: AssembledTurn) -> tuple[Segment, ...]:
    """The parts of ``turn.prompt``, in order: header, history, passages, state, dice, the turn."""
    header, last = turn.messages[0].content, turn.messages[-1].content
    rest = turn.prompt[len(header):]
    history = rest[: len(rest) - len(last)]
    parts = [Segment("header", header, tokens=turn.telemetry["tokens"]["header"])]
    if history.strip():
        parts.append(Segment("history", history))
    else:
        parts[0] = Segment("header", header + history, tokens=parts[0].tokens)
    parts += _last_message(last, turn)
    return tuple(parts)


def _last_message(text: str, turn: AssembledTurn) -> list[Segment]:
    """The retrieved context and what follows it."""
    chunks = {chunk.id: chunk for chunk in turn.chunks}
    parts: list[Segment] = []
    at = 0
    for found in _PART.finditer(text) if turn.chunks else ():
        if found.start() != at:
            break
        at = found.end()
        if found["frame"]:
            parts.append(Segment("frame", found["frame"]))
            if found["frame"].startswith("</"):
                break
            continue
        chunk = chunks.get(html.unescape(found["id"]))
        parts.append(Segment(
            "passage", found["passage"], sum(p.kind == "passage" for p in parts) + 1,
            chunk.id if chunk else found["id"], chunk.section if chunk else "",
            chunk.tokens if chunk else None,
        ))
    while (given := _GIVEN.match(text, at)) is not None:
        at = given.end()
        parts.append(Segment("state" if given["name"] == "state" else "dice_tray", given[0]))
    if at < len(text):
        parts.append(Segment("turn", text[at:]))
    return parts
