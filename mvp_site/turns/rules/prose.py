"""Prose: what of the machinery shows in a story's narrative.

A violation is what no story comes to by itself: ids, names of fields, an object's braces, dice
notation, a numbered DC. What a story may also hold is a hint: gamblers roll nines, crates are
stencilled AC 12, and armies stand 40 to 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...text.json_values import parts
from ..lettering import plain
from ..types import Hint, Violation
from .context import QUOTED_CHARS, Context, quoted
from .shape import schema

_ABILITY: Final = r"(?:Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma)"
_SIDES: Final = r"(?:4|6|8|10|12|20|100|%)(?!\w)"
_CERTAIN: Final = tuple(re.compile(pattern) for pattern in (
    r"\b(?:pc|npc|loc|item|faction|quest)_[a-z0-9_]+",
    r"__DELETE__|\[SESSION_HEADER\]|\[Mode: (?:STORY|DM|GOD)\b",
    r"\{\s*\"\w{1,60}\"\s*:",
    r"\b[HX]P[ :]{0,3}\d+ ?/ ?\d",
    rf"(?<![\w.])\d{{1,3}}d{_SIDES}|\b\d{{0,3}}d\d{{1,4}}k[hl]",
    r"\bDC(?: of|:)? ?\d{1,2}\b(?! (?:supply|volts?)\b)",
    rf"\b{_ABILITY} saving throw",
))
_HINTS: Final = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r"\"\w{1,60}\"\s*:\s*(?:-?\d|[{\[]|(?:true|false|null)\b)|\d\s*(?:->|=>|[\u2192])\s*\d",
    r"[\[(](?:debug|ooc|[dg]m)(?: notes?)?:|\b(?:debug|OOC|[DG]M(?:'s)?(?: notes?|:)|NPCs?)\b",
    r"\b(?:Lvl\.? ?\d|level(?:led)? up)|\b[HX]P\b|\b(?:hit|experience) points\b|\bas an AI\b",
    r"\b(?:roll\w*|dice|natural|nat)[ -](?:(?:an?|your|is|was|of|natural|total) ){0,3}\d{1,3}\b",
    r"\bAC(?: of| is)?[ :=]{0,2}\d|\b(?:(?:difficulty|armou?r) class|target number)\b",
    r"\b\d{1,3} (?:points? of )?(?:[a-z]{4,11} )?damage\b|\b\d{1,3},? (?:vs\.?|versus|against) \d",
    rf"\b(?:{_ABILITY}|skill|ability|perception|stealth) (?:check|roll|save|modifier|bonus)\b",
    r"\b(?:saving throws?|death saves?|(?:attack|damage) rolls?|spell slots?|hit dic?e)\b",
    r"\b(?:bonus actions?|proficiency bonus|opportunity attacks?|(?:for )?initiative)\b",
    r"\broll\w* with (?:dis)?advantage\b|dvantage on (?:your|the|his|her|their) ",
    r"(?<![\d.,])\d{1,3}\s*[+-]\s*\d{1,3}\s*(?:=|is|makes|equals)\s*\d",
))
_NAME: Final = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![^\W_])")
_SHOWN: Final = 3
_ELSEWHERE: Final = ", dice go into dice_rolls and notes into debug_info"


def _certain(context: Context, text: str) -> Iterator[str]:
    """What shows of the machinery, as an excerpt for each kind."""
    for pattern in _CERTAIN:
        if match := pattern.search(text):
            yield _around(match)
    if named := list(_NAME.finditer(text)):
        terms = _keys(schema()) | _keys(context.after) | context.choices.keys()
        yield from [_around(match) for match in named if match[0] in terms][:1]


def _keys(value: Any) -> set[str]:
    """Every key of an object and of the objects in it."""
    return {key for part in parts(value) if isinstance(part, Mapping) for key in part}


def _around(match: re.Match[str]) -> str:
    """What was found with a little of what is beside it, in quotation marks."""
    start, end = match.span()
    margin = max(0, QUOTED_CHARS - (end - start)) // 3
    return quoted(match.string[max(0, start - margin) : end + margin].strip())


def narrative_debug(context: Context) -> Iterator[Violation]:
    """A story's narrative shows nothing of the machinery."""
    text = plain(context.text("narrative"))
    if context.facts.mode != "story" or not text:
        return
    hints = (_around(match)
             for pattern in (*_HINTS, _NAME) if (match := pattern.search(text)))
    for kind, terms in ((Violation, _certain(context, text)), (Hint, hints)):
        if excerpts := list(dict.fromkeys(terms)):
            yield kind("narrative_debug", "narrative", f"shows the game's machinery: "
                       f"{'; '.join(excerpts[:_SHOWN])}; tell what happens in plain prose"
                       f"{_ELSEWHERE * ('debug_info' in context.answer)}")
            return
