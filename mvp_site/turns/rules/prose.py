"""Prose: what of the machinery shows in a story's narrative.

Each pattern is one that prose does not come to by itself: "he rolled the barrel", "three plus two
makes five" and the initials DC pass. Some need evidence beside them. A sum in digits passes
where it stands as writing or schooling ("7 + 5 = 12 on the slate") and no word of the game is near;
a roll below 7 in digits, as of an innkeeper's dice, or a bare total counts only if the turn has
one. Snake-case words count if they are names of the answer, of the state's fields, of choices, or
look like a field's. DC, AC, HP and XP with a number are read in :mod:`.initials`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from ..lettering import plain
from ..state import BRANCHES
from ..types import Violation
from .context import Context, Rule, around, number
from .initials import NUMBER, initials_in

_SKILL: Final = (
    r"(?:Acrobatics|Animal\ Handling|Arcana|Athletics|Deception|Insight|Intimidation|Investigation"
    r"|Perception|Persuasion|Sleight\ of\ Hand|Stealth|Survival)"
)
_ABILITY: Final = r"(?:Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma)"
# A natural 20 is no roll where it counts something: "20 fathoms", "20-year-old", "1 in three".
_COUNTS: Final = (
    r"(?![\s-]*(?:foot|feet|ft|inch|men|women|people|percent|in|of|out of|per)\b|-[a-z]"
    r"|\s(?!(?:makes|means|gives|comes|shows|saves|hits|lands|beats|lies|kills|ends)\b)"
    r"(?-i:[a-z]{2,12})(?<!s|i|u)s\b)"
)


def _pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(text, flags | re.MULTILINE)


_PATTERNS: Final = (
    # Parts of the answer and of the state
    _pattern(r"\b(?:pc|npc|loc|item|faction|quest)_[a-z0-9_]+"),
    _pattern(r"__DELETE__|\[SESSION_HEADER\]|\[Mode:"),
    _pattern(r"\"\w{1,60}\"\s*:\s*(?:\"|-?\d|\{|\[|true\b|false\b|null\b)"),
    _pattern(r"\d\s*(?:->|=>|[\u2192\u2794\u279c\u27f6])\s*\d"),
    _pattern(r"\bdebug\b|\bOOC\b", re.IGNORECASE),
    _pattern(r"\b[DG]M(?:'s)?\s*(?:notes?\b|:)|\bnotes? (?:to|for) (?:the )?[DG]M\b",
             re.IGNORECASE),
    _pattern(r"\bstate[\s_]*(?:updates?|changes?|rationale)\s*[:=]", re.IGNORECASE),
    _pattern(r"\bHP\W{0,3}(?:is|are|drops?|falls?|rises?|now|at|to|goes|from)\W{0,3}"
             r"(?:(?:now|at|to|from|down|up)\W{0,3}){0,3}\d"
             r"|\d\s*(?:temporary\s+)?HP\b|\b(?:your|his|her|their|its|max) HP\b"),
    _pattern(r"\d\s*(?:(?:temporary|temp) )?hit points?\b|\bhit points?\s*[:=(]\s*\d"
             r"|\b(?:your|maximum|current|remaining) hit points\b", re.IGNORECASE),
    _pattern(r"\d\s*XP\b|\bLvl\.? ?\d|\d experience points?\b"
             r"|\b(?:gain|earn|award|receive)\w* (?:\w+ ){0,2}experience points?\b", re.IGNORECASE),
    _pattern(r"\b(?:trust|standing|attitude|reputation|loyalty)\s*(?:[:=]|is now|drops to|rises to)"
             r"\s*[+-]?\d", re.IGNORECASE),
    _pattern(r"\bNPCs?\b|\b[Pp]layer characters?\b"),
    _pattern(r"\b[Yy]ou(?: have|'ve)? level(?:led|ed)? up\b|\b[Ll]evel[ -][Uu]p!|\bLEVEL UP\b"
             r"|\b[Yy]ou(?:'re| are| have reached|'ve reached| reach| attain| advance to| rise to"
             r"| gain)(?: now)? level (?:\d|two|three|four|five)(?!\w|\s+(?:of|in|on)\b)"),
    # Dice and what they are held against
    _pattern(r"(?<!\w)\d{0,3}d(?:10|12|20|100|%)(?!\w)|(?<!\w)\d{1,3}[dD]\d{1,4}(?!\w)"
             r"|\b\d{0,3}d\d{1,4}k[hl]\d*"),
    _pattern(r"\b(?:an?|roll\w*|throw\w*|your|hit|damage) d[468]\b"),
    _pattern(r"\b(?:difficulty|armou?r) class\b|\bdifficulty (?:of |is )?\d|\btarget number\b",
             re.IGNORECASE),
    _pattern(r"\b(?:rolls?|dice|checks?)\s*[:=]\s*[\[(]?\d", re.IGNORECASE),
    _pattern(rf"\bnatural[\s-](?:20|1|twenty)\b{_COUNTS}|\bnat[\s-]?(?:{NUMBER}|one|two|three"
             rf"|four)\b|\broll\w* (?:an? )?natural {NUMBER}\b", re.IGNORECASE),
    # In the singular: deception rolls off a tongue, and wisdom saves
    _pattern(rf"\b{_SKILL} (?:check|roll|save|modifier|bonus)\b", re.IGNORECASE),
    _pattern(rf"\b{_SKILL}\s*[:(=]?\s*\d"),
    _pattern(rf"\b{_ABILITY} (?:(?:saving throw|save|check|modifier|score)\b|\({_SKILL}\))"),
    _pattern(r"\ban? (?:strength|dexterity|constitution|intelligence|wisdom|charisma) "
             r"(?:check|save|saving throw)\b", re.IGNORECASE),
    _pattern(r"\b(?:(?:skill|ability) check|(?:attack|damage) roll|spell slots?"
             r"|bonus actions?|proficiency bonus|death save|spell save|opportunity attacks?"
             r"|passive perception|hit dice|initiative order|roll\w* (?:for )?initiative)\b",
             re.IGNORECASE),
    _pattern(r"\b(?:first|second|third|fourth|fifth|[1-9](?:st|nd|rd|th))-level (?:spell|slot)",
             re.IGNORECASE),
    _pattern(r"\broll\w*(?: \w+){0,3} (?:with|at) (?:dis)?advantage\b"
             r"|\b(?:dis)?advantage on (?:(?:the|your|that|this|his|her|their) )?"
             r"(?:next |first )?(?:roll|check|attack roll|save)", re.IGNORECASE),
    _pattern(r"(?<![\w.])[+-]\d{1,2} (?:to hit|bonus|modifier|to (?:the|your|his|her) "
             r"(?:roll|check))", re.IGNORECASE),
    _pattern(r"\b\d+ (?:points? of )?(?:(?:acid|bludgeoning|cold|fire|force|lightning|necrotic"
             r"|piercing|poison|psychic|radiant|slashing|thunder) )?damage\b", re.IGNORECASE),
    _pattern(r"\b\d+ (?:vs\.?|versus|against) (?:(?:an?|the|his|her|its|their|your) )?(?:DC|AC)\b"
             r"|\d ?vs\.? ?\d"),
    _pattern(r"\b(?:total|result|roll|sum) (?:is |of |comes to |was )?(?:an? )?\d{1,2},? (?:against"
             r"|versus|over|to beat|beating|beats) (?:an? |the )?(?:DC |AC )?\d{1,2}\b",
             re.IGNORECASE),
)
_SUM: Final = _pattern(
    r"(?<![\d.,])\d{1,3}(?:\s*(?:[+-]|\bplus\b|\bminus\b)\s*\d{1,3}){1,6}\s*"
    r"(?:=|\b(?:is|makes|equals|gives|totals?|for)\b)\s*(?:an?\b\s*)?(\d{1,3})(?![\d.,]*\d)"
)
_WRITING: Final = re.compile(
    r"\b(?:slates?|chalk\w*|ledgers?|sums?|arithmetic|abacus|tall(?:y|ies|ied)|wrote|writ\w+|reads?"
    r"|scratch\w*|carv\w+|scrawl\w*|scribbl\w+|blackboard|accounts?|teachers?|pupils?|tutors?"
    r"|lessons?|child\w*|boys?|girls?|ink\w*|parchment|count(?:s|ed|ing)?|inscri\w+|riddle)\b",
    re.IGNORECASE,
)
_GAME: Final = re.compile(
    r"\b(?:roll\w*|dice|die|checks?|sav(?:e|ing throw)|modifier|bonus|DC|AC|versus|vs|attack"
    r"|damage|initiative|succe(?:ss|eds?)|stealth|perception|d\d+)\b", re.IGNORECASE,
)
_ROLLED: Final = _pattern(
    r"\b(?:roll(?:s|ed|ing)?|roll (?:is|was|of))\s+(an?\s+)?(?:natural |total of )?(\d{1,2})"
    r"(?=\s*(?:$|[.,;:!?)\]+=]|(?:on|for|against|vs|versus|plus|minus|in total|total)\b))",
    re.IGNORECASE,
)
_TOTAL: Final = _pattern(
    r"\b(?:total|result)(?: is| of|:)? (\d{1,2})"
    r"(?=\s*(?:$|[.,;:!?)\]]|(?:on|against|vs|versus)\b))",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
_NAME: Final = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![^\W_])")
_MARGIN: Final = 100
_SHOWN: Final = 3
_NAMES: Final = frozenset({
    "session_header", "planning_block", "dice_rolls", "roll_dice", "dice_tray", "roll_id",
    "god_mode_response", "entities_mentioned", "location_confirmed", "state_updates", "debug_info",
    "dm_notes", "state_rationale", "risk_level", "world_time", "hp_current", "hp_max", "hp_temp",
    "armor_class", "proficiency_bonus", "hit_dice", "spell_slots", "active_effects", "death_saves",
    "level_up_pending", "internal_profile", "current_location_id", "location_id", "holder_id",
    "faction_id", "scheduled_events", "in_combat", "turn_of", "initiative_order", "house_rulings",
    "god_log", *BRANCHES,
})
_FIELD: Final = re.compile(  # a field that is on no list, by how such names begin and end
    r"(?:(?:current|max|hp|xp|roll|dice|state|is|has)_\w+"
    r"|\w+_(?:ids?|data|state|current|max|level|score|updates?|modifier|bonus|slots?|hp|xp|status"
    r"|notes?|time))"
)


class _Reader:
    """One narrative, and what of the turn tells its words from the game's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.text = plain(context.text("narrative"))

    def finds(self) -> Iterator[str]:
        """What shows of the machinery, as an excerpt for each kind."""
        for pattern in _PATTERNS:
            if match := pattern.search(self.text):
                yield around(self.text, *match.span())
        yield from (around(self.text, *match.span())
                    for match in initials_in(self.text, self._context))
        for match in _NAME.finditer(self.text):
            if match[0] in _NAMES or match[0] in self._names or _FIELD.fullmatch(match[0]):
                yield around(self.text, *match.span())
                break
        if _DIGIT.search(self.text):
            yield from self._numbers_shown()

    def _numbers_shown(self) -> Iterator[str]:
        """Sums and rolls in digits, as an excerpt for each kind."""
        for match in _SUM.finditer(self.text):
            if self._is_dice(match):
                yield around(self.text, *match.span())
                break
        for match in _ROLLED.finditer(self.text):
            rolled = int(match[2])
            if (match[1] and rolled >= 7) or rolled in self._numbers:
                yield around(self.text, *match.span())
                break
        for match in _TOTAL.finditer(self.text):
            if int(match[1]) in self._totals:
                yield around(self.text, *match.span())
                break

    def _is_dice(self, match: re.Match[str]) -> bool:
        """Whether a sum in digits is one of dice and not of somebody's schooling."""
        near = self.text[max(0, match.start() - _MARGIN) : match.end() + _MARGIN]
        if _GAME.search(near) or int(match[1]) in self._totals:
            return True
        return not _WRITING.search(near)

    @cached_property
    def _totals(self) -> frozenset[float]:
        claimed = (number(entry.fields.get("total")) for entry in self._context.entries)
        made = (roll.total for roll in self._context.facts.rolls)
        return frozenset(total for total in (*claimed, *made) if total is not None)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        dice = {die for roll in self._context.facts.rolls for die in roll.dice}
        return self._totals | dice

    @cached_property
    def _names(self) -> frozenset[str]:
        keys = {choice.key for choice in self._context.choices}
        keys.update(_keys(self._context.after))
        return frozenset(key for key in keys if "_" in key)


def _keys(value: Mapping[str, Any]) -> Iterator[str]:
    """Every key of an object and of the objects in it."""
    pending: list[Mapping[str, Any]] = [value]
    while pending:
        found = pending.pop()
        yield from found
        pending.extend(below for below in found.values() if isinstance(below, Mapping))


def _narrative_debug(context: Context) -> Iterator[Violation]:
    if context.facts.mode != "story" or not context.text("narrative"):
        return
    found = list(dict.fromkeys(_Reader(context).finds()))
    if found:
        yield Violation("narrative_debug", "narrative", f"shows the game's machinery: "
                        f"{'; '.join(found[:_SHOWN])}; tell what happens in plain prose, dice go "
                        "into dice_rolls and notes into debug_info")


NARRATIVE_DEBUG: Final = Rule(
    "narrative_debug",
    "in Story, state, debug notes, dice maths or rules talk inside `narrative`",
    _narrative_debug,
)
