"""Prose: what no player may read of the machinery: internal terms, ids, fields, dice notation.

In a story's narrative a violation is what no story comes to by itself: ids, names of fields, an
object's braces, dice notation, a numbered DC. What a story may also hold is a hint: gamblers roll
nines, crates are stencilled AC 12, and armies stand 40 to 4.

Internal terms are type codes, trait scales and alignments. What counts is decided by use, for most
of the words are ordinary English:

- The sixteen Myers-Briggs codes are no words, so they count wherever they stand by themselves. A
  code that is the name of somebody in the state is a name.
- A scale of the Big Five counts with what makes it one: a score, a trait, a degree on it ("high in
  openness", "her neuroticism is high"), "Big Five". By itself it may be a person's quality, and is
  a hint.
- An alignment is a label where both words have capitals, where something joins them
  ("lawful-evil"), where somebody is it ("he is clearly lawful evil, and tired", "she is a lawful
  good woman"), or beside "alignment". Two words in small letters are else a hint: the lawful good
  people sleep.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ...text.json_values import parts
from ...text.lookalikes import plain
from ...text.sentences import sentences
from ..types import Hint, Violation
from .context import QUOTED_CHARS, Context, path, quoted
from .shape import schema

# A letter beside it makes a term part of another word; digits and marks do not.
_START: Final = r"(?<![^\W\d_])"
_END: Final = r"(?![^\W\d_])"
_MARK: Final = r"[\s_/*~|\\`]"
_JOINT: Final = (
    rf"(?:{_MARK}{{1,8}}|{_MARK}{{0,3}}[&+]{_MARK}{{0,3}}|[_*~/]{{0,4}}-\n?[_*~/]{{0,4}})"
)
_SCALE: Final = r"(?:conscientiousness|neuroticism|extr[ao]version|agreeableness|openness)"
# "evil-smelling" and "good-natured" are words of their own.
_ALONE: Final = rf"{_END}(?!-(?!like|align)[a-z])"
_ALIGNED: Final = (
    rf"(?:(?:lawful|neutral|chaotic){_JOINT}(?:good|evil)|(?:lawful|chaotic|true){_JOINT}neutral)"
    rf"{_ALONE}"
)
_BE: Final = (r"(?:is|are|was|were|am|be|been|being|seem(?:s|ed)?|remain(?:s|ed)?|look(?:s|ed)?|"
              r"feel(?:s)?|felt|became|becomes?)")
_ADVERBS: Final = r"(?:\s(?:[a-z]{2,12}ly|very|quite|so|just|still|not|always|never|rather)){0,2}"
_OWN: Final = rf"(?:{_START}(?:my|your|his|her|their|its|whose)|[a-z]'s)\s"
_DEGREE: Final = (r"(?:\d+(?:[./]\d+)?%?|(?:(?:very|quite|rather|so|extremely|unusually)\s)?"
                  r"(?:high|low|moderate|average|extreme|strong|weak|off the)(?:er|est)?(?![a-z]))")
"""How much of a scale somebody has."""
_NO_NOUN: Final = (r"(?=\W*(?:$|[.,;:!?)\"]|(?:and|but|or|so|at|by|though|if|when|as|to|in|out|"
                   rf"than|for|scales?|charts?){_END}))")
"""What is ahead of a label that describes nothing behind it: "it is chaotic good fun"."""
_CERTAIN: Final = (
    rf"{_START}[ie][ns][tf][jp]s?{_END}",
    rf"{_START}[ie]([.·/ -]{{1,2}})[ns]\1[tf]\1[jp]{_END}",
    rf"{_START}(?:myers{_JOINT}briggs|mbti){_END}",
    rf"{_START}{_SCALE}[\s-](?:scores?|traits?|ratings?){_END}",
    rf"{_START}{_SCALE}\s?[:=(]\s?(?:\d|high|low)",
    rf"{_START}(?:high|low)(?:er|est|ly)?\s(?:in|on)\s{_SCALE}{_END}",
    rf"{_START}(?-i:[LNC])(?:awful|eutral|haotic){_JOINT}(?-i:[GE])(?:ood|vil){_ALONE}",
    rf"{_START}(?-i:[LCT])(?:awful|haotic|rue){_JOINT}(?-i:N)eutral{_ALONE}",
    rf"{_START}(?:lawful|neutral|chaotic)[*_/-]{{0,3}}(?:good|evil){_ALONE}",
    rf"{_START}(?:lawful|chaotic|true)[*_/-]{{0,3}}neutral{_ALONE}",
    rf"(?:{_START}{_BE}|'(?:s|re|m)){_ADVERBS}\s(?P<is>{_ALIGNED}){_NO_NOUN}",
    rf"{_START}alignment\W{{1,3}}(?:(?:is|was)\s)?(?P<of>{_ALIGNED})",
    (rf"{_START}(?:he|she|they|you|i|who)(?:\s{_BE}|'(?:s|re|m)){_ADVERBS}\sa\s"
     rf"(?P<kind>{_ALIGNED})\s[a-z]"),
    rf"{_OWN}{_SCALE}(?:\s{_BE}|\s(?:runs|ran|sits|scores)){_ADVERBS}\s{_DEGREE}{_NO_NOUN}",
    rf"{_START}(?:he|she|they|you|i|who)\s(?:has|have|had|shows?|showed)\s{_DEGREE}\s{_SCALE}{_END}",
    rf"{_OWN}{_DEGREE}\s{_SCALE}{_END}|{_START}{_SCALE}\s(?:of|at)\s\d+{_NO_NOUN}",
)
_UNCERTAIN: Final = (
    rf"{_START}{_SCALE}{_END}(?<!openness)|{_START}(?:high|low)\s{_SCALE}{_END}",
    rf"{_START}openness\sto\sexperience{_END}|{_START}big[\s-](?:five|5)[\s-]\w",
    rf"{_START}(?:lawful|neutral|chaotic|true){_JOINT}(?:good|evil|neutral){_ALONE}",
    rf"{_START}(?:lawful|neutral|chaotic|good|evil)[\s-]align(?:ed|ment){_END}",
    rf"{_START}alignment\W{{1,3}}(?:(?:is|was)\s)?(?:lawful|neutral|chaotic|good|evil){_END}",
)
_PATTERNS: Final = {  # certain: patterns
    True: tuple(re.compile(pattern, re.IGNORECASE) for pattern in _CERTAIN),
    False: tuple(re.compile(pattern, re.IGNORECASE) for pattern in _UNCERTAIN),
}
_CODE: Final = _PATTERNS[True][0]
_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*\n\s*|\u2029")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_DASH: Final = re.compile("[\u2014\u2015]")
_JOINS: Final = re.compile(r"[_-]+")
_SHOWN: Final = 6


def terms_in(text: str, *, certain: bool = True) -> tuple[str, ...]:
    """The terms in ``text`` as they are written there in plain letters, each once.

    Without ``certain`` those that may be plain English.
    """
    matches: dict[str, None] = {}
    for paragraph in _paragraphs(text):
        for pattern in _PATTERNS[certain]:
            for match in pattern.finditer(paragraph):
                term = next(filter(None, match.groupdict().values()), match[0])
                matches.setdefault(" ".join(term.split()))
    return tuple(matches)


def without_terms(text: str) -> str:
    """``text`` without the sentences that name a certain term."""
    return "".join(sentence for sentence in sentences(text)
                   if not terms_in(sentence)).strip()


@lru_cache(maxsize=64)
def _paragraphs(text: str) -> tuple[str, ...]:
    """The paragraphs of ``text`` in plain letters, without tags."""
    return tuple(plain(_DASH.sub(" - ", html.unescape(_TAG.sub(" ", paragraph))))
                 for paragraph in _PARAGRAPHS.split(text))


def internal_terms(context: Context) -> Iterator[Violation]:
    """Nothing that a player reads names a type, a trait's scale or an alignment."""
    yield from _spoken(context, context.text("narrative"), "narrative")
    for key, fields in context.choices.items():
        # A key joins its words, so that nothing in it can be a compound.
        texts = (_JOINS.sub(" ", key), *(part for part in parts(fields) if isinstance(part, str)))
        yield from _spoken(context, "\n\n".join(texts), path("planning_block", "choices", key))


def _spoken(context: Context, text: str, place: str) -> Iterator[Violation]:
    terms = terms_in(text)
    if any(map(_CODE.fullmatch, terms)):
        names = _codes_in_names(context.after)
        names |= {name.lower() for name in names}
        terms = tuple(term for term in terms if term not in names)
    if named := dict.fromkeys((*terms, *terms_in(text, certain=False))):
        yield (Violation if terms else Hint)(
            "internal_terms", place, f"names {', '.join(map(quoted, [*named][:_SHOWN]))}: types, "
            "traits and alignments are internal; show conduct instead")


def _codes_in_names(state: Mapping[str, Any]) -> set[str]:
    """What looks like a type's code and is somebody's name, written as in the name."""
    named = (value for part in parts(state) if isinstance(part, Mapping)
             for key, value in part.items() if key == "name" or key.endswith("_name"))
    return {match[0] for name in named if isinstance(name, str) for match in _CODE.finditer(name)}


_ABILITY: Final = r"(?:Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma)"
_SIDES: Final = r"(?:4|6|8|10|12|20|100|%)(?!\w)"
_MACHINERY: Final = tuple(re.compile(pattern) for pattern in (
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
_EXCERPTS: Final = 3
_ELSEWHERE: Final = ", dice go into dice_rolls and notes into debug_info"


def _shows(context: Context, text: str) -> Iterator[str]:
    """What shows of the machinery, as an excerpt for each kind."""
    for pattern in _MACHINERY:
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
    for kind, terms in ((Violation, _shows(context, text)), (Hint, hints)):
        if excerpts := list(dict.fromkeys(terms)):
            yield kind("narrative_debug", "narrative", f"shows the game's machinery: "
                       f"{'; '.join(excerpts[:_EXCERPTS])}; tell what happens in plain prose"
                       f"{_ELSEWHERE * ('debug_info' in context.answer)}")
            return
