"""A god turn: what the command would do, told; offline it is noted in the god log and no more."""

from __future__ import annotations

import re
from typing import Any, Final

from ...retrieval.text import clean
from ..state import DELETE
from . import choices
from .answers import answer, count_turn, passage_note, touch
from .draft import Draft
from .reading import Reading
from .timing import units_of

LOG: Final = ("custom_campaign_state", "god_log")
_KEPT: Final = 10
_LINE: Final = 200
_READ: Final = 4_000
_COMMANDS: Final = tuple((re.compile(rf"\b(?:{words})\b"), name, would) for words, name, would in (
    (r"rewind|time|clock|hour|day|date|undo|back to", "time",
     "write the world's time and list what falls due or comes undone"),
    (r"delete|remove|destroy|kill|erase", "removal",
     "name the records that would go, and remove them once that is confirmed"),
    (r"create|spawn|add|make|put|place|summon", "creation",
     "invent a full record with an id of its own and a way to reach it"),
    (r"move|teleport|bring|send", "place",
     "write where they are now, and leave the clock alone"),
    (r"heal|revive|restore|cure", "healing",
     "set hit points and lift conditions, each as a number of its own"),
    (r"show|list|tell|reveal|who|what|where|why", "reading",
     "list what the records hold, and change nothing but the log"),
    (r"give|set|gold|gp|xp|level|raise|lower|change", "number",
     "write that one number, from its old value to its new one"),
))


def obey(reading: Reading) -> dict[str, Any]:
    """The answer to a god turn: the log has one line more."""
    draft = Draft(reading.state)
    said = reading.text[:_READ].casefold()
    name, would = next(
        ((name, would) for words, name, would in _COMMANDS if words.search(said)),
        ("other", "carry the command out to the letter, and report every value it changed"),
    )
    logged = draft.write([*_log(draft), f"{_moment(draft)}offline, noted only: {name}"], *LOG)
    done = (
        "Offline, one line was added to the god log and nothing else was changed."
        if logged else "Offline, nothing was changed but a count of turns: the state has no god "
        "log that could take a line."
    )
    if not logged and not count_turn(draft):
        touch(draft)
        done = "Offline, nothing was changed."
    return answer(
        draft,
        planning=choices.block(
            "Offline narrator: commands are noted, not carried out.", choices.GOD
        ),
        told="This is the offline narrator; no language model is connected. "
             f"A model would {would}. {done}",
        notes=passage_note(reading),
        rationale=f"god command ({name}): {'one line in god_log' if logged else 'no log to write'}",
    )


def _log(draft: Draft) -> list[str]:
    """The last lines of the log; what is no line of text is not kept."""
    lines = draft.get(*LOG)
    kept = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
    return [clean(line[:_LINE]) for line in kept[1 - _KEPT :] if line != DELETE]


def _moment(draft: Draft) -> str:
    """The time as the log writes it, ``M5 D4 21:15``, where the state has one."""
    units = units_of(draft) or {}
    if not {"month", "day", "hour", "minute"} <= units.keys():
        return ""
    return f"M{units['month']} D{units['day']} {units['hour']:02}:{units['minute']:02} "
