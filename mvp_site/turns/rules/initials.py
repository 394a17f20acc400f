"""Initials: DC, AC, HP and XP with a number, and saving throws, where they are the game's.

The same letters stand on vehicles, routes and devices, and throws are saved in sports: "flight AC
15", "the DC 12 adapter", "a saving throw from third base". So where such a word is beside them a
word of the game must be near, or the number be one of this turn; and a hyphen ("a DC-3") needs that
in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from .context import Context, mapping, number
from .wording import key_words

NUMBER: Final = (
    r"(?:\d{1,2}|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|twenty-five|thirty)"
)
_CLASSES: Final = (
    re.compile(rf"\b(?P<kind>DC|AC)(?:\s+(?:of|is|was)|\s*[:=])?\s*(?P<number>{NUMBER})"
               r"(?![\w-]|\s+(?:times|years|and|or)\b)"),
    re.compile(rf"\b(?P<kind>DC|AC)(?P<joint>-)(?P<number>{NUMBER})(?![\w-])"),
    re.compile(r"\b(?P<kind>dc|ac)\s?(?P<number>\d{1,2})\b"),
)
_POINTS: Final = re.compile(r"\b(?P<kind>HP|XP)\W{0,3}(?P<number>\d{1,7})")
_THROWS: Final = re.compile(r"\bsaving throws?\b", re.IGNORECASE)
_MACHINE: Final = (
    r"engines?|locomotives?|motors?|pistons?|turbines?|tractors?|trucks?|cars?|lorr(?:y|ies)|vans?"
    r"|horsepower|aircraft|airliners?|planes?|jets?|printers?|sauce|computers?|laptops?|screens?"
    r"|radios?|generators?|serial number"
)
_MACHINES: Final = re.compile(rf"\b(?:{_MACHINE})\b", re.IGNORECASE)
_VEHICLE: Final = re.compile(
    rf"\b(?:{_MACHINE}|flights?|routes?|bus|buses|coach|trams?|trains?|trolleys?|airports?|drones?"
    r"|droned|cockpits?|pilots?|runways?|hangars?|propellers?|bank(?:ed|ing)|taxi\w*|flew|flies"
    r"|t(?:ook|akes) off|boilers?|cylinders?|adapt[eo]rs?|plugs?|plugged|sockets?|volts?|voltage"
    r"|currents?|batter(?:y|ies)|amps?|watts?|chargers?|charging|cables?|wiring|circuits?|fuses?"
    r"|transformers?|outlets?|power|suppl(?:y|ies)|units?|bulbs?|highways?|motorways?|serial|model|comics?)\b",
    re.IGNORECASE,
)
_SPORT: Final = re.compile(
    r"\b(?:bases?|balls?|baseman|goals?|goalkeepers?|catchers?|pitchers?|shortstop|innings?|infield\w*"
    r"|outfield\w*|judo|referees?|umpires?|home plate|the mound|stadium)\b", re.IGNORECASE,
)
_GAME: Final = re.compile(
    r"\b(?:roll(?:s|ed|ing)?|d\d+|checks?|(?:dis)?advantage|modifier|bonus|vs|versus|beats?|misses"
    r"|hits?|attack|damage|stealth|perception|athletics|acrobatics|arcana|insight|persuasion"
    r"|deception|survival|investigation|initiative|wisdom|dexterity|strength|constitution|charisma"
    r"|intelligence|(?:fail|succeed|make|need|pass)\w* (?:\w+ ){0,2}(?:saving throw|save)"
    r"|against (?:an? |the |his |her |its )?(?:DC|AC))\b", re.IGNORECASE,
)
_NEAR: Final = 60
_MOST_READ: Final = 200
_LAST_WORDS: Final = re.compile(r"(?:\w+\W+){0,2}\Z")
_NEXT_WORDS: Final = re.compile(r"\W*(?:\w+\W+){0,1}\w+|\W*")


def initials_in(text: str, context: Context) -> Iterator[re.Match[str]]:
    """What of ``text`` names a class, points or a saving throw of the game; one of each kind."""
    known = _numbers(context)
    for pattern in (*_CLASSES, _POINTS, _THROWS):
        for match in islice(pattern.finditer(text), _MOST_READ):
            if _is_of_the_game(text, match, known):
                yield match
                break


def _is_of_the_game(text: str, match: re.Match[str], known: Mapping[str, frozenset[float]]) -> bool:
    groups = match.groupdict()
    kind, told = (groups.get("kind") or "").upper(), groups.get("number") or ""
    if told.isdigit() and int(told) in known[kind]:
        return True
    before = text[max(0, match.start() - _NEAR) : match.start()]
    behind = text[match.end() : match.end() + _NEAR]
    if _GAME.search(before) or _GAME.search(behind):
        return True
    if not kind:
        return not _SPORT.search(behind) and not _SPORT.search(before)
    if kind in ("HP", "XP"):
        return not _MACHINES.search(before) and not _MACHINES.search(behind)
    # Only what stands beside it, for one climbs to an engine at DC 15 as well
    last, following = _LAST_WORDS.search(before), _NEXT_WORDS.match(behind)
    beside = f"{last[0] if last else ''} {following[0] if following else ''}"
    return not groups.get("joint") and not _VEHICLE.search(beside)


def _numbers(context: Context) -> Mapping[str, frozenset[float]]:
    """The numbers of this turn by the initials that go before them."""
    found: dict[str, set[float]] = {"DC": set(), "AC": set(), "HP": set(), "XP": set()}
    for roll in context.facts.rolls:
        if roll.target is not None and roll.value is not None:
            found[roll.target].add(roll.value)
    for key, value in mapping(context.after, "player_character_data").items():
        words = {word.upper() for word in key_words(key)}
        parts = value.values() if isinstance(value, Mapping) else [value]
        for name in words & found.keys():
            found[name].update(count for count in map(number, parts) if count is not None)
    return {name: frozenset(numbers) for name, numbers in found.items()}
