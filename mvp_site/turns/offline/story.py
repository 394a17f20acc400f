"""A story turn of the stand-in: what was understood, one roll at most, and what plainly changes.

An act that the state does not allow is refused in words: gold that is not there, an item that
nobody has, a slot that is empty, a place that nobody knows. Then nothing changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..state import is_entity_id
from ..values import at, leaves, mapping, number
from .acts import EXAMPLES, QUESTION, Act, understood
from .draft import Draft
from .sheet import character, place_id, printable, whole

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_CONSUMED: Final = re.compile(r"\b(?:drink|eat)\b", re.IGNORECASE)
_GOLD: Final = re.compile(r"\b([0-9]{1,7}) ?(?:gold|gp)\b", re.IGNORECASE)
_GOODS: Final = re.compile(r"\b(?:buy|purchase) (?:an? |the |some )?([a-z][a-z ]{1,30}?) for\b",
                           re.IGNORECASE)
_AT_LEVEL: Final = re.compile(r"\blevel ([1-9])\b|\b([1-9])(?:st|nd|rd|th)[ -]level\b",
                              re.IGNORECASE)
_ROUND: Final = 6
_HOUR: Final = 3600
_SAID: Final = 4_000
_SCANNED: Final = 500
_LONGEST_WAY: Final = 24 * 60
_GONE: Final = frozenset({"dead", "fled", "departed", "missing"})
_SMALL: Final = frozenset({"the", "and", "for", "with", "item", "npc", "loc"})
_SOCIAL: Final = frozenset({"attack", "threaten", "deceive", "persuade", "talk"})


class _RefusedError(Exception):
    """Why the state does not allow an act, told to the player."""


class Scene(Draft):
    """A turn while it is carried out; ``told`` is for the player, ``changes`` for the notes."""

    def __init__(self, state: Mapping[str, Any], text: str) -> None:
        super().__init__(state)
        self.text = text[:_SAID]
        self.told: list[str] = []
        self.changes: list[str] = []
        self.mentioned: list[str] = []

    def put(self, value: object, *path: str) -> None:
        """Write ``value``, or refuse the act."""
        if not self.write(value, *path):
            raise _RefusedError("The state has no room to write that.")
        self.changes.append(".".join(path))

    def named(self, records: Mapping[str, Any]) -> Iterator[str]:
        """The ids of the records that the text names by a word of their name or their id."""
        said = set(_WORD.findall(self.text.casefold())) - _SMALL
        for key, record in records.items():
            name = at(record, "name")
            words = f"{key.replace('_', ' ')} {name if isinstance(name, str) else ''}"
            if is_entity_id(key) and said & set(_WORD.findall(words.casefold())):
                yield key

    def person(self, act: Act) -> str:
        """The id of whom an act needs; '' where it needs nobody."""
        if act.kind not in _SOCIAL:
            return ""
        here = place_id(self.before)
        people = {
            key: record for key, record in [*mapping(self.before, "npc_data").items()][:_SCANNED]
            if is_entity_id(key) and isinstance(record, Mapping)
            and record.get("location_id", here) == here and str(record.get("status")) not in _GONE
        }
        anybody = "" if act.kind == "attack" else next(iter(people), "")
        if not (someone := next(self.named(people), anybody)):
            raise _RefusedError("Nobody of that name is here." if people else "Nobody is here.")
        return someone


def roll_for(state: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """What the tool is asked for, where a story turn needs a roll; else None."""
    act = understood(text)
    if act is None or not act.ability:
        return None
    try:
        person = Scene(state, text).person(act)
    except _RefusedError:
        return None
    _, sheet = character(state)
    plus = whole(sheet, f"skills.{act.skill}")
    if plus is None or abs(plus) > 20:
        plus = _modifier(sheet, act.ability)
    asked: dict[str, Any] = {"purpose": f"{act.ability.title()} ({act.skill})", "dc": act.dc}
    if act.kind == "attack":
        bonus = whole(sheet, "proficiency_bonus") or 0
        plus = max(plus, _modifier(sheet, "dexterity")) + (bonus if 0 <= bonus <= 6 else 0)
        armor = whole(mapping(state, "npc_data", person), "armor_class")
        asked = {"purpose": "attack", "ac": armor if armor and 5 <= armor <= 30 else 13}
    return {"expression": f"1d20{plus:+}" if plus else "1d20", **asked}


def _modifier(sheet: Mapping[str, Any], ability: str) -> int:
    score = whole(sheet, *(f"{field}.{name}" for field in ("abilities", "ability_scores", "stats")
                           for name in (ability, ability[:3])))
    return (score - 10) // 2 if score is not None and 1 <= score <= 30 else 0


def play(state: Mapping[str, Any], text: str, roll: Mapping[str, Any] | None) -> Scene:
    """What comes of a story turn, its roll made."""
    scene, act = Scene(state, text), understood(text)
    if act is None:
        known = ", ".join(f"“{example}”" for example in EXAMPLES)
        scene.told.append("The offline narrator did not understand that, so nothing was done. "
                          f"It understands, for instance: {known}.")
    elif act is QUESTION:
        scene.told.append("That reads as a question to the game master, and in the story nothing "
                          "was done. Ask it in dm mode, where the nearest passage is named.")
    else:
        scene.told.append(f"Understood as {act.label}.")
        try:
            _carry_out(scene, act, roll)
        except _RefusedError as refused:
            scene.told.append(f"{refused} Nothing was done.")
            scene.updates, scene.changes = {}, []
    return scene


def _carry_out(scene: Scene, act: Act, roll: Mapping[str, Any] | None) -> None:
    seconds = act.seconds
    scene.mentioned += filter(None, [scene.person(act)])
    fighting = at(scene.before, "combat_state", "in_combat") is True
    if fighting and seconds >= _HOUR:
        raise _RefusedError("There is a fight on, and no time for that.")
    if seconds >= _HOUR and not scene.pass_time(seconds):
        raise _RefusedError("The state has no clock that can be read.")
    if carry_out := _EFFECTS.get(act.kind):
        seconds = carry_out(scene) or seconds
    elif roll is not None:
        scene.told.append("The dice are with you: it works." if roll.get("success") is True
                          else "The dice are against you: it does not work.")
    elif act.ability:
        scene.told.append("No dice were to be had, so nothing came of it.")
    if scene.pass_time(_ROUND if fighting else seconds):
        scene.changes.append(f"time for {act.label}")
    nothing = "nothing but time" if scene.changes else "nothing"
    scene.told.append("It is written to the state." if len(scene.changes) > 1
                      else f"In the state, {nothing} changes.")


def _pay(scene: Scene) -> None:
    found = _GOLD.search(scene.text)
    if found is None:
        raise _RefusedError("Say for how much, as in “I buy rope for 1 gold”.")
    price, (path, sheet) = int(found[1]), character(scene.before)
    purse = ("gold",) if number(at(sheet, "gold")) is not None else ("currency", "gp")
    held = number(at(sheet, *purse))
    if held is None or held < price:
        raise _RefusedError(f"That takes {price} gold, and you have {held or 0}.")
    scene.put(round(held - price, 2), *path, *purse)
    goods, owner = _GOODS.search(scene.text), sheet.get("id")
    if goods and printable(goods[1]) and goods[1].isascii() and isinstance(owner, str):
        stem = f"item_{'_'.join(goods[1].casefold().split())}"
        items = mapping(scene.before, "item_data")
        key = next(key for n in range(1, 1000) if (key := f"{stem}_{n:03}") not in items)
        scene.put({"name": goods[1], "holder_id": owner}, "item_data", key)
        scene.mentioned.append(key)


def _use(scene: Scene) -> None:
    """What is used must be held; of what is eaten or drunk there is one less."""
    owner = character(scene.before)[1].get("id")
    items = {key: record for key, record in mapping(scene.before, "item_data").items()
             if owner and at(record, "holder_id") == owner}
    found = next(scene.named(items), "")
    if not found:
        raise _RefusedError("You have no such thing.")
    scene.mentioned.append(found)
    if _CONSUMED.search(scene.text):
        _spend(scene, "The state counts none of it.", "item_data", found, "quantity")


def _cast(scene: Scene) -> None:
    path, sheet = character(scene.before)
    said = scene.text.casefold()
    known = [name for place, value in leaves(sheet) if re.search("spell|cantrip", place[0])
             for name in (*place, *(value if isinstance(value, list) else [value]))
             if isinstance(name, str) and len(name) > 2 and name.casefold() in said]
    if not known:
        raise _RefusedError("Your sheet lists no spell of that name.")
    found = _AT_LEVEL.search(scene.text)
    if found is None:
        raise _RefusedError("Say with which slot, as in “I cast it at level 1”.")
    _spend(scene, "You have no spell slot of that level left.",
           *path, "spell_slots", f"level_{found[1] or found[2]}", "current")


def _spend(scene: Scene, none: str, *path: str) -> None:
    """One less at ``path``, or the act is refused with ``none``."""
    left = whole(at(scene.before, *path[:-1]), path[-1])
    if left is None or left < 1:
        raise _RefusedError(none)
    scene.put(left - 1, *path)


def _travel(scene: Scene) -> int:
    """Go to another place; the seconds that it takes."""
    here = place_id(scene.before)
    places = mapping(scene.before, "location_data")
    goal = next(scene.named({key: places[key] for key in places if key != here}), "")
    if not goal or at(scene.before, "world_data", "current_location_id") != here:
        raise _RefusedError("The state knows no such place to go to.")
    scene.put(goal, "world_data", "current_location_id")
    exits = mapping(places, here, "exits").values()
    minutes = whole(next((way for way in exits if at(way, "to") == goal), None), "minutes") or 0
    return minutes * 60 if 1 <= minutes <= _LONGEST_WAY else 2 * _HOUR


def _long_rest(scene: Scene) -> None:
    path, sheet = character(scene.before)
    for now, most, back in (
        ("hp_current", "hp_max", None), ("hit_dice.current", "hit_dice.max", 2),
        *((f"spell_slots.{slot}.current", f"spell_slots.{slot}.max", None)
          for slot in mapping(sheet, "spell_slots")),
    ):
        had, full = whole(sheet, now), whole(sheet, most)
        if had is not None and full is not None and 0 <= had < full and (had or back or "." in now):
            has = full if back is None else min(full, had + max(1, full // back))
            scene.write(has, *path, *now.split("."))
    tired = whole(sheet, "exhaustion")
    if tired is not None and 0 < tired <= 6:
        scene.write(tired - 1, *path, "exhaustion")
    if scene.updates.get(path[0]):
        scene.changes.append("what a long rest gives back")


_EFFECTS: Final = {
    "pay": _pay, "use": _use, "cast": _cast, "travel": _travel, "long_rest": _long_rest,
}
