"""A campaign's state as documents: its characters as sheets, and where things stand now.

States are the campaign's own: nothing is needed in one, and nothing raises. Of people, places and
factions a player is told what the party has met, of quests what it was offered, by the fields that
say who or what it is; of all else only the DM. What says at any depth that it is not for players
is taken out before anything is worded. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ..content.slugs import slug_of
from ..errors import SessionsError
from ..formats import Sample
from ..formats.export_fields import MAX_NAME, MOST
from ..formats.free_sheet import field_of, sheet_of
from ..text.hiding_keys import hiding_keys, shows, withholds
from ..text.names import stands_in, title_key, words
from ..text.strict_json import MAX_DEPTH
from ..types import Audience
from .characters.character import Base, Character, Headed
from .characters.class_levels import CLASSES
from .characters.pieces import document_of
from .characters.reading import character_of, write_character
from .notes.headings import reserves
from .types import CampaignDocument, CampaignPiece, Kind, KnownName, Mention

State = Mapping[str, Any]
PREFIX: Final = "state-"
"""How the ids of these documents begin: no file gives one."""
NOW: Final = (0.0,)
"""The sessions of what a state names: it is of the story, and of no session's notes."""
ORIGIN: Final = "the campaign's state"
_PC: Final = "player_character_data"
_SEEN: Final = ("visited", "met", "known", "discovered")
_TAKEN_ON: Final = frozenset({"offered", "active", "accepted", "in progress", "completed", "done",
                              "failed", "abandoned"})
"""The statuses of quests that the party was offered."""
_TOLD: Final = ("kind", "race", "role", "occupation", "status", "attitude", "description")
"""What of people and places a player may read."""
PARTS: Final = {"npc_data": ("npcs", "non_player_character"), "location_data": (
    "locations", "location"), "quest_data": ("quests", "quest"), "faction_data": (
    "other", "organization")}
"""Branches of a state: the part of notes that such things stand in, and their type."""
_PLACES: Final = ("current_location_id", "current_location", "location_id", "location")
_AMOUNTS: Final = (("current", "max"), ("current", "maximum"), ("left", "total"))
_MOST: Final = 200
"""The most things of a branch that are told."""
_OWN: Final = frozenset({_PC, *PARTS, "item_data", "world_data", "combat_state"})
_LARGEST: Final = 10**15
_PLAYERS: Final = frozenset(map(title_key, (
    "party", "heroes", "hero", "players", "player", "pc", "pcs", "adventurers", "gruppe", "helden",
    "spieler", "groupe", "héros", "joueurs", "grupo", "héroes", "jugadores", "heróis", "jogadores",
    "gruppo", "eroi", "giocatori", "drużyna", "bohaterowie", "gracze")))
"""What states of other forms call the players' characters."""


def state_documents(state: State) -> tuple[CampaignDocument, ...]:
    """The characters of a state, each as a sheet, and one document of where things stand."""
    state = _sound(state)
    records = _mapping(state, _PC)
    people = [records] if _name(records) else [
        {"id": key, **record} for key, record in records.items()
        if isinstance(record, Mapping) and _name(record)][:_MOST] or [*_players(state)][:_MOST]
    sheets = [_sheet(person, state, len(people) == 1) for person in people]
    pieces = (*_place(state), *(piece for branch in PARTS for piece in _things(state, branch)),
              *_others(state))
    now = [] if not pieces else [_document(
        f"{PREFIX}now", "session", "The campaign now", pieces, tuple(
            KnownName(mention.name, mention.type, (), piece.audience, NOW)
            for piece in pieces for mention in piece.mentions[:1]))]
    return (*sheets, *now)


def _sound(value: Any, depth: int = 0) -> Any:
    """A value of JSON without nulls and what no text or sheet can hold."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, int | float):
        return value if abs(value) < _LARGEST else None
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        return {_sound(str(key))[:MAX_NAME]: sound for key, inner in value.items()
                if (sound := _sound(inner, depth + 1)) is not None}
    if isinstance(value, list) and depth < MAX_DEPTH:
        return [sound for inner in value if (sound := _sound(inner, depth + 1)) is not None]
    return None


def _document(id_: str, kind: Kind, title: str, pieces: tuple[CampaignPiece, ...],
              known: tuple[KnownName, ...]) -> CampaignDocument:
    return CampaignDocument(id_, kind, title, pieces, "", known=known, origin=ORIGIN)


def _sheet(record: State, state: State, alone: bool) -> CampaignDocument:
    """A character's record, read as a sheet; what no part of one can hold is among its notes."""
    name = _name(record)
    fields = _values(record, state, alone)
    allowed = {key: part for key, value in fields.items()
               if not withholds(key) and (part := for_players(value)) is not None}
    reserved = {key: value for key, value in fields.items() if allowed.get(key) != value}
    notes: dict[str, Any] = {}
    character, values = Character(Base(name)), {"name": name, "combat_stats": {}}
    try:
        character, _ = character_of(values | allowed, ORIGIN)
    except SessionsError:
        for key in sorted(allowed, key=lambda key: key not in CLASSES):
            try:
                character, _ = character_of({**values, key: allowed[key]}, ORIGIN)
            except SessionsError:
                notes[key] = allowed[key]
            else:
                values[key] = allowed[key]
    stats = character.combat_stats
    if stats.max_hit_points is stats.armor_class is None:
        with suppress(SessionsError, AttributeError, TypeError, ValueError, KeyError):
            unnamed = {key: value for key, value in allowed.items() if field_of(key) != "name"}
            free = sheet_of(Sample(ORIGIN, value={**_flat(unnamed), "name": name}))
            read = character_of(free, ORIGIN)[0]
            kept = {*_leaves(json.loads(write_character(read)))}
            lost = {key: value for key, value in allowed.items()
                    if not all(any(map(partial(stands_in, words(leaf)), map(words, kept)))
                               for leaf in _leaves(value) if words(leaf))}
            character, notes = (read, lost) if len(lost) < len(allowed) else (character, notes)
    document = document_of(replace(
        character, notes=(*character.notes, *_headed(notes)),
        dm_notes=(*character.dm_notes, *_headed(reserved))))
    return _document(f"{PREFIX}{document.id}", "character", document.title, document.pieces,
                     document.known)


def _players(value: Any, depth: int = 0, *, within: bool = False) -> Iterator[State]:
    """The records below keys that name the players' characters, at any place of a state."""
    if isinstance(value, Mapping) and within and _name(value):
        yield value
        return
    inner = value.items() if isinstance(value, Mapping) and not _is_hidden(value) else [
        ("", entry) for entry in value] if isinstance(value, list) else ()
    for key, entry in inner if depth < 4 else ():
        if key not in PARTS and not withholds(key):
            yield from _players(entry, depth + 1, within=within or title_key(
                str(key).replace("_", " ")) in _PLAYERS)


def _flat(record: State) -> dict[str, Any]:
    """A record with the known fields of its parts ("stats": {"ac": 15}) among its own."""
    whole = dict(record)
    for key, part in record.items():
        known = {name: value for name, value in part.items() if field_of(name) not in {
            "", "name", *map(field_of, whole)}} if isinstance(part, Mapping) else {}
        if known and (rest := {name: value for name, value in part.items() if name not in known}):
            whole[key] = rest
        elif known:
            del whole[key]
        whole |= known
    return whole


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers in a value, as JSON has them."""
    inner = [*value.values()] if isinstance(value, Mapping) else value
    if isinstance(inner, list):
        for entry in inner:
            yield from _leaves(entry)
    else:
        yield json.dumps(inner, ensure_ascii=False).strip('"')


def _headed(fields: State) -> Iterator[Headed]:
    for key, value in fields.items():
        yield Headed(key.replace("_", " "), _plain(value))


def _values(record: State, state: State, alone: bool) -> dict[str, Any]:
    """The fields of a record in the forms that a sheet has."""
    values: dict[str, Any] = {}
    for key, value in record.items():
        amount = _amount(value)
        if value in ("", {}, []) or key in {"id", "name"}:
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
        digits, amount = "".join(filter(str.isdecimal, key)), _amount(value)
        if digits and amount and 1 <= int(digits) <= 9:
            left, most = (min(max(number, 0), MOST) for number in amount)
            yield {"level": int(digits), "total": most, "used": max(most - left, 0)}


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
                                        {"level": level} if _counts(level, 9) else {}),
                       **({"prepared": True} if "prepared" in key else {})}


def _items(state: State, record: State, alone: bool) -> Iterator[dict[str, Any]]:
    """What the state says that a character has."""
    own = {str(record.get("id", "")), _name(record), "player", "pc"}
    for item in _mapping(state, "item_data").values():
        if not isinstance(item, Mapping) or not _name(item) or _is_hidden(item):
            continue
        holder = next((str(item[key]) for key in ("holder_id", "holder", "owner_id", "owner")
                       if item.get(key)), None)
        if holder in own or (holder is None and alone and not item.get("location_id")):
            kind, quantity = item.get("kind"), item.get("quantity", 1)
            yield {"name": _name(item), "kind": kind if kind in ("weapon", "armor") else "item",
                   **({"quantity": quantity} if _counts(quantity) else {}),
                   **({"equipped": True} if item.get("equipped") is True else {}),
                   **({"description": text} if isinstance(text := item.get("description"), str)
                      else {})}


def _place(state: State) -> Iterator[CampaignPiece]:
    """Where the party is, and when."""
    if place := _party_place(state):
        record = _mapping(_mapping(state, "location_data"), place)
        name = _name(record) or place.removeprefix("loc_").replace("_", " ")
        described = for_players(record.get("description", ""), close=True)
        yield CampaignPiece("place", "locations", "where the party is",
                            f"The party is at {name}. {_plain(described or '')}".strip(),
                            "dm" if _is_hidden(record) or reserves(name) else "player",
                            (Mention(name, "location"),))
    time = _mapping(_mapping(state, "world_data"), "world_time")
    day, month, year = date = [time.get(unit) for unit in ("day", "month", "year")]
    if all(isinstance(unit, str | int) for unit in date):
        hour, minute = time.get("hour"), time.get("minute", 0)
        clock = f", {hour:02d}:{minute:02d}" if type(hour) is type(minute) is int else ""
        months = _mapping(_mapping(state, "world_data"), "calendar").get("month_names")
        if isinstance(months, list) and isinstance(month, int) and 0 < month <= len(months):
            month = _plain(for_players(months[month - 1]) or month)
        yield CampaignPiece("time", "summary", "what time it is",
                            f"It is {day} {month} {year}{clock}.")


def _party_place(state: State) -> str:
    return _where(state, _mapping(state, "world_data"), _mapping(state, _PC))


def _where(state: State, *records: State) -> str:
    """The id of the place that the first of records to say so is at, or its name; else ''."""
    place = next((record[key] for record in records for key in _PLACES
                  if isinstance(record.get(key), str) and record[key]), "")
    locations, name = _mapping(state, "location_data"), title_key(place)
    return place if place in locations or not place else next(
        (key for key, record in locations.items() if title_key(_name(record)) == name), place)


def _things(state: State, branch: str) -> Iterator[CampaignPiece]:
    """The people, places or tasks of a branch: what players may know, and all for the DM."""
    part, type_ = PARTS[branch]
    for key, record in [*_mapping(state, branch).items()][:_MOST]:
        if not isinstance(record, Mapping) or not (name := _name(record)):
            continue
        mention, id_ = (Mention(name, type_),), f"{part}/{slug_of(key)}"
        audience: Audience = "player" if _is_met(state, branch, key, record) and not (
            _is_hidden(record) or reserves(name)) else "dm"
        described = {field: for_players(record[field], close=True)
                     for field in (*_TOLD, "objectives") if field in record}
        objectives = described.pop("objectives", None)
        if isinstance(objectives, Mapping):
            objectives = [*objectives.values()]
        steps = [step.get("text") if isinstance(step, Mapping) else step
                 for step in objectives if step] if isinstance(objectives, list) else []
        text = "; ".join(filter(None, (_plain(described), *map(_plain, filter(None, steps)))))
        yield CampaignPiece(id_, part, name, f"{name}: {text}" if text else name, audience, mention)
        rest = {field: value for field, value in record.items()
                if described.get(field) != value and field not in {"id", "name", "title"}}
        if rest:
            yield CampaignPiece(f"{id_}/all", part, name, f"{name}: {_plain(rest)}", "dm", mention)


def _others(state: State) -> Iterator[CampaignPiece]:
    """What stands in other branches, for the DM: nothing says what of it the party has met."""
    parts = [(branch, key, record) for branch, records in state.items()
             if branch not in _OWN and title_key(branch.replace("_", " ")) not in _PLAYERS
             and isinstance(records, Mapping) for key, record in records.items()]
    for branch, key, record in parts[:_MOST]:
        name = _name(record) or str(key).replace("_", " ")
        yield CampaignPiece(f"other/{slug_of(f'{branch} {key}')}", "other", name,
                            f"{name}: {_plain(record)}", "dm",
                            (Mention(name, "event"),) if isinstance(record, Mapping) else ())


def _is_met(state: State, branch: str, key: str, record: State) -> bool:
    """Whether the party knows of a thing: it says so, or is where the party is."""
    flags, place = [record.get(flag) for flag in _SEEN], _party_place(state)
    if any(flag is True for flag in flags) or (place and place == key):
        return True
    if any(flag is False for flag in flags):
        return False
    if branch == "quest_data":
        return title_key(_plain(record.get("status", "")).replace("_", " ")) in _TAKEN_ON
    return bool(place) and place == _where(state, record)


def for_players(value: Any, *, close: bool = False) -> Any:
    """What of ``value`` is for players, at any depth; None where nothing is.

    ``close`` is for what is not their own: a key that speaks of secrets at all keeps what stands
    below it, and beside a part that is said to be public the others are not.
    """
    if isinstance(value, Mapping):
        if _is_hidden(value):
            return None
        public = {key for key, inner in value.items() if close and shows(key, inner)}
        return {key: part for key, inner in value.items()
                if not withholds(key, any_word=close) and (key in public or not public)
                and (part := for_players(inner, close=close)) is not None}
    if isinstance(value, list):
        return [part for inner in value if (part := for_players(inner, close=close)) is not None]
    return None if isinstance(value, str) and reserves(value) else value


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _name(record: Any) -> str:
    names = (record[key] for key in sorted(record, key=lambda key: key not in {"name", "title"})
             if key == "title" or field_of(key) == "name") if isinstance(record, Mapping) else ()
    return next((name.strip()[:MAX_NAME] for name in names
                 if isinstance(name, str) and name.strip()), "")


def _counts(value: Any, most: int = MOST) -> bool:
    """Whether a value is a whole number from 0."""
    return type(value) is int and 0 <= value <= most


def _amount(value: Any) -> tuple[int, int] | None:
    """What is left and of how much, where a value says both."""
    if isinstance(value, Mapping):
        for left, most in _AMOUNTS:
            if type(value.get(left)) is int and type(value.get(most)) is int:
                return value[left], value[most]
    return None


def _is_hidden(record: Mapping[str, Any]) -> bool:
    return record.get("audience", "player") != "player" or any(
        sense == "hidden" for _, sense in hiding_keys(record))


def _plain(value: Any) -> str:
    """A value in words."""
    if amount := _amount(value):
        return f"{amount[0]} of {amount[1]}"
    if isinstance(value, Mapping):
        return "; ".join(f"{str(key).replace('_', ' ')}: {_plain(inner)}"
                         for key, inner in value.items() if inner not in ("", [], {}, None))
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value)
