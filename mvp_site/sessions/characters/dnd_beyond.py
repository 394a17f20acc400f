"""A sheet out of the JSON that D&D Beyond's character service gives; pure, and tolerant of gaps.

The service tells what a character chose and what that grants (``modifiers``); totals are worked
out here by the rules of the fifth edition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from ...content.prompt_helper import told
from ...content.types import SENSES
from .character import ABILITIES

_TOLD: Final[dict[str, Any]] = told("mvp_site.sessions", "dnd_beyond.toml")
_SKILLS: Final[dict[str, int]] = _TOLD["skills"]
_LOWER: Final = {one.lower() for one in _SKILLS}
_PASSIVE: Final = ("Perception", "Investigation", "Insight")
_CONDITIONS: Final[list[str]] = _TOLD["conditions"]
_HALF: Final = {"paladin", "ranger", "artificer"}
_TIMES: Final = {1: "actions", 3: "bonus_actions", 4: "reactions"}
_RESETS: Final = {1: "short rest", 2: "long rest"}
_BREAKS: Final = ("p", "br", "li", "tr", "div", "h1", "h2", "h3", "h4", "h5", "h6")
_MOST: Final = 10**9
_NAME: Final = 60


def exported(values: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The character in ``values``, where they have the shape of an export, else None."""
    data = values.get("data", values)
    known = isinstance(data, Mapping) and isinstance(data.get("stats"), list)
    return data if known and ("classes" in data or "modifiers" in data) else None


def sheet_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The character ``data`` as the values of an own sheet."""
    return _Export(data).sheet()


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _rows(value: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects of the list at ``path``, or of all lists of the object there."""
    found = _at(value, *path)
    if isinstance(found, Mapping):
        return [row for key in found for row in _rows(found, key)]
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def _number(value: Any, *path: str, most: int = 999) -> int | None:
    """The whole number at ``path``, None where there is none or one beyond reason."""
    found = _at(value, *path)
    usable = isinstance(found, (int, float)) and found is not True and abs(found) <= most
    return int(found) if usable else None


def _amount(value: Any, *path: str) -> int:
    return max(0, _number(value, *path, most=_MOST) or 0)


def _text(value: Any, *path: str) -> str:
    """The text at ``path``, HTML as plain text."""
    found = _at(value, *path)
    if not isinstance(found, (str, int, float)) or isinstance(found, bool):
        return ""
    text = str(found)
    if re.search(r"</?\w|&#?\w+;", text):
        root = etree.fromstring(f"<div>{text}</div>", etree.HTMLParser())
        for one in root.iter(*_BREAKS):
            one.tail = f"\n\n{one.tail or ''}"
        text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[^\S\n]+", " ", "".join(root.itertext())))
    return text.strip()


def _of(value: Any, key: str = "definition") -> Mapping[str, Any]:
    found = _at(value, key)
    return found if isinstance(found, Mapping) else {}


def _worn(item: Mapping[str, Any], of: Mapping[str, Any]) -> bool:
    """Whether it does what it does: put on, and attuned where that is asked."""
    on = item.get("equipped") or of.get("canEquip") is False
    return bool(on and (item.get("isAttuned") or not of.get("canAttune")))


def _features(kind: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The definitions of what a class and its subclass give up to its level, each once."""
    found = [_of(one) or one for one in (
        *_rows(kind, "classFeatures"), *_rows(kind, "definition", "classFeatures"),
        *_rows(kind, "subclassDefinition", "classFeatures"))]
    return [*{(_text(one, "id"), _text(one, "name")): one for one in found
              if (_number(one, "requiredLevel") or 0) <= kind["level"]}.values()]


class _Export:
    """An export with what follows from its modifiers."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.classes = [one for one in _rows(data, "classes")
                        if type(one.get("level")) is int and 0 < one["level"] <= 20]
        self.level = sum(one["level"] for one in self.classes)
        self.items = [(one, _of(one)) for one in _rows(data, "inventory")]
        self.worn = [of for one, of in self.items if _worn(one, of)]
        self.modifiers = [*self._granted()]
        self.scores: dict[int, int] = {}
        self.scores = {at: self._score(at, name) for at, name in enumerate(ABILITIES, 1)}
        self.bonus = 2 + (max(self.level, 1) - 1) // 4 + self.total("bonus", "proficiency-bonus")

    def _granted(self) -> Iterator[Mapping[str, Any]]:
        """The modifiers that hold: of items that are worn, of a second class what it teaches."""
        idle = {_text(of, "id") for _, of in self.items} - {_text(of, "id") for of in self.worn}
        later = {_text(of, "id") for one in self.classes if one.get("isStartingClass") is False
                 for of in _features(one)}
        for source in _of(self.data, "modifiers"):
            for row in _rows(self.data, "modifiers", source):
                once = row.get("availableToMulticlass") is False
                gone = (later if once else ()) if source != "item" else idle
                if _text(row, "componentId") not in gone:
                    yield row

    def _score(self, at: int, name: str) -> int:
        def given(key: str) -> int | None:
            return next((_number(one, "value") for one in _rows(self.data, key)
                         if one.get("id") == at), None)
        key = f"{name.lower()}-score"
        total = (given("stats") or 10) + (given("bonusStats") or 0) + self.total("bonus", key)
        least = [_number(one, "value") or 0 for one in self.of("set", key)]
        return min(30, max(1, given("overrideStats") or max([total, *least])))

    def of(self, kind: str, *sub: str) -> list[Mapping[str, Any]]:
        """Modifiers of a kind, without those that hold at times alone; of all things, or some."""
        return [one for one in self.modifiers if one.get("type") == kind
                and (not sub or one.get("subType") in sub) and not one.get("restriction")]

    def mod(self, at: int) -> int:
        """The modifier of an ability by its number; 0 for none."""
        return self.scores.get(at, 10) // 2 - 5

    def worth(self, one: Mapping[str, Any]) -> int:
        """What a modifier adds: its value, or the modifier of the ability that it names."""
        given = _number(one, "value") or _number(one, "fixedValue")
        return given or self.mod(_number(one, "statId") or 0)

    def total(self, kind: str, *sub: str) -> int:
        """What all modifiers of a kind to one of ``sub`` add."""
        return sum(map(self.worth, self.of(kind, *sub)))

    def learnt(self, *sub: str) -> int:
        """What proficiency adds to a roll."""
        kinds = {"proficiency": self.bonus, "expertise": 2 * self.bonus,
                 "half-proficiency": self.bonus // 2,
                 "half-proficiency-round-up": -(-self.bonus // 2)}
        return max((much for kind, much in kinds.items() if self.of(kind, *sub)), default=0)

    def roll(self, at: int, *sub: str) -> int:
        """What is added to a roll of an ability."""
        return self.mod(at) + self.learnt(*sub) + self.total("bonus", *sub)

    def names(self, kind: str) -> list[str]:
        """What the modifiers of a kind are about, once each, and when."""
        found = [(_text(one, "friendlySubtypeName") or _text(one, "subType").replace("-", " "),
                  _text(one, "restriction")) for one in self.modifiers if one.get("type") == kind]
        return [*dict.fromkeys(f"{name} ({when})" if when else name for name, when in found)]

    def hit_points(self) -> tuple[int, int]:
        """The most that it has, and what it has now."""
        data, most = self.data, _number(self.data, "overrideHitPoints")
        if most is None:
            most = (_number(data, "baseHitPoints") or 0) + self.mod(3) * self.level
            most += (_number(data, "bonusHitPoints") or 0) + self.total("bonus", "hit-points")
            for one in self.of("bonus", "hit-points-per-level"):
                most += self.worth(one) * next(
                    (kind["level"] for kind in self.classes for of in _features(kind)
                     if of.get("id") == one.get("componentId")), self.level)
        most = max(most, 0)
        return most, most - (_number(data, "removedHitPoints") or 0)

    def armor_class(self) -> tuple[int, str]:
        """The armor class, and what it is of."""
        worn = [of for of in self.worn if _number(of, "armorTypeId") in {1, 2, 3, 4}]
        best = {kind: max((_number(of, "armorClass") or 0 for of in worn
                           if of["armorTypeId"] == kind), default=0) for kind in (1, 2, 3, 4)}
        dex = self.mod(2)
        limit = max([2, *map(self.worth, self.of("set", "ac-max-dex-armored-modifier"))])
        most = {1: dex, 2: min(dex, limit), 3: 0}
        total = max((best[kind] + more for kind, more in most.items() if best[kind]), default=0)
        if total:
            total += self.total("bonus", "armored-armor-class")
        else:
            more = [self.worth(one) for one in self.of("set", "unarmored-armor-class")]
            total = 10 + dex + max([0, *more]) + self.total("bonus", "unarmored-armor-class")
        own = {_number(one, "typeId"): _number(one, "value") or 0
               for one in _rows(self.data, "characterValues")}
        total = (own.get(4) or total) + best[4] + self.total("bonus", "armor-class")
        total = own.get(1) or total + own.get(2, 0) + own.get(3, 0)
        return max(0, total), " and ".join(_text(of, "name") for of in worn) or "unarmored"

    def attack(self, of: Mapping[str, Any]) -> dict[str, Any]:
        """An attack with a weapon."""
        tags = {_text(one, "name").lower() for one in _rows(of, "properties")}
        ranged = _number(of, "attackType") == 2
        ability = self.mod(2 if ranged else 1)
        monk = any(_text(one, "definition", "name") == "Monk" for one in self.classes)
        if "finesse" in tags or (monk and of.get("isMonkWeapon")):
            ability = max(self.mod(1), self.mod(2))
        magic = sum(_number(one, "value") or 0 for one in _rows(of, "grantedModifiers")
                    if one.get("type") == "bonus" and one.get("subType") == "magic")
        sort = {1: "simple-weapons", 2: "martial-weapons"}.get(_number(of, "categoryId") or 0, "")
        kind = re.sub(r"\W+", "-", (_text(of, "type") or _text(of, "name")).lower())
        style = "ranged-weapon-attacks" if ranged else "melee-weapon-attacks"
        trained = self.bonus if self.of("proficiency", sort, kind) else 0
        near, far = _text(of, "range"), _text(of, "longRange")
        plus = ability + magic
        return {"name": _text(of, "name"), "description": ", ".join(sorted(tags)),
                "bonus": plus + trained + self.total("bonus", style),
                "range": f"{near}/{far} ft." if far and far != near else f"{near or 5} ft.",
                "damage": f"{_text(of, 'damage', 'diceString')}{f'{plus:+d}' if plus else ''} "
                          f"{_text(of, 'damageType').lower()}"}

    def slots(self, pact: bool) -> list[dict[str, int]]:
        """Spell slots by level: those of pact magic, or all others together."""
        casters = []  # level, divisor, whether it is rounded up
        for one in self.classes:
            of, sub = _of(one), _of(one, "subclassDefinition")
            name = _text(of, "name").lower()
            caster = next((by for by in (of, sub) if by.get("canCastSpells")), None)
            if caster is not None and (name == "warlock") == pact:
                rules = _of(caster, "spellRules")
                usual = 3 if caster is sub else 2 if name in _HALF else 1
                casters.append((one["level"], max(1, _number(
                    rules, "multiClassSpellSlotDivisor") or usual), name == "artificer"))
        counts: list[int] = []
        if casters and pact:
            level = casters[0][0]
            counts = [0] * ((min(level, 9) + 1) // 2 - 1)
            counts.append(1 + (level > 1) + (level > 10) + (level > 16))
        elif casters:
            alone = len(casters) == 1 and casters[0][0] >= casters[0][1]
            whole = sum(-(-level // by) if up or alone else level // by
                        for level, by, up in casters)
            counts = [*map(int, _TOLD["slots"][min(20, whole)])]
        used = {_number(one, "level"): _number(one, "used") or 0
                for one in _rows(self.data, "pactMagic" if pact else "spellSlots")}
        return [{"level": at, "total": many, "used": max(0, used.get(at, 0))}
                for at, many in enumerate(counts, 1) if many]

    def spell_list(self) -> list[dict[str, Any]]:
        """The spells of each class, then those of other sources."""
        by_id = {_text(one, "id"): one for one in self.classes}
        found: list[dict[str, Any]] = []
        shared: set[bool] = set()
        for block in _rows(self.data, "classSpells"):
            one = by_id.get(_text(block, "characterClassId"), {})
            name, sub = _text(one, "definition", "name"), _of(one, "subclassDefinition")
            at = _number(one, "definition", "spellCastingAbilityId") or _number(
                sub, "spellCastingAbilityId")
            spells, pact = _rows(block, "spells"), name.lower() == "warlock"
            slots = [] if pact in shared else self.slots(pact)
            if spells or at:
                shared.add(pact)
                found.append({"source": name, "slots": slots, **self.casting(at),
                              "spells": [*map(_spell, spells)]})
        for source in _of(self.data, "spells"):
            if spells := _rows(self.data, "spells", source):
                at = next(filter(None, (_number(one, "spellCastingAbilityId") for one in spells)),
                          None)
                found.append({"source": f"{source} feature" if source == "class" else source,
                              **self.casting(at), "spells": [*map(_spell, spells)]})
        return found

    def casting(self, at: int | None) -> dict[str, Any]:
        """What spells are cast with, by the number of the ability."""
        if at not in self.scores:
            return {}
        base = self.bonus + self.mod(at)
        return {"ability": ABILITIES[at - 1],
                "save_dc": max(0, 8 + base + self.total("bonus", "spell-save-dc")),
                "attack_bonus": base + self.total("bonus", "spell-attacks")}

    def speeds(self) -> dict[str, str]:
        """Speeds by their kind."""
        normal = _of(_of(_of(self.data, "race"), "weightSpeeds"), "normal")
        bare = not any(_number(of, "armorTypeId") for of in self.worn)
        found = {}
        for kind, name in _TOLD["speeds"].items():
            set_ = [self.worth(one) or _number(normal, "walk") or 0
                    for one in self.of("set", f"innate-speed-{name}")]
            base = max([_number(normal, kind) or 0, *set_])
            also = ("speed", "unarmored-movement") if bare and kind == "walk" else ("speed",)
            if base:
                found[kind] = f"{base + self.total('bonus', *also, f'speed-{name}')} ft."
        return found

    def proficiencies(self) -> dict[str, Any]:
        """Skills, armor, weapons, tools and languages."""
        skills, sorts = [], {"armor": [""], "weapons": [""], "tools": [""]}
        for name, at in sorted(_SKILLS.items()):
            key = name.lower().replace(" ", "-")
            expert = bool(self.of("expertise", key))
            skills.append({"name": name, "bonus": self.roll(at, key, "ability-checks"),
                           "proficient": expert or bool(self.of("proficiency", key)),
                           "note": "expertise" if expert else ""})
        for one in self.of("proficiency"):
            key = _text(one, "subType")
            weapon = key.endswith("-weapons") or _text(one, "entityTypeId") == _TOLD["weapon"]
            armor = key.endswith("-armor") or key == "shields"
            sort = "weapons" if weapon else "armor" if armor else "tools"
            if not key.endswith("-saving-throws") and key.replace("-", " ") not in _LOWER:
                sorts[sort].append(_text(one, "friendlySubtypeName") or key.replace("-", " "))
        sorts["tools"] += [_text(one, "name") for one in _rows(self.data, "customProficiencies")]
        return {"skills": skills, "languages": self.names("language"), **{
            sort: [*dict.fromkeys(filter(None, names))] for sort, names in sorts.items()}}

    def sheet(self) -> dict[str, Any]:
        """All of it as the values of an own sheet."""
        data, (most, now), (armor_class, armor) = self.data, self.hit_points(), self.armor_class()
        race, notes = _of(data, "race"), _of(data, "notes")
        texts = {part: {key: _text(data, *path.split(".")) for key, path in paths.items()}
                 for part, paths in _TOLD["texts"].items()}
        background, learnt = _of(data, "background"), self.proficiencies()
        at = _of(background, "customBackground")
        at = at if background.get("hasCustomBackground") else _of(background) or at
        full = _text(race, "fullName") or _text(race, "baseName")
        base = _text(race, "baseRaceName") or _text(race, "baseName")
        immune = self.names("immunity")
        return {
            "base": {
                **texts["base"], "name": _text(data, "name")[:200],
                "race": base or full, "subrace": full if full != base else "",
                "classes": [{"name": _text(one, "definition", "name"), "level": one["level"],
                             "subclass": _text(one, "subclassDefinition", "name")}
                            for one in self.classes],
                "background": _text(at, "name"),
                "alignment": _nth(_TOLD["alignments"], data, "alignmentId"),
                "xp": _amount(data, "currentXp")},
            "characteristics": texts["characteristics"],
            "ability_scores": {name.lower(): self.scores[one]
                               for one, name in enumerate(ABILITIES, 1)},
            "combat_stats": {
                "max_hit_points": most, "current_hit_points": max(-999, min(999, now)),
                "temporary_hit_points": _amount(data, "temporaryHitPoints"),
                "armor_class": armor_class, "armor": armor, "proficiency_bonus": self.bonus,
                "initiative": self.roll(2, "initiative", "ability-checks"),
                "hit_dice": " + ".join(f"{one['level']}d{die}" for one in self.classes
                                       if (die := _number(one, "definition", "hitDice"))),
                "hit_dice_left": max(0, self.level - sum(_number(one, "hitDiceUsed") or 0
                                                         for one in self.classes)),
                "inspiration": bool(data.get("inspiration")), "speeds": self.speeds(),
                "attacks": [self.attack(of) for of in self.worn if _of(of, "damage")],
                "saves": [{
                    "name": name, "proficient": bool(self.of("proficiency", key)),
                    "bonus": self.roll(one, key, "saving-throws")}
                    for one, name in enumerate(ABILITIES, 1)
                    for key in [f"{name.lower()}-saving-throws"]],
                "conditions": [name for one in _rows(data, "conditions")
                               if (name := _nth(["", *_CONDITIONS], one, "id"))]},
            "background": {"name": _text(at, "name"), "feature": _text(at, "featureName"),
                           "description": "\n\n".join(filter(None, (
                               _text(at, "shortDescription") or _text(at, "description"),
                               _text(at, "featureDescription"))))},
            "personality": {key: _lines(text) for key, text in texts["personality"].items()},
            "backstory": _headed(notes, "backstory"),
            "organisations": _contacts(notes, "organizations"),
            "allies": _contacts(notes, "allies"), "enemies": _contacts(notes, "enemies"),
            "proficiencies": learnt,
            "damage_modifiers": {
                "resistances": self.names("resistance"),
                "vulnerabilities": self.names("vulnerability"),
                "immunities": [one for one in immune if one.lower() not in _CONDITIONS],
                "condition_immunities": [one for one in immune if one.lower() in _CONDITIONS]},
            "passive_scores": [
                {"name": one["name"], "score": max(0, 10 + one["bonus"] + self.total(
                    "bonus", f"passive-{one['name'].lower()}"))}
                for one in learnt["skills"] if one["name"] in _PASSIVE],
            "senses": {_text(one, "subType"): f"{feet} ft." for one in sorted(
                (*self.of("set-base"), *self.of("sense")), key=self.worth)
                if _text(one, "subType") in SENSES and (feet := self.worth(one))},
            "action_economy": self.actions(),
            "features_and_traits": self.features(),
            "inventory": {
                "coins": {key: _amount(data, "currencies", key)
                          for key in ("cp", "sp", "ep", "gp", "pp")},
                "items": [*(_item(one, of) for one, of in self.items if of),
                          *(_item(one, one) for one in _rows(data, "customItems"))]},
            "spell_list": self.spell_list(),
            "notes": _headed(notes, "personalPossessions", "otherHoldings", "otherNotes"),
        }

    def actions(self) -> dict[str, list[dict[str, str]]]:
        """Actions by what they take."""
        found: dict[str, list[dict[str, str]]] = {}
        for one in _rows(self.data, "actions"):
            uses, reset = _number(one, "limitedUse", "maxUses"), _RESETS.get(
                _number(one, "limitedUse", "resetType") or 0)
            text = _text(one, "description") or _text(one, "snippet")
            often = f"{uses} per {reset}. " if uses and reset else ""
            kind = _TIMES.get(_number(one, "activation", "activationType") or 0, "other")
            found.setdefault(kind, []).append(
                {"name": _text(one, "name"), "description": f"{often}{text}"})
        return found

    def features(self) -> list[dict[str, str]]:
        """Traits of the race, features of classes, feats."""
        race = _text(self.data, "race", "fullName")
        rows = [*((of, race) for of in map(_of, _rows(self.data, "race", "racialTraits"))),
                *((of, _text(kind, "definition", "name")) for kind in self.classes
                  for of in _features(kind)),
                *((_of(one), "feat") for one in _rows(self.data, "feats"))]
        return [{"name": _text(of, "name"), "source": source,
                 "description": _text(of, "description")} for of, source in rows if of]


def _spell(one: Mapping[str, Any]) -> dict[str, Any]:
    of = _of(one)
    level = max(0, min(9, _number(of, "level") or 0))
    prepared = bool(one.get("prepared") or one.get("alwaysPrepared"))
    return {"name": _text(of, "name"), "level": level, "school": _text(of, "school").lower(),
            "prepared": prepared if level else None, "note": _text(of, "description"),
            **{key: True for key in ("concentration", "ritual") if of.get(key)}}


def _item(one: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    kind = _text(of, "filterType").lower()
    weight = _at(of, "weight")
    return {"name": _text(of, "name"), "kind": kind if kind in {"weapon", "armor"} else "item",
            "quantity": 1 if one.get("quantity") is None else _amount(one, "quantity"),
            "weight": weight if type(weight) in {int, float} and 0 < weight < _MOST else None,
            "rarity": _text(of, "rarity").lower(), "equipped": bool(one.get("equipped")),
            "attuned": bool(one.get("isAttuned")) if of.get("canAttune") else None,
            "description": "\n\n".join(filter(None, (
                _text(of, "description"), _text(one, "notes"))))}


def _nth(names: list[str], value: Any, key: str) -> str:
    """The name of the number at ``key``; '' for none."""
    return dict(enumerate(names)).get(_number(value, key) or 0, "")


def _lines(text: str) -> list[str]:
    return [one.strip() for one in text.splitlines() if one.strip()]


def _headed(notes: Any, *keys: str) -> list[dict[str, str]]:
    words = {key: re.sub(r"([A-Z])", r" \1", key).lower() for key in keys}
    return [{"title": words[key] if len(keys) > 1 else "", "text": text}
            for key in keys if (text := _text(notes, key))]


def _contacts(notes: Any, key: str) -> list[dict[str, str]]:
    """A contact for each line; its name is what stands before a colon, dash, comma or bracket.

    A name has no word of four letters or more in lower case: what has is a sentence.
    """
    found = []
    for line in _lines(_text(notes, key)):
        name, cut, rest = re.fullmatch(  # type: ignore[union-attr]
            r"[-*•\s]*(.*?)(\s*[:,(]\s*|\s+[-–—]\s+|$)(.*)", line).groups()
        named = 0 < len(name) <= _NAME and all(
            len(word) < 4 or not word.islower() for word in name.split())
        found.append({"name": name, "description": f"({rest}" if "(" in cut else rest}
                     if named else {"description": line})
    return found
