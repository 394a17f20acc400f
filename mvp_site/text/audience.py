"""Audiences: where an author says who may see a text, in whatever form it was written. Pure.

What keeps a secret is read strictly. What merely looks like it is found here, so that whoever reads
the text can refuse it instead of showing a secret to players.
"""

from __future__ import annotations

import re
from typing import Final

from rapidfuzz import fuzz

from ..types import AUDIENCES
from .hiding_keys import compatible, hiding_line

KEY: Final = "audience"
_ALIKE: Final = 75.0
_READ: Final = 400
_MARKS: Final = r"[\s\"'`*_~]*"
_LEVEL: Final = rf"(?:{'|'.join(AUDIENCES)})(?![\w-])"
_STARTS: Final = re.compile(
    rf"[\W_]*{KEY}(?!\w){_MARKS}(?:[:=]|$|(?:-+>?|[\u2013\u2014\u2192])?[\s\"'`*_(\[]*{_LEVEL}|"
    rf"[,;]\s*{_LEVEL}\W*$)"
)
_STATES: Final = re.compile(rf"(?<![^\W_]){KEY}{_MARKS}[:=][\s\"'`*_(\[]*{_LEVEL}")
_HEADING: Final = re.compile(r"\s*#+\s")
_MASTER: Final = (r"(?:[dg]ms?|(?:game|dungeon)[ -]?masters?|keeper|referee|narrator|"
                  r"story ?teller)")
_PLAYERS: Final = r"(?:players?|part(?:y|ies)|pcs?|users?|\{\{user\}\})(?!\w)"
_NOT: Final = r"(?:not|n['’]t|never|cannot)"
_KNOW: Final = r"(?:be told|find|(?:know|learn|see|read|suspect|hear)s?)\b"
_TELL: Final = r"(?:tell|reveal|show|disclose|spoil|divulge|mention|explain|give away)\b"
_KEPT: Final = r"(?:secret|hid(?:e|den)|conceal(?:ed)?|withh[eo]ld|keep|kept)"
_HIDES: Final = re.compile("|".join((
    rf"\b{_KEPT} (?:[^.!?]{{0,50}} )?from (?:\w+ )?{_PLAYERS}",
    rf"{_NOT} (?:ever )?{_TELL}[^.!?]{{0,60}} (?:{_PLAYERS}|until|unless|before)",
    rf"{_NOT} let (?:\w+ )?{_PLAYERS} {_KNOW}",
    rf"{_PLAYERS} (?:must|should|may|can|are)(?: not|n['’]t|not| never) (?:yet |ever |to )*{_KNOW}",
    rf"\bunknown to (?:\w+ )?{_PLAYERS}", rf"\bwithout (?:\w+ )?{_PLAYERS}['’]?s? know",
    rf"\bnot for (?:\w+ )?{_PLAYERS}(?:['’]s? eyes)?\W",
    rf"\b(?:only (?:you|(?:the )?{_MASTER})|(?:you|{_MASTER}) alone) (?:may |should )?{_KNOW}",
    rf"\bfor (?:the )?{_MASTER} (?:only|alone)\b", rf"\b{_MASTER}(?:['’]s eyes)?[ -]only\b",
    rf"#+ \W*(?:[\w'’]+ ){{0,3}}{_MASTER}(?:['’]s)? (?:notes?|secrets?|information)\b",
    r"\bkeep (?:this|that|it|these|them|the \w+) (?:a )?secret\b",
    r"\b(?:is|stays?|remains?) (?:a )?secret until\b",
    (rf"{_NOT} (?:ever )?(?:tell|reveal|spoil|disclose|divulge|state) (?:it|this|that)"
    r"(?: outright| aloud| openly| yet|\W*$|[.!;])"),
    rf"(?:\[!|<!-- ?)(?:{_MASTER}|secrets?|spoilers?)\b",
    r"\b(?:keep|kept|stays?|remains?)\b[^.!?]{0,60} behind the screen\b",
)))
"""What asks for silence towards players, or speaks to the game master alone; in English."""


def says_audience(line: str) -> bool:
    """Whether a line reads as a key ``audience``, or one that hides, and not as prose about one.

    It begins with the word, behind marks alone, and a colon, an equals sign, a level or nothing
    follows; or a level follows ``audience:`` anywhere. A heading ("# Audience: with the duke") must
    name a level.
    """
    text = compatible(line[:_READ])
    if _STATES.search(text) or hiding_line(line):
        return True
    return not _HEADING.match(text) and bool(_STARTS.match(text))


def hides(text: str) -> str:
    """The words of a text that would keep it from players; '' where nothing reads so. A guess."""
    match = _HIDES.search(" ".join(compatible(text).split()))
    return match[0] if match else ""


def is_audience_key(key: str) -> bool:
    """Whether a key is ``audience``, in any spelling (``Audience``, ``audiance``), or has it."""
    text = compatible(key[:_READ]).strip()
    words = re.split(r"[\W_]+", text)
    return any(fuzz.ratio(word, KEY) >= _ALIKE for word in words)
