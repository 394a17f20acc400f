"""A state as the sheet beside the story: bars, what there is by branch, and what a turn changed.

States are the campaign's own. Nothing is needed in one and nothing raises: what is known by its
name gets a heading and an order, everything else is told as it stands. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..content.slugs import slug_of
from ..sessions.state_documents import PARTS
from ..text.json_values import at, mapping, number, parts
from ..turns.clock import UNITS, world_time
from ..turns.state import PC, PLACE, known_as, party_place
from .timeline import Changed, differing

State = Mapping[str, Any]

MOST: Final = 40
"""How many rows or entries of one heading are told."""
LONGEST: Final = 160
_HEADS: Final = {
    PC: "Character", "combat_state": "Combat", "item_data": "Gear", "quest_data": "Quests",
    "npc_data": "People", "faction_data": "Factions", "world_data": "World",
    "custom_campaign_state": "Campaign", "location_data": "Places",
}
"""The headings in their order, which stays, whatever a state has."""
_OF_OTHERS: Final = _HEADS.keys() - {PC, "custom_campaign_state"}
_NAMES: Final = ("name", "title")
_LINE: Final = ("race", "class")
_ASIDE: Final = ("quantity", "role", "status", "attitude")
_HIT_POINTS: Final = ("hp_current", "hp_max", "hp_temp")
_CAPITALS: Final = re.compile("hp|xp|ac|dc|[csegp]p|str|dex|con|int|wis|cha")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_AMOUNT: Final = ({"current", "max"}, {"current", "maximum"})
_OBJECTIVE: Final = {"text", "done"}


@dataclass(frozen=True, slots=True)
class Bar:
    """Hit points: those left (below zero is none), the most, and temporary ones beside them."""

    remaining: float
    most: float
    more: float

    @property
    def share(self) -> float:
        """The part that is left, 0 to 1."""
        return max(0.0, min(1.0, self.remaining / self.most))


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """Somebody or something: its name, a word about it, and what else is known."""

    name: str
    aside: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """What stands under one heading."""

    title: str
    rows: tuple[tuple[str, str], ...]
    entries: tuple[SheetEntry, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A state to be read; '' for what it does not say."""

    name: str
    line: str
    place: str
    time: str
    bars: tuple[Bar, ...]
    groups: tuple[Group, ...]


def sheet_of(state: State) -> Sheet:
    """The sheet of ``state``."""
    names = dict(_named(state))
    order = [*(key for key in _HEADS if key in state), *(key for key in state if key not in _HEADS)]
    bars = tuple(bar for key in order if key not in _OF_OTHERS for bar in _bars(state[key]))
    groups = [_group(key, state[key], names) for key in order if key != "location_data"]
    place = party_place(state)
    place = at(state, "location_data", known_as(state, place), "name") or names.get(place, place)
    name = at(state, PC, "name") or next((
        names[key] for key in mapping(state, PC) if key in names), "")
    line = " ".join(_text(at(state, PC, key), names) for key in _LINE if at(state, PC, key))
    return Sheet(
        _short(name), _short(line), _short(place), _time(state), bars[:4],
        tuple(group for group in groups
              if group.entries or any(text != "0" for _, text in group.rows)),
    )


def entries_of(state: State) -> dict[str, SheetEntry]:
    """Everybody and everything in a state, by where a search for it says that it stands."""
    names = dict(_named(state))
    return {
        f"{PARTS[branch][0]}/{slug_of(key)}" if branch in PARTS else key: _entry(key, below, names)
        for branch in _HEADS for key, below in mapping(state, branch).items()
        if isinstance(below, Mapping) and not _amount(below) and key != "world_time"}


def changes(was: State, after: State) -> tuple[Changed, ...]:
    """What differs between two states, the clock in one line."""
    names = {**dict(_named(was)), **dict(_named(after))}
    rows = []
    if (old := _time(was)) != (new := _time(after)):
        (day, comma, hour), then = old.rpartition(", "), new.rpartition(", ")
        same_day = comma and day == then[0]
        rows.append(Changed("Time", (hour if same_day else old) or None,
                            (then[2] if same_day else new) or None))
    for path, before, later in differing(was, after):
        if path[:2] != ("world_data", "world_time"):
            key, name = path[-1], ": ".join(_label(part, names) for part in path[1:] or path)
            # A record comes or goes.
            is_record = isinstance(before.get(key), Mapping) or isinstance(later.get(key), Mapping)
            texts = ("", "new") if is_record else (
                _text(before.get(key), names), _text(later.get(key), names))
            rows.append(Changed(name, texts[0] if key in before else None,
                                texts[1] if key in later else None))
    return tuple(rows)


def _named(value: object) -> Iterator[tuple[str, str]]:
    """The names of records by their keys and ids, wherever they stand below ``value``."""
    pending = [value]
    while pending:
        node = pending.pop()
        for key, below in node.items() if isinstance(node, Mapping) else ():
            if isinstance(below, Mapping):
                name = next((below[key] for key in _NAMES if isinstance(below.get(key), str)), "")
                if name:
                    yield key, _short(name)
                    yield str(below.get("id", key)), _short(name)
                pending.append(below)


def _bars(record: object) -> Iterator[Bar]:
    """The hit points of a record, and of the shapes that it has taken."""
    for part in parts(record):
        remaining, most, more = (number(at(part, name)) for name in _HIT_POINTS)
        if remaining is not None and most is not None and most > 0:
            yield Bar(remaining, most, more or 0)


def _group(key: str, value: object, names: Mapping[str, str]) -> Group:
    title = _HEADS.get(key, _label(key, {}))
    if not isinstance(value, Mapping):
        text = _text(value, names)
        return Group(title, (("", text),) if text else (), ())
    rows, entries = [], []
    # What the bars and the lines above say is not said again.
    covered = {*_LINE, *(_HIT_POINTS if any(_bars(value)) else ())} if key == PC else {
        name for branch, name in (PLACE,) if branch == key}
    for name, below in value.items():
        if name in covered:
            continue
        if isinstance(below, Mapping) and not _amount(below):
            if name != "world_time" and (entry := _entry(name, below, names)).rows:
                entries.append(entry)
        elif _tells(name, below):
            rows.append((_label(name, names), _text(below, names)))
    hidden = max(0, len(rows) - MOST) + max(0, len(entries) - MOST)
    return Group(title, tuple(rows[:MOST]), tuple(entries[:MOST]), hidden)


def _entry(key: str, record: State, names: Mapping[str, str]) -> SheetEntry:
    aside = next((_text(record[name], names) for name in _ASIDE if record.get(name)), "")
    return SheetEntry(_label(key, names), aside, _rows(record, names)[:MOST])


def _rows(record: State, names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What a record tells, what is nested deeper in it by the words of its path."""
    rows = []
    for key, value in record.items():
        if isinstance(value, Mapping) and any(isinstance(part, Mapping) for part in value.values()):
            rows += [(f"{_label(key, names)}: {label.lower()}", text)
                      for label, text in _rows(value, names)]
        elif _tells(key, value):
            rows.append((_label(key, names), _text(value, names)))
    return tuple(rows)


def _tells(key: str, value: object) -> bool:
    return key not in {"id", *_NAMES} and value not in (None, "", [], {}) and value is not False


def _amount(value: State) -> bool:
    return any(keys <= value.keys() for keys in _AMOUNT)


def _text(value: object, names: Mapping[str, str]) -> str:
    """A value in words: ids by the names of what they name."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        if _amount(value):
            most = value.get("max", value.get("maximum"))
            return _short(f"{value['current']} / {most}")
        if value.keys() >= _OBJECTIVE:
            return _short(f"{value['text']} ({'done' if value['done'] else 'open'})")
        return _short(", ".join(f"{key.replace('_', ' ')} {_text(part, names)}"
                                for key, part in value.items() if _tells(key, part)))
    if isinstance(value, list):
        return _short(", ".join(_text(entry, names) for entry in value[:MOST]))
    return "" if value is None else names.get(str(value)) or _short(value)


def _label(key: str, names: Mapping[str, str]) -> str:
    """A key as people write it: the name of what it is the id of, else its words."""
    words = [word for word in map(str.lower, _WORD.findall(key[:LONGEST])) if word != "id"] or [key]
    text = " ".join(word.upper() if _CAPITALS.fullmatch(word) else word for word in words)
    return names.get(key) or _short(text[:1].upper() + text[1:])


def _time(state: State) -> str:
    """The clock to the minute, the month by its name where the calendar has one."""
    world = world_time(state)
    units = {name: world[name] for name in UNITS if type(world.get(name)) is int}
    day = [str(units[name]) for name in ("day", "month", "year") if name in units]
    names = mapping(state, "world_data", "calendar").get("month_names")
    month = units.get("month", 0)
    if isinstance(names, list) and 0 < month <= len(names) and len(day) > 1:
        day[1] = str(names[month - 1])
    hours = f"{units['hour']:02}:{units.get('minute', 0):02}" if "hour" in units else ""
    by = " " if any(part.isalpha() for part in day) else "."
    return _short(", ".join(filter(None, (by.join(day), hours))))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
