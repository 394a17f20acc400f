"""What texts say that an entity does: deals, heals, withstands, inflicts, drains. Pure.

A type of damage counts where an amount stands before it ("4d6 fire damage", "acid, cold or fire
damage" after dice) or after it ("force damage equal to ..."). What the caster suffers, and what
destroys a wall or a door ("at least 25 cold damage"), does not count. A condition counts where
somebody else comes to have it, not where it is a case ("while poisoned"), withstood or ended.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..text.sentences import sentences
from ..text.vocabulary import ABILITIES, CONDITIONS, DAMAGE_TYPES

_KIND: Final = rf"\b(?:{'|'.join(DAMAGE_TYPES)})\b"
_AMOUNT: Final = r"\d+(?:\s*d\s*\d+)?(?:\s*\+\s*\d+|\s*\))*\s+(?:points of\s+)?(?:extra\s+)?"
_SEVERAL: Final = rf"{_KIND}(?:,?\s+(?:and|or)\s+{_KIND}|,\s+{_KIND})*"
_DEALT: Final = re.compile(
    rf"{_AMOUNT}{_SEVERAL}\s+damage(?:\s+or\s+{_KIND})?"
    rf"|{_SEVERAL}\s+damage\s+(?=equal to|determined by)", re.IGNORECASE,
)
_KINDS: Final = re.compile(_KIND, re.IGNORECASE)
_OF_THE_CASTER: Final = re.compile(
    r"at least\s\Z|more than\s\Z|\byou\b[^.,;]*(?<!or\s)\btake\s\Z", re.IGNORECASE
)
_TO_THE_CASTER: Final = re.compile(r"\s*to you\b", re.IGNORECASE)
_HEALS: Final = re.compile(
    r"(?<!can't )(?<!cannot )\bregains?\b(?! no\b)[^.]*?\bhit points?\b"
    r"|\brestores?\b[^.]*?\bhit points?\b|\brestored to life with all its hit points\b",
    re.IGNORECASE,
)
_WITHSTOOD: Final = re.compile("resistan|immun", re.IGNORECASE)
_WITHSTANDS: Final = re.compile(
    r"[^.]*\b(?:resistan(?:ce|t)|immun(?:e|ity))\b[^.]*", re.IGNORECASE
)
_TO_KINDS: Final = re.compile(
    r"\b(?:has|have|gains?|grants?|gives?|becomes?|is) (?:\w+ )?"
    r"(?:resistan(?:ce|t)|immun(?:e|ity)) "
    rf"(?:to|against) {_KIND}", re.IGNORECASE,
)
_ANY_DAMAGE: Final = re.compile(
    r"\b(?:all damage|damage type (?:of your choice|you choose))\b", re.IGNORECASE
)
_NAMED_ELSEWHERE: Final = re.compile(
    r"\b(?:that|this|the|its|the same) (?:\w+ )?(?:damage )?type\b"
    r"|\b(?:that|the triggering) (?:type of )?damage\b", re.IGNORECASE,
)
_EXCEPT: Final = re.compile(r"\bexcept\b.*", re.DOTALL)
_DRAINS: Final = re.compile(
    r"hit point maximum (?:is |be )?reduced by an amount equal to"
    r"|\bregains? (?:a number of )?hit points equal to (?:half )?(?:of )?(?:the |that )?"
    r"(?:amount of )?(?:\w+ )?(?:damage (?:the |that |it |dealt)|amount)"
    r"|\bdrains? (?:the |its |a |his |her |their )?(?:\w+(?:'s)? )?(?:life|vitality|blood)\b",
    re.IGNORECASE,
)
_ABSORBS: Final = re.compile(r"\bsubjected to\b", re.IGNORECASE)
_CONDITION: Final = rf"\b(?:{'|'.join(CONDITIONS)})\b"
_COMES_TO: Final = re.compile(
    r"(?:\b(?:be|is|are|becomes?|falls?|knock(?:s|ed)?|turns?|renders?)|,\s+and)\s+(?:(?!while\b)\w+\s+){0,2}?"
    rf"(?P<all>{_CONDITION}(?:(?:,\s+|,?\s+(?:and|or)\s+){_CONDITION})*)", re.IGNORECASE,
)
_CONDITIONS: Final = re.compile(_CONDITION, re.IGNORECASE)
_A_CASE: Final = re.compile(
    r"\b(?:if|while|when(?:ever)?|unless|until|can(?:no|')t|isn't|not|neither|nor|never|no longer|"
    r"ends?)\b[^,;:]*\Z|\b(?:against|immun\w+|advantage|resist|instead of)\b.*\Z"
    r"|\b(?:that|who|which|condition can)\s+\Z",
    re.IGNORECASE | re.DOTALL,
)
_ON_OTHERS: Final = re.compile(
    r"\b(?:saving throws?|saves?|targets?|(?:an?|each|any|every|chosen|willing) creatures?)\b",
    re.IGNORECASE,
)
_ABILITY: Final = "|".join(ABILITIES)
_SAVE: Final = re.compile(
    r"\b(?:makes?|succeeds? on|fails?)\b[^.]{0,60}?"
    rf"\b({_ABILITY}) sav(?:ing throws?|es?)\b", re.IGNORECASE
)
_ATTACK: Final = re.compile(r"\b(melee|ranged) spell attack", re.IGNORECASE)
_AROUND: Final = re.compile(r"\b(\d+)[- ](?:foot|feet)[- ]radius\b", re.IGNORECASE)
_LIGHT: Final = re.compile(r"\blight\b", re.IGNORECASE)
_SHAPE: Final = "cone|cube|cylinder|line|sphere"
_AREA: Final = re.compile(
    rf"(\d+)[- ](?:foot|feet)(?:[- ](?:radius|high|tall|long|wide|diameter))*,?\s+"
    rf"(?:[\w-]+,?\s+){{0,4}}?({_SHAPE})\b|\b({_SHAPE}) (?:that is )?(\d+) feet (?:long|on)",
    re.IGNORECASE,
)


def types_dealt(text: str) -> list[str]:
    """The types of damage that the text says are dealt, in the order of the text, each once."""
    damage_types: list[str] = []
    for match in _DEALT.finditer(text):
        before, after = text[:match.start()], text[match.end():]
        if _OF_THE_CASTER.search(before[-120:]) or _TO_THE_CASTER.match(after):
            continue
        damage_types += _kinds_in(match.group())
    return list(dict.fromkeys(damage_types))


def types_withstood(text: str, beside: str = "") -> list[str]:
    """The types of damage to which the text says that somebody is resistant or immune.

    Where it speaks of a type that is named elsewhere ("the triggering damage type"), those that
    the text and what stands ``beside`` it name; where nothing names them, all.
    """
    every = [kind.capitalize() for kind in DAMAGE_TYPES]
    withstood: set[str] = set()
    for sentence in _WITHSTANDS.findall(text) if _WITHSTOOD.search(text) else ():
        clause = _EXCEPT.sub("", sentence)
        named = _kinds_in(clause)
        if not named and _ANY_DAMAGE.search(clause):
            named = sorted({*every} - {*_kinds_in(sentence)})
        elif not named and _NAMED_ELSEWHERE.search(clause):
            named = _kinds_in(f"{beside} {text}") or every
        if "damage" in clause or _TO_KINDS.search(clause):
            withstood.update(named)
    return [kind for kind in every if kind in withstood]


def heals(text: str) -> bool:
    """Whether the text says that someone gets hit points back."""
    return _HEALS.search(text) is not None


def drains_life(text: str) -> bool:
    """Whether the text says that life passes from another, or is taken from its maximum."""
    return _DRAINS.search(text) is not None and not _ABSORBS.search(text)


def conditions_inflicted(text: str, name: str = "") -> list[str]:
    """The conditions that the text says others come to have, in the order of the alphabet.

    What happens to the entity itself, whose ``name`` stands there, does not count.
    """
    if not _ON_OTHERS.search(text):
        return []
    words = "|".join(map(re.escape, name.split())) or "(?!)"
    own = re.compile(rf"(?:^|[,;:] (?:and )?)the (?:{words}) (?:must\b.*)?\Z", re.IGNORECASE)
    inflicted: set[str] = set()
    for sentence in sentences(text):
        for match in _COMES_TO.finditer(sentence):
            before = sentence[: match.start()]
            if not _A_CASE.search(before) and not own.search(before):
                kinds = _CONDITIONS.findall(match["all"])
                inflicted.update(kind.capitalize() for kind in kinds)
    return sorted(inflicted)


def area(text: str) -> dict[str, Any]:
    """The first area that a text says is affected, as ``area_shape`` and ``area_size`` in feet."""
    if match := _AREA.search(text):
        shape, size = match[2] or match[3], match[1] or match[4]
        return {"area_shape": shape.lower(), "area_size": int(size)}
    dark = (sentence for sentence in sentences(text) if not _LIGHT.search(sentence))
    around = next(filter(None, map(_AROUND.search, dark)), None)
    return {"area_shape": "sphere", "area_size": int(around[1])} if around else {}


def save(text: str) -> str:
    """The ability of the first saving throw that the text asks for; ''."""
    match = _SAVE.search(text)
    return match[1].capitalize() if match else ""


def spell_attack(text: str) -> str:
    """``melee`` or ``ranged``, as the text says that a spell attacks; ''."""
    match = _ATTACK.search(text)
    return match[1].lower() if match else ""


def _kinds_in(text: str) -> list[str]:
    return list(dict.fromkeys(kind.capitalize() for kind in _KINDS.findall(text)))
