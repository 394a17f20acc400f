"""A campaign's state as documents: its characters as sheets, and where things stand now.

States are the campaign's own: nothing is needed in one, and nothing raises. Of people and places a
player is told what the party has met, by the fields that say who or what it is; of all else only
the DM. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..content.slugs import slug_of
from ..errors import SessionsError
from ..text.hiding_keys import hiding_keys
from ..types import Audience
from .characters.class_levels import CLASSES
from .characters.pieces import document_of
from .characters.reading import read_sheet
from .types import CampaignDocument, CampaignPiece, Kind, Known, Mention

State = Mapping[str, Any]
PREFIX: Final = "state-"
"""How the ids of these documents begin: no file gives one."""
ORIGIN: Final = "the campaign's state"
_PC: Final = "player_character_data"
_SEEN: Final = ("visited", "met", "known", "discovered")
_TOLD: Final = ("kind", "race", "role", "occupation", "status", "attitude", "description")
"""What of people and places a player may read."""
_BRANCHES: Final = {"npc_data": ("npcs", "non_player_character"), "location_data": (
    "locations", "location"), "quest_data": ("quests", "quest"), "faction_data": (
    "other", "organization")}
"""Branches of a state: the part of notes that such things stand in, and their type."""
_PLACES: Final = ("current_location_id", "current_location", "location")
_AMOUNTS: Final = (("current", "max"), ("current", "maximum"), ("left", "total"))
_LEAST: Final = 40
"""The most things of a branch that are told."""


def state_documents(state: State) -> tuple[CampaignDocument, ...]:
    """The characters of a state, each as a sheet, and one document of where things stand."""
    records = _mapping(state, _PC)
    people = [records] if _name(records) else [
        {"id": key, **record} for key, record in records.items()
        if isinstance(record, Mapping) and _name(record)]
    sheets = [_sheet(person, state, len(people) == 1) for person in people]
    pieces = (*_place(state), *(piece for branch in _BRANCHES for piece in _things(state, branch)))
    now = [] if not pieces else [_document(
        f"{PREFIX}now", "session", "The campaign now", pieces, tuple(
            Known(mention.name, mention.type, (), piece.audience)
            for piece in pieces for mention in piece.mentions[:1]))]
    return (*sheets, *now)


def _document(id_: str, kind: Kind, title: str, pieces: tuple[CampaignPiece, ...],
              known: tuple[Known, ...]) -> CampaignDocument:
    return CampaignDocument(id_, kind, title, pieces, "", known=known, origin=ORIGIN)


def _sheet(record: State, state: State, alone: bool) -> CampaignDocument:
    """A character's record, read as a sheet; what no part of one can hold is among its notes."""
    values: dict[str, Any] = {"name": _name(record)}
    notes: dict[str, str] = {}
    fields = _values(record, state, alone)
    for key, value in sorted(fields.items(), key=lambda row: row[0] not in CLASSES):
        try:
            read_sheet(json.dumps({**values, "combat_stats": values.get("combat_stats", {}),
                                   key: value}), ORIGIN)
        except SessionsError:
            notes[key.replace("_", " ")] = _plain(value)
        else:
            values[key] = value
    character, _ = read_sheet(json.dumps({**values, "notes": notes}), ORIGIN)
    document = document_of(character)
    return _document(f"{PREFIX}{document.id}", "character", document.title, document.pieces,
                     document.known)


def _values(record: State, state: State, alone: bool) -> dict[str, Any]:
    """The fields of a record in the forms that a sheet has."""
    values: dict[str, Any] = {}
    for key, value in record.items():
        amount = _amount(value)
        if value in (None, "", {}, []) or key in {"id", "name"}:
            continue
        if key in {"hp", "hit_points"} and amount:
            values |= {"current_hit_points": amount[0], "max_hit_points": amount[1]}
        elif key == "hit_dice" and isinstance(value, Mapping) and amount:
            values |= {"hit_dice": f"{amount[1]}{value.get('die', 'd?')}",
                       "hit_dice_left": amount[0]}
        elif key == "conditions" and isinstance(value, Mapping):
            values[key] = list(value)
        elif key in {"spell_slots", "slots"} and isinstance(value, Mapping):
            values["spell_list"] = [{"slots": [*_slots(value)], "spells": [*_spells(record)]}]
        else:
            values[key] = value
    if "spell_list" not in values and (spells := [*_spells(record)]):
        values["spell_list"] = [{"spells": spells}]
    if "spell_list" in values:
        values = {key: value for key, value in values.items() if "spell" not in key
                  or key == "spell_list"}
        values.pop("cantrips", None)
    items = [*_items(state, record, alone)]
    if items and not values.keys() & {"inventory", "equipment"}:
        values["inventory"] = {"items": items}
        if isinstance(coins := values.pop("currency", None), Mapping):
            values["inventory"]["coins"] = dict(coins)
    return values


def _slots(slots: State) -> Iterator[dict[str, int]]:
    for key, value in slots.items():
        digits, amount = "".join(filter(str.isdigit, key)), _amount(value)
        if digits and amount and 1 <= int(digits) <= 9:
            yield {"level": int(digits), "total": amount[1], "used": max(amount[1] - amount[0], 0)}


def _spells(record: State) -> Iterator[dict[str, Any]]:
    """The spells of a record, by whatever key that says so."""
    for key, value in record.items():
        if ("spell" not in key and key != "cantrips") or "slot" in key:
            continue
        entries = value if isinstance(value, list) else [
            entry if isinstance(entry, Mapping) else {"name": name}
            for name, entry in value.items()] if isinstance(value, Mapping) else []
        for entry in entries:
            name = entry if isinstance(entry, str) else _name(entry)
            level = entry.get("level") if isinstance(entry, Mapping) else None
            if name:
                yield {"name": name, **({"level": 0} if key == "cantrips" else
                                        {"level": level} if isinstance(level, int) else {}),
                       **({"prepared": True} if "prepared" in key else {})}


def _items(state: State, record: State, alone: bool) -> Iterator[dict[str, Any]]:
    """What the state says that a character has."""
    own = {str(record.get("id", "")), _name(record), "player", "pc"}
    for item in _mapping(state, "item_data").values():
        if not isinstance(item, Mapping) or not _name(item) or _is_hidden(item):
            continue
        holder = next((item[key] for key in ("holder_id", "holder", "owner_id", "owner")
                       if item.get(key)), None)
        if holder in own or (holder is None and alone and not item.get("location_id")):
            kind, quantity = item.get("kind"), item.get("quantity", 1)
            yield {"name": _name(item), "kind": kind if kind in {"weapon", "armor"} else "item",
                   **({"quantity": quantity} if isinstance(quantity, int) and quantity >= 0
                      else {}),
                   **({"equipped": True} if item.get("equipped") is True else {}),
                   **({"description": text} if isinstance(text := item.get("description"), str)
                      else {})}


def _place(state: State) -> Iterator[CampaignPiece]:
    """Where the party is, and when."""
    if location := _location(state):
        name, told = location
        yield CampaignPiece("place", "locations", "where the party is",
                            f"The party is at {name}. {told}".strip(),
                            mentions=(Mention(name, "location"),))
    time = _mapping(_mapping(state, "world_data"), "world_time")
    if {"year", "month", "day"} <= time.keys():
        hour, minute = time.get("hour"), time.get("minute", 0)
        clock = f", {hour:02d}:{minute:02d}" if type(hour) is type(minute) is int else ""
        months = _mapping(_mapping(state, "world_data"), "calendar").get("month_names")
        month = time["month"]
        if isinstance(months, list) and type(month) is int and 0 < month <= len(months):
            month = months[month - 1]
        yield CampaignPiece("time", "summary", "what time it is",
                            f"It is {time['day']} {month} {time['year']}{clock}.")


def _location(state: State) -> tuple[str, str] | None:
    """The name of the party's place and what it is like."""
    records = (_mapping(state, "world_data"), _mapping(state, _PC))
    place = next((record[key] for record in records for key in _PLACES
                  if isinstance(record.get(key), str) and record[key]), "")
    known = _mapping(state, "location_data").get(place, {})
    told = known.get("description") if isinstance(known, Mapping) else None
    return (_name(known) or place.removeprefix("loc_").replace("_", " "),
            told if isinstance(told, str) else "") if place else None


def _things(state: State, branch: str) -> Iterator[CampaignPiece]:
    """The people, places or tasks of a branch: what players may know, and all for the DM."""
    part, type_ = _BRANCHES[branch]
    here = next((_mapping(state, "world_data")[key] for key in _PLACES
                 if key in _mapping(state, "world_data")), None)
    for key, record in [*_mapping(state, branch).items()][:_LEAST]:
        if not isinstance(record, Mapping) or not (name := _name(record)):
            continue
        is_met = branch == "quest_data" or here in (key, record.get("location_id")) or any(
            record.get(flag) is True for flag in _SEEN)
        mention, id_ = (Mention(name, type_),), f"{part}/{slug_of(name) or key}"
        audience: Audience = "player" if is_met and not _is_hidden(record) else "dm"
        told = {field: record[field] for field in _TOLD if field in record}
        objectives = [text for row in _mapping(record, "objectives").values()
                      if isinstance(row, Mapping) and isinstance(text := row.get("text"), str)
                      and not _is_hidden(row)]
        text = "; ".join(filter(None, (_plain(told), *objectives)))
        yield CampaignPiece(id_, part, name, f"{name}: {text}" if text else name, audience, mention)
        rest = {field: value for field, value in record.items()
                if field not in {*_TOLD, "id", "name", "title", "objectives"}}
        if rest:
            yield CampaignPiece(f"{id_}/all", part, name, f"{name}: {_plain(rest)}", "dm", mention)


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _name(record: Any) -> str:
    names = (record.get(key) for key in ("name", "title")) if isinstance(record, Mapping) else ()
    return next((name.strip() for name in names if isinstance(name, str) and name.strip()), "")


def _amount(value: Any) -> tuple[int, int] | None:
    """What is left and of how much, where a value says both."""
    if isinstance(value, Mapping):
        for left, most in _AMOUNTS:
            if type(value.get(left)) is int and type(value.get(most)) is int:
                return value[left], value[most]
    return None


def _is_hidden(record: Mapping[str, Any]) -> bool:
    return any(sense == "hidden" for _, sense in hiding_keys(record))


def _plain(value: Any) -> str:
    """A value in words."""
    if amount := _amount(value):
        return f"{amount[0]} of {amount[1]}"
    if isinstance(value, Mapping):
        return "; ".join(f"{str(key).replace('_', ' ')}: {_plain(inner)}"
                         for key, inner in value.items() if inner not in (None, "", [], {}))
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value)
