"""Actions: what a player's words are about, and what that costs. Pure tables.

| kind | dice | target | time |
| --- | --- | --- | --- |
| attack | d20 + better of Strength, Dexterity | AC of the foe's record, else 13 | 6 seconds |
| sneak | Dexterity (Stealth) | DC 13 | 10 minutes |
| search | Wisdom (Perception) | DC 13 | 10 minutes |
| track | Wisdom (Survival) | DC 15 | 10 minutes |
| unlock | Dexterity with thieves' tools | DC 15 | 10 minutes |
| climb | Strength (Athletics) | DC 12 | 1 minute |
| persuade | Charisma (Persuasion) | DC 15 | 1 minute |
| deceive | Charisma (Deception) | DC 13 | 1 minute |
| threaten | Charisma (Intimidation) | DC 13 | 1 minute |
| recall | Intelligence (History) | DC 12 | 1 minute |
| cast, take, look, act | none | | 6 seconds to 1 minute |
| talk, wait, travel, rests | none | | 1 minute to 8 hours |

In a running fight whatever is done takes one round; nobody rests or sets out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from .timing import HOUR, MINUTE, SECOND

ROUND: Final = 6 * SECOND
_READ: Final = 4_000


@dataclass(frozen=True, slots=True)
class Check:
    """A check that an action calls for: the ability and skill, and what to reach."""

    ability: str
    skill: str
    purpose: str
    target: Literal["DC", "AC"]
    value: int


@dataclass(frozen=True, slots=True)
class Action:
    """A kind of action; ``cost`` is in microseconds of the game's world."""

    kind: str
    cost: int
    check: Check | None = None
    calm: bool = False


def _dc(ability: str, skill: str, purpose: str, value: int) -> Check:
    return Check(ability, skill, purpose, "DC", value)


ACTIONS: Final = {action.kind: action for action in (
    Action("attack", ROUND, Check("str", "attack", "attack", "AC", 13)),
    Action("sneak", 10 * MINUTE, _dc("dex", "stealth", "Dexterity (Stealth)", 13)),
    Action("search", 10 * MINUTE, _dc("wis", "perception", "Wisdom (Perception)", 13)),
    Action("track", 10 * MINUTE, _dc("wis", "survival", "Wisdom (Survival)", 15)),
    Action("unlock", 10 * MINUTE, _dc("dex", "thieves' tools", "Dexterity (thieves' tools)", 15)),
    Action("climb", MINUTE, _dc("str", "athletics", "Strength (Athletics)", 12)),
    Action("persuade", MINUTE, _dc("cha", "persuasion", "Charisma (Persuasion)", 15)),
    Action("deceive", MINUTE, _dc("cha", "deception", "Charisma (Deception)", 13)),
    Action("threaten", MINUTE, _dc("cha", "intimidation", "Charisma (Intimidation)", 13)),
    Action("recall", MINUTE, _dc("int", "history", "Intelligence (History)", 12)),
    Action("cast", ROUND),
    Action("take", MINUTE),
    Action("talk", MINUTE),
    Action("look", MINUTE),
    Action("act", MINUTE),
    Action("pause", ROUND),
    Action("wait", 10 * MINUTE),
    Action("travel", 2 * HOUR, calm=True),
    Action("short_rest", HOUR, calm=True),
    Action("long_rest", 8 * HOUR, calm=True),
)}
"""Every kind of action, by its name."""

# The first kind of which a word is found decides: what is narrow stands before what is wide.
_WORDS: Final = r"""
long_rest: long rest | sleep\w* | make camp | camp for | for the night | go to bed
    | until (?:dawn|morning)
short_rest: short rest | resting | (?:i|we|us|to|and|a) rest | rest (?:here|for|up|now|until|a)
    | rest\W*\Z | catch (?:my|our) breath | bind (?:my|our) wounds
attack: attack\w* | strike | stab | slash | shoot | fight | hit | punch | kick h\w+ | kick them
    | swing at | kill | charge | loose an arrow | fire at | lunge
cast: cast | casts | casting | spell | cantrip | ritual | conjure
sneak: sneak\w* | stealth\w* | creep\w* | hide | hiding | slip (?:past|by|through) | tiptoe | unseen
    | quietly
unlock: (?:pick|open|force) (?:the|this|that|a) (?:lock|padlock) | lockpick\w* | unlock | disarm
    | thieves.? tools
track: tracks? | tracking | trail | footprints? | spoor
search: search\w* | investigat\w* | rummage | examine | inspect | look for | hidden
climb: climb\w* | jump\w* | leap | swim\w* | scale | vault | break down | lift | balance
threaten: threaten\w* | intimidat\w* | menace | frighten | scare
deceive: lie to | lies | bluff\w* | deceiv\w* | pretend\w* | disguise\w* | trick | fool
persuade: persuad\w* | convince | bargain\w* | haggle | negotiat\w* | bribe | plead | beg
    | talk .{0,40}\binto | talk (?:my|our) way
recall: recall | remember | what do i know | have i heard | lore | history of | recogni[sz]e
travel: travel\w* | journey | march | ride for | set (?:out|off) | sail
    | (?:walk|go|head|return|hike|ride) (?:to|towards?|back|north|south|east|west|on)
wait: wait\w* | keep watch | stand guard | bide
take: takes? | grab | pick up | buy | sell | loot | drink | eat | use | equip | give | light | open
    | pull | push
talk: talk\w* | ask\w* | says? | tell | speak | greet | question | chat | answer | call out | hail
look: look\w* | watch\w* | listen\w* | peer | study | observe | see | read
"""


def _patterns(text: str) -> list[tuple[str, re.Pattern[str]]]:
    lines = " ".join(text.split()).split(": ")
    kinds = [line.rpartition(" ")[2] for line in lines[:-1]]
    words = [line.rpartition(" ")[0] for line in lines[1:-1]] + lines[-1:]
    return [
        (kind, re.compile(rf"\b(?:{'|'.join(word.strip() for word in found.split(' | '))})\b"))
        for kind, found in zip(kinds, words, strict=True)
    ]


_PATTERNS: Final = _patterns(_WORDS)


def classify(text: str, *, fighting: bool = False) -> Action:
    """The action that ``text`` is about; any text has one."""
    said = text[:_READ].casefold()
    if not said.strip():
        kind = "pause"
    else:
        kind = next((kind for kind, words in _PATTERNS if words.search(said)), "act")
    action = ACTIONS[kind]
    if not fighting:
        return action
    if action.calm:
        action = ACTIONS["act"]
    return Action(action.kind, ROUND, action.check)
