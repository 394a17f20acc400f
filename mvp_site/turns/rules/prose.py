"""Prose: what of the machinery shows in a story's narrative.

A violation is what no story comes to by itself: ids, names of fields, an object's braces, words
that only the rules have ("a Wisdom saving throw", "against DC 15", "2d6"), and a number of this
turn beside the game's word for it ("rolled a 17" where a 17 was rolled). What a story may also
hold is a hint: gamblers roll nines, crates are stencilled AC 12, and armies stand 40 to 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from ..lettering import plain
from ..state import BRANCHES
from ..types import Hint, Violation
from .context import Context, Rule, around, mapping, number
from .wording import key_words

_SKILL: Final = (
    r"(?:Acrobatics|Animal Handling|Arcana|Athletics|Deception|Insight|Intimidation|Investigation"
    r"|Perception|Persuasion|Sleight of Hand|Stealth|Survival)"
)
_ABILITY: Final = r"(?:Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma)"
_SIDES: Final = r"(?:4|6|8|10|12|20|100|%)(?!\w)"
_ENDS: Final = (
    r"(?=\s*(?:$|[.,;:!?)\]+=]|(?:on|for|against|vs|versus|plus|minus|in total|total|to)\b))"
)
_OF: Final = r"(?: (?:is|was|of|an?|natural|total of)){0,3}"
_CERTAIN: Final = tuple(re.compile(pattern) for pattern in (
    # Parts of the answer and of the state
    r"\b(?:pc|npc|loc|item|faction|quest)_[a-z0-9_]+",
    r"__DELETE__|\[SESSION_HEADER\]|\[Mode: (?:STORY|DM|GOD)\b",
    r"\{\s*\"\w{1,60}\"\s*:",
    r"(?i:[\[(](?:debug|ooc|[dg]m)(?: notes?)?:)|\b[Aa]s an AI(?: language model|, I)\b",
    r"\b[HX]P[ :]{0,3}\d+ ?/ ?\d",
    r"\d (?:temporary )?(?:hit|experience) points?\b(?! (?:the|to|at|out)\b)",
    r"\b[Yy]ou (?:gain|earn|receive) (?:\w+ ){1,2}(?:XP|experience points)\b",
    r"\b[Yy]ou (?:lose|regain|recover|take) (?:\w+ ){1,2}(?:HP|hit points?)\b",
    # Dice and what they are held against
    rf"(?<![\w.])\d{{1,3}}d{_SIDES}|\b\d{{0,3}}d\d{{1,4}}k[hl]|\b[Rr]oll (?:an?|your) d{_SIDES}",
    r"\b[Rr]oll\w* (?:(?:[7-9]|[12]\d) [+-] \d|an? natural (?:\d|one\b|twenty\b))",
    r"\bnat[ -]?(?:20|1)\b",
    r"\b(?:against|vs\.?|versus|beats?) (?:(?:an?|the|his|her|its|your) )?[DA]C(?: of)? ?\d",
    r"\bDC \d{1,2} (?:\w+ ){0,2}(?:check|sav(?:e|ing throw))\b",
    r"\b(?:[Dd]ifficulty|[Aa]rmou?r) [Cc]lass (?:of|is) \d",
    rf"\b(?:[Aa]n?|[Yy]our|[Tt]he|[Rr]oll) (?:{_SKILL}|{_ABILITY}) (?:check|modifier)\b",
    r"\b\d+ (?:bludgeoning|necrotic|piercing|psychic|radiant|slashing) damage\b",
    rf"\b(?:{_ABILITY}|[Dd]eath) saving throw|\b[Aa]n? {_ABILITY} save\b|\b{_ABILITY} \({_SKILL}\)",
    r"\b[Ss]pell slot\b|\b[1-9](?:st|nd|rd|th)-level (?:spell|slot)|\b[Pp]assive Perception\b",
    r"\b[Aa]s a bonus action(?=[,.;:!)]|\s*$| you\b)|\b[Aa]n? (?:attack|damage) roll\b(?! of)",
    r"\b[Rr]oll\w* (?:for )?initiative\b",
    r"\b[Rr]oll\w* with (?:dis)?advantage\b(?! of)",
    r"dvantage on (?:your|his|her|their) (?:\w+ )?(?:roll|check|sav(?:e|ing throw))\b",
    r"(?<![\w.])[+-]\d{1,2} (?:to hit|bonus|modifier)\b",
))
# The name of a group is the kind of its number: certain where this turn has such a one.
_NUMBERED: Final = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r"\bDC[ :=]{0,3}(?:(?:of|is|was) )?(?P<DC>\d{1,2})\b",
    r"\bAC[ :=]{0,3}(?:(?:of|is|was) )?(?P<AC>\d{1,2})\b",
    r"\bHP\W{0,3}(?:(?:is|are|drops?|falls?|rises?|now|at|to|goes|from) ){0,3}(?P<HP>\d{1,5})\b",
    r"\b(?P<HP>\d{1,5}) (?:temporary |temp )?(?:HP|hit points?)\b",
    r"\bXP[ :=]{0,3}(?P<XP>\d{1,7})\b", r"\b(?P<XP>\d{1,7}) (?:XP|experience points?)\b",
    rf"\b(?:roll(?:s|ed|ing)?|dice|natural|nat){_OF}\s?[:=]?\s?[\[(]?(?P<roll>\d{{1,3}}){_ENDS}",
    rf"\b{_SKILL}\s?[:(=]?\s?(?P<roll>\d{{1,2}}){_ENDS}",
    r"\b(?P<damage>\d{1,3}) (?:points? of )?(?:[a-z]{4,11} )?damage\b",
))
_SUM: Final = re.compile(
    r"(?<![\d.,])\d{1,3}(?:\s*(?:[+-]|\bplus\b|\bminus\b)\s*\d{1,3}){1,6}\s*"
    r"(?:=|\b(?:is|makes|equals|gives|totals?|for)\b)\s*(?:an?\b\s*)?\d{1,3}(?![\d.,]*\d)"
)
_AGAINST: Final = re.compile(
    r"\b(\d{1,3}),? ?(?:vs\.?|versus|against|beat(?:s|ing)|to beat) ?(?:an? |the )?(\d{1,3})\b"
)
_HINTS: Final = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r"\"\w{1,60}\"\s*:\s*(?:-?\d|[{\[]|(?:true|false|null)\b)",
    r"\d\s*(?:->|=>|[\u2192\u2794\u279c\u27f6])\s*\d",
    r"\b(?:debug|OOC|[DG]M(?:'s)?(?: notes?|:)|NPCs?|player characters?)",
    r"\b(?:Lvl\.? ?\d|level(?:led)? up)",
    r"\bstate (?:updates?|changes?)\s?[:=]|\b(?:trust|standing|attitude|loyalty): [+-]\d",
    r"\bHP\b|\bhit points\b|\bexperience points\b",
    r"\byou(?:'re| are| reach|'ve reached| have reached) (?:now )?level \w",
    r"\b\d{0,3}d(?:\d{2,3}|%)(?!\w)|\b\d{1,3}d\d|\bd[468]\b|\bnat(?:ural)?[ -](?:\d|twenty\b)",
    r"\b[DA]C (?:of |is )?(?:[a-z]+teen\b|t(?:en|welve|wenty)\b)",
    r"\b(?:(?:difficulty|armou?r) class|difficulty of \d|target number)\b",
    rf"\b(?:{_SKILL}|{_ABILITY}|skill|ability) (?:check|roll|save|saving throw|modifier|bonus)\b",
    r"\b(?:saving throws?|death save|(?:attack|damage) roll|spell slots|\w+-level spell)\b",
    r"\b(?:bonus actions?|hit dic?e|proficiency bonus|opportunity attacks?|passive perception)\b",
    r"\b(?:advantage on the roll|a total of \d)",
))
_NUMERAL: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![^\W_])")
_PIPS: Final = 12
"""What two dice of a gambler show at most: so low a number says nothing."""
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


class _Reader:
    """One narrative, and what of the turn tells its numbers and words from the game's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rolls = context.facts.rolls
        self.text = plain(context.text("narrative"))

    def certain(self) -> Iterator[str]:
        """What shows of the machinery, as an excerpt for each kind."""
        for pattern in _CERTAIN:
            if match := pattern.search(self.text):
                yield around(self.text, *match.span())
        for match in _NAME.finditer(self.text):
            if match[0] in _NAMES or match[0] in self._names:
                yield around(self.text, *match.span())
                break
        for pattern, is_of_the_turn in (
            *((pattern, self._is_known) for pattern in _NUMBERED),
            (_SUM, self._is_sum), (_AGAINST, self._is_test),
        ):
            for match in pattern.finditer(self.text):
                if is_of_the_turn(match):
                    yield around(self.text, *match.span())
                    break

    def uncertain(self) -> Iterator[str]:
        """What a story may hold as well."""
        for pattern in (*_HINTS, *_NUMBERED, _SUM, _AGAINST, _NAME):
            if match := pattern.search(self.text):
                yield around(self.text, *match.span())

    def _is_known(self, match: re.Match[str]) -> bool:
        kind = match.lastgroup or ""
        return int(match[kind]) in self._numbers[kind]

    def _is_sum(self, match: re.Match[str]) -> bool:
        *parts, total = map(int, _NUMERAL.findall(match[0]))
        return total > _PIPS and any(
            roll.total == total and not set(parts).isdisjoint(roll.dice) for roll in self._rolls)

    def _is_test(self, match: re.Match[str]) -> bool:
        return (int(match[1]), int(match[2])) in {(roll.total, roll.value) for roll in self._rolls}

    @cached_property
    def _numbers(self) -> Mapping[str, frozenset[float]]:
        """The numbers of this turn, by kind."""
        shown = {count for roll in self._rolls for count in (*roll.dice, roll.total)}
        totals = frozenset[float](roll.total for roll in self._rolls)
        targets = {kind: frozenset[float](roll.value for roll in self._rolls
                                          if roll.target == kind and roll.value is not None)
                   for kind in ("DC", "AC")}
        return {
            **targets, "damage": totals, "roll": frozenset(n for n in shown if n > _PIPS),
            "HP": totals | self._of_the_sheet("hp"), "XP": self._of_the_sheet("xp"),
        }

    def _of_the_sheet(self, word: str) -> frozenset[float]:
        """The numbers that the character has under a word, before and after the turn."""
        return frozenset(
            count for state in (self._context.facts.state, self._context.after)
            for key, value in mapping(state, "player_character_data").items()
            if word in key_words(key)
            for part in (value.values() if isinstance(value, Mapping) else [value])
            if (count := number(part)) is not None
        )

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
    reader = _Reader(context)
    for kind, found in ((Violation, reader.certain()), (Hint, reader.uncertain())):
        if excerpts := list(dict.fromkeys(found)):
            yield kind("narrative_debug", "narrative", f"shows the game's machinery: "
                       f"{'; '.join(excerpts[:_SHOWN])}; tell what happens in plain prose, dice go "
                       "into dice_rolls and notes into debug_info")
            return


NARRATIVE_DEBUG: Final = Rule(
    "narrative_debug",
    "in Story, state, debug notes, dice maths or rules talk inside `narrative`",
    _narrative_debug,
)
