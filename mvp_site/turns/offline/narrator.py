"""The offline narrator: a stand-in for a model. No key, no network, and no chance in it.

The same request gives the same answer. It keeps the contract and says in every answer that it is
a stand-in; it shows that the machinery of a turn works, and nothing about language models.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final

from ...llm.protocol import ModelReply, ModelRequest, ToolCall, Usage
from ...retrieval.text import clean
from ...retrieval.tokens import count_tokens
from ...types import Message
from ..dice import TOOL
from ..rules.terms import terms_in
from ..state import DELETE
from .answers import Choice, Said, answer_of, text_of
from .draft import Draft
from .reading import Reading, read
from .story import play, roll_for

NAME: Final = "offline"
PIECE_CHARS: Final = 48
SIGNED: Final = "[Told by the offline narrator; no language model is connected.]"
_LOG: Final = ("custom_campaign_state", "god_log")
_LOG_LINES: Final = 10
_LINE: Final = 200
_LONGEST_HEADING: Final = 120
_MARKUP: Final = frozenset("`~<>|{}[]\"\\_*#")
_STORY: Final = (
    Choice("look_around", "Look around", "Take a minute to see what is here.", "safe",
           ("costs a minute and nothing else",), ("others get the same minute",), "high"),
    Choice("search_the_place", "Search the place", "Take ten minutes to look for what is hidden.",
           "low", ("may show a way that was missed",), ("takes ten minutes",), "medium"),
    Choice("go_quietly", "Sneak on quietly", "Keep to the dark and out of sight.", "medium",
           ("nobody need know that you were here",), ("slow",), "low"),
    Choice("wait_a_while", "Wait a while", "Hold still for ten minutes.", "safe",
           ("leaves every other way open",), ("time works for others as well",), "medium"),
)
_DM: Final = (
    Choice("back_to_the_story", "Back to the story", "Take it up where it stands.", "safe"),
    Choice("ask_another_question", "Ask another question", "Stay at the table.", "safe"),
)
_GOD: Final = (
    Choice("god:return_story", "Back to the story", "Take it up where it stands.", "safe"),
    Choice("god:show_log", "Show the log", "List the last commands that were noted.", "safe"),
)


class OfflineNarrator:
    """An ``llm.protocol.Model`` without state; safe to use from several threads at once.

    ``max_tokens`` does not bind it: its answers are short, and a cut one would keep no contract.
    """

    @property
    def name(self) -> str:
        """``offline``."""
        return NAME

    @property
    def tools(self) -> bool:
        """True: it asks for its roll where the request has the tool."""
        return True

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``, or the roll that it needs first; never raises."""
        reading, sent = read(request), _sent(request)
        call, text = None, ""
        if reading.mode == "story" and not reading.deep:
            asked = roll_for(reading)
            if asked and reading.tools and not reading.asked:
                call = ToolCall("offline_1", TOOL, json.dumps(asked))
            else:
                text = text_of(reading.mode, _tell(reading, asked))
        else:
            turn = _obey if reading.mode == "god" else _rule if reading.mode == "dm" else _think
            text = text_of(reading.mode, turn(reading))
        usage = Usage(count_tokens(sent), count_tokens(call.arguments if call else text))
        return ModelReply(text, (call,) if call else (), usage, "tools" if call else "end", NAME)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``, as :meth:`complete` gives it."""
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """The mode line, the object in pieces of ``PIECE_CHARS`` characters, and the reply."""
        reply = self.complete(request)
        line, newline, rest = reply.text.partition("\n")
        if line:
            yield f"{line}{newline}"
        for start in range(0, len(rest), PIECE_CHARS):
            yield rest[start : start + PIECE_CHARS]
        yield reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The pieces and the reply of :meth:`stream`."""
        for piece in self.stream(request):
            yield piece

    def close(self) -> None:
        """Nothing to give back."""


def _tell(reading: Reading, asked: Mapping[str, Any] | None) -> dict[str, Any]:
    """The answer to a story turn; every roll that was made stands in it."""
    rolls = list(reading.rolls)
    if asked and not reading.tools and reading.d20 is not None:
        rolls = [_off_tray(asked, reading.d20)]
    scene = play(reading, rolls[0] if rolls else None)
    scene.draft.touch()
    return answer_of(scene.draft, _STORY, Said(
        narrative=f"{' '.join(scene.told)}\n\n{SIGNED}", rolls=rolls, note=_passage(reading),
        mentioned=scene.mentioned, rationale="; ".join(scene.changes) or "nothing changed",
    ))


def _think(reading: Reading) -> dict[str, Any]:
    draft = Draft(reading.state)
    moved = draft.pass_time(1)
    draft.touch()
    return answer_of(draft, _STORY, Said(
        weighed=True, note=_passage(reading),
        rationale="deep think: one microsecond" if moved else "the clock cannot be read",
    ))


def _rule(reading: Reading) -> dict[str, Any]:
    heading = _heading(reading.heading)
    found = (f"The nearest passage of the archive is headed “{heading}”; read that first."
             if heading else "A passage was found for it." if reading.heading else
             "No passage of the archive was found for it.")
    return answer_of(Draft(reading.state), _DM, Said(
        note=_passage(reading),
        narrative=f"{found} The story stands still while we talk, and nothing was changed.\n\n"
                  "This is the offline narrator: no language model is connected, so nobody has "
                  "weighed your question.",
    ))


def _obey(reading: Reading) -> dict[str, Any]:
    draft = Draft(reading.state)
    log = reading.state.get(_LOG[0])
    lines = log.get(_LOG[1]) if isinstance(log, Mapping) else None
    kept = [clean(line[:_LINE]) for line in (lines if isinstance(lines, list) else [])
            if isinstance(line, str) and line != DELETE]
    logged = draft.write([*kept[1 - _LOG_LINES :], "offline: a command, noted only"], *_LOG)
    draft.touch()
    noted = "One line was added to the god log" if logged else "The state has no god log"
    return answer_of(draft, _GOD, Said(
        note=_passage(reading), rationale=noted,
        told="This is the offline narrator; no language model is connected, so the command was not "
             f"carried out. {noted}, and nothing else was changed.",
    ))


def _passage(reading: Reading) -> str:
    if not reading.heading:
        return "no passage was retrieved"
    return f"best passage: {_heading(reading.heading) or 'its heading is not for printing'}"


def _heading(text: str) -> str:
    """``text`` where it is a heading that anybody may read; else ''."""
    shown = text.strip()
    fits = shown.isprintable() and len(shown) <= _LONGEST_HEADING and not set(shown) & _MARKUP
    return shown if fits and not (terms_in(shown) or terms_in(shown, certain=False)) else ""


def _off_tray(asked: Mapping[str, Any], number: int) -> dict[str, Any]:
    plus = int(asked["expression"].removeprefix("1d20") or 0)
    kind = "ac" if "ac" in asked else "dc"
    return {
        "roll_id": "r1", "purpose": asked["purpose"], "expression": asked["expression"],
        "dice": [number], "modifier": plus, "total": number + plus, "advantage": "none",
        "target": {"kind": kind.upper(), "value": asked[kind]},
        "success": number + plus >= asked[kind],
    }


def _sent(request: ModelRequest) -> str:
    """All text of a request, for counting."""
    parts: list[str] = []
    for message in request.messages:
        if isinstance(message, Message):
            parts.append(message.content)
        else:
            parts += [message.text, *(call.arguments for call in message.calls)]
            parts += [result.content for result in message.results]
    return "\n".join(parts)
