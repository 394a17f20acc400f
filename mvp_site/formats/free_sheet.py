"""Sheets that people write freely, in JSON or YAML: fields by what seven languages call them.

What a field cannot hold, and what stands under other keys, goes into the notes as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..text.dm_words import reserved
from ..text.names import fold
from ..text.shipped_tables import shipped_tables
from ..text.yaml_values import write_yaml
from .export_fields import MAX_NAME, MOST, MOST_BONUS
from .types import Format, Sample

NAME: Final = "a sheet that was written freely"
_TABLES: Final[dict[str, dict[str, list[str]]]] = shipped_tables(__package__, "free_sheet.toml")
_FIELDS: Final = {fold(word): field for field, words in _TABLES["fields"].items() for word in words}
_FEWEST: Final = 4
"""Known keys from which on an object is a sheet; one is the name."""
_REMARK: Final = re.compile(r"\s*\([^()]*\)\s*$")
_INTEGER: Final = re.compile(r"(?<![\d\w])[+\-\u2212]?\d+")
_DICE: Final = re.compile(r"\d*[dwk]\d+(?:\s*[+-]\s*\d+)?(?:\s+[^\W\d]+)?", re.IGNORECASE)
_COUNT: Final = re.compile(r"^(\d+)\s*[x×]\s+(.+)|(.+?)[\s,]+(?:[x×]\s*(\d+)|(\d+)\s*"
                           r"(?:szt|stk|pcs|stück|unid)\.?)(?=\W|$)(.*)", re.IGNORECASE | re.DOTALL)
_CLASS: Final = re.compile(r"\s*([^\d(]+?)\s*(\d+)\s*(?:\(([^()]*)\))?\s*")
_LEVEL: Final = re.compile(
    rf"[;|]|\s+(?=(?:{'|'.join(_TABLES['fields']['level'])})\.?\s*\d)|\s+(?=\d(?:st|nd|rd|th)\b)",
    re.IGNORECASE)
"""Where the slots of another level begin."""
_SLOTS: Final = re.compile(
    r"\s*(?:(?P<word>[^\W\d]+)\.?\s*)?(?P<level>[1-9])(?!\d)"
    r"(?P<mark>\s*[:=]|st|nd|rd|th|er|[eè]me|[.ºª°])?[^\d/]*(?P<slots>\d.*)", re.DOTALL)
_NAMED: Final = re.compile(r"[,:]|\s*\((?=[+-]?\d)|\s+(?=[+-]\d|\d*[dwk]\d)", re.IGNORECASE)
"""What ends the name of an attack."""
_SECRET: Final = re.compile(r"(?:^|[^a-z])(?:[dg]m|mg|sl|mj)(?![a-z])|master(?!y)|mestre|secret|"
                            r"hidden|sekret|geheim|segredo", re.IGNORECASE)
_RAW = Mapping[str, Any]


def field_of(key: str) -> str:
    """The field that a key is meant for, or ''."""
    plain = fold(str(key)).replace("_", " ").strip()
    return _FIELDS.get(plain) or _FIELDS.get(_REMARK.sub("", plain), "")


def _word(key: str, group: str, prefix: bool = False) -> str:
    """What a key is called in a table of words, or ''; with ``prefix`` by its first letters."""
    plain = fold(str(key)).strip(" .()")
    return next((name for name, words in _TABLES[group].items()
                 if plain in words or (prefix and plain[:3] in map(fold, words))), "")


def _recognised(sample: Sample) -> bool:
    if not isinstance(sample.value, Mapping) or "base" in sample.value:
        return False
    fields = {field_of(key) for key in sample.value} - {""}
    return "name" in fields and len(fields) >= _FEWEST and len(
        fields & {"classes", "abilities", "hit_points", "armor_class", "slots", "saves"}) > 1


def _text(value: Any) -> str:
    """A value as a person would read it."""
    if isinstance(value, str | int | float):
        return str(value).strip()
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(part)}" if part is not None else str(key)
                         for key, part in value.items())
    return ""


def _integers(value: Any, most: int = MOST) -> list[int]:
    """The whole numbers in a value, in order."""
    numbers = (int(digits.replace("\u2212", "-")) for digits in _INTEGER.findall(_text(value)))
    return [number for number in numbers if abs(number) <= most]


def _integer(value: Any, most: int = MOST) -> int | None:
    return next(iter(_integers(value, most)), None)


def _listed(value: Any) -> list[str]:
    """The texts of a list, of an object, or of one text with commas or lines."""
    if isinstance(value, Mapping):
        return [_text({key: part}) for key, part in value.items()]
    if isinstance(value, list):
        return [text for part in value for text in (
            _listed(part) if isinstance(part, list) else [_text(part)]) if text]
    text = "" if _word(_text(value), "words") == "none" else _text(value)
    parts = text.splitlines() if "\n" in text else re.split(r",(?![^()]*\))", text)
    return [part.strip() for part in parts if part.strip()]


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Names with what stands behind each: of an object, or of a list of objects and texts."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, Mapping):
            yield from part.items()
        elif text := _text(part):
            name, _, rest = text.partition(":")
            yield name, rest.strip()


def _points(value: Any) -> dict[str, int]:
    """Hit points, or slots, as ``now``, ``most``, ``temporary``, ``left`` and ``spent``."""
    if isinstance(value, Mapping):
        return {word: number for key, part in value.items() for word, number in [
            (_word(key, "words"), _integer(part))] if word and number is not None}
    text, numbers = fold(_text(value)), _integers(value)
    points: dict[str, int] = {}
    for number, word in re.findall(r"(\d+)\s+([^\W\d]+)", text):
        if (kind := _word(word, "words")) in {"left", "spent"}:
            points[kind] = int(number)
    if fraction := re.search(r"(\d+)\s*(?:/|of|von|de|z)\s*(\d+)", text):
        points |= {"now": int(fraction[1]), "most": int(fraction[2])}
    elif points and (others := [number for number in numbers if number not in points.values()]):
        points["most"] = others[0]
    elif numbers and not points:
        points["most"] = numbers[0]
        words = {_word(word, "words") for word in re.findall(r"[^\W\d]+", text)}
        points |= {"spent": numbers[0]} if "spent" in words else {"unclear": 1} if words else {}
    return points


def _by_level(value: Any) -> Iterator[tuple[str, Any]]:
    """Levels with their slots, also of a text such as "1st 4/4, 2nd 0/2"."""
    for text in [] if isinstance(value, Mapping) else _listed(value):
        for match in filter(None, map(_SLOTS.match, _LEVEL.split(text))):
            if match["mark"] or field_of(match["word"] or "") == "level":
                yield match["level"], match["slots"]
    if isinstance(value, Mapping):
        yield from value.items()


def _slots(value: Any) -> list[dict[str, int]]:
    slots = []
    for key, part in _by_level(value):
        level, points = _integer(key), _points(part)
        if level is None or not 1 <= level <= 9 or "most" not in points:
            continue
        most, unused = points["most"], points.get("left", points.get("now"))
        used = points.get("spent", max(0, most - unused) if unused is not None else
                          None if "unclear" in points or isinstance(part, Mapping) else 0)
        slots.append({"level": level, "total": most} | ({} if used is None else {"used": used}))
    return slots


def _spells(value: Any) -> Iterator[dict[str, Any]]:
    for key, part in value.items() if isinstance(value, Mapping) else [("", value or "")]:
        word = _word(key, "words")
        level = 0 if word == "cantrip" else _integer(key)
        for text in _listed(part):
            name, note = re.match(r"([^(:]+)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
            yield {"name": name.strip(), "note": note.strip(" :()"),
                   **({"level": level} if level is not None and 0 <= level <= 9 else {}),
                   **({"ritual": True} if word == "ritual" else {})}


def _entries(value: Any) -> list[Any]:
    """The entries of a list, each key of an object with its value, or the parts of a text."""
    if isinstance(value, Mapping):
        return [{key: part} for key, part in value.items()]
    return value if isinstance(value, list) else _listed(value)


def _items(value: Any) -> Iterator[dict[str, Any]]:
    for part in _entries(value):
        if isinstance(part, Mapping) and len(part) == 1:
            [(name, rest)] = part.items()
            counted = isinstance(rest, int) and not isinstance(rest, bool)
            yield {"name": str(name), "quantity": max(0, rest) if counted else 1,
                   "description": "" if counted else _text(rest)}
        elif text := _text(part):
            match = _COUNT.match(text)
            count, name = (match[1] or match[4] or match[5], match[2] or match[3]) if match else (
                None, text)
            yield {"name": name.strip(), "quantity": min(int(count or 1), MOST),
                   "description": (match[6] or "").strip(" ,()") if match else ""}


def _attacks(value: Any) -> Iterator[dict[str, Any]]:
    for part in _entries(value):
        text = _text(part)
        name = str(next(iter(part.values())) if isinstance(part, Mapping) and len(part) > 1
                   else _NAMED.split(text)[0]).strip()
        dice = _DICE.search(text)
        bonuses = [value for key, value in part.items() if _word(key, "words") == "bonus"] if (
            isinstance(part, Mapping)) else []
        bonus = _integer(bonuses[0]) if bonuses else next(
            (int(number) for number in re.findall(
                r"[+-]\d+", _DICE.sub("", text.replace(name, "", 1)))), None)
        yield {"name": name, "description": text, "damage": dice[0] if dice else "",
               **({"bonus": bonus} if bonus is not None and abs(bonus) <= MOST_BONUS else {})}


def _bonuses(value: Any) -> Iterator[dict[str, Any]]:
    for name, rest in _pairs(value):
        whole = f"{name} {_text(rest)}".strip()
        match = re.match(r"([^\d+\u2212-]+)", whole)
        bonus = _integer(whole, MOST_BONUS)
        if match and match[1].strip():
            yield {"name": match[1].strip(" :"), "note": _text(rest) if bonus is None else (
                "".join(re.findall(r"\(.*\)", whole)).strip("()")),
                **({"bonus": bonus} if bonus is not None else {"proficient": True})}


def _classes(value: Any, subclass: str, level: int | None) -> list[dict[str, Any]]:
    parts = [f"{name} {_text(rest)}" for name, rest in _pairs(value)] if not isinstance(
        value, str) else value.split("/")
    kinds: list[dict[str, Any]] = []
    for part in parts:
        match = _CLASS.match(part)
        name, number, own = match.groups() if match else (part.strip(), None, "")
        kinds.append({"name": name, "subclass": own or "",
                      **({"level": int(number)} if number and 1 <= int(number) <= 20 else {})})
    if len(kinds) == 1:
        kinds[0]["subclass"] = kinds[0]["subclass"] or subclass
        if level is not None and 1 <= level <= 20:
            kinds[0].setdefault("level", level)
    return kinds


def _coins(value: Any) -> dict[str, int]:
    """The coins; ``pp`` beside ``po`` are of silver, as Romance languages have it."""
    pairs = [*value.items()] if isinstance(value, Mapping) else [
        (unit, number) for number, unit in re.findall(r"(\d+)\s*([^\W\d]+)", _text(value))]
    keys = {fold(str(key)) for key, _ in pairs}
    coins: dict[str, int] = {}
    for key, number in pairs:
        coin = "sp" if fold(str(key)) == "pp" and "po" in keys else _word(str(key), "coins")
        if coin and (count := _integer(number)) is not None and count >= 0:
            coins[coin] = count
    return coins


def sheet_of(sample: Sample) -> dict[str, Any]:
    """The character as the values of an own sheet."""
    fields: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    leveled: dict[str, Any] = {}
    for key, value in sample.value.items():
        if value in (None, "", [], {}):
            continue
        field = field_of(key)
        if _word(key, "words") == "cantrip" or (_integer(key) is not None and any(
                field_of(word) == "spells" for word in str(key).split())):
            leveled[str(key)] = value
        elif field and field not in fields:
            fields[field] = value
        else:
            rest[str(key)] = value
    scores = {ability: score for key, part in _pairs(fields.get("abilities"))
              for ability in [_word(key, "abilities", prefix=True)]
              for score in [_integer(part)] if ability and score and 1 <= score <= 30}
    points = _points(fields.get("hit_points"))
    most, current = points.get("most"), points.get("now", points.get("left"))
    spells = [*_spells(leveled), *_spells(fields.get("spells"))]
    slots = _slots(fields.get("slots"))
    coins = _coins(fields.get("coins"))
    casting = {key: number for key in ("save_dc", "attack_bonus")
               if (number := _integer(fields.get(key), MOST_BONUS)) is not None}
    about = _REMARK.search(_text(fields.get("armor_class")))
    unclear = {key: fields[key] for key, whole in (
        ("slots", all("used" in slot for slot in slots) and bool(slots) and len(slots) >= len(
            _listed(fields.get("slots")))),
        ("coins", sorted(coins.values()) == sorted(_integers(fields.get("coins")))))
        if key in fields and not whole}
    secret = {key: value for key, value in rest.items() if _SECRET.search(key) or reserved(key)}
    return {
        "base": {
            "name": _text(fields["name"])[:MAX_NAME], "aliases": _listed(fields.get("aliases")),
            **{key: _text(fields.get(key)) for key in (
                "race", "background", "alignment", "player")},
            "classes": _classes(fields.get("classes") or [], _text(fields.get("subclass")),
                                _integer(fields.get("level"))),
            "xp": _experience(fields.get("xp"))},
        "ability_scores": scores,
        "combat_stats": {
            "max_hit_points": most, "current_hit_points": current,
            "temporary_hit_points": _integer(fields.get("temporary")) or points.get("temporary"),
            "armor_class": _integer(fields.get("armor_class")),
            "armor": about[0].strip(" ()") if about else "",
            "initiative": _integer(fields.get("initiative"), MOST_BONUS),
            "proficiency_bonus": _integer(fields.get("proficiency_bonus"), MOST_BONUS),
            "hit_dice": _text(fields.get("hit_dice")),
            "speeds": {"walk": _text(fields["speed"])} if "speed" in fields else {},
            "saves": [*_bonuses(fields.get("saves"))], "attacks": [*_attacks(fields.get("attacks"))]
            if "attacks" in fields else [],
            "conditions": _listed(fields.get("conditions"))},
        "personality": {key: [_text(fields[key])] for key in ("traits", "ideals", "bonds", "flaws")
                        if key in fields},
        "proficiencies": {"skills": [*_bonuses(fields.get("skills"))],
                          "languages": _listed(fields.get("languages"))},
        "passive_scores": [{"name": "Perception", "score": score}
                           for score in [_integer(fields.get("passive"))] if score is not None],
        "inventory": {"coins": coins, "items": [*_items(fields["items"])]
                      if "items" in fields else []},
        "spell_list": [{**casting, "slots": slots, "spells": spells}]
        if casting or slots or spells else [],
        "notes": [_note(key, value) for key, value in {**unclear, **rest}.items()
                  if key not in secret],
        "dm_notes": [_note(key, value) for key, value in secret.items()],
    }


def _experience(value: Any) -> int | None:
    """Points, where a blank or a point may part the thousands."""
    if isinstance(value, float):
        value = round(value * 1000)  # YAML takes 23.400 for a fraction
    return _integer(re.sub(r"(?<=\d)[ .,](?=\d{3}\b)", "", _text(value)))


def _note(key: str, value: Any) -> dict[str, str]:
    text = value if isinstance(value, str) else write_yaml(value).removesuffix("...\n")
    return {"title": key, "text": text.strip()}


FORMATS: Final = (Format(
    NAME, "sheets", _recognised,
    "name, classes, scores, armor class, hit points, saves, skills, attacks, spells and slots, "
    "things, coins and texts by their names in English, French, German, Italian, Polish, "
    "Portuguese and Spanish; all else is a note", "remarks of YAML", extent="read in part",
    read=sheet_of),)
