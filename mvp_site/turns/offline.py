"""The offline narrator: a stand-in for a model. No key, no network, and no chance in it.

The same request gives the same answer. It keeps the contract and says in every answer that no
model is connected, what it understood and what was retrieved. It sees what a model sees and no
more; whatever is missing or damaged in a request reads as absent.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from ..llm.protocol import Model, ModelReply, ModelRequest, ToolCall, ToolExchange
from ..text.json_values import at, mapping
from ..types import Message
from .clock import MICROSECONDS_PER_SECOND
from .dice import TOOL, entry
from .draft import OFFLINE, SIGNED, drafted, later_by, place, place_id, printable, text_of, whole
from .routing import is_deep_think
from .rules.prose import terms_in
from .state import PC, is_entity_id, merged
from .types import Roll

NAME: Final = "offline"
_LONGEST_HEADING: Final = 120
_MARKUP: Final = frozenset("`~<>|{}[]\"\\_*#")
_TURN: Final = re.compile(r'<turn mode="(story|dm|god)" audience="(?:player|dm|god)">\n')
_TRAY_D20: Final = re.compile(r"^d20: ([0-9]{1,2})\b", re.MULTILINE)
_PASSAGE: Final = re.compile(r'^<passage id="[^"\n]*" section="([^"\n]*)">$', re.MULTILINE)
_LAYER: Final = re.compile(r"<state(?:_changes)?>\n")
_READ: Final = 4_000
_DENIED: Final = re.compile(r"\b(?:not|never|without|no time)\b|n't\b|\?\W*$", re.IGNORECASE)
_SCANNED: Final = 500
_SHOWN: Final = 4
_GONE: Final = frozenset({"dead", "fled", "departed", "missing"})


class OfflineNarrator(Model):
    """A model without state; safe to use from several threads at once.

    ``max_tokens`` does not bind it: its answers are short, and a cut one would keep no contract.
    ``written`` gives the raw answer for a mode and an answer of the built-in contract. Without
    ``plays`` a story turn only says what was found for it: the rules it knows are D&D's.
    """

    name = NAME
    tools = True

    def __init__(self, written: Callable[[Any, Mapping[str, Any]], str] = text_of, *,
                 plays: bool = True) -> None:
        self._written, self._plays = written, plays

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``, or the roll that it needs first; never raises."""
        reading, check = _read(request), None
        deep = is_deep_think(reading.mode, reading.text)
        if reading.mode == "story" and not deep and self._plays:
            check = check_of(reading.state, reading.text)
        tools = any(tool.name == TOOL for tool in request.tools)
        if check and tools and not reading.results:
            call = ToolCall("offline_1", TOOL, json.dumps(check))
            return ModelReply("", (call,), stop="tools", model=NAME)
        if reading.mode != "story":
            answer = _aside(reading)
        elif deep:
            moved = later_by(reading.state, 1)
            why = "deep think: one microsecond" if moved else "the clock cannot be read"
            answer = drafted(reading.state, "story", moved, weighed=True, note=_retrieved(reading),
                             rationale=why)
        elif not self._plays:
            answer = {"narrative": f"{_retrieved(reading)}\n\n{SIGNED}", "god_mode_response": "",
                      "dice_rolls": []}
        else:
            answer = _tell(reading, None if tools else check)
        return ModelReply(self._written(reading.mode, answer), model=NAME)

    def close(self) -> None:
        """Nothing to give back."""


def _tell(reading: _Reading, check: Mapping[str, Any] | None) -> dict[str, Any]:
    """The answer to a story turn; every roll that was made stands in it.

    ``check`` is the check that comes off the tray.
    """
    rolls = [dict(result) for result in reading.results if "roll_id" in result]
    if check and reading.d20 is not None:
        total = reading.d20 + (bonus := int(check["expression"].removeprefix("1d20") or 0))
        rolls = [entry(Roll(
            "r1", check["expression"], check["purpose"], (reading.d20,), bonus, total,
            target="DC", value=check["dc"], success=total >= check["dc"],
        ))]
    narrative, updates = told(reading.state, reading.text, rolls[0] if rolls else None)
    return drafted(
        reading.state, "story", updates, dice_rolls=rolls, note=_retrieved(reading),
        narrative=f"{narrative} {seen(reading.state)} {_retrieved(reading)}\n\n{SIGNED}",
        rationale="time passed" if updates else "nothing changed",
    )


def _retrieved(reading: _Reading) -> str:
    """The best of what was retrieved, by its heading where anybody may read that."""
    if reading.heading is None:
        return "Nothing was retrieved."
    bare = reading.heading.strip()
    fits = bare.isprintable() and 0 < len(bare) <= _LONGEST_HEADING and not {*bare} & _MARKUP
    readable = fits and not (terms_in(bare) or terms_in(bare, certain=False))
    return f"Retrieved: {f'“{bare}”' if readable else 'a passage'}."


def _aside(reading: _Reading) -> dict[str, Any]:
    """The answer to a question or a command: nothing is changed."""
    if reading.mode == "god":
        return drafted(reading.state, "god", {}, note=_retrieved(reading), god_mode_response=(
            "This is the offline narrator: no language model is connected, so the command was not "
            "run. Nothing was changed."
        ))
    return drafted(reading.state, "dm", {}, note=_retrieved(reading), empty=True, narrative=(
        f"{_retrieved(reading)} Nothing was changed.\n\nThis is the offline narrator: no language "
        "model is connected to answer your question."
    ))


@dataclass(frozen=True, slots=True)
class _Reading:
    """One turn as the request tells it.

    ``d20`` is the tray's first number for it, ``results`` what the tool gave, as objects: empty
    ones where no roll was made. ``heading`` is the best retrieved passage's, None without one.
    """

    mode: str = "story"
    text: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    d20: int | None = None
    results: tuple[Mapping[str, Any], ...] = ()
    heading: str | None = None


def _read(request: ModelRequest) -> _Reading:
    """The turn that ``request`` asks about: the last message with a turn element, and after."""
    results: list[Mapping[str, Any]] = []
    for message in reversed(request.messages):
        if isinstance(message, ToolExchange):
            results[:0] = [_object(result.content) for result in message.results]
        elif message.role == "user" and (opened := _TURN.match(
            message.content, max(message.content.rfind("<turn mode="), 0)
        )):
            before, rest = message.content[: opened.start()], message.content[opened.end() :]
            tray = _TRAY_D20.search(_element(before, "dice_tray"))
            passage = _PASSAGE.search(before)
            return _Reading(
                mode=opened[1], text=rest.rpartition("\n</turn>")[0],
                state=_state(request, before), d20=int(tray[1]) if tray else None,
                results=tuple(results),
                heading=html.unescape(passage[1]).rpartition(" / ")[2] if passage else None,
            )
    return _Reading()


def _state(request: ModelRequest, before: str) -> Mapping[str, Any]:
    """The state of the turn; one of earlier stands in the history, and then what has changed."""
    layers = [message.content for message in request.messages
              if isinstance(message, Message) and _LAYER.match(message.content)]
    state: Mapping[str, Any] = _object(_element("".join(layers) or before, "state"))
    for text in (*layers, before):
        state = merged(state, _object(_element(text, "state_changes")))
    return state


def _element(content: str, name: str) -> str:
    """What the last element of this name holds: the product prints its own behind the passages."""
    start = content.rfind(f"<{name}>\n")
    end = content.find(f"\n</{name}>", start)
    return content[start + len(name) + 3 : end] if 0 <= start < end else ""


def _object(text: str) -> dict[str, Any]:
    """``text`` as a JSON object, or an empty one; what JSON does not have reads as null."""
    try:
        parsed = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


# --- what a player does -----------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Act:
    """Something that a player does: "You ``does``", which takes ``seconds``.

    Acts with an ``ability`` take a check of it against ``dc``, with the sheet's ``skill``.
    """

    words: str
    does: str
    seconds: int
    ability: str = ""
    skill: str = ""
    dc: int = 0


ACTS: Final = tuple(Act(**row) for row in OFFLINE["acts"])


def understood(text: str) -> Act | None:
    """The act that ``text`` is about; None of a question, of what may be denied, or of no act."""
    plain = text[:_READ].replace("\u2019", "'")
    if _DENIED.search(plain):
        return None
    return next((act for act in ACTS
                 if re.search(rf"\b(?:{act.words})\b", plain, re.IGNORECASE)), None)


def check_of(state: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """The check that a player's words plainly want, as ``roll_dice`` takes it; else None."""
    act = understood(text)
    if act is None or not act.ability:
        return None
    sheet = mapping(state, PC)
    bonus = whole(sheet, f"skills.{act.skill}")
    if bonus is None or abs(bonus) > 20:
        score = whole(sheet, f"abilities.{act.ability}", f"abilities.{act.ability[:3]}")
        bonus = (score - 10) // 2 if score is not None and 1 <= score <= 30 else 0
    return {"expression": f"1d20{bonus:+}" if bonus else "1d20", "dc": act.dc,
            "purpose": f"{act.ability.title()} ({act.skill})"}


def told(state: Mapping[str, Any], text: str, roll: Mapping[str, Any] | None,
         ) -> tuple[str, dict[str, Any]]:
    """What is told of a story turn, its check made, and the update for the time that it takes."""
    act = understood(text)
    if act is None:
        examples = ", ".join(f"“{example}”" for example in OFFLINE["examples"])
        return f"Nothing was done: try {examples}, or connect a model.", {}
    updates = later_by(state, act.seconds * MICROSECONDS_PER_SECOND)
    minutes = act.seconds // 60
    passes = "A minute passes." if minutes == 1 else f"{minutes} minutes pass."
    outcome = "" if not act.ability else ", but there are no dice" if roll is None else (
        ", and it works" if roll.get("success") is True else ", and it does not work")
    return f"You {act.does}{outcome}.{f' {passes}' * bool(updates)}", updates


def seen(state: Mapping[str, Any]) -> str:
    """Place, people and ways out, as far as the state has them and they can be printed."""
    place_key, named = place_id(state), place(state)
    parts = (("You are at", [named]), ("With you:", _people(state, place_key)),
             ("Ways out:", _exits(state, place_key)))
    return " ".join(
        f"{label} {', '.join(dict.fromkeys(names))}." for label, names in parts if any(names)
    )


def _people(state: Mapping[str, Any], spot: str) -> list[str]:
    people = islice(mapping(state, "npc_data").items(), _SCANNED)
    return [*islice((
        name for key, record in people
        if is_entity_id(key) and isinstance(record, Mapping) and record.get("location_id") == spot
        and str(record.get("status")) not in _GONE and (name := printable(record.get("name")))
    ), _SHOWN)] if spot else []


def _exits(state: Mapping[str, Any], key: str) -> list[str]:
    def named() -> Iterator[str]:
        for way, exit_ in islice(mapping(state, "location_data", key, "exits").items(), _SCANNED):
            to = exit_ if isinstance(exit_, str) else at(exit_, "to")
            goal = printable(at(state, "location_data", to, "name")) if isinstance(to, str) else ""
            if goal or printable(way):
                yield " to ".join(filter(None, (printable(way), goal)))

    return [*islice(named(), _SHOWN)]
